"""Numbers in text files: parsed all at once, and located again for errors."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from thatch.arrays import Flags, Floats, Ints
from thatch.errors import FileFormatError, shortened

MAX_COUNT = 2**31 - 1

# Possessive quantifiers (++) never backtrack, so that the time is linear: a long run of
# digits that is not a number would otherwise be split in every possible way.
_NUMBER = (
    rb"[+-]?(?:(?:\d++(?:\.\d*+)?|\.\d++)(?:e[+-]?\d++)?"
    rb"|inf(?:inity)?|nan(?:\([^\s)]*+\))?)"
)
_INVALID_NUMBER = re.compile(rb"(?<!\S)(?!" + _NUMBER + rb"(?!\S))\S++", re.IGNORECASE)


class TextNumbers:
    r"""The numbers of a text file, taken in order.

    A word that is not a number, or the end of the file, raises an error only when it is
    reached, so that the error can say what was expected.

    >>> numbers = TextNumbers(b"2 0.5\nten", Path("tiny.txt"))
    >>> numbers.take_count("the number of items"), numbers.take_amounts("costs", 1)
    (2, array([0.5]))
    >>> try:
    ...     numbers.take_amounts("weights", 3)
    ... except FileFormatError as error:
    ...     print(error.message)
    tiny.txt, line 2: expected weights, found 'ten'.
    """

    def __init__(self, text: bytes, path: Path) -> None:
        self._path = path
        self._text = text
        #: Offset of the first word that is not a number.
        self._bad: int | None = None
        values = _parsed(text)
        if values is None:
            word = _INVALID_NUMBER.search(text)
            self._bad = 0 if word is None else word.start()
            values = _parsed(text[: self._bad])
        self._values: Floats = np.zeros(0) if values is None else values
        #: Number of numbers taken so far.
        self.position = 0

    @property
    def values(self) -> Floats:
        """All numbers up to the first word that is not one: float64."""
        return self._values

    @property
    def lines(self) -> Ints:
        """The line of each number, from 0: int64."""
        is_word = _is_word(self._text)
        starts = np.flatnonzero(is_word & ~np.append(False, is_word[:-1]))
        ends = np.flatnonzero(np.frombuffer(self._text, dtype=np.uint8) == ord("\n"))
        found: Ints = np.searchsorted(ends, starts)
        return found[: self._values.size]

    def take(self, name: str, count: int) -> Floats:
        """Return the next numbers; `name` is for errors."""
        num_left = self._values.size - self.position
        if count > num_left:
            raise self._missing(name, count, num_left)
        first = self.position
        self.position += count
        return self._values[first : self.position]

    def take_count(self, name: str, *, max_count: int = MAX_COUNT) -> int:
        """Return the next number; require an integer from 0 to `max_count`."""
        value = float(self.take(name, 1)[0])
        if not (value.is_integer() and 0 <= value <= max_count):
            position = self.position - 1
            raise self.error(
                f"{name} is {self._word_at(self._start_of(position))}; it must be an "
                f"integer from 0 to {max_count}.",
                position=position,
                hint="Check the counts in the file.",
            )
        return int(value)

    def take_amounts(self, name: str, count: int) -> Floats:
        """Return the next numbers; require that they are finite and non-negative."""
        first = self.position
        values = self.take(name, count)
        self.require_amounts(name, values, lambda place: first + place)
        return values

    def require_amounts(
        self, name: str, values: Floats, position_of: Callable[[int], int]
    ) -> None:
        """Require that all values are finite and non-negative."""
        self.require(
            np.isfinite(values) & (values >= 0),
            position_of,
            name,
            "numbers must be finite and non-negative",
            hint="Use 0 or a positive number.",
        )

    def require_numbered(
        self, name: str, values: Floats, last: int, position_of: Callable[[int], int]
    ) -> None:
        """Require that all values are integers from 1 to `last`."""
        self.require(
            (values >= 1) & (values <= last) & (values == np.floor(values)),
            position_of,
            name,
            f"they must be integers from 1 to {last}",
            hint="Number from 1, and check the counts in the first line.",
        )

    def require(
        self,
        is_good: Flags,
        position_of: Callable[[int], int],
        name: str,
        rule: str,
        *,
        hint: str,
    ) -> None:
        """Require that all numbers are good; the error names the first that is not.

        Parameters
        ----------
        is_good
            Whether each number is good.
        position_of
            Returns the position in the file, given the index of a number.
        name
            What the numbers are.
        rule
            What is required of them.
        hint
            What to do.
        """
        if is_good.all():
            return
        position = position_of(int(np.argmin(is_good)))
        word = self._word_at(self._start_of(position))
        verb = "is" if is_good.size == 1 else "contains"
        raise self.error(f"{name} {verb} {word}; {rule}.", position=position, hint=hint)

    def require_end(self, last_name: str) -> None:
        """Require that no number is left."""
        if self.position < self._values.size:
            offset = self._start_of(self.position)
        elif self._bad is not None:
            offset = self._bad
        else:
            return
        raise FileFormatError(
            self._path,
            f"expected the end of the file after the {last_name}, found "
            f"{self._word_at(offset)!r}.",
            line=self._line_at(offset),
            hint="Remove the rest, or check the counts in the file.",
        )

    def error(self, message: str, *, position: int, hint: str) -> FileFormatError:
        """Return an error about the number at a position, counted from 0."""
        line = self._line_at(self._start_of(position))
        return FileFormatError(self._path, message, line=line, hint=hint)

    def _missing(self, name: str, count: int, num_left: int) -> FileFormatError:
        if self._bad is not None:
            return FileFormatError(
                self._path,
                f"expected {name}, found {self._word_at(self._bad)!r}.",
                line=self._line_at(self._bad),
                hint="Write numbers as 12, 0.5 or 1e-3, separated by spaces.",
            )
        return FileFormatError(
            self._path,
            f"expected {count} numbers for {name}, found {num_left} at the end of the "
            "file."
            if count > 1
            else f"expected {name}, found the end of the file.",
            line=self._line_at(len(self._text.rstrip())),
            hint="Check the counts in the file, and that the file is complete.",
        )

    def _start_of(self, position: int) -> int:
        """Offset of a number in the text; slow, for errors only."""
        is_word = _is_word(self._text)
        follows_space = ~np.concatenate([[False], is_word[:-1]])
        return int(np.flatnonzero(is_word & follows_space)[position])

    def _line_at(self, offset: int) -> int:
        return self._text.count(b"\n", 0, offset) + 1

    def _word_at(self, offset: int) -> str:
        word = self._text[offset : offset + 200].split(maxsplit=1)[0]
        return shortened(word.decode("utf-8", "replace"))


def first_repeat(keys: Ints) -> int | None:
    """Position of the first key that occurs earlier too; None if there is none.

    >>> import numpy as np
    >>> first_repeat(np.array([3, 5, 4, 5, 3]))
    3
    """
    if (keys[1:] > keys[:-1]).all():
        return None  # files are mostly sorted, and this check is fast
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    repeats = order[1:][ordered[1:] == ordered[:-1]]
    return int(repeats.min()) if repeats.size else None


def plain(value: float) -> str:
    """Shortest text of a number that reads back as the same; integers have no point.

    >>> plain(2.0), plain(0.1), plain(1e300)
    ('2', '0.1', '1e+300')
    """
    # From 1e16 on, repr writes an exponent.
    is_short_integer = abs(value) < 1e16 and value == int(value)
    return str(int(value)) if is_short_integer else repr(value)


def _parsed(text: bytes) -> Floats | None:
    """All numbers of the text; None if a word is not a number."""
    # At a word that is not a number, NumPy 2.4 raises; older versions warn and stop,
    # and then do not reach the 0 after the text.
    try:
        values = np.fromstring(text + b" 0", dtype=np.float64, sep=" ")
    except (ValueError, DeprecationWarning):
        return None
    return values[:-1] if values.size == _num_words(text) + 1 else None


def _num_words(text: bytes) -> int:
    is_word = _is_word(text)
    return int(is_word[:1].sum() + np.count_nonzero(is_word[1:] > is_word[:-1]))


def _is_word(text: bytes) -> Flags:
    return np.frombuffer(text, dtype=np.uint8) > ord(" ")
