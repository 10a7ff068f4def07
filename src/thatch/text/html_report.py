"""Summaries as a page of HTML: the sources, with the chosen passages marked."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from importlib.resources import files
from math import ceil

from thatch.run.result import Status
from thatch.text.citations import described_place
from thatch.text.documents.document import Block, BlockKind, Document
from thatch.text.summary import ChosenPassage, Summary

__all__ = ["as_html"]

_STYLE = files("thatch.text").joinpath("html_report.css")
# Marks are stronger where a passage alone covers more.
_NUM_LEVELS = 4


def as_html(summary: Summary) -> str:
    """Return a page with the summary, and its sources with the chosen passages marked.

    Everything is in the page itself: it needs no other file, and no network.

    >>> import thatch
    >>> page = as_html(thatch.summarize("Snow fell. We left. Snow fell all day.", 4))
    >>> page[page.index("<mark") : page.index("</mark>")]
    '<mark id="p1" data-level="4">Snow fell. <a href="#s1">[1]</a>'
    """
    documents = summary.task.passages.documents
    sources = "\n".join(
        _source(document, _chosen_of(d, summary), number=d + 1)
        for d, document in enumerate(documents)
    )
    return f"""<!doctype html>
<html lang="{escape(summary.task.passages.language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Summary</title>
<style>
{_STYLE.read_text(encoding="utf-8")}</style>
</head>
<body>
<header>
<h1>{escape(_headline(summary))}</h1>
<div class="meter"><span style="width: {100 * summary.coverage:.1f}%"></span></div>
</header>
<div class="columns">
<section class="summary">
<h2>Summary</h2>
<ol>
{_listed(summary)}
</ol>
</section>
<main>
{_contents(summary)}{sources}
</main>
</div>
</body>
</html>
"""


def _headline(summary: Summary) -> str:
    """One line that says what was chosen, what it covers, and what is proved."""
    if summary.warning:
        return summary.warning[0].upper() + summary.warning[1:]
    total, kind = len(summary.task.passages), summary.task.passages.by
    proof = (
        "proved best"
        if summary.status is Status.OPTIMAL
        else f"proved to be at most {summary.gap:.2%} below the best"
        if summary.task.adds_up
        else f"at most {summary.gap:.2%} below the best, if costs add up"
    )
    return (
        f"{len(summary.passages):,} of {total:,} {kind}{'' if total == 1 else 's'}, "
        f"{summary.cost:,.10g} of {summary.budget:,.10g} {summary.unit}, "
        f"{summary.coverage:.1%} of what the text says: {proof}."
    )


def _listed(summary: Summary) -> str:
    return "\n".join(
        f'<li id="s{k}"><span dir="auto">{escape(passage.text)}</span> '
        f'<small><a href="#p{k}">{escape(described_place(passage))}</a></small></li>'
        for k, passage in enumerate(summary.sentences, start=1)
    )


def _contents(summary: Summary) -> str:
    """Links to the documents, if there are several."""
    documents = summary.task.passages.documents
    if len(documents) < 2:
        return ""
    links = "\n".join(
        f'<a href="#d{d}">{escape(_title(document, d))}</a>'
        for d, document in enumerate(documents, start=1)
    )
    return f'<nav aria-label="Documents">\n{links}\n</nav>\n'


#: Chosen passages of a document, with their numbers in the summary and levels.
_Chosen = list[tuple[int, ChosenPassage, int]]


def _chosen_of(d: int, summary: Summary) -> _Chosen:
    """The chosen passages of a document, in the order of its text."""
    most = max((passage.weight for passage in summary.sentences), default=0) or 1
    found = [
        (k, passage, max(1, ceil(_NUM_LEVELS * passage.weight / most)))
        for k, (p, passage) in enumerate(
            zip(summary.passages, summary.sentences, strict=True), 1
        )
        # Several documents may have the same name.
        if summary.task.passages.all[p].document == d
    ]
    return sorted(found, key=lambda each: each[1].start)


def _source(document: Document, chosen: _Chosen, *, number: int) -> str:
    # A paragraph or a file may go over several blocks: only its first is a target.
    targets = set[int]()
    blocks = "\n".join(
        _block(document, block, chosen, targets) for block in document.blocks
    )
    return (
        f'<article id="d{number}" dir="auto">\n'
        f"<h2>{escape(_title(document, number))}</h2>\n{blocks}\n</article>"
    )


def _title(document: Document, number: int) -> str:
    return document.name or f"Document {number}"


_TAGS = {BlockKind.PROSE: "p", BlockKind.CODE: "pre", BlockKind.ASIDE: "aside"}


def _block(document: Document, block: Block, chosen: _Chosen, targets: set[int]) -> str:
    tag = _TAGS.get(block.kind) or f"h{min(block.level + 2, 6)}"
    inside = "".join(_pieces(document, block, chosen, targets))
    return f"<{tag}>{inside}</{tag}>"


def _pieces(
    document: Document, block: Block, chosen: _Chosen, targets: set[int]
) -> Iterator[str]:
    """The text of a block, with a mark around what is chosen of it."""
    at = block.start
    for k, passage, level in chosen:
        start, end = max(passage.start, at), min(passage.end, block.end)
        if start >= end:
            continue
        yield _escaped(document, at, start)
        target = "" if k in targets else f' id="p{k}"'
        targets.add(k)
        yield f'<mark{target} data-level="{level}">'
        yield _escaped(document, start, end)
        yield f' <a href="#s{k}">[{k}]</a></mark>'
        at = end
    yield _escaped(document, at, block.end)


def _escaped(document: Document, start: int, end: int) -> str:
    return escape(document.shown(start, end).text) if start < end else ""
