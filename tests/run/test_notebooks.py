"""Objects in notebooks: tables without surprises, and progress below the cell."""

import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from thatch import BeliefPropagation, CoverageProblem, Document, cover, solve, summarize
from thatch.problem.instances import toy
from thatch.problem.notebook import Table, as_html

pytestmark = pytest.mark.slow

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "&lt;b&gt;",
    "</td></table><iframe src='https://example.org'>",
    "\u202egnp.exe",
    "nul\x00 and bell\x07",
    "x" * 10_000,
]
ALLOWED = {"div", "table", "tr", "td", "b", "bdi"}


class Elements(HTMLParser):
    """Tags, attributes and text of a page, and whether all tags are closed."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.names, self.open, self.texts = set(), set(), [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def shown(value):
    """The texts of an object in a notebook; nothing else may be in its HTML."""
    elements = Elements(value._repr_html_())
    assert elements.tags <= ALLOWED and elements.names <= {"style", "class"}
    assert not elements.open
    return elements.texts


def facts(value):
    """What follows each text where it occurs first."""
    return dict(reversed(list(pairwise(shown(value)))))


def test_a_problem_shows_its_size():
    found = facts(toy.cheap_crumb().problem)
    assert (found["items"], found["elements"], found["edges"]) == ("2", "2", "2")
    assert (found["budget"], found["total cost"]) == ("10", "11")
    assert found["total weight"] == "12"


def test_a_result_shows_its_certificate_and_its_items():
    result = solve(toy.greedy_trap().problem)
    found = facts(result)
    assert (found["value"], found["upper bound"], found["gap"]) == ("16", "16", "0.00%")
    assert (found["cost"], found["items"]) == ("2 of 2", "2 of 3")
    assert found["left"] == "1" and found["right"] == "1"


def test_a_cover_shows_its_certificate():
    found = facts(cover(toy.greedy_trap().problem))
    assert (found["cost"], found["lower bound"], found["gap"]) == ("2", "2", "0.00%")
    assert found["covered"] == "16 of 16" and found["left"] == "1"


def test_long_selections_are_cut():
    sets = [[k] for k in range(30)]
    texts = shown(solve(CoverageProblem.from_sets(sets, budget=30)))
    assert "… and 20 more" in texts


def test_an_empty_selection_has_no_table():
    texts = shown(solve(CoverageProblem.from_sets([[0]], budget=0)))
    assert "covers alone" not in texts


def test_beliefs_show_the_likeliest_items():
    beliefs = solve(toy.star(40).problem, BeliefPropagation()).beliefs
    texts = shown(beliefs)
    assert "expected cost" in texts and "… and 30 more" in texts


def test_a_summary_shows_its_passages():
    summary = summarize("Snow fell. Snow fell all day. We left.", budget=6)
    texts = shown(summary)
    assert "Snow fell all day." in texts and "6 of 6" in texts


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_shown_as_text(name):
    problem = CoverageProblem.from_sets({name: [0], "other": [1]}, budget=2)
    texts = " ".join(shown(solve(problem)))
    visible = re.sub(r"[\x00\x07\u202e]", "\ufffd", name)[:299]
    assert visible in texts
    summary = summarize(Document.from_text("Snow fell.", name), budget=6)
    assert visible in " ".join(shown(summary))


def test_hostile_text_is_shown_as_text():
    texts = shown(summarize("Snow <script>alert(1)</script> fell.", budget=20))
    assert any("<script>alert(1)</script>" in text for text in texts)


def test_everything_in_a_table_is_escaped():
    page = as_html("<i>", {"<u>": "<s>"}, Table(["<a>"], [["<q>"]]))
    assert Elements(page).tags <= ALLOWED


def test_pages_contain_no_address():
    page = solve(toy.greedy_trap().problem)._repr_html_()
    assert "http" not in page and "url(" not in page


SOLVE = """\
from thatch import BeliefPropagation, solve
from thatch.problem.instances import toy
problem = toy.star(40).problem
result = solve(problem, BeliefPropagation(), progress=True, max_seconds=60)
"""
CELLS = [
    SOLVE,
    "result",
    "from thatch.plot import plot_curve\naxes = plot_curve([1, 2], [3, 4])",
    "solve(problem).gap",
]


@pytest.mark.filterwarnings("ignore")  # of what runs the notebook
def test_a_real_notebook_shows_bars_tables_and_pictures():
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    cells = [nbformat.v4.new_code_cell(code) for code in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    displayed = []

    class Client(nbclient.NotebookClient):
        def process_message(self, message, *arguments):
            displayed.append(str(message["content"].get("data", {}).get("text/html")))
            return super().process_message(message, *arguments)

    Client(notebook, timeout=300, kernel_name="python3").execute()
    assert any("<progress" in page and "of 60 s" in page for page in displayed)
    bar, table, picture, plain = (cell.outputs for cell in notebook.cells)
    # The bar is gone when the cell is done.
    assert [output["data"]["text/html"] for output in bar] == [""]
    assert "13" in table[0]["data"]["text/html"]
    assert picture[0]["data"]["image/png"]
    assert [list(output["data"]) for output in plain] == [["text/plain"]]
