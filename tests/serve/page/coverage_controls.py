"""What the tests of the coverage page share: exact solutions, and its controls."""

from functools import cache
from pathlib import Path

from playwright.sync_api import expect

import thatch.serve
from thatch import solve
from thatch.problem.instances.point_problems import PointSettings, problem_from_tables
from thatch.problem.instances.point_tables import PointTable

from .conftest import until, upload

SAMPLES = Path(thatch.serve.__file__).parent / "page" / "samples"
SITES = b"name,x,y,cost\nquay,0,0,3\nhill,10,0,2\nmill,20,0,4\n"
HOMES = b"name,x,y,people\nA,1,0,50\nB,9,0,30\nC,11,0,15\nD,21,0,5\n"
FILES = {"stations.csv": SITES, "homes.csv": HOMES}


@cache
def island(radius=8000):
    tables = [
        PointTable.of((SAMPLES / name).read_text(), name)
        for name in ("island-sites.csv", "island-places.csv")
    ]
    return problem_from_tables(*tables, PointSettings(radius=radius))


def optimum(problem, budget, *, is_counted=True, **decided):
    if is_counted:
        problem = problem.with_costs([1.0] * problem.num_items)
    problem = problem.with_budget(budget).with_constraints(**decided)
    return solve(problem, "exact", progress=False).selection


def percent(share):
    digits = 2 if share < 0.01 else 1
    return f"{round(100 * share, digits):g}\N{NO-BREAK SPACE}%"


def row(page, name):
    return page.locator("#site-list li").filter(has_text=name)


def button(page, verb, name):
    return page.get_by_role("button", name=f"{verb} {name}", exact=True)


def saved(page, name):
    with page.expect_download() as download:
        page.locator(f"#save-{name}").click()
    return Path(download.value.path()).read_text()


def open_files(page, files, line="best"):
    upload(page, files)
    expect(page.locator("#sample option").first).to_contain_text(next(iter(files)))
    until(page, "#headline", line)
