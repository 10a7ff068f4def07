import pickle

import pytest

from thatch import InputError, ThatchError
from thatch.errors import (
    EngineError,
    FileFormatError,
    InputTypeError,
    MissingExtraError,
    SolverFailedError,
)


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (InputError, ValueError),
        (FileFormatError, ValueError),
        (InputTypeError, TypeError),
        (MissingExtraError, ImportError),
        (EngineError, RuntimeError),
        (SolverFailedError, RuntimeError),
    ],
)
def test_every_error_is_ours_and_of_the_kind_python_expects(kind, builtin):
    assert issubclass(kind, ThatchError)
    assert issubclass(kind, builtin)


def test_a_format_error_names_the_path_and_the_line():
    error = FileFormatError("x.txt", "costs must be numbers.", line=3, hint="Mend it.")
    assert str(error) == "x.txt, line 3: costs must be numbers. Mend it."
    assert (error.path.name, error.line) == ("x.txt", 3)
    assert FileFormatError("x.txt", "no.").message == "x.txt: no."


@pytest.mark.parametrize(
    "error",
    [
        InputError("budget must be >= 0, got -1.", hint="Pass 0 or more."),
        FileFormatError("x.txt", "no.", line=3),
        MissingExtraError("Drawing", package="matplotlib", extra="plot"),
    ],
)
def test_errors_survive_the_way_between_processes(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)
