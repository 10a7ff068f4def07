import ast
import inspect
import json
import textwrap
import typing

import pytest
from code_sources import SOURCES

from thatch.context.repository.code_languages import CodeLanguage, language_of
from thatch.context.repository.line_blocks import Lines
from thatch.context.repository.outlines import outline
from thatch.context.repository.syntax_trees import has_parser, parsed_outline

PARSED = [name for name in SOURCES if language_of(name).wheel]


def names_in(definitions, prefix=""):
    for each in definitions:
        yield prefix + each.name
        yield from names_in(each.children, f"{prefix}{each.name}.")


def outline_of(text, name):
    return outline(Lines(text), language_of(name))


@pytest.mark.parametrize("name", SOURCES)
def test_definitions_are_found_by_words_and_indentation(name):
    text, expected = SOURCES[name]
    found = set(names_in(outline_of(text, name)))
    assert expected <= found
    assert not {part for part in found if "fake" in part or "not" in part.lower()}


@pytest.mark.parametrize("name", PARSED)
def test_definitions_are_found_by_a_parser(name):
    text, expected = SOURCES[name]
    assert has_parser(language_of(name)), "the extra code is not installed"
    assert expected <= set(names_in(parsed_outline(text, language_of(name))))


def starts_of_python(body):
    """Names and first lines of definitions, as Python itself finds them."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno - 1
            if isinstance(node, ast.ClassDef):
                yield from starts_of_python(node.body)


def starts(definitions):
    for each in definitions:
        yield each.name, each.start
        yield from starts(each.children)


@pytest.mark.parametrize(
    "module",
    [ast, inspect, json.decoder, textwrap, typing],
    ids=lambda module: module.__name__,
)
def test_definitions_of_python_are_those_that_python_finds(module):
    text = inspect.getsource(module)
    expected = list(starts_of_python(ast.parse(text).body))
    assert list(starts(outline_of(text, "module.py"))) == expected


def test_a_definition_ends_where_the_indentation_does():
    (roof, build) = outline_of(SOURCES["roof.py"][0], "roof.py")
    lines = SOURCES["roof.py"][0].splitlines()
    assert lines[roof.end - 1].strip() == "def deep(self): pass"
    assert build.end == len(lines)


def test_a_closing_bracket_belongs_to_its_definition():
    (function,) = outline_of("function a() {\n  b();\n}\n\nc();\n", "a.js")
    assert function.end == 3


def test_text_with_a_mark_of_comments_hides_nothing():
    text = 'const all = "src/**/*.js";\n\nfunction a() {}\n'
    assert list(names_in(outline_of(text, "a.js"))) == ["a"]


def test_quotes_in_comments_and_escaped_ones_hide_nothing():
    text = "# it is '''\nx = '\\''\ny = \"'''\"\ndef a(): pass\n"
    assert list(names_in(outline_of(text, "a.py"))) == ["a"]


def test_a_text_that_never_ends_hides_the_rest():
    assert not outline_of('x = """\ndef a(): pass\n', "a.py")


def test_a_parser_finds_what_is_around_errors():
    text = "function a() {}\n\nclass {{{ ((\n\nfunction b() {}\n"
    found = set(names_in(parsed_outline(text, language_of("a.js"))))
    assert "a" in found


@pytest.mark.parametrize("wheel", ["no_such_grammar", "json"])
def test_a_grammar_that_is_not_installed_or_none_is_no_parser(wheel):
    assert not has_parser(CodeLanguage(".x", wheel))


def test_types_without_a_body_are_no_definitions():
    text = "struct roof r;\nstruct roof *f(void);\nunion u { int a; };\n"
    assert list(names_in(parsed_outline(text, language_of("a.c")))) == ["u"]
