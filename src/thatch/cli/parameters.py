"""Parameters of commands: those that settings records declare, and shared ones."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand

from thatch.cli.output import Format
from thatch.errors import InputError
from thatch.options import Option, options_of
from thatch.solvers.solver_settings import RunSettings

_T = TypeVar("_T")


class Only:
    """Which options of a record a command has: ``Annotated[Record, Only("name")]``."""

    def __init__(self, *names: str) -> None:
        self.names = names


def add_command(program: typer.Typer, name: str, function: Callable[..., Any]) -> None:
    """Add a command to the program; its settings records become options."""
    command = command_of(function)
    options = {each.name: each for each in _options_of(function)}

    class Command(TyperCommand):
        """A command that looks up the choices of its options when it prints them.

        Finding the solvers of all installed packages takes longer than solving a small
        problem. Arguments are shown by their names in capitals, without types.
        """

        def collect_usage_pieces(self, ctx: Any) -> list[str]:
            parameters = self.get_params(ctx)
            return ["[OPTIONS]", *map(_usage, filter(_is_argument, parameters))]

        def format_options(self, ctx: Any, formatter: Any) -> None:
            rows: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
            for parameter in self.get_params(ctx):
                if parameter.name in options:
                    text = _help(options[parameter.name])
                    parameter.help = text  # type: ignore[attr-defined]
                record = parameter.get_help_record(ctx)
                if record is None:
                    continue
                if _is_argument(parameter):
                    rows["Arguments"].append((str(parameter.metavar), record[1]))
                else:
                    rows["Options"].append(record)
            for title, written in rows.items():
                if written:
                    with formatter.section(title):
                        formatter.write_dl(written)

    program.command(name, cls=Command)(command)


def _is_argument(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument")


def _usage(argument: Any) -> str:
    """An argument in the usage line; versions of Typer write it in different ways."""
    name = argument.metavar if argument.required else f"[{argument.metavar}]"
    return f"{name}..." if argument.nargs == -1 else name


def _help(option: Option) -> str:
    if option.is_list:
        return f"{option.meaning.removesuffix('.')}; repeatable."
    default = f"  [default: {option.default_text}]" if option.default_text else ""
    return option.meaning + default


def _options_of(function: Callable[..., Any]) -> Iterator[Option]:
    for annotation in get_type_hints(function, include_extras=True).values():
        record, names = _record_in(annotation)
        if record is not None:
            yield from options_of(record, *names)


def command_of(function: Callable[..., _T]) -> Callable[..., _T]:
    """Make a command of a function: its settings records become options.

    A parameter that is annotated with a settings record becomes one option per field;
    the function receives the record. Other parameters stay as they are.

    >>> from thatch.solvers.solver_settings import RunSettings
    >>> def wait(run: RunSettings) -> float | None:
    ...     return run.max_seconds
    >>> command = command_of(wait)
    >>> list(inspect.signature(command).parameters)
    ['max_seconds', 'seed']
    >>> command(max_seconds=2.0, seed=0)
    2.0
    """
    hints = get_type_hints(function, include_extras=True)
    records: dict[str, tuple[type, tuple[Option, ...]]] = {}
    parameters = []
    for parameter in inspect.signature(function).parameters.values():
        record, names = _record_in(hints[parameter.name])
        if record is None:
            kind = inspect.Parameter.KEYWORD_ONLY
            annotation = hints[parameter.name]
            parameters.append(parameter.replace(kind=kind, annotation=annotation))
        else:
            options = options_of(record, *names)
            records[parameter.name] = record, options
            parameters += map(_parameter, options)

    def command(**given: Any) -> _T:
        for name, (record, options) in records.items():
            fields = {each.name: _value(each, given.pop(each.name)) for each in options}
            given[name] = record(**fields)
        return function(**given)

    command.__doc__ = function.__doc__
    command.__name__ = function.__name__
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    return command


def _record_in(annotation: Any) -> tuple[type | None, tuple[str, ...]]:
    """The settings record that an annotation names, and which of its options."""
    names: tuple[str, ...] = ()
    if get_origin(annotation) is Annotated:
        annotation, *marks = get_args(annotation)
        names = next((mark.names for mark in marks if isinstance(mark, Only)), ())
    is_record = hasattr(annotation, "__dataclass_fields__")
    return (annotation if is_record else None), names


def _parameter(option: Option) -> inspect.Parameter:
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None if option.is_list else option.default,
        annotation=Annotated[_type(option), _typer_option(option)],
    )


def _type(option: Option) -> Any:
    if option.is_list:
        return list[str] | None
    # A number or a name, such as a price, is read as text; the record parses it.
    kind = str if str in option.types else option.types[0]
    return kind | None if option.is_optional else kind


def _typer_option(option: Option) -> Any:
    # The description, which lists all choices, is added when the help is printed.
    help = option.help
    flag = f"--{option.name.replace('_', '-')}"
    if option.types == (bool,):
        pair = f"{flag}/--no-{flag.removeprefix('--')}" if option.is_optional else flag
        return typer.Option(option.flags or pair, help=help)
    if option.types == (int,):
        return integer_option(help, flag)
    if option.types == (float,):
        return number_option(help, flag)
    return typer.Option(flag, metavar=option.metavar or "TEXT", help=help)


def _value(option: Option, given: Any) -> Any:
    if option.is_list:
        return tuple(given or ())
    if option.has_escapes and given is not None:
        # A shell passes \n as two characters.
        return given.replace("\\n", "\n").replace("\\t", "\t")
    return given


@contextmanager
def errors_naming(**options: str) -> Iterator[None]:
    """Name options in errors of the block, in place of the fields that they set.

    >>> with errors_naming(num_copies="--copies"):
    ...     raise InputError("num_copies is 0.")
    Traceback (most recent call last):
    thatch.errors.InputError: --copies is 0.
    """
    try:
        yield
    except InputError as error:
        message = error.message
        for field, option in options.items():
            message = re.sub(rf"\b{field}\b", option, message)
        raise InputError(message, hint=error.hint) from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number.") from None


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not an integer.") from None


def number_option(help: str, *flags: str) -> Any:
    """Option that takes a number."""
    return typer.Option(*flags, parser=_number, metavar="NUMBER", help=help)


def integer_option(help: str, *flags: str) -> Any:
    """Option that takes an integer."""
    return typer.Option(*flags, parser=_integer, metavar="N", help=help)


def value_option(metavar: str, help: str, *flags: str) -> Any:
    """Option that takes a text, a path or a name."""
    return typer.Option(*flags, metavar=metavar, help=help)


def argument(metavar: str, help: str) -> Any:
    """Argument by its name in capitals."""
    return typer.Argument(metavar=metavar, help=help)


Seed = Annotated[int, integer_option(options_of(RunSettings, "seed")[0].description)]
Threads = Annotated[
    int | None, integer_option("Number of threads.  [default: one per core]")
]
ShowProgress = Annotated[
    bool | None,
    typer.Option(
        "--progress/--no-progress",
        help="Show value, bound and time on standard error, if it is a terminal.  "
        "[default: if it takes longer than about a second]",
        show_default=False,
    ),
]
MaxSecondsPerRequest = Annotated[
    float, number_option("Time limit per request, in seconds.", "--max-seconds")
]
MaxMegabytes = Annotated[
    float, number_option("Maximum size of a request, in megabytes of 2^20 bytes (MiB).")
]
Output = Annotated[
    Path | None,
    value_option(
        "FILE", "File to write.  [default: standard output]", "-o", "--output"
    ),
]
SavedCertificate = Annotated[
    Path | None,
    value_option(
        "FILE", "JSON file to write, with what thatch verify needs to check the bound."
    ),
]
OutputFormat = Annotated[Format, value_option("text|json", "Output format.")]
Encoding = Annotated[
    str | None, value_option("NAME", "Encoding of the files.  [default: UTF-8]")
]
EngineName = Annotated[
    str, value_option("NAME", "Engine: local, dask or spark.", "--engine")
]
Scheduler = Annotated[
    str | None, value_option("ADDRESS", "Address of a running dask or spark cluster.")
]
Workers = Annotated[
    int | None, integer_option("Number of worker processes.  [default: one per core]")
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Resume a job that was interrupted.")
]
