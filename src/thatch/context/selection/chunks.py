"""Chunks as callers have them: strings, mappings or objects, read in one way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any, TypeVar

import numpy as np

from thatch.arrays import Ints
from thatch.errors import InputError, InputTypeError

T = TypeVar("T")

#: How to get the text of a chunk: a key or attribute, or a function.
TextOf = str | Callable[[T], str]
#: How to get the group of a chunk: a key or attribute, a function, or one per chunk.
GroupOf = str | Callable[[T], object] | Sequence[object]
#: What must be selected: indices, or a function of the chunk.
Required = Iterable[int] | Callable[[T], bool]

# Where frameworks keep the text of a chunk: LangChain, LlamaIndex, Haystack, others.
_TEXT_FIELDS = ("text", "page_content", "content", "body", "passage", "chunk")
_METADATA_FIELDS = ("metadata", "meta")


def texts_of(chunks: Sequence[T], text: TextOf[T] | None = None) -> list[str]:
    """The text of each chunk: a string, mapping or object.

    By default, it is in ``text``, ``page_content``, ``content`` and the like.

    >>> texts_of(["Snow fell.", {"text": "We left."}])
    ['Snow fell.', 'We left.']
    """
    found = []
    for k, chunk in enumerate(chunks):
        each = _text_of(chunk, text)
        if not isinstance(each, str):
            what = "has no text" if each is None else f"has the text {each!r:.60}"
            raise InputTypeError(
                f"chunks[{k}] is {chunk!r:.60} and {what}; a string was expected.",
                hint='Pass text="name of the field", or a function from chunk to text.',
            )
        found.append(each)
    return found


def fields_of(chunks: Sequence[object], names: Iterable[str]) -> tuple[str, list[Any]]:
    """The first of some fields that chunks have, and its values; None where missing.

    The most telling field is the first. Fields of ``metadata`` or ``meta`` count, too.
    The name that is returned is empty if no chunk has any of them.

    >>> fields_of([{"text": "Hi.", "metadata": {"page": 3}}], ["line", "page"])
    ('page', [3])
    """
    if all(issubclass(kind, str) for kind in set(map(type, chunks))):
        return "", []
    places = [_places(chunk) for chunk in chunks]
    keys = {
        key
        for each in places
        for place in each
        if isinstance(place, Mapping)
        for key in place
    }
    for name in names:
        # Objects are of one kind: a field that none of these has is in no other.
        # Attributes are looked for in the first chunks only; keys of mappings in all of
        # them.
        is_found = name in keys or any(
            _field(each, name) is not None for each in places[:50]
        )
        if is_found:
            return name, [_field(each, name) for each in places]
    return "", []


def _places(chunk: object) -> list[object]:
    """Where fields of a chunk are: itself, and its metadata."""
    metadata = (_get(chunk, name) for name in _METADATA_FIELDS)
    return [chunk, *(place for place in metadata if place is not None)]


def groups_of(chunks: Sequence[T], group: GroupOf[T] | None) -> list[str] | None:
    """Name of the group of each chunk, or None if there are no groups.

    >>> groups_of([{"text": "Hi.", "source": "a.md"}], "source")
    ['a.md']
    """
    if group is None:
        return None
    if isinstance(group, str):
        name, values = fields_of(chunks, [group])
        if chunks and not name:
            raise InputError(
                f"group is {group!r}, but no chunk has this field.",
                hint="Pass a field of the chunks or of their metadata, or a function.",
            )
        return ["" if value is None else str(value) for value in values]
    if callable(group):
        return [str(group(chunk)) for chunk in chunks]
    if isinstance(group, bytes) or not isinstance(group, Iterable):
        raise InputTypeError(
            f"group is {group!r:.60}; a field, a function or a list was expected.",
            hint="Pass one group per chunk, the name of a field, or a function.",
        )
    given = list(group)
    if len(given) != len(chunks):
        raise InputError(
            f"group has {len(given)} entries; expected one per chunk, {len(chunks)}.",
            hint="Pass one group per chunk, the name of a field, or a function.",
        )
    return list(map(str, given))


def required_of(
    chunks: Sequence[T], required: Required[T] | None, *, name: str = "must_include"
) -> Ints:
    """Indices of the chunks that must be selected, or not, ascending.

    They are given by indices, or by a function of the chunk.

    >>> required_of(["a", "b"], lambda chunk: chunk == "b")
    array([1])
    """
    if required is None:
        return np.empty(0, dtype=np.int64)
    if callable(required):
        wanted = [k for k, chunk in enumerate(chunks) if required(chunk)]
        return np.array(wanted, dtype=np.int64)
    if isinstance(required, str | bytes) or not isinstance(required, Iterable):
        raise InputTypeError(
            f"{name} is {required!r:.60}; indices or a function were expected.",
            hint=f"Pass {name}=[0, 3], or a function from chunk to bool.",
        )
    indices: list[object] = list(required)
    for k in indices:
        is_index = isinstance(k, Integral) and not isinstance(k, bool)
        if not (is_index and k in range(len(chunks))):
            raise InputError(
                f"{name} contains {k!r}; there are {len(chunks)} chunks, numbered "
                "from 0.",
                hint="Pass the indices of chunks.",
            )
    return np.array(sorted({int(str(k)) for k in indices}), dtype=np.int64)


def _text_of(chunk: T, text: TextOf[T] | None) -> Any:
    if callable(text):
        return text(chunk)
    if text is not None:
        return _get(chunk, text)
    if isinstance(chunk, str):
        return chunk
    for name in _TEXT_FIELDS:
        found = _get(chunk, name)
        if isinstance(found, str):
            return found
    # LlamaIndex's nodes have a method.
    get_content = getattr(chunk, "get_content", None)
    return get_content() if callable(get_content) else None


def _field(places: Iterable[object], name: str) -> Any:
    for place in places:
        found = _get(place, name)
        # Strings and sequences have methods of such names, such as `index`.
        if found is not None and not callable(found):
            return found
    return None


def _get(place: object, name: str) -> Any:
    if isinstance(place, Mapping):
        return place.get(name)
    return getattr(place, name, None)
