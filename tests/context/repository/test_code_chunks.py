import pytest
from cases import for_each
from code_sources import SOURCES
from hypothesis import given, settings
from hypothesis import strategies as st

from thatch.context.repository.code_chunks import MAX_DEFINITION_CHARACTERS, cut
from thatch.context.repository.line_blocks import MAX_CHARACTERS, TARGET_CHARACTERS

NAMES = [*SOURCES, "a.md", "a.rst", "a.adoc", "a.tex", "a.txt", "a.json", "a.unknown"]
FRAGMENTS = st.sampled_from(
    [
        *("", " ", "    ", "\t", "\r", "\f", "}", "{", "(", ")", "end", ":", ";", '"'),
        *("def a():", "class A:", "    def b(self):", "        return 1", "@x", "# c"),
        *("function f() {", "class B {", "  m() {", "  }", "/* x", "*/", "// c", "`"),
        *('"""', "'''", "'", "struct s {", "int g(int a)", "impl X {", "    fn y() {}"),
        *("# Title", "Title", "=====", "-----", "```", "== A", "\\section{A}", "---"),
        *("x = 1" * 90, "y" * 5000, "    z = 2", "é漢😀", "\u2028", "\x0c def q(): x"),
    ]
)


def check_partition(text, name, chunks):
    """Each line that is not blank is in one chunk, in order, with its number."""
    lines = text.split("\n")
    covered = []
    for chunk in chunks:
        part = lines[chunk.start_line - 1 : chunk.end_line]
        assert chunk.text == "\n".join(part).removesuffix("\r")
        assert part[0].strip()
        assert part[-1].strip()
        is_definition = chunk.kind in ("function", "class")
        limit = MAX_DEFINITION_CHARACTERS if is_definition else MAX_CHARACTERS
        assert len(chunk.text) <= limit or len(part) == 1
        assert chunk.path == name
        covered += range(chunk.start_line - 1, chunk.end_line)
    assert covered == sorted(set(covered))
    assert all(not lines[k].strip() for k in set(range(len(lines))) - set(covered))


@for_each("parse", [True, False])
@for_each("num_copies", [1, 30])
@for_each("name", SOURCES)
def test_chunks_divide_a_file(name, num_copies, parse):
    text = (SOURCES[name][0] + "\n") * num_copies
    chunks = cut(text, name, parse=parse)
    check_partition(text, name, chunks)
    assert len(chunks) == 1 or num_copies > 1


@pytest.mark.parametrize("parse", [True, False])
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25)
@given(parts=st.lists(FRAGMENTS, max_size=60), repeats=st.integers(1, 5))
def test_chunks_divide_any_text(name, parse, parts, repeats):
    text = "\n".join(parts * repeats)
    check_partition(text, name, cut(text, name, parse=parse))


@pytest.mark.parametrize("name", SOURCES)
def test_code_that_is_cut_off_is_still_divided(name):
    text = SOURCES[name][0]
    for length in range(0, len(text), 17):
        check_partition(text[:length], name, cut(text[:length], name))


@for_each("name", NAMES)
@for_each("text", ["", "\n", " \r\n\t\n"])
def test_an_empty_file_has_no_chunks(name, text):
    assert cut(text, name) == []


@pytest.mark.parametrize("name", SOURCES)
def test_lines_may_end_with_a_carriage_return(name):
    text = SOURCES[name][0]
    chunks = cut(text.replace("\n", "\r\n"), name)
    assert [chunk.name for chunk in chunks] == [chunk.name for chunk in cut(text, name)]
    check_partition(text.replace("\n", "\r\n"), name, chunks)


def test_one_huge_line_is_one_chunk():
    (before, huge, after) = cut(f"a = 1\nb = '{'x' * 9000}'\nc = 1\n", "a.py")
    assert (huge.start_line, huge.end_line) == (2, 2)
    assert (before.text, after.text) == ("a = 1", "c = 1")


@pytest.mark.parametrize("name", ["a.py", "a.js", "a.rs"])
@pytest.mark.parametrize("parse", [True, False])
def test_deep_nesting_is_no_error(name, parse):
    words = {"a.py": "class A:", "a.js": "class A {", "a.rs": "mod a {"}
    text = "\n".join(" " * k + words[name] for k in range(400))
    check_partition(text, name, cut(text, name, parse=parse))
    brackets = "(" * 5000 + "\n" + "{" * 5000
    check_partition(brackets, name, cut(brackets, name, parse=parse))


def function(name, num_lines, indent=""):
    body = [f"{indent}    value_{k} = {k} + other_value_{k}" for k in range(num_lines)]
    return "\n".join([f"{indent}def {name}():", *body])


def test_small_neighbors_are_one_chunk():
    text = "import os\n\nLIMIT = 1\n\n" + "\n\n".join(function(x, 2) for x in "abc")
    (chunk,) = cut(text, "a.py")
    assert (chunk.name, chunk.kind) == ("a, b, c", "code")


def test_functions_of_some_size_are_chunks():
    text = "\n\n\n".join(function(name, 45) for name in "abc")
    chunks = cut(text, "a.py")
    assert [(c.name, c.kind) for c in chunks] == [(n, "function") for n in "abc"]


def test_a_large_function_is_divided_at_blank_lines():
    paragraphs = [function("a", 20)] + [
        "\n".join(f"    total_{k} += {k} * factor" for k in range(30)) for _ in range(9)
    ]
    chunks = cut("\n\n".join(paragraphs), "a.py")
    assert {chunk.name for chunk in chunks} == {"a"}
    lines = "\n\n".join(paragraphs).split("\n")
    assert len(chunks) > 2
    for chunk in chunks[1:]:
        assert not lines[chunk.start_line - 2].strip()


def test_a_small_class_is_whole():
    text = f"class A:\n    x = 1\n\n{function('m', 3, '    ')}\n"
    (chunk,) = cut(text, "a.py")
    assert (chunk.name, chunk.kind) == ("A", "class")


def test_a_large_class_is_cut_into_header_and_methods():
    methods = "\n\n".join(function(name, 54, "    ") for name in ("m", "n"))
    text = f"class A:\n    '''Doc.'''\n\n    x = 1\n\n{methods}\n\n\nlast = 1\n"
    header, *rest = cut(text, "a.py")
    assert (header.name, header.kind) == ("A", "class")
    assert "Doc" in header.text
    assert "x = 1" in header.text
    assert [chunk.name for chunk in rest] == ["A.m", "A.n", ""]


def test_small_methods_of_a_large_class_are_chunks_of_their_own():
    methods = "\n\n".join(function(f"m{k}", 8, "    ") for k in range(9))
    header, *others = cut(f"class A:\n    x = 1\n\n{methods}\n", "a.py")
    assert (header.name, header.kind, header.end_line) == ("A", "class", 2)
    assert [chunk.name for chunk in others] == [f"A.m{k}" for k in range(9)]


@pytest.mark.parametrize("num_lines", [120, 180])
def test_a_long_function_is_one_chunk(num_lines):
    body = function("long", num_lines)
    assert 4_000 < len(body) < 8_000
    chunks = cut(f"import os\n\n\n{body}\n\n\n{function('last', 4)}", "a.py")
    assert [chunk.name for chunk in chunks] == ["", "long", "last"]
    assert chunks[1].text == body.strip()


def test_what_follows_a_large_class_is_not_merged_with_it():
    methods = "\n\n".join(function(f"m{k}", 12, "    ") for k in range(9))
    chunks = cut(f"class A:\n{methods}\n\n\ndef b():\n    pass\n", "a.py")
    assert chunks[-1].name == "b"


@pytest.mark.parametrize(
    ("name", "comment", "start"),
    [
        ("a.py", "# One.\n@dec", "def last():\n    "),
        ("a.py", '@app.route(\n    "/p1",\n)\n@dec', "def last():\n    "),
        ("a.rs", "#[derive(\n    Debug,\n)]", "fn last() {\n    "),
        ("a.js", "/**\n * One.\n   two\n */", "function last() {\n  "),
        ("a.rs", "/// One.\n#[inline]", "fn last() {\n    "),
        ("a.c", "/* One. */\nstatic int", "last(void)\n{\n    "),
        ("a.cs", "// One.", "class last {\n    "),
    ],
)
@pytest.mark.parametrize("parse", [True, False])
def test_comments_and_decorators_belong_to_what_is_below(name, comment, start, parse):
    body = "\n".join(f"    some_value_{k} = {k};" for k in range(50))
    text = "other = 1;\n" * 30 + f"\n{comment}\n{start}{body}\n"
    if name != "a.py":
        text += "}\n"
    chunk = cut(text, name, parse=parse)[-1]
    assert chunk.text.startswith(comment)
    assert chunk.name == "last"


def test_prose_is_cut_at_headings():
    long = "Snow fell on the roof. " * 40
    text = f"# Roofs\n\n{long}\n\n## Reed\n\n{long}\n\n```\n# no heading\n```\n\n"
    text += f"## Straw\n\n{long}\n\n{long}\n\n{long}\n"
    chunks = cut(text, "guide.md")
    assert chunks[0].name == "Roofs"
    assert chunks[-1].name == "Roofs > Straw"
    assert all(len(chunk.text) <= TARGET_CHARACTERS for chunk in chunks)
    assert {chunk.kind for chunk in chunks} == {"text"}


def test_data_is_cut_at_lines():
    chunks = cut("\n".join(f"{k},{k * k}" for k in range(500)), "table.csv")
    assert {chunk.kind for chunk in chunks} == {"data"}
    assert all(chunk.end_line - chunk.start_line < 60 for chunk in chunks)


@pytest.mark.parametrize("parse", [False, True])
def test_a_chunk_tells_what_it_is_in(parse):
    methods = [function(f"evict_{k}", 40, "    ") for k in range(3)]
    text = "import os\n\n\n@cached\nclass Beta(Base):\n" + "\n".join(methods)
    chunks = cut(text, "a.py", parse=parse)
    header = (5, "class Beta(Base):")
    inside = [chunk for chunk in chunks if chunk.start_line > 5]
    assert len(inside) >= 2
    assert all(chunk.enclosing == (header,) for chunk in inside)
    assert not any(chunk.enclosing for chunk in chunks if chunk.start_line <= 5)


def test_the_rest_of_a_large_function_tells_its_first_line():
    text = "def big(a):\n" + "    value = compute(a, a)\n\n" * 300
    first, *others = cut(text, "a.py")
    assert first.enclosing == ()
    assert {chunk.enclosing for chunk in others} == {((1, "def big(a):"),)}


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [("a.md", "# Roofs\n\n## Reed\n\n", 1), ("a.rst", "=====\nRoofs\n=====\n\n", 2)],
)
def test_a_part_of_a_section_tells_its_headings(name, text, line):
    chunks = cut(text + "Reed grows in shallow water.\n\n" * 300, name)
    titles = [(line, text.splitlines()[line - 1])]
    titles += [(3, "## Reed")] if name == "a.md" else []
    assert chunks[0].enclosing == ()
    assert chunks[-1].enclosing == tuple(titles)
