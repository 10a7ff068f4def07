"""How much work `Auto` spends on each of its steps, and when it moves on."""

from __future__ import annotations

from dataclasses import dataclass, fields

from thatch.errors import InputError

__all__ = ["Effort", "WorkRule"]


@dataclass(frozen=True)
class WorkRule:
    """Work that grows with a power of the number of edges, within limits.

    The unit is one item or edge looked at, a nanosecond or two.

    >>> WorkRule(factor=20.0, power=1.5, least=1.5e6, most=6e7).at(10_000)
    20000000.0
    """

    factor: float
    power: float
    least: float
    most: float

    def at(self, num_edges: int) -> float:
        """Work for a problem of that size."""
        work: float = self.factor * float(num_edges) ** self.power
        return min(max(work, self.least), self.most)


@dataclass(frozen=True, repr=False)
class Effort:
    """Limits of every step of `Auto`; the presets are `fast`, `default`, `thorough`.

    A time limit ends any of them early. Without one, the effort decides when `Auto`
    stops.

    >>> Effort.fast().descent_iterations < Effort().descent_iterations
    True
    >>> Effort(descent_iterations=500)
    Effort(descent_iterations=500)
    """

    # Which steps are taken.
    #: Up to this many items, every selection is tried.
    max_items_exhaustive: int = 14
    #: Up to this many items, a short descent and a branch come before everything else:
    #: they prove most small problems.
    max_items_to_settle_first: int = 60
    #: Above this many edges, belief propagation finds a better start than local search.
    min_edges_for_messages: int = 5_000
    #: Up to this many edges, local search and a bound are tried before belief
    #: propagation: on a text they mostly suffice.
    min_edges_for_messages_first: int = 20_000
    #: Local search looks at all items for every exchange: above this many, minutes of
    #: it gain nothing.
    max_items_to_search: int = 30_000

    # Time, where it is short.
    #: Seconds per edge that greedy selection takes on a slow core.
    greedy_seconds_per_edge: float = 6e-7
    #: Seconds per edge that presolve takes on a slow core.
    presolve_seconds_per_edge: float = 1.5e-6
    #: Share of the remaining time that belief propagation may use.
    messages_time_share: float = 0.5

    # Belief propagation.
    #: Iterations on problems of up to `many_edges_for_messages` edges.
    message_iterations: int = 150
    #: Iterations on larger problems, where more of them improve little.
    message_iterations_many_edges: int = 60
    many_edges_for_messages: int = 500_000
    #: Iterations where a GPU is used alone, and of the dual descent after them.
    gpu_message_iterations: int = 100
    gpu_descent_iterations: int = 200

    # Dual descent and variable fixing.
    #: The most iterations of one descent.
    descent_iterations: int = 300
    #: Iterations between two evaluations of the bound.
    descent_iterations_per_point: int = 50
    #: The descent ends when it closes less than this share of the gap between two
    #: evaluations.
    min_descent_progress: float = 0.1
    #: From this many edges on an evaluation takes long, and the bound is often all that
    #: can be proved: evaluations are rarer, and the descent continues for longer.
    many_edges_for_descent: int = 100_000
    descent_iterations_per_point_many_edges: int = 100
    min_descent_progress_many_edges: float = 0.03
    #: Iterations of the short descent before the first branch of a small problem.
    first_descent_iterations: int = 20
    #: Variable fixing is repeated while it leaves at most this share of the items.
    max_free_share: float = 0.95

    # Branch and bound.
    #: The most nodes of one branch: a quarter of a second.
    max_nodes: int = 3_000_000
    #: The most nodes of the first branch of a small problem.
    first_nodes: int = 30_000
    #: A branch is as deep as there are items: with more of them there is none.
    max_items_to_branch: int = 5_000
    #: Looking at this many items or edges takes as long as one node.
    work_per_node: int = 30

    # Local and recombination search.
    #: Work of the first round of the search; each later one takes twice as much, up to
    #: its largest value.
    first_work: WorkRule = WorkRule(20.0, 1.5, 1.5e6, 6e7)
    #: Work of all rounds together, if there is no time limit.
    total_work: WorkRule = WorkRule(20.0, 1.8, 4e6, 4e9)
    #: Work of the local search that comes before belief propagation.
    work_before_messages: float = 3e6
    #: Work of a local search between two checks of the stopping rules.
    work_per_check: int = 4_000_000
    #: How many local optima are remembered, and how many of them are combined with the
    #: incumbent at a time.
    max_local_optima: int = 12
    num_combined: tuple[int, ...] = (2, 4)
    #: The most nodes of the branch that solves a combination or a neighborhood.
    nodes_per_combination: int = 50_000
    #: Neighborhoods of the incumbent that are solved again in every round, and how many
    #: of its items they contain: at first, at least, at most.
    neighborhoods_per_round: int = 4
    neighborhood_sizes: tuple[float, float, float] = (8.0, 4.0, 60.0)
    #: An incumbent of fewer items has no neighborhoods.
    min_items_for_neighborhoods: int = 40
    #: The search restarts after this many rounds without progress, and keeps this many
    #: former incumbents as its elite.
    rounds_without_progress: int = 6
    elite_size: int = 8

    # Integer programming, within a time limit.
    #: The most edges, and the fewest seconds, for which HiGHS is called.
    max_edges_to_program: int = 200_000
    min_seconds_to_program: float = 0.5

    @classmethod
    def fast(cls) -> Effort:
        """An answer soon: short searches, a bound from few iterations."""
        return cls(
            message_iterations=60,
            descent_iterations=100,
            max_nodes=100_000,
            first_work=WorkRule(20.0, 1.5, 3e5, 3e6),
            total_work=WorkRule(20.0, 1.5, 5e5, 1e7),
            work_before_messages=1e6,
            nodes_per_combination=10_000,
        )

    @classmethod
    def default(cls) -> Effort:
        """The effort of `Auto()`: stops when more work is unlikely to help."""
        return cls()

    @classmethod
    def thorough(cls) -> Effort:
        """Ten times the search, longer descents, larger branches."""
        return cls(
            message_iterations=300,
            message_iterations_many_edges=150,
            descent_iterations=1_000,
            min_descent_progress=0.02,
            min_descent_progress_many_edges=0.01,
            max_nodes=30_000_000,
            total_work=WorkRule(200.0, 1.8, 4e8, 4e10),
            nodes_per_combination=200_000,
        )

    @classmethod
    def named(cls, name: str) -> Effort:
        """Return the preset of that name.

        >>> Effort.named("default") == Effort()
        True
        """
        if name not in PRESETS:
            raise InputError(
                f"effort is {name!r}; it must be one of {', '.join(PRESETS)}.",
                hint="Leave it out for default.",
            )
        preset: Effort = getattr(cls, name)()
        return preset

    def __repr__(self) -> str:
        changed = (
            f"{field.name}={getattr(self, field.name)!r}"
            for field in fields(self)
            if getattr(self, field.name) != field.default
        )
        return f"Effort({', '.join(changed)})"


#: Names of the presets.
PRESETS = ("fast", "default", "thorough")
