"""Replies of workers: an outcome, and an answer or an error as JSON."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from pydantic import ValidationError

from thatch.errors import MissingExtraError, NoTimeError, SolverFailedError, ThatchError
from thatch.serve.answers.general import Failure, as_json
from thatch.serve.validation_messages import validation_message


class Outcome(enum.IntEnum):
    """How a request ended, and whose error it was."""

    DONE = 0
    #: The request is invalid.
    BAD_INPUT = 1
    #: The request is valid, but a package that it needs is not installed.
    UNSUPPORTED = 2
    #: The request exceeds the memory limit.
    TOO_LARGE = 3
    #: The request exceeds the time limit.
    TOO_SLOW = 4
    #: The queue is full, or the worker process ended: a later retry may succeed.
    BUSY = 5
    #: An error in thatch.
    BROKEN = 6


@dataclass(frozen=True)
class Reply:
    """An answer or an error, as JSON."""

    outcome: Outcome
    body: bytes

    @classmethod
    def failure(cls, outcome: Outcome, message: str, hint: str) -> Reply:
        """Reply with an error and a hint."""
        return cls(outcome, as_json(Failure(message, hint)).encode(errors="replace"))

    @classmethod
    def to_error(cls, error: BaseException) -> Reply:
        """Reply for an exception that a handler raised."""
        if isinstance(error, ValidationError):
            return cls.failure(
                Outcome.BAD_INPUT,
                validation_message(error),
                "All fields are described at /api/openapi.json.",
            )
        if isinstance(error, MissingExtraError):
            # Its own hint has paths of this machine.
            hint = f"Install the extra {error.extra} of thatch where it runs."
            return cls.failure(Outcome.UNSUPPORTED, error.message, hint)
        if isinstance(error, NoTimeError):
            return cls.failure(Outcome.TOO_SLOW, error.message, error.hint)
        if isinstance(error, ThatchError) and not isinstance(error, SolverFailedError):
            return cls.failure(Outcome.BAD_INPUT, error.message, error.hint)
        if isinstance(error, MemoryError):
            return cls.failure(
                Outcome.TOO_LARGE,
                "Out of memory: the request exceeds the limit per request.",
                "Send a smaller request.",
            )
        return cls.failure(
            Outcome.BROKEN,
            f"Internal error: {type(error).__name__}.",
            "This is a bug in thatch; the server log has the details.",
        )
