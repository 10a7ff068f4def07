"""Files of plain text and of Markdown.

Exports of chats and transcripts of talks are plain text, too: lines with a time, a name
and a text. They are recognized if most lines look like it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from thatch.files.encodings import decoded
from thatch.text.documents.blocks import Blocks, placed_lines
from thatch.text.documents.document import Document, Place


def read(content: bytes, path: Path, *, encoding: str | None = None) -> Document:
    """Return a plain text; `path` is its name.

    If most lines are messages with a time and a name, it is read as a chat.
    """
    text = decoded(content, path, encoding=encoding)
    return chat_document(text, str(path)) or Document.from_text(text, str(path))


def read_markdown(
    content: bytes, path: Path, *, encoding: str | None = None
) -> Document:
    """Return a Markdown text; `path` is its name.

    >>> read_markdown(b"# Notes", Path("notes.md")).blocks[0].kind.value
    'heading'
    """
    return Document.from_markdown(decoded(content, path, encoding=encoding), str(path))


_DATE = r"(\d{4}|\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{1,2})"
_CLOCK = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:[\s\u202f]?[AaPp]\.?[Mm]\.?)?"
# What the server says begins with a sign, as in "*** Quits: Ann".
_SIGNS = ("*", "=", "+", "-")
_NAME = r"(?:<(?P<nick>[^<>\n]{1,60})>|(?P<name>(?![*=+-])[^:\n<>\[\]]{1,60}):)"
_MESSAGE = re.compile(
    rf"[\u200e\u200f]?(?P<open>[\[(])?(?P<date>{_DATE})?(?(date),?[ T\u202f]{{1,2}})"
    rf"(?P<clock>{_CLOCK})(?(open)[\])])(?:[ \t]*[-\u2013|]|)[ \t]+[\u200e\u200f]?"
    rf"(?:{_NAME}(?:[ \t]+|$))?"
)
# Pictures and other files that were not exported.
_OMITTED = re.compile(r"[\u200e\u200f]?(?:<[^<>\n]{1,60}>|\w+ omitted)\s*")
# What others wrote, and corrections such as s/fell/froze/.
_QUOTED = re.compile(
    rf"\s*(?:>|<[^<>\s]{{1,40}}>|{_CLOCK}\s*<|s/[^/\n]{{1,60}}/[^/\n]{{0,60}}/)"
)


@dataclass(frozen=True, slots=True)
class _Message:
    date: tuple[int, ...] | None
    written: str
    clock: str
    speaker: str
    lines: list[tuple[int, int]]


def chat_document(text: str, name: str = "") -> Document | None:
    r"""Return the document of a chat, or None if the text is not one.

    Each message is a paragraph, with its time and its sender as its place. Lines
    without a sender, such as "Ann joined", are part of no block.

    >>> text = "".join(
    ...     f"13/05/24, 10:3{k} - {who}: Snow fell.\n" for k, who in enumerate("ABA")
    ... )
    >>> document = chat_document(text)
    >>> document.place_at(document.blocks[1].start)
    Place(start=53, page=None, time='2024-05-13 10:31', speaker='B')
    """
    if not _looks_like_chat(text):
        return None
    messages = list(_messages(text))
    order = _order_of_dates([m.date for m in messages if m.date])
    blocks = Blocks(text)
    places = []
    for message in messages:
        if message.speaker and message.lines:
            for start, end in message.lines:
                blocks.extend(start, end)
            time = " ".join(filter(None, (_date(message, order), message.clock)))
            places.append(
                Place(message.lines[0][0], time=time, speaker=message.speaker)
            )
            blocks.close()
    return Document(
        text, name, tuple(blocks.found), tuple(blocks.markup), tuple(places)
    )


def _looks_like_chat(text: str) -> bool:
    start = text[:200].lstrip("\ufeff \t\r\n")
    if _MESSAGE.match(start) is None:
        return False
    lines = [line for line in text.splitlines() if line.strip()]
    found = [_MESSAGE.match(line) for line in lines]
    num_messages = sum(map(_named, found))
    num_notices = sum(
        each is not None and each.string.startswith(_SIGNS, each.end())
        for each in found
    )
    return num_messages >= 3 and num_messages + num_notices >= len(lines) / 2


def _named(found: re.Match[str] | None) -> bool:
    return found is not None and bool(found["name"] or found["nick"])


def _messages(text: str) -> Iterator[_Message]:
    message: _Message | None = None
    for start, end, _ in placed_lines(text):
        found = _MESSAGE.match(text, start, end)
        if found:
            if message:
                yield message
            message = _started(found)
            start = found.end()
        is_text = (
            text[start:end].strip()
            and not _OMITTED.fullmatch(text, start, end)
            and not _QUOTED.match(text, start, end)
        )
        if message and is_text:
            message.lines.append((start, end))
    if message:
        yield message


def _started(found: re.Match[str]) -> _Message:
    date = tuple(map(int, found.group(3, 4, 5))) if found["date"] else None
    clock = " ".join(found["clock"].split())
    speaker = (found["name"] or found["nick"] or "").strip(" ~\t\u200e\u202f\xa0")
    return _Message(date, found["date"] or "", clock, speaker, [])


_Order = Literal["ymd", "dmy", "mdy"] | None


def _order_of_dates(dates: Sequence[tuple[int, ...]]) -> _Order:
    """Order of day, month and year, where the dates themselves decide it."""
    if any(first > 31 for first, _, _ in dates):
        return "ymd"
    if any(first > 12 for first, _, _ in dates):
        return "dmy"
    return "mdy" if any(second > 12 for _, second, _ in dates) else None


def _date(message: _Message, order: _Order) -> str:
    """Date of a message as year, month and day, or as written where that is unclear."""
    if message.date is None:
        return ""
    if order is None and "." in message.written:
        order = "dmy"
    if order is None:
        return message.written
    parts = dict(zip(order, message.date, strict=True))
    year = parts["y"] + (2000 if parts["y"] < 100 else 0)
    return f"{year:04}-{parts['m']:02}-{parts['d']:02}"
