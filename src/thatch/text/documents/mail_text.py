"""The text of an e-mail: what its sender wrote, and what was quoted or appended."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from thatch.text.documents.blocks import plain_blocks
from thatch.text.documents.document import BlockKind, Part

__all__ = ["mail_parts"]

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
    """Blocks of what the sender wrote."""
    blocks = plain_blocks(text)
    for block in blocks:
        content = text[block.start : block.end]
        is_last = block is blocks[-1]
        is_attribution = is_last and is_before_quote and _ATTRIBUTION.fullmatch(content)
        is_salutation = _GREETING.fullmatch(content) or _CLOSING.fullmatch(content)
        is_aside = is_attribution or is_salutation or _NOTICE.search(content)
        kind = BlockKind.ASIDE if is_aside else block.kind
        yield Part(kind, content, block.level + 1 if block.level else 0)
