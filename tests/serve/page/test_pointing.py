"""Selecting sentences and terms, by mouse, touch and keyboard."""

import pytest
from playwright.sync_api import expect

from .conftest import until

FARM = (
    "The old farm has a red barn. The red barn holds hay for the winter. "
    "Horses eat hay all winter. The farm sells milk. Nobody sells horses."
)


def passage(page, number):
    return page.locator(f'#source-text [data-passage="{number}"]')


def terms(page):
    return page.locator("#inspector-terms .term")


@pytest.fixture
def farm(read):
    return read(FARM, "budget=15")


def test_hovering_shows_what_a_sentence_costs_and_covers(farm):
    passage(farm, 1).hover()
    expect(farm.locator("#inspector-title")).to_contain_text("Sentence 2")
    expect(farm.locator("#inspector-cost")).to_have_text("8 words")
    weights = [
        float(text)
        for text in farm.locator("#inspector-terms .term-weight").all_inner_texts()
    ]
    assert weights == sorted(weights, reverse=True)
    assert "red barn" in farm.locator("#inspector-terms .term-name").all_inner_texts()
    passage(farm, 3).hover()
    expect(farm.locator("#inspector-title")).to_contain_text("Sentence 4")


def test_chosen_and_left_out_sentences_differ(farm):
    chosen = farm.locator("#source-text [data-level]").first
    chosen.hover()
    expect(farm.locator("#inspector-title")).to_contain_text("chosen")
    expect(farm.locator("#inspector-line")).to_contain_text("Only this one covers")
    left = farm.locator("#source-text .passage:not([data-level])").first
    left.hover()
    expect(farm.locator("#inspector-title")).to_contain_text("left out")
    expect(farm.locator("#inspector-line")).to_contain_text("Would add")


@pytest.mark.smoke
def test_a_click_selects_a_sentence_and_another_click_deselects_it(farm):
    passage(farm, 0).click()
    passage(farm, 3).hover()
    expect(farm.locator("#inspector-title")).to_contain_text("Sentence 1")
    passage(farm, 0).click()
    passage(farm, 3).hover()
    expect(farm.locator("#inspector-title")).to_contain_text("Sentence 4")


def test_pointing_at_a_term_shows_the_sentences_that_contain_it(farm):
    passage(farm, 0).click()
    terms(farm).filter(has_text="red barn").hover()
    expect(passage(farm, 1)).to_contain_class("has-term")
    expect(farm.locator("#source-text .has-term")).to_have_count(2)
    expect(farm.locator("#inspector-where")).to_contain_text(
        "“red barn” is in 2 sentences"
    )
    farm.locator("#inspector-title").hover()
    expect(farm.locator("#source-text .has-term")).to_have_count(0)


@pytest.mark.parametrize("look", ["phone dark"], indirect=True)
def test_a_tap_opens_a_sheet_that_does_not_cover_the_sentence(browse):
    page = browse()
    until(page, "#source-text [data-level]")
    page.locator("#source-text [data-level]").nth(1).tap()
    sheet = page.locator("#inspector")
    expect(sheet).to_have_css("position", "fixed")
    pointed = page.locator("#source-text .pointed").bounding_box()
    assert pointed["y"] + pointed["height"] <= sheet.bounding_box()["y"]
    terms(page).nth(1).tap()
    expect(page.locator("#source-text .has-term").first).to_be_attached()
    page.locator("#inspector-close").tap()
    expect(page.locator("#inspector-title")).to_be_hidden()


@pytest.mark.parametrize("look", ["desktop at 200 %"], indirect=True)
def test_a_low_sheet_shows_terms(browse):
    page = browse()
    until(page, "#source-text [data-level]")
    page.locator("#source-text [data-level]").first.click()
    expect(terms(page).first).to_be_in_viewport(ratio=1)
    terms(page).last.scroll_into_view_if_needed()
    expect(terms(page).last).to_be_in_viewport(ratio=0.99)
    expect(page.locator("#inspector-close")).to_be_in_viewport(ratio=1)
    page.locator("#inspector-close").click()
    expect(page.locator("#inspector-title")).to_be_hidden()


def test_the_keyboard_moves_through_sentences_and_terms(farm):
    passage(farm, 0).focus()
    assert farm.locator('#source-text [tabindex="0"]').count() == 1
    farm.keyboard.press("ArrowDown")
    expect(passage(farm, 1)).to_be_focused()
    expect(farm.locator("#inspector-title")).to_contain_text("Sentence 2")
    expect(farm.locator("#announcement")).to_contain_text("8 words")
    farm.keyboard.press("End")
    expect(passage(farm, 4)).to_be_focused()
    farm.keyboard.press("Home")
    farm.keyboard.press("Enter")
    expect(terms(farm).first).to_be_focused()
    expect(farm.locator("#source-text .has-term").first).to_be_attached()
    farm.keyboard.press("Escape")
    expect(passage(farm, 0)).to_be_focused()
    farm.keyboard.press("Escape")
    expect(farm.locator("#inspector-title")).to_be_hidden()


def test_the_summary_leads_to_the_source(browse):
    page = browse()
    last = page.locator("#summary-text .chosen").last
    expect(page.locator("#source-text [data-level]").last).not_to_be_in_viewport()
    last.click()
    expect(page.locator("#source-text [data-level]").last).to_be_in_viewport()
    expect(page.locator("#source-text .pointed")).to_have_text(last.inner_text())


def test_an_excluded_sentence_shows_the_reason(browse):
    page = browse("#exclude=governance")
    ruled_out = page.locator("#source-text .ruled-out").first
    ruled_out.hover()
    expect(page.locator("#inspector-title")).to_contain_text("excluded")
    expect(page.locator("#inspector-line")).to_contain_text("governance")


def test_a_click_on_a_term_scrolls_to_the_next_sentence_that_contains_it(browse):
    page = browse()
    until(page, "#source-text [data-level]")
    passage(page, 0).click()
    terms(page).filter(has_text="python packaging").click()
    expect(page.locator("#source-text .looked-at")).to_be_in_viewport()
    first = page.locator("#source-text .looked-at").get_attribute("data-passage")
    terms(page).filter(has_text="python packaging").click()
    expect(page.locator("#source-text .looked-at")).not_to_have_attribute(
        "data-passage", first
    )
