"""E-mail: subject, sender and date; quotations and signatures are asides."""

from email.message import EmailMessage

import pytest

from thatch.errors import FileFormatError
from thatch.text.documents.readers import document_of

BODY = """\
The harbor froze on Monday, and
ships waited.

On Mon, 6 May 2024 at 09:00, Bob <bob@example.org>
wrote:
> Is there ice?
>> Where?

Fish is dear.

This e-mail is confidential and for the intended recipient alone.
--\x20
Ann Hu
Harbor Office
"""


def mail(body=BODY, subject="Größe des Eises", sender="Ann Hü <ann@example.org>"):
    message = EmailMessage()
    message["From"], message["Subject"] = sender, subject
    message["Date"] = "Mon, 6 May 2024 10:30:00 +0200"
    message.set_content(body)
    return message


def parts(content, name="a.eml"):
    document = document_of(content, name)
    text = document.text
    return [(text[b.start : b.end], b.kind.value) for b in document.blocks]


@pytest.mark.parametrize("encoding", ["quoted-printable", "base64", "8bit"])
def test_what_the_sender_wrote_is_prose(encoding):
    message = mail()
    message.set_content(BODY, cte=encoding)
    assert parts(message.as_bytes()) == [
        ("Größe des Eises", "heading"),
        ("The harbor froze on Monday, and\nships waited.", "prose"),
        ("On Mon, 6 May 2024 at 09:00, Bob <bob@example.org>\nwrote:", "aside"),
        ("> Is there ice?\n>> Where?", "aside"),
        ("Fish is dear.", "prose"),
        (
            "This e-mail is confidential and for the intended recipient alone.",
            "aside",
        ),
        ("-- \nAnn Hu\nHarbor Office", "aside"),
    ]


def test_sender_and_date_are_the_place():
    document = document_of(mail().as_bytes(), "a.eml")
    place = document.place_at(document.text.index("Fish"))
    assert (place.speaker, place.time) == ("Ann Hü", "2024-05-06 10:30")
    assert document.date == "2024-05-06"


def test_of_two_forms_the_plain_text_is_read():
    message = mail()
    message.add_alternative("<p>No.</p>", subtype="html")
    message.add_attachment("No.", filename="a.txt")
    assert "No." not in document_of(message.as_bytes(), "a.eml").text


def test_a_page_is_read_where_there_is_no_text():
    message = mail()
    message.set_content("<h1>Ice</h1><p>It <b>froze</b>.</p>", subtype="html")
    assert ("It froze.", "prose") in parts(message.as_bytes())


def test_a_message_that_was_forwarded_without_a_comment_is_the_text():
    body = "---------- Forwarded message ----------\nFrom: Bob\n\nIt froze.\n"
    assert ("It froze.", "prose") in parts(mail(body).as_bytes())
    answered = parts(mail(f"Yes.\n\n{body}").as_bytes())
    assert [kind for _, kind in answered] == ["heading", "prose", "aside"]


def test_messages_of_a_mailbox_follow_each_other():
    messages = [
        mail("It froze.\n>From here on, ice.\n", "Ice"),
        mail("Really?\n", "Re: Ice", "Bob <bob@example.org>"),
        mail("We left.\n", "Ferries"),
    ]
    start = b"From ann@example.org Mon May  6 10:30:00 2024\n"
    content = b"".join(start + each.as_bytes() + b"\n" for each in messages)
    found = parts(content, "a.mbox")
    assert [text for text, kind in found if kind == "heading"] == ["Ice", "Ferries"]
    assert ("It froze.\nFrom here on, ice.", "prose") in found
    document = document_of(content, "a.mbox")
    assert document.place_at(document.text.index("Really")).speaker == "Bob"


@pytest.mark.parametrize("name", ["a.eml", "a.mbox"])
def test_what_is_no_message_is_refused(name):
    with pytest.raises(FileFormatError, match=name) as caught:
        document_of(b"Snow fell.\nWe left.", name)
    assert caught.value.hint
    assert document_of(b"", name).blocks == ()


@pytest.mark.parametrize(
    "charset", ["bogus", "hex", "unicode-escape", "utf-16", "undefined", "idna"]
)
def test_any_charset_may_be_declared(charset):
    content = f"Content-Type: text/plain; charset={charset}\n\nSnow.\n".encode()
    document_of(content, "a.eml")


@pytest.mark.slow
def test_nesting_without_end_is_read_or_refused():
    head = "".join(
        f"Content-Type: multipart/mixed; boundary=b{k}\n\n--b{k}\n" for k in range(3000)
    )
    try:
        document_of(head.encode(), "a.eml")
    except FileFormatError as error:
        assert error.hint


@pytest.mark.parametrize(
    "subject", ["=?u\xfft?q?Ice?=", "=?utf-8?q?=ff?=", "=?bogus?b?x?=", "(" * 900]
)
def test_any_header_is_read(subject):
    content = f"Subject: {subject}\nFrom: {subject}\n\nSnow.\n".encode("latin-1")
    assert "Snow." in document_of(content, "a.eml").text
