"""Flaws: why a sentence reads badly out of its context.

A sentence that begins with "He" or "However" refers to one before it; one that ends in
a colon introduces the next, and one that ends in dots breaks off; captions, bylines and
notices are not part of the story. The rules are few and plain: they look at the first
and last words, and at phrases that editors strike out.
"""

from __future__ import annotations

import enum
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cache

from thatch.files.reading import package_lines
from thatch.text.language.words import count_words
from thatch.text.passages.passages import Passage, Passages

# In English, "This paper" and the like name the document itself.
_SELF_REFERENCE = re.compile(
    r"(?:this|these)\s+(?:paper|article|report|document|pep|rfc|proposal|study|work|"
    r"thesis|book|chapter|guide|tutorial|survey|review|project|package|library|tool|"
    r"module|specification|standard|standards|manual|page|post|story|week|month|year|"
    r"morning|afternoon|evening|spring|summer|autumn|fall|winter)\b",
    re.IGNORECASE,
)
_FIRST_WORD = re.compile(r"[\W_]*([^\s,;:!?\"'\u2019\u201d)\]]*[^\W_])")
_WORD = re.compile(r"[^\W\d_]+")
# Openers have at most as many words, and are looked for in as many characters.
_MAX_OPENER_WORDS, _MAX_OPENER_CHARACTERS = 4, 60
_NO_OPENERS = frozenset[str](), frozenset[str]()
# Answers, in English: "Yeah, I think so too."
_ANSWER = re.compile(
    r"\W*(?:yes|yeah|yep|no|nope|ok|okay|well|right|sure|exactly|absolutely|alright|oh)"
    r"(?:[,.!]|\s+(?:so|and|but)\b)",
    re.IGNORECASE,
)
_CAPTION = re.compile(
    r"(?:Fig(?:ure)?s?\.?|Tables?|Tab\.|Listing|Algorithm|Chart|Exhibit|Plate|Photo|"
    r"Abb(?:ildung)?\.?|Tabelle|Tableau|Figura|Tabla|Tabella|Hình|Bảng)"
    r"\s*\d+[a-z]?\s*[.:\u2013\u2014-]",
    re.IGNORECASE,
)
_CROSS_REFERENCE = re.compile(
    r"\b(?:see|cf\.|refer to|as (?:shown|seen|described|discussed|defined|mentioned|"
    r"noted|explained) (?:in|above|below|earlier|before)|shown in|listed in|siehe|"
    r"voir|véase|vedi)\s+(?:also\s+)?(?:the\s+)?(?:above|below|previous|following|"
    r"next|eqs?\.|equations?|fig(?:ure)?s?\.?|tables?|sections?|sec\.|chapters?|"
    r"appendix|listing|algorithm|abb\.|abbildung|tabelle|abschnitt|kapitel)"
    r"|\((?:see|cf\.|fig\.|figure|table|eq\.|section|sec\.)[^()]{0,60}\)"
    r"|\bas (?:above|below|follows)\b|\bthe (?:following|above)\b"
    # "Figure 3", "in Listing 5-13", "Kapitel 2", but not "Chapter 11 bankruptcy".
    r"|\b(?:figure|fig\.|table|listing|equation|eq\.|section|algorithm|appendix|"
    r"abbildung|abb\.|tabelle|abschnitt|kapitel|figura|tabla|tabella|sección|tableau|"
    r"hình|bảng)\s*\(?\d|\b(?:in|see|saw in) chapter \d"
    # Where the number of a section is missing.
    r"|\b(?:defined|described|introduced|discussed|shown|proved|given|mentioned|handled)"
    r"(?:\s+briefly)?\s+(?:in|by)[.,:;)]"
    r"|\b(?:section|figure|table|equation|theorem|lemma|chapter)\s?[.,;)]|\s\(\s*\)",
    re.IGNORECASE,
)
# Sentences about other places, and those without the number of a section.
_POINTER = re.compile(
    r"(?:section|chapter|appendix)\s+[\dA-Z]"
    r"|(?:please\s+)?(?:see|refer to|consult|check out)\b"
    r"|for (?:more|further|details|additional)\b"
    r"|(?:in|by|from)(?:,|\s+(?:we|it|they|i)\b)",
    re.IGNORECASE,
)
# Rows of a table: numbers without words between them.
_TABLE_ROW = re.compile(r"\d[\d.,%]*(?:\s+[-+]?\d[\d.,%]*){3}")
_BYLINE = re.compile(
    r"^(?:by\s+[A-Z][\w.'-]+(?:\s+[A-Z][\w.'-]+){1,3}\W*$|reporting by\b|editing by\b|"
    r"additional reporting\b|photograph(?:s|ed)? by\b|photo(?:graph)?:|image:|credit:|"
    r"source:|foto:|published\b.{0,40}\d{4}\W*$|updated\b.{0,40}\d{4}\W*$)",
    re.IGNORECASE,
)
_NOTICE = re.compile(
    r"\ball rights reserved\b|©|\(c\)\s*\d{4}|\bcopyright\s+(?:©|\d{4})|"
    r"\bsubscribe (?:to|now)\b|\bsign up (?:for|to)\b|\bclick here\b|\bread more\b|"
    r"\bfollow us\b|\bprivacy policy\b|\bterms of (?:use|service)\b|\bcookies?\b.{0,40}"
    r"\b(?:accept|consent|policy)\b|\bunsubscribe\b|\bshare (?:this|on)\b|"
    r"\battention editors\b|\beditors?'? note\b|\bfor use by clients\b|"
    r"\bplaced in the public domain\b|\blicensed under the\b",
    re.IGNORECASE,
)
_END = re.compile(
    "[.!?\u2026\u3002\uff01\uff1f\u0964\u0965\u06d4\u061f\u1362\u104b\u17d4]"
    "[\"'\u201d\u2019\u00bb\u300d\u300f)\\]]*\\Z"
)
# The marker of an item, in the characters before it.
_LIST_MARKER = re.compile(r"(?:\A|\n)[ \t]*(?:[-*+\u2022]|\d{1,3}[.)]|#\.)[ \t]+\Z")
_BREAKS_OFF = ("...", "\u2026", "--", "\u2014")
# In these languages nothing marks the end of a sentence.
_WITHOUT_END = frozenset({"lo", "th"})
# Without one of these words, a pattern cannot match: most sentences need no search.
_PUNCTUATION = str.maketrans(dict.fromkeys(".,;:!?()[]\"'/-\u2013\u2014\u2019", " "))
# Written as one string, because a list would take one line per word.
_NOTICE_WORDS = frozenset(
    re.findall(
        r"\S+",
        "rights \u00a9 c copyright subscribe unsubscribe sign click read follow "
        "privacy terms cookie cookies share editor editors clients domain licensed",
    )
)
_REFERENCE_WORDS = frozenset(
    re.findall(
        r"\S+",
        "see saw cf refer shown listed siehe voir v\u00e9ase vedi above below follows "
        "following previous next defined described introduced discussed proved given "
        "mentioned handled theorem lemma chapter",
    )
)
# These may be followed by a number without a space.
_REFERENCE_STARTS = (
    *("fig", "tabl", "tabe", "eq.", "eqs.", "equation", "listing", "section", "sec."),
    *("secci", "algorithm", "appendix", "abb", "abschnitt", "kapitel", "h\u00ecnh"),
    *("b\u1ea3ng", " ()"),
)
# Shorter sentences say little; scripts without spaces count characters.
_MIN_WORDS, _MIN_WORDS_OF_SENTENCE = 6, 2


class Flaw(enum.Enum):
    """Why a sentence reads badly on its own; the value is shown to people."""

    DANGLING = "refers to the sentence before"
    INTRODUCTION = "introduces what follows"
    CAPTION = "a caption"
    CROSS_REFERENCE = "refers to another place"
    BYLINE = "a byline"
    NOTICE = "a notice"
    FRAGMENT = "a fragment"
    BROKEN_OFF = "breaks off"
    LIST_ITEM = "an item of a list"
    SHORT = "a short sentence"


def flaws_of(passages: Passages) -> dict[int, Flaw]:
    """Flaws of sentences, by index: the most serious one of each."""
    languages = passages.languages
    flaws = [
        flaw_of(passage, language=languages[passage.document]) for passage in passages
    ]
    for p in _introduced_items(passages, flaws):
        flaws[p] = flaws[p] or Flaw.LIST_ITEM
    no_flaw = _fragmentary(passages, flaws)
    for p, passage in enumerate(passages):
        if flaws[p] is Flaw.FRAGMENT and passage.document in no_flaw:
            language = languages[passage.document]
            flaws[p] = flaw_of(passage, language=language, may_be_fragment=True)
    return {p: flaw for p, flaw in enumerate(flaws) if flaw is not None}


def _introduced_items(
    passages: Passages, flaws: Sequence[Flaw | None]
) -> Iterator[int]:
    """Items of lists that a line with a colon introduces."""
    is_introduced = False
    for p, passage in enumerate(passages):
        text = passages.documents[passage.document].text
        before = text[max(0, passage.start - 20) : passage.start]
        is_item = _LIST_MARKER.search(before) is not None
        is_after = p > 0 and passages.all[p - 1].document == passage.document
        if is_item:
            follows = is_after and flaws[p - 1] is Flaw.INTRODUCTION
            is_introduced = follows or (is_introduced and is_after)
            if is_introduced:
                yield p
        elif not is_after or before.rstrip(" \t").endswith("\n\n"):
            is_introduced = False  # a paragraph after the list


def _fragmentary(passages: Passages, flaws: Sequence[Flaw | None]) -> set[int]:
    """Documents in which fragments are not flaws: chats, and those of little else."""
    total = Counter(passage.document for passage in passages)
    fragments = Counter(
        passage.document
        for passage, flaw in zip(passages, flaws, strict=True)
        if flaw is Flaw.FRAGMENT
    )
    return {
        d
        for d, document in enumerate(passages.documents)
        # If most of the sentences look like fragments, that is the document's style.
        if fragments[d] > 0.9 * total[d]
        or any(place.speaker for place in document.places)
    }


def flaw_of(
    passage: Passage, *, language: str, may_be_fragment: bool = False
) -> Flaw | None:
    """Return the most serious flaw of a sentence, or None."""
    text = passage.text
    for flaw, pattern in _STARTS.items():
        if pattern.match(text):
            return flaw
    if _TABLE_ROW.search(text):
        return Flaw.CAPTION
    lower = text.lower()
    words = frozenset(lower.translate(_PUNCTUATION).split())
    if not _NOTICE_WORDS.isdisjoint(words) and _NOTICE.search(text):
        return Flaw.NOTICE
    if text.endswith((":", "\uff1a")):
        return Flaw.INTRODUCTION
    if text.endswith(_BREAKS_OFF):
        return Flaw.BROKEN_OFF
    num_words = count_words(text)
    is_fragment = not may_be_fragment and (
        num_words < _MIN_WORDS_OF_SENTENCE or _is_fragment(text, language)
    )
    if is_fragment and not _is_title(passage):
        return Flaw.FRAGMENT
    if passage.position > 0 and _is_dangling(text, language):
        return Flaw.DANGLING
    if _POINTER.match(text) or _is_cross_reference(lower, words):
        return Flaw.CROSS_REFERENCE
    return Flaw.SHORT if num_words < _MIN_WORDS else None


_STARTS = {Flaw.CAPTION: _CAPTION, Flaw.BYLINE: _BYLINE}


def _is_cross_reference(lower: str, words: AbstractSet[str]) -> bool:
    """Whether a sentence refers to another place; it and its words are lower case."""
    may_refer = not _REFERENCE_WORDS.isdisjoint(words) or any(
        start in lower for start in _REFERENCE_STARTS
    )
    return may_refer and _CROSS_REFERENCE.search(lower) is not None


def _is_title(passage: Passage) -> bool:
    """Whether a passage may be the title of its document, which has no full stop."""
    text = passage.text
    return passage.position == 0 and text[0].isupper() and ":" not in text


def _is_fragment(text: str, language: str) -> bool:
    """Whether a sentence lacks its beginning or its end."""
    first = _FIRST_WORD.match(text)
    # But "fontTools", "numpy.linalg" and "x86" are names.
    is_lower = first is not None and first[1].islower() and first[1].isalpha()
    # Only the last characters can be an end.
    has_end = language in _WITHOUT_END or bool(_END.search(text, len(text) - 8))
    is_unbalanced = (
        text.count("(") != text.count(")")
        or text.count("\u201c") > text.count("\u201d")
        or text.count('"') % 2 == 1
    )
    return is_lower or not has_end or is_unbalanced


def _is_dangling(text: str, language: str) -> bool:
    openers, first_words = _openers().get(language, _NO_OPENERS)
    if language in ("ja", "zh"):
        return text.startswith(tuple(openers))
    if language == "en" and _ANSWER.match(text):
        return True
    first = _WORD.search(text, 0, _MAX_OPENER_CHARACTERS)
    if first is None or first[0].casefold() not in first_words:
        return False
    if language == "en" and _SELF_REFERENCE.match(text):
        return False
    words = _WORD.findall(text, 0, _MAX_OPENER_CHARACTERS)[: _MAX_OPENER_WORDS + 1]
    # In Vietnamese, "Ông Minh" is Mr Minh, but "ông" is he.
    if language == "vi" and len(words) > 1 and words[1].istitle():
        return False
    folded = [word.casefold() for word in words]
    return any(
        "_".join(folded[:k]) in openers
        # "In contrast, ..." but not "In contrast to snow, ..."
        and not (k > 1 and folded[k : k + 1] == ["to"])
        for k in range(1, _MAX_OPENER_WORDS + 1)
    )


@cache
def _openers() -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    """Openers by language, and the first word of each."""
    lines = package_lines("thatch.text.language", "data/dangling_openers.txt")
    rows = (line.split() for line in lines)
    return {
        code: (frozenset(found), frozenset(each.split("_")[0] for each in found))
        for code, *found in rows
    }
