import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from systems import posix

from thatch.context.repository.file_search import MAX_BYTES, MAX_NAMED_BYTES, find_files
from thatch.errors import InputError, InputTypeError

with_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def write(folder, files):
    """Write files by their paths; a list is the lines of a file."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(content) if isinstance(content, list) else content)


def names(folders, **options):
    return [file.shown for file in find_files(folders, **options).files]


def reasons(folder, **options):
    return {each.path: each.reason for each in find_files([folder], **options).skipped}


def git(folder, *arguments):
    """Output of git, without the settings of the user."""
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    empty = {"XDG_CONFIG_HOME": str(folder / ".git"), "HOME": str(folder / ".git")}
    answer = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | settings | empty,
    )
    return answer.stdout


def listed_by_git(folder):
    options = ["--cached", "--others", "--exclude-standard", "-z"]
    return sorted(set(git(folder, "ls-files", *options).split("\0")) - {""})


TREE = {
    "a.log": "x",
    "a.txt": "x",
    "b/a.log": "x",
    "b/a.txt": "x",
    "b/c/a.txt": "x",
    "b/c/d/a.log": "x",
    "c/a.txt": "x",
    "c/b/keep.log": "x",
    "c/b/x y.txt": "x",
    "#odd": "x",
    "!odd": "x",
    ".hidden/a.txt": "x",
    "foo/foo/a.txt": "x",
    "[x]/a.txt": "x",
}
PATTERNS = [
    ["*.log"],
    ["*.log", "!keep.log"],
    ["b/"],
    ["b"],
    ["/b"],
    ["/b/"],
    ["b/*", "!b/c"],
    ["b/**"],
    ["b/**", "!b/c/"],
    ["b/**", "!b/a.txt"],
    ["b/**/"],
    ["/b/**", "!b/**/", "!*.log"],
    ["*", "!*/", "!*.txt"],
    ["*", "!a.txt"],
    ["*", "!b/"],
    ["/*", "!/b"],
    ["*/"],
    ["**/"],
    ["**/c"],
    ["**/c/**"],
    ["b/**/a.txt"],
    ["**"],
    ["c/b"],
    ["c/b/", "!c/b/keep.log"],
    ["c/b/*", "!c/b/keep.log"],
    ["# comment", "", "\\#odd"],
    ["\\!odd"],
    ["a.txt   "],
    ["x\\ y.txt"],
    ["?.log"],
    ["[ab].log", "[!c].txt"],
    ["\\[x\\]"],
    ["foo"],
    ["foo/", "!foo/foo/"],
    ["!", "/", "//", "b//c"],
    [".*", "!.gitignore"],
    ["a.txt\r", "*.log\r"],
    ["[z-a].txt", "[", "*.log"],
    ["[[x].txt", "[a-]*", "*.lo[g&&h]"],
    ["*a*t*t", "*.*o*"],
    ["b[!a]c", "[!b]*.t*t"],
    ["b/**/c*/**/a*.*o*"],
    ["**/b/**/*a*t*"],
]


@with_git
@pytest.mark.parametrize("patterns", PATTERNS, ids=str)
def test_what_git_ignores_is_not_found(tmp_path, patterns):
    write(tmp_path, TREE | {".gitignore": patterns})
    git(tmp_path, "init", "-q")
    assert names([tmp_path]) == listed_by_git(tmp_path)


SEGMENTS = st.sampled_from(["a", "b", "c", "*", "**", "a*", "?", "*.log", "a.txt"])


@st.composite
def lines(draw):
    parts = draw(st.lists(SEGMENTS, min_size=1, max_size=3))
    start, end = draw(st.sampled_from(["", "/"])), draw(st.sampled_from(["", "/"]))
    negation = draw(st.sampled_from(["", "", "!"]))
    return negation + start + "/".join(parts) + end


@with_git
@given(
    st.fixed_dictionaries(
        {
            name: st.lists(lines(), max_size=4)
            for name in (".gitignore", "b/.gitignore", "b/c/.gitignore")
        }
    ),
    st.lists(lines(), max_size=2),
)
def test_nested_files_of_patterns_mean_what_they_mean_to_git(files, excluded):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        write(folder, TREE | files)
        git(folder, "init", "-q")
        write(folder, {".git/info/exclude": excluded})
        expected = listed_by_git(folder)
        assert names([folder]) == expected
        below = [path.removeprefix("b/") for path in expected if path.startswith("b/")]
        is_ignored = not below
        assert is_ignored or names([folder / "b"]) == below


def test_patterns_apply_without_a_repository(tmp_path):
    write(
        tmp_path, {".gitignore": "*.log", "a.log": "x", "b/.gitignore": "c", "b/c": ""}
    )
    assert names([tmp_path]) == [".gitignore", "b/.gitignore"]


def test_patterns_of_folders_above_apply_up_to_the_repository(tmp_path):
    write(tmp_path, {".gitignore": "*.txt", "r/.gitignore": "*.log", "r/.git/HEAD": ""})
    write(tmp_path, {"r/s/a.log": "x", "r/s/a.txt": "x"})
    assert names([tmp_path / "r" / "s"]) == ["a.txt"]


def test_a_named_file_is_found_even_if_it_is_ignored(tmp_path):
    write(tmp_path, {".gitignore": "*", "a.log": "x", "yarn.lock": "x"})
    found = find_files([tmp_path / "a.log", tmp_path, tmp_path / "yarn.lock"])
    assert [file.shown for file in found.files] == ["a.log", "yarn.lock"]
    assert all(file.is_named for file in found.files)
    assert not found.skipped


def test_paths_are_relative_to_the_common_folder(tmp_path):
    write(tmp_path, {"src/a.py": "x", "tests/b/c.py": "x"})
    assert names([tmp_path / "src"]) == ["a.py"]
    assert names([tmp_path / "src" / "a.py"]) == ["a.py"]
    both = [tmp_path / "tests", str(tmp_path / "src")]
    assert names(both) == ["src/a.py", "tests/b/c.py"]
    assert names([tmp_path, *both]) == ["src/a.py", "tests/b/c.py"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"include": ["*.py"]}, ["a.py", "src/a.py", "src/b/c.py"]),
        ({"include": ["src/**"]}, ["src/a.py", "src/b/c.js", "src/b/c.py"]),
        ({"include": ["src/"], "exclude": ["*.js"]}, ["src/a.py", "src/b/c.py"]),
        ({"include": ["*.py", "!b/"]}, ["a.py", "src/a.py"]),
        ({"exclude": ["src"]}, ["a.py", "d.md"]),
        ({"exclude": ["/a.py", "b/"]}, ["d.md", "src/a.py"]),
    ],
    ids=str,
)
def test_patterns_choose_files(tmp_path, options, expected):
    tree = ["a.py", "d.md", "src/a.py", "src/b/c.py", "src/b/c.js"]
    write(tmp_path, dict.fromkeys(tree, "x"))
    assert names([tmp_path], **options) == expected


def test_generated_files_are_skipped_unless_a_pattern_names_them(tmp_path):
    tree = ["a.js", "a.min.js", "package-lock.json", "poetry.lock", "api_pb2.py"]
    write(tmp_path, dict.fromkeys(tree, "x"))
    assert names([tmp_path]) == ["a.js"]
    assert reasons(tmp_path) == dict.fromkeys(tree[1:], "generated")
    assert names([tmp_path], include=["*.js", "*.json"]) == ["a.js"]
    assert names([tmp_path], include=["*.min.js"]) == ["a.min.js"]
    assert names([tmp_path], include=["*.lock"]) == ["poetry.lock"]


def test_files_with_secrets_are_skipped_unless_a_pattern_names_them(tmp_path):
    write(tmp_path, dict.fromkeys([".env", ".env.example", "id_rsa", "a.pem"], "x"))
    assert names([tmp_path]) == [".env.example"]
    assert set(reasons(tmp_path)) == {".env", "id_rsa", "a.pem"}
    assert names([tmp_path], include=["*.pem", ".env"]) == [".env", "a.pem"]


@pytest.mark.parametrize(
    "name",
    [
        *("prod.env", ".envrc", ".npmrc", ".pypirc", ".git-credentials", ".dockercfg"),
        *("credentials", "credentials.json", "service-account-prod.json"),
        *("secrets.yaml", "secrets.yml", "secrets.json", "secrets.toml"),
        *("prod.tfvars", "terraform.tfstate", "terraform.tfstate.backup", "kubeconfig"),
    ],
)
def test_files_that_usually_contain_secrets_are_read_only_if_named(tmp_path, name):
    write(tmp_path, {name: "x"})
    assert reasons(tmp_path) == {name: "may contain secrets"}
    assert names([tmp_path / name]) == [name]


@pytest.mark.parametrize(
    "name", ["credentials.py", "secrets.py", "example.env", "environment.py", "env.py"]
)
def test_code_about_secrets_is_found(tmp_path, name):
    write(tmp_path, {name: "x"})
    assert names([tmp_path]) == [name]


def test_binary_and_large_files_are_skipped_by_name_and_size(tmp_path):
    write(tmp_path, {"logo.png": "x", "big.txt": "x" * (MAX_BYTES + 1), "a.txt": "x"})
    assert names([tmp_path]) == ["a.txt"]
    found = reasons(tmp_path)
    assert found["logo.png"] == "binary"
    assert "1.0 MiB" in found["big.txt"]
    assert names([tmp_path / "big.txt"]) == ["big.txt"]


def test_a_named_file_has_a_limit_as_well(tmp_path):
    with (tmp_path / "huge.txt").open("wb") as file:
        file.truncate(MAX_NAMED_BYTES + 1)
    found = find_files([tmp_path / "huge.txt"])
    assert not found.files
    assert "too large" in found.skipped[0].reason


def test_packages_and_caches_are_skipped_and_listed(tmp_path):
    tree = [
        "node_modules/a.js",
        "env/pyvenv.cfg",
        "a/__pycache__/b.py",
        ".hg/c",
        "d.py",
    ]
    write(tmp_path, dict.fromkeys(tree, "x"))
    assert names([tmp_path]) == ["d.py"]
    assert set(reasons(tmp_path)) == {"node_modules/", "env/", "a/__pycache__/", ".hg/"}
    assert names([tmp_path / "node_modules"]) == ["a.js"]


def test_a_repository_in_another_one_is_skipped(tmp_path):
    write(
        tmp_path, {"one/.git/HEAD": "", "one/two/.git": "gitdir: x", "one/two/a": "x"}
    )
    write(tmp_path, {"one/.gitignore": "*.log", "one/a.log": "x", "one/a.py": "x"})
    assert names([tmp_path]) == ["one/.gitignore", "one/a.py"]
    assert reasons(tmp_path) == {"one/two/": "of another repository"}


@posix
def test_links_are_not_followed(tmp_path):
    write(tmp_path, {"a/b.py": "x", "c.py": "x"})
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "d.py").symlink_to(tmp_path / "c.py")
    (tmp_path / "lost").symlink_to(tmp_path / "nowhere")
    assert names([tmp_path]) == ["a/b.py", "c.py"]
    assert reasons(tmp_path) == dict.fromkeys(["a/loop", "d.py", "lost"], "linked")
    assert names([tmp_path / "a" / "loop"]) == ["a/b.py", "c.py"]


@posix
def test_a_pipe_in_a_folder_is_not_found(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert find_files([tmp_path]).files == ()
    assert reasons(tmp_path) == {"pipe": "a pipe, a socket or a device"}
    with refused(InputError, tmp_path / "pipe"):
        find_files([tmp_path / "pipe"])


@posix
@pytest.mark.parametrize("kind", ["pipe", "link"])
def test_patterns_are_read_from_regular_files_only(tmp_path, kind):
    write(tmp_path, {"a.py": "x"})
    if kind == "pipe":
        os.mkfifo(tmp_path / ".gitignore")
    else:
        (tmp_path / ".gitignore").symlink_to("/dev/zero")
    assert names([tmp_path]) == ["a.py"]


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root")
def test_a_folder_that_cannot_be_read_is_listed(tmp_path):
    write(tmp_path, {"a/b.py": "x", "c.py": "x"})
    (tmp_path / "a").chmod(0)
    try:
        assert names([tmp_path]) == ["c.py"]
        assert "unreadable" in reasons(tmp_path)["a/"]
    finally:
        (tmp_path / "a").chmod(0o755)


def test_a_path_that_does_not_exist_is_refused(tmp_path):
    with refused(InputError, tmp_path / "nowhere"):
        find_files([tmp_path / "nowhere"])


@pytest.mark.parametrize("option", ["include", "exclude"])
@pytest.mark.parametrize("pattern", ["", "  ", "# x", "/"])
def test_a_pattern_that_matches_nothing_is_refused(tmp_path, option, pattern):
    with refused(InputError, option, repr(pattern)):
        find_files([tmp_path], **{option: [pattern]})


def test_a_string_in_place_of_a_list_is_refused(tmp_path):
    with refused(InputTypeError, "paths"):
        find_files(str(tmp_path))
    with refused(InputTypeError, "include", "*.py"):
        find_files([tmp_path], include="*.py")


def test_no_paths_find_nothing():
    assert find_files([]).files == ()
