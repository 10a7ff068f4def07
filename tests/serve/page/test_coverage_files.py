"""Files on the coverage page: tables, problems, and what is wrong with them."""

import csv
import io
import json
import re

import pytest
from playwright.sync_api import expect

from thatch import CoverageProblem
from thatch.problem.instances import read_instance, write_instance

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
        "2 of 3 sites, 95\N{NO-BREAK SPACE}% of the demand within 1: proved best."
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
        (
            {"report.pdf": b"%PDF-1.7\n"},
            ["report.pdf is not a table or a problem file.", "Open CSV tables"],
        ),
        ({"sites.csv": b"PK\3\4\0\0"}, ["sites.csv is not a table"]),
    ],
)
def test_a_file_that_cannot_be_read_leaves_the_former_data(plan, files, facts):
    page = plan(is_failure_expected=True)
    button(page, "Forbid", "Bramby").click()
    until(page, "#headline", "with your choice.")
    line = page.locator("#headline").inner_text()
    upload(page, files)
    for fact in (*facts, "The previous data are still shown."):
        until(page, "#messages", fact)
    expect(page.locator("#headline")).to_have_text(line)
    expect(page.locator("#plan")).not_to_have_class(re.compile("is-stale"))
    expect(page.locator("#picture .site")).to_have_count(40)
    expect(page.locator("#sample")).to_have_value("island")
    expect(button(page, "Forbid", "Bramby")).to_have_attribute("aria-pressed", "true")
    page.locator("#budget-number").fill("6")
    until(page, "#headline", "6 of 40 sites")


def test_files_settings_and_choices_survive_a_reload_and_another_page(plan, server):
    page = plan()
    open_files(page, FILES, "3 of 3 sites")
    page.locator("#table-sites").select_option("homes.csv")
    until(page, "#headline", "of 4 sites")
    page.locator("#reach-number").fill("1")
    page.locator("#budget-number").fill("2")
    button(page, "Forbid", "A").click()
    until(page, "#price", "(1 forbidden)")
    line = page.locator("#headline").inner_text()
    page.reload()
    expect(page.locator("#headline")).to_have_text(line)
    expect(button(page, "Forbid", "A")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#table-sites option:checked")).to_have_text("homes.csv")
    page.goto(f"{server.address}/context")
    page.goto(f"{server.address}/coverage")
    expect(page.locator("#headline")).to_have_text(line)


def test_problem_files_and_samples_survive_another_page(plan, server, tmp_path):
    page = plan()
    path = tmp_path / "chain.npz"
    write_instance(CoverageProblem.from_sets([{0, 1}, {1, 2}, {2, 3}], budget=2), path)
    open_files(page, {path.name: path.read_bytes()}, "2 of 3 items")
    page.goto(f"{server.address}/context")
    page.goto(f"{server.address}/coverage")
    until(page, "#headline", "2 of 3 items")
    page.locator("#sample").select_option("island")
    button(page, "Require", "Birchfield").click()
    until(page, "#price", "(1 required)")
    page.goto(f"{server.address}/context")
    page.goto(f"{server.address}/coverage")
    until(page, "#price", "(1 required)")
    page.goto(f"{server.address}/coverage#budget=3")
    until(page, "#headline", "3 of 40 sites")


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
    expect(page.locator("#picture-heading")).to_have_text("Items by coverage")
    expect(page.locator("#picture .bar:not(.alone)")).to_have_count(20)
    expect(page.locator("#picture .bar.alone")).to_have_count(2)
    expect(page.locator("#picture-key")).to_contain_text("by no other chosen item")
    expect(page.locator("#picture-line")).to_have_text(
        "20 of 80 items, chosen ones first."
    )
    page.locator("#picture-more").click()
    expect(page.locator("#picture .bar:not(.alone)")).to_have_count(60)
    page.locator("#picture-more").press("Enter")
    expect(page.locator("#picture .bar:not(.alone)")).to_have_count(80)
    expect(page.locator("#picture-more")).to_be_hidden()
    expect(page.locator("#picture-heading")).to_be_focused()
    expect(row(page, "item 7").first).to_contain_text("required by the file")
    expect(button(page, "Forbid", "item 7")).to_be_disabled()
    button(page, "Require", "item 30").click()
    expect(page.locator("#chosen-names")).to_have_text("item 7, item 30")


def test_points_that_are_not_drawn_are_counted(plan):
    page = plan()
    rows = "".join(f"p{k},{k % 70},{k // 70},{k + 1}\n" for k in range(4_100))
    demand = f"name,x,y,people\n{rows}".encode()
    open_files(page, {"stations.csv": SITES, "homes.csv": demand}, "of 3 sites")
    expect(page.locator("#picture-line")).to_have_text(
        "The 4,000 heaviest of 4,100 points are drawn."
    )


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
