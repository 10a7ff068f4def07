"""JSON lines: one JSON object per line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from thatch.errors import FileFormatError, shortened
from thatch.files.encodings import UTF_8_MARK, decoded, has_wide_mark
from thatch.files.reading import opened


@dataclass(frozen=True, slots=True)
class JsonLine:
    """One line: its fields, or what is wrong with it."""

    #: Line number, from 1.
    number: int
    #: The JSON object; empty where the line is not one.
    fields: dict[str, Any]
    #: What is wrong with the line; empty where nothing is.
    problem: str = ""


def parse_json_lines(lines: Iterable[bytes]) -> Iterator[JsonLine]:
    r"""Parse lines one by one; a line that is not a JSON object has a `problem`.

    Blank lines are skipped but counted. A byte order mark may start any line, because
    files with one are often concatenated. Where bytes are not UTF-8 the line has a
    problem, and its fields contain U+FFFD in their place.

    Lines end in ``\n`` only, because JSON strings may contain other line ends.
    """
    for number, line in enumerate(lines, start=1):
        content = line.removeprefix(UTF_8_MARK).strip()
        if content:
            yield _parsed(content, number)


def read_json_lines(path: Path, *, example: str) -> Iterator[JsonLine]:
    """Read the JSON objects of a file one by one; memory does not grow with the file.

    Text in UTF-16 or UTF-32, which must start with a byte order mark, is the exception:
    it is decoded as a whole.
    """
    for line in parse_json_lines(_utf_8_lines(path)):
        if line.problem:
            raise FileFormatError(
                path,
                f"{line.problem}.",
                line=line.number,
                hint=f"Save it as UTF-8 with one object per line, such as {example}.",
            )
        yield line


def _utf_8_lines(path: Path) -> Iterator[bytes]:
    with opened(path) as file:
        if has_wide_mark(file.peek(4)):
            for line in decoded(file.read(), path).split("\n"):
                yield line.encode()
        else:
            yield from file


def _parsed(content: bytes, number: int) -> JsonLine:
    problem = ""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        text = content.decode(errors="replace")
        byte = content[error.start]
        problem = f"not UTF-8 text: byte {byte:#04x} at offset {error.start}"
    try:
        value = json.loads(text)
    except RecursionError:
        return JsonLine(number, {}, problem or "invalid JSON: nested too deeply")
    except json.JSONDecodeError as error:
        if "\0" in text:
            problem = problem or "not UTF-8 text: it contains NUL bytes"
        place = f"column {error.colno} of {shortened(text)!r}"
        return JsonLine(number, {}, problem or f"invalid JSON at {place}: {error.msg}")
    except ValueError as error:  # an integer of thousands of digits
        return JsonLine(number, {}, problem or f"invalid JSON: {error}")
    if not isinstance(value, dict):
        problem = problem or f"not a JSON object: {shortened(text)!r}"
        return JsonLine(number, {}, problem)
    return JsonLine(number, value, problem)


_T = TypeVar("_T")


def record_in(content: bytes | None, kind: Callable[..., _T]) -> _T | None:
    """The record in a file; None if the file is missing, empty or damaged.

    `kind` is called with the members of the object; a missing or unknown one is damage.
    """
    try:
        return kind(**json.loads(content or b""))
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
