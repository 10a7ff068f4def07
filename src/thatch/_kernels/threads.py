"""Threads of the parallel loops, and processes that fork.

GCC's OpenMP keeps the threads of a parallel loop for the next one. A forked process
inherits the record of those threads, but not the threads, and would wait for them
forever. So they are ended before every fork; parent and child start new ones.
"""

import cython

if cython.compiled:
    thatch_end_threads_before_forks()  # noqa: F821 (in threads.pxd)
