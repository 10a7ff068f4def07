"""The instances of `quality.py`, by family."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from quality_files import read_any

from thatch import CoverageProblem
from thatch.problem.instances.designs import projective_plane, steiner_triples
from thatch.problem.instances.random_graphs import (
    BiregularGraph,
    ErdosRenyiGraph,
    GeometricGraph,
    PowerLawGraph,
)
from thatch.problem.instances.randomness import Constant, Randomness, UniformIntegers

SEED = 1


@dataclass(frozen=True)
class Case:
    """One instance, built when it is needed."""

    name: str
    family: str
    build: Callable[[], CoverageProblem]
    #: From the literature; NaN if there is none.
    best_known: float = math.nan
    #: The weight to be covered, for instances of which not the most is asked.
    target: float = math.nan
    #: Whether the cheapest cover is asked for, not the most within a budget.
    is_cover: bool = False


def biregular(num_items: int) -> CoverageProblem:
    graph = BiregularGraph(num_items, 3 * num_items, item_degree=9, element_degree=3)
    return graph.problem(budget=float(num_items), seed=0)


def unit_biregular(
    num_items: int, item_degree: int, element_degree: int, *, budget: float
) -> CoverageProblem:
    """All costs and weights are 1, and the budget covers about two thirds."""
    num_elements = num_items * item_degree // element_degree
    graph = BiregularGraph(
        num_items, num_elements, item_degree, element_degree, Constant(), Constant()
    )
    return graph.problem(budget=budget, seed=SEED)


def power_law() -> CoverageProblem:
    """About the size of a news cluster: 600 sentences."""
    graph = PowerLawGraph(num_items=600, num_elements=2_000, mean_item_degree=13)
    return graph.problem(budget=100.0, seed=0)


def unweighted() -> CoverageProblem:
    graph = PowerLawGraph(num_items=2_000, num_elements=6_000, mean_item_degree=10)
    problem = graph.problem(budget=100.0, seed=0)
    ones = np.ones(problem.num_elements)
    return replace(problem.with_costs(np.ones(problem.num_items)), weights=ones)


def spatial(budget: int, radius: float) -> CoverageProblem:
    graph = GeometricGraph(50_000, 50_000, radius)
    return graph.problem(budget=float(budget), seed=SEED)


def dense() -> CoverageProblem:
    between = UniformIntegers(100, 200)
    graph = ErdosRenyiGraph(585, 585, 0.05, costs=between, weights=between)
    return graph.problem(budget=2_000.0, seed=SEED)


def text_graph(num_sentences: int) -> CoverageProblem:
    """Sentences of 5 to 35 words by Zipf's law, with TF-IDF weights; 100 words.

    The nth word of a vocabulary as large as the number of sentences has a probability
    proportional to 1 / n.
    """
    randomness = Randomness(SEED)
    lengths = randomness.integers(5, 35, size=num_sentences)
    sentences = np.repeat(np.arange(num_sentences), lengths)
    shares = np.cumsum(1.0 / np.arange(1, num_sentences + 1))
    drawn = randomness.reals(sentences.size) * shares[-1]
    words = np.minimum(np.searchsorted(shares, drawn, side="right"), num_sentences - 1)
    counts = np.bincount(words, minlength=num_sentences)
    cells = np.unique(sentences * num_sentences + words)
    sentence, word = np.divmod(cells, num_sentences)
    frequencies = np.bincount(word, minlength=num_sentences)
    rarities = np.log(num_sentences / np.maximum(1, frequencies))
    return CoverageProblem.from_edges(
        np.column_stack([sentence, word]),
        costs=lengths.astype(float),
        weights=counts * rarities,
        budget=100.0,
    )


#: Families that are drawn or constructed, with the instances of each.
DRAWN: dict[str, dict[str, Callable[[], CoverageProblem]]] = {
    "sparse": {
        "fig2": partial(biregular, 100),
        "power-law": power_law,
        "unweighted": unweighted,
        "biregular-10k": partial(biregular, 10_000),
        "biregular-100k": partial(biregular, 100_000),
    },
    # At 50 and 200 the same sites; at 1000 they would cover everything.
    "spatial": {
        "spatial-50": partial(spatial, 50, 0.035),
        "spatial-200": partial(spatial, 200, 0.035),
        "spatial-1000": partial(spatial, 1_000, 0.0155),
    },
    "text": {
        "text-20k": partial(text_graph, 20_000),
        "text-100k": partial(text_graph, 100_000),
    },
    "unit-biregular": {
        "biregular-9-3": partial(unit_biregular, 1_000, 9, 3, budget=240.0),
        "biregular-20-10": partial(unit_biregular, 1_000, 20, 10, budget=65.0),
    },
    "designs": {
        "plane-7": partial(projective_plane, 7, budget=15.0),
        "plane-13": partial(projective_plane, 13, budget=7.0),
        "steiner-27": partial(steiner_triples, 27, budget=17.0),
        "steiner-81": partial(steiner_triples, 81, budget=60.0),
    },
    "dense": {"dense": dense},
}

#: Families that are read from the folder given by --data.
TABLES = {
    "city": "best_known_mclp.csv",
    "partial-cover": "best_known_partial_cover.csv",
}
FAMILIES = (*DRAWN, *TABLES)
INSTANCES = tuple(name for family in DRAWN.values() for name in family)


def drawn_cases(names: set[str]) -> Iterator[Case]:
    """Return the instances that are named, alone or by their family."""
    for family, builders in DRAWN.items():
        for name, build in builders.items():
            if names & {family, name}:
                yield Case(name, family, build)


def cases_of_tables(names: set[str], folder: Path | None) -> Iterator[Case]:
    """Return the named families of the folder, with the best values known."""
    for family, table in TABLES.items():
        if family not in names:
            continue
        if folder is None:
            raise SystemExit(f"error: the family {family} needs --data FOLDER")
        with (folder / table).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                make = city_case if family == "city" else partial_cover_case
                yield make(row, folder)


def city_case(row: dict[str, str], folder: Path) -> Case:
    """Cover the most demand by a number of sites."""
    path = folder / f"mclp_{row['instance']}_r{row['radius_m']}.txt"
    budget = float(row["budget"])
    return Case(
        f"{row['instance']}-{budget:g}",
        "city",
        partial(read_any, path, budget=budget, radius=None),
        best_known=float(row["best_known_value"]),
    )


def partial_cover_case(row: dict[str, str], folder: Path) -> Case:
    """Cover a share of the elements by the smallest number of items known."""
    path = folder / f"{row['instance']}.txt"
    share, budget = float(row["coverage_target"]), float(row["best_known_k"])
    return Case(
        f"{row['instance']}-{share:.0%}",
        "partial-cover",
        partial(read_any, path, budget=budget, radius=None, unit_costs=True),
        # 0.9 x 510 is 459.00000000000006.
        target=math.ceil(share * int(row["elements"]) - 1e-9),
    )


def file_case(name: str, *, radius: float | None, unit_costs: bool) -> Case:
    """Return the case of FILE or FILE:BUDGET."""
    path, _, budget = name.rpartition(":")
    try:
        amount: float | None = float(budget)
    except ValueError:
        path, amount = name, None
    if not path:
        path, amount = name, None
    build = partial(
        read_any, Path(path), budget=amount, radius=radius, unit_costs=unit_costs
    )
    ending = "" if amount is None else f"-{amount:g}"
    stem = Path(path).stem
    return Case(f"{stem}{ending}", stem.rstrip("0123456789") or stem, build)
