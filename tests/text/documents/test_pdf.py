"""PDF: paragraphs, headings, asides and page numbers, from files made here."""

import pytest
from pdf_files import lines, pdf

from thatch.errors import FileFormatError
from thatch.text.documents.readers import document_of


def read(*pages, **options):
    return document_of(pdf(*pages, **options), "a.pdf")


def parts(document):
    text = document.text
    return [(text[b.start : b.end], b.kind.value) for b in document.blocks]


def texts(document):
    return [text for text, _ in parts(document)]


def test_lines_of_a_pdf_become_paragraphs_and_headings():
    page = [
        (50, 750, 18, "The harbour freezes"),
        *lines("The harbour froze on", "Monday, and ships", "waited outside."),
        *lines("People walked over the ice", "to the island.", first=640),
    ]
    assert parts(read(page)) == [
        ("The harbour freezes", "heading"),
        ("The harbour froze on Monday, and ships waited outside.", "prose"),
        ("People walked over the ice to the island.", "prose"),
    ]


def test_an_indented_line_after_a_sentence_starts_a_paragraph():
    page = lines("The harbour froze", "on Monday.", "Ships waited", "outside.")
    page[2] = (70, *page[2][1:])
    assert texts(read(page)) == [
        "The harbour froze on Monday.",
        "Ships waited outside.",
    ]


def test_hyphenated_words_are_joined_but_compounds_keep_their_hyphen():
    page = lines(
        "A well-known harbour is impor-",
        "tant. This one is well-",
        "known to Anglo-",
        "American sailors, from 1990-",
        "1995 and be-",
        "yond.",
    )
    assert texts(read(page)) == [
        (
            "A well-known harbour is important. This one is well-known to "
            "Anglo-American sailors, from 1990-1995 and beyond."
        )
    ]


def test_paragraphs_continue_across_pages_and_columns():
    first = [*lines("The harbour froze", "on Monday, and"), *lines("all", left=300)]
    pages = [first, lines("ships waited", "outside.")]
    assert texts(read(*pages)) == [
        "The harbour froze on Monday, and all ships waited outside."
    ]


def test_running_titles_and_page_numbers_are_omitted():
    pages = [
        [
            (50, 780, 11, "Harbour News"),
            *lines(f"The ice is {thick} thick", "today."),
            (300, 20, 11, f"{number}"),
        ]
        for number, thick in enumerate(["hardly", "rather", "very"], start=7)
    ]
    text = " ".join(texts(read(*pages)))
    assert text == " ".join(
        f"The ice is {thick} thick today." for thick in ["hardly", "rather", "very"]
    )


def test_lines_that_two_pages_share_are_kept():
    pages = [[(50, 780, 11, "All is well."), *lines(f"Day {k}.")] for k in (3, 9)]
    text = " ".join(texts(read(*pages)))
    assert text.count("All is well.") == 2


def test_bullets_of_a_pdf_start_paragraphs():
    page = lines("Buy:", "\\225 milk", "\\225 eggs", "and bread")
    assert texts(read(page)) == [
        "Buy:",
        "milk",
        "eggs and bread",
    ]


def test_a_pdf_without_text_is_refused():
    with pytest.raises(FileFormatError, match=r"a\.pdf: .*2 pages"):
        read([], [])


@pytest.mark.parametrize("content", [b"", b"no PDF", b"%PDF-1.4\nbroken"])
def test_a_file_that_is_not_a_pdf_is_refused(content):
    with pytest.raises(FileFormatError, match=r"a\.pdf: .*PDF"):
        document_of(content, "a.pdf")


BODY = [f"The ice was {k} inches thick on that morning" for k in range(6)]


def kinds(*pages, **options):
    """Kind of each paragraph, by its first two words."""
    document = read(*pages, **options)
    return {" ".join(text.split()[:2]): kind for text, kind in parts(document)}


def test_the_largest_heading_is_the_title():
    document = read(
        [(50, 760, 20, "Ice"), (50, 730, 14, "Harbors"), *lines(*BODY)],
        [(50, 760, 14, "Rivers"), (50, 730, 11, "In the north", 1), *lines(*BODY)],
    )
    headings = [b for b in document.blocks if b.kind.value == "heading"]
    found = [(document.text[b.start : b.end], b.level) for b in headings]
    assert found == [("Ice", 1), ("Harbors", 2), ("Rivers", 2), ("In the north", 3)]
    end = len(document.text) - 1
    assert document.headings_at(end) == ("Ice", "Rivers", "In the north")


def test_a_paragraph_continues_around_a_caption():
    page = [
        *lines(*BODY, "and nobody"),
        *lines("Figure 3: Ice in the harbor,", "seen from above.", first=500),
        *lines("walked on it.", first=440),
    ]
    body, caption = parts(read(page))
    assert body[0].endswith("and nobody walked on it.")
    assert caption == ("Figure 3: Ice in the harbor, seen from above.", "aside")


def test_a_sentence_about_a_figure_is_no_caption():
    page = [*lines(*BODY), *lines("Figure 3 shows the harbor.", first=500)]
    assert kinds(page)["Figure 3"] == "prose"


@pytest.mark.parametrize(("size", "kind"), [(9, "aside"), (11, "prose")])
def test_a_small_caption_needs_no_colon(size, kind):
    page = [*lines(*BODY), *lines("Abb. 1 Der Hafen im Winter", first=500, size=size)]
    assert kinds(page)["Abb. 1"] == kind


def test_small_notes_at_the_end_of_a_page_are_asides():
    note = [(50, 80, 8, "1 Measured at the pier."), (50, 70, 8, "2 As in 1963.")]
    body, aside = parts(read([*lines(*BODY, "and"), *note], lines("so on.")))
    assert body[0].endswith("and so on.")
    assert aside == ("1 Measured at the pier. 2 As in 1963.", "aside")


@pytest.mark.parametrize("title", ["References", "7. Bibliography", "LITERATUR"])
def test_references_are_asides_until_the_next_heading(title):
    page = [
        (50, 760, 16, "Ice"),
        *lines(*BODY),
        (50, 590, 11, title),
        *lines("Hu, A. Ice in harbors. 1963.", "Ito, B. Ice in rivers.", first=570),
        (50, 500, 16, "Appendix"),
        *lines("More about the ice.", first=470),
    ]
    found = kinds(page)
    assert found[" ".join(title.split()[:2])] == "heading"
    assert (found["Hu, A."], found["More about"]) == ("aside", "prose")


def test_formulas_and_rows_of_numbers_are_asides():
    page = [
        *lines(*BODY),
        *lines("h = 3.3 t + 0.5 \\(7\\)", first=560),
        *lines("where t is the time.", first=520),
        *lines("12 7.5 0.3 8.1 4.4", first=480),
    ]
    found = kinds(page)
    assert (found["h ="], found["12 7.5"]) == ("aside", "aside")
    assert found["where t"] == "prose"


def test_titles_of_even_and_odd_pages_are_omitted():
    pages = [
        [(50, 780, 11, ("Ice", "Harbors")[k % 2]), *lines(f"Day {day} was cold.")]
        for k, day in enumerate(["one", "two", "three", "four", "five", "six"])
    ]
    assert " ".join(texts(read(*pages))).count("Ice") == 0


def test_a_font_of_size_one_may_be_scaled_by_its_matrix():
    content = pdf([(50, 760, 18, "Ice"), *lines(*BODY)])
    for size in (b"18", b"11"):
        old, new = b" %b Tf 1 0 0 1 " % size, b" 1 Tf %b 0 0 %b " % (size, size)
        content = content.replace(old, new)
    document = document_of(content, "a.pdf")
    assert parts(document)[0] == ("Ice", "heading")


def test_pages_that_may_be_scans_are_reported(caplog):
    read(lines("Snow fell."), "picture", [], "picture")
    (record,) = caplog.records
    assert "2, 4" in record.getMessage() and "a.pdf" in record.getMessage()
