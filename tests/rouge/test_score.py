import pytest

from thatch.rouge import Overlap, Rouge
from thatch.rouge.score import exact_score, rounded_score


def test_the_mean_is_made_of_rounded_shares_as_in_the_original():
    overlap = Overlap(18, 60, 135)
    assert rounded_score(overlap, 0.5).f_measure == 0.18461
    assert exact_score(overlap, 0.5).f_measure == pytest.approx(2 * 18 / 195)


def test_scores_are_a_mapping_in_the_order_of_the_metrics():
    scores = Rouge().score("cat", "cat")
    assert list(scores) == ["ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-SU4"]
    assert len(scores) == 4
    assert "ROUGE-3" not in scores
