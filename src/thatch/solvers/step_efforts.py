"""How much work single steps of a search do: records that `Effort` puts together.

Each field trades time for quality. Measure the effect of one with
``benchmarks/effort.py`` before you change its default.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import inf
from typing import Any

from thatch.errors import InputError, InputTypeError
from thatch.options import require_integer


class EffortRecord:
    """Fields are checked against their defaults, and shown where they differ."""

    #: Fields that something is divided by, or that keep a loop from ending: at least 1,
    #: where others may be 0.
    at_least_one: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for each in fields(self):  # type: ignore[arg-type]
            value = getattr(self, each.name)
            if value is not each.default:
                least = 1 if each.name in self.at_least_one else 0
                _require_like(each.name, value, each.default, least)

    def __repr__(self) -> str:
        changed = (
            f"{field.name}={getattr(self, field.name)!r}"
            for field in fields(self)  # type: ignore[arg-type]
            if getattr(self, field.name) != field.default
        )
        return f"{type(self).__name__}({', '.join(changed)})"


def _require_like(name: str, value: Any, default: Any, least: int) -> None:
    """Require a value of the same type as the default."""
    # The command line reads the presets' names without NumPy.
    from thatch.arrays import number

    hint = "Leave it out for the default."
    if isinstance(default, tuple) and isinstance(value, tuple):
        for given in value:
            _require_like(name, given, default[0], least)
    elif isinstance(default, WorkRule | EffortRecord | tuple):
        if not isinstance(value, type(default)):
            raise InputTypeError(
                f"{name} is {value!r}; it must have the type of the default, "
                f"{default!r}.",
                hint=hint,
            )
    elif isinstance(default, int):
        require_integer(name, value, least=least, hint=hint)
    elif not least <= number(name, value) < inf:
        raise InputError(
            f"{name} is {value}; it must be finite and at least {least}.", hint=hint
        )


@dataclass(frozen=True)
class WorkRule:
    """Work that grows with a power of the number of edges, within limits.

    The unit is one item or edge looked at, a nanosecond or two.

    >>> WorkRule(factor=20.0, power=1.5, least=1.5e6, most=6e7).at(10_000)
    20000000.0
    """

    #: Work is factor times edges to this power.
    factor: float
    power: float
    #: The least and the most work.
    least: float
    most: float

    def at(self, num_edges: int) -> float:
        """Work for a problem of that size."""
        work: float = self.factor * float(num_edges) ** self.power
        return min(max(work, self.least), self.most)


@dataclass(frozen=True, repr=False)
class CertificateEffort(EffortRecord):
    """What `solve` adds to the answer of any solver; each limit keeps it below 1 s."""

    #: Up to this many edges, a solver without a bound gets one by dual descent.
    max_edges_for_descent: int = 50_000
    #: Iterations of that descent.
    descent_iterations: int = 100
    #: Up to this many edges, a solver with a bound gets another one.
    max_edges_for_second_bound: int = 5_000_000
    #: Up to this many edges, redundant items are dropped.
    max_edges_for_trimming: int = 5_000_000
    #: Time that is kept for these steps, within the time limit.
    seconds_per_edge: float = 2e-7
    #: The same per item where groups have limits, and so prices.
    seconds_per_grouped_item: float = 7e-6


@dataclass(frozen=True, repr=False)
class ComponentEffort(EffortRecord):
    """Limits of the search that solves every connected component by itself."""

    #: Maximum number of items of a component.
    max_items: int = 16
    #: Maximum number of components that are combined: each adds a rounding error.
    max_combined: int = 5_000
    #: After this many combinations, a better one must gain at least the share below.
    combinations_before_min_gain: int = 1_000_000
    #: Share of the best value that a combination must then gain.
    min_gain: float = 1e-10
    #: Seconds per combination on a slow core.
    seconds_per_combination: float = 4e-7


@dataclass(frozen=True, repr=False)
class OverlapEffort(EffortRecord):
    """Work of the bound from overlapping items."""

    #: Steps toward the multipliers, and how often a tangent is added.
    steps: int = 60
    steps_per_tangent: int = 20
    #: Halvings of the interval that has the price.
    bisections: int = 30
    #: Up to this many items, all eigenvalues are computed.
    max_items_for_all_eigenvalues: int = 64
    #: Relative error that the lowest eigenvalue may have, and the tries to prove it.
    eigenvalue_error: float = 1e-3
    max_proofs: int = 12


@dataclass(frozen=True, repr=False)
class PricingEffort(EffortRecord):
    """How a core of items is priced where almost everything can be covered."""

    #: Where the bound is this share of all the weight or more, multipliers say little:
    #: even those of 0 would do.
    saturated_share: float = 0.98
    #: With less of the budget, one share after another, they tell items apart.
    smaller_budgets: tuple[float, ...] = (0.95, 0.98, 0.9)
    #: Their descent takes these iterations on all items, then some on the best ones,
    #: which are priced again after each.
    iterations_on_all: int = 50
    iterations_on_best: int = 600
    pricings: int = 4
    #: Every element keeps this many of its best items.
    items_per_element: int = 5


@dataclass(frozen=True, repr=False)
class RecombinationEffort(EffortRecord):
    """How a recombination search explores, learns and restarts."""

    #: Number of local optima that are remembered.
    max_local_optima: int = 12
    #: Maximum number of nodes of the branch and bound that solves a combination or a
    #: neighborhood.
    nodes_per_combination: int = 50_000
    #: Neighborhoods of the incumbent that are solved again in every round.
    neighborhoods_per_round: int = 4
    #: Items of the incumbent in a neighborhood: at first, at least, at most.
    neighborhood_sizes: tuple[float, float, float] = (8.0, 4.0, 60.0)
    #: The size of each is drawn from this range, relative to the present size.
    neighborhood_draw: tuple[float, float] = (0.5, 1.2)
    #: Factors of the size after a neighborhood that was solved, and one that was not.
    neighborhood_growth: tuple[float, float] = (1.05, 0.9)
    #: An incumbent of fewer items has no neighborhoods.
    min_items_for_neighborhoods: int = 40
    #: The search restarts after this many rounds without progress.
    rounds_before_restart: int = 15
    #: Number of former incumbents that are kept for recombination.
    elite_size: int = 8
    #: How many others are combined with the last local optimum: at first, how many more
    #: after a combination that was solved, and the factor after one that was not.
    combined: tuple[float, float, float] = (2.0, 0.5, 0.8)
    #: First temperature of annealing, relative to the mean value of a chosen item: at
    #: first, at least, at most.
    heats: tuple[float, float, float] = (0.06, 0.004, 1.0)
    #: The last temperature, where it freezes.
    last_heat: float = 0.002
    #: The temperature adapts by this factor, so that annealing exchanges about the
    #: share below of the incumbent.
    heating: float = 1.3
    moved_share: float = 0.25
    #: Weighting is tried where at most this share of the weight is uncovered; the
    #: second share is for elements of equal weight.
    most_uncovered: tuple[float, float] = (0.01, 0.3)
    #: There it is usually the best explorer: its chance is multiplied by this.
    weighting_factor: float = 3.0
    #: Every kind of explorer keeps at least this share, relative to a constant success.
    least_success: float = 0.1
    #: How much a round counts among the former ones.
    learning_rate: float = 0.2
    #: The search is guided by newer multipliers after this many rounds.
    rounds_per_guide: int = 8

    at_least_one = frozenset({"rounds_per_guide"})


@dataclass(frozen=True, repr=False)
class AscentEffort(EffortRecord):
    """Subgradient steps that raise the lower bound of a cover."""

    #: Factor of the steps: of a first ascent, of one from good multipliers, and where
    #: an ascent ends.
    factors: tuple[float, float, float] = (2.0, 0.5, 1e-3)
    #: The factor is halved after this many steps that have not raised the bound.
    patience: int = 30
    #: Share of the bound that a rise must have to count.
    least_rise: float = 1e-6
    #: Share of the previous direction in the next one.
    momentum: float = 0.7
    #: Steps and edges visited between two looks at the clock.
    max_steps_per_slice: int = 20
    edges_per_slice: int = 2_000_000
    #: Share of a time limit that all ascents together take at most.
    time_share: float = 0.15
    #: With more edges, an ascent is repeated only if the cost has fallen to the share
    #: below.
    max_edges_to_repeat: int = 300_000
    lower_cost: float = 0.97
    #: Fixing is worthwhile if it leaves at most this share of the items.
    most_left: float = 0.9


@dataclass(frozen=True, repr=False)
class CoverEffort(EffortRecord):
    """Limits of the search for the cheapest cover."""

    #: Work between two looks at the clock: elements read, about 1e8 per second; at
    #: least this much per edge, since covers are crossed in between.
    work_per_slice: int = 10_000_000
    slice_per_edge: int = 100
    #: At most this much per second that a time limit leaves: a tenth of it or less.
    work_per_second_left: int = 2_000_000
    #: Work of a round of length 1: per edge, at least and at most; and per edge beyond.
    work_per_edge: int = 10_000
    work_limits: tuple[int, int] = (200_000, 10_000_000)
    work_per_further_edge: int = 100
    #: Items of lowest reduced cost per element that take part in a round, one number
    #: per round of a cycle.
    candidates_per_element: tuple[int, ...] = (5, 10, 20, 50)
    #: The same at a large gap, where multipliers say less about the items.
    candidates_at_large_gap: tuple[int, ...] = (50, 10, 50, 20)
    #: If these are more than this share of all, only the search among all goes on.
    most_candidates: float = 0.5
    #: That search has a part for each component with this share of the edges.
    smallest_part: float = 0.01
    #: What weights of elements grow by, relative to the first ones: in the search that
    #: goes on for good, and in those that start anew, in turn. Large tasks need fast
    #: growth, and small ones with much symmetry slow growth.
    weight_growths: tuple[float, ...] = (0.25, 1 / 64, 1 / 16, 1.0)
    #: After this many slices without a cheaper cover, another search starts.
    slices_without_gain: int = 12
    #: The local search has stalled after this many rounds that save less than the share
    #: below, or after more of them if the integer program is hard.
    rounds_without_gain: int = 12
    rounds_if_hard: int = 32
    least_saving: float = 2e-4
    #: With a time limit, the integer program starts at this share of it at the latest.
    share_before_program: float = 0.4
    #: At a larger gap, multipliers say little about the items.
    largest_small_gap: float = 0.1
    #: The integer program is hard at a larger gap than this, unless there are few
    #: edges, and with more edges: it would hardly close the gap, and the local search
    #: may still find a cheaper cover. So it gets the first share of the time if it is
    #: hard, and the second one unless there are few edges. A tree of more edges than
    #: `max_edges_of_small` is hopeless above the second gap, and gets no time.
    largest_gap_to_close: float = 0.03
    largest_gap_of_large: float = 0.003
    max_edges_at_large_gap: int = 3_000
    max_edges_of_small: int = 100_000
    time_share_if_hard: float = 0.1
    time_share_of_tree: float = 0.3
    #: Edges above which it is not tried: with a time limit, without one, and without
    #: one if it is hard. Nodes of large programs take a second or more.
    max_edges_for_program: tuple[int, int, int] = (300_000, 30_000, 2_000)
    #: Nodes without a time limit; and nodes where every element has two items.
    max_nodes: int = 500
    max_vertex_nodes: int = 100_000
    #: Seconds per edge that presolve takes, and the share of the remaining time that it
    #: may take: it often takes most of a cover.
    presolve_seconds_per_edge: float = 2e-7
    presolve_time_share: float = 0.6
    #: Connected components of up to this many items are solved one by one, with this
    #: many nodes each, in a share of the time, where a tree for all is unlikely to end:
    #: above this number of edges.
    max_component_items: int = 100
    max_component_nodes: int = 20_000
    component_time_share: float = 0.1
    least_edges_for_components: int = 30_000

    at_least_one = frozenset({"work_per_slice", "slices_without_gain"})

    def has_time_to_presolve(self, num_edges: int, seconds_left: float) -> bool:
        """Whether presolve takes at most its share of what a time limit leaves."""
        seconds = self.presolve_seconds_per_edge * num_edges
        return seconds <= self.presolve_time_share * seconds_left
