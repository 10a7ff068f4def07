"""Tolerances: how far computed numbers may be off before they count as different.

All are relative, unless they say otherwise. They decide what is feasible, what counts
as proved, and what may be an error of rounding, so they have no other home.
"""

#: Sums of costs, weights or shares that users give in decimals: 0.07 of 100 elements
#: is 7 of them, although ``0.07 * 100`` is more than 7.
DECIMAL_SUMS = 1e-12
#: The search for a cover ends once its bound is this close to its cost. What is proved
#: in the end is up to the certificate.
PROOF = 1e-8
#: Where weights are not integers, and more selections than can be compared exactly are
#: worth the same but for rounding, bounds are this much higher.
TIES = 1e-11
#: Absolute: a computed number this close to an integer is that integer.
INTEGER = 1e-6
#: A dual bound that fixes variables, where its sums are rounded.
FIXING = 1e-10
#: Absolute in HiGHS, which closes no gap further than this; a share of the cost in the
#: search for a cover, which then has no more rounds.
HIGHS_GAP = 1e-7
#: Distances of points, so that a radius given in decimals includes its own end.
DISTANCE = 1e-9
