/* Threads of the parallel loops, and processes that fork.

   GCC's OpenMP keeps the threads of a parallel loop for the next one. A forked process
   inherits the record of those threads, but not the threads, and would wait for them
   forever. So they are ended before every fork; parent and child start new ones. Other
   OpenMP libraries handle forks themselves, and Windows has none. */

#include <Python.h>

#if defined(_OPENMP) && defined(__GNUC__) && !defined(__clang__) && !defined(_WIN32)
#include <omp.h>
#include <pthread.h>

static void end_threads(void) { omp_pause_resource_all(omp_pause_hard); }

static int end_threads_before_forks(void) {
    return pthread_atfork(end_threads, NULL, NULL);
}
#else
static int end_threads_before_forks(void) { return 0; }
#endif

#ifdef _OPENMP
#define IS_PARALLEL 1
#else
#define IS_PARALLEL 0
#endif

static int execute(PyObject *module) {
    if (end_threads_before_forks() != 0) {
        PyErr_SetString(PyExc_ImportError, "threads cannot be ended before forks");
        return -1;
    }
    return PyModule_AddIntConstant(module, "IS_PARALLEL", IS_PARALLEL);
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)execute},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "threads",
    .m_doc = "Ends the threads of parallel loops before forks; IS_PARALLEL if there are any.",
    .m_size = 0,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit_threads(void) { return PyModuleDef_Init(&definition); }
