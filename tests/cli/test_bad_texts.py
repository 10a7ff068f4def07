"""Bad input to ``summarize``: one line that says what, a hint, and nothing written."""

import pytest

TEXT = "Snow fell on the town all day. Nobody left the house. The mail came late.\n"

BAD_COMMANDS = {
    "unknown unit": ("x.txt --unit pages", "unit must be one of words, characters, sentences, tokens, got 'pages'"),
    "unknown passages": ("x.txt --by chapter", "by must be one of sentence, paragraph, file, got 'chapter'"),
    "unknown concepts": ("x.txt --concepts vibes", "concepts must be one of salience, tf-idf, tf-idf-content, bigrams, got 'vibes'"),
    "unknown solver": ("x.txt --solver magic", "solver must be one of auto, bp"),
    "unknown format": ("x.txt --format xml", "--format"),
    "unknown tokenizer": ("x.txt --unit tokens --tokenizer clever", "that tiktoken knows, got 'clever'"),
    "unknown encoding": ("x.txt --encoding klingon", "encoding must name an encoding of text, got 'klingon'"),
    "unknown language": ("x.txt --language english", "language must be a code such as en, got 'english'"),
    "a tokenizer for words": ("x.txt --tokenizer cl100k_base", "tokenizer must come with unit tokens, got unit words"),
    "a background for bigrams": ("x.txt --concepts bigrams --background x.txt", "background must come with concepts tf-idf, got bigrams"),
    "a background that is not there": ("x.txt --concepts tf-idf --background nowhere", "nowhere cannot be read"),
    "no such file": ("nowhere.txt", "nowhere.txt cannot be read"),
    "not UTF-8": ("latin.txt", "the file must be UTF-8 text, got the byte 0xfc at offset 2"),
    "another encoding than said": ("latin.txt --encoding ascii", "the file must be ASCII text"),
    "binary": ("binary.bin", "the file must be text, got a NUL byte at offset 1"),
    "an empty folder": ("empty", "a folder must hold a document"),
    "a negative budget": ("x.txt --budget -1", "budget must be finite and >= 0, got -1"),
    "a budget that is NaN": ("x.txt --budget nan", "budget must be finite and >= 0, got nan"),
    "an infinite budget": ("x.txt --budget inf", "budget must be finite and >= 0, got inf"),
    "a budget of letters": ("x.txt --budget abc", "it must be a number, got 'abc'"),
    "a curve of letters": ("x.txt --curve 1,x", "--curve must be numbers with commas between them, got '1,x'"),
    "a curve below zero": ("x.txt --curve 1,-2", "budget must be finite and >= 0, got -2"),
    "negative time": ("x.txt --max-seconds -1", "max_seconds must be >= 0, got -1.0"),
    "negative seed": ("x.txt --seed -1", "seed must be a whole number >= 0, got -1"),
    "lengths upside down": ("x.txt --min-words 9 --max-words 3", "max_words must be >= min_words, got 3 and 9"),
    "half a word": ("x.txt --min-words 0.5", "it must be a whole number, got '0.5'"),
    "a requirement that nothing meets": ("x.txt --require zebra", "got 'zebra'"),
    "a requirement that is excluded": ("x.txt --require mail --exclude late", "got 'mail': excluded: late"),
    "a requirement that is too short": ("x.txt --require mail --min-words 6", "got 'mail': fewer than 6 words"),
    "a requirement that does not fit": ("x.txt --require snow --budget 4", "must fit in 4 words"),
    "a query of other words": ("x.txt --query zebra", "query must share a word with the text, got 'zebra'"),
    "a query of no words": ("x.txt --query ?!", "query must hold a word, got '?!'"),
    "output onto the input": ("x.txt -o x.txt", "every output must be a file of its own"),
    "output onto the second input": ("latin.txt x.txt -o x.txt", "every output must be a file of its own"),
    "output onto a file of the folder": ("full -o full/a.txt", "every output must be a file of its own"),
    "output into nowhere": ("x.txt -o no/where.txt", "there is no folder no"),
    "output onto a folder": ("x.txt -o empty", "the output must be a file"),
}  # fmt: skip


@pytest.fixture
def texts(tmp_path):
    (tmp_path / "x.txt").write_text(TEXT)
    (tmp_path / "latin.txt").write_bytes(b"Gr\xfcn")
    (tmp_path / "binary.bin").write_bytes(b"\x7f\x00\x01")
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a.txt").write_text(TEXT)
    return tmp_path


@pytest.mark.parametrize("kind", BAD_COMMANDS)
def test_bad_commands_are_refused(thatch, texts, kind):
    arguments, message = BAD_COMMANDS[kind]
    before = contents(texts)
    code, out, err = thatch("summarize", *arguments.split())
    assert (code, out) == (2, "")
    error, hint = err.splitlines()
    assert error.startswith("error: ")
    assert message in error
    assert hint.removeprefix("hint: ").strip() not in ("", hint)
    assert contents(texts) == before


def contents(folder):
    return {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
