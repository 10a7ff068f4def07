"""The paper's Fig. 3 and Fig. 4: covered weight and ROUGE-1 of summaries against price.

Algorithm 2 summarizes every cluster of documents in 100 words at many prices and
inverse temperatures: without stop words in Fig. 3, with them in Fig. 4. It is compared
with the optimum, g-greedy, the static order by weight per cost, the order of an
infinite price at the paper's inverse temperature, and `thatch.summarize` with its
default settings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from itertools import product

import numpy as np

from thatch.arrays import Floats
from thatch.errors import InputError
from thatch.paper.experiment import Experiment, OnProgress, ignore
from thatch.paper.text_figure import (
    BUDGET,
    Difference,
    Outcome,
    Point,
    Setting,
    TextFigure,
)
from thatch.problem.selection import Selection
from thatch.rouge import NGrams, SumEval
from thatch.run.run import Run
from thatch.solvers import Exact, GeneralizedGreedy, Solver, StaticGreedy
from thatch.solvers.belief_propagation.algorithm import propagate
from thatch.solvers.belief_propagation.priced_problem import PricedProblem
from thatch.solvers.greedy import round_by_rank
from thatch.text.concepts.background import Background
from thatch.text.concepts.schemes import TfIdf
from thatch.text.datasets.clusters import Cluster
from thatch.text.documents.document import Document
from thatch.text.passages.passage_filter import PassageFilter
from thatch.text.summarizing import Summarizer
from thatch.text.task import SummaryTask

# The paper tries 10 to 100, at weights of another unit.
INVERSE_TEMPERATURES = (
    *(10.0, 20.0, 30.0, 45.0, 60.0, 80.0, 100.0),
    *(125.0, 150.0, 180.0, 220.0, 300.0, 450.0, 700.0, 1000.0),
)
# Fine around the peaks, which are at lower prices the higher the inverse temperature.
PRICES = (
    *(round(0.0005 * step, 4) for step in range(20)),
    *(round(0.001 * step, 3) for step in range(10, 21)),
    *(0.025, 0.03, 0.035, 0.04, 0.05),
)
# Methods that belief propagation is compared with, cluster by cluster.
_COMPARED = ("g-greedy", "static order", "infinite price")
# SumEval's default removes its own stop words.
_MEASURE = SumEval(metrics=(NGrams(1),))


@dataclass(frozen=True)
class TextExperiment(Experiment):
    """The experiment's settings."""

    setting: Setting
    inverse_temperatures: tuple[float, ...] = INVERSE_TEMPERATURES
    prices: tuple[float, ...] = PRICES

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("inverse_temperatures", "prices"):
            values = getattr(self, name)
            if not values or sorted(set(values)) != list(values):
                raise InputError(
                    f"{name} is {values}; it must be sorted, without duplicates and "
                    "not empty.",
                    hint="Sort it.",
                )

    def run(
        self,
        clusters: Sequence[Cluster],
        *,
        background: Sequence[Document] = (),
        on_progress: OnProgress = ignore,
    ) -> TextFigure:
        """Run the experiment on clusters with references; each counts as one step.

        The background and all clusters show which words are rare.
        """
        _require_references(clusters)
        whole = Background.of(
            [*(d for c in clusters for d in c.documents), *background]
        )
        return self._figure(
            self.outcomes(lambda c: self._solve(c, whole), clusters, on_progress)
        )

    def _solve(self, cluster: Cluster, whole: Background) -> _ClusterOutcome:
        elsewhere = whole.without(Background.of(cluster.documents))
        words = TfIdf(self.setting.remove_stop_words, elsewhere)
        # The paper allows short sentences, and does not ask how they read.
        summarizer = Summarizer(
            concepts=words, readability=0, passage_filter=PassageFilter(min_words=0)
        )
        task = summarizer.task(cluster.documents, BUDGET)
        scorer = _Scorer(task, cluster.references)
        default = Summarizer().summarize(cluster.documents, BUDGET)
        return _ClusterOutcome(
            bp=np.array([scorer.outcome(s) for s in self._sweep(task)]),
            levels={
                "optimum": scorer.outcome(_solved(task, Exact())),
                "g-greedy": scorer.outcome(_solved(task, GeneralizedGreedy())),
                "static order": scorer.outcome(_solved(task, StaticGreedy())),
                "infinite price": scorer.outcome(
                    _solved(task, StaticGreedy(self.setting.inverse_temperature))
                ),
                "thatch's default": scorer.outcome(
                    _same_passages(default.task, default.result.selection, task)
                ),
            },
        )

    def _sweep(self, task: SummaryTask) -> list[Selection]:
        """Selections of Algorithm 2 at every temperature and price, as one graph."""
        priced_problems = [
            PricedProblem(
                task.problem, inverse_temperature=inverse_temperature, price=price
            )
            for inverse_temperature, price in self._points
        ]
        return [
            round_by_rank(task.problem, beliefs.item_replies)
            for beliefs in propagate(priced_problems, run=Run())
        ]

    @property
    def _points(self) -> list[tuple[float, float]]:
        return list(product(self.inverse_temperatures, self.prices))

    def _figure(self, solved: list[_ClusterOutcome]) -> TextFigure:
        bp = np.array([outcome.bp for outcome in solved])
        figure = TextFigure(
            self.setting,
            len(solved),
            tuple(
                Point(inverse_temperature, price, Outcome.of(*bp[:, k].T))
                for k, (inverse_temperature, price) in enumerate(self._points)
            ),
            {
                name: Outcome.of(*np.array([o.levels[name] for o in solved]).T)
                for name in solved[0].levels
            },
        )
        return replace(figure, differences=self._differences(figure, solved))

    def _differences(
        self, figure: TextFigure, solved: list[_ClusterOutcome]
    ) -> tuple[Difference, ...]:
        rows = []
        for beta, quantity in product(figure.shown, ("weight", "rouge_1")):
            price = figure.peak(beta, quantity).price
            k = self._points.index((beta, price))
            for name in _COMPARED:
                paired = np.array([each.bp[k] - each.levels[name] for each in solved])
                numbers = astuple(Outcome.of(*paired.T))
                rows.append(Difference(beta, price, quantity, name, *numbers))
        return tuple(rows)


@dataclass(frozen=True)
class _ClusterOutcome:
    """Weight and ROUGE-1 of every summary of one cluster."""

    #: float64, shape (num_points, 2): one row per temperature and price.
    bp: Floats
    levels: dict[str, tuple[float, float]]


class _Scorer:
    """Weight and ROUGE-1 of selections, each scored once."""

    def __init__(self, task: SummaryTask, references: Sequence[str]) -> None:
        self._task = task
        # The paper averages over references; SumEval would sum their counts.
        self._references = [_MEASURE.prepare(reference) for reference in references]
        self._known: dict[bytes, tuple[float, float]] = {}

    def outcome(self, selection: Selection) -> tuple[float, float]:
        key = selection.items.tobytes()
        if key not in self._known:
            text = self._task.printed(selection.items.tolist())
            scores = [
                _MEASURE.score(text, reference)["ROUGE-1"].recall
                for reference in self._references
            ]
            self._known[key] = selection.value, float(np.mean(scores))
        return self._known[key]


def _solved(task: SummaryTask, solver: Solver) -> Selection:
    return solver.solve(task.problem, Run()).selection


def _same_passages(
    source: SummaryTask, selection: Selection, target: SummaryTask
) -> Selection:
    """The selection of one task as a selection of another of the same passages."""
    passages = source.passages_of(selection.items.tolist())
    return Selection.of(target.problem, target.items_of(passages))


def _require_references(clusters: Sequence[Cluster]) -> None:
    if len(clusters) < 2:
        raise InputError(
            f"expected at least 2 clusters, got {len(clusters)}.",
            hint="A standard error needs two clusters.",
        )
    for cluster in clusters:
        has_documents = any(document.text.strip() for document in cluster.documents)
        has_references = bool(cluster.references) and all(
            reference.strip() for reference in cluster.references
        )
        if not (has_documents and has_references):
            raise InputError(
                f"the cluster {cluster.name!r} lacks documents or references.",
                hint="Add them, or remove the cluster.",
            )
