"""Subtitles: sentences over several cues, with times and speakers."""

import pytest

from thatch.errors import FileFormatError
from thatch.text.documents.readers import document_of

SRT = """1
00:00:01,000 --> 00:00:03,500
<i>The harbor froze</i> on

2
00:00:03,600 --> 00:00:05,000 X1:1 X2:2
Monday. Ships {\\an8}waited.

3
00:00:09,000 --> 00:00:10,000
[wind]

4
01:02:06,000 --> 01:02:07,000
ANN: Fish &amp; bread
are dear.
"""
VTT = """WEBVTT - harbor
Kind: captions

STYLE
::cue { color: red }

NOTE a comment
over lines

intro
00:01.000 --> 00:04.000 align:start position:0%
<v Ann>The <b>harbor</b> froze.</v>

00:05.000 --> 00:06.000
<v.loud Bob Hu>When?</v>
"""
ROLLING = """WEBVTT

00:00:00.000 --> 00:00:02.000 align:start
the<00:00:00.500><c> harbor</c>

00:00:02.000 --> 00:00:02.010
the harbor
\x20

00:00:02.010 --> 00:00:04.000
the harbor
froze<00:00:03.000><c> today</c>
"""


def said(content, name="a.srt"):
    """Text, time and speaker of each block."""
    document = document_of(content.encode(), name)
    assert document.text == content
    found = []
    for block in document.blocks:
        place = document.place_at(block.start)
        shown = document.shown(block.start, block.end).text
        found.append((" ".join(shown.split()), place.time, place.speaker))
    return found


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_sentence_continues_over_cues(end):
    assert said(SRT.replace("\n", end)) == [
        ("The harbor froze on Monday. Ships waited.", "00:00:01", ""),
        ("Fish & bread are dear.", "01:02:06", "ANN"),
    ]


def test_a_sentence_has_the_time_of_the_cue_in_which_it_starts():
    document = document_of(SRT.encode(), "a.srt")
    assert document.place_at(document.text.index("Ships")).time == "00:00:03"
    assert document.line_at(document.text.index("Ships")) == 7


def test_voices_are_speakers():
    assert said(VTT, "a.vtt") == [
        ("The harbor froze.", "00:00:01", "Ann"),
        ("When?", "00:00:05", "Bob Hu"),
    ]


def test_lines_that_scroll_are_read_once():
    assert said(ROLLING, "a.vtt") == [("the harbor froze today", "00:00:00", "")]


def cues(*texts, seconds=2):
    times = (
        f"00:{k // 30:02}:{k * seconds % 60:02},000" for k in range(len(texts) + 1)
    )
    times = list(times)
    return "".join(
        f"{k}\n{times[k]} --> {times[k + 1]}\n{text}\n\n"
        for k, text in enumerate(texts)
    )


def test_a_dash_is_another_speaker():
    assert said(cues("- Snow?\n- No: rain.")) == [
        ("Snow?", "00:00:00", ""),
        ("No: rain.", "00:00:00", ""),
    ]


def test_a_name_that_is_repeated_is_a_speaker():
    found = said(cues("Ann Hu: It froze.", "Remember: it was cold.", "Ann Hu: Very."))
    assert found == [
        ("It froze. Remember: it was cold.", "00:00:00", "Ann Hu"),
        ("Very.", "00:00:04", "Ann Hu"),
    ]


def test_without_punctuation_blocks_are_short():
    found = said(cues(*["the ice was thick and cold"] * 50))
    assert len(found) > 5
    assert all(len(text.split()) < 50 for text, _, _ in found)


def test_a_pause_ends_a_block():
    content = (
        "00:01.000 --> 00:02.000\nSnow fell.\n\n00:09.000 --> 00:10.000\nWe left.\n"
    )
    assert [text for text, _, _ in said(content)] == ["Snow fell.", "We left."]


def test_a_file_without_cues_is_refused():
    with pytest.raises(FileFormatError, match=r"a\.srt: .*cue") as caught:
        document_of(b"Snow fell.", "a.srt")
    assert caught.value.hint
    assert document_of(b"", "a.srt").blocks == ()
