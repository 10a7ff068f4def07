"""Links that restore the page, and exports of the summary."""

import json
import re

import pytest
from playwright.sync_api import expect

from .conftest import paste, until

CATS = "Cats sleep all day. Cats hunt at night. A cat purrs. Dogs bark at cats."


def link_of(page):
    """Copy the link; the clipboard shows when that is done, whatever the speed."""
    page.evaluate("navigator.clipboard.writeText('')")
    page.locator("#copy-link").click()
    page.wait_for_function("navigator.clipboard.readText().then(Boolean)")
    return page.evaluate("navigator.clipboard.readText()")


def saved(page, button):
    page.locator(".menu > summary").click()
    with page.expect_download() as download:
        page.locator(button).click()
    return download.value.suggested_filename, download.value.path().read_text()


@pytest.mark.smoke
def test_a_link_restores_every_setting_and_the_sample(browse):
    fields = (
        "#unit=characters&budget=444&by=paragraph&concepts=tf-idf-content&query=release+cycle"
        "&require=release&require=months&exclude=poll&min_words=3&max_words=90"
        "&separator=%0A&language=en&solver=ggreedy&sample=pep-0407"
    )
    page = browse(fields)
    until(page, "#headline", "of 444 characters")
    expect(page.locator("#source-text h3")).to_contain_text("New release cycle")
    expect(page.locator("#require")).to_have_value("release\nmonths")
    expect(page.locator("#min_words")).to_have_value("3")
    expect(page.locator("#separator")).to_have_value(r"\n")
    expect(page.locator("#language")).to_have_value("en")
    expect(page.locator("#solver-ggreedy")).to_be_checked()
    assert set(link_of(page).split("#")[1].split("&")) == set(fields[1:].split("&"))


def test_a_link_restores_a_short_text_and_keeps_it(browse):
    page = browse("#budget=9")
    paste(page, CATS)
    expect(page.locator("#edit")).to_be_focused()
    expect(page.locator("#source-text")).to_have_text(CATS)
    until(page, "#headline", "of 4 sentences")
    page.reload()
    expect(page.locator("#source-text")).to_have_text(CATS)
    until(page, "#headline", "of 4 sentences")
    said = page.locator("#summary-text .chosen").all_inner_texts()
    fragment = link_of(page).split("#")[1]
    other = browse("#" + fragment)
    expect(other.locator("#summary-text .chosen")).to_have_text(said)
    expect(other.locator("#source-text")).to_have_text(CATS)
    other.locator("#budget-number").fill("12")
    until(other, "#headline", "of 12 words")
    expected = fragment.replace("budget=9", "budget=12")
    expect(other).to_have_url(re.compile(f"#{expected}$"))
    other.reload()
    expect(other.locator("#source-text")).to_have_text(CATS)


def test_a_look_at_another_page_keeps_text_settings_and_choices(browse):
    page = browse("#budget=9")
    paste(page, CATS)
    until(page, "#headline", "of 4 sentences")
    page.locator("#summary-text [data-pin]").first.click()
    until(page, "#headline", "with your choices")
    line = page.locator("#headline").inner_text()
    page.get_by_role("link", name="Coverage").click()
    until(page, "#headline", "best")
    page.get_by_role("link", name="Summary").click()
    expect(page.locator("#source-text")).to_have_text(CATS)
    expect(page.locator("#headline")).to_have_text(line)


def test_a_text_too_long_for_a_link_is_left_out_with_a_message(read):
    words = (
        f"Sentence {k} names {k * 7919 % 10007} and {k**3 % 9973}." for k in range(900)
    )
    page = read(" ".join(words))
    link = link_of(page)
    until(page, '#messages [data-subject="link"]')
    assert "text=" not in link


def test_a_link_without_a_text_contains_the_settings(browse):
    page = browse("#budget=50")
    until(page, "#headline", "of 50 words")
    page.locator("#edit").click()
    page.locator("#editor-clear").click()
    until(page, "#headline", "There is no text yet")
    assert link_of(page).endswith("/#budget=50")
    expect(page.locator("#messages .message")).to_have_count(0)


def test_the_skip_link_keeps_the_settings(browse):
    page = browse("#budget=50")
    until(page, "#headline", "of 50 words")
    page.locator("#skip").press("Enter")
    expect(page.locator("#summary")).to_be_focused()
    expect(page).to_have_url(re.compile("#budget=50&sample=pep-0609$"))


def test_an_infinite_budget_is_replaced_by_the_default(browse):
    page = browse("#budget=Infinity")
    until(page, "#headline", "of 100 words")


def test_a_broken_link_shows_a_message_and_a_sample(browse):
    page = browse("#budget=50&text=not-a-text")
    until(page, '#messages [data-subject="link"]')
    until(page, "#headline", "of 50 words")


def test_another_link_in_the_same_tab_is_followed(browse):
    page = browse("#budget=50")
    until(page, "#headline", "of 50 words")
    page.evaluate("location.hash = '#budget=70&sample=pep-0545'")
    until(page, "#headline", "of 70 words")
    expect(page.locator("#source-text h3")).to_have_text(
        "Python Documentation Translations"
    )


@pytest.mark.smoke
def test_the_summary_is_exported_in_every_format(browse):
    page = browse("#budget=30")
    until(page, "#headline", "of 30 words")
    said = " ".join(page.locator("#summary-text .chosen").all_inner_texts())
    page.evaluate("navigator.clipboard.writeText('')")
    page.locator("#copy").click()
    page.wait_for_function("navigator.clipboard.readText().then(Boolean)")
    assert page.evaluate("navigator.clipboard.readText()") == said
    assert saved(page, "#save-text") == ("summary.txt", said + "\n")
    name, markdown = saved(page, "#save-markdown")
    assert name == "summary.md"
    assert markdown.startswith(said)
    assert "| chosen | where | words | covers alone | what |" in markdown
    name, report = saved(page, "#save-html")
    assert name == "summary.html"
    assert said.split(". ")[0] in report
    name, answer = saved(page, "#save-json")
    assert name == "summary.json"
    answer = json.loads(answer)
    assert answer["summary"] == said
    assert answer["sentences"][0]["concepts"]
    assert answer["left_out"]
