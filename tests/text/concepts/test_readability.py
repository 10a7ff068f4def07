from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from thatch import InputError, Status, Summarizer, summarize
from thatch.errors import InputTypeError
from thatch.text.concepts.schemes import CustomConcepts

# Sentences, each with the severity of its flaw by hand.
SEVERITIES = {
    "Snow fell on most of the northern hills.": 0.0,
    "Rain fell on all roads of the town.": 0.0,
    "Most roads of the town led over hills.": 0.0,
    "He saw snow on most of the hills.": 2.0,
    "However, rain fell on most of the roads.": 2.0,
    "Rain fell on these roads of the town:": 10 / 3,
    "All of the northern roads led over": 10 / 3,
    "Rain fell (see Table 2) on most hills.": 1.0,
    "Snow fell on hills.": 1.0,
}
# At the beginning, there is nothing before it, and it may be a title.
FLAWED_ELSEWHERE = {
    "He saw snow on most of the hills.",
    "However, rain fell on most of the roads.",
    "All of the northern roads led over",
}
SCHEME = CustomConcepts(
    lambda text: text.lower().strip(".:").split(), lambda word: len(word)
)
FLAWED = "All of it was sold. This is what the old mayor of the town wanted."


def words_of(sentence):
    return sentence.lower().strip(".:").split()


def value_by_hand(chosen, texts, readability):
    """Sum over concepts of the weight, times the share of the best chosen sentence."""
    best = {}
    for k in chosen:
        severity = SEVERITIES[texts[k]]
        if k == 0 and texts[k] in FLAWED_ELSEWHERE:
            severity = 0.0
        share = max(0.0, 1.0 - severity * readability)
        for word in words_of(texts[k]):
            best[word] = max(best.get(word, 0.0), share)
    return sum(len(word) * share for word, share in best.items())


chosen_sentences = st.lists(
    st.sampled_from(list(SEVERITIES)), min_size=1, max_size=6, unique=True
)
shares = st.sampled_from([0.0, 0.3, 0.5, 1.0]) | st.floats(0.0, 1.0)


# Paragraphs, so that a sentence without an end is not joined to the next.
@given(chosen_sentences, st.integers(0, 40), shares)
def test_the_value_and_the_bound_follow_the_definition(texts, budget, readability):
    summarizer = Summarizer(concepts=SCHEME, readability=readability, language="en")
    summary = summarizer.summarize("\n\n".join(texts), budget)
    chosen = [texts.index(sentence.text) for sentence in summary.sentences]
    expected = value_by_hand(chosen, texts, readability)
    assert summary.value == pytest.approx(expected)
    best = max(
        value_by_hand(others, texts, readability)
        for size in range(len(texts) + 1)
        for others in combinations(range(len(texts)), size)
        if sum(len(texts[k].split()) for k in others) <= budget
    )
    assert summary.upper_bound >= best - 1e-9 * (1 + best)
    if summary.status is Status.OPTIMAL:
        assert summary.value == pytest.approx(best)


@given(chosen_sentences, shares)
def test_what_a_sentence_covers_alone_adds_up(texts, readability):
    summarizer = Summarizer(concepts=SCHEME, readability=readability, language="en")
    summary = summarizer.summarize("\n\n".join(texts), 100)
    chosen = [texts.index(sentence.text) for sentence in summary.sentences]
    for k, sentence in zip(chosen, summary.sentences, strict=True):
        others = [each for each in chosen if each != k]
        loss = summary.value - value_by_hand(others, texts, readability)
        assert sentence.weight == pytest.approx(loss, abs=1e-9)


@pytest.mark.parametrize("concepts", ["salience", "tf-idf", "bigrams"])
def test_a_readability_of_0_changes_nothing(concepts):
    text = " ".join(SEVERITIES)
    table = Summarizer(concepts=concepts, readability=0).task(text, 0).table
    plain = Summarizer(concepts=concepts).concepts.weigh(
        Summarizer().task(text, 0).passages
    )
    assert table.concepts == plain.concepts
    assert table.weights.tolist() == plain.weights.tolist()


def test_a_sentence_that_refers_to_another_covers_nothing_at_1():
    text = "Snow fell on all of the northern hills. He saw a fox in the old town."
    task = Summarizer(readability=1).task(text, 100)
    weights = task.table.weights[
        task.table.concept_indices[task.table.passage_indices == 1]
    ]
    assert weights.sum() == 0
    assert summarize(text, 100, readability=1).text == text.split(". ")[0] + "."
    assert summarize(text, 100, readability=0).text == text


def test_the_better_sentence_is_chosen_of_two_that_say_the_same():
    text = (
        "A storm hit the northern coast. However, the old bridge over the river fell. "
        "Over the river fell, however, the old bridge."
    )
    rules = {"budget": 8, "require": "bridge", "concepts": SCHEME.concepts_of}
    assert summarize(text, readability=1, **rules).text.startswith("Over the river")


def test_concepts_are_named_once():
    summary = summarize(" ".join(SEVERITIES), 100, readability=0.5)
    for sentence in summary.sentences:
        assert len(set(sentence.concepts)) == len(sentence.concepts)


@pytest.mark.parametrize("by", ["paragraph", "file"])
def test_only_sentences_have_flaws(by):
    results = [
        Summarizer(by=by, readability=share).summarize(FLAWED, 100).value
        for share in (0, 1)
    ]
    assert results[0] == results[1] > 0


@pytest.mark.parametrize("share", [-0.1, 1.5, float("nan"), float("inf")])
def test_a_share_is_from_0_to_1(share):
    with refused(InputError, "readability", share):
        Summarizer(readability=share)


@pytest.mark.parametrize("share", ["much", None])
def test_a_share_is_a_number(share):
    with refused(InputTypeError, "readability", share):
        Summarizer(readability=share)
