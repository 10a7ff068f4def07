"""The Context page: files, a question and a budget become a prompt."""

import json

import pytest
from pdf_files import lines, pdf
from playwright.sync_api import expect

from .conftest import until
from .usability import is_usable

NOTES = {
    "copy.md": "The north pier was closed on Monday, because planks were rotten.",
    "pier.md": "The north pier was closed on Monday, because planks were rotten. "
    "It opens again on Friday.",
    "tea.md": "The kiosk sells tea and cake until five.",
    "boat.py": "def close_pier(reason):\n    raise PierClosed(reason)\n",
}
QUESTION = "Why was the pier closed?"
DROP_FOLDER = """async (files) => {
  const entryOf = ([name, text]) => ({
    name, isDirectory: false, file: (done) => done(new File([text], name)),
  });
  const folderOf = (name, entries) => {
    const parts = [entries, []];
    const readEntries = (done) => done(parts.shift());
    return { name, isDirectory: true, createReader: () => ({ readEntries }) };
  };
  const own = Object.entries(files).map(entryOf);
  const hidden = folderOf("node_modules", [entryOf(["pier.js", "pier"])]);
  const top = folderOf("notes", [...own, hidden]);
  const event = new Event("drop", { bubbles: true, cancelable: true });
  event.dataTransfer = {
    types: ["Files"], items: [{ kind: "file", webkitGetAsEntry: () => top }],
  };
  document.dispatchEvent(event);
}"""


def open_files(page, files=NOTES, query=QUESTION, budget=200):
    until(page, "#headline", "of 19 chunks")
    page.locator("#files").set_input_files(
        [
            {"name": name, "mimeType": "text/plain", "buffer": content.encode()}
            for name, content in files.items()
        ]
    )
    expect(page.locator("#sample")).to_have_value("")
    page.locator("#query").fill(query)
    page.locator("#query").press("Enter")
    page.locator("#budget-number").fill(str(budget))
    until(page, "#headline", f"of {budget} tokens")
    until_current(page)


def until_current(page):
    expect(page.locator("#result")).not_to_have_class("card result is-stale")


def row(page, source):
    return page.locator(".part").filter(has_text=source)


@pytest.mark.parametrize("look", ["desktop light", "phone dark"], indirect=True)
def test_a_user_can_reach_every_feature(context, look):
    page = context()
    until(page, "#headline", "of 19 chunks")
    expect(page.locator("#headline")).to_contain_text(
        "of what matters for the question"
    )
    expect(page.locator("#headline")).to_contain_text("proved")
    expect(page.locator("#top")).to_contain_text("repeats another")
    is_usable(page)
    page.locator(".ask .more > summary").click()
    page.locator("#prompt > summary").click()
    page.locator("#file-panel > summary").click()
    page.locator("#kept details > summary").first.click()
    page.locator("#paste").click()
    is_usable(page)
    page.locator("#show-more").click()
    expect(page.locator("#dropped .part")).to_have_count(14)
    page.locator("#dropped .part button").first.click()
    expect(page.locator("#price")).to_be_visible()
    is_usable(page)


@pytest.mark.smoke
def test_chunks_have_a_reason_to_be_in_or_out(context):
    page = context()
    open_files(page, budget=90)
    expect(page.locator("#kept")).to_contain_text("pier.md")
    expect(row(page, "pier.md")).to_contain_text("alone adds")
    expect(row(page, "copy.md")).to_contain_text("repeats chunk")
    expect(row(page, "tea.md")).to_contain_text("no match with the question")
    row(page, "copy.md").locator("a").click()
    expect(page.locator("#kept .is-flashing")).to_contain_text("pier.md")
    row(page, "pier.md").locator("summary").click()
    expect(row(page, "pier.md").locator("pre")).to_contain_text(
        "opens again on Friday."
    )


def test_pinning_and_dropping_show_their_price(context):
    page = context()
    open_files(page, budget=90)
    row(page, "tea.md").get_by_role("button", name="Pin").click()
    expect(page.locator("#kept .is-pinned")).to_contain_text("tea.md")
    expect(page.locator("#price")).to_contain_text("1 pinned")
    # Its row was made anew, and still has the focus.
    focused = page.evaluate("document.activeElement.closest('.part').textContent")
    assert "tea.md" in focused
    row(page, "pier.md").get_by_role("button", name="Drop").click()
    expect(page.locator("#price")).to_contain_text("1 pinned, 1 dropped")
    expect(page.locator("#dropped .part").first).to_contain_text("dropped by you")
    expect(page.locator("#kept")).to_contain_text("copy.md")
    page.locator("#undo").click()
    expect(page.locator("#price")).to_be_hidden()
    expect(page.locator("#kept")).not_to_contain_text("tea.md")


@pytest.mark.smoke
def test_the_prompt_can_be_copied_and_saved(context):
    page = context()
    open_files(page)
    page.locator("#copy").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("<documents>")
    assert "planks were rotten." in copied
    page.locator("#format").select_option("markdown")
    expect(page.locator("#save")).to_have_text("Save as prompt.md")
    expect(page.locator("#prompt-text")).to_contain_text("## pier.md")
    until_current(page)
    with page.expect_download() as found:
        page.locator("#save").click()
    assert found.value.path().read_text().startswith("## ")
    with page.expect_download() as found:
        page.locator("#save-json").click()
    saved = json.loads(found.value.path().read_text())
    assert saved["query"] == QUESTION
    assert len(saved["chunks"]) + len(saved["dropped"]) == len(NOTES)


def test_a_dropped_folder_is_packed_without_packages(context):
    page = context()
    until(page, "#headline", "of 19 chunks")
    page.evaluate(DROP_FOLDER, NOTES | {".gitignore": "tea.md", "photo.raw": "a\0b"})
    expect(page.locator("#file-count")).to_contain_text("of 4 files")
    expect(page.locator("#file-count")).to_contain_text("1 not read")
    page.locator("#file-panel > summary").click()
    rows = page.locator("#file-rows")
    expect(rows).to_contain_text("not read: binary")
    expect(rows).not_to_contain_text("tea.md")
    expect(rows).not_to_contain_text("pier.js")
    # The question of the sample does not fit these files.
    expect(page.locator("#query")).to_have_value("")


def test_pasted_text_is_packed(context):
    page = context()
    until(page, "#headline", "of 19 chunks")
    page.locator("#paste").press("Enter")
    page.locator("#editor-text").fill("# Tea\n\nThe kiosk sells tea until five.")
    page.locator("#editor-done").press("Enter")
    until(page, "#headline", "1 of 1 chunk")
    expect(page.locator("#headline")).to_contain_text("proved best")
    expect(page.locator("#dropped-none")).to_be_visible()


def test_the_slider_and_the_unit_change_the_budget(context):
    page = context()
    until(page, "#headline", "of 1,000 tokens")
    page.locator("#budget-slider").press("End")
    expect(page.locator("#headline")).to_contain_text("100 % of what matters")
    page.locator("#unit").select_option("words")
    until(page, "#headline", " words, ")
    expect(page.locator("#command")).to_contain_text("--unit words")


def test_an_invalid_budget_is_explained_and_the_old_result_stays(context):
    page = context()
    until(page, "#headline", "of 1,000 tokens")
    number, error = page.locator("#budget-number"), page.locator("#budget-error")
    number.fill("-5")
    expect(error).to_have_text("The budget is -5; it must be more than 0.")
    expect(number).to_have_attribute("aria-invalid", "true")
    number.fill("")
    expect(error).to_have_text("Enter a number.")
    expect(page.locator("#headline")).to_contain_text("of 1,000 tokens")
    expect(page.locator("#copy")).to_be_enabled()
    number.fill("500")
    until(page, "#headline", "of 500 tokens")
    expect(error).to_be_empty()
    assert number.get_attribute("aria-invalid") is None
    page.locator("#query").fill("xylophones")
    until(page, "#headline", "No chunk matches the query")


def test_packing_shows_the_time_and_can_be_cancelled(context):
    page = context()
    until(page, "#headline", "of 1,000 tokens")
    held = []
    page.route("**/api/pack", lambda route: held.append(route))
    page.locator("#budget-number").fill("700")
    until(page, "#working-line", "Packing … ")
    expect(page.locator("#result")).to_have_class("card result is-stale")
    page.locator("#cancel").click()
    until(page, "#messages", "Packing was cancelled.")
    expect(page.locator("#stale")).to_be_visible()
    page.unroute_all()
    page.get_by_role("button", name="Pack again").click()
    until(page, "#headline", "of 700 tokens")
    assert held


def test_files_that_cannot_be_read_are_named(context):
    page = context(is_failure_expected=True)
    until(page, "#headline", "of 19 chunks")
    page.locator("#files").set_input_files(
        [
            {"name": name, "mimeType": "application/pdf", "buffer": content}
            for name, content in {"a.pdf": b"no", "b.bin": b"\0"}.items()
        ]
    )
    until(page, "#messages", "None of these can be read.")
    until(page, "#messages", "b.bin: binary.")
    # The sample is still there.
    expect(page.locator("#headline")).to_contain_text("of 19 chunks")


def test_chunks_of_a_pdf_name_their_page(context):
    page = context()
    until(page, "#headline", "of 19 chunks")
    content = pdf(lines("The pier was mended."), lines("It is made of oak."))
    page.locator("#files").set_input_files(
        [{"name": "pier.pdf", "mimeType": "application/pdf", "buffer": content}]
    )
    until(page, "#headline", "of 1 chunk")
    expect(row(page, "pier.pdf")).to_contain_text("page 1")


def test_a_folder_is_opened_with_its_paths(context, tmp_path):
    (tmp_path / "docs").mkdir()
    for name, text in NOTES.items():
        (tmp_path / "docs" / name).write_text(text)
    (tmp_path / "README.md").write_text("# Notes about the pier")
    page = context()
    until(page, "#headline", "of 19 chunks")
    page.locator("#folder").set_input_files(tmp_path)
    until(page, "#headline", "of 5 chunks")
    expect(page.locator(".part").filter(has_text="docs/pier.md")).to_have_count(1)
    expect(page.locator(".part").filter(has_text="README.md")).to_have_count(1)


def test_a_look_at_another_page_keeps_files_and_choices(context):
    page = context()
    open_files(page, budget=90)
    page.locator("#kept [data-act=pin]").first.click()
    until(page, "#price", "1 pinned")
    line = page.locator("#headline").inner_text()
    page.get_by_role("link", name="Summary").click()
    until(page, "#headline", "sentences")
    page.get_by_role("link", name="Context").click()
    until(page, "#price", "1 pinned")
    expect(page.locator("#headline")).to_have_text(line)


def test_a_link_restores_the_settings(context):
    page = context("#query=Who+is+on+duty%3F&budget=300&sample=ferry-times")
    until(page, "#headline", "of 300 tokens")
    expect(page.locator("#query")).to_have_value("Who is on duty?")
    page.locator("#sample").select_option("apollo-13")
    until(page, "#headline", "of 500 tokens")
    page.wait_for_url("**#*sample=apollo-13")
    page.reload()
    until(page, "#headline", "of 500 tokens")
    expect(page.locator("#sample")).to_have_value("apollo-13")
