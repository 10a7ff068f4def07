import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from thatch.text.costs.layout import Layout
from thatch.text.costs.units import CHARACTERS, WORDS, tokens_by
from thatch.text.documents.document import Document
from thatch.text.passages.passages import Granularity, Passages

lines = st.lists(st.text(alphabet="ab c.", min_size=1), min_size=1, max_size=6)
layouts = st.sampled_from([Layout(" "), Layout("\n\n"), Layout(" and "), Layout("")])


def with_ends(text):
    """Tokens of a tokenizer that marks where every text begins and ends."""
    return ["<begin>", *text, "<end>"]


def is_within(layout, texts, budget, unit):
    spent = layout.costs(texts, unit).sum()
    return spent <= layout.budget(budget, unit)


@given(lines, layouts, st.integers(0, 60))
def test_costs_add_up_to_what_is_printed(texts, layout, budget):
    """Whatever fits by its costs fits as printed, and the other way round."""
    for unit in (CHARACTERS, tokens_by(with_ends)):
        printed = unit.measure(layout.joined(texts))
        if budget >= unit.measure(""):
            assert is_within(layout, texts, budget, unit) == (printed <= budget)


def test_the_first_separator_costs_nothing():
    layout = Layout(" and so on ")
    assert layout.costs(["One two.", "Three."], WORDS).tolist() == [5, 4]
    assert layout.budget(6, WORDS) == 9


def test_a_budget_below_the_cost_of_an_empty_text_is_zero():
    assert Layout().budget(1, tokens_by(with_ends)) == 0


def test_costs_are_never_negative():
    shrinking = tokens_by(lambda text: 3 if not text else 1)
    assert np.all(Layout().costs(["a", "b c"], shrinking) == 0)


def test_headings_name_documents_and_number_those_without_a_name():
    passages = Passages.of([Document("One.", "a.txt"), Document("Two {name}.")])
    layout = Layout(heading="{name} ({name}): ")
    assert [layout.printed(passage, passages) for passage in passages] == [
        "a.txt (a.txt): One.",
        "document 2 (document 2): Two {name}.",
    ]


def test_sentences_paragraphs_and_files_have_default_layouts():
    assert Layout.usual(Granularity.SENTENCE) == Layout(" ", "")
    assert Layout.usual(Granularity.PARAGRAPH) == Layout("\n\n", "")
    assert Layout.usual(Granularity.FILE) == Layout("\n\n", "## {name}\n\n")


wide = st.lists(
    st.sampled_from(
        [
            "今日は晴れ。",
            "「雨。」",
            "新しいiPhone。",
            "iOSは“良い。”",
            "雪",
            "OK.",
            "iPhone",
        ]
    ),
    min_size=1,
    max_size=6,
)


@given(wide)
def test_words_of_chinese_and_japanese_add_up_without_a_space(texts):
    layout = Layout.usual(Granularity.SENTENCE, ["ja", "en"])
    assert layout.adds_up(WORDS, texts)
    assert layout.costs(texts, WORDS).sum() == WORDS.measure(layout.joined(texts))
    assert layout.budget(5, WORDS) == 5


@given(wide)
def test_characters_add_up_if_there_is_no_space_at_all(texts):
    layout = Layout.usual(Granularity.SENTENCE, ["zh"])
    num_printed = len(layout.joined(texts))
    spent = layout.costs(texts, CHARACTERS).sum()
    assert num_printed <= spent <= num_printed + 1
    if layout.adds_up(CHARACTERS, texts):
        assert spent == num_printed
        assert " " not in layout.joined(texts)


def test_a_space_stays_where_latin_letters_meet():
    layout = Layout.usual(Granularity.SENTENCE, ["zh"])
    assert (
        layout.joined(["好。", "OK.", "用iPhone", "iOS好。"])
        == "好。OK. 用iPhone iOS好。"
    )
    assert layout.joined([]) == ""
