"""Rendering of files: chunks of one file are printed together, with their lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from thatch.context.selection.rendering import (
    ContextFormat,
    Rendering,
    as_json,
    as_xml,
    as_xml_value,
)

_GAP = "[...]"
_FENCE = "```"
_FENCES = re.compile(r"^\s*(`{3,})", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Place:
    """Where in its file a chunk is.

    >>> Place(0, 1, 40).lines
    '1-40'
    """

    #: Number among the chunks of its file, from 0.
    number: int
    start_line: int
    end_line: int
    #: What is defined, or the headings above.
    name: str = ""
    #: First lines of what it is in: their numbers and texts.
    enclosing: tuple[tuple[int, str], ...] = ()

    @property
    def lines(self) -> str:
        """First and last line."""
        if self.start_line == self.end_line:
            return str(self.start_line)
        return f"{self.start_line}-{self.end_line}"


@dataclass(frozen=True)
class FileRendering(Rendering):
    """How chunks of files become one text: one document per file.

    The lines of a file are named unless the whole file is printed; ``[...]`` is printed
    where lines are left out in between. Above a chunk are the first lines of the class
    or the headings that it is in, unless they are printed already.

    >>> places = {("a.py", "x = 1"): Place(0, 1, 1), ("a.py", "y = 2"): Place(2, 9, 9)}
    >>> rendering = FileRendering(places=places, num_chunks={"a.py": 3})
    >>> print(rendering.joined([("a.py", "x = 1"), ("a.py", "y = 2")]))
    a.py, lines 1, 9:
    x = 1
    [...]
    y = 2
    """

    separator: str = "\n"
    #: Where each chunk is, by its file and its text, which is there once.
    places: Mapping[tuple[str, str], Place] = field(default_factory=dict, repr=False)
    #: Number of chunks of each file.
    num_chunks: Mapping[str, int] = field(default_factory=dict, repr=False)

    @property
    def has_elements(self) -> bool:
        """Never: the elements are files, not chunks."""
        return False

    def block(self, source: str, text: str) -> str:
        """One chunk as it adds to the printed text of its file."""
        if self.format is ContextFormat.JSON:
            text = as_json(text)[1:-1]
        return self.separator + text

    def header_of(self, source: str) -> str:
        """What is printed around the chunks of a file."""
        return self._document(source, "", "")

    def joined(self, chunks: Sequence[tuple[str, str]]) -> str:
        """The printed text of chunks, each with its file and its text."""
        if not chunks:
            return ""
        runs = groupby(chunks, key=lambda chunk: chunk[0])
        documents = [self.document(list(run)) for _, run in runs]
        if self.format is ContextFormat.XML:
            return "<documents>\n" + "\n".join(documents) + "\n</documents>"
        if self.format is ContextFormat.JSON:
            return "[\n" + ",\n".join(documents) + "\n]"
        return "\n\n".join(documents)

    def document(self, chunks: Sequence[tuple[str, str]]) -> str:
        """The printed text of some chunks of one file, without what is around it."""
        path = chunks[0][0]
        places = [self.places[chunk] for chunk in chunks]
        numbers = [place.number for place in places]
        body = _body(places, [text for _, text in chunks])
        if numbers == list(range(self.num_chunks[path])):
            return self._document(path, "", body)
        names = dict.fromkeys(place.name for place in places if place.name)
        return self._document(path, _lines(places), body, ", ".join(names))

    def _document(self, path: str, lines: str, body: str, name: str = "") -> str:
        # Names of files may contain bytes that are not text.
        path = path.encode("utf-8", "replace").decode()
        if self.format is ContextFormat.XML:
            attribute = f' lines="{lines}"' if lines else ""
            source = as_xml_value(path)
            return f"<document source={source}{attribute}>\n{as_xml(body)}\n</document>"
        if self.format is ContextFormat.JSON:
            fields = {"source": path, "lines": lines, "name": name}
            given = {key: value for key, value in fields.items() if value}
            return as_json({**given, "text": body})
        shown = " ".join(path.splitlines())
        title = f"{shown}, lines {lines}" if lines else shown
        if self.format is ContextFormat.MARKDOWN:
            fence = max([_FENCE, *(f"{f}`" for f in _FENCES.findall(body))], key=len)
            return f"## {title}\n\n{fence}\n{body}\n{fence}"
        return f"{title}:\n{body}"


def _body(places: Sequence[Place], texts: Sequence[str]) -> str:
    """Chunks of a file with what they are in, and with marks of what is left out."""
    parts: list[str] = []
    previous: Place | None = None
    for place, text in zip(places, texts, strict=True):
        headers = _new_headers(place, previous)
        if previous is not None:
            num_blank = place.start_line - previous.end_line - 1
            is_next = place.number == previous.number + 1
            parts.append("\n" * num_blank if is_next else f"{_GAP}\n")
        parts += [f"{line}\n" for _, line in headers]
        if headers and headers[-1][0] < place.start_line - 1:
            parts.append(f"{_GAP}\n")
        parts.append(text.rstrip("\n") + "\n")
        previous = place
    return "".join(parts).rstrip("\n")


def _new_headers(place: Place, previous: Place | None) -> list[tuple[int, str]]:
    """Lines that a chunk is in, unless they are in or above the previous chunk."""
    if previous is None:
        return list(place.enclosing)
    return [
        header
        for header in place.enclosing
        if header not in previous.enclosing
        and not previous.start_line <= header[0] <= previous.end_line
    ]


def _lines(places: Sequence[Place]) -> str:
    """Lines of chunks, such as ``1-40, 80-99``; those of neighbors are one range."""
    ranges: list[Place] = []
    for place in places:
        if ranges and place.number == ranges[-1].number + 1:
            start = ranges[-1].start_line
            ranges[-1] = replace(place, start_line=start)
        else:
            ranges.append(place)
    return ", ".join(each.lines for each in ranges)
