"""News as NIST distributes it: stories in SGML, model summaries in text or HTML.

::

    <DOC>
    <DOCNO> APW19980101.0001 </DOCNO>
    <HEADLINE> ... </HEADLINE>
    <TEXT>
    <P> a paragraph </P>           or lines of which the first is indented,
    <s num="1"> a sentence </s>    or separate sentences
    </TEXT>
    </DOC>

Only the content of <TEXT> is the story. Its dateline, "OSLO, Norway (AP) _", and the
agencies' own codes, such as &UR; or &Cx1f;, are removed.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

from thatch.errors import FileFormatError
from thatch.text.documents.document import BlockKind, Document

# Tags contain no "<", and what follows an opening tag is searched for once: otherwise
# a file of unfinished tags would take time quadratic in its length.
_FLAGS = re.IGNORECASE | re.DOTALL
_SGML = re.compile(r"\s*<(?:DOC|TEXT)\b", _FLAGS)
_STORY = re.compile(r"<DOC(?=[\s>])[^<>]*>(.*?)(?:</DOC>|\Z)", _FLAGS)
_NAME = re.compile(r"<DOCNO>([^<]*)</DOCNO>", _FLAGS)
_TEXT = re.compile(r"<TEXT\b[^<>]*>(.*?)(?:</TEXT>|\Z)", _FLAGS)
_PARAGRAPH_END = re.compile(
    r"</?(?:P|S)(?=[\s>])[^<>]*>|\n[ \t]*(?=\n)|\n(?=\t|[ ]{2})", _FLAGS
)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_ENTITY = re.compile(r"&#?\w{1,32};")
_AGENCY = r"\((?:AP|AFP|UPI|DPA|EFE|Reuters?|Xinhua|Kyodo|Bloomberg)\)"
_DATELINE = re.compile(
    rf"""
    [A-Z][^()_]{{2,60}}?[ ]{_AGENCY}[ ]?(?:_|--?)[ ]      # OSLO, Norway (AP) _
    | [A-Z][A-Z.'\- ]{{2,40}}(?:,[ ][^()_]{{2,40}}?)?[ ]_[ ]   # OSLO, Norway _
    """,
    re.VERBOSE,
)
# Only links with an id are sentences.
_ID = re.compile(r"\sid\s*=", _FLAGS)
_HTML = re.compile(r"<(?:html|body|a\s+name)\b", _FLAGS)


def is_sgml(text: str) -> bool:
    """Whether the text is a story in SGML."""
    return _SGML.match(text) is not None


def stories(text: str, path: Path) -> Iterator[Document]:
    """Stories of an SGML file; each is named by its number, else by the file's name."""
    for story in [found[1] for found in _STORY.finditer(text)] or [text]:
        texts = _TEXT.findall(story)
        if not texts:
            raise FileFormatError(
                path,
                "a story has no <TEXT>.",
                hint="Check that the file was unpacked completely.",
            )
        name = _NAME.search(story)
        yield Document.from_blocks(
            ((BlockKind.PROSE, paragraph) for paragraph in _paragraphs(texts)),
            name[1].strip() if name else path.name,
        )


def model_summary(text: str) -> str:
    """Return a summary as text, without HTML, with one sentence per line."""
    if not _HTML.search(text):
        return text.strip()
    links = _elements(text, "a", having=_ID)
    sentences = [text[start.end() : end.start()] for start, end in links]
    sentences = sentences or [_without_elements(text, "head")]
    return "\n".join(_clean(sentence) for sentence in sentences)


def _paragraphs(texts: list[str]) -> list[str]:
    cleaned = [
        _clean(paragraph)
        for text in texts
        for paragraph in _PARAGRAPH_END.split(_without_elements(text, "ANNOTATION"))
    ]
    paragraphs = [paragraph for paragraph in cleaned if paragraph]
    # The names of the authors may precede the paragraph with the dateline.
    for position, paragraph in enumerate(paragraphs[:5]):
        dateline = _DATELINE.match(paragraph)
        if dateline:
            paragraphs[position] = paragraph[dateline.end() :]
            break
    return paragraphs


def _elements(
    text: str, tag: str, *, having: re.Pattern[str] | None = None
) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """Opening and closing tags of elements; `having` matches part of an opening tag."""
    closing = re.compile(f"</{tag}>", _FLAGS)
    place = 0
    for start in re.finditer(rf"<{tag}\b[^<>]*>", text, _FLAGS):
        if start.start() < place or (having and not having.search(start[0])):
            continue
        end = closing.search(text, start.end())
        if end is None:
            return
        yield start, end
        place = end.end()


def _without_elements(text: str, tag: str) -> str:
    pieces = []
    place = 0
    for start, end in _elements(text, tag):
        pieces.append(text[place : start.start()])
        place = end.end()
    return "".join([*pieces, text[place:]])


def _clean(text: str) -> str:
    """Text on one line, without tags and codes."""
    return " ".join(_ENTITY.sub(_character, _TAG.sub(" ", text)).split())


def _character(entity: re.Match[str]) -> str:
    """The character of an HTML entity; a space for the agencies' own codes."""
    text = html.unescape(entity[0])
    # An entity is one character, or one with a combining mark.
    is_known = len(text) <= 2 and text.isprintable()
    return text if is_known else " "
