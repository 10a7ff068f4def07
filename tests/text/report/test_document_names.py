import pytest
from hypothesis import given
from hypothesis import strategies as st

from thatch.text.report.document_names import is_file_name, short_names


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["/home/ann/report-1.pdf"], ["report-1.pdf"]),
        (["a/notes.txt", "b/notes.txt"], ["a/notes.txt", "b/notes.txt"]),
        (
            ["/x/a/n.txt", "/y/a/n.txt", "/x/b/n.txt"],
            ["x/a/n.txt", "y/a/n.txt", "b/n.txt"],
        ),
        (["/n.txt", "/tmp/n.txt"], ["n.txt", "tmp/n.txt"]),
        (["/tmp/n.txt", "/tmp/n.txt"], ["n.txt", "n.txt"]),
        (["../a/n.txt", "./m.txt", "~/k.txt"], ["n.txt", "m.txt", "k.txt"]),
        ([r"C:\Users\Ann\n.docx", "file:///home/m.txt"], ["n.docx", "m.txt"]),
        (["/home/ann/reports"], ["reports"]),
    ],
)
def test_paths_end_where_they_differ(names, expected):
    assert short_names(names) == expected


@pytest.mark.parametrize(
    "name",
    [
        "April 11, launch",
        "Profit/loss",
        "Profit / loss, version 1.5",
        "https://example.org/a/page.html",
        "notes.txt",
        "Who? What? 9/11",
    ],
)
def test_titles_stay(name):
    assert short_names([name]) == [name]


def test_what_has_no_name_is_numbered():
    assert short_names(["", "a.txt", "", "-"]) == [
        "Document 1",
        "a.txt",
        "Document 3",
        "Standard input",
    ]


folders = st.lists(st.sampled_from("abc"), max_size=3)


@given(st.lists(folders.map(lambda f: "/".join(["", *f, "n.txt"])), min_size=1))
def test_names_are_distinct_ends_of_distinct_paths(paths):
    found = dict(zip(paths, short_names(paths), strict=True))
    assert len({*found.values()}) == len({*paths})
    for path, name in found.items():
        assert path.endswith(f"/{name}")
        # Without its first folder it would be the end of another path.
        shorter = name.partition("/")[2]
        assert not shorter or sum(p.endswith(f"/{shorter}") for p in found) > 1


@pytest.mark.parametrize(
    ("name", "is_file"),
    [("a.txt", True), ("-", True), ("Dr. Who", False), ("", False), ("a b.md", True)],
)
def test_files_have_suffixes(name, is_file):
    assert is_file_name(name) is is_file
