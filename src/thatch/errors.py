"""What can go wrong, and what to do about it.

::

    ThatchError
    ├── InputError            (a ValueError)    a value breaks a rule
    │   └── FileFormatError                 a file breaks its format
    ├── InputTypeError        (a TypeError)     a value is of the wrong kind
    ├── MissingExtraError     (an ImportError)  an optional package is not installed
    ├── EngineError           (a RuntimeError)  work given to others did not come back
    │   └── LostTaskError                       a task ends every process that tries it
    └── SolverFailedError     (a RuntimeError)  a solver broke on good input
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = [
    "EngineError",
    "InputError",
    "InputTypeError",
    "FileFormatError",
    "LostTaskError",
    "MissingExtraError",
    "SolverFailedError",
    "ThatchError",
]


class ThatchError(Exception):
    """Anything thatch raises on purpose: what is wrong, and what to do next.

    >>> error = ThatchError("budget must be >= 0, got -1.", hint="Pass a budget.")
    >>> str(error)
    'budget must be >= 0, got -1. Pass a budget.'
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint)
        #: What is wrong: the thing, the rule, the value, the place.
        self.message = message
        #: What to do next.
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions are rebuilt from their arguments, which differ from kind to kind.
        return _rebuilt, (type(self), self.args, self.__dict__)


def _rebuilt(
    kind: type[ThatchError], arguments: tuple[Any, ...], fields: dict[str, Any]
) -> ThatchError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(fields)
    return error


class InputError(ThatchError, ValueError):
    """A value that breaks a rule: catch it to ask the user again."""


class FileFormatError(InputError):
    """A file that breaks its format, with the line where that is known."""

    def __init__(
        self, path: str | Path, message: str, *, line: int | None = None, hint: str = ""
    ) -> None:
        place = str(path) if line is None else f"{path}, line {line}"
        super().__init__(f"{place}: {message}", hint=hint)
        self.path = Path(path)
        self.line = line


class InputTypeError(ThatchError, TypeError):
    """A value of the wrong kind, such as text where numbers belong."""


class MissingExtraError(ThatchError, ImportError):
    """An optional package that is not installed."""

    def __init__(self, purpose: str, *, package: str, extra: str) -> None:
        super().__init__(
            f"{purpose} needs {package}, which is not installed.",
            hint=f"Run: pip install 'thatch[{extra}]'",
        )


class EngineError(ThatchError, RuntimeError):
    """Work that an engine could not get done."""


class LostTaskError(EngineError):
    """A task that ends every process which tries it: catch it to do without it."""

    def __init__(self, message: str, *, task: Any, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.task = task


class SolverFailedError(ThatchError, RuntimeError):
    """A solver that broke on input it should have solved."""
