# The state of `selections.py`, for the kernels that extend it.

cimport cython


cdef class SelectionSearch:
    cdef const double[::1] c
    cdef const double[::1] w
    cdef const long long[::1] item_start
    cdef const int[::1] item_elements
    cdef const long long[::1] element_start
    cdef const int[::1] element_items
    cdef const int[::1] group
    # How many more items of each group fit.
    cdef int[::1] room
    # How many chosen items each element has.
    cdef int[::1] counts
    # Marks of the items of the best selection.
    cdef char[::1] best


cdef class ChangingSelection(SelectionSearch):
    cdef double[::1] per_cost
    cdef int[::1] owner
    # The chosen items, then the others, and the position of each item.
    cdef int[::1] order
    cdef int[::1] place
    cdef Py_ssize_t num_chosen
    cdef double budget
    cdef double spent
    cdef double value
    cdef double tolerance
    # The seed at first, not 0.
    cdef unsigned long long bits
    cdef long long work_left

    @cython.final
    cdef int _move(self, Py_ssize_t i) noexcept nogil
    cdef void _mark(self) noexcept nogil
    @cython.final
    cdef Py_ssize_t _below(self, Py_ssize_t count) noexcept nogil
