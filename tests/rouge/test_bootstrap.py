import math

import numpy as np
import pytest
from refusals import refused

from thatch import InputError
from thatch.rouge import Bootstrap


def test_a_seed_repeats_its_intervals_on_every_machine():
    (estimate,) = Bootstrap(seed=3).estimates([[0.0], [0.2], [0.7], [1.0], [0.4]])
    assert estimate.mean == pytest.approx(0.46)
    assert (estimate.low, estimate.high) == pytest.approx((0.14, 0.76))


def test_other_seeds_draw_other_intervals():
    rows = [[math.sin(number)] for number in range(40)]
    assert Bootstrap(seed=1).estimates(rows) != Bootstrap(seed=2).estimates(rows)


def test_intervals_are_those_of_the_normal_distribution_where_it_holds():
    values = np.random.default_rng(7).normal(size=2000)
    error = values.std() / math.sqrt(values.size)
    for confidence, width in ((0.95, 1.96), (0.5, 0.674)):
        (estimate,) = Bootstrap(confidence=confidence).estimates(values[:, None])
        assert estimate.low == pytest.approx(
            values.mean() - width * error, abs=0.2 * error
        )
        assert estimate.high == pytest.approx(
            values.mean() + width * error, abs=0.2 * error
        )


def test_columns_are_drawn_together():
    rows = [[number, -number] for number in (0.1, 0.5, 0.6, 0.9)]
    up, down = Bootstrap().estimates(rows)
    assert (up.low, up.high) == pytest.approx((-down.high, -down.low))


def test_a_single_case_has_an_interval_of_no_width():
    (estimate,) = Bootstrap(num_resamples=1).estimates([[0.3]])
    assert (estimate.low, estimate.mean, estimate.high) == (0.3, 0.3, 0.3)


@pytest.mark.parametrize(
    ("settings", "facts"),
    [
        ({"num_resamples": 0}, ["num_resamples", "0"]),
        ({"num_resamples": 2.5}, ["num_resamples", "2.5"]),
        ({"confidence": 1}, ["confidence", "1"]),
        ({"confidence": math.nan}, ["confidence", "nan"]),
        ({"seed": -1}, ["seed", "-1"]),
    ],
)
def test_settings_out_of_range_are_refused(settings, facts):
    with refused(InputError, *facts):
        Bootstrap(**settings)
