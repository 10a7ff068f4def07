cdef extern from *:
    """
    #if defined(_OPENMP) && defined(__GNUC__) && !defined(__clang__)
        #if __GNUC__ < 9
            #error "libgomp before GCC 9 cannot end its threads before a fork"
        #endif
        #include <omp.h>
        static int thatch_end_threads(void) {
            return omp_pause_resource_all(omp_pause_hard);
        }
    #else
        /* No threads, no fork, or a library that cares for forks itself. */
        static int thatch_end_threads(void) { return 0; }
    #endif
    """
    int thatch_end_threads() nogil
