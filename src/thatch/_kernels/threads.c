/* Threads of the parallel loops, and processes that fork.

   GCC's OpenMP keeps the threads of a parallel loop for the next one. A forked process
   inherits the record of those threads, but not the threads, and would wait for them
   forever. So they are ended before every fork; parent and child start new ones. Other
   OpenMP libraries handle forks themselves, and Windows has none. */

#include <Python.h>

#if defined(_OPENMP) && defined(__GNUC__) && !defined(__clang__) && !defined(_WIN32)
#if __GNUC__ < 9
#error "libgomp before GCC 9 cannot end its threads before a fork"
#endif
#include <omp.h>
#include <pthread.h>

static void end_threads(void) { omp_pause_resource_all(omp_pause_hard); }

static int end_threads_before_forks(PyObject *module) {
    if (pthread_atfork(end_threads, NULL, NULL) != 0) {
        PyErr_SetString(PyExc_ImportError, "threads cannot be ended before forks");
        return -1;
    }
    return 0;
}
#else
static int end_threads_before_forks(PyObject *module) { return 0; }
#endif

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)end_threads_before_forks},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "threads",
    .m_doc = "Importing it ends the threads of parallel loops before every fork.",
    .m_size = 0,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit_threads(void) { return PyModuleDef_Init(&definition); }
