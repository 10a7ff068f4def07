"""Tolerances: how far computed numbers may be off before they count as different.

All are relative, unless they say otherwise. They decide what is feasible, what counts
as proved, and what may be an error of rounding, so they have no other home.
"""

#: Sums of costs, weights or shares that users give in decimals: 0.07 of 100 elements
#: is 7 of them, although ``0.07 * 100`` is more than 7.
DECIMAL_SUMS = 1e-12
#: A value this close to its bound counts as proved, where weights or costs are not
#: integers.
PROOF = 1e-8
#: Absolute: a computed number this close to an integer is that integer.
INTEGER = 1e-6
#: A dual bound that fixes variables, where its sums are rounded.
FIXING = 1e-10
#: Absolute: HiGHS may violate a row by the first, and its bound is off by at most the
#: first and the second per column.
HIGHS_ROW = 1e-6
HIGHS_COLUMN = 1e-7
#: Absolute: HiGHS closes no gap further than this.
HIGHS_GAP = 1e-7
#: Distances of points, so that a radius given in decimals includes its own end.
DISTANCE = 1e-9
