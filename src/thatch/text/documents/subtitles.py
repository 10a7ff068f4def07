"""Subtitles and transcripts: SubRip (.srt) and WebVTT (.vtt).

The text of the document is the file itself. Numbers, times and tags of cues are markup,
so that a sentence may continue over several cues; its place is the time, and the
speaker, of the cue in which it starts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import unescape
from itertools import chain, pairwise
from pathlib import Path

from thatch.errors import FileFormatError
from thatch.files.encodings import decoded
from thatch.text.documents.blocks import Blocks, placed_lines
from thatch.text.documents.document import Document, Place
from thatch.text.documents.markup import Markup, ShownText, merged

_TIME = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{2})(?:[.,](\d{1,3}))?"
_TIMES = re.compile(rf"\s*{_TIME}[ \t]*-->[ \t]*{_TIME}(?=\s|\Z)")
_TAG = re.compile(r"<[^<>\n]{0,200}>|\{\\[^{}\n]{0,200}\}|♪|&#?\w{1,31};")
_VOICE = re.compile(r"\s*<v(?:\.[^\s<>]*)?[ \t]+([^<>\n]{1,100})>")
# Times inside of a cue: then each line is repeated in the next cue, as it scrolls.
_ROLLING = re.compile(r"<\d{1,2}:\d{2}[:.]\d")
_DASH = r"(?:>>+|[-\u2013])[ \t]*"
_SPEAKER = re.compile(
    rf"(?:<[^<>\n]{{0,200}}>)*(?:{_DASH})?([^\W\d_][^:<>\n]{{0,40}}):\s+(?=\S)"
)
_NEW_SPEAKER = re.compile(rf"{_DASH}(?=\S)")
# What is heard and not said.
_SOUND = re.compile(rf"\s*(?:{_DASH})?(?:\[[^\[\]]*\]|\([^()]*\))\s*")
_SENTENCE_END = re.compile("[.!?\u2026\u3002\uff01\uff1f]['\"\u201d\u2019)\\]]*\\Z")
_SENTENCE_END_WITHIN = re.compile(_SENTENCE_END.pattern.replace(r"\Z", r"(?=\s|\Z)"))
_MAX_PAUSE, _MAX_PAUSE_IN_SENTENCE = 2.0, 5.0  # seconds
# Without punctuation, a block ends after as many words; with it, after more.
_MAX_WORDS_WITHOUT_END, _MAX_WORDS = 40, 120


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a cue."""

    #: Offsets in the text.
    start: int
    end: int
    #: Start and end of the cue, in seconds.
    first: float
    last: float
    #: Start of the cue as a citation shows it.
    time: str
    #: Who speaks, if the line says so.
    speaker: str = ""
    #: Whether the speaker is another one than before.
    is_new_speaker: bool = False
    #: What is shown of it.
    shown: str = ""


def read(content: bytes, path: Path, *, encoding: str | None = None) -> Document:
    """Return the text of subtitles; `path` is their name."""
    text = decoded(content, path, encoding=encoding)
    found = list(_lines(text))
    if not found and text.strip() and not any(map(_TIMES.match, text.splitlines())):
        raise FileFormatError(
            path,
            "the file contains no cue with times, such as 00:00:01,000 --> "
            "00:00:02,500.",
            hint="If it is plain text, give its name the suffix .txt.",
        )
    tags = [_tag_markup(tag) for tag in _TAG.finditer(text)]
    lines = _with_speakers(text, found)
    lines = [
        replace(line, shown=ShownText.of(text, line.start, line.end, tags).text.strip())
        for line in lines
    ]
    if _ROLLING.search(text):
        lines = list(_without_repeated(lines))
    lines = [line for line in lines if line.shown and not _SOUND.fullmatch(line.shown)]
    blocks = _blocks(text, lines)
    return Document(
        text,
        str(path),
        tuple(blocks.found),
        markup=merged(chain(blocks.markup, tags)),
        places=tuple(_places(lines)),
    )


def _lines(text: str) -> Iterator[_Line]:
    """Lines of cues: those after a line with times, until a blank line."""
    times: re.Match[str] | None = None
    for start, end, line in placed_lines(text):
        found = _TIMES.match(line)
        if found:
            times = found
        elif not line.strip():
            # Lines of one space are blank lines of scrolling subtitles.
            times = None if line.strip("\r\n") == "" else times
        elif times:
            groups = times.groups()
            first, last = _seconds(groups[:4]), _seconds(groups[4:])
            yield _Line(start, end, first, last, _clock(first))


def _seconds(groups: Sequence[str | None]) -> float:
    hours, minutes, seconds, parts = (group or "0" for group in groups)
    whole = 3600 * int(hours) + 60 * int(minutes) + int(seconds)
    return whole + float(f"0.{parts}")


def _clock(seconds: float) -> str:
    minutes, second = divmod(int(seconds), 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour:02}:{minute:02}:{second:02}"


def _tag_markup(tag: re.Match[str]) -> Markup:
    is_entity = tag[0].startswith("&")
    return Markup(tag.start(), tag.end(), unescape(tag[0]) if is_entity else "")


def _with_speakers(text: str, lines: Sequence[_Line]) -> list[_Line]:
    """Lines with their speakers, and without the names and dashes before the text."""
    named = [_SPEAKER.match(text, line.start, line.end) for line in lines]
    counts = Counter(found[1] for found in named if found)
    placed = []
    for line, found in zip(lines, named, strict=True):
        voice = _VOICE.match(text, line.start, line.end)
        dash = _NEW_SPEAKER.match(text, line.start, line.end)
        if voice:
            speaker = " ".join(unescape(voice[1]).split())
            line = replace(line, speaker=speaker, is_new_speaker=True)
        elif found and _is_name(found[1], counts):
            name = found[1].strip()
            line = replace(line, start=found.end(), speaker=name, is_new_speaker=True)
        elif dash:
            line = replace(line, start=dash.end(), is_new_speaker=True)
        placed.append(line)
    return placed


def _is_name(text: str, counts: Counter[str]) -> bool:
    """Whether what is before a colon is a name, and not the start of a sentence."""
    words = text.split()
    is_title = all(word[0].isupper() or not word[0].isalpha() for word in words)
    return len(words) <= 4 and (text.isupper() or (is_title and counts[text] > 1))


def _without_repeated(lines: Iterable[_Line]) -> Iterator[_Line]:
    last = ""
    for line in lines:
        if line.shown and line.shown != last:
            last = line.shown
            yield line


def _blocks(text: str, lines: Sequence[_Line]) -> Blocks:
    """Blocks of lines that one person says without a pause."""
    blocks = Blocks(text)
    num_words = num_words_without_end = 0
    max_without_end = _max_words_without_end(lines)
    for line, below in pairwise([*lines, None]):
        assert line is not None
        blocks.extend(line.start, line.end)
        num_words += len(line.shown.split())
        *ended, rest = _SENTENCE_END_WITHIN.split(line.shown)
        num_words_without_end = len(rest.split()) + (
            0 if ended else num_words_without_end
        )
        is_end = _SENTENCE_END.search(line.shown) is not None
        allowed = _MAX_PAUSE if is_end else _MAX_PAUSE_IN_SENTENCE
        if (
            below is None
            or (below.is_new_speaker and (is_end or below.speaker != line.speaker))
            or below.first - line.last > allowed
            or (is_end and num_words >= _MAX_WORDS)
            or num_words_without_end >= max_without_end
        ):
            blocks.close()
            num_words = num_words_without_end = 0
    return blocks


def _max_words_without_end(lines: Sequence[_Line]) -> int:
    """Most words of a sentence: more if the lines have punctuation."""
    num_words = sum(len(line.shown.split()) for line in lines)
    num_ends = sum(len(_SENTENCE_END_WITHIN.findall(line.shown)) for line in lines)
    is_punctuated = num_ends * _MAX_WORDS_WITHOUT_END >= num_words
    return _MAX_WORDS if is_punctuated else _MAX_WORDS_WITHOUT_END


def _places(lines: Iterable[_Line]) -> Iterator[Place]:
    """Place of each line at which the time or the speaker changes."""
    last = Place(-1)
    for line in lines:
        # A dash alone says that someone else speaks, but not who.
        speaker = line.speaker if line.is_new_speaker else last.speaker
        place = Place(line.start, time=line.time, speaker=speaker)
        if (place.time, place.speaker) != (last.time, last.speaker):
            yield place
            last = place
