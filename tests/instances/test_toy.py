import pytest

from thatch import InputError
from thatch.instances import toy


@pytest.mark.parametrize(("make", "size"), [(toy.path, 0), (toy.star, 2)])
def test_toys_that_are_too_small_are_refused(make, size):
    with pytest.raises(InputError, match=f"num_items is {size}"):
        make(size)
