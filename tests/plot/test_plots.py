"""Pictures show what results contain, in the formats that papers and pages need."""

import subprocess
import sys
from dataclasses import dataclass, replace

import numpy as np
import pytest
from matplotlib.collections import EllipseCollection
from matplotlib.figure import Figure
from matplotlib.image import imread
from refusals import refused

from thatch import (
    BeliefPropagation,
    CoverageProblem,
    GeneralizedGreedy,
    Selection,
    cover,
    solve,
)
from thatch.errors import InputError, InputTypeError, MissingExtraError
from thatch.plot import (
    plot_convergence,
    plot_curve,
    plot_map,
    plot_marginals,
    plot_overlap,
    save,
)
from thatch.plot.overlap import shared_weights
from thatch.problem.instances import toy
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.problem.locations import Locations

SITES = [(0.0, 0.0), (1.0, 0.0), (5.0, 5.0)]
HOMES = [(0.1, 0.0), (1.1, 0.2), (9.0, 9.0)]


def town(locations=None):
    """Sites a and b cover a home each, c covers none; the far home is not covered."""
    problem = CoverageProblem.from_sets(
        {"a": ["one"], "b": ["two"], "c": []},
        weights={"one": 2, "two": 1, "far": 4},
        budget=2,
    )
    return replace(problem, locations=locations)


def on_earth():
    """The town in Vienna, with a radius of two kilometers."""
    place = np.array([16.37, 48.2])
    items, elements = (place + 0.01 * np.array(each) for each in (SITES, HOMES))
    return town(Locations(items, elements, "haversine", radii=np.full(3, 2000.0)))


def drawn(axes, folder):
    """The pixels of the picture, as saved."""
    save(axes, folder / "picture.png")
    return imread(folder / "picture.png")


@pytest.mark.parametrize(
    ("suffix", "start"), [("png", b"\x89PNG"), ("SVG", b"<?xml"), ("pdf", b"%PDF")]
)
def test_the_suffix_decides_the_format_and_files_are_reproducible(
    tmp_path, suffix, start
):
    contents = []
    for name in ("one", "two"):
        target = tmp_path / f"{name}.{suffix}"
        save(plot_curve([1, 2], [3, 4], [3, 5]), target)
        contents.append(target.read_bytes())
    assert contents[0] == contents[1]
    assert contents[0].startswith(start)


def test_figures_are_saved_as_well(tmp_path):
    figure = Figure()
    plot_curve([1, 2], [3, 4], ax=figure.subplots())
    assert drawn(figure, tmp_path).std() > 0.05


@pytest.mark.parametrize("name", ["picture.jpg", "picture"])
def test_other_formats_are_refused(tmp_path, name):
    with refused(InputError, name, ".png"):
        save(plot_curve([1], [2]), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_what_is_no_picture_is_refused(tmp_path):
    with refused(InputTypeError, "picture", "7"):
        save(7, tmp_path / "picture.png")
    with refused(InputTypeError, "ax", "'here'"):
        plot_curve([1], [2], ax="here")


@dataclass
class Sweep:
    budgets: list
    values: list
    upper_bounds: list


def test_a_curve_is_sorted_and_shows_the_band_up_to_its_bound(tmp_path):
    axes = plot_curve(Sweep([3, 1, 2], [9, 4, 7], [10, 4, np.inf]))
    value, bound = axes.lines
    assert value.get_xdata().tolist() == [1, 2, 3]
    assert value.get_ydata().tolist() == [4, 7, 9]
    np.testing.assert_array_equal(bound.get_ydata(), [4, np.nan, 10])
    assert len(axes.collections) == 1
    assert drawn(axes, tmp_path).std() > 0.05


def test_curves_share_axes():
    axes = plot_curve([1, 2], [3, 4], [3, 5], label="greedy")
    assert plot_curve([1, 2], [3, 5], ax=axes, label="auto") is axes
    labels = [line.get_label() for line in axes.lines]
    assert labels == ["greedy", "upper bound", "auto"]


@pytest.mark.parametrize(
    ("given", "kind", "facts"),
    [
        (([1, 2], [3]), InputError, ["values", "1", "2"]),
        (([1, 2], [3, 4], [5]), InputError, ["upper_bounds", "1", "2"]),
        (([1, 2],), InputTypeError, ["values"]),
        ((["x"], [3]), InputTypeError, ["budgets[0]", "'x'"]),
    ],
)
def test_curves_of_different_lengths_are_refused(given, kind, facts):
    with refused(kind, *facts):
        plot_curve(*given)


@pytest.mark.parametrize("over", ["seconds", "iterations"])
def test_convergence_ends_at_the_value_and_the_bound(tmp_path, over):
    result = solve(toy.star(9).problem, BeliefPropagation())
    axes = plot_convergence(result, over=over)
    value, bound = axes.lines[:2]
    assert value.get_ydata()[-1] == result.selection.value
    assert bound.get_ydata()[-1] == result.upper_bound
    assert len(value.get_xdata()) == len(result.trace) + 1
    assert (np.diff(value.get_xdata()) >= 0).all()
    assert drawn(axes, tmp_path).std() > 0.05


def test_convergence_needs_no_trace(tmp_path):
    result = solve(toy.greedy_trap().problem, GeneralizedGreedy())
    for over in ("seconds", "iterations"):
        assert drawn(plot_convergence(result, over=over), tmp_path).std() > 0.01
    with refused(InputError, "over", "'steps'"):
        plot_convergence(result, over="steps")


def test_covers_are_drawn_as_well(tmp_path):
    result = cover(town(), share=0.6, share_of="coverable")
    axes = plot_convergence(result)
    cost, bound = axes.lines[:2]
    assert (cost.get_label(), axes.get_ylabel()) == ("cost", "cost")
    assert cost.get_ydata()[-1] == result.cost
    assert bound.get_ydata()[-1] == result.lower_bound
    drawn(axes, tmp_path)
    drawn(plot_map(result, sites=SITES, demand=HOMES), tmp_path)
    drawn(plot_overlap(result), tmp_path)


def test_overlap_is_the_weight_that_two_items_share(tmp_path):
    problem = BiregularGraph(
        num_items=40, num_elements=60, item_degree=6, element_degree=4
    ).problem(budget=100, seed=0)
    selection = Selection.of(problem, range(0, 40, 2))
    shared = shared_weights(selection)
    for row, i in enumerate(selection.items):
        for column, j in enumerate(selection.items):
            both = np.intersect1d(
                problem.edges.elements_of(i), problem.edges.elements_of(j)
            )
            assert shared[row, column] == problem.weights[both].sum()
    assert drawn(plot_overlap(selection), tmp_path).std() > 0.05


def test_few_items_have_names_and_numbers(tmp_path):
    result = solve(toy.greedy_trap().problem)
    axes = plot_overlap(result)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["left", "right"]
    assert [text.get_text() for text in axes.texts] == ["8", "8"]
    drawn(axes, tmp_path)


def test_of_many_items_those_that_share_most_are_drawn(tmp_path):
    sets = [[0, 1]] * 2 + [[k] for k in range(2, 80)]
    problem = CoverageProblem.from_sets(
        [[*each] for each in sets], weights=[1.0] * 80, budget=80
    )
    axes = plot_overlap(Selection.of(problem, range(80)), max_items=2)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["0", "1"]
    assert "2 of 80" in axes.get_title()
    axes = plot_overlap(Selection.of(problem, range(80)))
    assert not axes.get_yticklabels()
    drawn(axes, tmp_path)


def test_overlap_of_fewer_than_two_items(tmp_path):
    problem = toy.greedy_trap().problem
    drawn(plot_overlap(Selection.of(problem, [1])), tmp_path)
    with refused(InputError, "empty"):
        plot_overlap(Selection.of(problem, []))


def test_marginals_have_the_names_and_the_choice(tmp_path):
    result = solve(toy.greedy_trap().problem, BeliefPropagation())
    axes = plot_marginals(result)
    names = [label.get_text() for label in axes.get_yticklabels()]
    widths = {
        names[round(bar.get_y() + bar.get_height() / 2)]: bar.get_width()
        for bar in axes.patches
    }
    marginals = result.beliefs.item_marginals
    assert widths == dict(zip(["bait", "left", "right"], marginals, strict=True))
    drawn(axes, tmp_path)


def test_marginals_of_many_items_are_points(tmp_path):
    result = solve(toy.star(50).problem, BeliefPropagation())
    axes = plot_marginals(result)
    chosen, others = axes.lines
    assert len(chosen.get_xdata()) == len(result.selection)
    assert len(others.get_xdata()) == 50 - len(result.selection)
    drawn(axes, tmp_path)


def test_marginals_need_beliefs():
    with refused(InputError, "beliefs"):
        plot_marginals(solve(toy.star(5).problem, GeneralizedGreedy()))


@pytest.mark.parametrize(
    "plot", [plot_convergence, plot_map, plot_marginals, plot_overlap]
)
def test_a_problem_is_no_result(plot):
    with refused(InputTypeError, "CoverageProblem"):
        plot(toy.star(5).problem)


def groups_of(axes):
    """Coordinates of the points with each label."""
    return {
        group.get_label(): group.get_offsets().data.tolist()
        for group in axes.collections
        if not group.get_label().startswith("_")
    }


def test_a_map_tells_chosen_from_other_and_covered_from_not(tmp_path):
    axes = plot_map(solve(town()), sites=SITES, demand=HOMES, radius=0.5)
    assert groups_of(axes) == {
        "chosen site": [[0.0, 0.0], [1.0, 0.0]],
        "other site": [[5.0, 5.0]],
        "covered demand": [[0.1, 0.0], [1.1, 0.2]],
        "demand not covered": [[9.0, 9.0]],
    }
    assert [text.get_text() for text in axes.texts] == ["a", "b"]
    assert drawn(axes, tmp_path).std() > 0.05


def test_names_and_circles_can_be_left_out():
    axes = plot_map(solve(town()), sites=SITES, demand=HOMES, names=False)
    assert not axes.texts
    assert not any(isinstance(each, EllipseCollection) for each in axes.collections)


def test_degrees_are_drawn_to_scale(tmp_path):
    axes = plot_map(solve(on_earth()))
    assert axes.get_xlabel() == "longitude"
    (circles,) = (
        each for each in axes.collections if isinstance(each, EllipseCollection)
    )
    # Two kilometers are 0.018 degrees of latitude, and 1.5 times as many of longitude.
    assert circles.get_heights() == pytest.approx([0.036] * 2, rel=0.01)
    assert circles.get_widths() == pytest.approx([0.054] * 2, rel=0.01)
    assert axes.get_aspect() == pytest.approx(1.5, rel=0.01)
    assert drawn(axes, tmp_path).std() > 0.05


def test_a_map_can_share_a_figure(tmp_path):
    figure = Figure(figsize=(8, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    assert plot_map(solve(on_earth()), ax=left) is left
    assert left.get_legend() is not None and not figure.legends
    plot_map(solve(town()), ax=right, sites=SITES, demand=HOMES)
    assert drawn(figure, tmp_path).std() > 0.05


def test_a_map_needs_locations():
    with refused(InputError, "locations"):
        plot_map(solve(town()))
    with refused(InputError, "location", "item", 2, 3):
        plot_map(solve(town()), sites=SITES[:2], demand=HOMES)


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")  # of rasterio
def test_a_basemap_is_drawn_below_the_sites(tmp_path):
    """From a raster: tiles of a server would need the network."""
    rasterio = pytest.importorskip("rasterio")
    pytest.importorskip("contextily")
    path = tmp_path / "map.tif"
    west, south, east, north = 1815000, 6130000, 1850000, 6170000  # Web Mercator
    with rasterio.open(
        path,
        "w",
        driver="GTiff",
        width=40,
        height=40,
        count=3,
        dtype="uint8",
        crs="EPSG:3857",
        transform=rasterio.transform.from_bounds(west, south, east, north, 40, 40),
    ) as raster:
        raster.write(np.full((3, 40, 40), 200, dtype=np.uint8))
    axes = plot_map(solve(on_earth()), basemap=str(path))
    assert len(axes.images) == 1
    assert drawn(axes, tmp_path).std() > 0.05


def test_a_basemap_needs_to_know_where_it_is():
    with refused(InputError, "reference system"):
        plot_map(solve(town()), sites=SITES, demand=HOMES, basemap=True)


def test_a_basemap_needs_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "contextily", None)
    with refused(MissingExtraError, "contextily"):
        plot_map(solve(on_earth()), basemap=True)


def test_long_and_odd_names_are_drawn_as_they_are(tmp_path):
    names = ["$x$ and $y", "two\nlines", "a name that is much too long for a label"]
    problem = CoverageProblem.from_sets({name: [name] for name in names}, budget=3)
    axes = plot_overlap(solve(problem))
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == [r"\$x\$ and \$y", "two lines", "a name that is much too…"]
    drawn(axes, tmp_path)


def test_pyplot_is_used_only_by_programs_that_use_it():
    script = (
        "import sys\n"
        "from thatch.plot import plot_curve\n"
        "plot_curve([1], [2])\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
        "import matplotlib.pyplot as plt\n"
        "assert plot_curve([1], [2]).figure.number in plt.get_fignums()\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True)
