"""Errors as tests see them: their type, and what they name; never their wording."""

from contextlib import contextmanager

import pytest


@contextmanager
def refused(kind, *facts):
    """The block raises an error of that type that names these facts and has a hint."""
    with pytest.raises(kind) as caught:
        yield caught
    for fact in facts:
        assert str(fact) in caught.value.message, caught.value.message
    assert caught.value.hint
