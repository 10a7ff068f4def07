"""Numbers as text: parsed all at once, and each found again when it is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from thatch.arrays import Flags, Floats, Ints
from thatch.errors import FileFormatError

LARGEST_COUNT = 2**31 - 1

_NUMBER = (
    rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan(?:\([^\s)]*\))?)"
)
_NOT_A_NUMBER = re.compile(rb"(?<!\S)(?!" + _NUMBER + rb"(?!\S))\S+", re.IGNORECASE)


class TextNumbers:
    r"""The numbers of a text file, taken from front to back.

    A word that is not a number, or too few numbers, is an error only when it is
    reached, so that the message can say what should have stood there.

    >>> numbers = TextNumbers(b"2 0.5\nten", Path("tiny.txt"))
    >>> numbers.take_count("the number of items"), numbers.take_amounts("costs", 1)
    (2, array([0.5]))
    >>> try:
    ...     numbers.take_amounts("weights", 3)
    ... except FileFormatError as error:
    ...     print(error.message)
    tiny.txt, line 2: weights must be numbers, got 'ten'.
    """

    def __init__(self, text: bytes, path: Path) -> None:
        self._path = path
        self._text = text
        #: Where in the text the first word starts that is not a number.
        self._bad: int | None = None
        values = _parsed(text)
        if values is None:
            word = _NOT_A_NUMBER.search(text)
            self._bad = 0 if word is None else word.start()
            values = _parsed(text[: self._bad])
        self._values: Floats = np.zeros(0) if values is None else values
        #: How many numbers have been taken.
        self.position = 0

    def take(self, name: str, count: int) -> Floats:
        """Return the next numbers, whatever they are; `name` is what they stand for."""
        num_left = self._values.size - self.position
        if count > num_left:
            raise self._missing(name, count, num_left)
        first = self.position
        self.position += count
        return self._values[first : self.position]

    def take_count(self, name: str, *, largest: int = LARGEST_COUNT) -> int:
        """Return the next number, which must be whole, >= 0 and not too large."""
        value = float(self.take(name, 1)[0])
        if not (value.is_integer() and 0 <= value <= largest):
            position = self.position - 1
            raise self.error(
                f"{name} must be a whole number from 0 to {largest}, "
                f"got {self._word_at(self._start_of(position))}.",
                position=position,
                hint="Check the counts in the file.",
            )
        return int(value)

    def take_amounts(self, name: str, count: int) -> Floats:
        """Return the next numbers, which must be finite and >= 0."""
        first = self.position
        values = self.take(name, count)
        self.require(
            np.isfinite(values) & (values >= 0),
            lambda place: first + place,
            f"{name} must be finite and >= 0",
            hint="Correct that number.",
        )
        return values

    def require_numbered(
        self, name: str, values: Floats, last: int, position_of: Callable[[int], int]
    ) -> None:
        """Raise the error that names the first value not among 1, 2 ... last."""
        self.require(
            (values >= 1) & (values <= last) & (values == np.floor(values)),
            position_of,
            f"{name} must be whole numbers from 1 to {last}",
            hint="This format counts from 1; check the counts in its first line too.",
        )

    def require(
        self,
        is_good: Flags,
        position_of: Callable[[int], int],
        rule: str,
        *,
        hint: str,
    ) -> None:
        """Raise the error that names the first number that is not good."""
        if is_good.all():
            return
        position = position_of(int(np.argmin(is_good)))
        word = self._word_at(self._start_of(position))
        raise self.error(f"{rule}, got {word}.", position=position, hint=hint)

    def require_end(self, last_name: str) -> None:
        """Raise an error if anything is left."""
        if self.position < self._values.size:
            offset = self._start_of(self.position)
        elif self._bad is not None:
            offset = self._bad
        else:
            return
        raise FileFormatError(
            self._path,
            f"the file must end after the {last_name}, got {self._word_at(offset)!r}.",
            line=self._line_at(offset),
            hint="Remove what follows, or check the counts in the file.",
        )

    def error(self, message: str, *, position: int, hint: str) -> FileFormatError:
        """Error about the number at a position, counted from 0."""
        line = self._line_at(self._start_of(position))
        return FileFormatError(self._path, message, line=line, hint=hint)

    def _missing(self, name: str, count: int, num_left: int) -> FileFormatError:
        if self._bad is not None:
            what = "be a number" if count == 1 else "be numbers"
            return FileFormatError(
                self._path,
                f"{name} must {what}, got {self._word_at(self._bad)!r}.",
                line=self._line_at(self._bad),
                hint="Write numbers as 12, 0.5 or 1e-3, with spaces between them.",
            )
        return FileFormatError(
            self._path,
            f"{name} must be {count} numbers, got {num_left} before the file ends."
            if count > 1
            else f"{name} must be a number, got the end of the file.",
            line=self._line_at(len(self._text.rstrip())),
            hint="Check the counts in the file, and whether it was cut short.",
        )

    def _start_of(self, position: int) -> int:
        """Offset in the text; slow, for messages."""
        is_word = _is_word(self._text)
        follows_space = ~np.concatenate([[False], is_word[:-1]])
        return int(np.flatnonzero(is_word & follows_space)[position])

    def _line_at(self, offset: int) -> int:
        return self._text.count(b"\n", 0, offset) + 1

    def _word_at(self, offset: int) -> str:
        word = self._text[offset : offset + 200].split(maxsplit=1)[0]
        shown = word.decode("utf-8", "replace")
        return shown if len(shown) <= 40 else f"{shown[:40]}..."


def first_repeat(keys: Ints) -> int | None:
    """Position of the first key that stands further left too.

    >>> import numpy as np
    >>> first_repeat(np.array([3, 5, 4, 5, 3]))
    3
    """
    if (keys[1:] > keys[:-1]).all():
        return None  # files are mostly sorted, and that is quick to see
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    repeats = order[1:][ordered[1:] == ordered[:-1]]
    return int(repeats.min()) if repeats.size else None


def plain(value: float) -> str:
    """Text that reads back as the same number; whole numbers have no point.

    >>> plain(2.0), plain(0.1), plain(1e300)
    ('2', '0.1', '1e+300')
    """
    # From 1e16 on repr writes an exponent, and no point either.
    is_short_integer = abs(value) < 1e16 and value == int(value)
    return str(int(value)) if is_short_integer else repr(value)


def _parsed(text: bytes) -> Floats | None:
    """Every number of the text, or None if some word is not a number."""
    # Where a word is no number NumPy raises from 2.4 on, and before that warns and
    # stops; then, and only then, it does not get to the 0 behind the text.
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
