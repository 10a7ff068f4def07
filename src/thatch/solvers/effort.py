"""How much work `Auto` spends on each of its steps, and when it moves on."""

from __future__ import annotations

from dataclasses import dataclass

from thatch.errors import InputTypeError
from thatch.options import require_choice
from thatch.solvers.step_efforts import (
    AscentEffort,
    CertificateEffort,
    ComponentEffort,
    CoverEffort,
    EffortRecord,
    OverlapEffort,
    PricingEffort,
    RecombinationEffort,
    WorkRule,
)

__all__ = ["Effort", "WorkRule"]


@dataclass(frozen=True, repr=False)
class Effort(EffortRecord):
    """Limits of every step of `Auto` and of `cover`.

    The presets are `fast`, `default` and `thorough`.

    A time limit ends any of them early. Without one, the effort decides when `Auto`
    stops.

    >>> Effort.fast().descent_iterations < Effort().descent_iterations
    True
    >>> Effort(descent_iterations=500)
    Effort(descent_iterations=500)
    """

    # Which steps are taken.
    #: Maximum number of items for which every selection is tried.
    max_items_exhaustive: int = 14
    #: Maximum number of items for which a short descent and branch and bound come
    #: first: they prove most small problems.
    max_items_to_branch_first: int = 60
    #: Above this many edges, belief propagation finds a better start than local search.
    min_edges_for_messages: int = 5_000
    #: Up to this many edges, local search and a bound are tried before belief
    #: propagation: on texts they usually suffice.
    min_edges_for_messages_first: int = 50_000
    #: Maximum number of items to climb, which looks at all of them for every exchange.
    max_items_to_climb: int = 30_000
    #: Above this many items, only belief propagation and a bound are computed on a GPU.
    max_items_to_search_on_gpu: int = 30_000

    # Time, where it is short.
    #: Seconds per edge that greedy selection takes on a slow core.
    greedy_seconds_per_edge: float = 1.5e-7
    #: Seconds per item that it takes in addition.
    greedy_seconds_per_item: float = 2e-6
    #: Seconds per edge that presolve takes on a slow core.
    presolve_seconds_per_edge: float = 1.5e-6
    #: Share of the remaining time that presolve may take; otherwise it is left out.
    presolve_time_share: float = 0.3
    #: Seconds per edge that the other steps need before they can be interrupted.
    step_seconds_per_edge: float = 4e-7
    #: Share of the remaining time that belief propagation may use: where it is slow, on
    #: dense graphs, it is rarely better than greedy selection.
    messages_time_share: float = 0.15
    #: Share of the remaining time that bounding may use between two searches.
    bound_time_share: float = 0.3

    # Belief propagation.
    #: Iterations on problems of up to `many_edges_for_messages` edges.
    message_iterations: int = 150
    #: Iterations on larger problems, where more of them improve little.
    message_iterations_many_edges: int = 60
    #: Number of edges above which a problem is large for belief propagation.
    many_edges_for_messages: int = 500_000
    #: Iterations of belief propagation where only a GPU is used.
    gpu_message_iterations: int = 100
    #: Iterations of the dual descent where only a GPU is used.
    gpu_descent_iterations: int = 200
    #: Iterations of belief propagation on a problem in shards.
    sharded_message_iterations: int = 60
    #: Iterations of the dual descent on a problem in shards.
    sharded_descent_iterations: int = 140

    # Components.
    #: Maximum number of selections tried within all components together.
    max_component_selections: int = 2**21
    #: Maximum number of combinations tried when components are combined.
    max_component_combinations: int = 10_000_000
    #: Limits of each step of that search.
    components: ComponentEffort = ComponentEffort()

    # Dual descent and variable fixing.
    #: Maximum number of iterations of one descent.
    descent_iterations: int = 300
    #: Iterations between two evaluations of the bound.
    descent_iterations_per_point: int = 50
    #: The descent ends when it closes less than this share of the gap between two
    #: evaluations.
    min_descent_progress: float = 0.1
    #: From this many edges on an evaluation takes long, and the bound is often all that
    #: can be proved: the next two settings replace the two above.
    many_edges_for_descent: int = 100_000
    #: Iterations between two evaluations of the bound of a large problem.
    descent_iterations_per_point_many_edges: int = 100
    #: Share of the gap that the descent of a large problem must close.
    min_descent_progress_many_edges: float = 0.03
    #: Work that continues the descent, for every unit of work that branches: in each
    #: round of the search the bound falls further.
    descent_work_share: float = 0.25
    #: Iterations of the short descent before the first branch and bound of a small
    #: problem.
    first_descent_iterations: int = 20
    #: Variable fixing is repeated while it leaves at most this share of the items.
    max_free_share: float = 0.95

    # Bound from overlaps.
    #: Least gap between value and bound at which overlaps of items are bounded too:
    #: the linear relaxation is loose there.
    min_gap_for_overlap_bound: float = 0.05
    #: It is computed once it takes at most this many times the work of a round.
    overlap_bound_work_share: float = 8.0
    #: Seconds per unit of that work on a slow core: it cannot be interrupted.
    overlap_bound_seconds_per_work: float = 2e-8
    #: Work of that bound.
    overlaps: OverlapEffort = OverlapEffort()

    # Branch and bound.
    #: Maximum number of nodes: a quarter of a second.
    max_nodes: int = 3_000_000
    #: Maximum number of nodes of the first branch and bound of a small problem.
    first_nodes: int = 30_000
    #: Maximum number of items: the recursion is as deep as there are items.
    max_items_to_branch: int = 5_000
    #: Branch and bound that ran out of nodes is continued with all nodes of a round
    #: once a round has this many times the nodes spent.
    node_growth: int = 4
    #: Until then it is continued with this share of the nodes of a round.
    continued_share: float = 0.125
    #: It starts over at a dual point that closes this share of the gap.
    min_gap_closed: float = 0.1
    #: Where items cover more elements on average, a node takes longer, and there are
    #: fewer of them in proportion.
    elements_per_node: int = 15
    #: Looking at this many items or edges takes as long as one node.
    work_per_node: int = 30

    # Local and recombination search.
    #: Work of the first round of the search.
    first_work: WorkRule = WorkRule(20.0, 1.5, 1.5e6, 6e7)
    #: Factor by which the work grows from round to round, up to `first_work.most`.
    work_growth: float = 2.0
    #: Without a time limit, the search ends when the second half of its work closed the
    #: gap between value and bound by less than this share of the bound per unit: about
    #: one part in ten thousand per second.
    min_gain_per_work: float = 1e-12
    #: Rounds before that is checked: every kind of climb, combined and solved again.
    #: Problems too large to climb are checked after every round.
    min_rounds: int = 6
    #: The first round of those problems has this share of its work: it often gains
    #: nothing over belief propagation.
    first_work_share_many_items: float = 0.25
    #: Maximum work of all rounds together, if there is no time limit.
    total_work: WorkRule = WorkRule(20.0, 1.8, 4e6, 2e9)
    #: Work of the local search that comes before belief propagation.
    work_before_messages: float = 3e6
    #: Maximum number of nodes of the branch and bound after it: most texts are proved.
    nodes_before_messages: int = 400_000
    #: Work of a local search between two checks of the stopping rules.
    work_per_check: int = 4_000_000
    #: How the search explores, learns and restarts.
    recombination: RecombinationEffort = RecombinationEffort()

    # Pricing.
    #: How a core is priced where almost everything can be covered.
    pricing: PricingEffort = PricingEffort()
    #: A core is searched if the problem has at least this many items per item of the
    #: core: of smaller problems, prices may leave out items that are needed.
    min_items_per_core_item: float = 3.0
    #: Items of the core that is searched first: at least, and per item of the start.
    core_items: tuple[int, int] = (2_000, 15)

    # Integer programming, within a time limit.
    #: Maximum number of edges for which HiGHS is called.
    max_edges_for_integer_program: int = 60_000
    #: Minimum number of remaining seconds for which HiGHS is called.
    min_seconds_for_integer_program: float = 1.0
    #: Share of the remaining time that HiGHS gets.
    integer_program_time_share: float = 0.3
    #: Where few items cover many elements, and each element has many items, as sites
    #: and customers do, a tree that counts items of neighborhoods closes gaps that
    #: nothing else does. Most items for it.
    max_items_to_split: int = 3_000
    #: Most edges for it: it solves linear programs.
    max_edges_to_split: int = 2_000_000
    #: Fewest items per element for it.
    min_degree_to_split: float = 6.0
    #: Share of the time after which it begins.
    time_before_split: float = 0.25
    #: Share of the time left then that a search by exchanges gets before it.
    climb_time_share: float = 0.1
    #: Share of the time left then that it gets.
    split_time_share: float = 0.85

    # Covers.
    #: The search for the cheapest cover.
    cover: CoverEffort = CoverEffort()
    #: Its lower bound.
    ascent: AscentEffort = AscentEffort()

    # After every solver.
    #: What `solve` checks and adds.
    certificate: CertificateEffort = CertificateEffort()

    def greedy_seconds(self, num_items: int, num_edges: int) -> float:
        """What greedy selection takes on a slow core."""
        of_edges = self.greedy_seconds_per_edge * num_edges
        return of_edges + self.greedy_seconds_per_item * num_items

    def has_time_to_presolve(self, num_edges: int, seconds_left: float) -> bool:
        """Whether presolve takes a small share of what a time limit leaves."""
        seconds = self.presolve_seconds_per_edge * num_edges
        return seconds <= self.presolve_time_share * seconds_left

    at_least_one = frozenset(
        {
            "descent_iterations_per_point",
            "descent_iterations_per_point_many_edges",
            "elements_per_node",
            "node_growth",
            "work_growth",
            "work_per_check",
            "work_per_node",
        }
    )

    @classmethod
    def fast(cls) -> Effort:
        """An answer sooner: short searches, a bound from few iterations."""
        return cls(
            message_iterations=60,
            sharded_message_iterations=30,
            sharded_descent_iterations=100,
            descent_iterations=100,
            max_nodes=100_000,
            first_work=WorkRule(20.0, 1.5, 3e5, 3e6),
            total_work=WorkRule(20.0, 1.5, 5e5, 1e7),
            work_before_messages=1e6,
            nodes_before_messages=30_000,
            recombination=RecombinationEffort(nodes_per_combination=10_000),
            cover=CoverEffort(rounds_without_gain=4, rounds_if_hard=8, max_nodes=50),
        )

    @classmethod
    def default(cls) -> Effort:
        """The effort of `Auto()`: stops when more work is unlikely to help."""
        return cls()

    @classmethod
    def thorough(cls) -> Effort:
        """Ten times the search, to its end; longer descents, larger branches."""
        return cls(
            message_iterations=300,
            message_iterations_many_edges=150,
            sharded_message_iterations=150,
            sharded_descent_iterations=1_000,
            descent_iterations=1_000,
            min_descent_progress=0.02,
            min_descent_progress_many_edges=0.01,
            max_nodes=30_000_000,
            min_gain_per_work=0.0,
            total_work=WorkRule(200.0, 1.8, 4e8, 4e10),
            recombination=RecombinationEffort(nodes_per_combination=200_000),
            cover=CoverEffort(
                rounds_without_gain=48, rounds_if_hard=128, max_nodes=5_000
            ),
        )

    @classmethod
    def of(cls, effort: Effort | str) -> Effort:
        """Return the effort, or the preset of that name."""
        if isinstance(effort, str):
            return cls.named(effort)
        if not isinstance(effort, Effort):
            raise InputTypeError(
                f"effort is {effort!r}; it must be an Effort or a preset's name.",
                hint="Pass Effort.fast(), for example, or leave it out.",
            )
        return effort

    @classmethod
    def named(cls, name: str) -> Effort:
        """Return the preset of that name.

        >>> Effort.named("default") == Effort()
        True
        """
        require_choice("effort", name, PRESETS, default="default")
        preset: Effort = getattr(cls, name)()
        return preset


#: Names of the presets.
PRESETS = ("fast", "default", "thorough")
