"""The summary page in Firefox, by pointer and by keyboard alone."""

import pytest

CHOSEN = "document.querySelectorAll('#source-text [data-level]').length"


@pytest.fixture
def page(visit_in_firefox):
    """The page with the sample of the other tests."""
    tab = visit_in_firefox("/#sample=pep-0609")
    tab.until_text("#headline", "of 56 sentences")
    return tab


def test_a_pointer_reaches_source_terms_and_choices(page):
    assert "proved best" in page.text("#headline")
    number = page.evaluate(CHOSEN)
    assert number > 3
    page.click("#summary-text li:last-child .place")
    page.until("document.querySelector('#source-text .flash') !== null")
    page.click("#source-text .passage:not([data-level]):not(.ruled-out)")
    page.until_text("#inspector-title", "left out")
    page.click("#inspector-terms .term")
    assert page.evaluate("[...CSS.highlights.get('term')].length > 0")
    page.click("#pin")
    page.until_text("#choices-line", "this costs")
    assert "with your choices" in page.text("#headline")
    assert page.violations() == []


def test_the_keyboard_alone_suffices(page):
    page.run("document.getElementById('budget-slider').focus()")
    page.press("ArrowRight", "ArrowRight")
    page.until("!document.getElementById('headline').textContent.includes('of 100')")
    page.press("Home")
    page.until_text("#headline", "of 8 words")
    page.press("End")
    page.until_text("#headline", "of 1,010 words")
    page.run("document.querySelector('#source-text [tabindex=\"0\"]').focus()")
    page.press("ArrowDown")
    page.until_text("#inspector-title", "Sentence 2")
    page.press("Enter")
    page.until("document.activeElement.matches('#inspector-terms .term')")
    page.press("Escape")
    page.until("document.activeElement.matches('[data-passage=\"1\"]')")
    page.press("n")
    after = page.evaluate(
        "[...document.querySelectorAll('#source-text [data-level]')]"
        ".findIndex((element) => Number(element.dataset.passage) > 1) + 1"
    )
    page.until_text("#step-line", f"{after} of {page.evaluate(CHOSEN)}")
    page.press("Escape")
    page.until("document.getElementById('inspector').matches('.is-empty')")


def test_panels_open_on_a_phone(visit_in_firefox):
    page = visit_in_firefox("/#sample=pep-0407", width=390, height=844)
    page.until_text("#headline", "proved best")
    page.click("#solvers > summary")
    page.until_text('[data-solver="exact"] [data-column="status"]', "proved best")
    page.click("#physics > summary")
    page.until_text("#spending-line", "the expected cost is")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.violations() == []
