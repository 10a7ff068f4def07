"""Identifiers in code, and the words that they are made of."""

from __future__ import annotations

import re

_WORD_STARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
# Bytes of identifiers stay, all others become spaces. Letters beyond ASCII have bytes
# from 128 on.
_OF_IDENTIFIERS = bytes(
    code if chr(code).isalnum() or code == ord("_") or code >= 128 else ord(" ")
    for code in range(256)
)


def in_words(name: str) -> str:
    """A path or name with spaces between the words that capitals mark.

    >>> in_words("src/HTTPServer.readFile")
    'src/HTTP Server.read File'
    """
    return _WORD_STARTS.sub(" ", name)


def words_of_identifier(name: str) -> list[str]:
    """Words of an identifier in lower case; several are followed by all in one.

    >>> words_of_identifier("readFile"), words_of_identifier("roof")
    (['read', 'file', 'readfile'], ['roof'])
    """
    found = [word.lower() for word in _WORDS.findall(name)]
    return [*found, "".join(found)] if len(found) > 1 else found


def separated_identifiers(text: str) -> bytes:
    """The identifiers of a text in UTF-8, with spaces between them.

    >>> separated_identifiers("roof.mend_all(x)")
    b'roof mend_all x '
    """
    return text.encode("utf-8", "replace").translate(_OF_IDENTIFIERS)
