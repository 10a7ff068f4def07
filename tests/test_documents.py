"""What the documents show is what the code does."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from thatch import read_clusters, read_instance, summarize

ROOT = Path(__file__).parents[1]
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]


def blocks(path, language):
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(), flags=re.DOTALL)


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=str)
def test_examples_run(script):
    answer = subprocess.run(
        [sys.executable, "-W", "error", script],
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout


EXAMPLES = [
    pytest.param(code, id=f"{path.name}-{k}")
    for path in DOCUMENTS
    for k, code in enumerate(blocks(path, "python"))
]


@pytest.mark.parametrize("code", EXAMPLES)
def test_python_examples_print_what_they_say(code, capsys):
    exec(code, {})
    expected = [line[2:] for line in code.splitlines() if line.startswith("# ")]
    assert capsys.readouterr().out.splitlines() == expected


def test_the_demo_of_the_readme_is_what_the_demo_prints():
    (transcript,) = blocks(ROOT / "README.md", "console")
    command, *printed = transcript.splitlines()
    assert command.removeprefix("$ thatch ") in (ROOT / "Makefile").read_text()
    text = (ROOT / "examples" / "pep-8016.txt").read_text()
    assert "\n".join(printed) == summarize(text, budget=100).text


def test_the_json_of_the_formats_page_can_be_read(tmp_path):
    (text,) = blocks(ROOT / "docs" / "formats.md", "json")
    json.loads(text)
    (tmp_path / "page.json").write_text(text)
    assert read_instance(tmp_path / "page.json").num_edges == 6


def test_the_json_lines_of_the_formats_page_can_be_read(tmp_path):
    (lines,) = blocks(ROOT / "docs" / "formats.md", "jsonl")
    path = tmp_path / "clusters.jsonl"
    path.write_text(lines)
    (cluster,) = read_clusters(path)
    assert (len(cluster.documents), cluster.references) == (2, ("Rain.",))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document):
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text()):
        assert target.startswith("https://") or (document.parent / target).exists()


def test_names_in_the_paper_table_exist():
    page = (ROOT / "docs" / "paper.md").read_text()
    table = page.partition("| Fig. 2 |")[0]
    for path in re.findall(r"`([\w/]+\.py)`", table):
        assert (ROOT / "src" / "thatch" / path).exists() or (ROOT / path).exists(), path
