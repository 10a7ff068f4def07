"""Summaries as text and Markdown, with explanations and curves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from itertools import islice
from typing import TYPE_CHECKING

from thatch.cli.output import gap_in_words, one_line
from thatch.errors import shortened
from thatch.serve.answers.general import as_json
from thatch.text.markdown_text import as_markdown_text

if TYPE_CHECKING:
    from thatch.text.summary import ChosenPassage, LeftOutPassage, Summary

# An explanation is short; JSON lists everything.
_MAX_CONCEPTS, _MAX_LEFT_OUT = 8, 10


def as_text(summary: Summary) -> str:
    """The summary, with a final line break unless it is empty or has no room for it."""
    # The names of groups are not counted.
    counted = summary.task.printed(summary.result.selection.items.tolist()) + "\n"
    has_room = summary.task.unit.measure(counted) <= summary.budget
    return summary.text + "\n" if summary.text and has_room else summary.text


def as_markdown(summary: Summary, text: str) -> str:
    """The text of the summary, and tables that explain it."""
    chosen = [
        (
            _cell(sentence.text),
            _cell(_place(sentence, summary)),
            f"{sentence.cost:,.6g}",
            f"{sentence.weight:,.4g}",
            _cell(", ".join(sentence.concepts[:_MAX_CONCEPTS])),
        )
        for sentence in summary.sentences
    ]
    left = [
        (
            _cell(passage.text),
            _cell(_place(passage, summary)),
            f"{passage.cost:,.6g}",
            f"{passage.gain:,.4g}",
            _cell(passage.reason),
        )
        for passage in _most_wanted(summary)
    ]
    unit = summary.unit
    lines = [
        text,
        "",
        "## Why",
        "",
        in_one_line(summary),
        "",
        *_table(("chosen", "where", unit, "covers alone", "what"), chosen),
        "",
        *_table(("left out", "where", unit, "would add", "because"), left),
    ]
    if known := _known(summary):
        rows = [
            (_cell(each.text), _cell(_place(each, summary)))
            for each in known[:_MAX_LEFT_OUT]
        ]
        lines += ["", *_table((f"known already, {len(known):,} in all", "where"), rows)]
    return "\n".join(lines) + "\n"


def explanation(summary: Summary) -> str:
    """What each passage adds and what was left out, in plain lines."""
    total = summary.value or 1.0
    lines = [
        in_one_line(summary),
        f"chosen, with what only it covers (of {summary.value:,.4g}):",
    ]
    for sentence in summary.sentences:
        lines += [
            (
                f"  {sentence.weight / total:6.1%}  {sentence.cost:g} {summary.unit}  "
                f"{_place(sentence, summary)}: {_short(sentence.text)}"
            ),
            f"          {_short(', '.join(sentence.concepts[:_MAX_CONCEPTS]))}",
        ]
    lines.append("left out, with what it would have added:")
    lines += [
        f"  {passage.gain / total:6.1%}  {passage.cost:g} {summary.unit}  "
        f"{_place(passage, summary)}: {_short(passage.text)}"
        + (f" ({passage.reason})" if passage.reason else "")
        for passage in _most_wanted(summary)
    ]
    if known := _known(summary):
        lines.append(f"left out because you know it, {len(known):,} in all:")
    lines += [
        f"  {_place(passage, summary)}: {_short(passage.text)}"
        for passage in known[:_MAX_LEFT_OUT]
    ]
    return "\n".join(one_line(line) for line in lines) + "\n"


def in_one_line(summary: Summary) -> str:
    """Number of passages, cost, and what is proved, in one line."""
    proof = gap_in_words(summary.gap)
    if not summary.task.adds_up:
        proof += ", if costs add up"
    return (
        f"{len(summary.sentences)} of {len(summary.task.passages)} "
        f"{summary.task.passages.by}s, {summary.cost:,.10g} of "
        f"{summary.budget:,.10g} {summary.unit}; {proof}."
    )


def curve(summaries: Iterable[Summary], *, is_json: bool) -> str:
    """Covered weight at each budget: a table, or JSON lines."""
    from thatch.serve.answers.summaries import CurvePoint

    points = [CurvePoint.of(summary) for summary in summaries]
    if is_json:
        return "".join(map(as_json, points))
    names = [field.name for field in fields(CurvePoint)]
    rows = [[f"{getattr(point, name):.10g}" for name in names] for point in points]
    return "".join(",".join(row) + "\n" for row in [names, *rows])


def _most_wanted(summary: Summary) -> Sequence[LeftOutPassage]:
    wanted = (each for each in summary.left_out if each.gain > 0)
    return [*islice((each for each in wanted if not _is_known(each)), _MAX_LEFT_OUT)]


def _known(summary: Summary) -> Sequence[LeftOutPassage]:
    return [each for each in summary.left_out if _is_known(each)]


def _is_known(passage: LeftOutPassage) -> bool:
    from thatch.text.concepts.known import NOTHING_NEW

    return passage.reason == NOTHING_NEW


def _place(passage: ChosenPassage | LeftOutPassage, summary: Summary) -> str:
    from thatch.text.citations import described_place

    by = summary.task.passages.by
    return str(passage.document) if by == "file" else described_place(passage)


def _short(text: str) -> str:
    return shortened(" ".join(text.split()), 70)


def _cell(text: str) -> str:
    return as_markdown_text(" ".join(text.split()))


def _table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [
        "| " + " | ".join(names) + " |",
        "|---" * len(names) + "|",
        *("| " + " | ".join(row) + " |" for row in rows),
    ]
