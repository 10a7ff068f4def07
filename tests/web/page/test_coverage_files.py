"""Files on the coverage page: tables, problems, and what is wrong with them."""

import csv
import io
import json

import pytest
from playwright.sync_api import expect

from thatch.instances import read_instance

from .conftest import until, upload
from .coverage_controls import (
    FILES,
    HOMES,
    SAMPLES,
    SITES,
    button,
    open_files,
    optimum,
    percent,
    row,
    saved,
)


def test_tables_of_the_user_are_planned_and_exported(plan):
    page = plan()
    upload(page, FILES)
    until(page, "#headline", "3 of 3 sites")
    expect(page.locator("#table-sites option:checked")).to_have_text("stations.csv")
    expect(page.locator("#table-demand option:checked")).to_have_text("homes.csv")
    page.locator("#reach-number").fill("1")
    page.locator("#budget-number").fill("2")
    expect(page.locator("#headline")).to_have_text(
        "2 of 3 sites (at most 2), 95\N{NO-BREAK SPACE}% of the demand within 1: "
        "proved best."
    )
    chosen = list(csv.DictReader(io.StringIO(saved(page, "sites"))))
    assert [(each["name"], each["covers"]) for each in chosen] == [
        ("quay", "50"),
        ("hill", "45"),
    ]
    demand = list(csv.DictReader(io.StringIO(saved(page, "demand"))))
    by = {each["name"]: (each["covered"], each["covered_by"]) for each in demand}
    assert by == {
        "A": ("1", "quay"),
        "B": ("1", "hill"),
        "C": ("1", "hill"),
        "D": ("0", ""),
    }
    page.locator("#weight-column").select_option("")
    until(page, "#headline", "75\N{NO-BREAK SPACE}% of the demand within 1")


def test_sites_and_demand_can_be_one_table_or_swapped(plan):
    page = plan()
    open_files(page, {"places.csv": HOMES}, "3 of 4 sites")
    open_files(page, {"stations.csv": SITES}, "of 3 sites")
    page.locator("#table-sites").select_option("places.csv")
    until(page, "#headline", "of 4 sites")


@pytest.mark.parametrize(
    ("files", "facts"),
    [
        ({"bad.csv": b"name,x,y\na,1,2\nb,1,two\n"}, ["bad.csv, line 3", "'two'"]),
        ({"bad.csv": b"name,cost\na,1\n"}, ["bad.csv", "longitude", "Rename"]),
        ({"bad.json": b'{"format": 1}'}, ["bad.json", "format"]),
        ({"notes.txt": b"Hello there."}, ["notes.txt, line 1", "format"]),
    ],
)
def test_an_error_names_the_file_and_the_row(plan, files, facts):
    page = plan(is_failure_expected=True)
    upload(page, files)
    for fact in facts:
        until(page, "#messages", fact)
    expect(page.locator("#headline")).not_to_contain_text("best")
    expect(page.locator("#picture .site")).to_have_count(0)
    expect(page.locator("#site-list li")).to_have_count(0)
    for field in ("slider", "number"):
        expect(page.locator(f"#budget-{field}")).to_be_disabled()
    page.locator("#sample").select_option("island")
    until(page, "#headline", "5 of 40 sites")
    expect(page.locator("#budget-slider")).to_be_enabled()


def test_a_problem_without_places_is_a_graph(plan):
    page = plan("#sample=help-desk")
    expect(page.locator("#headline")).to_contain_text("3 of 12 items, cost 6 of 6")
    expect(page.locator("#reach")).to_be_hidden()
    problem = read_instance(SAMPLES / "help-desk.json")
    best = optimum(problem, 6, is_counted=False)
    share = percent(best.value / problem.weights.sum())
    expect(page.locator("#headline")).to_contain_text(f"{share} of the weight")
    expect(page.locator("#picture .edge")).to_have_count(problem.num_edges)
    covered = page.locator("#picture .demand.covered")
    expect(covered).to_have_count(int(best.covered.sum()))


def test_a_large_problem_is_a_list_of_bars(plan):
    page = plan()
    content = {
        "format": "thatch-coverage",
        "version": 2,
        "budget": 2,
        "sets": [[k, k + 1] for k in range(80)],
        "constraints": {"required": [7]},
    }
    open_files(page, {"chain.json": json.dumps(content).encode()}, "2 of 80 items")
    expect(page.locator("#picture .bar.alone")).to_have_count(60)
    expect(page.locator("#picture-line")).to_contain_text("60 of 80 are drawn")
    expect(row(page, "item 7").first).to_contain_text("required by the file")
    expect(button(page, "Forbid", "item 7")).to_be_disabled()
    button(page, "Require", "item 30").click()
    expect(page.locator("#chosen-names")).to_have_text("item 7, item 30")


def test_names_are_text_and_never_markup(plan):
    page = plan()
    name = '<img src=x onerror="alert(1)">'
    text = f'name,x,y\n"{name.replace(chr(34), chr(34) * 2)}",0,0\nb,1,1\n'
    open_files(page, {"a.csv": text.encode()}, "of 2 sites")
    expect(page.locator("#chosen-names")).to_contain_text(name)
    assert page.locator("main img").count() == 0


def test_a_sample_chosen_without_a_server_is_shown_when_it_is_back(plan):
    page = plan(is_failure_expected=True)
    page.route("**/*", lambda route: route.abort())
    page.locator("#sample").select_option("help-desk")
    expect(page.locator("#offline")).to_be_visible()
    page.unroute_all()
    until(page, "#headline", "3 of 12 items, cost 6 of 6")
    expect(page.locator("#offline")).to_be_hidden()
