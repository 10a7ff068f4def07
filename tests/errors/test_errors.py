import pickle

import pytest

from thatch import InputError, ThatchError
from thatch.errors import (
    ClusterError,
    EngineError,
    FileFormatError,
    InputTypeError,
    LostTaskError,
    MissingExtraError,
    PluginError,
    SolverFailedError,
)


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (InputError, ValueError),
        (FileFormatError, ValueError),
        (InputTypeError, TypeError),
        (MissingExtraError, ImportError),
        (PluginError, RuntimeError),
        (EngineError, RuntimeError),
        (ClusterError, EngineError),
        (LostTaskError, EngineError),
        (SolverFailedError, RuntimeError),
    ],
)
def test_every_error_is_a_thatch_error_and_a_built_in_one(kind, builtin):
    assert issubclass(kind, ThatchError)
    assert issubclass(kind, builtin)


def test_a_format_error_has_the_path_and_the_line():
    error = FileFormatError("x.txt", "costs[0] is 'a'.", line=3, hint="Correct it.")
    assert str(error) == "x.txt, line 3: costs[0] is 'a'. Correct it."
    assert (error.path.name, error.line) == ("x.txt", 3)
    assert FileFormatError("x.txt", "no.").message == "x.txt: no."


@pytest.mark.parametrize(
    "error",
    [
        InputError("budget is -1.", hint="Pass 0 or more."),
        LostTaskError("The task is lost.", task=("solve", 3)),
        FileFormatError("x.txt", "no.", line=3),
        MissingExtraError("Drawing", package="matplotlib", extra="plot"),
    ],
)
def test_errors_can_be_sent_between_processes(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)
