import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from thatch import Document, Summarizer, summarize
from thatch.text.concepts.schemes import CustomConcepts
from thatch.text.passages.passage_filter import PassageFilter
from thatch.text.report.html_report import as_html

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
    levels = [int(h.tag[1]) for h in page.iter("h1", "h2", "h3", "h4", "h5", "h6")]
    assert levels[0] == 1
    assert all(below <= above + 1 for above, below in pairwise(levels))
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
    listed = [squeezed(item.text_content()) for item in page.findall(".//ol/li")]
    assert len(listed) == len(summary.sentences)
    for text, sentence in zip(listed, summary.sentences, strict=True):
        assert text == f"{sentence.text} line {sentence.line}"


def test_the_source_is_shown_without_markup_and_escaped():
    summary = summarize(Document.from_markdown(MARKDOWN, "a & b.md"), 7)
    page = page_of(summary)
    (article,) = page.iter("article")
    for added in [*article.iter("a"), *article.find_class("document-line")]:
        added.drop_tree()
    text = squeezed(article.text_content())
    assert text == (
        "a & b.md Winter & spring Snow < hail fell on the old town. Nobody came. "
        "Snow lay on every road of the town. Roads "
        'Roads were "closed" for days. ``` x < 1 ```'
    )
    assert [h.text for h in page.iter("h4", "h5")] == ["Winter & spring", "Roads"]
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
    page = page_of(summarize(german, 100))
    # The words around the text are English.
    assert page.get("lang") == "en"
    assert page.xpath("//article/div/@lang") == ["de"]
    assert page.xpath("//li/span/@lang") == ["de"]


words = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], include_characters="<>&\"'"),
    max_size=40,
)


@given(st.lists(words, min_size=1, max_size=4).map(". ".join), st.integers(0, 20))
def test_any_text_is_marked_as_it_is(text, budget):
    check(summarize(text, budget))


def test_a_page_needs_no_other_file():
    page = page_of(summarize(Document.from_markdown(MARKDOWN), 100))
    assert not list(page.iter("script", "img", "iframe", "object"))
    addresses = page.xpath("//@src | //link/@href | //@srcset")
    (style,) = page.iter("style")
    addresses += re.findall(r"url\(([^)]*)\)|@import\s+(\S+)", style.text)
    assert len(addresses) == 3
    assert all("".join(address).startswith("data:") for address in addresses)


def test_the_same_summary_makes_the_same_page():
    document = Document.from_markdown(MARKDOWN, "a.md")
    assert as_html(summarize(document, 14)) == as_html(summarize(document, 14))


def test_folders_are_not_shown():
    documents = [
        Document("Snow fell on hills. We left.", "/home/ann/a/notes.txt"),
        Document("It rained in town. They all came.", "/home/ann/b/notes.txt"),
        Document("Nobody saw the sea.", "/srv/private/report-1.pdf"),
    ]
    summary = summarize(documents, 100)
    text = as_html(summary)
    assert not re.search("home|ann/|srv|private", text)
    names = ["a/notes.txt", "b/notes.txt", "report-1.pdf"]
    page = page_of(summary)
    assert [heading.text for heading in page.findall(".//article/h3")] == names
    assert [link[0].text for link in page.findall(".//nav/a")] == names
    chips = [chip.text for chip in page.xpath("//a/span[@class='chip'][1]")]
    assert chips == [names[k] for k in (0, 0, 1, 1, 2)]


def test_the_command_is_shown_where_it_is_known():
    summary = summarize("Snow fell.", 100)
    (shown,) = html.document_fromstring(as_html(summary, command="thatch <x>")).iter(
        "code"
    )
    assert shown.text == "thatch <x>"
    assert not list(page_of(summary).iter("code"))


def test_every_text_has_the_direction_of_its_script():
    summary = summarize(Document.from_markdown(MARKDOWN, "a.md"), 100)
    page = page_of(summary)
    (text,) = page.find_class("text")
    assert {each.get("dir") for each in text} == {"auto"}
    assert set(page.xpath("//li/@dir")) == {"auto"}
    assert len(page.xpath("//li[@dir]")) == len(list(page.iter("li")))


def test_excluded_passages_are_told_apart():
    summarizer = Summarizer(passage_filter=PassageFilter(exclude=("Nobody",)))
    page = page_of(summarizer.summarize(Document.from_markdown(MARKDOWN), 100))
    (excluded,) = page.find_class("ruled-out")
    assert excluded.text == "Nobody came."
    assert "Nobody" in excluded.get("title")
    assert "italic" in page.find_class("source")[0].text_content()


@pytest.mark.parametrize("budget", [7, 14, 100])
def test_bars_of_the_map_are_where_the_marks_are(budget):
    documents = [Document.from_markdown(MARKDOWN), Document("Rain fell. It was warm.")]
    summary = summarize(documents, budget)
    bars = page_of(summary).xpath("//svg[@class='map']/a")
    assert [bar.get("href") for bar in bars] == [
        f"#p{k}" for k in range(1, len(summary.sentences) + 1)
    ]
    length = sum(len(document.text) for document in documents)
    for bar, sentence in zip(bars, summary.sentences, strict=True):
        shift = len(MARKDOWN) if sentence.document else 0
        expected = (shift + sentence.start) / length
        # The space between the documents is one hundredth.
        assert float(bar[0].get("y")) == pytest.approx(expected, abs=0.011)


def test_terms_say_which_sentence_covers_them():
    summary = summarize("The old bridge fell. Ships passed. The old bridge shut.", 4)
    rows = {
        row.find_class("name")[0].text: row
        for row in page_of(summary).findall(".//ul/li")
    }
    covered = rows["old bridge"]
    assert covered.find("a").get("href") == "#p1"
    assert "covered by sentence 1" in covered.text_content()
    assert "not covered" in rows["Ships"].text_content()
