"""Tests that loop over many cases of the same kind, and name the case that fails."""

import inspect
from functools import wraps


def for_each(names, cases, *, ids=repr):
    """Run a test once per case, like ``parametrize``, but as a single test.

    Use it where cases differ by a number or a name alone: hundreds of tests take longer
    to collect than to run. All cases share the fixtures of the test, so keep
    ``parametrize`` for tests that write files or patch something.

    Parameters
    ----------
    names
        Name of the argument that a case fills, or a tuple of names.
    cases
        Values of the argument, or tuples of them.
    ids
        What a failure shows of a value.
    """
    if isinstance(names, str):
        names, cases = (names,), ((case,) for case in cases)
    cases = list(cases)
    assert cases, "there is no case"

    def folded(test):
        @wraps(test)
        def test_of_all(**fixtures):
            __tracebackhide__ = True
            for case in cases:
                given = dict(zip(names, case, strict=True))
                try:
                    test(**fixtures, **given)
                except BaseException as error:
                    shown = (f"{name}={ids(value)}" for name, value in given.items())
                    error.add_note(f"with {', '.join(shown)}")
                    raise

        parameters = inspect.signature(test).parameters
        left = [parameters[name] for name in parameters if name not in names]
        test_of_all.__signature__ = inspect.Signature(left)
        return test_of_all

    return folded
