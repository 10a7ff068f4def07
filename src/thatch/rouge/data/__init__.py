"""Lists of words that come with the package, each with its source and licence."""

from __future__ import annotations

from importlib.resources import files


def data_lines(name: str) -> list[str]:
    """Lines of a data file, without the comments at its top.

    >>> data_lines("stop_words.txt")[:3]
    ['a', 'able', 'about']
    """
    text = files(__name__).joinpath(name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]
