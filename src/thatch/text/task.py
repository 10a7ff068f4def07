"""Summary tasks: passages with their costs and concepts, as a coverage problem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from thatch.arrays import Floats, Ints, number
from thatch.caching import cached_property
from thatch.errors import InputError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.edges import Edges
from thatch.text.concepts.occurrences import ConceptTable
from thatch.text.costs.layout import Layout
from thatch.text.costs.units import Unit
from thatch.text.passages.passages import Granularity, Passages

__all__ = ["SummaryTask", "checked_budget"]


@dataclass(frozen=True, eq=False)
class SummaryTask:
    """A coverage problem made of passages: what may be selected, covered and spent.

    The items are the passages that may be selected; the elements are the concepts, then
    the requirements.

    >>> from thatch import Summarizer
    >>> task = Summarizer().task("Snow fell. We left.", budget=4)
    >>> task.texts
    ('Snow fell.', 'We left.')
    """

    #: All passages of the documents.
    passages: Passages
    #: Which passage contains which concept, and the weights.
    table: ConceptTable
    #: int64: indices of the passages that may be selected, in the order in which they
    #: are printed; one per item.
    choosable: Ints
    #: Why each of the other passages may not be selected.
    ruled_out: Mapping[int, str]
    #: For each requirement, the passages of which at least one must be selected.
    requirements: Sequence[Ints]
    #: How passages are printed.
    layout: Layout
    #: What the budget measures.
    unit: Unit
    #: Maximum size of the printed summary.
    budget: float
    #: Name of the group of each passage; empty if there are no groups.
    groups: Sequence[str] = ()
    #: Maximum number of passages per group. Default: no limit.
    per_group: int | None = None

    def with_budget(self, budget: float) -> SummaryTask:
        """Return the same task under another budget."""
        return replace(self, budget=checked_budget(budget))

    def with_ratio(self, ratio: float) -> SummaryTask:
        """Return the same task with a share of its own size as its budget.

        >>> from thatch import Summarizer
        >>> task = Summarizer().task("Snow fell. We left.", budget=0)
        >>> task.with_ratio(0.5).budget
        2.0
        """
        if not 0.0 <= number("ratio", ratio) <= 1.0:
            raise InputError(
                f"ratio is {ratio}; it must be from 0 to 1.",
                hint="Pass 0.2 for a fifth of the text.",
            )
        # In floating point, 0.29 x 100 is less than 29.
        return self.with_budget(round(ratio * self.size, 6))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The passages that may be selected, as printed; one per item."""
        passages = self.passages
        return tuple(
            self.layout.printed(passages.all[p], passages)
            for p in self.choosable.tolist()
        )

    @cached_property
    def concept_names(self) -> list[str]:
        """Names of the concepts, in the most frequent spelling of the text."""
        return self.table.names(self.passages.spellings)

    @cached_property
    def words_of_concepts(self) -> list[str]:
        """The words of each concept that explain it: its name without stop words."""
        is_own = self.table.is_shown is None
        stop = frozenset[str]() if is_own else self.passages.stop_terms
        return self.table.names(self.passages.spellings, without=stop)

    @property
    def adds_up(self) -> bool:
        """Whether the size of the printed text is the sum of the items' costs.

        Only then do the solver's bounds apply to the printed text.
        """
        return self.counts_passages or self.layout.adds_up(self.unit, self.texts)

    def measure(self, items: Sequence[int]) -> float:
        """Size of the items as printed; 0 if there are none."""
        if self.counts_passages:
            return len(items)
        return self.unit.measure(self.printed(items)) if len(items) else 0

    @property
    def counts_passages(self) -> bool:
        """Whether the budget counts sentences, and sentences are selected.

        They are counted as selected: splitting the printed text again could join some
        and divide others.
        """
        return self.unit.counts_sentences and self.passages.by is Granularity.SENTENCE

    def cost_of(self, p: int) -> float:
        """Size of passage p printed alone, with its heading."""
        if self.counts_passages:
            return 1
        passage = self.passages.all[p]
        return self.unit.measure(self.layout.printed(passage, self.passages))

    @property
    def size(self) -> float:
        """Size of all passages that may be selected, printed together."""
        return self.measure(range(self.choosable.size))

    def printed(self, items: Iterable[int]) -> str:
        """The items as printed, in the order given, without the names of groups."""
        return self.layout.joined(self.texts[i] for i in items)

    def arranged(self, items: Sequence[int], texts: Iterable[str]) -> str:
        """Return the texts of items, each group under its name if there are groups."""
        if not self.groups:
            return self.layout.joined(texts)
        members: dict[str, list[str]] = {}
        for group, text in zip(self.groups_of(items), texts, strict=True):
            members.setdefault(group, []).append(text)
        return "\n\n".join(
            f"## {group}\n\n{self.layout.joined(of_group)}"
            for group, of_group in members.items()
        )

    def groups_of(self, items: Sequence[int]) -> list[str]:
        """Name of the group of each item."""
        return [self.groups[p] for p in self.choosable[list(items)].tolist()]

    @cached_property
    def problem(self) -> CoverageProblem:
        """The coverage problem of the task.

        A requirement weighs more than all concepts together, so that a selection which
        meets one requirement more is always better.
        """
        num_concepts = len(self.table.concepts)
        num_items, num_elements = (
            self.choosable.size,
            num_concepts + len(self.requirements),
        )
        item_of = np.full(len(self.passages), -1, dtype=np.int32)
        item_of[self.choosable] = np.arange(num_items)
        items = np.concatenate(
            [
                item_of[self.table.passage_indices],
                *(item_of[passages] for passages in self.requirements),
            ]
        )
        elements = np.concatenate(
            [
                self.table.concept_indices,
                *(
                    np.full(passages.size, num_concepts + k, dtype=np.int32)
                    for k, passages in enumerate(self.requirements)
                ),
            ]
        )
        is_choosable = items >= 0
        weights = np.append(
            self.table.weights, [self._requirement_weight] * len(self.requirements)
        )
        costs, budget = self._costs_and_budget()
        return CoverageProblem(
            costs,
            weights,
            budget,
            Edges.between(
                items[is_choosable],
                elements[is_choosable],
                num_items=num_items,
                num_elements=num_elements,
            ),
        )

    @property
    def weight_of_requirements(self) -> float:
        """Total weight of the requirements, which is not part of a summary's value."""
        return self._requirement_weight * len(self.requirements)

    @property
    def _requirement_weight(self) -> float:
        # Not a constant: rounding errors of a large one would hide small weights.
        return 2.0 * float(self.table.weights.sum()) or 1.0

    def _costs_and_budget(self) -> tuple[Floats, float]:
        if self.counts_passages:
            return np.ones(self.choosable.size), self.budget
        costs = self.layout.costs(self.texts, self.unit)
        return costs, self.layout.budget(self.budget, self.unit)


def checked_budget(budget: float) -> float:
    """Return a budget as a float.

    Raises
    ------
    InputError, InputTypeError
        If it is negative or infinite, or not a number.

    >>> checked_budget(100)
    100.0
    """
    given = number("budget", budget)
    if not (np.isfinite(given) and given >= 0):
        raise InputError(
            f"budget is {budget}; a budget must be finite and non-negative.",
            hint="Pass the maximum size of the summary.",
        )
    return given
