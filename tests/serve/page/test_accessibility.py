"""Every state of the Context and Coverage pages has no fault that axe-core knows.

Those of the summary page are in test_journey.py.
"""

import json
import re

import pytest
from playwright.sync_api import expect

from .conftest import until, upload
from .coverage_controls import FILES, button
from .usability import is_usable

EVERY_STATE_ON = pytest.mark.parametrize(
    "look", ["desktop light", "phone dark"], indirect=True
)
DRAG = """() => {
  const event = new Event("dragenter", { bubbles: true });
  event.dataTransfer = { types: ["Files"] };
  document.dispatchEvent(event);
}"""
CHAIN = {
    "format": "thatch-coverage",
    "version": 2,
    "budget": 2,
    "sets": [[k, k + 1] for k in range(80)],
    "constraints": {"required": [7], "forbidden": [9]},
}


def hold(route):
    """Never answer."""


def shows_the_sample(page):
    """Nothing to do."""


def opens_all(page):
    page.evaluate("document.querySelectorAll('details').forEach((e) => e.open = true)")


def drags_files(page):
    page.evaluate(DRAG)
    expect(page.locator(".drop-here")).to_be_visible()


def loses_the_server(page):
    page.route("**/api/**", lambda route: route.abort())
    page.locator("#budget-number").fill("4")
    expect(page.locator("#offline")).to_be_visible()


# The Context page.


def opens_panels(page):
    page.locator("#show-more").click()
    opens_all(page)
    until(page, "#kept details pre")


def opens_the_editor(page):
    page.locator("#paste").click()
    expect(page.locator("#editor-text")).to_be_focused()


def asks_nothing(page):
    page.locator("#query").fill("")
    until(page, "#headline", "of what matters: ")


def asks_in_vain(page):
    page.locator("#query").fill("xylophones")
    until(page, "#headline", "No chunk matches the query")


def has_no_room(page):
    page.locator("#budget-number").fill("1")
    expect(page.locator("#kept-none")).to_be_visible()


def has_a_negative_budget(page):
    page.locator("#budget-number").fill("-5")
    until(page, "#budget-error", "The budget is -5")


def pins_and_drops(page):
    page.locator("#dropped [data-act=pin]").first.click()
    until(page, "#price", "1 pinned")
    page.locator("#kept .part:not(.is-pinned) [data-act=drop]").first.click()
    until(page, "#price", "1 pinned, 1 dropped")


def pins_too_much(page):
    page.locator("#dropped [data-act=pin]").first.click()
    until(page, "#price", "1 pinned")
    page.locator("#budget-number").fill("10")
    until(page, "#messages", "the chunks you pinned")


def pastes_one_chunk(page):
    page.locator("#paste").click()
    page.locator("#editor-text").fill("The kiosk sells tea until five.")
    page.locator("#editor-done").click()
    until(page, "#headline", "1 of 1 chunk")
    page.locator("#copy-link").click()
    until(page, "#messages", "but not the files")


def reads_no_file(page):
    upload(page, {"a.pdf": b"no", "b.bin": b"\0"})
    until(page, "#messages", "None of these can be read.")


def reads_one_of_two_files(page):
    upload(page, {"a.txt": b"Tea is sold until five.", "b.bin": b"\0"})
    until(page, "#messages", "Some files were not read.")
    until(page, "#headline", "of 1 chunk")
    opens_all(page)


def packs(page):
    page.route("**/api/pack", hold)
    page.locator("#budget-number").fill("700")
    until(page, "#working-line", "Packing … ")


def cancels_packing(page):
    packs(page)
    page.locator("#cancel").click()
    until(page, "#messages", "Packing was cancelled.")
    expect(page.locator("#result")).to_be_focused()


def loads(page):
    page.route("**/samples/*", hold)
    page.reload()
    until(page, "#working-line", "Loading … ")


def has_no_files(page):
    loads(page)
    page.locator("#cancel").click()
    expect(page.locator("#empty")).to_be_visible()


CONTEXT_STATES = [
    shows_the_sample,
    opens_panels,
    opens_the_editor,
    asks_nothing,
    asks_in_vain,
    has_no_room,
    has_a_negative_budget,
    pins_and_drops,
    pins_too_much,
    pastes_one_chunk,
    reads_no_file,
    reads_one_of_two_files,
    packs,
    cancels_packing,
    loads,
    has_no_files,
    drags_files,
    loses_the_server,
]


@EVERY_STATE_ON
@pytest.mark.parametrize("reach", CONTEXT_STATES)
def test_the_context_page_is_accessible(context, look, reach):
    page = context(is_failure_expected=True)
    until(page, "#headline", "of 19 chunks")
    reach(page)
    is_usable(page)


# The Coverage page.


def requires_and_forbids(page):
    button(page, "Require", "Alderden").click()
    button(page, "Forbid", "Ashmouth").click()
    until(page, "#price", "1 required, 1 forbidden")


def requires_too_much(page):
    page.locator("#budget-number").fill("1")
    until(page, "#headline", "1 of 40 sites")
    for name in ("Alderden", "Ashmouth"):
        button(page, "Require", name).click()
    until(page, "#messages", "required")
    until(page, "#price", "there is none for the new ones yet")


def can_afford_nothing(page):
    page.locator("#budget-number").fill("0")
    until(page, "#headline", "0 of 40 sites")


def has_an_impossible_budget(page):
    page.locator("#budget-number").fill("-5")
    until(page, "#budget-error", "The budget is -5; it must be at least 0.")


def shows_an_alternative(page):
    page.locator("#alternative-list button").nth(1).click()
    until(page, "#headline", "alternative 1, ")


def opens_numbers_and_formats(page):
    opens_all(page)
    until(page, "#curve-chart .numbers table")


def reads_the_curve(page):
    page.locator("#curve-chart input[type=range]").focus()
    until(page, "#curve-chart .readout", "covered")


def points_at_a_site(page):
    button(page, "Require", "Alderden").focus()
    until(page, "#picture-line", "Alderden: ")


def searches_in_vain(page):
    page.locator("#search").fill("no such place")
    until(page, "#site-more", "No site matches.")


def counts_costs(page):
    page.locator("#unit").select_option("cost")
    until(page, "#headline", "of 40 sites, cost")


def shows_a_graph(page):
    page.locator("#sample").select_option("help-desk")
    until(page, "#headline", "12 items")


def shows_bars(page):
    upload(page, {"chain.json": json.dumps(CHAIN).encode()})
    until(page, "#headline", "2 of 80 items")


def opens_tables(page):
    upload(page, FILES)
    until(page, "#headline", "3 of 3 sites")
    page.locator("#copy-link").click()
    until(page, "#messages", "without your files")


def opens_a_wrong_table(page):
    upload(page, {"bad.csv": b"name,x\na,1\n"})
    until(page, "#messages", "bad.csv")


def opens_a_wrong_problem(page):
    upload(page, {"bad.json": b'{"format": 1}'})
    until(page, "#messages", "bad.json")


def plans(page):
    page.route("**/api/solve", hold)
    page.locator("#budget-number").fill("4")
    until(page, "#working", re.compile(r"Planning: \d+ s"))


def cancels_planning(page):
    plans(page)
    page.locator("#cancel").click()
    until(page, "#working-line", "Cancelled.")


def proves_nothing(page):
    def unproved(route):
        answer = route.fetch()
        changes = {"status": "time_limit", "gap": 0.05}
        route.fulfill(response=answer, json=answer.json() | changes)

    page.route("**/api/solve", unproved)
    page.locator("#budget-number").fill("4")
    until(page, "#longer")


def reads_data(page):
    page.route("**/samples/*", hold)
    page.reload()
    until(page, "#headline", "Reading the data…")


COVERAGE_STATES = [
    shows_the_sample,
    requires_and_forbids,
    requires_too_much,
    can_afford_nothing,
    has_an_impossible_budget,
    shows_an_alternative,
    opens_numbers_and_formats,
    reads_the_curve,
    points_at_a_site,
    searches_in_vain,
    counts_costs,
    shows_a_graph,
    shows_bars,
    opens_tables,
    opens_a_wrong_table,
    opens_a_wrong_problem,
    plans,
    cancels_planning,
    proves_nothing,
    reads_data,
    drags_files,
    loses_the_server,
]


@EVERY_STATE_ON
@pytest.mark.parametrize("reach", COVERAGE_STATES)
def test_the_coverage_page_is_accessible(plan, look, reach):
    page = plan(is_failure_expected=True)
    expect(page.locator("#alternative-list button").nth(1)).to_be_enabled()
    reach(page)
    is_usable(page)
