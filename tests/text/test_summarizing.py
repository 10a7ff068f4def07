import json
import string
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import thatch
from thatch import Document, Exact, Greedy, InputError, Summarizer, summarize
from thatch.errors import InputTypeError
from thatch.run.result import Status
from thatch.text.costs.layout import Layout
from thatch.text.costs.units import (
    CHARACTERS,
    SENTENCES,
    TOKENS,
    WORDS,
    Unit,
    tokens_by,
)
from thatch.text.passages.passage_filter import PassageFilter
from thatch.text.passages.passages import Granularity

TEXT = (
    "The bridge closed on Monday morning. Engineers had found cracks in two piers. "
    "The cracks in two piers of the bridge will take a year to repair. "
    "Ferries will run instead of buses. Shops near the bridge expect losses."
)
OPINOSIS = Path(__file__).parent.parent / "data" / "opinosis_sample.jsonl"


def ragged_tokens(text):
    """Tokens that do not add up: some are counted every seven characters."""
    return text.split() + [c for c in text if c in ".,;"] + list(text[::7])


UNITS = [WORDS, CHARACTERS, SENTENCES, TOKENS, tokens_by(ragged_tokens)]
words = st.text(alphabet=string.ascii_letters + "éß中文ا،。!(),'\"-0123", min_size=1)
sentences = st.lists(words, min_size=1, max_size=12).map(" ".join)
paragraphs = st.lists(sentences, max_size=8).map(". ".join)
texts = st.lists(
    st.lists(paragraphs, max_size=3).map("\n\n".join), min_size=1, max_size=4
)


@given(
    documents=texts,
    budget=st.one_of(st.integers(0, 60), st.floats(0, 200)),
    unit=st.sampled_from(UNITS),
    by=st.sampled_from(Granularity),
    separator=st.sampled_from([" ", "", "\n", " -- ", ". ", "\n\n* ", "。"]),
    heading=st.sampled_from(["", "# {name}\n", "[...] "]),
)
def test_the_printed_text_never_exceeds_the_budget(
    documents, budget, unit, by, separator, heading
):
    summarizer = Summarizer(unit=unit, by=by, layout=Layout(separator, heading))
    given_documents = [Document(text, f"d{k}") for k, text in enumerate(documents)]
    summary = summarizer.summarize(given_documents, budget)
    if (unit, by) == (SENTENCES, Granularity.SENTENCE):
        assert len(summary.sentences) == summary.cost <= budget
    else:
        # Sentences end as they do in the language of the whole text.
        measure = summary.task.unit.measure
        assert (measure(summary.text) if summary.text else 0) == summary.cost <= budget
    again = summarizer.summarize(given_documents, budget)
    assert again.text == summary.text


def test_the_summary_is_worth_as_much_as_an_exact_one():
    for line in OPINOSIS.read_text().splitlines():
        cluster = json.loads(line)
        usual = summarize(cluster["documents"], 40)
        exact = summarize(cluster["documents"], 40, solver=Exact())
        assert usual.value <= exact.upper_bound * (1 + 1e-9)
        assert exact.value <= usual.upper_bound * (1 + 1e-9)


def test_sentences_are_in_the_order_of_the_text():
    summary = summarize(TEXT, budget=30)
    places = [(sentence.document, sentence.start) for sentence in summary.sentences]
    assert places == sorted(places)
    for sentence in summary.sentences:
        assert TEXT[sentence.start : sentence.end] == sentence.text


def test_the_value_is_what_the_sentences_cover():
    summary = summarize(TEXT, budget=25)
    table, covered = summary.task.table, set()
    for sentence in summary.sentences:
        passage = [p.text for p in summary.task.passages].index(sentence.text)
        covered |= set(table.concept_indices[table.passage_indices == passage])
    expected = table.weights[sorted(covered)].sum()
    assert summary.value == pytest.approx(expected)


def test_a_text_within_the_budget_is_not_cut():
    short = "This is one short sentence."
    assert summarize(short, budget=100).text == short
    assert summarize("Word", budget=1).text == "Word"


def test_empty_text_has_an_empty_summary():
    for text in ("", " \n\n ", [""], ["", ""]):
        summary = summarize(text, budget=10)
        assert (summary.text, summary.cost, summary.value, summary.gap) == ("", 0, 0, 0)


def test_nothing_fits_a_budget_below_the_shortest_sentence():
    assert summarize(TEXT, budget=3).text == ""


def test_a_required_text_is_in_the_summary():
    without = summarize(TEXT, budget=14)
    assert "Shops" not in without.text
    summary = summarize(TEXT, budget=14, require="shops NEAR")
    assert "Shops near the bridge" in summary.text
    assert summary.cost <= 14
    assert summary.value <= without.upper_bound


def test_one_of_several_passages_meets_a_requirement():
    summary = summarize(TEXT, budget=8, require=["piers"])
    assert summary.text == "Engineers had found cracks in two piers."


def test_an_excluded_text_is_not_in_the_summary():
    summary = summarize(TEXT, budget=100, exclude=["piers", "ferries"])
    assert "piers" not in summary.text
    assert "Ferries" not in summary.text
    assert "Shops" in summary.text


def test_requirements_that_do_not_fit_are_an_error():
    with refused(InputError, "budget", 11):
        summarize(TEXT, budget=11, require=["Ferries", "Shops"])


def test_a_requirement_that_no_passage_meets_is_named():
    with refused(InputError, "require", "'zebra'"):
        summarize(TEXT, require="zebra")
    with refused(InputError, "require", "'Ferries'", "excluded"):
        summarize(TEXT, require="Ferries", exclude="Ferries")


def test_a_query_changes_the_summary():
    summary = summarize(TEXT, budget=6, query="who loses, shops?")
    assert summary.text == "Shops near the bridge expect losses."
    with refused(InputError, "query", "'zebra'"):
        summarize(TEXT, query="zebra")
    with refused(InputError, "query", "'?!'"):
        summarize(TEXT, query="?!")


def test_lengths_limit_the_sentences():
    documents = [Document(TEXT)]
    rules = PassageFilter(min_words=7, max_words=7)
    chosen = Summarizer(passage_filter=rules).summarize(documents, 100).sentences
    assert [s.text for s in chosen] == ["Engineers had found cracks in two piers."]


def test_near_duplicate_files_are_not_selected_twice():
    copy = TEXT.replace("Monday", "Tuesday")
    summary = summarize([TEXT, copy, "Another matter entirely."], 200, by="file")
    assert [s.document for s in summary.sentences] == [0, 2]
    (left,) = summary.left_out
    assert left.reason == "near-duplicate of document 1"


def test_files_have_their_names_as_headings():
    documents = [Document("Alpha one two.", "a.txt"), Document("Beta three.", "b.txt")]
    summary = summarize(documents, 100, by="file")
    assert summary.text == "## a.txt\n\nAlpha one two.\n\n## b.txt\n\nBeta three."


def test_the_curve_rises_with_the_budget():
    summaries = Summarizer().curve([Document(TEXT)], [0, 7, 14, 28, 100])
    values = [summary.value for summary in summaries]
    assert values == sorted(values)
    assert values[0] == 0
    assert np.all([s.cost <= s.budget for s in summaries])


def test_what_was_left_out_would_have_added_its_gain():
    summary = summarize(TEXT, budget=13)
    chosen = {s.text for s in summary.sentences}
    assert chosen | {p.text for p in summary.left_out} == {
        p.text for p in summary.task.passages
    }
    gains = [p.gain for p in summary.left_out]
    assert gains == sorted(gains, reverse=True)
    more = summarize(TEXT, budget=200)
    best = summary.left_out[0]
    both = summary.value + best.gain
    assert both <= more.value * (1 + 1e-9)


def test_concepts_that_only_one_sentence_covers_are_listed():
    summary = summarize(TEXT, budget=13)
    for sentence in summary.sentences:
        assert bool(sentence.concepts) == (sentence.weight > 0)
    assert "cracks" in " ".join(c for s in summary.sentences for c in s.concepts)


def test_callers_may_define_concepts():
    by_digits = summarize(
        "Room five. Room 101 is free today. It costs 80 euros a night.",
        budget=7,
        concepts=lambda text: [w for w in text.split() if w[0].isdigit()],
        readability=0,
    )
    assert by_digits.value == 1


@pytest.mark.parametrize(
    ("settings", "value"),
    [
        ({"budget": -1}, "-1"),
        ({"budget": float("nan")}, "nan"),
        ({"unit": "pages"}, "'pages'"),
        ({"by": "chapter"}, "'chapter'"),
        ({"concepts": "vibes"}, "'vibes'"),
        ({"require": " "}, "' '"),
    ],
)
def test_bad_settings_are_named(settings, value):
    with refused(InputError, *settings, value):
        summarize(TEXT, **settings)


def test_bad_texts_are_named():
    with refused(InputError, "texts"):
        summarize([])
    with refused(InputTypeError, "texts[1]", 3):
        summarize(["a", 3])
    for text in (None, b"bytes"):
        with refused(InputTypeError, "texts[0]", text):
            summarize(text)
    with refused(InputTypeError, "concepts", 3):
        summarize(TEXT, concepts=3)


def test_the_function_is_public():
    assert thatch.summarize is summarize


def test_nothing_is_called_optimal_where_costs_do_not_add_up():
    """Pieces of four characters: together fewer than one by one."""
    text = "Snow. Rain. Wind. Hail. Fog. Sun."
    pieces = tokens_by(lambda text: -(-len(text) // 4))
    assert summarize(text, 4, unit=pieces).status is thatch.Status.FINISHED
    assert summarize(text, 20, unit="characters").status is thatch.Status.OPTIMAL
    glued = Summarizer(layout=Layout(separator="-"))
    assert glued.summarize([Document(text)], 3).status is thatch.Status.FINISHED


def test_settings_may_be_names_and_are_checked():
    assert (
        Summarizer(by="paragraph", unit="characters", concepts="bigrams").by
        is Granularity.PARAGRAPH
    )
    for bad in ({"by": "page"}, {"unit": 3}, {"language": 5}):
        with pytest.raises(InputError):
            Summarizer(**bad)
    with refused(InputTypeError, "separator", None):
        Layout(separator=None)


def test_languages_have_codes_and_names():
    assert Summarizer(language="German").language == "de"
    for unknown in ("xx", "klingon", "deutsch", ""):
        with refused(InputError, "language", repr(unknown)):
            Summarizer(language=unknown)


def test_a_unit_of_the_caller_may_be_called_sentences():
    lines = Unit("sentences", lambda text: 10.0 * text.count("."))
    assert summarize(TEXT, budget=20, unit=lines).cost == 20
    assert summarize(TEXT, budget=20, unit="sentences").cost == 5


@pytest.mark.parametrize("max_seconds", [0, 60])
def test_a_summary_may_have_a_time_limit(max_seconds):
    summary = summarize(TEXT, budget=20, max_seconds=max_seconds)
    assert summary.cost <= 20
    is_over = summary.status is Status.TIME_LIMIT
    assert is_over or summary.status is Status.OPTIMAL


@pytest.mark.parametrize("max_seconds", [-1, float("nan")])
def test_a_time_limit_is_not_negative(max_seconds):
    with refused(InputError, "max_seconds", max_seconds):
        summarize(TEXT, max_seconds=max_seconds)


def test_sentences_are_counted_in_the_language_they_were_split_in():
    text = (
        "Er kam am 3. März zu Prof. Müller bzw. dessen Frau. Es schneite. Sie gingen."
    )
    summarizer = Summarizer(unit=SENTENCES, language="de")
    assert summarizer.summarize([Document(text)], 3).text == text


def test_the_cost_of_a_passage_includes_its_heading():
    summary = summarize(Document("Alpha beta gamma.", "a.txt"), 100, by="file")
    assert [s.cost for s in summary.sentences] == [summary.cost] == [5]


def test_a_language_without_stop_words_cannot_remove_them():
    with refused(InputError, "remove_stop_words", "'ka'"):
        summarize("მთელი დღე თოვდა.", concepts="tf-idf-content")


def test_composed_and_decomposed_letters_are_equal():
    composed, decomposed = "Un café noir et fort.", "Un cafe\u0301 noir et fort."
    assert len(summarize([composed, decomposed], 100).sentences) == 1
    assert summarize(decomposed, 100, require="café").text == decomposed


def test_sentences_unrelated_to_the_query_are_left_out():
    """But for the sentences next to those that are related: they often go on."""
    text = "Snow closed the road. Trucks wait. Drivers sleep. The cook makes soup."
    assert "soup" not in summarize(text, 100, query="road").text


def test_a_summarizer_accepts_texts_as_the_function_does():
    summarizer = Summarizer()
    expected = summarizer.summarize([Document(TEXT)], 20).text
    assert summarizer.summarize(TEXT, 20).text == expected
    assert summarizer.summarize([TEXT], 20).text == expected


def test_a_solver_may_be_given_by_its_name():
    by_object = summarize(TEXT, budget=20, solver=Greedy())
    assert summarize(TEXT, budget=20, solver="greedy").text == by_object.text
    assert Summarizer(solver="greedy").solver == Greedy()
    with refused(InputError, "solver", "'gredy'"):
        summarize(TEXT, solver="gredy")
