"""Signatures: the first lines of definitions, for files that do not fit the budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from thatch.context.repository.code_chunks import FileChunk

_MAX_CHARACTERS = 200


def signature_of(chunk: FileChunk) -> FileChunk | None:
    r"""The line that names what a chunk defines; None if there is no such line.

    >>> chunk = FileChunk("roof.py", "@cache\ndef mend():\n    ...", 4, 6, "Roof.mend")
    >>> signature = signature_of(chunk)
    >>> signature.text, signature.start_line, signature.end_line
    ('def mend():', 5, 5)
    """
    name = chunk.name.partition(", ")[0].rpartition(".")[2]
    if not name:
        return None
    for k, line in enumerate(chunk.text.split("\n")):
        content = line.strip()
        is_comment = content.startswith(("#", "//", "/*", "*", "@"))
        if name in content and not is_comment and len(line) <= _MAX_CHARACTERS:
            number = chunk.start_line + k
            text = line.rstrip("\r")
            return replace(
                chunk, text=text, start_line=number, end_line=number, kind="signature"
            )
    return None


def signatures(
    chunks: Sequence[FileChunk], ranked: Iterable[int], *, without: Iterable[str]
) -> Iterator[tuple[int, FileChunk]]:
    r"""The best chunk of each other file that has a signature, by rank.

    Yields the index of the chunk and its signature.

    >>> chunk = FileChunk("roof.py", "def mend():\n    ...", 4, 5, "mend")
    >>> [(k, each.text) for k, each in signatures([chunk], [0], without=[])]
    [(0, 'def mend():')]
    """
    seen = set(without)
    for k in ranked:
        if chunks[k].path not in seen:
            signature = signature_of(chunks[k])
            if signature is not None and signature.text != chunks[k].text:
                seen.add(chunks[k].path)
                yield k, signature
