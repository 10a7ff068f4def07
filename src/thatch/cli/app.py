"""All commands, and how their errors are reported.

Exit codes: 0 done, 1 failed, 2 bad input, 130 interrupted. Nothing here imports NumPy:
a command imports what it needs when it runs, and a command's module is imported only if
that command is named, or none is.
"""

from __future__ import annotations

import errno
import logging
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Annotated

import typer

from thatch.cli.output import (
    INTERRUPTED,
    JobInterruptedError,
    notify,
    one_line,
    print_version,
)
from thatch.cli.parameters import add_command
from thatch.errors import EngineError, InputError, SolverFailedError, ThatchError

# In the order of the help. Each has a module of its name, with the function of the
# command, or with an app of several commands.
_COMMANDS = (
    *("summarize", "pack", "keyphrases", "highlight", "solve", "cover", "verify"),
    *(
        "convert",
        "shard",
        "tests",
        "score",
        "generate",
        "reproduce",
        "corpus",
        "corpus-stats",
    ),
    *("serve", "mcp"),
)


def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=print_version,
            is_eager=True,
            help="Print the version.",
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Print a traceback if an error occurs.")
    ] = False,
) -> None:
    """Cover as much weight as possible within a budget."""


def _program(commands: Iterable[str]) -> typer.Typer:
    program = typer.Typer(
        name="thatch",
        callback=_options,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        # Drawing boxes around the help would take half of the time.
        rich_markup_mode=None,
        context_settings={"max_content_width": 100},
    )
    for name in commands:
        module_name = name.replace("-", "_")
        module = import_module(f"thatch.cli.{module_name}")
        if hasattr(module, "app"):
            program.add_typer(module.app, name=name)
        else:
            add_command(program, name, getattr(module, f"{module_name}_command"))
    return program


def run(arguments: Sequence[str]) -> int:
    """Run one command, report its error if there is one, and return the exit code."""
    is_debugging = "--debug" in arguments
    readers = logging.getLogger("thatch.text.documents")
    if not any(isinstance(each, _Warnings) for each in readers.handlers):
        readers.addHandler(_Warnings(logging.WARNING))
    try:
        return _run([argument for argument in arguments if argument != "--debug"])
    except ThatchError as error:
        if is_debugging:
            raise
        _print_error(error.message, error.hint)
        return 1 if isinstance(error, SolverFailedError | EngineError) else 2
    except MemoryError:
        if is_debugging:
            raise
        _print_error("Out of memory.", "Try a smaller problem or a sparser graph.")
        return 1
    except OSError as error:
        if _is_broken_pipe(error):
            # The interpreter must not complain when it flushes.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        if is_debugging:
            raise
        place = error.filename or "standard output"
        _print_error(
            f"{place}: {error.strerror or error}.", "Check the path and the disk."
        )
        return 1


class _Warnings(logging.Handler):
    """Writes warnings of readers, such as of pages without text, to standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        notify(f"warning: {record.getMessage()}")


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
            typer.echo(message)  # no command was named
            return 2
        command = getattr(context, "command_path", "thatch")
        # Names of invalid choices are checked by pydantic, which adds this prefix.
        message = " ".join(message.split()).replace("Value error, ", "")
        raise InputError(
            f"{command}: {message}", hint=f"Run: {command} --help"
        ) from None
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    return code


def _is_broken_pipe(error: OSError) -> bool:
    """Whether the reader of standard output has gone."""
    # The C library of Windows says that the argument is invalid.
    is_invalid = os.name == "nt" and error.errno == errno.EINVAL
    return isinstance(error, BrokenPipeError) or (is_invalid and not error.filename)


def _print_error(message: str, hint: str) -> None:
    sys.stderr.write(f"error: {one_line(message)}\nhint: {one_line(hint)}\n")
