"""The chart of budgets, the comparison of solvers, and belief propagation."""

import re

import pytest
from playwright.sync_api import expect

from thatch.solvers.registry import solver_names

from .conftest import until, watched

SOLVERS = [name for name in solver_names() if name != "exhaustive"]


@pytest.fixture
def page(browse):
    page = browse()
    until(page, "#summary-text .chosen")
    return page


def open_panel(page, name):
    page.locator(f"#{name} > summary").click()


def cell(page, solver, column):
    return page.locator(f'[data-solver="{solver}"] [data-column="{column}"]')


def test_a_click_on_the_chart_sets_the_budget(page):
    chart = page.locator("#curve-chart svg[role=img]")
    page.locator("#curve").scroll_into_view_if_needed()
    expect(page.locator("#curve-now")).to_contain_text("Within 100 words")
    box = chart.bounding_box()
    chart.click(position={"x": 0.6 * box["width"], "y": 0.5 * box["height"]})
    expect(page.locator("#curve-now")).not_to_contain_text("Within 100 words")
    budget = float(page.locator("#budget-number").input_value())
    assert 60 < budget < 250
    until(page, "#headline", f"of {budget:g} words")


def test_the_chart_is_read_by_keyboard_and_as_numbers(page):
    chart = page.locator("#curve-chart")
    page.locator("#curve").scroll_into_view_if_needed()
    expect(page.locator("#curve-now")).to_contain_text("Within 100 words")
    chart.locator("input[type=range]").focus()
    page.keyboard.press("End")
    expect(chart.locator(".readout")).to_contain_text("length (words) 1,010")
    page.keyboard.press("Enter")
    expect(page.locator("#budget-number")).to_have_value("1010")
    chart.locator(".numbers > summary").click()
    # The table is filled after it was opened.
    expect(chart.locator("tbody tr").last.locator("th")).to_have_text("1,010")
    assert chart.locator("tbody tr").count() >= 25


def test_the_curve_agrees_with_the_summary(page):
    page.locator("#curve").scroll_into_view_if_needed()
    until(page, "#curve-double", "Twice the length")
    for budget in (100, 60):
        page.locator("#budget-number").fill(str(budget))
        # It is loaded when it is visible.
        page.locator("#curve").scroll_into_view_if_needed()
        until(page, "#curve-now", f"Within {budget} words")
        covered = covered_by(page)
        expect(page.locator("#curve-now")).to_have_text(
            f"Within {budget} words: {covered}."
        )
        until(page, "#curve-double", "Twice the length")
    twice = page.locator("#curve-double").inner_text()
    page.locator("#budget-number").fill("120")
    until(page, "#curve-now", "Within 120 words")
    share = covered_by(page).split(" of ")[0]
    assert twice == f"Twice the length: {share}."


def covered_by(page):
    """What the line above the summary says of its coverage."""
    return page.locator("#headline").inner_text().split(", ")[2].split(":")[0]


@pytest.mark.smoke
def test_solvers_are_compared_and_one_makes_the_summary(page):
    open_panel(page, "solvers")
    rows = page.locator("#solver-rows tr")
    assert [row.get_attribute("data-solver") for row in rows.all()] == SOLVERS
    expect(page.locator("#solver-rows .is-stale")).to_have_count(0)
    expect(cell(page, "static", "status")).to_have_text("finished")
    values = {
        solver: float(cell(page, solver, "value").inner_text().replace(",", ""))
        for solver in SOLVERS
    }
    assert values["static"] < values["ggreedy"] < values["auto"]
    said = page.locator("#summary-text .chosen")
    best = said.all_inner_texts()
    page.locator("#solver-static").check()
    expect(said).not_to_have_text(best)
    expect(page.locator("#source-text [data-level]")).to_have_text(
        said.all_inner_texts()
    )
    expect(page.locator("#summary-certificate")).to_contain_text("Proved")
    expect(page).to_have_url(re.compile("#solver=static&sample=pep-0609$"))


def test_the_table_follows_the_budget(page):
    open_panel(page, "solvers")
    expect(cell(page, "static", "cost")).not_to_have_text("\N{EN DASH}")
    page.locator("#budget-number").fill("40")
    expect(page.locator("#solver-rows .is-stale").first).to_be_attached()
    expect(page.locator("#solver-rows .is-stale")).to_have_count(0)
    for solver in SOLVERS:
        assert float(cell(page, solver, "cost").inner_text()) <= 40


def test_belief_propagation_runs_on_the_text(page):
    open_panel(page, "physics")
    expect(page.locator("#spending-line")).to_contain_text("the expected cost is")
    expect(page.locator("#messages-line")).to_contain_text("iterations")
    expect(page.locator("#gap-line")).to_contain_text("Proved: no selection")
    for chart in ("price-value", "price-cost", "messages-chart"):
        expect(page.locator(f"#{chart} path.line")).to_have_attribute(
            "d", re.compile("^M.*L")
        )
    legend = page.locator("#price-value svg[role=img]")
    expect(legend).to_contain_text(re.compile(r"static order [\d,]+"))
    auto, greedy, static = (
        int(found.replace(",", ""))
        for found in re.findall(r"(?:auto|greedy|order) ([\d,]+)", legend.inner_html())
    )
    assert auto >= max(greedy, static) > 0
    assert page.locator("#price-value path.line").get_attribute("d").count("L") >= 39


def test_inverse_temperature_is_a_slider(page):
    open_panel(page, "physics")
    line = page.locator("#temperature-line")
    expect(line).to_contain_text("default for these weights")
    default = float(line.inner_text().split(":")[0])
    spent = page.locator("#price-cost path.line").get_attribute("d")
    with page.expect_request("**/api/sweep") as sent:
        page.locator("#temperature").press("Home")
    hottest = sent.value.post_data_json["inverse_temperature"]
    assert hottest == pytest.approx(default / 30, rel=0.01)
    expect(line).to_contain_text("1/30 of the default")
    expect(page.locator("#physics")).to_have_attribute("aria-busy", "false")
    expect(page.locator("#price-cost path.line")).not_to_have_attribute("d", spent)
    with page.expect_response(is_chosen_sweep) as answered:
        page.locator("#sample").select_option("pep-0407")
    answer = answered.value.json()
    hottest = answer["inverse_temperature"]
    assert hottest == pytest.approx(answer["default_inverse_temperature"] / 30)
    expect(line).to_contain_text("1/30 of the default")
    assert float(line.inner_text().split(":")[0]) == pytest.approx(hottest, rel=0.01)


@pytest.mark.parametrize("key", ["Home", "End"])
def test_findings_are_those_of_the_answer(page, key):
    """A price spends the budget only if the expected cost says so."""
    open_panel(page, "physics")
    expect(page.locator("#spending-line")).to_contain_text("the expected cost is")
    with page.expect_response(is_chosen_sweep) as answered:
        page.locator("#temperature").press(key)
    answer = answered.value.json()
    expect(page.locator("#physics")).to_have_attribute("aria-busy", "false")
    cost, budget = answer["spending"]["expected_cost"], answer["budget"]
    is_spent = abs(cost - budget) <= 0.02 * budget
    line = page.locator("#spending-line").inner_text()
    assert ("which is not the budget" in line) is not is_spent
    mark = "spends the budget" if is_spent else "closest to the budget"
    expect(page.locator("#price-cost")).to_contain_text(mark)
    changes = answer["spending"]["largest_changes"]
    said = page.locator("#messages-line").inner_text()
    if answer["spending"]["has_converged"]:
        assert said.startswith("The messages converged")
    elif changes[-1] > 0.1 * max(changes):
        assert said.startswith("The messages still changed")


def is_chosen_sweep(response):
    """Whether this is a response to a sweep at the temperature of the slider."""
    is_sweep = response.url.endswith("/api/sweep")
    return is_sweep and response.request.post_data_json["inverse_temperature"]


def test_belief_propagation_follows_the_budget_only_while_it_is_open(page):
    urls = []
    with watched(page, "request", lambda request: urls.append(request.url)):
        page.locator("#budget-number").fill("60")
        until(page, "#headline", "of 60 words")
        assert not any("sweep" in url for url in urls)
        open_panel(page, "physics")
        expect(page.locator("#spending-line")).to_contain_text("of 60")
        page.locator("#budget-number").fill("90")
        expect(page.locator("#spending-line")).to_contain_text("of 90")
    assert sum("sweep" in url for url in urls) >= 2


def test_a_solver_that_fails_shows_its_error_in_its_row(browse):
    page = browse(is_failure_expected=True)

    def fail_static(route):
        if route.request.post_data_json["solver"] == "static":
            route.fulfill(status=422, json={"error": "Static found none."})
        else:
            route.continue_()

    page.route("**/api/summarize", fail_static)
    open_panel(page, "solvers")
    expect(cell(page, "static", "status")).to_have_text("Static found none.")
    expect(cell(page, "static", "value")).to_have_text("\N{EN DASH}")
    expect(cell(page, "auto", "status")).to_have_text("proved best")
    expect(page.locator("#messages .message")).to_have_count(0)
    page.unroute("**/api/summarize", fail_static)
