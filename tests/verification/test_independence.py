"""The checker shares no code with what it checks."""

import ast
import sys
from pathlib import Path

import thatch.verification

FOLDER = Path(thatch.verification.__file__).parent


def test_it_imports_only_numpy_and_the_standard_library():
    imported = set()
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {each.name for each in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(str(node.module))
    others = {
        name
        for name in imported
        if not name.startswith("thatch.verification.")
        and name.split(".")[0] not in sys.stdlib_module_names | {"numpy"}
    }
    assert others == set()
