"""The commands together, and what happens when one fails.

Exit codes: 0 done, 1 failed, 2 bad input, 130 interrupted. Nothing here imports NumPy:
a command imports what it needs when it runs, and is itself imported only if it is the
one that was named, or none was.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Annotated

import typer

from thatch.cli import INTERRUPTED, JobInterruptedError
from thatch.cli.options import one_line, show_version
from thatch.errors import EngineError, InputError, SolverFailedError, ThatchError

# In the order of the help. Each has a module of its name, which adds it to the program.
_COMMANDS = (
    *("summarize", "solve", "convert", "score", "generate", "reproduce"),
    *("corpus", "corpus-stats", "serve", "mcp"),
)


def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=show_version,
            is_eager=True,
            help="Print the version.",
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where in the code an error arose.")
    ] = False,
) -> None:
    """Cover the most with a budget."""


def _program(commands: Iterable[str]) -> typer.Typer:
    program = typer.Typer(
        name="thatch",
        callback=_options,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        # Boxes around the help take as long to draw as everything else together.
        rich_markup_mode=None,
        context_settings={"max_content_width": 100},
    )
    for name in commands:
        import_module(f"thatch.cli.{name.replace('-', '_')}").add_to(program)
    return program


def run(arguments: Sequence[str]) -> int:
    """Run one command; its exit code, once any error has been told."""
    is_debugging = "--debug" in arguments
    try:
        return _run([argument for argument in arguments if argument != "--debug"])
    except BrokenPipeError:
        # Whoever read us has gone; the interpreter must not complain when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except ThatchError as error:
        if is_debugging:
            raise
        _tell(error.message, error.hint)
        return 1 if isinstance(error, SolverFailedError | EngineError) else 2
    except MemoryError:
        if is_debugging:
            raise
        _tell("The memory did not suffice.", "Try a smaller problem or sparser graph.")
        return 1
    except OSError as error:
        if is_debugging:
            raise
        place = error.filename or "the output"
        _tell(f"{place}: {error.strerror or error}.", "Check the path and the disk.")
        return 1


def _run(arguments: list[str]) -> int:
    usage_error = typer.BadParameter.__base__
    named = [name for name in _COMMANDS if name in arguments[:1]]
    program = _program(named or _COMMANDS)
    try:
        code = int(program(arguments, prog_name="thatch", standalone_mode=False) or 0)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except JobInterruptedError as interrupt:
        raise KeyboardInterrupt(str(interrupt)) from None
    except Exception as error:
        if usage_error is None or not isinstance(error, usage_error):
            raise
        context = getattr(error, "ctx", None)
        message = error.format_message()  # type: ignore[attr-defined]
        if context is not None and message == context.get_help():
            typer.echo(message)  # nothing was asked for
            return 2
        command = getattr(context, "command_path", "thatch")
        raise InputError(
            f"{command}: {' '.join(message.split())}", hint=f"Run: {command} --help"
        ) from None
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    return code


def _tell(message: str, hint: str) -> None:
    sys.stderr.write(f"error: {one_line(message)}\nhint: {one_line(hint)}\n")
