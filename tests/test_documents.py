"""The documentation shows what the code does."""

import contextlib
import importlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cases import for_each
from systems import posix

import thatch
from thatch import read_instance
from thatch.cli.app import run
from thatch.text import read_clusters

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
PICTURES = sorted((DOCS / "pictures").glob("*.py"))
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
DRAWING_EXAMPLES = [path for path in EXAMPLES if "PICTURE.png" in path.read_text()]
#: Languages of code blocks: run, parsed by a test here, or only shown.
RUN, READ, SHOWN = {"python", "console"}, {"json"}, {"", "sh", "toml"}
#: Options of other programs that pages mention.
FOREIGN_OPTIONS = {
    *("--cov", "--cov-context", "--gpu", "--no-deps", "--plots", "--quick"),
    *("--tables", "--tests", "--wheel-dir"),
    # Of pytest, coverage and the plugin:
    *("--junit-xml", "--show-contexts", "--thatch-cover", "--thatch-data"),
    *("--thatch-durations", "--thatch-lost", "--thatch-record", "--thatch-seconds"),
    # Of benchmarks/quality.py:
    *("--cft", "--data", "--instances", "--json", "--only", "--panels", "--plot"),
    *("--plain-searches", "--radius", "--redraw", "--seconds", "--seeds"),
    *("--family-plot", "--pace", "--root", "--sites"),
}
#: Pages whose examples take more than a second or two.
SLOW_PAGES = {
    *("docs/concepts/ensemble.md", "docs/concepts/temperature.md"),
    *("docs/concepts/where-algorithm-2-fails.md", "docs/guides/corpora.md"),
    *("docs/guides/facility-location.md", "docs/guides/frameworks.md"),
    *("docs/guides/pack-a-prompt.md", "docs/guides/pictures.md"),
    *("docs/guides/scale.md", "docs/guides/solve-your-own-problem.md"),
    *("docs/guides/summarize.md", "docs/guides/test-suites.md"),
    "docs/start/data-engineer.md",
}
pytestmark = posix  # the transcripts are those of a shell


def named(path):
    return str(path.relative_to(ROOT))


def blocks(path):
    """Language and content of every code block of a page, in order."""
    pattern = r"^```([^\n]*)\n(.*?)^```"
    return re.findall(pattern, path.read_text(), flags=re.DOTALL | re.MULTILINE)


def blocks_in(path, *languages):
    return [content for language, content in blocks(path) if language in languages]


def check_python(code, names):
    """Run the code and compare its output with the lines that start with a hash."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, names)
    comments = re.findall(r"^#(?: .*)?$", code, flags=re.MULTILINE)
    expected = [comment[2:] for comment in comments]
    assert printed.getvalue().splitlines() == expected


def check_console(transcript, folder):
    """Run each command after a dollar sign; three dots match anything."""
    programs = str(Path(sys.executable).parent)
    environment = os.environ | {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONWARNINGS": "error",
        "COLUMNS": "80",
    }
    for entry in re.split(r"^\$ ", transcript, flags=re.MULTILINE)[1:]:
        command, _, expected = entry.partition("\n")
        answer = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
        )
        pattern = re.escape(expected.strip()).replace(r"\.\.\.", ".*")
        assert re.fullmatch(pattern, answer.stdout.strip(), flags=re.DOTALL), (
            f"{command}\nprints\n{answer.stdout}\nand not\n{expected}"
        )


def tier(page):
    """A page as a case; one that takes seconds, or starts servers, is slow."""
    marks = [pytest.mark.slow] if named(page) in SLOW_PAGES else []
    return pytest.param(page, marks=marks, id=named(page))


@pytest.mark.parametrize(
    "page", [tier(page) for page in PAGES if blocks_in(page, *RUN)]
)
def test_a_page_shows_what_its_examples_print(page, tmp_path, monkeypatch):
    """Later examples of a page can use the names of earlier ones."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    names = {}
    for language, content in blocks(page):
        if language == "python":
            check_python(content, names)
        elif language == "console":
            check_console(content, tmp_path)


@for_each("page", PAGES, ids=named)
def test_every_code_block_has_a_known_language(page):
    for language, content in blocks(page):
        is_directive = language.startswith("{") and "}" in language
        assert is_directive or language in RUN | READ | SHOWN, language
        if language == "console":
            assert content.startswith("$ ")


@for_each("example", EXAMPLES, ids=named)
def test_a_page_shows_every_example_and_its_output(example):
    pages = [page.read_text() for page in PAGES]
    assert any(f"$ python examples/{example.name}" in text for text in pages)
    assert any(f"../examples/{example.name}\n" in text for text in pages)


@pytest.mark.slow
@pytest.mark.parametrize("script", [*PICTURES, *DRAWING_EXAMPLES], ids=named)
def test_a_picture_can_be_drawn_again(script, tmp_path):
    picture = tmp_path / "picture.png"
    subprocess.run([sys.executable, "-W", "error", script, picture], check=True)
    drawn = [picture]
    if script in PICTURES:
        drawn.append(tmp_path / "picture-dark.png")
    for each in drawn:
        assert each.read_bytes().startswith(b"\x89PNG")


@for_each("picture", sorted((DOCS / "images").iterdir()), ids=named)
def test_a_page_shows_every_picture(picture):
    """In dark mode the site shows the dark one, whose name ends so, instead."""
    name = picture.name.replace("-dark.", ".")
    assert any(f"images/{name})" in page.read_text() for page in PAGES)


def test_slow_pages_exist():
    assert {named(page) for page in PAGES} >= SLOW_PAGES


def test_the_demo_of_the_readme_is_what_make_demo_runs():
    command = blocks_in(ROOT / "README.md", "console")[0].splitlines()[0]
    assert command.removeprefix("$ thatch ") in (ROOT / "Makefile").read_text()


def test_the_json_of_the_formats_page_can_be_read(tmp_path):
    *problems, clusters = blocks_in(DOCS / "reference" / "formats.md", "json")
    for problem in problems:
        (tmp_path / "page.json").write_text(problem)
        assert read_instance(tmp_path / "page.json").num_edges == 6
    assert len(read_instance(tmp_path / "page.json").constraints.kinds) == 7
    (tmp_path / "clusters.jsonl").write_text(clusters)
    (cluster,) = read_clusters(tmp_path / "clusters.jsonl")
    assert (len(cluster.documents), cluster.references) == (2, ("Rain.",))


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_no_page_installs_thatch_by_name(page):
    """On PyPI the name is free: whoever registers it would run code of theirs."""
    installers = r"pip3? install|pipx (?:run|install)|uvx|uv (?:add|tool install)"
    by_name = rf"(?:{installers})\s+(?:-\S+\s+)*['\"]?thatch\b"
    assert re.findall(by_name, page.read_text()) == []


def slugs(page):
    """Anchors that GitHub and MyST give to the headings of a page."""
    prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.M)
    titles = re.findall(r"^#+ (.+)$", prose, flags=re.MULTILINE)
    kept = [re.sub(r"[^\w\- ]", "", title.lower()) for title in titles]
    return {title.strip().replace(" ", "-") for title in kept}


@for_each("page", PAGES, ids=named)
def test_links_have_a_target(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        goal = page.parent / path if path else page
        assert goal.exists(), target
        if anchor:
            assert anchor in slugs(goal), target


PUBLIC_PACKAGES = [
    "thatch",
    "thatch.solvers.bounds",
    "thatch.corpus",
    "thatch.scale",
    "thatch.errors",
    "thatch.problem.instances",
    "thatch.integrations.haystack",
    "thatch.integrations.langchain",
    "thatch.integrations.llama_index",
    "thatch.planning",
    "thatch.rouge",
    "thatch.scale",
    "thatch.solvers",
    "thatch.text",
]


@pytest.mark.parametrize("module", PUBLIC_PACKAGES)
def test_every_public_name_is_in_the_reference(module):
    pages = "".join(page.read_text() for page in (DOCS / "reference").glob("*.md"))
    documented = set(re.findall(r"^.. auto\w+:: ([\w.]+)$", pages, flags=re.MULTILINE))
    for name in importlib.import_module(module).__all__:
        assert {f"{module}.{name}", f"thatch.{name}"} & documented, name


@pytest.fixture(scope="module")
def known_options():
    def help_of(*command):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            run([*command, "--help"])
        return printed.getvalue()

    def below(*command):
        text = help_of(*command)
        yield text
        _, _, listed = text.partition("Commands:\n")
        for name in re.findall(r"^  ([\w-]+)", listed, flags=re.MULTILINE):
            yield from below(*command, name)

    return set(re.findall(r"--[a-z][a-z-]+", "".join(below())))


@for_each(
    "page",
    # Those are sentences of other projects.
    [page for page in PAGES if page.name != "fifty-summaries.md"],
    ids=named,
)
def test_every_option_that_a_page_names_exists(page, known_options):
    mentioned = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", page.read_text()))
    assert mentioned <= known_options | FOREIGN_OPTIONS


def test_names_in_the_paper_table_exist():
    page = (DOCS / "paper.md").read_text()
    table = page.partition("| Fig. 2 |")[0]
    for path in re.findall(r"`([\w/]+\.py)`", table):
        package = Path(thatch.__file__).parent
        assert (package / path).exists() or (ROOT / path).exists(), path
