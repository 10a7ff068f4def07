"""Summaries as a page of HTML: what the web page shows, in one file."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from itertools import chain

from thatch.options import counted
from thatch.text.citations import place_facts
from thatch.text.report.coverage_facts import (
    DocumentShare,
    ImportantTerm,
    document_shares,
    important_terms,
)
from thatch.text.report.document_names import short_names
from thatch.text.report.headline import (
    as_number,
    as_share,
    certificate,
    headline,
)
from thatch.text.report.sources import MarkedSource, map_of, sources_of
from thatch.text.summary import Summary

_STYLES = ("frame.css", "cards.css", "screens.css")


def as_html(summary: Summary, *, command: str = "") -> str:
    """Return a page with the summary, and its sources with the chosen passages marked.

    Everything is in the page itself: it needs no other file, and no network. Names of
    documents that are paths are shortened to what distinguishes them.

    Parameters
    ----------
    summary
        The summary.
    command
        The command that makes the page, to be shown at its end.

    >>> import thatch
    >>> page = as_html(thatch.summarize("Snow fell. We left. Snow fell all day.", 4))
    >>> page[page.index("<mark") : page.index("</mark>")]
    '<mark id="p1" data-level="4">Snow fell. <a href="#s1">[1]</a>'
    """
    documents = summary.task.passages.documents
    names = short_names([document.name for document in documents])
    if len(documents) == 1 and not documents[0].name:
        names = [""]
    body = _body(summary, names, command)
    about = names[0] if len(names) == 1 else counted(len(names), "document")
    title = f"Summary of {about}" if about else "Summary"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<link rel="icon" type="image/svg+xml" href="{icon_address()}">
<style>
{font_faces(body)}
{colors()}
{_style()}</style>
</head>
<body>
{body}
</body>
</html>
"""


def _style() -> str:
    folder = files("thatch.text.report")
    return "\n".join(
        folder.joinpath(name).read_text(encoding="utf-8") for name in _STYLES
    )


def _body(summary: Summary, names: list[str], command: str) -> str:
    made = f"by <code>{escape(command)}</code>" if command else "with thatch"
    return f"""<header>
<p class="brand"><svg viewBox="0 0 32 32" width="30" height="30" aria-hidden="true">
{mark_paths()}
</svg>thatch</p>
</header>
<main>
<div class="answer">
<h1>{escape(headline(summary))}</h1>
<div class="meter" aria-hidden="true" style="--share: {summary.coverage:.4f}">
<span></span></div>
</div>
<div class="columns">
{_summary_card(summary, names)}
{_terms_card(important_terms(summary))}{_source_card(summary, names)}
</div>
</main>
<footer>
<p>This report is one file: it loads nothing from elsewhere. Made {made}.</p>
</footer>"""


def _summary_card(summary: Summary, names: list[str]) -> str:
    listed = "\n".join(_sentences(summary, names))
    listed = f"<ol>\n{listed}\n</ol>\n" if listed else ""
    proof = certificate(summary)
    proof = f'<p class="soft">{escape(proof)}</p>\n' if proof else ""
    return (
        '<section class="card summary" aria-labelledby="summary-heading">\n'
        f'<h2 id="summary-heading">Summary</h2>\n{listed}{proof}</section>'
    )


def _sentences(summary: Summary, names: list[str]) -> list[str]:
    """Items of the list: each sentence with the place that it is from."""
    passages = summary.task.passages
    items = []
    for k, (p, chosen) in enumerate(
        zip(summary.passages, summary.sentences, strict=True), start=1
    ):
        d = passages.all[p].document
        facts = place_facts(chosen)
        is_named = len(names) > 1 or not facts
        named = [names[d] or "source"] if is_named else []
        chips = " ".join(
            f'<span class="chip" dir="auto">{escape(fact)}</span>'
            for fact in chain(named, facts)
        )
        items.append(
            f'<li id="s{k}" dir="auto"><span class="said" '
            f'lang="{escape(passages.languages[d])}">{escape(chosen.text)}</span> '
            f'<a class="place" href="#p{k}">{chips}</a></li>'
        )
    return items


def _terms_card(terms: list[ImportantTerm]) -> str:
    if not terms:
        return ""
    num_covered = sum(term.sentence > 0 for term in terms)
    line = f"The summary covers {num_covered} of the {len(terms)} most important terms."
    # A card that may scroll must be reached by keyboard; its links do that, too.
    focus = "" if num_covered else ' tabindex="0"'
    rows = "\n".join(_term(term, terms[0].weight) for term in terms)
    return f"""<section class="card about" aria-labelledby="about-heading"{focus}>
<h2 id="about-heading">What the text is about</h2>
<p class="soft">{line}</p>
<ul>
{rows}
</ul>
<p class="soft" aria-hidden="true">\u25d0 covered · \u25cb not covered</p>
</section>
"""


def _term(term: ImportantTerm, heaviest: float) -> str:
    name = escape(term.name)
    sign, meaning = "\u25cb", "not covered by the summary"
    shown = f'<span class="name">{name}</span>'
    if term.sentence:
        sign, meaning = "\u25d0", f"covered by sentence {term.sentence}"
        shown = f'<a class="name" href="#p{term.sentence}">{name}</a>'
    share = term.weight / heaviest if heaviest > 0 else 0.0
    return (
        f'<li dir="auto" style="--share: {share:.4f}" title="{meaning}">'
        f'<span class="sign" aria-hidden="true">{sign}</span> {shown}'
        f'<span class="visually-hidden">, {meaning}, weight </span>'
        f'<span class="weight">{as_number(term.weight)}</span></li>'
    )


def _source_card(summary: Summary, names: list[str]) -> str:
    passages = summary.task.passages
    kind = passages.by.value
    shares = document_shares(summary)
    sources = sources_of(summary, names)
    articles = "\n".join(
        source.as_html(share, kind)
        for source, share in zip(sources, shares, strict=True)
    )
    count = counted(len(passages), kind)
    return f"""<section class="card source" aria-labelledby="source-heading">
<div class="top"><h2 id="source-heading">Source <span class="soft">{count}</span></h2>
{_key(sources)}</div>
{_contents(names, shares)}<div class="reading">
<div>
{articles}
</div>
<div class="beside">{map_of(sources)}</div>
</div>
</section>"""


def _key(sources: list[MarkedSource]) -> str:
    """What the colors mean."""
    excluded = ""
    if any(source.has_excluded for source in sources):
        excluded = " · <i>italic</i>: excluded"
    swatches = "".join(f'<i data-level="{level}"></i>' for level in range(1, 5))
    return (
        '<p class="soft">adds: little <span class="swatches" aria-hidden="true">'
        f"{swatches}</span> much{excluded}</p>"
    )


def _contents(names: list[str], shares: list[DocumentShare]) -> str:
    """Links to the documents, if there are several."""
    if len(names) < 2:
        return ""
    links = "\n".join(
        f'<a href="#d{number}"><span dir="auto">{escape(name)}</span> '
        f'<span class="soft">{share.num_chosen:,} chosen, '
        f"{as_share(share.covered)}</span></a>"
        for number, (name, share) in enumerate(zip(names, shares, strict=True), start=1)
    )
    return f'<nav aria-label="Documents">\n{links}\n</nav>\n'


# Only files are read here: no module of the server is imported.
_PAGE = files("thatch").joinpath("serve", "page")
_FACE = re.compile(r"@font-face \{.*?\n\}\n", re.DOTALL)
_FAMILY = re.compile(r'font-family: "([^"]+)"')
_FILE = re.compile(r'url\("(fonts/[\w.-]+)"\)')
_RANGE = re.compile(r"U\+([0-9A-F]+)(?:-([0-9A-F]+))?")
_LICENSE = """/* Source Serif 4 and Source Sans 3: Copyright Adobe, with Reserved Font
   Name 'Source'. Licensed under the SIL Open Font License, Version 1.1. */
"""


@dataclass(frozen=True)
class _Face:
    #: The rule of the style sheet.
    rule: str
    family: str
    #: Path of its file within the page.
    file: str
    #: First and last characters that it has.
    ranges: tuple[tuple[int, int], ...]

    def has(self, character: int) -> bool:
        return any(first <= character <= last for first, last in self.ranges)


def colors() -> str:
    """Return the rules of the colors, for light and dark pages."""
    return _PAGE.joinpath("colors.css").read_text(encoding="utf-8")


def font_faces(text: str) -> str:
    """Return the rules of the typefaces that a text needs, with the fonts inside."""
    characters = frozenset(map(ord, text))
    # Characters that no face has yet, by family. Of several faces that have a
    # character, browsers take the last.
    left: dict[str, frozenset[int]] = {}
    used = []
    for face in reversed(_faces()):
        missing = left.get(face.family, characters)
        own = frozenset(filter(face.has, missing))
        left[face.family] = missing - own
        if own:
            used.append(_embedded(face.file, face.rule))
    return _LICENSE + "\n".join(reversed(used))


@cache
def mark_paths() -> str:
    """Return the shapes of the logo, which is 32 units wide and high.

    >>> mark_paths().count("<path")
    3
    """
    drawing = _PAGE.joinpath("mark.svg").read_text(encoding="utf-8")
    return drawing[drawing.index(">") + 1 : drawing.rindex("</svg>")].strip()


@cache
def icon_address() -> str:
    """Return the logo as an address without a request."""
    content = _PAGE.joinpath("mark.svg").read_bytes()
    return f"data:image/svg+xml;base64,{b64encode(content).decode()}"


@cache
def _faces() -> tuple[_Face, ...]:
    style = _PAGE.joinpath("fonts.css").read_text(encoding="utf-8")
    found = []
    for rule in _FACE.findall(style):
        (family,), (file,) = _FAMILY.findall(rule), _FILE.findall(rule)
        ranges = tuple(
            (int(first, 16), int(last or first, 16))
            for first, last in _RANGE.findall(rule)
        )
        found.append(_Face(rule, family, file, ranges))
    return tuple(found)


@cache
def _embedded(file: str, rule: str) -> str:
    """The rule with the content of its file in place of the address."""
    content = b64encode(_PAGE.joinpath(*file.split("/")).read_bytes()).decode()
    return _FILE.sub(f"url(data:font/woff2;base64,{content})", rule)
