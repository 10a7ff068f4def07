import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from thatch import Document, Summarizer, summarize
from thatch.text.concepts.schemes import CustomConcepts
from thatch.text.html_report import as_html

MARKDOWN = """# Winter & spring

Snow < hail fell on the *old* town. Nobody came.
Snow lay on [every road](http://example.org/?a=1&b=2) of the town.

## Roads

- Roads were "closed" for days.

```
x < 1
```
"""
SCHEME = CustomConcepts(lambda text: text.lower().split())


def page_of(summary):
    """The page, parsed, after checks that hold for every page."""
    page = html.document_fromstring(as_html(summary))
    names = [element.get("id") for element in page.iter() if element.get("id")]
    assert len(names) == len(set(names))
    for link in page.iter("a"):
        assert link.get("href").removeprefix("#") in names
    return page


def squeezed(text):
    return " ".join(text.split())


def marks(page):
    """Text of each mark, without the number at its end, by that number."""
    found = {}
    for mark in page.iter("mark"):
        (link,) = mark.iter("a")
        number = int(link.text.strip("[]"))
        text = squeezed(mark.text_content().removesuffix(link.text))
        found[number] = squeezed(f"{found.get(number, '')} {text}")
    return found


def check(summary):
    page = page_of(summary)
    expected = {
        k: squeezed(summary.task.passages.documents[0].shown(s.start, s.end).text)
        for k, s in enumerate(summary.sentences, start=1)
    }
    assert marks(page) == expected
    return page


@pytest.mark.parametrize("budget", [0, 7, 14, 100])
def test_every_mark_is_a_chosen_sentence(budget):
    summary = summarize(Document.from_markdown(MARKDOWN, "a.md"), budget)
    page = page_of(summary)
    assert marks(page) == {
        k: sentence.text for k, sentence in enumerate(summary.sentences, start=1)
    }
    listed = [squeezed(item.text_content()) for item in page.iter("li")]
    assert len(listed) == len(summary.sentences)
    for text, sentence in zip(listed, summary.sentences, strict=True):
        assert text == f"{sentence.text} a.md, line {sentence.line}"


def test_the_source_is_shown_without_markup_and_escaped():
    summary = summarize(Document.from_markdown(MARKDOWN, "a & b.md"), 7)
    page = page_of(summary)
    (article,) = page.iter("article")
    for link in list(article.iter("a")):
        link.drop_tree()
    text = squeezed(article.text_content())
    assert text == (
        "a & b.md Winter & spring Snow < hail fell on the old town. Nobody came. "
        "Snow lay on every road of the town. Roads "
        'Roads were "closed" for days. ``` x < 1 ```'
    )
    assert [h.text for h in page.iter("h3", "h4")] == ["Winter & spring", "Roads"]
    assert [pre.text_content() for pre in page.iter("pre")] == ["```\nx < 1\n```"]


@pytest.mark.parametrize("by", ["paragraph", "file"])
def test_paragraphs_and_files_are_marked_block_by_block(by):
    document = Document.from_markdown(MARKDOWN, "a.md")
    page = page_of(Summarizer(by=by).summarize(document, 100))
    marked = squeezed(" ".join(marks(page).values()))
    assert "Snow < hail fell on the old town." in marked
    assert 'Roads were "closed" for days.' in marked
    assert len(marks(page)) == (1 if by == "file" else 3)


def test_sentences_are_marked_in_their_own_document():
    documents = [Document("Snow fell. We left."), Document("Snow fell. It rained.")]
    summary = Summarizer(concepts=SCHEME).summarize(documents, 100)
    page = page_of(summary)
    for d, article in enumerate(page.iter("article")):
        expected = [s.text for s in summary.sentences if s.document == d]
        assert list(marks(article).values()) == expected


def test_documents_with_the_same_name_are_told_apart():
    documents = [
        Document("Snow fell on hills. We left.", "a.txt"),
        Document("It rained in town. They all came.", "a.txt"),
    ]
    page = page_of(summarize(documents, 100))
    first, second = page.iter("article")
    assert list(marks(first).values()) == ["Snow fell on hills.", "We left."]
    assert list(marks(second).values()) == ["It rained in town.", "They all came."]


def test_the_language_is_named():
    german = "Der Schnee lag auf die Stadt und das Land."
    assert page_of(summarize(german, 100)).get("lang") == "de"


words = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], include_characters="<>&\"'"),
    max_size=40,
)


@given(st.lists(words, min_size=1, max_size=4).map(". ".join), st.integers(0, 20))
def test_any_text_is_marked_as_it_is(text, budget):
    check(summarize(text, budget))


def test_a_page_has_no_other_files():
    page = page_of(summarize(Document.from_markdown(MARKDOWN), 100))
    assert not list(page.iter("script", "link", "img", "iframe"))
