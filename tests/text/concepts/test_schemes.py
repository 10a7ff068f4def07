from collections import Counter
from math import log

import numpy as np
import pytest
from refusals import refused

from thatch.errors import InputError, InputTypeError
from thatch.text.concepts.background import Background
from thatch.text.concepts.occurrences import Occurrences
from thatch.text.concepts.schemes import Bigrams, CustomConcepts, TfIdf
from thatch.text.documents.document import Document
from thatch.text.passages.passages import Passages

TEXTS = [
    "The king left the palace. Snow fell on the palace.",
    "A king may leave. The old palace burned.",
    "Snow fell. The old palace stood.",
]
BACKGROUND = Background.of(Document(t) for t in ("The king.", "The snow.", "The end."))


def passages(texts=TEXTS):
    return Passages.of([Document(text) for text in texts])


def weights_of(table):
    return dict(zip(table.names(), table.weights.tolist(), strict=True))


def passages_with(table, concept):
    a = table.names().index(concept)
    return table.passage_indices[table.concept_indices == a].tolist()


def test_words_weigh_as_in_the_paper():
    """TF over the cluster, IDF over background and cluster, 1.5 for first sentences."""
    weights = weights_of(TfIdf(background=BACKGROUND).weigh(passages()))
    total = sum(len(text.split()) for text in TEXTS)
    assert weights["palac"] == pytest.approx(4 / total * log(7 / 3) * 1.5)
    assert weights["old"] == pytest.approx(2 / total * log(7 / 2))
    assert weights["the"] == pytest.approx(5 / total * log(7 / 6) * 1.5)


def test_words_without_background_are_rare_by_sentences():
    weights = weights_of(TfIdf().weigh(passages()))
    total = sum(len(text.split()) for text in TEXTS)
    assert weights["old"] == pytest.approx(2 / total * log(7 / 2))


def test_stop_words_are_removed_before_frequencies_are_taken():
    weights = weights_of(TfIdf(remove_stop_words=True).weigh(passages()))
    assert "the" not in weights
    content = [w for t in TEXTS for w in t.lower().replace(".", "").split()]
    num_content = sum(w not in {"the", "on", "a"} for w in content)
    assert weights["old"] == pytest.approx(2 / num_content * log(7 / 2))


def test_every_passage_with_a_word_is_listed_once():
    table = TfIdf().weigh(passages())
    assert passages_with(table, "palac") == [0, 1, 3, 5]
    pairs = list(
        zip(table.passage_indices.tolist(), table.concept_indices.tolist(), strict=True)
    )
    assert len(set(pairs)) == len(pairs)


def test_a_background_less_some_documents_is_that_of_the_others():
    first, others = Document(TEXTS[0]), [Document(text) for text in TEXTS[1:]]
    whole = Background.of([first, *others])
    rest = whole.without(Background.of([first]))
    expected = Background.of(others)
    assert rest.num_documents == expected.num_documents
    assert +Counter(rest.counts) == Counter(expected.counts)


def test_bigrams_count_the_documents_that_contain_them():
    weights = weights_of(Bigrams(min_documents=2).weigh(passages()))
    assert weights["old palac"] == 2
    assert weights["snow fell"] == 2
    assert "king may" not in weights


def test_two_stop_words_make_no_bigram():
    found = weights_of(
        Bigrams(min_documents=1).weigh(passages(["It was on the roof."]))
    )
    assert set(found) == {"the roof"}


def test_with_few_documents_sentences_are_counted():
    texts = ["Old snow fell. Old snow lay. New snow came."]
    weights = weights_of(Bigrams().weigh(passages(texts)))
    assert weights["old snow"] == 2
    assert weights["new snow"] == 1


def test_bigrams_need_a_document():
    with refused(InputError, "min_documents", 0):
        Bigrams(min_documents=0)


def test_weights_may_come_from_a_mapping_or_a_function():
    for weights in ({"snow": 2.0}, lambda word: 2.0 * (word == "snow")):
        table = CustomConcepts(lambda text: text.lower().split(), weights).weigh(
            passages()
        )
        assert weights_of(table) == {"snow": 2.0}
        assert passages_with(table, "snow") == [1, 4]


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf")])
def test_a_bad_weight_is_named(weight):
    with refused(InputError, "weights['The']", weight):
        CustomConcepts(str.split, lambda _: weight).weigh(passages())


def test_no_passages_have_no_concepts():
    for concepts in (TfIdf(), Bigrams(), CustomConcepts(str.split)):
        assert concepts.weigh(passages([""])).weights.size == 0


def test_occurrences_count_as_a_slow_count_does():
    rng = np.random.default_rng(0)
    texts = [
        " ".join(f"Word{rng.integers(9)} here." for _ in range(6)) for _ in range(5)
    ]
    source = passages(texts)
    lists = [p.text.split() for p in source]
    found = Occurrences.of(lists, source)
    for k, concept in enumerate(found.concepts):
        matches = [
            p for p, words in zip(source, lists, strict=True) if concept in words
        ]
        assert found.counts[k] == sum(words.count(concept) for words in lists)
        assert found.num_passages[k] == len(matches)
        assert found.num_documents[k] == len({p.document for p in matches})
        firsts = [p for p in matches if p.position == 0]
        assert found.num_first_passages[k] == len(firsts)


def test_values_that_cannot_be_concepts_or_weights_are_named():
    with refused(InputTypeError, "concepts_of", None):
        CustomConcepts(lambda _: None).weigh(passages())
    with refused(InputTypeError, "concepts", "list"):
        CustomConcepts(lambda _: [["a", "list"]]).weigh(passages())
    with refused(InputTypeError, "weights", "'heavy'"):
        CustomConcepts(str.split, lambda _: "heavy").weigh(passages())
