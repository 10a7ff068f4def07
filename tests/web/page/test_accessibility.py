"""Everybody can use the page: axe finds nothing serious, in any state or look."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from .conftest import LOOKS

EVERY_LOOK = pytest.mark.parametrize("look", list(LOOKS), indirect=True)
BEES = "Bees dance to tell of flowers. Flowers feed bees. A hive holds many bees."


def violations(page):
    """Serious and critical findings, with the elements they are about."""
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        (each["id"], [node["html"] for node in each["nodes"]])
        for each in found
        if each["impact"] in {"serious", "critical"}
    ]


@EVERY_LOOK
def test_the_text_is_readable_by_everybody(read):
    page = read(BEES)
    page.locator("#budget-number").fill("11")
    expect(page.locator("#summary-line")).to_contain_text("of 11 words")
    assert violations(page) == []
    page.locator(".more > summary").click()
    page.locator("#exclude").fill("hive")
    expect(page.locator("#source-text .ruled-out")).to_have_count(1)
    page.locator("#source-text .passage").first.click()
    page.locator("#inspector-terms .term").first.focus()
    expect(page.locator("#source-text .holds").first).to_be_attached()
    assert violations(page) == []


@EVERY_LOOK
def test_the_panels_are_readable_by_everybody(read):
    page = read(BEES)
    page.locator("#curve").scroll_into_view_if_needed()
    for panel in ("solvers", "physics"):
        page.locator(f"#{panel} > summary").click()
    expect(page.locator("#solver-rows .is-old")).to_have_count(0)
    expect(page.locator("#messages-line")).not_to_be_empty()
    page.locator("#curve-chart .numbers > summary").click()
    assert violations(page) == []


@EVERY_LOOK
def test_messages_are_readable_by_everybody(browse):
    page = browse("#text=broken")
    expect(page.locator("#messages")).to_contain_text("cannot be read")
    page.evaluate("document.getElementById('gone').hidden = false")
    page.locator("#edit").click()
    page.locator("#editor-clear").click()
    expect(page.locator("#summary-line")).to_contain_text("There is no text yet")
    assert violations(page) == []


def test_headings_are_in_order_and_landmarks_have_names(browse):
    page = browse()
    expect(page.locator("#summary-text .said").first).to_be_visible()
    levels = page.evaluate(
        """() => [...document.querySelectorAll("h1, h2, h3")]
        .filter((e) => e.checkVisibility()).map((e) => Number(e.tagName[1]))"""
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in zip(levels, levels[1:], strict=False))
    for role in ("banner", "main", "contentinfo"):
        expect(page.get_by_role(role)).to_have_count(1)


def test_the_skip_link_leads_to_the_summary_and_keeps_the_settings(browse):
    page = browse("#budget=60")
    expect(page.locator("#summary-line")).to_contain_text("of 60 words")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#summary")).to_be_focused()
    expect(page.locator("#budget-number")).to_have_value("60")
