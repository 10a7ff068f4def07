"""Sentences that say what was chosen, what it covers, and what is proved.

They are the same as on the page, where ``headline.js`` writes them.
"""

from __future__ import annotations

from thatch.text.report.number_formats import (
    as_count,
    as_measure,
    as_number,
    as_share,
)
from thatch.text.summary import Summary

__all__ = ["certificate", "headline"]

# Smaller gaps are rounding errors.
_SMALLEST_GAP = 1e-6


def headline(summary: Summary) -> str:
    r"""Return one line that says what was chosen, what it covers, and what is proved.

    >>> import thatch
    >>> headline(thatch.summarize("Snow fell. We left.", 4)).replace("\xa0", " ")
    '2 of 2 sentences, 4 of 4 words, 100 % of what the text says: proved best.'
    """
    if summary.warning:
        return summary.warning[0].upper() + summary.warning[1:]
    passages = summary.task.passages
    about = "" if summary.task.focus is None else " about your question"
    return (
        f"{as_number(len(summary.passages))} of "
        f"{as_count(len(passages), passages.by.value)}, "
        f"{as_number(summary.cost)} of {as_measure(summary.budget, summary.unit)}, "
        f"{as_share(summary.coverage)} of what the text says{about}: "
        f"{_proof(summary)}."
    )


def certificate(summary: Summary) -> str:
    """Return the proven gap in a sentence; an empty string for an empty summary.

    >>> import thatch
    >>> certificate(thatch.summarize("Snow fell. We left.", 4))
    'Proved: no selection within the budget covers more.'
    """
    if summary.warning:
        return ""
    adds_up = summary.task.adds_up
    condition = "" if adds_up else ", if costs are added up passage by passage"
    others = (
        f"{'with your choices ' if summary.task.has_choices else ''}within the budget"
    )
    if not _is_gap(summary):
        return f"Proved: no selection {others} covers more{condition}."
    if not summary.value > 0:
        return ""
    more = as_share(summary.upper_bound / summary.value - 1)
    return f"Proved: no selection {others} covers more than {more} more{condition}."


def _proof(summary: Summary) -> str:
    given = " with your choices" if summary.task.has_choices else ""
    condition = "" if summary.task.adds_up else ", if costs add up"
    if _is_gap(summary):
        proved = "" if condition else "proved to be "
        return (
            f"{proved}at most {as_share(summary.gap)} below the best{given}{condition}"
        )
    return f"the best{given}{condition}" if condition else f"proved best{given}"


def _is_gap(summary: Summary) -> bool:
    return summary.gap >= _SMALLEST_GAP
