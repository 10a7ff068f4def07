import pytest

from thatch import InputError
from thatch.instances import toy


@pytest.mark.parametrize(("make", "size"), [(toy.path, 0), (toy.star, 2)])
def test_toys_too_small_to_make_sense_are_refused(make, size):
    with pytest.raises(InputError, match=f"got {size}"):
        make(size)
