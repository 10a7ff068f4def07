"""Exceptions: what is wrong, and what to do about it.

::

    ThatchError
    ├── InputError            (a ValueError)    a value is invalid
    │   ├── FileFormatError                     a file does not follow its format
    │   └── InfeasibleError                     constraints contradict each other
    ├── InputTypeError        (a TypeError)     a value has the wrong type
    ├── MissingExtraError     (an ImportError)  an optional package is not installed
    ├── PluginError           (a RuntimeError)  an extension cannot be used
    ├── EngineError           (a RuntimeError)  an engine failed to run tasks
    │   ├── ClusterError                        a cluster cannot run tasks
    │   └── LostTaskError                       a task ends every process that runs it
    └── SolverFailedError     (a RuntimeError)  a solver failed on valid input
        └── NoTimeError                         no selection was found in time
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = [
    "ClusterError",
    "EngineError",
    "FileFormatError",
    "InfeasibleError",
    "InputError",
    "InputTypeError",
    "LostTaskError",
    "MissingExtraError",
    "NoTimeError",
    "PluginError",
    "SolverFailedError",
    "ThatchError",
]


class ThatchError(Exception):
    """Base class of all exceptions that thatch raises on purpose.

    >>> error = ThatchError("budget is -1.", hint="Pass a budget of 0 or more.")
    >>> str(error)
    'budget is -1. Pass a budget of 0 or more.'
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint)
        #: What is wrong, with the value and the place.
        self.message = message
        #: What to do about it.
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()

    def __reduce__(self) -> tuple[Any, ...]:
        # Subclasses have constructors with other arguments, which pickle cannot know.
        return _rebuilt, (type(self), self.args, self.__dict__)


def _rebuilt(
    kind: type[ThatchError], arguments: tuple[Any, ...], fields: dict[str, Any]
) -> ThatchError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(fields)
    return error


class InputError(ThatchError, ValueError):
    """A value is invalid."""


class FileFormatError(InputError):
    """A file does not follow its format; `line` says where, if that is known."""

    def __init__(
        self, path: str | Path, message: str, *, line: int | None = None, hint: str = ""
    ) -> None:
        place = str(path) if line is None else f"{path}, line {line}"
        super().__init__(f"{place}: {message}", hint=hint)
        #: The file.
        self.path = Path(path)
        #: Line number, from 1.
        self.line = line


class InfeasibleError(InputError):
    """No selection meets all constraints."""

    def __init__(
        self,
        message: str,
        *,
        conflict: tuple[str, ...],
        hint: str = "",
        certificate: Any = None,
    ) -> None:
        super().__init__(message, hint=hint)
        #: Constraints that contradict each other.
        self.conflict = conflict
        #: A `thatch.run.certificates.Certificate` that no selection meets all of them.
        self.certificate = certificate


class InputTypeError(ThatchError, TypeError):
    """A value has the wrong type, such as a string instead of a number."""


class MissingExtraError(ThatchError, ImportError):
    """An optional package is not installed."""

    def __init__(self, purpose: str, *, package: str, extra: str) -> None:
        # Only errors need it, and importing it takes some milliseconds.
        from thatch.errors.installation import install_command

        super().__init__(
            f"{purpose} needs {package}, which is not installed.",
            hint=f"Run: {install_command(extra)}",
        )
        #: The extra of thatch that has it.
        self.extra = extra


@contextmanager
def requiring(purpose: str, *, package: str, extra: str) -> Iterator[None]:
    """Raise a MissingExtraError where an import in a ``with`` block fails.

    >>> try:
    ...     with requiring("Snow", package="flakes", extra="winter"):
    ...         import flakes
    ... except MissingExtraError as error:
    ...     print(error.message)
    Snow needs flakes, which is not installed.
    """
    try:
        yield
    except ImportError as error:
        raise MissingExtraError(purpose, package=package, extra=extra) from error


class PluginError(ThatchError, RuntimeError):
    """An extension that another package registers cannot be loaded or used."""


class EngineError(ThatchError, RuntimeError):
    """An engine failed to run tasks."""


class ClusterError(EngineError):
    """A cluster cannot run tasks."""


class LostTaskError(EngineError):
    """A task ends every process that runs it."""

    def __init__(self, message: str, *, task: Any, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        #: The task, as it was submitted.
        self.task = task


class SolverFailedError(ThatchError, RuntimeError):
    """A solver failed on valid input."""


class VerificationFailedError(SolverFailedError):
    """A result that was checked is not proved."""


class NoTimeError(SolverFailedError):
    """No selection that meets the constraints was found within the time limit."""


def shortened(text: str, most: int = 40) -> str:
    """The text, cut off with an ellipsis if it has more characters than that.

    >>> shortened("snow fell on the roof", 10)
    'snow fell…'
    """
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
