"""Chats and transcripts: messages with times and senders, inside plain text."""

import pytest

from thatch.text.documents.readers import document_of

ANDROID = """\
13/05/24, 10:30 - Messages are end-to-end encrypted.
13/05/24, 10:31 - Ann Hu: The harbor froze.
Nobody can leave: all ferries stay.
13/05/24, 10:32 - +44 20 7946 0000: <Media omitted>
14/05/24, 09:00 - Bob: When?
14/05/24, 09:01 - Ann Hu: On Monday.
"""
IPHONE = """\
[12.05.24, 10:31:07] Ann: The harbor froze.
[12.05.24, 10:32:00] Bob: When?
[12.05.24, 10:32:10] Ann: On Monday.
"""
AMERICAN = """\
5/13/24, 10:31\u202fAM - Ann: The harbor froze.
5/13/24, 10:32\u202fAM - Bob: When?
5/13/24, 1:32\u202fPM - Ann: On Monday.
"""
TALK = """\
[00:12:07] Ann: The harbor froze.
[00:12:10] Bob: When?
[00:13:00] Ann: On Monday.
"""
ROOM = """\
[10:31] <ann> The harbor froze.
[10:32] <bob> When?
[10:33] <ann> On Monday.
"""


def said(content):
    document = document_of(content.encode(), "a.txt")
    assert document.text == content
    found = []
    for block in document.blocks:
        place = document.place_at(block.start)
        text = document.text[block.start : block.end]
        found.append((text, place.time, place.speaker))
    return found


def test_messages_have_their_times_and_senders():
    assert said(ANDROID) == [
        (
            "The harbor froze.\nNobody can leave: all ferries stay.",
            "2024-05-13 10:31",
            "Ann Hu",
        ),
        ("When?", "2024-05-14 09:00", "Bob"),
        ("On Monday.", "2024-05-14 09:01", "Ann Hu"),
    ]


@pytest.mark.parametrize(
    ("content", "time"),
    [
        (IPHONE, "2024-05-12 10:31:07"),
        (AMERICAN, "2024-05-13 10:31 AM"),
        (TALK, "00:12:07"),
        (ROOM, "10:31"),
        (IPHONE.replace(".", "/"), "12/05/24 10:31:07"),
    ],
)
def test_forms_of_chats(content, time):
    found = said(content)
    assert found[0][1] == time
    assert [speaker.title() for _, _, speaker in found] == ["Ann", "Bob", "Ann"]


@pytest.mark.parametrize(
    "content",
    [
        "10:31 Ann: one message.\n",
        "12:00 was the time: noon.\nSnow fell.\nWe left.\nNobody came.\n" * 3,
        "",
        "Snow fell.\n",
    ],
)
def test_other_texts_are_no_chats(content):
    document = document_of(content.encode(), "a.txt")
    assert document.places == ()


@pytest.mark.parametrize(
    "quoted", ["> When?", "<bob> When?", "10:32 <bob> When?", "s/froze/thawed/"]
)
def test_what_a_message_quotes_is_no_part_of_it(quoted):
    content = f"{ROOM}[10:34] <bob> {quoted}\n[10:35] <bob> It is s/he who left.\n"
    assert [text for text, _, _ in said(content)] == [
        *("The harbor froze.", "When?", "On Monday."),
        "It is s/he who left.",
    ]
