"""What the Context page says about a prompt, and how much of it at once."""

import re

import pytest
from playwright.sync_api import expect

from .conftest import until

SMALL = "No chunk fits the budget of 10 tokens, so the prompt is empty"


def upload(page, files):
    page.locator("#files").set_input_files(
        [
            {"name": name, "mimeType": "text/plain", "buffer": content}
            for name, content in files.items()
        ]
    )


@pytest.fixture
def page(context):
    page = context(is_failure_expected=True)
    until(page, "#headline", "of 19 chunks")
    return page


def test_an_empty_prompt_names_the_smallest_chunk_and_is_not_copied(page):
    page.locator("#budget-number").fill("10")
    until(page, "#headline", SMALL)
    expect(page.locator("#headline")).to_contain_text("the smallest has 100 tokens")
    expect(page.locator("#kept-none")).to_contain_text("under Left out")
    expect(page.locator("#copy")).to_be_disabled()
    expect(page.locator("#save")).to_be_disabled()
    expect(page.locator("#save-json")).to_be_enabled()
    expect(page.locator("#prompt")).to_be_hidden()
    page.locator("#budget-number").fill("1000")
    until(page, "#headline", "of 1,000 tokens")
    expect(page.locator("#copy")).to_be_enabled()


def test_without_a_question_nothing_is_called_relevant(page):
    expect(page.locator("#top")).to_contain_text("most relevant")
    expect(page.locator("#certificate")).to_contain_text("most relevant")
    page.locator("#query").fill("")
    until(page, "#headline", "of what matters:")
    page.locator("#file-panel > summary").click()
    for part in ("#top", "#certificate", "#lists", "#file-rows"):
        expect(page.locator(part)).not_to_contain_text("relevan")


def test_the_bound_is_one_for_what_is_always_taken(page):
    line = page.locator("#certificate")
    expect(line).to_contain_text("The most relevant chunk that fits is always taken")
    page.locator("#dropped [data-act=pin]").nth(3).click()
    expect(line).to_contain_text("What you pinned is always taken")
    page.locator("#kept [data-act=drop]").last.click()
    expect(line).to_contain_text("without what you dropped")


def test_shares_have_one_decimal(page):
    shares = re.findall(r"[\d.]+(?=\s%)", page.locator("main").inner_text())
    assert len(shares) > 5
    assert all(re.fullmatch(r"\d+\.\d", share) for share in shares), shares


def test_more_chunks_appear_by_fifties_until_the_next_answer(page):
    upload(page, {f"{k:02}.md": f"Pier {k} is open.".encode() for k in range(90)})
    until(page, "#headline", "of 90 chunks")
    page.locator("#query").fill("Is pier 7 open?")
    page.locator("#budget-number").fill("60")
    until(page, "#headline", "of 60 tokens")
    until(page, "#headline", "for the question")
    rows, more = page.locator("#dropped .part"), page.locator("#show-more")
    expect(rows).to_have_count(12)
    height = page.evaluate("document.documentElement.scrollHeight")
    expect(more).to_contain_text("Show 50 more of")
    more.click()
    expect(rows).to_have_count(62)
    assert page.evaluate("document.documentElement.scrollHeight") == height
    expect(rows.nth(12).locator("button")).to_be_focused()
    expect(more).to_contain_text("Show the other")
    page.locator("#budget-number").fill("70")
    until(page, "#headline", "of 70 tokens")
    expect(rows).to_have_count(12)


def test_reasons_of_the_server_end_in_one_full_stop(page):
    upload(page, {"a.pdf": b"no"})
    until(page, "#messages", "a.pdf: ")
    expect(page.locator("#messages")).not_to_contain_text("..")


def test_without_the_server_there_are_no_made_up_budgets(page):
    page.route("**/samples/*", lambda route: route.abort())
    page.route("**/api/health", lambda route: route.abort())
    page.reload()
    expect(page.locator("#offline")).to_be_visible()
    expect(page.locator("#empty")).to_contain_text("No files yet.")
    expect(page.locator("#budget-slider")).to_be_disabled()
    expect(page.locator("#budget-high")).to_be_empty()
    page.unroute_all()
    until(page, "#headline", "of 19 chunks")
    expect(page.locator("#budget-slider")).to_be_enabled()


def test_a_question_typed_right_after_a_budget_is_kept(page):
    page.evaluate(
        """() => {
          for (const [id, value] of [["budget-number", "700"], ["query", "Who?"]]) {
            const field = document.getElementById(id);
            field.focus();
            field.value = value;
            field.dispatchEvent(new Event("input", { bubbles: true }));
          }
        }"""
    )
    until(page, "#command", "--budget 700")
    until(page, "#command", "Who?")
    expect(page.locator("#query")).to_have_value("Who?")
