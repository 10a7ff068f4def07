"""E-mail: single messages (.eml) and mailboxes (.mbox).

The subject is a heading. Quoted replies, signatures and notices of confidentiality are
asides: they are kept, but not chosen as sentences.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import parsedate_to_datetime
from itertools import groupby
from pathlib import Path

from thatch.errors import FileFormatError
from thatch.text.documents.blocks import plain_blocks
from thatch.text.documents.document import BlockKind, Document, Part, Place

_HEADER = re.compile(rb"[!-9;-~]{1,100}:")
# A line that starts a message of a mailbox: from whom, and when.
_START_OF_MESSAGE = re.compile(rb"^From (?=.*\d{4})[^\n]*\n", re.MULTILINE)
# Not parsed by Python, which is recursive in the number of parentheses.
_ADDRESS = re.compile(r"([^<>]{0,500})<([^<>\s]{1,500})>")
_REPLY_PREFIX = re.compile(r"(?:\s*(?:re|fwd?|aw|wg|tr|sv|vs|antw|rv|res)\s*:)+", re.I)

# How Python's names of the charsets of messages start.
_CHARSETS = (
    *("ascii", "utf", "iso", "cp", "koi8", "big5", "gb", "euc", "shift", "mac", "tis"),
    *("johab", "hp-roman8", "latin"),
)
_QUOTE = re.compile(r"[ \t]*>")
# The line above a quoted message: "On Monday, Ann wrote:", in several languages.
_ATTRIBUTION = re.compile(
    r"[^\n]{0,300}(?:\n[^\n]{0,300})?"
    r"\b(?:wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|skrev|"
    r"napisał\(a\)|пишет)[^\n]{0,100}:",
    re.IGNORECASE,
)
# What follows was sent before, without quotation marks.
_FORWARDED = re.compile(
    r"[ \t]*-{3,}[ \t]*(?:original|forwarded|ursprüngliche|weitergeleitete|"
    r"message d'origine|mensaje original|messaggio originale)[^\n]{0,60}|[ \t]*_{20,}",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(r"--[ \t]?")
_NOTICE = re.compile(
    r"(?:this|diese|ce|este|questa) (?:e-?mail|message|nachricht|mensaje|correo)\b"
    r"[^\n]{0,300}(?:confidential|privileged|intended|vertraulich|confidentiel)"
    r"|intended recipient|\bunsubscribe\b|\bsent from my \w|^get outlook for "
    r"|von meinem \w+ gesendet",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|greetings|hallo"
    r"|liebe[rs]?|sehr geehrte[rs]?|guten \w+|bonjour|ch(?:er|ère)s?|hola"
    r"|estimad[oa]s?|buen[oa]s \w+|ciao|car[oaie]|gentile|beste|hej|xin chào|kính gửi)"
    r"\b(?:[ \t]+[^\s,]+){0,4}[ \t]*[,!:]?",
    re.IGNORECASE,
)
# "Kind regards," and the name below it.
_CLOSING = re.compile(
    r"(?:(?:with )?(?:best|kind(?:est)?|warm(?:est)?|many) (?:regards|wishes|thanks)"
    r"|best|cheers|regards|thanks(?: again| in advance| a lot)?|thank you|sincerely"
    r"|yours \w+|all the best|mit (?:freundlichen|besten|vielen) grüßen"
    r"|(?:viele|beste|liebe) grüße|gruß|cordialement|bien à (?:vous|toi)|amicalement"
    r"|(?:un )?saludos?(?: cordiales)?|atentamente|(?:cordiali )?saluti|groeten"
    r"|hälsningar|trân trọng)[ \t]*[,.!]?(?:\s*\n[^\n.]{1,40}){0,2}",
    re.IGNORECASE,
)


def read(content: bytes, path: Path, *, encoding: str | None = None) -> Document:
    """Return the text of a message; `path` is its name.

    A message in HTML alone needs the extra ``files``.

    Default encoding: the one that the message declares.
    """
    if content.strip() and _HEADER.match(content.lstrip()) is None:
        raise FileFormatError(
            path,
            "the file does not start with a header, such as From: or Subject:.",
            hint="Save the message with its headers; rename a plain text file to .txt.",
        )
    return _document([_parsed(content.lstrip(), path)], path, encoding)


def read_mailbox(
    content: bytes, path: Path, *, encoding: str | None = None
) -> Document:
    r"""Return the text of all messages of a mailbox; `path` is its name.

    Parameters and errors are as in `read`.

    >>> mail = b"From a@b.org Mon May  6 10:30:00 2024\nSubject: Snow\n\nIt fell.\n"
    >>> read_mailbox(mail + b"\n" + mail, Path("a.mbox")).text
    'Snow\n\nIt fell.\n\nIt fell.'
    """
    starts = [found.span() for found in _START_OF_MESSAGE.finditer(content)]
    if content.strip() and (not starts or content[: starts[0][0]].strip()):
        raise FileFormatError(
            path,
            "the file does not start with a line such as 'From ann@example.org Mon "
            "May  6 10:30:00 2024'.",
            hint="Export it as mbox; rename a single message to .eml.",
        )
    ends = [*(start for start, _ in starts[1:]), len(content)]
    messages = [
        _parsed(content[first:end].replace(b"\n>From ", b"\nFrom "), path)
        for (_, first), end in zip(starts, ends, strict=False)
    ]
    return _document(messages, path, encoding)


def _parsed(content: bytes, path: Path) -> Message:
    try:
        return message_from_bytes(content)
    except (RecursionError, ValueError, LookupError) as error:
        raise FileFormatError(
            path,
            f"a message is damaged, or its parts are nested too deeply ({error}).",
            hint="Save it again in a mail program.",
        ) from error


def _document(messages: list[Message], path: Path, encoding: str | None) -> Document:
    parts: list[Part] = []
    date, subject = "", None
    for message in messages:
        time = _time(message)
        speaker = _sender(message)
        title = _header(message, "Subject")
        thread = _REPLY_PREFIX.sub("", title, count=1).strip()
        where = (Place(0, time=time, speaker=speaker),)
        if thread != subject:
            parts.append(Part(BlockKind.HEADING, title, 1, where))
        date, subject = date or time[:10], thread
        body = _body(message, path, encoding)
        parts += [replace(part, places=where) for part in body]
    return replace(Document.from_blocks(parts, str(path)), date=date)


def _header(message: Message, name: str) -> str:
    value = str(message.get(name, ""))[:2_000]
    # An unknown charset, or damaged bytes.
    with suppress(LookupError, ValueError, MessageError):
        value = str(make_header(decode_header(value)))
    return " ".join(value.split())


def _sender(message: Message) -> str:
    header = _header(message, "From")
    found = _ADDRESS.match(header)
    return (found[1].strip("\"' ") or found[2]) if found else header


def _time(message: Message) -> str:
    """When a message was sent, such as 2024-05-01 10:30; empty if it does not say."""
    try:
        sent: datetime = parsedate_to_datetime(_header(message, "Date"))
    except (TypeError, ValueError, IndexError, OverflowError):
        return ""
    return f"{sent:%Y-%m-%d %H:%M}"


def _body(message: Message, path: Path, encoding: str | None) -> Iterator[Part]:
    """Parts of the text of a message: the plain text, or else the page."""
    texts: dict[str, Message] = {}
    try:
        for part in message.walk():
            is_attached = part.get_content_disposition() == "attachment"
            if not (part.is_multipart() or is_attached):
                texts.setdefault(part.get_content_type(), part)
    except RecursionError:
        return
    if "text/plain" in texts:
        yield from mail_parts(_text(texts["text/plain"], encoding))
    elif "text/html" in texts:
        from thatch.text.documents import html

        page = _text(texts["text/html"], encoding).encode("utf-8", "replace")
        document = html.read(page, path, encoding="utf-8")
        for block in document.blocks:
            text = document.text[block.start : block.end]
            # The subject is the heading of the first level.
            level = block.level + 1 if block.level else 0
            yield Part(block.kind, text, level)


def _text(part: Message, encoding: str | None) -> str:
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):
        return ""
    charset = encoding or part.get_content_charset() or "utf-8"
    try:
        # Python has encodings that no message has, such as hex.
        is_text = codecs.lookup(charset).name.startswith(_CHARSETS)
    except (LookupError, ValueError):
        is_text = False
    text = content.decode(charset if is_text else "utf-8", "replace")
    return text.replace("\r\n", "\n").replace("\0", " ")


def mail_parts(text: str) -> Iterator[Part]:
    r"""Return the blocks of a message; quotations, signatures and notices are asides.

    >>> text = "It fell.\n\nOn Monday, Ann wrote:\n> When?\n-- \nBob\n"
    >>> [(part.kind.value, part.text) for part in mail_parts(text)]
    [('prose', 'It fell.'), ('aside', 'On Monday, Ann wrote:'), ('aside', '> When?'),
     ('aside', '-- \nBob')]
    """
    lines = text.splitlines(keepends=True)
    end = _end_of_written(lines)
    runs = [
        (is_quoted, "".join(run)) for is_quoted, run in groupby(lines[:end], _is_quoted)
    ]
    for k, (is_quoted, run) in enumerate(runs):
        if is_quoted:
            yield Part(BlockKind.ASIDE, run.strip())
        else:
            yield from _written(run, is_before_quote=k + 1 < len(runs))
    yield Part(BlockKind.ASIDE, "".join(lines[end:]).strip())


def _is_quoted(line: str) -> bool:
    return _QUOTE.match(line) is not None


def _end_of_written(lines: Sequence[str]) -> int:
    """Number of lines before the signature, or before the message that is answered."""
    is_written = False
    for k, line in enumerate(lines):
        content = line.rstrip("\r\n")
        # A message that was forwarded without a comment is the text.
        if _SIGNATURE.fullmatch(content) or (
            is_written and _FORWARDED.fullmatch(content)
        ):
            return k
        is_written |= content.strip() != "" and not _FORWARDED.fullmatch(content)
    return len(lines)


def _written(text: str, *, is_before_quote: bool) -> Iterator[Part]:
    blocks = plain_blocks(text)
    for block in blocks:
        content = text[block.start : block.end]
        is_last = block is blocks[-1]
        is_attribution = is_last and is_before_quote and _ATTRIBUTION.fullmatch(content)
        is_salutation = _GREETING.fullmatch(content) or _CLOSING.fullmatch(content)
        is_aside = is_attribution or is_salutation or _NOTICE.search(content)
        kind = BlockKind.ASIDE if is_aside else block.kind
        yield Part(kind, content, block.level + 1 if block.level else 0)
