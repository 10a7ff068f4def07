"""Summary tasks: passages with their costs and concepts, as a coverage problem."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from thatch.arrays import Flags, Floats, Indices, Ints, distinct, number
from thatch.errors import InputError
from thatch.machine.caching import cached_property
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.edges import Edges
from thatch.text.concepts.occurrences import ConceptTable
from thatch.text.concepts.query_focus import QueryFocus
from thatch.text.costs.layout import Layout
from thatch.text.costs.units import Unit
from thatch.text.language.terms import is_telling
from thatch.text.passages.passages import Granularity, Passages

_STRUCK_OUT = "struck out"


@dataclass(frozen=True, eq=False)
class SummaryTask:
    """A coverage problem made of passages: what may be selected, covered and spent.

    The items are the passages that may be selected, and passages together with their
    antecedents; the elements are the concepts, then the requirements.

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
    #: are printed.
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
    #: For passages that refer to another, the index of that one.
    antecedents: Mapping[int, int] = field(default_factory=dict)
    #: bool, one per pair of the table: whether the passage covers the concept only
    #: where its antecedent is selected as well. Default: False for all.
    needs_antecedent: Flags | None = None

    #: How much the relevance to a query weighs. Default: there is no query.
    focus: QueryFocus | None = None

    def with_budget(self, budget: float) -> SummaryTask:
        """Return the same task under another budget."""
        given = checked_budget(budget)
        table = self.table if self.focus is None else self.focus.at(self.table, given)
        return replace(self, budget=given, table=table)

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

    def with_choices(
        self, *, pinned: Iterable[int] = (), struck: Iterable[int] = ()
    ) -> SummaryTask:
        """Return the same task with passages that are chosen by hand.

        Parameters
        ----------
        pinned
            Indices of passages that must be selected.
        struck
            Indices of passages that must not be selected.

        Raises
        ------
        InputError
            If an index is not that of a passage, or a pinned passage may not be
            selected.

        >>> from thatch import Summarizer
        >>> task = Summarizer().task("Snow fell. Snow fell all day. We left.", budget=4)
        >>> Summarizer().summary_of(task.with_choices(struck=[1])).text
        'Snow fell. We left.'
        """
        out = dict.fromkeys(self._checked("struck", struck), _STRUCK_OUT)
        ruled_out = {**self.ruled_out, **out}
        required = self._checked("pinned", pinned)
        for p in required:
            if p in ruled_out:
                raise InputError(
                    f"passage {p} is pinned but may not be chosen: {ruled_out[p]}.",
                    hint="Unpin it, or change what rules it out.",
                )
        return replace(
            self,
            choosable=np.array(
                [p for p in self.choosable.tolist() if p not in out], dtype=np.int64
            ),
            ruled_out=ruled_out,
            requirements=[*self.requirements, *(np.array([p]) for p in required)],
            antecedents={
                p: q for p, q in self.antecedents.items() if not {p, q} & out.keys()
            },
        )

    @property
    def has_choices(self) -> bool:
        """Whether some passages must be selected, or were struck out by hand."""
        return bool(self.requirements) or _STRUCK_OUT in self.ruled_out.values()

    def _checked(self, name: str, passages: Iterable[int]) -> list[int]:
        found = list(dict.fromkeys(passages))
        for p in found:
            if not 0 <= p < len(self.passages):
                raise InputError(
                    f"{name} contains {p}; there are {len(self.passages)} passages, "
                    "numbered from 0.",
                    hint="Use numbers from a task with the same text and settings.",
                )
        return found

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """What may be selected, as printed; one text per item."""
        alone = [self.printed_passage(p) for p in self.choosable.tolist()]
        joint = [
            self.layout.joined(map(self.printed_passage, members))
            for members in self._members[self.choosable.size :]
        ]
        return *alone, *joint

    @cached_property
    def _members(self) -> list[tuple[int, ...]]:
        """Passages of each item: every passage alone, then those with antecedents."""
        choosable = self.choosable.tolist()
        joint = [(self.antecedents[p], p) for p in choosable if p in self.antecedents]
        return [*((p,) for p in choosable), *joint]

    def passages_of(self, items: Iterable[int]) -> list[int]:
        """Indices of the passages that items consist of, in the order of printing."""
        found = {p for i in items for p in self._members[i]}
        return sorted(found, key=self._rank.__getitem__)

    @cached_property
    def _rank(self) -> dict[int, int]:
        return {p: k for k, p in enumerate(self.choosable.tolist())}

    def items_of(self, passages: Iterable[int]) -> list[int]:
        """Indices of the items that passages consist of.

        Those whose antecedents are among them are items together with these.
        """
        given = set(passages)
        joint = {
            self.choosable.size + k: members
            for k, members in enumerate(self._members[self.choosable.size :])
            if given.issuperset(members)
        }
        alone = given.difference(*joint.values())
        return sorted([*joint, *(self._rank[p] for p in alone)])

    def is_counted(self, passages: Collection[int]) -> Flags:
        """Whether each pair of the table counts if these passages are selected."""
        if self.needs_antecedent is None:
            return np.ones(self.table.passage_indices.size, dtype=np.bool_)
        selected = set(passages)
        has_antecedent = np.zeros(len(self.passages), dtype=np.bool_)
        has_antecedent[[p for p, q in self.antecedents.items() if q in selected]] = True
        return ~self.needs_antecedent | has_antecedent[self.table.passage_indices]

    def printed_passage(self, p: int) -> str:
        """Passage p as printed, with its heading."""
        return self.layout.printed(self.passages.all[p], self.passages)

    @cached_property
    def concept_names(self) -> list[str]:
        """Names of the concepts, in the most frequent spelling of the text."""
        return self.table.names(self.passages.spellings)

    @cached_property
    def terms_of_concepts(self) -> list[tuple[str, ...]]:
        """The terms of each concept that explain it: those that are not stop words."""
        is_own = self.table.is_shown is None
        stop = frozenset[str]() if is_own else self.passages.stop_terms
        return self.table.terms(without=stop)

    @cached_property
    def words_of_concepts(self) -> list[str]:
        """The words of each concept that explain it: its name without stop words."""
        spelling = self.passages.spellings
        return [
            " ".join(spelling.get(term, term) for term in terms)
            for terms in self.terms_of_concepts
        ]

    @cached_property
    def is_concept_shown(self) -> Flags:
        """Whether each concept tells a reader what a passage is about."""
        language = self.passages.language
        names = (words.split() for words in self.words_of_concepts)
        tells = [any(is_telling(word, language) for word in words) for words in names]
        return self.table.shown & np.array(tells, dtype=np.bool_)

    @property
    def adds_up(self) -> bool:
        """Whether the size of the printed text is the sum of the items' costs.

        Only then do the solver's bounds apply to the printed text.
        """
        return self.counts_passages or self.layout.adds_up(self.unit, self.texts)

    def measure(self, items: Sequence[int]) -> float:
        """Size of the items as printed; 0 if there are none."""
        if self.counts_passages:
            return len(self.passages_of(items))
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
        return self.unit.measure(self.printed_passage(p))

    @property
    def passage_costs(self) -> list[float]:
        """Size of each passage printed alone; faster than one by one."""
        places = range(len(self.passages))
        if self.counts_passages:
            return [1] * len(places)
        return self.unit.measure_each(map(self.printed_passage, places))

    @property
    def size(self) -> float:
        """Size of all passages that may be selected, printed together."""
        return self.measure(range(self.choosable.size))

    def printed(self, items: Iterable[int]) -> str:
        """The items as printed, without the names of groups."""
        return self.layout.joined(map(self.printed_passage, self.passages_of(items)))

    def arranged(
        self,
        passages: Sequence[int],
        texts: Iterable[str],
        escape: Callable[[str], str] = str,
    ) -> str:
        """Return texts of passages, each group under its name if there are groups.

        Names are escaped; the texts have been.
        """
        if not self.groups:
            return self.layout.joined(texts)
        members: dict[str, list[str]] = {}
        for p, text in zip(passages, texts, strict=True):
            members.setdefault(escape(self.groups[p]), []).append(text)
        return "\n\n".join(
            f"## {group}\n\n{self.layout.joined(of_group)}"
            for group, of_group in members.items()
        )

    @cached_property
    def problem(self) -> CoverageProblem:
        """The coverage problem of the task.

        A requirement weighs more than all concepts together, so that a selection which
        meets one requirement more is always better.
        """
        num_concepts = len(self.table.concepts)
        num_elements = num_concepts + len(self.requirements)
        passages = np.concatenate([self.table.passage_indices, *self.requirements])
        sizes = np.array([each.size for each in self.requirements], dtype=np.int64)
        required = np.repeat(np.arange(num_concepts, num_elements), sizes)
        elements = np.append(self.table.concept_indices, required.astype(np.int32))
        items, elements = self._edges(passages, elements, num_elements)
        weights = np.append(
            self.table.weights, [self._requirement_weight] * len(self.requirements)
        )
        costs, budget = self._costs_and_budget()
        return CoverageProblem(
            costs,
            weights,
            budget,
            Edges.between(
                items,
                elements,
                num_items=len(self._members),
                num_elements=num_elements,
            ),
        )

    def _edges(
        self, passages: Indices, elements: Indices, num_elements: int
    ) -> tuple[Indices, Indices]:
        """Items and elements of the edges, given which passage covers what."""
        item_of = np.full(len(self.passages), -1, dtype=np.int32)
        item_of[self.choosable] = np.arange(self.choosable.size)
        is_alone = item_of[passages] >= 0
        if self.needs_antecedent is not None:
            is_alone[: self.needs_antecedent.size] &= ~self.needs_antecedent
        items, covered = item_of[passages[is_alone]], elements[is_alone]
        joint = self._members[self.choosable.size :]
        if not joint:
            return items, covered
        # A passage is the antecedent of one other at most. What both cover counts once.
        found = []
        for members in zip(*joint, strict=True):
            item_of[:] = -1
            item_of[list(members)] = self.choosable.size + np.arange(len(joint))
            is_joint = item_of[passages] >= 0
            item = item_of[passages[is_joint]].astype(np.int64)
            found.append(item * num_elements + elements[is_joint])
        pairs = distinct(*found)
        return (
            np.append(items, (pairs // num_elements).astype(np.int32)),
            np.append(covered, (pairs % num_elements).astype(np.int32)),
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
            return np.array([float(len(each)) for each in self._members]), self.budget
        costs = self.layout.costs(self.texts, self.unit)
        return costs, self.layout.budget(self.budget, self.unit)


def checked_budget(budget: float) -> float:
    """Return a budget as a float.

    >>> checked_budget(100)
    100.0
    """
    given = number("budget", budget)
    if not (np.isfinite(given) and given >= 0):
        raise InputError(
            f"budget is {budget}; a budget must be finite and non-negative.",
            hint="Pass the maximum size of the text.",
        )
    return given
