"""Preselection of files: of large repositories, those that match best are cut."""

import base64
import quopri
import random

import pytest

from thatch.context import pack


def function(k):
    """A function whose words are in no other one."""
    rng = random.Random(k)
    words = ["".join(rng.choices("abcdefghij", k=8)) for _ in range(30)]
    body = "".join(f"    {word} = {rng.random()}\n" for word in words)
    return f"def departure_{k}(pier):\n{body}"


def by_path(packed):
    return {file.path: file for file in packed.files}


@pytest.fixture
def large(tmp_path, monkeypatch):
    """A repository that is too large to cut all of it."""
    monkeypatch.setattr("thatch.context.packing.preselection.MAX_BYTES_TO_CUT", 1000)
    monkeypatch.setattr("thatch.context.packing.preselection._MIN_BYTES", 1000)
    monkeypatch.setattr("thatch.context.packing.preselection._MAX_CODE_BYTES", 1000)
    (tmp_path / "README.md").write_text("# Ferries\n\nThey leave at noon.\n")
    for k in range(40):
        (tmp_path / f"part{k}.py").write_text(function(k))
    (tmp_path / "clock.py").write_text("def readSummerTime(): ...\n")
    return tmp_path


def test_of_a_large_repository_the_files_that_match_are_cut(large):
    packed = pack(large, 40, query="summer times")
    assert [chunk.path for chunk in packed.chunks] == ["clock.py"]
    files = by_path(packed)
    assert len(files) == 42
    assert files["part7.py"].reason == "no match with the query"
    assert not files["part7.py"].is_whole


def test_of_a_large_repository_the_readme_comes_first(large):
    packed = pack(large, 45)
    assert [chunk.path for chunk in packed.chunks] == ["README.md"]
    assert len(packed.files) == 42


def test_named_files_of_a_large_repository_are_cut(large):
    packed = pack([large, large / "part7.py"], 5000, query="summer times")
    assert by_path(packed)["part7.py"].num_chunks > 0


def test_what_matches_nothing_in_a_large_repository_is_explained(large):
    packed = pack(large, 1000, query="xylophone")
    assert (packed.text, len(packed.files)) == ("", 42)
    assert "matches the query" in packed.warnings[0]


@pytest.mark.parametrize(
    ("word", "query"), [("\u00c4PFEL", "\u00e4pfel"), ("ДИРИЖАБЛЬ", "дирижабль")]
)
@pytest.mark.parametrize(
    ("written", "option"),
    [("utf-8", None), ("utf-16", None), ("utf-16-le", "utf-16-le")],
)
def test_files_of_a_large_repository_are_searched_as_they_are_read(
    large, word, query, written, option
):
    (large / "fruit.txt").write_bytes(f"{word} {word}\n".encode(written))
    for path in large.glob("part*.py"):
        path.write_bytes(path.read_text().encode(option or "utf-8"))
    packed = pack(large, 60, query=query, encoding=option)
    assert [chunk.path for chunk in packed.chunks] == ["fruit.txt"]


def test_pages_and_mail_of_a_large_repository_are_searched_by_their_text(large):
    page = "<p>Snow fell on the roof.</p>\n" * 40
    for k in range(20):
        (large / f"page{k}.html").write_text(page)
        (large / f"mail{k}.eml").write_text(f"Subject: {k}\n\n{page}")
    (large / "fruit.html").write_text(f"<p>&Auml;pfel</p>{page}")
    body = quopri.encodestring("Ein Korb \u00c4pfel.\n".encode()).decode()
    mime = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: "
    (large / "fruit.eml").write_text(f"{mime}quoted-printable\n\n{body}")
    encoded = base64.encodebytes(
        "\u00c4pfel, nichts wie \u00c4pfel im Korb.\n".encode() * 2
    )
    (large / "basket.eml").write_text(f"{mime}base64\n\n{encoded.decode()}")
    files = by_path(pack(large, 300, query="\u00e4pfel", focus="all"))
    cut = {path for path, file in files.items() if file.num_chunks}
    assert cut == {"fruit.html", "fruit.eml", "basket.eml"}


def test_compressed_documents_have_a_limit_unless_they_are_named(large, monkeypatch):
    monkeypatch.setattr("thatch.context.packing.preselection._MAX_OPAQUE_BYTES", 3000)
    for k in range(8):
        (large / f"summer{k}.pdf").write_bytes(b"%PDF" + bytes(996))
    named = large / "summer7.pdf"
    packed = pack([large, named], 100, query="summer times", focus="all")
    files = by_path(packed)
    unsearched = {path for path in files if "not searched" in files[path].reason}
    assert unsearched == {f"summer{k}.pdf" for k in range(3, 7)}
    assert [chunk.path for chunk in packed.chunks] == ["clock.py"]
