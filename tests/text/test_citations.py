import pytest
from pdf_files import lines, pdf
from refusals import refused

from thatch import Document, InputError, Summarizer, summarize
from thatch.text.choices import CitationStyle
from thatch.text.citations import cited, described_place
from thatch.text.documents.blocks import BlockKind
from thatch.text.documents.document import Part, Place
from thatch.text.documents.readers import read_document

NEWS = "The bridge fell on Monday. Nobody was hurt.\nFerries run instead of buses."


def news():
    return summarize(Document(NEWS, name="news.txt"), 100)


@pytest.mark.parametrize(
    ("style", "text"),
    [
        (
            "numbers",
            (
                "The bridge fell on Monday. [1] Nobody was hurt. [1] "
                "Ferries run instead of buses. [2]\n\n"
                "[1] news.txt, line 1\n[2] news.txt, line 2"
            ),
        ),
        (
            "footnotes",
            (
                "The bridge fell on Monday.[^1] Nobody was hurt.[^1] "
                "Ferries run instead of buses.[^2]\n\n"
                "[^1]: news.txt, line 1\n[^2]: news.txt, line 2"
            ),
        ),
        (
            "inline",
            (
                "The bridge fell on Monday. (news.txt, line 1) "
                "Nobody was hurt. (news.txt, line 1) "
                "Ferries run instead of buses. (news.txt, line 2)"
            ),
        ),
    ],
)
def test_a_source_follows_each_sentence(style, text):
    assert cited(news(), style) == text
    assert cited(news(), CitationStyle(style)) == text


def test_numbers_are_the_default():
    assert cited(news()) == cited(news(), "numbers")


def test_citations_are_not_counted():
    summary = news()
    assert summary.cost == len(NEWS.split())
    assert summarize(Document(NEWS, name="news.txt"), 8, readability=0).cost <= 8


@pytest.mark.parametrize("style", CitationStyle)
def test_an_empty_summary_has_no_sources(style):
    assert cited(summarize("", 100), style) == ""


def test_an_unknown_style_is_refused():
    with refused(InputError, "cite", "'roman'"):
        cited(news(), "roman")


def test_documents_without_names_are_numbered_from_one():
    text = cited(summarize(["Snow fell.", "It rained."], 100))
    assert text.endswith("[1] document 1, line 1\n[2] document 2, line 1")


def test_pages_of_a_pdf_are_cited(tmp_path):
    pages = [
        lines("The harbor froze on Monday, and the ships waited outside."),
        lines("The mayor of the town spoke about the ice on Tuesday."),
    ]
    (tmp_path / "report.pdf").write_bytes(pdf(*pages))
    document = read_document(tmp_path / "report.pdf")
    summary = summarize(Document(**vars_of(document, name="report.pdf")), 100)
    assert cited(summary, "inline") == (
        "The harbor froze on Monday, and the ships waited outside. (report.pdf, p. 1) "
        "The mayor of the town spoke about the ice on Tuesday. (report.pdf, p. 2)"
    )


def vars_of(document, **changes):
    fields = ("text", "blocks", "markup", "places", "date", "is_extracted")
    return {name: getattr(document, name) for name in fields} | changes


def test_speakers_and_times_are_cited_in_place_of_lines():
    part = Part(
        BlockKind.PROSE,
        "We signed the contract.",
        places=(Place(0, time="00:01:05", speaker="Ada"),),
    )
    (sentence,) = summarize(Document.from_blocks([part], name="call.vtt"), 9).sentences
    assert described_place(sentence) == "call.vtt, Ada, 00:01:05"


def test_a_heading_is_cited_if_there_are_neither_pages_nor_lines():
    blocks = [(BlockKind.HEADING, "Roads"), (BlockKind.PROSE, "They were closed.")]
    (sentence,) = summarize(Document.from_blocks(blocks, name="a.epub"), 9).sentences
    assert described_place(sentence) == "a.epub, Roads"


def test_groups_share_one_list_of_sources():
    text = "# North\n\nSnow fell.\n\n# South\n\nIt rained."
    document = Document.from_markdown(text, name="a.md")
    summary = Summarizer(group="heading").summarize(document, 100)
    assert cited(summary, "footnotes") == (
        "## North\n\nSnow fell.[^1]\n\n## South\n\nIt rained.[^2]\n\n"
        "[^1]: a.md, line 3\n[^2]: a.md, line 7"
    )
