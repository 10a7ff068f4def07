# The state of `folded_graphs.py`, for the kernel that extends it.

cimport cython


cdef class FoldedGraphs:
    cdef int n
    # By depth: lists of neighbors, their ends, and how many neighbors are left.
    cdef int[:, ::1] near
    cdef int[:, ::1] start
    cdef int[:, ::1] end
    cdef int[:, ::1] degree
    cdef char[:, ::1] is_left
    # Where the lists of the last depth end.
    cdef int top
    # By depth: what was kept (u = w = -1) or folded.
    cdef int[:, :, ::1] log
    cdef int[::1] log_size
    cdef short[::1] written
    cdef readonly Py_ssize_t num_written

    @cython.final
    cdef void _enter(self, int d, char[::1] left, int chosen) noexcept
    @cython.final
    cdef void _remember(self, int d, int v, int u, int w) noexcept
    @cython.final
    cdef int _reduced(self, int d, int q) noexcept
    @cython.final
    cdef int _place(self, int d, int v, int u) noexcept
    @cython.final
    cdef void _keep(self, int d, int v, int u, int w) noexcept
    @cython.final
    cdef void _remove(self, int d, int v) noexcept
    @cython.final
    cdef bint _fold(self, int d, int v, int u, int w) noexcept
    @cython.final
    cdef object _found(self, int d)
    @cython.final
    cdef void _write(self, int number) noexcept
