cdef extern from *:
    """
    #if defined(_OPENMP) && defined(__GNUC__) && !defined(__clang__) && !defined(_WIN32)
        #if __GNUC__ < 9
            #error "libgomp before GCC 9 cannot end its threads before a fork"
        #endif
        #include <omp.h>
        #include <pthread.h>
        static void thatch_end_threads(void) {
            omp_pause_resource_all(omp_pause_hard);
        }
        static int thatch_end_threads_before_forks(void) {
            return pthread_atfork(thatch_end_threads, NULL, NULL);
        }
    #else
        /* No threads, no forks, or a library that handles forks itself. */
        static int thatch_end_threads_before_forks(void) { return 0; }
    #endif
    """
    int thatch_end_threads_before_forks() nogil
