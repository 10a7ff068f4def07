import pytest
from hypothesis import given
from hypothesis import strategies as st

from thatch.text.documents.document import Document
from thatch.text.passages.passages import Granularity, Passages

MARKDOWN = """# Title

First sentence. Second
sentence.

- an item of a list

```
code = 1
```
"""


def texts(document, by):
    return [passage.text for passage in Passages.of([document], by=by)]


def test_sentences_come_from_prose_on_one_line_each():
    assert texts(Document.from_markdown(MARKDOWN), Granularity.SENTENCE) == [
        "First sentence.",
        "Second sentence.",
        "an item of a list",
    ]


def test_paragraphs_keep_their_lines_and_code():
    first, item, code = texts(Document.from_markdown(MARKDOWN), Granularity.PARAGRAPH)
    assert first == "First sentence. Second\nsentence."
    assert item == "an item of a list"
    assert "code = 1" in code


def test_a_file_is_one_passage():
    assert texts(Document("\n Whole.\n\nText. \n"), Granularity.FILE) == [
        "Whole.\n\nText."
    ]
    assert texts(Document(" \n"), Granularity.FILE) == []


@pytest.mark.parametrize("by", Granularity)
@given(text=st.text(alphabet="aB. \n#-", max_size=60))
def test_offsets_lead_back_to_the_source(by, text):
    for document in (Document(text), Document.from_markdown(text)):
        for p in Passages.of([document], by=by):
            assert p.text.split() == document.text[p.start : p.end].split()


def test_passages_are_numbered_within_their_documents():
    documents = [
        Document("One is here. Two is here."),
        Document(""),
        Document("Three."),
    ]
    numbers = [(p.document, p.position) for p in Passages.of(documents)]
    assert numbers == [(0, 0), (0, 1), (2, 0)]


def test_the_language_may_be_given_or_guessed():
    documents = [Document("Привет, мир. Как дела?")]
    assert Passages.of(documents).language == "ru"
    assert Passages.of(documents, language="bg").language == "bg"


def test_every_document_has_its_own_language():
    german = "Das Haus steht am 3. Mai noch in der Stadt, und die Häuser sind alt."
    english = "The houses of the town are old, and the town is on the river."
    passages = Passages.of([Document(german), Document(english), Document("Hm.")])
    assert passages.languages == ("de", "en", "de")
    assert passages.language == "de"
    first, second, _ = passages.terms
    assert first.count("haus") == 2
    assert "hous" in second
    assert {"die", "und", "the", "of"} <= passages.stop_terms


def test_a_stop_word_of_one_language_is_a_word_of_another():
    german = "Die Stadt hat die Brücke und das Haus nicht für die Leute gebaut."
    english = "They die. They die. We die if the die is cast, and you die with us."
    passages = Passages.of([Document(german), Document(english)])
    assert passages.languages == ("de", "en")
    assert "die" not in passages.stop_terms
    assert "die" in Passages.of([Document(german)]).stop_terms


def test_a_named_language_is_that_of_all_documents():
    passages = Passages.of([Document("Ein Haus."), Document("A house.")], language="fi")
    assert passages.languages == ("fi", "fi")


def test_lines_of_chinese_are_joined_without_a_space():
    (passage,) = Passages.of([Document("今天下了\n一整天的雪。")])
    assert passage.text == "今天下了一整天的雪。"
    (passage,) = Passages.of([Document("今天的\nPython\n很好。")])
    assert passage.text == "今天的 Python 很好。"
