import pytest

from thatch import Document, Summarizer, summarize
from thatch.text.passages.passage_filter import superseded
from thatch.text.passages.passages import Passages

OLD = "The storm killed 12 people in the north of the country."
NEW = "The storm killed 15 people in the north of the country."


def found(*dated):
    return superseded(Passages.of([Document(text, date=date) for text, date in dated]))


def test_the_newest_figure_wins_in_any_order():
    assert found((OLD, "2024-05-01"), (NEW, "2024-05-02")) == {0: 1}
    assert found((NEW, "2024-05-02"), (OLD, "2024-05-01")) == {1: 0}


def test_every_older_figure_is_superseded():
    middle = NEW.replace("15", "14")
    dated = (OLD, "2024-05-01"), (NEW, "2024-05-03"), (middle, "2024-05-02")
    replaced = found(*dated)
    assert set(replaced) == {0, 2}
    assert replaced[2] == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((OLD, ""), (NEW, "2024-05-02")),
        ((OLD, ""), (NEW, "")),
        ((OLD, "2024-05-01"), (NEW, "2024-05-01")),
        ((OLD, "2024-05-01"), (OLD, "2024-05-02")),
        ((OLD, "2024-05-01"), ("In the capital, 15 trains were late.", "2024-05-02")),
        (("Many people died in the storm.", "2024-05-01"), (NEW, "2024-05-02")),
        (
            ("Exports rose by 3 percent in 2022.", "2023-01-01"),
            ("Exports rose by 4 percent in 2023.", "2024-01-01"),
        ),
    ],
)
def test_without_a_newer_figure_nothing_is_superseded(one, other):
    assert found(one, other) == {}


def test_figures_of_the_same_year_replace_one_another():
    old = "Exports rose by 3 percent in 2022."
    dated = (old, "2023-01-01"), (old.replace("3", "3.5"), "2023-02-01")
    assert found(*dated) == {0: 1}


def test_a_superseded_sentence_is_left_out_and_says_why():
    documents = [
        Document(OLD, "old.txt", date="2024-05-01"),
        Document(NEW, "new.txt", date="2024-05-02"),
    ]
    summary = summarize(documents, 100)
    assert summary.text == NEW
    (left,) = summary.left_out
    assert (left.text, left.reason) == (OLD, "superseded by new.txt, sentence 1")


def test_paragraphs_are_not_superseded():
    documents = [Document(OLD, date="2024-05-01"), Document(NEW, date="2024-05-02")]
    task = Summarizer(by="paragraph").task(documents, 100)
    assert not any(why.startswith("superseded") for why in task.ruled_out.values())


TEXTS = ["Snow fell on the hills. Roads were closed.", "Rain is expected. Rivers rise."]


def test_the_oldest_document_is_printed_first():
    documents = [
        Document(text, date=date)
        for text, date in zip(TEXTS, ("2024-05-02", "2024-05-01"), strict=True)
    ]
    summary = summarize(documents, 100)
    assert summary.text == f"{TEXTS[1]} {TEXTS[0]}"
    # Documents without names are still numbered as they were given.
    assert [(s.document, s.position) for s in summary.sentences] == [
        (1, 0),
        (1, 1),
        (0, 0),
        (0, 1),
    ]
    for sentence in summary.sentences:
        text = TEXTS[sentence.document]
        assert text[sentence.start : sentence.end] == sentence.text


def test_one_document_without_a_date_keeps_the_order_of_the_input():
    documents = [Document(TEXTS[0], date="2024-05-02"), Document(TEXTS[1])]
    assert summarize(documents, 100).text == " ".join(TEXTS)


def test_documents_of_one_date_keep_the_order_of_the_input():
    documents = [Document(text, date="2024-05-02") for text in TEXTS]
    assert summarize(documents, 100).text == " ".join(TEXTS)


def test_groups_are_printed_in_the_order_of_dates():
    documents = [
        Document("Snow fell on all of the hills.", "b.txt", date="2024-05-02"),
        Document("Rain is expected.", "a.txt", date="2024-05-01"),
    ]
    text = Summarizer(group="document").summarize(documents, 100).text
    assert text.index("## a.txt") < text.index("## b.txt")
