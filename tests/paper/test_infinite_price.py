"""The order of an infinite price, at reduced size."""

import pytest
from refusals import refused

from thatch import InputError
from thatch.paper.infinite_price import PRICE, InfinitePriceExperiment

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def table():
    steps = []
    experiment = InfinitePriceExperiment(
        num_graphs=6, inverse_temperatures=(0.05, 1.0, 22.0), num_threads=2
    )
    table = experiment.run(on_progress=steps.append)
    assert sum(steps) == 12
    return table


def test_algorithm_2_reaches_its_limit(table):
    """docs/paper.md: identical on all graphs, at all temperatures."""
    assert PRICE == 1e6
    for row in table.rows:
        assert row.num_as_limit == row.num_graphs == 6
        assert row.bp == row.limit


def test_the_limit_is_another_order_at_high_temperature(table):
    for numbers in ("integers", "reals"):
        warm, _, cold = (row for row in table.rows if row.numbers == numbers)
        assert warm.num_as_static < cold.num_as_static
        assert warm.static == cold.static < cold.ggreedy
    assert table.findings[0].startswith(
        "integers: Algorithm 2 selects the items of its"
    )
    assert "18 of 18 cases" in table.findings[0]


def test_table_and_picture(table, tmp_path):
    (path,) = table.write_csv(tmp_path / "infinite-price.csv")
    assert len(path.read_text().splitlines()) == 7
    table.write_picture(tmp_path / "infinite-price.svg")
    assert "weight per cost" in (tmp_path / "infinite-price.svg").read_text()


def test_impossible_experiments_are_refused():
    with refused(InputError, "graphs", "1"):
        InfinitePriceExperiment(num_graphs=1)
    with refused(InputError, "seed", "-1"):
        InfinitePriceExperiment(seed=-1)
