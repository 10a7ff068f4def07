import numpy as np
import pytest

from thatch.paper.figures.gap_panels import GapPanel, GapPanels


@pytest.mark.parametrize("num_panels", [1, 3])
def test_the_same_panels_give_the_same_file(tmp_path, num_panels):
    panel = GapPanel(
        title="unit costs",
        gaps={"g-greedy": (5.0, 0.1), "Algorithm 2": (8.0, 0.5)},
        traces={"damping 0.5": np.array([0.0, 2.0]), "damping 0.9": np.ones(2)},
    )
    for name in ("one.svg", "two.svg"):
        GapPanels([panel] * num_panels, caption="two graphs").save(tmp_path / name)
    text = (tmp_path / "one.svg").read_bytes()
    assert text == (tmp_path / "two.svg").read_bytes()
