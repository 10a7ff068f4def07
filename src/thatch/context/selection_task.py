"""Selection tasks: the chunks that may be selected, as a coverage problem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from thatch.arrays import Floats, Ints, sums_by
from thatch.context.candidates import Candidates, candidates_of
from thatch.context.companions import companions_of
from thatch.context.objective import coverage_of
from thatch.context.pool import Pool
from thatch.context.printing import Printing
from thatch.context.rendering import Order
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.edges import Edges
from thatch.problem.selection import Selection

__all__ = ["SelectionTask"]


@dataclass(frozen=True, eq=False)
class SelectionTask:
    """Chunks with their relevance and costs, and how a selection is printed.

    The items of the problem are the candidates; a candidate is printed with its
    companions.
    """

    texts: Sequence[str]
    pool: Pool
    #: float64, shape (num_chunks,): from 0 to 1.
    relevances: Floats
    #: int64, shape (num_items,): the candidates, by their index in the input.
    candidates: Ints
    #: int64, shape (num_chunks,): the chunk that says what each says, or itself.
    originals: Ints
    #: Costs are sizes as printed. The first elements are what each item has for itself;
    #: the last ones, one per required item, are there to have it selected.
    problem: CoverageProblem
    #: int64: the items that must be selected.
    required: Ints
    #: int64: the items whose selection is worth more than all else: the required ones,
    #: and the most relevant one if it fits.
    preferred: Ints
    #: float64, shape (num_items,): costs with headers and companions.
    charges: Floats
    #: Chunks that accompany others, by the index of the other.
    companions: Mapping[int, Sequence[int]]
    printing: Printing
    order: Order
    #: Group of each item; empty if there are no groups.
    groups: Sequence[str] = ()
    #: Maximum number of items per group. Default: no limit.
    per_group: int | None = None

    @classmethod
    def of(
        cls,
        texts: Sequence[str],
        pool: Pool,
        relevances: Floats,
        *,
        printing: Printing,
        order: Order = Order.SOURCE,
        window: int = 0,
        required: Ints,
        embeddings: Floats | None = None,
        groups: Sequence[str] | None = None,
        per_group: int | None = None,
    ) -> SelectionTask:
        """Choose and measure candidates, and make them a problem.

        Parameters
        ----------
        texts, pool, relevances
            The chunks.
        printing, order
            How they are printed and measured, and the budget.
        window
            How many neighbors on each side accompany a chunk.
        required
            Chunks that must be selected.
        embeddings
            One row per chunk, to find near-copies. Default: none.
        groups, per_group
            The group of each chunk, and how many of a group may be selected.
        """
        found = candidates_of(
            texts,
            pool,
            relevances,
            printing=printing,
            required=required,
            embeddings=embeddings,
        )
        chosen = found.chunks.tolist()
        companions = companions_of(
            texts, pool.structure, pool.headings, pool.sources, window=window
        )
        companions, charges = _charged(found, companions, texts, pool, printing)
        items = np.searchsorted(found.chunks, required)
        preferred = _with_best(items, relevances[found.chunks], charges, printing.room)
        problem = coverage_of(
            pool.terms.restricted_to(found.chunks),
            relevances[found.chunks],
            found.costs,
            printing.room,
        )
        return cls(
            texts=texts,
            pool=pool,
            relevances=relevances,
            candidates=found.chunks,
            originals=found.originals,
            problem=_preferring(problem, preferred),
            required=items,
            preferred=preferred,
            charges=charges,
            companions=companions,
            printing=printing,
            order=order,
            groups=() if groups is None else [groups[k] for k in chosen],
            per_group=per_group,
        )

    @property
    def has_companions(self) -> bool:
        """Whether items are printed with more than themselves."""
        return not np.array_equal(self.charges, self.problem.costs)

    def value(self, selection: Selection) -> float:
        """Relevant size that a selection covers."""
        is_covered = selection.covered.copy()
        is_covered[is_covered.size - self.preferred.size :] = False
        return self.problem.weight_of(is_covered)

    def upper_bound(self, bound: float) -> float:
        """The bound of the problem, without the weight of preferred items."""
        return bound - self._preference * self.preferred.size

    def gains(self, selection: Selection) -> Floats:
        """What each item would add to a selection: float64, shape (num_items,)."""
        edges = self.problem.edges
        weights = np.where(selection.covered, 0.0, self.problem.weights)
        items = np.repeat(np.arange(self.problem.num_items), edges.item_degrees)
        return sums_by(items, weights[edges.item_elements], self.problem.num_items)

    def own_gains(self, selection: Selection) -> list[float]:
        """What the value would lose without each selected item."""
        added = np.isin(selection.items, self.preferred) * self._preference
        losses: Floats = selection.contributions - added
        return list(map(float, np.maximum(losses, 0.0)))

    @property
    def _preference(self) -> float:
        """Weight of the element that has a preferred item selected."""
        return float(self.problem.weights[-1]) if self.preferred.size else 0.0

    def printed(self, items: Iterable[int]) -> list[int]:
        """Indices of the chunks that a selection prints, in order."""
        chosen = {int(self.candidates[item]) for item in items}
        for k in list(chosen):
            chosen.update(self.companions.get(k, ()))
        return self._ordered(chosen)

    def _ordered(self, chosen: set[int]) -> list[int]:
        places = np.empty(len(self.texts), dtype=np.int64)
        places[self.pool.structure.order] = np.arange(len(self.texts))
        in_source = sorted(chosen, key=lambda k: int(places[k]))
        if self.order is Order.SOURCE:
            return in_source
        best_first = sorted(in_source, key=lambda k: -float(self.relevances[k]))
        if self.order is Order.RELEVANCE:
            return best_first
        # The best one first, the next one last, and so on: models read the ends best.
        return best_first[::2] + best_first[1::2][::-1]

    def size(self, items: Iterable[int]) -> float:
        """Size of the printed text of a selection."""
        sources = self.pool.sources
        return self.printing.size(
            [(sources[k], self.texts[k]) for k in self.printed(items)]
        )


def _charged(
    found: Candidates,
    companions: Mapping[int, Sequence[int]],
    texts: Sequence[str],
    pool: Pool,
    printing: Printing,
) -> tuple[Mapping[int, Sequence[int]], Floats]:
    """Companions of candidates that fit the budget with them, and the costs of both."""
    sources = pool.sources
    chunks = found.chunks.tolist()
    charges = found.costs + printing.header_costs([sources[k] for k in chunks])
    needed = {k: companions[k] for k in chunks if k in companions}
    measured = sorted({c for each in needed.values() for c in each})
    costs = printing.costs([(sources[c], texts[c]) for c in measured]).tolist()
    cost_of = dict(zip(measured, costs, strict=True))
    kept = {}
    for item, k in enumerate(chunks):
        added = sum(cost_of[c] for c in needed.get(k, ()))
        if k in needed and charges[item] + added <= printing.room:
            charges[item] += added
            kept[k] = needed[k]
    return kept, charges


def _with_best(
    required: Ints, relevances: Floats, charges: Floats, room: float
) -> Ints:
    """The required items, and the most relevant one if it fits with them."""
    if not relevances.size or relevances.max() <= 0:
        return required
    best = int(np.argmax(relevances))
    is_fitting = charges[required].sum() + charges[best] <= room
    return required if best in required or not is_fitting else np.append(required, best)


def _preferring(problem: CoverageProblem, items: Ints) -> CoverageProblem:
    """The problem with an element per preferred item that weighs more than all else."""
    edges, total = problem.edges, float(problem.weights.sum())
    owners = np.repeat(np.arange(problem.num_items), edges.item_degrees)
    added = problem.num_elements + np.arange(items.size)
    return CoverageProblem(
        problem.costs,
        np.concatenate([problem.weights, np.full(items.size, 1.0 + total)]),
        problem.budget,
        Edges.between(
            np.concatenate([owners, items]),
            np.concatenate([edges.item_elements, added]),
            num_items=problem.num_items,
            num_elements=problem.num_elements + items.size,
        ),
    )
