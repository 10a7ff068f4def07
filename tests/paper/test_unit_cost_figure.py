import numpy as np
import pytest

from thatch.paper.unit_cost_figure import GapRow, UnitCosts


@pytest.mark.parametrize("num_ensembles", [1, 3])
def test_the_same_results_give_the_same_file(tmp_path, num_ensembles):
    ensembles = [f"unit costs {k}" for k in range(num_ensembles)]
    gaps = tuple(
        GapRow(name, method, 5.0, 0.1, 4.0, 6.0, 0.0, 0.0, 0.0, 0.0)
        for name in ensembles
        for method in ("g-greedy", "Algorithm 2")
    )
    traces = {
        (name, f"damping {damping}"): np.array([0.0, 2.0])
        for name in ensembles
        for damping in (0.5, 0.9)
    }
    for name in ("one.svg", "two.svg"):
        UnitCosts(gaps, (), (), traces, 2).write_picture(tmp_path / name)
    text = (tmp_path / "one.svg").read_bytes()
    assert text == (tmp_path / "two.svg").read_bytes()
