"""Shares and terms against sums over the sets of concepts themselves."""

import pytest

from thatch import Summarizer, summarize
from thatch.text.concepts.schemes import CustomConcepts, TfIdf
from thatch.text.report.coverage_facts import document_shares, important_terms

TEXTS = [
    "The old bridge fell on Monday. Nobody was hurt. Ferries run instead.",
    "The old bridge had been closed. A new bridge costs forty million. Ships wait.",
    "Ferries carry nobody at night. The town wants a new bridge.",
]
WORDS = CustomConcepts(lambda text: text.lower().strip(".").split())


def concept_sets(summary):
    """The concepts of each passage, and the weight of each concept."""
    table = summary.task.table
    found = [set() for _ in summary.task.passages]
    for p, a in zip(table.passage_indices, table.concept_indices, strict=True):
        found[p].add(int(a))
    return found, table.weights.tolist()


@pytest.mark.parametrize("concepts", [WORDS, TfIdf()])
@pytest.mark.parametrize("budget", [0, 5, 12, 100])
def test_a_share_is_the_covered_weight_of_the_documents_own_concepts(concepts, budget):
    summary = Summarizer(concepts=concepts).summarize(TEXTS, budget)
    sets, weights = concept_sets(summary)
    covered = set().union(*(sets[p] for p in summary.passages))
    for d, share in enumerate(document_shares(summary)):
        own = [p for p, each in enumerate(summary.task.passages) if each.document == d]
        said = set().union(*(sets[p] for p in own))
        assert share.num_passages == len(own)
        assert share.num_chosen == len({*own} & {*summary.passages})
        assert share.covered == pytest.approx(
            sum(weights[a] for a in said & covered) / sum(weights[a] for a in said)
        )


def test_one_document_has_the_share_of_the_whole():
    summary = summarize(TEXTS[1], 7)
    (share,) = document_shares(summary)
    assert share.covered == pytest.approx(summary.coverage)


@pytest.mark.parametrize("texts", ["", ["", "Snow fell."]])
def test_documents_without_passages_have_a_share_of_zero(texts):
    summary = summarize(texts, 0)
    assert all(share.covered == 0 for share in document_shares(summary))
    assert all(term.sentence == 0 for term in important_terms(summary))


def test_terms_are_the_heaviest_concepts_with_the_first_sentence_that_has_them():
    summary = Summarizer(concepts=WORDS, readability=0).summarize(TEXTS, 14)
    sets, weights = concept_sets(summary)
    names = summary.task.table.concepts
    terms = important_terms(summary)
    # "A" alone tells a reader nothing.
    telling = [w for w, name in zip(weights, names, strict=True) if name != "a"]
    assert [term.weight for term in terms] == sorted(telling, reverse=True)[:20]
    for term in terms:
        holders = [
            k
            for k, p in enumerate(summary.passages, start=1)
            if term.name.lower() in {names[a] for a in sets[p]}
        ]
        assert term.sentence == min(holders, default=0)


def test_words_of_longer_terms_are_left_out():
    text = "Apollo 13 left. Apollo 13 returned. Apollo 13 was safe."
    names = [term.name for term in important_terms(summarize(text, 100))]
    assert "Apollo 13" in names
    assert not {"Apollo", "13"} & {*names}
