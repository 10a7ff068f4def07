"""Selection tasks: the chunks that may be selected, as a coverage problem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from thatch.arrays import Flags, Floats, Ints, sums_by
from thatch.context.selection.candidates import candidates_of, charges_of
from thatch.context.selection.objective import coverage_of, densities
from thatch.context.selection.ranked_pool import RankedPool
from thatch.machine.caching import cached_property
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.edges import Edges
from thatch.problem.selection import Selection


@dataclass(frozen=True, eq=False)
class SelectionTask:
    """Chunks that may be selected, with their costs.

    The items of the problem are the candidates; a candidate is printed with its
    companions.
    """

    ranked: RankedPool
    #: The greatest weight per token of a chunk that is not a candidate.
    greatest_density_left: float
    #: int64, shape (num_items,): the candidates, by their index in the input.
    candidates: Ints
    #: int64, shape (num_chunks,): the chunk that says what each says, or itself.
    originals: Ints
    #: Costs are sizes as printed. The first elements are what each item has for itself;
    #: the last ones, one per required item, are there to have it selected.
    problem: CoverageProblem
    #: int64: the items whose selection is worth more than all else: the required ones,
    #: and the most relevant one if it fits.
    preferred: Ints
    #: float64, shape (num_items,): costs with headers and companions.
    charges: Floats
    #: Chunks that accompany others, by the index of the other.
    companions: Mapping[int, Sequence[int]]
    #: int64: chunks that must not be selected.
    excluded: Ints
    #: Group of each item; empty if there are no groups.
    groups: Sequence[str] = ()
    #: Maximum number of items per group. Default: no limit.
    per_group: int | None = None

    @classmethod
    def of(
        cls,
        ranked: RankedPool,
        *,
        window: int = 0,
        required: Ints,
        excluded: Ints,
        embeddings: Floats | None = None,
        groups: Sequence[str] | None = None,
        per_group: int | None = None,
        times_budget: float = inf,
        max_edges: float = inf,
    ) -> SelectionTask:
        """Choose and measure candidates, and make them a problem.

        Arguments are as in `candidates_of`, `charges_of` and `coverage_of`; `window` is
        how many neighbors on each side accompany a chunk.
        """
        found = candidates_of(
            ranked,
            required=required,
            excluded=excluded,
            embeddings=embeddings,
            times_budget=times_budget,
        )
        charges = charges_of(
            found,
            _without(ranked.companions(window), excluded),
            ranked,
            required=required,
            groups=groups,
            per_group=per_group,
        )
        problem = coverage_of(
            ranked.pool.terms.restricted_to(found.chunks),
            ranked.worths[found.chunks],
            charges.costs,
            ranked.printing.room,
            max_edges=max_edges,
        )
        return cls(
            ranked,
            greatest_density_left=float(densities(np.array(found.greatest_left))),
            candidates=found.chunks,
            originals=found.originals,
            problem=_preferring(problem, charges.preferred),
            preferred=charges.preferred,
            charges=charges.charges,
            companions=charges.companions,
            excluded=excluded,
            groups=() if groups is None else [groups[k] for k in found.chunks.tolist()],
            per_group=per_group,
        )

    @property
    def budget(self) -> float:
        """Maximum size of the printed text."""
        return self.ranked.printing.budget

    @cached_property
    def charged_problem(self) -> CoverageProblem:
        """The problem where every item is charged its header and companions, too."""
        if np.array_equal(self.charges, self.problem.costs):
            return self.problem
        return self.problem.with_costs(self.charges)

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

    def is_open(self, selection: Selection) -> Flags:
        """Items of groups that may have more than a selection has of them."""
        if self.per_group is None:
            return np.ones(self.problem.num_items, dtype=np.bool_)
        counts = Counter(self.groups[i] for i in selection.items.tolist())
        is_free = [counts[group] < self.per_group for group in self.groups]
        return np.array(is_free, dtype=np.bool_)

    def is_exhausted_by(self, selection: Selection) -> bool:
        """Whether the limit per group keeps all other candidates out."""
        if self.per_group is None or self.greatest_density_left <= 0:
            return False
        is_open = self.is_open(selection)
        is_open[selection.items] = False
        return not is_open.any()

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
        return self.ranked.ordered(chosen)

    def size(self, items: Iterable[int]) -> float:
        """Size of the printed text of a selection."""
        return self.ranked.size(self.printed(items))

    def is_too_long(self, item: int) -> bool:
        """Whether an item exceeds the budget, printed alone."""
        is_within = self.problem.costs[item] <= self.problem.budget
        return not is_within and not self.ranked.fits([int(self.candidates[item])])


def _without(
    companions: Mapping[int, Sequence[int]], excluded: Ints
) -> Mapping[int, Sequence[int]]:
    if not excluded.size:
        return companions
    left_out = set(excluded.tolist())
    return {
        k: [other for other in others if other not in left_out]
        for k, others in companions.items()
    }


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
