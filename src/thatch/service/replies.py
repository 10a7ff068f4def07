"""What comes of a piece of work."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from pydantic import ValidationError

from thatch.answers import Failure, as_json
from thatch.errors import MissingExtraError, SolverFailedError, ThatchError
from thatch.service.validation_messages import validation_message

__all__ = ["Outcome", "Reply"]


class Outcome(enum.IntEnum):
    """Whether work was done, and if not, who can do something about it."""

    DONE = 0
    #: The request breaks a rule.
    BAD_INPUT = 1
    #: The request is right, and a package to fulfil it is missing here.
    UNSUPPORTED = 2
    #: The request takes more memory than one may have.
    TOO_LARGE = 3
    #: More time than it may have.
    TOO_SLOW = 4
    #: Too many others wait already, or the process broke off: later it may go well.
    BUSY = 5
    #: A fault of ours.
    BROKEN = 6


@dataclass(frozen=True)
class Reply:
    r"""An answer as JSON, or what is wrong as JSON.

    >>> Reply.failure(Outcome.BUSY, "Too many wait.", "Try again.").body
    b'{"error": "Too many wait.", "hint": "Try again."}\n'
    """

    outcome: Outcome
    body: bytes

    @classmethod
    def failure(cls, outcome: Outcome, message: str, hint: str) -> Reply:
        """Reply that says what is wrong, and what to do."""
        return cls(outcome, as_json(Failure(message, hint)).encode(errors="replace"))

    @classmethod
    def to_error(cls, error: BaseException) -> Reply:
        """Reply to what was raised while working.

        >>> from thatch.errors import InputError
        >>> Reply.to_error(InputError("budget must be >= 0, got -1.")).outcome.name
        'BAD_INPUT'
        """
        if isinstance(error, ValidationError):
            return cls.failure(
                Outcome.BAD_INPUT,
                validation_message(error),
                "The fields and their rules are listed at /api/openapi.json.",
            )
        if isinstance(error, MissingExtraError):
            return cls.failure(Outcome.UNSUPPORTED, error.message, error.hint)
        if isinstance(error, ThatchError) and not isinstance(error, SolverFailedError):
            return cls.failure(Outcome.BAD_INPUT, error.message, error.hint)
        if isinstance(error, MemoryError):
            return cls.failure(
                Outcome.TOO_LARGE,
                "The memory for one request did not suffice.",
                "Ask for less at a time.",
            )
        return cls.failure(
            Outcome.BROKEN,
            f"thatch broke on this request: {type(error).__name__}.",
            "This is a fault of thatch; its log has the details.",
        )
