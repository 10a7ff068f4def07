"""Input of text: pasted, typed, dropped and opened."""

import io
from pathlib import Path

import docx
import pytest
from playwright.sync_api import expect

import thatch.serve

from .conftest import until, upload

HARVEST = (
    "The harvest was early. The barn held the harvest. Rain came after the harvest."
)
WORDS_OF = {
    "notes.txt": b"Plain notes tell of plain things. They end here.",
    "notes.md": b"# Title\n\nMarked notes tell of *marked* things. They end here.",
    "page.html": (
        b"<!doctype html><html><body><article><h1>Title</h1><p>Linked notes tell of "
        b"linked things, and of much else besides.</p><p>They end here.</p></article>"
        b"</body></html>"
    ),
}


def word_file():
    document = docx.Document()
    document.add_paragraph("Typed notes tell of typed things. They end here.")
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def pdf_file():
    """A page with one line of text, as small as a PDF can be."""
    drawn = b"BT /F 12 Tf 72 720 Td (Printed notes tell of printed things.) Tj ET"
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
            b" /Resources << /Font << /F 5 0 R >> >> >>"
        ),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    content, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, start=1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 6\n0000000000 65535 f \n" + table
    tail = b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % len(content)
    return content + head + tail


def test_a_text_may_be_pasted_anywhere(browse):
    page = browse()
    until(page, "#summary-text .chosen")
    page.evaluate("text => navigator.clipboard.writeText(text)", HARVEST)
    page.locator("#budget-slider").focus()
    page.keyboard.press("Control+v")
    expect(page.locator("#source-text")).to_contain_text("The barn held the harvest.")
    until(page, "#headline", "3 of 3 sentences")


def test_the_summary_follows_what_is_typed(browse):
    page = browse()
    until(page, "#summary-text .chosen")
    page.locator("#edit").click()
    page.locator("#editor-clear").click()
    until(page, "#headline", "There is no text yet")
    page.locator("#editor-text").press_sequentially("Bees hum. Bees dance.")
    expect(page.locator("#summary-text .chosen")).to_have_text(
        ["Bees hum.", "Bees dance."]
    )
    page.locator("#editor-done").click()
    expect(page.locator("#source-text .passage")).to_have_text(
        ["Bees hum.", "Bees dance."]
    )


@pytest.mark.smoke
def test_files_of_every_kind_are_read(browse):
    page = browse()
    files = {**WORDS_OF, "notes.docx": word_file(), "notes.pdf": pdf_file()}
    words = ["Plain", "Marked", "Linked", "Typed", "Printed"]
    for (name, content), word in zip(files.items(), words, strict=True):
        upload(page, {name: content})
        expect(page.locator("#source-text")).to_contain_text(f"{word} notes tell of")
        expect(page.locator("#source-text h3")).to_have_text(name)
        expect(page.locator("#summary-text")).to_contain_text(f"{word} notes")


def test_files_of_the_same_name_get_distinct_names(browse):
    page = browse()
    page.locator("#files").set_input_files(
        [
            {"name": "a.txt", "mimeType": "text/plain", "buffer": text}
            for text in (b"Ants march on.", b"Wasps sting well.")
        ]
    )
    expect(page.locator("#source-text h3")).to_have_text(["a.txt", "a.txt (2)"])
    expect(page.locator("#source-text [data-level]")).to_have_count(2)


def test_the_editor_keeps_several_files_and_the_last_words(browse):
    page = browse()
    upload(page, {"a.txt": b"Ants march on.", "b.txt": b"Wasps sting well."})
    expect(page.locator("#source-text h3")).to_have_text(["a.txt", "b.txt"])
    page.locator("#edit").click()
    page.locator("#editor-done").click()
    expect(page.locator("#source-text h3")).to_have_text(["a.txt", "b.txt"])
    page.locator("#edit").click()
    page.locator("#editor-text").fill("Bees hum.")
    page.locator("#edit").click()
    expect(page.locator("#source-text")).to_have_text("Bees hum.")


def test_a_file_may_be_dropped_anywhere(browse):
    page = browse()
    until(page, "#summary-text .chosen")
    dropped = page.evaluate_handle(
        """() => {
          const items = new DataTransfer();
          items.items.add(new File(["Geese fly south. Geese return."], "geese.txt"));
          return items;
        }"""
    )
    page.dispatch_event("main", "dragenter", {"dataTransfer": dropped})
    expect(page.locator(".drop-here")).to_be_visible()
    page.dispatch_event("main", "drop", {"dataTransfer": dropped})
    expect(page.locator(".drop-here")).to_be_hidden()
    expect(page.locator("#source-text h3")).to_have_text("geese.txt")
    expect(page.locator("#summary-text .chosen")).to_have_text(
        ["Geese fly south.", "Geese return."]
    )


def drag_first_word(page, place):
    """Select the first word of the source, and drag it by the mouse to a place."""
    word = page.evaluate(
        """() => {
          const text = document.querySelector("#source-text .passage").firstChild;
          getSelection().setBaseAndExtent(text, 0, text, text.data.indexOf(" "));
          const word = getSelection().getRangeAt(0).getBoundingClientRect();
          return [word.x + word.width / 2, word.y + word.height / 2];
        }"""
    )
    page.mouse.move(*word)
    page.mouse.down()
    page.mouse.move(place[0] - 9, place[1], steps=4)
    page.mouse.move(*place)
    page.mouse.up()


def middle(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_text_dragged_within_the_page_is_not_new_input(read):
    page = read(HARVEST)
    page.locator(".more > summary").click()
    drag_first_word(page, middle(page.locator("#source-text .passage").last))
    drag_first_word(page, middle(page.locator("#exclude")))
    expect(page.locator("#exclude")).to_have_value("The")
    expect(page.locator(".drop-here")).to_be_hidden()
    expect(page.locator("#source-text")).to_have_text(HARVEST)


def test_text_from_another_window_may_be_dropped(read):
    page = read(HARVEST)
    dropped = page.evaluate_handle(
        """() => {
          const items = new DataTransfer();
          items.setData("text/plain", "Geese fly south. Geese return.");
          return items;
        }"""
    )
    page.dispatch_event("#query", "drop", {"dataTransfer": dropped})
    expect(page.locator("#source-text")).to_have_text(HARVEST)
    page.dispatch_event("main", "drop", {"dataTransfer": dropped})
    expect(page.locator("#source-text")).to_have_text("Geese fly south. Geese return.")


def test_every_sample_is_summarized(browse):
    page = browse()
    options = page.locator("#sample option:not([hidden])")
    samples = [option.get_attribute("value") for option in options.all()]
    assert len(samples) >= 6
    files = Path(thatch.serve.__file__).parent / "page" / "samples"
    for sample in samples:
        page.locator("#sample").select_option(sample)
        texts = [file.read_text() for file in sorted(files.glob(f"{sample}*.txt"))]
        expect(page.locator("#source-text article")).to_have_count(len(texts))
        expect(page.locator("#source-text")).to_contain_text(texts[-1].strip()[-20:])
        until(page, "#source-text [data-level]")
        shown = page.locator("#source-text .text").first.inner_text()
        assert shown.split() == [word for word in texts[0].split() if not is_rule(word)]


def is_rule(word):
    """Whether it is a line under a heading, which is not shown."""
    return len(word) > 2 and len({*word}) == 1


def test_a_wrapped_text_flows(read):
    page = read(
        "The long lines of this text were broken by hand so that\nthey fit. It flows "
        "again where it is shown to a reader.\nThe end.\n\nNext."
    )
    passages = page.locator("#source-text .passage")
    expect(passages).to_have_count(4)
    expect(passages.first).to_have_css("white-space", "normal")
    assert "reader. The end.\n\nNext." in page.locator("#source-text").inner_text()


def test_code_and_lists_keep_their_lines(read):
    kept = "1. Take the straw.\n2. Lay the straw.\n\nif dry:\n    go on with the straw"
    page = read(kept)
    assert page.locator("#source-text").inner_text() == kept
