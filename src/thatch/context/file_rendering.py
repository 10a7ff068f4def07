"""Rendering of files: chunks of one file are printed together, with their lines."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from xml.sax.saxutils import quoteattr

from thatch.context.rendering import ContextFormat, Rendering, as_xml

__all__ = ["FileRendering", "Place"]

_GAP = "[...]"
_FENCE = "```"
_FENCES = re.compile(r"^\s*(`{3,})", re.MULTILINE)
# What XML cannot contain, not even as an entity.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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
    where lines are left out in between.

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
            text = json.dumps(text, ensure_ascii=False)[1:-1]
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
        return self._document(chunks[0][0], *self._body(chunks))

    def _body(self, chunks: Sequence[tuple[str, str]]) -> tuple[str, str]:
        """Lines of a file that are printed, empty if it is whole, and their text."""
        parts: list[str] = []
        previous: Place | None = None
        places = [self.places[chunk] for chunk in chunks]
        for place, (_, text) in zip(places, chunks, strict=True):
            if previous is not None:
                num_blank = place.start_line - previous.end_line - 1
                is_next = place.number == previous.number + 1
                parts.append("\n" * num_blank if is_next else f"{_GAP}\n")
            parts.append(text.rstrip("\n") + "\n")
            previous = place
        path = chunks[0][0]
        if [place.number for place in places] == list(range(self.num_chunks[path])):
            return "", "".join(parts).rstrip("\n")
        return _lines(places), "".join(parts).rstrip("\n")

    def _document(self, path: str, lines: str, body: str) -> str:
        # Names of files may contain bytes that are not text.
        path = path.encode("utf-8", "replace").decode()
        if self.format is ContextFormat.XML:
            attribute = f' lines="{lines}"' if lines else ""
            text = as_xml(_NOT_IN_XML.sub("\ufffd", body))
            return f"<document source={_quoted(path)}{attribute}>\n{text}\n</document>"
        if self.format is ContextFormat.JSON:
            named = {"source": path, **({"lines": lines} if lines else {})}
            return json.dumps({**named, "text": body}, ensure_ascii=False)
        title = f"{path}, lines {lines}" if lines else path
        if self.format is ContextFormat.MARKDOWN:
            fence = max([_FENCE, *(f"{f}`" for f in _FENCES.findall(body))], key=len)
            return f"## {title}\n\n{fence}\n{body}\n{fence}"
        return f"{title}:\n{body}"


def _lines(places: Sequence[Place]) -> str:
    """Lines of chunks, such as ``1-40, 80-99``; those of neighbors are one range."""
    ranges: list[Place] = []
    for place in places:
        if ranges and place.number == ranges[-1].number + 1:
            start = ranges[-1].start_line
            ranges[-1] = Place(place.number, start, place.end_line)
        else:
            ranges.append(place)
    return ", ".join(each.lines for each in ranges)


def _quoted(path: str) -> str:
    return quoteattr(_NOT_IN_XML.sub("\ufffd", path))
