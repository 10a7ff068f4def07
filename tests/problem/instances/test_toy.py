import pytest
from refusals import refused

from thatch import InputError
from thatch.problem.instances import toy


@pytest.mark.parametrize(
    ("make", "size"), [(toy.path, 0), (toy.path, 2.5), (toy.star, 2)]
)
def test_toys_that_are_too_small_or_no_whole_number_are_refused(make, size):
    with refused(InputError, "num_items", size):
        make(size)
