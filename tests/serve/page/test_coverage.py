"""The coverage page: plans on a map, against exact solutions."""

import json
import re

import pytest
from playwright.sync_api import expect

from .conftest import until, upload
from .coverage_controls import (
    FILES,
    button,
    island,
    open_files,
    optimum,
    percent,
    saved,
)
from .usability import is_usable

MAX_BYTES = 300_000
REACH_BEYOND_THE_MAP = """() => {
  const { width, height } = document.querySelector("#picture > svg").viewBox.baseVal;
  const circles = [...document.querySelectorAll("#picture .reach")];
  const boxes = circles.map((circle) => circle.getBBox());
  return boxes.filter(({ x, y, width: w, height: h }) =>
    x < 0 || y < 0 || x + w > width || y + h > height).map(({ x, y }) => [x, y]);
}"""


@pytest.mark.smoke
def test_the_sample_shows_the_best_plan(plan):
    page = plan()
    best = optimum(island(), 5)
    share = percent(best.value / island().weights.sum())
    expect(page.locator("#headline")).to_have_text(
        f"5 of 40 sites, {share} of the demand within 8 km: proved best."
    )
    names = page.locator("#chosen-names").inner_text().split(", ")
    assert sorted(names) == sorted(best.labels)
    expect(page.locator("#picture .site.chosen")).to_have_count(5)
    expect(page.locator("#picture .reach")).to_have_count(5)
    assert page.evaluate(REACH_BEYOND_THE_MAP) == []
    covered = page.locator("#picture .demand.covered")
    expect(covered).to_have_count(int(best.covered.sum()))
    expect(page.locator("#picture .demand")).to_have_count(180)


def test_budget_unit_and_reach_choose_another_plan(plan):
    page = plan()
    page.locator("#unit").select_option("cost")
    page.locator("#budget-number").fill("20")
    page.locator("#reach-number").fill("6")
    best = optimum(island(6000), 20, is_counted=False)
    share = percent(best.value / island().weights.sum())
    until(page, "#headline", "within 6 km: proved best")
    expect(page.locator("#headline")).to_contain_text(
        re.compile(rf"of 40 sites, cost {best.cost:g} of 20, {share} of the demand")
    )
    page.locator("#budget-slider").press("Home")
    until(page, "#headline", "of 2, ")
    page.locator("#reach-slider").press("End")
    until(page, "#headline", "100\N{NO-BREAK SPACE}% of the demand")


@pytest.mark.smoke
def test_sites_are_required_and_forbidden_by_keyboard_at_a_price(plan):
    page = plan()
    free = optimum(island(), 5).value
    total = island().weights.sum()
    button(page, "Require", "Birchfield").focus()
    page.keyboard.press("Enter")
    with_one = optimum(island(), 5, required=["Birchfield"]).value
    expect(page.locator("#price")).to_have_text(
        f"Your choice (1 required) costs {percent((free - with_one) / total)} of the "
        f"demand, {free - with_one:,.0f} residents."
    )
    expect(button(page, "Require", "Birchfield")).to_be_focused()
    name = page.locator("#chosen-names").inner_text().split(", ")[-1]
    button(page, "Forbid", name).press("Space")
    both = optimum(island(), 5, required=["Birchfield"], forbidden=[name]).value
    expect(page.locator("#price")).to_contain_text(
        f"(1 required, 1 forbidden) costs {percent((free - both) / total)} of"
    )
    lost = percent((with_one - both) / total)
    change = f"Forbidding {name} costs {lost} more."
    expect(page.locator("#price")).to_contain_text(change)
    expect(page.locator("#headline")).to_contain_text("proved best with your choice.")
    page.locator("#free-all").click()
    expect(page.locator("#price")).to_be_empty()


def test_a_click_on_the_map_decides(plan):
    page = plan()
    mark = page.locator("#picture .site.chosen").first
    x, y = re.findall(r"[\d.]+", mark.get_attribute("transform"))
    place = {"x": float(x), "y": float(y)}
    picture = page.locator("#picture > svg")
    picture.hover(position=place)
    until(page, "#picture-line", ": chosen, cost")
    name = page.locator("#picture-line").inner_text().split(":")[0]
    expect(page.locator("#site-list .is-pointed")).to_contain_text(name)
    tip = page.locator("#picture .tip")
    expect(tip).to_have_text("Click: require; again: forbid")
    expect(page.locator("#picture-hint")).to_contain_text("Click a site to require")
    presses = {
        "Click: forbid; again: free": ("true", "false"),
        "Click: free; again: require": ("false", "true"),
        "Click: require; again: forbid": ("false", "false"),
    }
    for words, states in presses.items():
        picture.click(position=place)
        expect(tip).to_have_text(words)
        for verb, pressed in zip(("Require", "Forbid"), states, strict=True):
            expect(button(page, verb, name)).to_have_attribute("aria-pressed", pressed)
        expect(page.locator("#plan")).not_to_have_class(re.compile("is-stale"))


def test_required_sites_beyond_the_budget_are_explained(plan):
    page = plan("#budget=1", is_failure_expected=True)
    for name in ("Alderden", "Ashmouth"):
        button(page, "Require", name).click()
    until(page, "#messages", "No selection meets all constraints")
    until(page, "#messages", "required site 'Alderden'")
    expect(page.locator("#plan")).to_have_class(re.compile("is-stale"))
    expect(page.locator("#price")).to_contain_text("previous settings")
    expect(page.locator("#save-json")).to_be_disabled()
    page.locator("#budget-number").fill("2")
    until(page, "#headline", "2 of 40 sites")
    expect(page.locator("#messages .message")).to_have_count(0)


def test_the_curve_sets_the_budget_and_alternatives_are_shown(plan):
    page = plan()
    chart = page.locator("#curve-chart")
    expect(page.locator("#curve-now")).to_contain_text("With 5 sites")
    best = percent(optimum(island(), 5).value / island().weights.sum())
    expect(chart.locator(".mark-name")).to_have_text(f"5 sites: {best}")
    for name, key in (("low", "Home"), ("high", "End")):
        chart.locator("input[type=range]").press(key)
        end = page.locator(f"#budget-{name}").inner_text()
        until(page, "#curve-chart .readout", f"budget (sites) {end}: ")
    chart.locator("input[type=range]").focus()
    page.keyboard.press("Home")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    share = percent(optimum(island(), 3).value / island().weights.sum())
    expect(chart.locator(".readout")).to_have_text(f"budget (sites) 3: covered {share}")
    page.keyboard.press("Enter")
    expect(page.locator("#budget-number")).to_have_value("3")
    until(page, "#headline", "3 of 40 sites")
    expect(page.locator("#alternative-list button").first).to_be_enabled()
    second = page.locator("#alternative-list button").nth(1)
    second.click()
    expect(second).to_have_attribute("aria-pressed", "true")
    loss = re.search(r"[\d.]+\s%", second.locator("span").inner_text()).group()
    expect(page.locator("#headline")).to_contain_text(f"alternative 1, {loss} of")
    shown = page.locator("#chosen-names").inner_text().split(", ")
    assert sorted(shown) == sorted(json.loads(saved(page, "json"))["items"])


def test_the_price_of_a_choice_includes_the_alternative(plan):
    page = plan()
    button(page, "Require", "Birchfield").click()
    until(page, "#price", "(1 required) costs")
    second = page.locator("#alternative-list button").nth(1)
    expect(second).to_be_enabled()
    second.click()
    covered = re.search(r"[\d.]+\s%", page.locator("#headline").inner_text()).group()
    free = optimum(island(), 5).value / island().weights.sum()
    until(page, "#price", "(1 required) and alternative 1 cost")
    price = re.search(r"([\d.]+)\s%", page.locator("#price").inner_text()).group(1)
    expected = 100 * free - float(covered.split()[0])
    assert float(price) == pytest.approx(expected, abs=0.11)
    page.locator("#alternative-list button").first.click()
    until(page, "#price", "(1 required) costs")


def test_a_reach_that_leaves_demand_says_what_all_sites_cover(plan):
    page = plan("#reach=1")
    problem = island(1000)
    most = optimum(problem, problem.num_items).value / problem.weights.sum()
    line = f"All sites together cover {percent(most)}."
    expect(page.locator("#curve-most")).to_have_text(line)


def test_the_slider_has_room_where_one_site_covers_all(plan):
    page = plan("#reach=40")
    expect(page.locator("#headline")).to_contain_text("1 of 40 sites, at most 5, 100")
    expect(page.locator("#curve-now")).to_contain_text("With 5 sites")
    expect(page.locator("#budget-high")).to_have_text("5")


def test_a_long_search_shows_its_time_and_can_be_cancelled(plan):
    page = plan(is_failure_expected=True)
    page.route("**/api/solve", lambda route: None)
    page.locator("#budget-number").fill("4")
    until(page, "#working", re.compile(r"Planning: \d+ s"))
    expect(page.locator("#plan")).to_have_class(re.compile("is-stale"))
    page.locator("#cancel").click()
    expect(page.locator("#working-line")).to_have_text("Cancelled.")
    page.unroute_all()
    page.locator("#cancel").click()
    until(page, "#headline", "4 of 40 sites")
    expect(page.locator("#working")).to_be_hidden()


def test_a_plan_that_is_not_proved_says_so_and_can_be_improved(plan):
    page = plan()
    seconds = []

    def unproved(route):
        answer = route.fetch()
        seconds.append(route.request.post_data_json["max_seconds"])
        changes = {"status": "time_limit", "gap": 0.05}
        route.fulfill(response=answer, json=answer.json() | changes)

    page.route("**/api/solve", unproved)
    page.locator("#budget-number").fill("4")
    until(page, "#headline", "at most 5\N{NO-BREAK SPACE}% below the best possible.")
    page.locator("#longer").click()
    expect(page.locator("#plan")).to_have_attribute("aria-busy", "false")
    assert seconds == [None, 20]
    page.unroute_all()


def test_a_budget_that_cannot_be_is_explained(plan):
    page = plan()
    number = page.locator("#budget-number")
    error = page.locator("#budget-error")
    number.fill("-5")
    expect(error).to_have_text("The budget is -5; it must be at least 0.")
    expect(number).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#headline")).to_contain_text("5 of 40 sites")
    number.press("Enter")
    expect(error).to_have_text("The budget must be at least 0; it is 5 again.")
    expect(number).to_have_value("5")
    page.locator("#reach-number").fill("")
    page.locator("#reach-number").press("Enter")
    expect(page.locator("#reach-error")).to_have_text(
        "The reach must be a positive number; it is 8 again."
    )
    number.fill("2.5")
    until(page, "#headline", "2 of 40 sites, ")
    expect(error).to_be_empty()
    number.fill("30")
    until(page, "#headline", "of 40 sites, at most 30, ")
    number.fill("0")
    until(page, "#headline", "0 of 40 sites, 0\N{NO-BREAK SPACE}% of")
    expect(page.locator("#messages .message")).to_have_count(0)


def test_a_link_restores_the_settings(plan):
    page = plan("#budget=4&reach=10&forbidden=Bramby&unit=count")
    expect(page.locator("#headline")).to_contain_text("4 of 40 sites")
    expect(page.locator("#headline")).to_contain_text("within 10 km")
    expect(button(page, "Forbid", "Bramby")).to_have_attribute("aria-pressed", "true")
    button(page, "Require", "Alderden").click()
    page.locator("#copy-link").click()
    expect(page.locator("#copy-link")).to_have_attribute("data-done", "Copied")
    link = page.evaluate("navigator.clipboard.readText()")
    fields = "reach=10&budget=4&forbidden=Bramby&required=Alderden"
    assert link.endswith(f"/coverage#{fields}")


def test_the_list_is_searched(plan):
    page = plan()
    page.locator("#search").fill("field")
    expect(page.locator("#site-list li").first).to_contain_text("field")
    names = page.locator("#site-list .site-name").all_inner_texts()
    expected = [name for name in island().item_names if "field" in name.lower()]
    assert names == expected
    page.locator("#search").fill("")
    page.locator("#show").select_option("chosen")
    expect(page.locator("#site-list li")).to_have_count(5)


@pytest.mark.parametrize("look", ["desktop light", "phone dark"], indirect=True)
def test_every_state_is_usable(plan, look):
    page = plan(is_failure_expected=True)
    expect(page.locator("#alternative-list button").first).to_be_enabled()
    is_usable(page)
    button(page, "Require", "Alderden").click()
    button(page, "Forbid", "Ashmouth").click()
    until(page, "#price", "1 forbidden")
    page.locator("#curve-chart .numbers > summary").click()
    page.locator(".formats summary").click()
    is_usable(page)
    page.locator("#sample").select_option("help-desk")
    until(page, "#headline", "12 items")
    is_usable(page)
    open_files(page, FILES, "3 of 3 sites")
    is_usable(page)
    upload(page, {"bad.csv": b"name,x\na,1\n"})
    until(page, "#messages", "bad.csv")
    is_usable(page)


def test_the_page_is_light(plan, coverage_tab_of):
    sizes = {}
    page = coverage_tab_of("desktop light")

    def note(response):
        if "/page/" in response.url and "/samples/" not in response.url:
            sizes[response.url] = len(response.body())

    page.on("response", note)
    plan()
    page.remove_listener("response", note)
    assert 50_000 < sum(sizes.values()) < MAX_BYTES
