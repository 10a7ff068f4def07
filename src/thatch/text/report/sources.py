"""The sources in HTML: their blocks, with what is chosen and excluded marked."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from itertools import islice
from math import ceil

from thatch.options import counted
from thatch.text.documents.document import Block, BlockKind, Document
from thatch.text.report.coverage_facts import DocumentShare
from thatch.text.report.headline import as_share
from thatch.text.summary import Summary


@dataclass(frozen=True, slots=True)
class _Span:
    """A chosen or excluded passage, by its offsets."""

    start: int
    end: int
    #: Number in the summary, from 1; 0 for what is excluded.
    number: int = 0
    #: How much it alone covers, from 1 to 4.
    level: int = 0
    #: Why it may not be chosen.
    reason: str = ""


@dataclass(frozen=True)
class MarkedSource:
    """A document with its marks."""

    document: Document
    #: Name to show; empty for the only document if it has none.
    name: str
    #: Number among the documents, from 1.
    number: int
    #: Code of its language.
    language: str
    #: In the order of the text.
    spans: tuple[_Span, ...]

    @property
    def has_excluded(self) -> bool:
        """Whether some passages may not be chosen."""
        return any(not span.number for span in self.spans)

    def as_html(self, share: DocumentShare, kind: str) -> str:
        """The document as an article."""
        # A paragraph or a file may go over several blocks: only its first is a target.
        targets = set[int]()
        blocks = "\n".join(
            self._block(block, targets) for block in self.document.blocks
        )
        top = ""
        if self.name:
            line = (
                f"{share.num_chosen:,} of {counted(share.num_passages, kind)} chosen; "
                f"the summary covers {as_share(share.covered)} of what it says"
            )
            top = (
                f'<h3 dir="auto">{escape(self.name)}</h3>\n'
                f'<p class="soft document-line">{line}</p>\n'
            )
        return (
            f'<article id="d{self.number}">\n{top}'
            f'<div class="text" lang="{escape(self.language)}">\n{blocks}\n</div>\n'
            "</article>"
        )

    def _block(self, block: Block, targets: set[int]) -> str:
        inside = "".join(self._pieces(block, targets))
        if block.kind is BlockKind.HEADING:
            # Levels may be left out in a text, but not in a page.
            depth = len(self.document.headings_at(block.start))
            tag = f"h{min(depth + (3 if self.name else 2), 6)}"
            return f'<{tag} dir="auto">{inside}</{tag}>'
        if block.kind is BlockKind.CODE:
            return f'<pre dir="auto">{inside}</pre>'
        kind = ' class="aside"' if block.kind is BlockKind.ASIDE else ""
        return f'<p{kind} dir="auto">{inside}</p>'

    def _pieces(self, block: Block, targets: set[int]) -> Iterator[str]:
        """The text of a block, with marks around what is chosen or excluded."""
        at = block.start
        # Passages do not overlap. A long text has thousands of blocks and of passages.
        first = bisect_right(self.spans, block.start, key=lambda span: span.end)
        for span in islice(self.spans, first, None):
            if span.start >= block.end:
                break
            start, end = max(span.start, at), min(span.end, block.end)
            yield self._escaped(at, start)
            yield self._marked(span, self._escaped(start, end), targets)
            at = end
        yield self._escaped(at, block.end)

    def _marked(self, span: _Span, text: str, targets: set[int]) -> str:
        if not span.number:
            return f'<i class="ruled-out" title="{escape(span.reason)}">{text}</i>'
        k = span.number
        target = "" if k in targets else f' id="p{k}"'
        targets.add(k)
        link = f'<a href="#s{k}">[{k}]</a>'
        return f'<mark{target} data-level="{span.level}">{text} {link}</mark>'

    def _escaped(self, start: int, end: int) -> str:
        return escape(self.document.shown(start, end).text) if start < end else ""


def sources_of(summary: Summary, names: Iterable[str]) -> list[MarkedSource]:
    """Return the documents of a summary, under these names."""
    passages = summary.task.passages
    spans: list[list[_Span]] = [[] for _ in passages.documents]
    most = max((passage.weight for passage in summary.sentences), default=0) or 1
    for k, (p, chosen) in enumerate(
        zip(summary.passages, summary.sentences, strict=True), start=1
    ):
        # Marks are stronger, in four levels, where a passage alone covers more.
        level = max(1, ceil(4 * chosen.weight / most))
        # Several documents may have the same name.
        spans[passages.all[p].document].append(
            _Span(chosen.start, chosen.end, number=k, level=level)
        )
    for p, reason in summary.task.ruled_out.items():
        passage = passages.all[p]
        excluded = _Span(passage.start, passage.end, reason=reason)
        spans[passage.document].append(excluded)
    return [
        MarkedSource(
            document,
            name,
            number,
            passages.languages[number - 1],
            tuple(sorted(spans[number - 1], key=lambda span: span.start)),
        )
        for number, (document, name) in enumerate(
            zip(passages.documents, names, strict=True), start=1
        )
    ]


def map_of(sources: list[MarkedSource], *, least_height: float = 0.006) -> str:
    """Return a map of the whole source, with a bar for each chosen passage."""
    gap = 0.01 * sum(len(source.document.text) for source in sources)
    total = sum(len(source.document.text) + gap for source in sources) - gap or 1.0
    shapes = []
    top = 0.0
    for source in sources:
        if top:
            shapes.append(
                f'<rect class="between" y="{(top - gap) / total:.4f}" width="1" '
                f'height="{gap / total:.4f}"/>'
            )
        for span in source.spans:
            if span.number:
                height = max((span.end - span.start) / total, least_height)
                # Bars repeat the links of the summary, for the pointer only.
                shapes.append(
                    f'<a href="#p{span.number}" tabindex="-1"><rect '
                    f'y="{(top + span.start) / total:.4f}" width="1" '
                    f'height="{height:.4f}"/></a>'
                )
        top += len(source.document.text) + gap
    return (
        '<svg class="map" viewBox="0 0 1 1" preserveAspectRatio="none" '
        'aria-hidden="true">' + "".join(shapes) + "</svg>"
    )
