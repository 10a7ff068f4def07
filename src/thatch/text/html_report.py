"""Summaries as a page of HTML: the sources, with the chosen passages marked."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from thatch.text.citations import described_place
from thatch.text.documents.document import Block, BlockKind, Document
from thatch.text.summary import ChosenPassage, Summary

__all__ = ["as_html"]

_STYLE = """
:root { color-scheme: light dark; }
body { font: 1.05rem/1.6 Georgia, serif; max-width: 42rem; margin: 2rem auto;
  padding: 0 1rem; }
header { border-bottom: 1px solid; margin-bottom: 2rem; }
header ol { padding-left: 1.5rem; }
small { font: 0.8rem system-ui, sans-serif; opacity: 0.8; }
mark { background: #ffe58a; color: #1a1a1a; }
mark:target { outline: 2px solid #b45309; }
mark a { color: inherit; font: 0.75rem system-ui, sans-serif; }
pre { overflow-x: auto; font-size: 0.85rem; }
aside { font-size: 0.85rem; opacity: 0.8; }
""".strip()


def as_html(summary: Summary) -> str:
    """Return a page with the summary, and its sources with the chosen passages marked.

    Everything is in the page itself: it needs no other file, and no network.

    >>> import thatch
    >>> page = as_html(thatch.summarize("Snow fell. We left. Snow fell all day.", 4))
    >>> page[page.index("<mark") : page.index("</mark>")]
    '<mark id="p1">Snow fell. <a href="#s1">[1]</a>'
    """
    chosen = list(enumerate(summary.sentences, start=1))
    listed = "\n".join(
        f'<li id="s{k}" dir="auto">{escape(passage.text)} '
        f'<small><a href="#p{k}">{escape(described_place(passage))}</a></small></li>'
        for k, passage in chosen
    )
    figures = (
        f"{summary.cost:,.10g} of {summary.budget:,.10g} {summary.unit}, "
        f"gap {summary.gap:.2%}"
    )
    sources = "\n".join(
        _source(document, _chosen_of(d, summary), number=d + 1)
        for d, document in enumerate(summary.task.passages.documents)
    )
    language = summary.task.passages.language
    return f"""<!doctype html>
<html lang="{escape(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Summary</title>
<style>
{_STYLE}
</style>
</head>
<body>
<header>
<h1>Summary</h1>
<ol>
{listed}
</ol>
<p><small>{escape(figures)}</small></p>
</header>
<main>
{sources}
</main>
</body>
</html>
"""


_Chosen = list[tuple[int, ChosenPassage]]


def _chosen_of(d: int, summary: Summary) -> _Chosen:
    """The chosen passages of a document, in the order of its text."""
    task = summary.task
    found = [
        (k, passage)
        for k, (p, passage) in enumerate(
            zip(summary.passages, summary.sentences, strict=True), 1
        )
        if task.passages.all[p].document == d  # several may have the same name
    ]
    return sorted(found, key=lambda each: each[1].start)


def _source(document: Document, chosen: _Chosen, *, number: int) -> str:
    title = document.name or f"Document {number}"
    # A paragraph or a file may go over several blocks: only its first is a target.
    targets = set[int]()
    blocks = "\n".join(
        _block(document, block, chosen, targets) for block in document.blocks
    )
    return f'<article dir="auto">\n<h2>{escape(title)}</h2>\n{blocks}\n</article>'


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
    for k, passage in chosen:
        start, end = max(passage.start, at), min(passage.end, block.end)
        if start >= end:
            continue
        yield _escaped(document, at, start)
        target = "" if k in targets else f' id="p{k}"'
        targets.add(k)
        yield f"<mark{target}>{_escaped(document, start, end)}"
        yield f' <a href="#s{k}">[{k}]</a></mark>'
        at = end
    yield _escaped(document, at, block.end)


def _escaped(document: Document, start: int, end: int) -> str:
    return escape(document.shown(start, end).text) if start < end else ""
