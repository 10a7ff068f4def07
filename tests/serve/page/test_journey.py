"""One user's way through all features of the page, on a desktop and on a phone.

At every step, axe-core must find nothing, in the light and the dark theme.
"""

import pytest
from playwright.sync_api import expect

from .conftest import paste, until, upload
from .usability import is_usable

FARM = (
    "The old farm has a red barn. The red barn holds hay for the winter. "
    "Horses eat hay all winter. The farm sells milk. Nobody sells horses."
)


@pytest.mark.parametrize("look", ["desktop light", "phone dark"], indirect=True)
def test_a_user_can_reach_every_feature(browse, look):
    page = browse(is_failure_expected=True)
    sees_the_sample(page)
    slides(page)
    pastes_and_points(page, is_phone=look.startswith("phone"))
    switches_the_solver(page)
    opens_the_physics(page)
    uploads(page)
    follows_a_link(page)
    meets_messages(page)


def sees_the_sample(page):
    said = page.locator("#summary-text .chosen")
    expect(said.first).to_be_visible()
    until(page, "#headline", "of 56 sentences")
    expect(page.locator("#summary-certificate")).to_contain_text("Proved: no selection")
    chosen = page.locator("#source-text [data-level]")
    expect(chosen).to_have_text(said.all_inner_texts())
    assert chosen.count() > 3
    is_usable(page)


def slides(page):
    slider = page.locator("#budget-slider")
    slider.press("End")
    until(page, "#headline", "of 1,010 words")
    slider.press("Home")
    until(page, "#headline", "of 8 words")
    expect(slider).to_have_attribute("aria-valuetext", "8 words")


def pastes_and_points(page, *, is_phone):
    paste(page, FARM)
    expect(page.locator("#source-text .passage")).to_have_count(5)
    page.locator("#budget-number").fill("15")
    until(page, "#headline", "of 15 words")
    page.locator(".more > summary").click()
    page.locator("#exclude").fill("milk")
    until(page, "#source-text .ruled-out")
    first = page.locator("#source-text .passage").first
    if is_phone:
        first.tap()
    else:
        first.click()
    expect(page.locator("#inspector-title")).to_contain_text("Sentence 1")
    term = page.locator("#inspector-terms .term").filter(has_text="red barn")
    term.tap() if is_phone else term.hover()
    expect(page.locator("#source-text .has-term")).to_have_count(2)
    is_usable(page)
    page.locator("#inspector-close").click()
    expect(page.locator("#inspector-title")).to_be_hidden()
    page.locator(".more > summary").click()


def switches_the_solver(page):
    page.locator("#solvers > summary").click()
    expect(page.locator("#solver-rows .is-stale")).to_have_count(0)
    expect(page.locator('[data-solver="auto"] [data-column="status"]')).to_have_text(
        "proved best"
    )
    page.locator("#solver-static").check()
    expect(page.locator("#solver-rows .is-chosen")).to_have_attribute(
        "data-solver", "static"
    )
    expect(page.locator("#summary")).to_have_attribute("aria-busy", "false")
    said = page.locator("#summary-text .chosen").all_inner_texts()
    expect(page.locator("#source-text [data-level]")).to_have_text(said)


def opens_the_physics(page):
    page.locator("#physics > summary").click()
    expect(page.locator("#spending-line")).to_contain_text("the expected cost is")
    page.locator("#curve").scroll_into_view_if_needed()
    expect(page.locator("#curve-now")).to_contain_text("Within 15 words")
    page.locator("#curve-chart .numbers > summary").click()
    is_usable(page)
    for panel in ("physics", "solvers"):
        page.locator(f"#{panel} > summary").click()


def uploads(page):
    upload(page, {"a.txt": b"Ants march. Ants carry.", "b.md": b"# B\n\nWasps sting."})
    expect(page.locator("#source-text h3")).to_have_text(["a.txt", "b.md"])
    expect(page.locator("#source-text [data-level]")).to_have_count(3)


def follows_a_link(page):
    page.evaluate("location.hash = '#budget=40&exclude=month&sample=pep-0407'")
    until(page, "#headline", "of 40 words")
    until(page, "#source-text .ruled-out")


def meets_messages(page):
    page.locator("#budget-number").fill("2")
    until(page, "#headline", "No sentence fits in 2 words")
    upload(page, {"broken.pdf": b"no PDF"})
    until(page, "#messages", "broken.pdf cannot be read.")
    page.locator(".more > summary").click()
    page.locator("#query").fill("zebra quantum")
    until(page, "#messages", "“Question”")
    expect(page.locator("#summary-stale")).to_be_visible()
    page.locator("#edit").click()
    page.evaluate("document.getElementById('offline').hidden = false")
    is_usable(page)
    page.evaluate("document.getElementById('offline').hidden = true")
    page.locator("#editor-clear").click()
    until(page, "#headline", "There is no text yet")
