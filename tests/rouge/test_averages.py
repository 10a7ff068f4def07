from statistics import fmean

import pytest
from refusals import refused

from thatch import InputError
from thatch.rouge import Bootstrap, Rouge, average

ROUGE = Rouge()
CANDIDATES = ["two cats", "a dog", "cats and dogs", "two"]


def scores():
    return [ROUGE.score(candidate, "two cats and a dog") for candidate in CANDIDATES]


def test_means_are_those_of_the_scores():
    averages = average(scores())
    assert list(averages) == ["ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-SU4"]
    for metric, each in averages.items():
        for name in ("recall", "precision", "f_measure"):
            expected = fmean(getattr(score[metric], name) for score in scores())
            estimate = getattr(each, name)
            assert estimate.mean == pytest.approx(expected)
            assert estimate.low <= estimate.mean <= estimate.high
    assert averages.scores == tuple(scores())
    assert len(averages) == 4


def test_the_signature_includes_the_settings_of_intervals():
    averages = average(scores(), bootstrap=Bootstrap(500, 0.9, seed=4))
    assert averages.signature == ROUGE.signature + "|interval:90%,500resamples,seed4"


def test_no_scores_have_no_mean():
    with pytest.raises(InputError, match="scores"):
        average([])


def test_scores_of_different_settings_have_no_mean():
    other = Rouge(alpha=0.2).score("a", "a")
    with refused(InputError, "scores", "alpha:0.2", "alpha:0.5"):
        average([ROUGE.score("a", "a"), other])
