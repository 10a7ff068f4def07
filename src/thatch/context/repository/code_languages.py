"""Programming languages: their suffixes, their grammars, and what a definition is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from thatch.context.repository.file_kinds import suffix_of

# Words before the keyword of a definition.
_MODIFIERS = (
    r"(?:(?:pub(?:\([^)]*\))?|export|default|declare|async|static|public|private|"
    r"protected|internal|fileprivate|abstract|final|sealed|data|open|override|inline|"
    r"partial|unsafe|const|extern|case|implicit|suspend|inner|mutating|readonly|actual|"
    r"expect|operator|infix|tailrec|indirect|value|annotation|companion|typedef|enum|"
    r"local|virtual)[ \t]+)*"
)
_FUNCTION_WORDS = r"def|fn|func|fun|function|macro_rules!"
_CLASS_WORDS = (
    r"class|struct|interface|trait|impl(?:<[^>]*>)?|module|mod|namespace|object|union|"
    r"extension|protocol|enum|record|type"
)
_NAME = r"[\w$.:?!~-]*[\w$?!~]"
# Definitions by their first words: in most languages, a keyword and a name.
_BY_KEYWORD = re.compile(
    rf"{_MODIFIERS}(?:(?P<function>{_FUNCTION_WORDS})\*?|(?P<class>{_CLASS_WORDS}))"
    rf"[ \t]+(?:\([^)]*\)[ \t]*)?(?:[\w:<>, ]+ for )?(?P<name>{_NAME})"
)
_OF_PYTHON = re.compile(
    r"(?:(?:async[ \t]+)?(?P<function>def)|(?P<class>class))[ \t]+(?P<name>\w+)"
)
_OF_SHELL = re.compile(
    r"(?P<function>function[ \t]+)?(?P<name>[\w:-]+)[ \t]*\(\)|\Z(?P<class>)"
)
_OF_VARIABLE = re.compile(
    r"(?:export[ \t]+)?(?:const|let|var)[ \t]+(?P<name>[\w$]+)[^=]*=[ \t]*"
    r"(?P<function>(?:async\b[ \t]*)?(?:function\b|\(.*=>|\([^)]*$|[\w$]+[ \t]*=>))"
    r"|\Z(?P<class>)"
)
# Functions without a keyword: types, a name and parameters, but no call.
_BY_PARAMETERS = re.compile(
    r"(?!(?:if|for|foreach|while|switch|return|else|catch|do|new|throw|case|using|try|"
    r"import|typedef|lock|await|yield|delete|sizeof|assert|super|this|function|when|"
    r"#|//|\*)\b)(?:[\w$<>\[\],.*&:?@~]+[ \t]+)*[*&]*"
    r"(?P<name>[\w$:~#]+)[ \t]*(?P<function>\((?!.*;[ \t]*\Z))|\Z(?P<class>)"
)


@dataclass(frozen=True, slots=True)
class CodeLanguage:
    """How definitions look in a language."""

    #: Suffixes of its files.
    suffixes: str
    #: Module with its grammar, if definitions are easier to find by a parser.
    wheel: str = ""
    #: Function of that module that returns the grammar.
    grammar: str = "language"
    #: Nodes of the grammar that are functions.
    functions: str = ""
    #: Nodes that are classes and the like, which contain functions.
    classes: str = ""
    #: First letters of all definitions, if they are known: to look no further.
    first_words: tuple[str, ...] = ("",)
    #: What definitions start with, outside of classes and everywhere.
    by_words: tuple[re.Pattern[str], ...] = (_BY_KEYWORD,)
    #: What else definitions in classes start with.
    in_classes: tuple[re.Pattern[str], ...] = ()
    #: What lines start with that belong to the definition below them.
    comments: tuple[str, ...] = ("//", "/*", "*", "@")
    #: What starts a comment or text of several lines, and what ends it.
    hidden: tuple[tuple[str, str], ...] = (("/*", "*/"),)
    #: Words that end or continue a definition at its own indentation.
    ends: tuple[str, ...] = ()

    @property
    def line_comment(self) -> str:
        """What starts a comment that ends with its line."""
        return self.comments[0]


_BLOCKS_BY_END = ("end", "rescue", "ensure", "else", "elsif")
_LANGUAGES = (
    CodeLanguage(
        ".py .pyi .pyw .pyx",
        first_words=("def", "class", "async"),
        by_words=(_OF_PYTHON,),
        comments=("#", "@"),
        hidden=(('"""', '"""'), ("'''", "'''")),
    ),
    CodeLanguage(
        ".js .jsx .mjs .cjs",
        "tree_sitter_javascript",
        functions="function_declaration generator_function_declaration "
        "method_definition lexical_declaration variable_declaration",
        classes="class_declaration",
        by_words=(_BY_KEYWORD, _OF_VARIABLE),
        in_classes=(_BY_PARAMETERS,),
    ),
    CodeLanguage(
        ".ts .mts .cts",
        "tree_sitter_typescript",
        "language_typescript",
        functions="function_declaration generator_function_declaration "
        "method_definition lexical_declaration variable_declaration "
        "interface_declaration type_alias_declaration enum_declaration",
        classes="class_declaration abstract_class_declaration internal_module module",
        by_words=(_BY_KEYWORD, _OF_VARIABLE),
        in_classes=(_BY_PARAMETERS,),
    ),
    CodeLanguage(
        ".tsx",
        "tree_sitter_typescript",
        "language_tsx",
        functions="function_declaration method_definition lexical_declaration "
        "interface_declaration type_alias_declaration enum_declaration",
        classes="class_declaration abstract_class_declaration internal_module module",
        by_words=(_BY_KEYWORD, _OF_VARIABLE),
        in_classes=(_BY_PARAMETERS,),
    ),
    CodeLanguage(
        ".java",
        "tree_sitter_java",
        functions="method_declaration constructor_declaration enum_declaration "
        "compact_constructor_declaration annotation_type_declaration",
        classes="class_declaration interface_declaration record_declaration",
        in_classes=(_BY_PARAMETERS,),
    ),
    CodeLanguage(
        ".go",
        "tree_sitter_go",
        functions="function_declaration method_declaration type_declaration",
        hidden=(("/*", "*/"), ("`", "`")),
    ),
    CodeLanguage(
        ".rs",
        "tree_sitter_rust",
        functions="function_item struct_item enum_item union_item macro_definition",
        classes="impl_item trait_item mod_item",
        comments=("//", "/*", "*", "#["),
    ),
    CodeLanguage(
        ".c .h",
        "tree_sitter_c",
        functions="function_definition struct_specifier enum_specifier "
        "union_specifier type_definition",
        by_words=(_BY_KEYWORD, _BY_PARAMETERS),
    ),
    CodeLanguage(
        ".cc .cpp .cxx .hpp .hh .hxx .cu .cuh .ino",
        "tree_sitter_cpp",
        functions="function_definition struct_specifier enum_specifier "
        "union_specifier type_definition",
        classes="class_specifier namespace_definition",
        by_words=(_BY_KEYWORD, _BY_PARAMETERS),
        in_classes=(_BY_PARAMETERS,),
        comments=("//", "/*", "*", "template"),
    ),
    CodeLanguage(
        ".cs",
        "tree_sitter_c_sharp",
        functions="method_declaration constructor_declaration property_declaration "
        "enum_declaration delegate_declaration operator_declaration",
        classes="class_declaration interface_declaration struct_declaration "
        "record_declaration namespace_declaration",
        in_classes=(_BY_PARAMETERS,),
        comments=("//", "/*", "*", "["),
    ),
    CodeLanguage(
        ".rb .rake .gemspec",
        "tree_sitter_ruby",
        functions="method singleton_method",
        classes="class module singleton_class",
        comments=("#",),
        hidden=(("=begin", "=end"),),
        ends=_BLOCKS_BY_END,
    ),
    CodeLanguage(
        ".php",
        "tree_sitter_php",
        "language_php",
        functions="function_definition method_declaration",
        classes="class_declaration interface_declaration trait_declaration "
        "enum_declaration namespace_definition",
        comments=("//", "/*", "*", "#"),
    ),
    CodeLanguage(
        ".sh .bash .zsh .ksh",
        "tree_sitter_bash",
        functions="function_definition",
        by_words=(_OF_SHELL, _BY_KEYWORD),
        comments=("#",),
        hidden=(),
    ),
    CodeLanguage(
        ".kt .kts",
        "tree_sitter_kotlin",
        functions="function_declaration secondary_constructor",
        classes="class_declaration object_declaration companion_object",
    ),
    CodeLanguage(
        ".swift",
        "tree_sitter_swift",
        functions="function_declaration init_declaration deinit_declaration "
        "protocol_function_declaration",
        classes="class_declaration protocol_declaration",
    ),
    CodeLanguage(
        ".scala .sc",
        "tree_sitter_scala",
        functions="function_definition function_declaration",
        classes="class_definition object_definition trait_definition enum_definition",
    ),
    # Without a grammar here, but with definitions that start with a keyword.
    CodeLanguage(".lua", comments=("--",), hidden=(("--[[", "]]"),), ends=("end",)),
    CodeLanguage(".ex .exs .jl .r", comments=("#", "@"), hidden=(), ends=("end",)),
    CodeLanguage(
        ".dart .groovy .gradle .zig .nim .v .d .m .mm .vue .svelte .css .scss"
    ),
)
_BY_SUFFIX = {
    suffix: language for language in _LANGUAGES for suffix in language.suffixes.split()
}


def language_of(path: str) -> CodeLanguage | None:
    """Language of a file, by its suffix; None if the suffix is not known.

    >>> language_of("notes.md") is None
    True
    """
    return _BY_SUFFIX.get(suffix_of(path.rpartition("/")[2]))
