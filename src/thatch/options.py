"""Options: each setting is declared once, as a field of a settings record.

The command line, the HTTP API, the tools for assistants and the page's form are all
built from these declarations. See ``docs/guides/add-an-option.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from numbers import Integral, Real
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from thatch.errors import InputError, InputTypeError

_KEY = "option"
_KINDS = {
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "true or false",
}
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
    #: Placeholder for the value in the help of the command line; of text: TEXT.
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

        >>> Option(help="Paper size", default_text="a4").description
        'Paper size. Default: a4.'
        """
        default = f" Default: {self.default_text}." if self.default_text else ""
        return self.meaning + default

    @property
    def meaning(self) -> str:
        """Help text with the choices.

        >>> Option(help="Paper size", choices_source=lambda: {"a4": "a4"}).meaning
        'Paper size: a4.'
        """
        named = ", ".join(
            name if text == name else f"{name} ({text})"
            for name, text in self.choices.items()
        )
        choices = f": {named}" if named else ""
        return f"{self.help}{choices}."

    @property
    def kind(self) -> str:
        """What the value must be, apart from its range, as errors say it.

        >>> Option(annotation=str | float | None).kind
        'a string or a number'
        """
        if self.choices:
            return alternatives(self.choices)
        return alternatives(_KINDS.get(kind, "a list") for kind in self.types)

    @property
    def rule(self) -> str:
        """What the value must be, with its range, as errors say it.

        >>> Option(annotation=float, minimum=0, below=1).rule
        'at least 0 and below 1'
        """
        declared = [
            (words, bound)
            for words, bound in (
                ("at least", self.minimum),
                ("above", self.above),
                ("at most", self.maximum),
                ("below", self.below),
            )
            if bound is not None
        ]
        bounds = " and ".join(f"{words} {bound:g}" for words, bound in declared)
        if self.minimum is not None and self.maximum is not None:
            bounds = f"between {self.minimum:g} and {self.maximum:g}"
        elif declared == [("above", 0)]:
            bounds = "positive"
        if self.types != (int,) or not bounds:
            return bounds or self.kind
        if declared in ([("at least", 0)], [("at least", 1)]):
            return f"a {'positive' if self.minimum else 'non-negative'} integer"
        return f"an integer, {bounds}"

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
    """Declare a field of a settings record as an option; the rest is as in `Option`.

    `choices` returns the accepted names with their descriptions. It is called when the
    help or the form is built, so it must not import NumPy.

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
    """Options that a settings record declares, in their order: all, or those named.

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


def alternatives(names: Iterable[str]) -> str:
    """The names, with "or" before the last.

    >>> alternatives(["sentence", "paragraph", "file"])
    'sentence, paragraph or file'
    """
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def counted(count: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "test"), counted(1200, "test")
    ('1 test', '1,200 tests')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def require_integer(name: str, value: object, *, least: int = 0, hint: str) -> None:
    """Require a whole number of at least `least`: not 2.5, not infinity, not True.

    >>> require_integer("max_rounds", 3, least=1, hint="Pass 1 or more.")
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputTypeError(
            f"{name} is {value!r}; an integer was expected.", hint=hint
        )
    if not isinstance(value, Integral) or value < least:
        kind = {0: "a non-negative integer", 1: "a positive integer"}.get(
            least, f"an integer of at least {least}"
        )
        raise InputError(f"{name} is {value}; it must be {kind}.", hint=hint)


def require_choice(
    name: str, value: Any, choices: Iterable[str], *, default: str
) -> str:
    """Return the value if it is one of the choices; else suggest the most similar.

    >>> require_choice("size", "a4", ["a4", "a5"], default="a4")
    'a4'
    """
    known = list(choices)
    if isinstance(value, str) and value in known:
        return value
    close = get_close_matches(str(value).lower(), known, n=1)
    raise InputError(
        f"{name} is {value!r}; it must be {alternatives(known)}.",
        hint=f"Did you mean {close[0]}?" if close else f"The default is {default}.",
    )


def require_choices(record: Any) -> None:
    """Require that every option with choices has one of them.

    >>> @dataclass(frozen=True)
    ... class Settings:
    ...     size: str = option("a4", help="Paper size", choices=lambda: {"a4": "A4"})
    >>> try:
    ...     require_choices(Settings(size="A4"))
    ... except InputError as error:
    ...     error.hint
    'Did you mean a4?'
    """
    for each in options_of(type(record)):
        value, choices = getattr(record, each.name), each.choices
        if choices and value is not None:
            default = str(each.default or each.default_text)
            require_choice(each.name, value, choices, default=default)
