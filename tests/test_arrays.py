import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from thatch import CoverageProblem
from thatch.arrays import exact_sum, numbers
from thatch.errors import InputTypeError


@pytest.mark.parametrize("container", [list, tuple])
def test_the_first_value_that_is_not_a_number_is_named(container):
    with refused(InputTypeError, "costs[2]", "'x'"):
        numbers("costs", container([1, 2, "x", None]))


@pytest.mark.parametrize("dtype", [str, object])
def test_arrays_of_strings_are_refused(dtype):
    with refused(InputTypeError, "costs[0]", "'1'"):
        numbers("costs", np.array(["1", "2"], dtype=dtype))


def test_a_bad_cost_of_a_problem_is_named():
    with refused(InputTypeError, "costs[2]", "'x'"):
        CoverageProblem.from_sets([[0], [1], [2]], costs=[1, 2, "x"], budget=2)


@given(
    values=st.lists(st.integers(-(2**52), 2**52).map(float), max_size=30),
    copies=st.sampled_from([1, 100]),
    tail=st.sampled_from([[], [0.1], [1e300, -1e300], [2.0**53, 1.0]]),
)
def test_a_sum_is_rounded_once(values, copies, tail):
    terms = values * copies + tail
    assert exact_sum(np.array(terms)) == math.fsum(terms)
