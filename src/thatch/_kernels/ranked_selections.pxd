# The state of `ranked_selections.py`, for the kernels that extend it.

cimport cython

from thatch._kernels.selections cimport SelectionSearch


cdef class RankedSelection(SelectionSearch):
    cdef double[::1] per_cost
    # The weight of each element in the search, and what it grows by.
    cdef double[::1] y
    cdef double[::1] growth
    cdef int[::1] owner
    # The uncovered elements, then the others, and the position of each element.
    cdef int[::1] uncovered
    cdef int[::1] element_place
    # The weight y that an item would cover, or that it covers alone.
    cdef double[::1] score
    # When an item was last added or dropped. A step adds or drops one item.
    cdef long long[::1] item_step
    # The chosen items, as a heap by score per cost, then by age; and their positions.
    cdef int[::1] heap
    cdef int[::1] heap_place
    # Items that were added or dropped since the best selection was marked.
    cdef int[::1] changed
    cdef char[::1] is_changed
    cdef Py_ssize_t num_uncovered
    cdef Py_ssize_t num_chosen
    cdef Py_ssize_t num_changed
    cdef long long step
    cdef long long work_left
    # The seed at first, not 0.
    cdef unsigned long long bits
    cdef double budget
    cdef double spent
    # The weight w that is uncovered.
    cdef double left

    @cython.final
    cdef void _mark(self) noexcept nogil
    @cython.final
    cdef double _exact_cost(self) noexcept nogil
    @cython.final
    cdef void _flip(self, Py_ssize_t i) noexcept nogil
    @cython.final
    cdef void _cover(self, Py_ssize_t a, Py_ssize_t i) noexcept nogil
    @cython.final
    cdef void _uncover(self, Py_ssize_t a, Py_ssize_t i) noexcept nogil
    @cython.final
    cdef void _add_to_scores(self, Py_ssize_t a, Py_ssize_t i, double weight) noexcept nogil
    @cython.final
    cdef void _grow_element(self, Py_ssize_t a) noexcept nogil
    @cython.final
    cdef void _place(self, Py_ssize_t a, Py_ssize_t position) noexcept nogil
    @cython.final
    cdef Py_ssize_t _least_but(self, Py_ssize_t i) noexcept nogil
    @cython.final
    cdef bint _is_before(self, Py_ssize_t i, Py_ssize_t j) noexcept nogil
    @cython.final
    cdef void _rise(self, Py_ssize_t i) noexcept nogil
    @cython.final
    cdef void _sink(self, Py_ssize_t i) noexcept nogil
    @cython.final
    cdef void _leave_heap(self, Py_ssize_t i) noexcept nogil
    @cython.final
    cdef Py_ssize_t _below(self, Py_ssize_t count) noexcept nogil
