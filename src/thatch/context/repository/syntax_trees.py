"""Definitions in code, found by the parsers of tree-sitter.

Lines are computed from offsets: points of nodes corrupt memory in tree-sitter 0.26
(https://github.com/tree-sitter/py-tree-sitter/issues/487).
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from importlib import import_module
from itertools import accumulate
from typing import Any

from thatch.context.repository.code_languages import CodeLanguage
from thatch.context.repository.outlines import Definition

# Nodes around definitions that belong to them.
_WRAPPERS = frozenset(
    ("export_statement", "template_declaration", "ambient_declaration")
)
# Nodes that contain definitions but are none.
_TRANSPARENT_NODES = (
    "class_body interface_body enum_body declaration_list body_statement template_body "
    "protocol_body enum_class_body statement_block block expression_statement ERROR "
    "field_declaration_list linkage_specification preproc_ifdef preproc_if "
    "preproc_else enum_body_declarations compound_statement declaration "
    "enum_declaration_list source_file object_body"
)
_TRANSPARENT = frozenset(_TRANSPARENT_NODES.split())
# Values that make a variable a function.
_FUNCTION_VALUES = frozenset(
    ("arrow_function", "function_expression", "generator_function", "class")
)
_VARIABLES = frozenset(("lexical_declaration", "variable_declaration"))
# Of these, only those with a body are definitions; the others name a type.
_WITH_BODY = frozenset(("struct_specifier", "enum_specifier", "union_specifier"))
# Fields that lead to a name, in the order in which they are tried.
_NAME_FIELDS = ("name", "declarator", "type")
_NAMES = ("identifier", "constant", "name", "word")
# Nodes whose first child has the name.
_LISTS = _VARIABLES | {"type_declaration"}
# What is a class although it contains no functions.
_TYPES = ("struct", "enum", "union", "interface", "type_", "annotation_type")
_MAX_DEPTH = 20


def has_parser(language: CodeLanguage) -> bool:
    """Whether the parser of a language is installed."""
    return (
        bool(language.wheel) and _parser(language.wheel, language.grammar) is not None
    )


def parsed_outline(text: str, language: CodeLanguage) -> list[Definition]:
    """Definitions of some code, as `outline` returns them.

    The parser of the language is installed. Code with errors has those definitions that
    it recognizes.
    """
    source = text.encode("utf-8", "surrogatepass")
    tree = _parser(language.wheel, language.grammar).parse(source)
    return _Outline(source, language).definitions(tree.root_node, depth=0)


@lru_cache
def _parser(wheel: str, grammar: str) -> Any:
    """The parser; None if a package is missing or too old for the other."""
    try:
        tree_sitter = import_module("tree_sitter")
        language = tree_sitter.Language(getattr(import_module(wheel), grammar)())
        return tree_sitter.Parser(language)
    except (ImportError, AttributeError, TypeError, ValueError):
        return None


class _Outline:
    def __init__(self, source: bytes, language: CodeLanguage) -> None:
        self._source = source
        lines = source.split(b"\n")
        self._starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
        self._kinds = dict.fromkeys(language.functions.split(), "function")
        self._kinds |= dict.fromkeys(language.classes.split(), "class")

    def definitions(self, node: Any, *, depth: int) -> list[Definition]:
        found: list[Definition] = []
        if depth > _MAX_DEPTH:
            return found
        for child in node.named_children:
            kind = self._kinds.get(child.type)
            if kind and _is_definition(child):
                _append(found, self._definition(child, kind, depth))
            elif child.type in _WRAPPERS:
                inner = self.definitions(child, depth=depth + 1)
                if len(inner) == 1:
                    start, end = self._rows(child)
                    inner[0].start = min(inner[0].start, start)
                    inner[0].end = max(inner[0].end, end)
                for each in inner:
                    _append(found, each)
            elif child.type in _TRANSPARENT:
                for each in self.definitions(child, depth=depth + 1):
                    _append(found, each)
        return found

    def _definition(self, node: Any, kind: str, depth: int) -> Definition:
        start, end = self._rows(node)
        inner = self.definitions(node, depth=depth + 1) if kind == "class" else []
        # The first and the last line of a class are its own.
        children = [each for each in inner if start < each.start and each.end < end]
        if node.type.startswith(_TYPES):
            kind = "class"
        return Definition(start, end, self._name(node), kind, children)

    def _rows(self, node: Any) -> tuple[int, int]:
        """First line, and the one after the last; a final line feed has no line."""
        start, end = node.start_byte, node.end_byte
        first = bisect_right(self._starts, start) - 1
        return first, max(bisect_right(self._starts, max(end - 1, start)), first + 1)

    def _name(self, node: Any) -> str:
        for _ in range(_MAX_DEPTH):
            fields = (node.child_by_field_name(name) for name in _NAME_FIELDS)
            inner = next((child for child in fields if child is not None), None)
            if inner is None and node.type in _LISTS and node.named_child_count:
                inner = node.named_children[0]
            if inner is None:
                break
            node = inner
            if node.type.endswith(_NAMES):
                break
        name = self._source[node.start_byte : node.end_byte]
        return (
            "" if len(name) > 100 or b"\n" in name else name.decode("utf-8", "replace")
        )


def _append(found: list[Definition], definition: Definition) -> None:
    """Add a definition; one that shares lines with the last one is part of that."""
    if found and definition.start < found[-1].end:
        found[-1].end = max(found[-1].end, definition.end)
    else:
        found.append(definition)


def _is_definition(node: Any) -> bool:
    if node.type in _VARIABLES:
        values = (
            child.child_by_field_name("value")
            for child in node.named_children
            if child.type == "variable_declarator"
        )
        return any(
            each is not None and each.type in _FUNCTION_VALUES for each in values
        )
    if node.type in _WITH_BODY:
        return node.child_by_field_name("body") is not None
    return True
