"""Options: each setting is declared once, as a field of a settings record.

The command line, the HTTP API, the tools for assistants and the page's form are all
built from these declarations. See ``docs/guides/add-an-option.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from thatch.errors import InputError

__all__ = ["Option", "option", "options_of", "require_choices", "without"]

_KEY = "option"
_T = TypeVar("_T")
#: Names that an option accepts, each with a description for the page.
Choices = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Option:
    """One setting: its name, type, default, allowed values and help text."""

    #: Name of the field, such as ``min_words``.
    name: str = ""
    #: Type of the field, such as ``int | None``.
    annotation: Any = None
    default: Any = None
    #: What it does: a sentence or phrase without its full stop.
    help: str = ""
    #: What happens if it is left out, where the default itself does not say so.
    default_text: str = ""
    #: Label in the page's form; default: the name in plain words.
    label: str = ""
    #: Placeholder for the value in the help of the command line.
    metavar: str = ""
    #: Flags of the command line; default: the name with hyphens.
    flags: str = ""
    #: Inclusive bounds.
    minimum: float | None = None
    maximum: float | None = None
    #: Exclusive bounds.
    above: float | None = None
    below: float | None = None
    #: Whether ``\\n`` and ``\\t`` are written for line breaks and tabs, where a single
    #: line is typed: on the command line and in the page's form.
    has_escapes: bool = False
    choices_source: Callable[[], Choices] | None = None

    @property
    def choices(self) -> Choices:
        """Accepted names with their descriptions; empty if any value is accepted."""
        return {} if self.choices_source is None else self.choices_source()

    @property
    def description(self) -> str:
        """Help text with the choices and the default.

        >>> Option(help="Paper size", choices_source=lambda: {"a4": "a4"}).description
        'Paper size: a4.'
        """
        named = ", ".join(
            name if text == name else f"{name} ({text})"
            for name, text in self.choices.items()
        )
        choices = f": {named}" if named else ""
        default = f". Default: {self.default_text}" if self.default_text else ""
        return f"{self.help}{choices}{default}."

    @property
    def types(self) -> tuple[Any, ...]:
        """Types of the value other than None.

        >>> Option(annotation=int | None).types
        (<class 'int'>,)
        """
        if self.is_list or not get_args(self.annotation):
            return (self.annotation,)
        return tuple(kind for kind in get_args(self.annotation) if kind is not NoneType)

    @property
    def is_optional(self) -> bool:
        """Whether the value may be None."""
        return NoneType in get_args(self.annotation)

    @property
    def is_list(self) -> bool:
        """Whether the value is a tuple of texts."""
        return get_origin(self.annotation) is tuple


def option(
    default: _T,
    *,
    help: str,
    default_text: str = "",
    label: str = "",
    metavar: str = "",
    flags: str = "",
    choices: Callable[[], Choices] | None = None,
    minimum: float | None = None,
    maximum: float | None = None,
    above: float | None = None,
    below: float | None = None,
    has_escapes: bool = False,
) -> _T:
    """Declare a field of a settings record as an option.

    Parameters
    ----------
    default
        Value if the option is left out.
    choices
        Function that returns the accepted names with their descriptions. It is called
        when the help or the form is built, so it must not import NumPy.
    help, default_text, label, metavar, flags, has_escapes
        As in `Option`.
    minimum, maximum, above, below
        As in `Option`.

    >>> @dataclass(frozen=True)
    ... class Settings:
    ...     copies: int = option(1, help="Number of copies", minimum=1)
    >>> Settings().copies
    1
    """
    declared = Option(
        default=default,
        help=help,
        default_text=default_text,
        label=label,
        metavar=metavar,
        flags=flags,
        choices_source=choices,
        minimum=minimum,
        maximum=maximum,
        above=above,
        below=below,
        has_escapes=has_escapes,
    )
    made: _T = field(default=default, metadata={_KEY: declared})
    return made


def options_of(record: type, *names: str) -> tuple[Option, ...]:
    """Options that a settings record declares, in their order.

    Parameters
    ----------
    record
        A dataclass, some fields of which are made by `option`.
    names
        Names of the fields to return; default: all.

    >>> @dataclass(frozen=True)
    ... class Settings:
    ...     copies: int = option(1, help="Number of copies", minimum=1)
    >>> [(each.name, each.annotation) for each in options_of(Settings)]
    [('copies', <class 'int'>)]
    """
    hints = get_type_hints(record)
    known = tuple(
        replace(each.metadata[_KEY], name=each.name, annotation=hints[each.name])
        for each in fields(record)
        if _KEY in each.metadata
    )
    return tuple(each for each in known if not names or each.name in names)


def without(options: Iterable[Option], *names: str) -> tuple[Option, ...]:
    """The options other than those of the given names."""
    return tuple(each for each in options if each.name not in names)


def require_choices(record: Any) -> None:
    """Require that every option with choices has one of them.

    >>> @dataclass(frozen=True)
    ... class Settings:
    ...     size: str = option("a4", help="Paper size", choices=lambda: {"a4": "A4"})
    >>> require_choices(Settings(size="a9"))
    Traceback (most recent call last):
    thatch.errors.InputError: size must be one of a4, got 'a9'. Check its spelling.
    """
    for each in options_of(type(record)):
        value, choices = getattr(record, each.name), each.choices
        if choices and value is not None and value not in choices:
            raise InputError(
                f"{each.name} must be one of {', '.join(choices)}, got {value!r}.",
                hint="Check its spelling.",
            )
