import pytest
from refusals import refused

from thatch import InputError
from thatch.rouge import LongestSubsequence, NGrams, SkipBigrams
from thatch.rouge.score_settings import metric_by_name


@pytest.mark.parametrize(
    "metric",
    [
        NGrams(1),
        NGrams(12),
        LongestSubsequence(),
        SkipBigrams(),
        SkipBigrams(0, with_words=False),
        SkipBigrams(None),
    ],
    ids=lambda metric: metric.name,
)
def test_every_metric_is_found_by_its_name(metric):
    assert metric_by_name(metric.name) == metric
    assert metric_by_name(metric.name.lower()) == metric
    assert metric_by_name(f" {metric.name.removeprefix('ROUGE-')}") == metric


@pytest.mark.parametrize("name", ["", "0", "W", "SU", "S-1", "ROUGE", "1000", "\uff11"])
def test_other_names_are_refused(name):
    with refused(InputError, "metrics", repr(name)):
        metric_by_name(name)
