"""The notebooks run at small size, show their figures, and agree with known results."""

import ast
import json
import re
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import pytest
from reference import integer_optimum
from typer.main import get_command

from thatch.cli.reproduce import app
from thatch.paper import (
    convergence,
    ensemble_entropy,
    ensemble_peak,
    ensemble_phases,
    ensemble_sizes,
    fig2,
    infinite_price,
    text_sweep,
    unit_costs,
)
from thatch.paper.fig2 import BUDGET, ENSEMBLE

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(path.stem for path in FOLDER.glob("*.ipynb"))


WORDS = [
    *("amber", "bridge", "copper", "delta", "ember", "falcon", "garden", "harbor"),
    *("island", "jungle", "kettle", "lantern", "meadow", "needle", "orchard"),
]


def sentence(words):
    """Twenty words: these three, and stop words."""
    return " ".join([*words, *["the", "of", "and"] * 5, "the", "of"]).capitalize()


def write_clusters(path):
    """Clusters of which five sentences, a hundred words, contain every word.

    Other sentences repeat some. References consist of words of the documents.
    """
    lines = []
    for seed in range(2):
        rng = np.random.default_rng(seed)
        words = rng.permutation(WORDS)
        planted = [sentence(words[k : k + 3]) for k in range(0, len(words), 3)]
        others = [sentence(rng.choice(words[:9], 3, replace=False)) for _ in range(6)]
        documents = [planted[:3] + others[:3], others[3:] + planted[3:]]
        texts = [". ".join(each) + "." for each in documents]
        references = [" ".join(rng.choice(words, 8, replace=False)) for _ in range(2)]
        lines.append({"id": seed, "documents": texts, "references": references})
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")


def check_fig2(peak_price, exact, last, infinite_price):
    problems = [ENSEMBLE.problem(budget=BUDGET, seed=seed) for seed in range(2)]
    assert peak_price == 4.75
    assert exact == np.mean([integer_optimum(problem) for problem in problems])
    assert last == pytest.approx(infinite_price, rel=0.005)


def check_convergence(at_0, at_01):
    # docs/paper.md, means over 40 graphs.
    assert at_0 == pytest.approx([1.16, 0.29], abs=0.02)
    assert at_01 == pytest.approx([1.94, 0.61], rel=0.15)


def check_infinite_price(*rows):
    for (warm_limit, warm_static), (cold_limit, _) in (rows[:2], rows[2:]):
        assert warm_limit == cold_limit == 2
        assert warm_static < 2


def check_text(*figures):
    for levels in figures:
        weight, rouge_1 = levels["optimum"]
        assert rouge_1 == 1.0
        assert all(level[0] <= weight * (1 + 1e-9) for level in levels.values())
        assert levels["static order"][0] < weight


def check_unit_costs(gaps):
    """How far Algorithm 2 is behind g-greedy: docs/concepts/where-algorithm-2-fails."""
    assert gaps["unit costs, 20/10"] > 3
    assert gaps["unit costs and weights, 9/3"] > 3
    assert gaps["the paper's, 9/3"] < gaps["unit costs, 20/10"]


def check_entropy(*curves):
    # It falls with the temperature.
    assert all(warm > cold + 0.5 for warm, cold in curves)


def check_phases(warm, cold):
    """Growth of random perturbations at 0.6, 2 and 8: docs/concepts/ensemble.md."""
    assert max(warm) < 0.9
    assert min(cold[:2]) > 1.0 > cold[2]


def check_peak(small, limit, optimum):
    for curve in (small, limit):
        # Two maxima, at 0.1 and near 4.75, and a minimum in between.
        assert curve[0] > curve[1] < curve[2] > curve[3]
        assert max(curve) == curve[2]
    value, bound = optimum
    assert value == pytest.approx(bound)


def check_sizes(*distances):
    for num_errors, share in distances:
        assert abs(num_errors) < 5
        assert abs(share) < 0.05


def check_phase_diagram(costs, values, best):
    assert best == integer_optimum(ENSEMBLE.problem(budget=BUDGET, seed=0))
    for row, covered in zip(costs, values, strict=True):
        assert row == sorted(row, reverse=True)
        # docs/concepts/temperature.md: price 5 spends the budget and covers 1370.
        assert abs(row[1] - BUDGET) == min(abs(cost - BUDGET) for cost in row)
        assert covered[1] == 1370


@dataclass(frozen=True)
class Case:
    """How a notebook is run, and what it must show."""

    #: Names of the files that it writes, without suffix.
    figures: list[str]
    #: Parameters as Python expressions.
    small: dict[str, str]
    #: A tuple of names of the notebook, and what checks their values.
    asked: str
    check: Callable[..., None]


CASES = {
    "convergence": Case(
        ["convergence"],
        {"num_graphs": "2", "prices": "(0.0, 0.1)"},
        "[(row.radius, row.largest_real_part) for row in figure.rows]",
        check_convergence,
    ),
    "ensemble_peak": Case(
        ["ensemble-peak"],
        {
            "prices": "(0.1, 0.6, 4.75, 10.0)",
            "sizes": "[(100, 12, 2)]",
            "num_items": "600",
            "num_sweeps": "20",
        },
        "[*([row.value for row in figure.curve(n)] for n in (100, float('inf'))),"
        " (figure.optima[0].value, figure.optima[0].bound)]",
        check_peak,
    ),
    "ensemble_entropy": Case(
        ["ensemble-entropy"],
        {
            "inverse_temperatures": "(0.3, 3.0)",
            "num_items": "300",
            "num_sweeps": "30",
        },
        "[[row.entropy for row in rows] for rows in curves.curves.values()]",
        check_entropy,
    ),
    "ensemble_phases": Case(
        ["ensemble-phases"],
        {
            "inverse_temperatures": "(0.3, 3.0)",
            "prices": "(0.6, 2.0, 8.0)",
            "num_items": "300",
            "num_first_sweeps": "20",
            "num_snapshots": "4",
        },
        "[[r.random_growth for r in diagram.rows if r.inverse_temperature == beta]"
        " for beta in inverse_temperatures]",
        check_phases,
    ),
    "ensemble_sizes": Case(
        ["ensemble-sizes"],
        {
            "points": "((0.3, 5.0),)",
            "sizes": "[(200, 10), (1000, 5)]",
            "num_items": "2000",
            "num_sweeps": "40",
        },
        "[row.distance(limit, q) for row, limit in table.compared for q in QUANTITIES]",
        check_sizes,
    ),
    "fig2": Case(
        ["fig2"],
        {"num_graphs": "2", "prices": "(0.1, 4.75, 100.0)"},
        "(figure.peak.price, figure.peak.exact, figure.rows[-1].bp,"
        " figure.rows[-1].infinite_price)",
        check_fig2,
    ),
    "fig3_fig4": Case(
        ["fig3", "fig4"],
        {
            "data": "out + '.jsonl'",
            "inverse_temperatures": "(45.0, 80.0)",
            "prices": "(0.0, 0.005, 0.02)",
        },
        "[{name: (level.weight, level.rouge_1) for name, level in each.levels.items()}"
        " for each in figures]",
        check_text,
    ),
    "infinite_price": Case(
        ["infinite-price"],
        {"num_graphs": "2", "inverse_temperatures": "(0.1, 30.0)"},
        "[(r.num_as_limit, r.num_as_static) for r in table.rows]",
        check_infinite_price,
    ),
    "phase_diagram": Case(
        ["phase-diagram"],
        {"temperatures": "[0.1, 1.0]", "prices": "[4.0, 5.0, 6.0]"},
        "(costs.tolist(), values.tolist(), optimum)",
        check_phase_diagram,
    ),
    "unit_costs": Case(
        ["unit-costs"],
        {
            "num_items": "40",
            "methods": "['g-greedy', 'Algorithm 2']",
            "scaled_inverse_temperatures": "(2.0,)",
            "effort": "Effort.fast()",
        },
        "[{r.ensemble: r.minus_ggreedy for r in results.gaps"
        " if r.method == 'Algorithm 2'}]",
        check_unit_costs,
    ),
}


def read(name):
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


def position_of_parameters(notebook):
    """Position of the cell that is tagged as that of the parameters."""
    (position,) = (
        k
        for k, cell in enumerate(notebook.cells)
        if "parameters" in cell.metadata.get("tags", [])
    )
    return position


def executed(name, out):
    """The notebook at small size; its last output is what is asked of it."""
    notebook, case = read(name), CASES[name]
    settings = {"out": repr(str(out)), **case.small}
    small = "\n".join(f"{key} = {value}" for key, value in settings.items())
    cell = nbformat.v4.new_code_cell(small)
    notebook.cells.insert(position_of_parameters(notebook) + 1, cell)
    asked = f"import json\nprint(json.dumps({case.asked}, allow_nan=False))"
    notebook.cells.append(nbformat.v4.new_code_cell(asked))
    # Relative paths in a notebook start at its folder, as in Jupyter.
    here = {"metadata": {"path": str(FOLDER)}}
    nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources=here
    ).execute()
    return notebook


def test_every_notebook_is_run():
    assert sorted(CASES) == NOTEBOOKS


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of what runs the notebook
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_shows_its_table_and_figures(name, tmp_path):
    case, out = CASES[name], tmp_path / "out"
    write_clusters(tmp_path / "out.jsonl")
    notebook = executed(name, out)
    *outputs, answer = (
        each for cell in notebook.cells for each in cell.get("outputs", [])
    )
    printed = [each.name for each in outputs if each.output_type == "stream"]
    assert printed == ["stdout"]
    pictures = [each for each in outputs if "image/png" in each.get("data", {})]
    assert len(pictures) == len(case.figures)
    for figure in case.figures:
        assert (out / f"{figure}.png").stat().st_size > 10_000
        assert (out / f"{figure}.svg").read_text().startswith("<?xml")
    case.check(*json.loads(answer.text))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_test_changes_only_parameters_that_exist(name):
    notebook = read(name)
    source = notebook.cells[position_of_parameters(notebook)].source
    declared = {
        target.id
        for statement in ast.parse(source).body
        for target in statement.targets
    }
    assert {"out", *CASES[name].small} <= declared


EXPERIMENTS = {
    "convergence": convergence.ConvergenceExperiment,
    "ensemble_peak": ensemble_peak.PeakExperiment,
    "ensemble_entropy": ensemble_entropy.EntropyExperiment,
    "ensemble_phases": ensemble_phases.PhaseExperiment,
    "ensemble_sizes": ensemble_sizes.SizeExperiment,
    "fig2": fig2.Fig2Experiment,
    "fig3_fig4": text_sweep.TextExperiment,
    "infinite_price": infinite_price.InfinitePriceExperiment,
    "unit_costs": unit_costs.UnitCostExperiment,
}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_published_settings_are_those_of_the_command(name):
    """A comment says what the default of the experiment is."""
    notebook, experiment = read(name), EXPERIMENTS[name]
    source = notebook.cells[position_of_parameters(notebook)].source
    published = dict(re.findall(r"^(\w+) = .*published: (.+)$", source, re.MULTILINE))
    defaults = {field.name: field.default for field in fields(experiment)}
    names = vars(sys.modules[experiment.__module__])
    compared = published.keys() & defaults.keys()
    assert compared
    for key in compared:
        assert eval(published[key], dict(names)) == defaults[key], key


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_stored_without_outputs(name):
    notebook = read(name)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "python3"
    codes = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] for cell in codes)
    assert all(cell.execution_count is None for cell in codes)
    # Not random ones, which change with every new cell.
    assert all(re.fullmatch("[a-z]+", cell.id) for cell in notebook.cells)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_ends_with_a_command_that_exists(name):
    (command,) = re.findall(r"`((?:thatch|python) .*?)`", read(name).cells[-1].source)
    program, what, *arguments = shlex.split(command)
    if program == "python":
        assert (FOLDER.parent / what).is_file()
        return
    assert what == "reproduce"
    reproduce = get_command(app)
    context = reproduce.make_context("reproduce", arguments)
    _, experiment, rest = reproduce.resolve_command(context, arguments)
    experiment.make_context(experiment.name, rest)
