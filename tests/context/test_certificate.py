from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thatch
from thatch.context.selection import candidates, selecting
from thatch.context.selection.objective import coverage_of, scaled
from thatch.context.selection.pool import Pool
from thatch.text import WORDS

WORDS_OF_POOL = [f"{first}{second}" for first in "bdfkmt" for second in ("ale", "orn")]
texts = st.lists(
    st.lists(st.sampled_from(WORDS_OF_POOL), min_size=3, max_size=9).map(" ".join),
    min_size=4,
    max_size=9,
    unique=True,
)


@pytest.fixture(scope="module", autouse=True)
def few_candidates():
    """So that other chunks than the candidates matter in small pools."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "_MIN_CANDIDATES", 2)
        patch.setattr(selecting, "_TIMES_BUDGET", (1.0,))
        yield


@given(texts, st.integers(5, 30), st.data())
def test_no_selection_of_all_chunks_is_worth_more_than_the_bound(
    given_texts, budget, data
):
    """Against all selections with the most relevant chunk."""
    size = len(given_texts)
    score = st.sampled_from([0.1, 0.3, 0.6, 0.8, 0.9, 1.0])
    scores = [data.draw(score) for _ in range(size)]
    context = thatch.select(given_texts, budget, scores=scores, unit=WORDS)
    relevances = scaled(np.array(scores))
    pool = Pool.of(given_texts, given_texts).for_scores(relevances)
    worths = pool.with_neighbors(pool.shared(relevances))
    items = np.flatnonzero(pool.originals == np.arange(size))
    costs = np.array([len(given_texts[k].split()) for k in items], dtype=float)
    problem = coverage_of(
        pool.terms.restricted_to(items), worths[items], costs, float(budget)
    )
    best = int(np.argmax(relevances[items]))
    if costs[best] > budget:
        return
    highest = max(
        thatch.Selection.of(problem, chosen).value
        for count in range(1, items.size + 1)
        for chosen in combinations(range(items.size), count)
        if best in chosen and costs[list(chosen)].sum() <= budget
    )
    assert highest <= context.upper_bound * (1 + 1e-9)


def test_what_others_share_with_a_candidate_does_not_weigh_more_than_they():
    words = [f"word{k}" for k in range(200)]
    top, long = " ".join(words[:60]), " ".join(words[60:140])
    hardly = " ".join([*words[60:84], *words[184:200]])
    fillers = [f"filler{k} " * 30 for k in range(40)]
    context = thatch.select(
        [top, long, hardly, *fillers],
        100,
        scores=[1.0, 0.99, 0.05, *[0.3] * 40],
        unit="words",
    )
    assert context.indices[0] == 0
    assert context.value <= context.upper_bound < 70
