"""Quotations are verbatim: what a sentence's offsets show is the sentence."""

from random import Random

from cases import for_each
from fuzz.documents import VALID
from fuzz.mutations import mutated

from thatch.errors import InputError
from thatch.text.documents.readers import document_of
from thatch.text.passages.passages import Passages

READ = [suffix for suffix in VALID if suffix not in (".csv", ".jsonl", ".sgml")]


def require_verbatim(document):
    """Require that offsets are those of the sentences, in order, inside of blocks."""
    end = 0
    for passage in Passages.of([document], language="en"):
        shown = document.shown(passage.start, passage.end).text
        assert " ".join(shown.split()) == passage.text
        assert end <= passage.start < passage.end <= len(document.text)
        end = passage.end


def require_places(document):
    starts = [place.start for place in document.places]
    assert starts == sorted(starts)
    assert all(0 <= start <= len(document.text) for start in starts)


@for_each("suffix", READ)
@for_each("seed", range(3))
def test_sentences_are_those_of_the_file(suffix, seed):
    document = document_of(VALID[suffix](Random(seed)), f"a{suffix}")
    assert len(Passages.of([document]).all) > 3
    require_verbatim(document)
    require_places(document)


@for_each("suffix", READ)
@for_each("seed", range(4))
def test_sentences_of_damaged_files_are_too(suffix, seed):
    random = Random(f"{suffix}-{seed}")
    content = mutated([VALID[suffix](random)], random)
    try:
        document = document_of(content, f"a{suffix}")
    except InputError as error:
        assert error.hint
        return
    require_verbatim(document)
    require_places(document)
