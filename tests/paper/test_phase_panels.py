from dataclasses import replace

import numpy as np
import pytest

from thatch.paper.ensemble_phases import Phase, PhaseDiagram
from thatch.paper.phase_panels import AROUND_ONE, LINEAR, Line, Panel, draw_phases

pytestmark = pytest.mark.slow

TITLES = (
    *("(a) expected cost / budget", "(b) covered weight per item"),
    *("(c) free energy per item", "(d) entropy per item (nats)"),
    *("(e) growth, random perturbation", "(f) growth, uniform perturbation"),
)


def phase(inverse_temperature, price):
    # Fields that the drawing does not need may be added to the class.
    values = dict.fromkeys(Phase.__dataclass_fields__, 0.01)
    return Phase(**values | {"inverse_temperature": inverse_temperature} | {
        "price": price,
        "cost": 4.0 / price,
        "covered_weight": 16.0 / (1.0 + 0.1 * price),
        "free_energy": -10.0 - 1.0 / inverse_temperature + price,
        "entropy": 1.0 / inverse_temperature,
        "random_growth": 0.4 * inverse_temperature,
        "uniform_growth": 0.3 * inverse_temperature + 1.0 / price,
    })  # fmt: skip


def diagram(inverse_temperatures=(0.3, 1.0, 8.0), prices=(0.5, 2.0, 8.0)):
    rows = tuple(phase(b, m) for b in inverse_temperatures for m in prices)
    return PhaseDiagram(rows, inverse_temperatures, prices)


def text_of(diagram, tmp_path):
    diagram.write_picture(tmp_path / "phases.svg")
    return (tmp_path / "phases.svg").read_text()


def test_every_panel_has_a_title_and_every_line_an_explanation(tmp_path):
    text = text_of(diagram(), tmp_path)
    for label in (*TITLES, "expected cost = budget", "growth = 1", "growth = 3"):
        assert f"<!-- {label} -->" in text


def test_lines_that_are_not_drawn_are_not_explained():
    warm = diagram(inverse_temperatures=(0.3, 1.0))
    figure = draw_phases(warm.prices, warm.inverse_temperatures, warm.panels)
    (legend,) = figure.legends
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels == ["expected cost = budget", "growth = 1"]


def test_one_temperature_and_one_price(tmp_path):
    text = text_of(diagram((1.0,), (2.0,)), tmp_path)
    for title in TITLES:
        assert f"<!-- {title} -->" in text


def test_one_temperature_has_no_lines():
    cold = diagram((8.0,))
    figure = draw_phases(cold.prices, cold.inverse_temperatures, cold.panels)
    assert not figure.legends
    assert len(bars(figure)) == 6


def bars(figure):
    """The color bars, by the panel's number."""
    return [
        axes.collections[0].colorbar for axes in figure.axes if axes.get_title("left")
    ]


@pytest.mark.parametrize(
    ("lowest", "highest", "ends"),
    [(0.5, 2.0, "neither"), (0.1, 2.0, "min"), (0.5, 9.0, "max"), (0.1, 9.0, "both")],
)
def test_arrows_mark_values_beyond_the_scale(lowest, highest, ends):
    values = np.array([[lowest, 1.0], [1.0, highest]])
    figure = draw_phases([1.0, 2.0], [0.1, 1.0], [Panel("ratio", values, AROUND_ONE)])
    (bar,) = bars(figure)
    assert bar.extend == ends
    assert [label.get_text() for label in bar.ax.get_yticklabels()] == [
        *("1/4", "1/2", "1", "2", "4")
    ]


@pytest.mark.parametrize(
    ("entropy", "drawn", "ends"), [(-0.01, 0.0, "neither"), (-0.02, -0.02, "min")]
)
def test_entropies_below_zero_are_marked_unless_within_errors(entropy, drawn, ends):
    rows = [replace(row, entropy_error=0.006) for row in diagram().rows]
    rows[-1] = replace(rows[-1], entropy=entropy)
    panel = replace(diagram(), rows=tuple(rows)).panels[3]
    (bar,) = bars(draw_phases([0.5, 2.0, 8.0], [0.3, 1.0, 8.0], [panel]))
    assert bar.mappable.get_array().min() == drawn
    assert bar.extend == ends


def test_cells_are_around_their_centers_on_a_logarithmic_scale():
    values = np.arange(6.0).reshape(2, 3)
    line = Line("half", values, 2.5)
    figure = draw_phases([1, 4, 16], [1, 9], [Panel("x", values, LINEAR, (line,))])
    mesh = bars(figure)[0].mappable
    corners = mesh.get_coordinates().data
    assert corners[0, :, 0] == pytest.approx([0.5, 2, 8, 32])
    assert corners[:, 0, 1] == pytest.approx([1 / 3, 3, 27])
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["half"]
