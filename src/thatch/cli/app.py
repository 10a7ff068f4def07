"""The commands together, and what happens when one fails.

Exit codes: 0 done, 1 failed, 2 bad input, 130 interrupted. Nothing here imports NumPy:
a command imports what it needs when it runs.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from thatch.cli import convert, generate, reproduce, solve
from thatch.cli.options import show_version
from thatch.errors import InputError, InputTypeError, MissingExtraError, ThatchError

_INTERRUPTED = 130

app = typer.Typer(
    name="thatch",
    help="Cover the most with a budget.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("solve")(solve.solve_command)
app.command("convert")(convert.convert_command)
app.add_typer(generate.app, name="generate")
app.add_typer(reproduce.app, name="reproduce")


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=show_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where in the code an error arose.")
    ] = False,
) -> None:
    """Cover the most with a budget."""


def main() -> None:
    """Run the command that the arguments name, and exit."""
    is_debugging = "--debug" in sys.argv
    try:
        sys.exit(_run())
    except BrokenPipeError:
        # Whoever read us has gone; the interpreter must not complain when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        _fail("Interrupted: nothing was written.", "")
        sys.exit(_INTERRUPTED)
    except ThatchError as error:
        if is_debugging:
            raise
        _fail(error.message, error.hint)
        is_input = isinstance(error, InputError | InputTypeError | MissingExtraError)
        sys.exit(2 if is_input else 1)
    except MemoryError:
        if is_debugging:
            raise
        _fail("The memory did not suffice.", "Try a smaller problem or sparser graph.")
        sys.exit(1)
    except OSError as error:
        if is_debugging:
            raise
        _fail(
            f"{error.filename or 'The output'}: {error.strerror or error}.",
            "Check the path and the free space.",
        )
        sys.exit(1)


def _run() -> int:
    usage_error = typer.BadParameter.__base__
    try:
        code = app(standalone_mode=False) or 0
        if code == _INTERRUPTED:
            raise KeyboardInterrupt
        return code
    except typer.Abort:
        raise KeyboardInterrupt from None
    except Exception as error:
        if usage_error is None or not isinstance(error, usage_error):
            raise
        command = getattr(getattr(error, "ctx", None), "command_path", "thatch")
        message = error.format_message()  # type: ignore[attr-defined]
        if not message:
            return 2  # the help was shown
        raise InputError(
            f"{command}: {' '.join(message.split())}", hint=f"Run: {command} --help"
        ) from None


def _fail(message: str, hint: str) -> None:
    print(f"error: {message}", file=sys.stderr)  # noqa: T201
    if hint:
        print(f"hint: {hint}", file=sys.stderr)  # noqa: T201
