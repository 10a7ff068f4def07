import json

import pytest
from corpus_texts import text_of


@pytest.fixture
def corpus(tmp_path):
    """A file of 1,200 texts, which are three chunks."""
    path = tmp_path / "texts.jsonl"
    rows = [{"id": f"t{k}", "text": text_of(k)} for k in range(1200)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
