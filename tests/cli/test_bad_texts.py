"""Bad input to ``summarize``: an error that names field and value, a hint, no output."""

import pytest

TEXT = "Snow fell on the town all day. Nobody left the house. The mail came late.\n"

BAD_COMMANDS = {
    "unknown unit": ("x.txt --unit pages", ["unit", "'pages'", "characters"]),
    "unknown passages": ("x.txt --by chapter", ["by", "'chapter'", "paragraph"]),
    "unknown concepts": ("x.txt --concepts vibes", ["concepts", "'vibes'", "salience"]),
    "unknown solver": ("x.txt --solver magic", ["solver", "'magic'", "auto"]),
    "unknown format": ("x.txt --format xml", ["--format", "xml"]),
    "unknown tokenizer": ("x.txt --unit tokens --tokenizer clever", ["tiktoken", "'clever'"]),
    "unknown encoding": ("x.txt --encoding klingon", ["encoding", "'klingon'"]),
    "unknown language": ("x.txt --language klingon", ["language", "'klingon'"]),
    "unknown language code": ("x.txt --language qq", ["language", "'qq'"]),
    "an effort of another solver": ("x.txt --effort fast --solver bp", ["effort", "bp"]),
    "an unknown effort": ("x.txt --effort heroic", ["effort", "'heroic'"]),
    "a curve with a budget": ("x.txt --curve 1,2 --budget 100", ["--curve", "--budget"]),
    "a tokenizer for words": ("x.txt --tokenizer cl100k_base", ["tokenizer", "tokens", "words"]),
    "a background for bigrams": ("x.txt --concepts bigrams --background x.txt", ["background", "tf-idf", "bigrams"]),
    "a background that is not there": ("x.txt --concepts tf-idf --background nowhere", ["nowhere"]),
    "no such file": ("nowhere.txt", ["nowhere.txt"]),
    "not UTF-8": ("latin.txt", ["UTF-8", "0xfc", "2"]),
    "another encoding than said": ("latin.txt --encoding ascii", ["ASCII"]),
    "binary": ("binary.bin", ["NUL", "1"]),
    "an empty folder": ("empty", ["empty"]),
    "a negative budget": ("x.txt --budget -1", ["budget", "-1"]),
    "a budget that is NaN": ("x.txt --budget nan", ["budget", "nan"]),
    "an infinite budget": ("x.txt --budget inf", ["budget", "inf"]),
    "a budget of letters": ("x.txt --budget abc", ["--budget", "'abc'"]),
    "a curve of letters": ("x.txt --curve 1,x", ["--curve", "'1,x'"]),
    "a curve below zero": ("x.txt --curve 1,-2", ["budget", "-2"]),
    "negative time": ("x.txt --max-seconds -1", ["max_seconds", "-1"]),
    "negative seed": ("x.txt --seed -1", ["seed", "-1"]),
    "lengths upside down": ("x.txt --min-words 9 --max-words 3", ["max_words", "min_words", "3", "9"]),
    "half a word": ("x.txt --min-words 0.5", ["--min-words", "'0.5'"]),
    "a requirement that nothing meets": ("x.txt --require zebra", ["'zebra'"]),
    "a requirement that is excluded": ("x.txt --require mail --exclude late", ["'mail'", "late"]),
    "a requirement that is too short": ("x.txt --require mail --min-words 6", ["'mail'", "6 words"]),
    "a requirement that does not fit": ("x.txt --require snow --budget 4", ["4 words"]),
    "a query of other words": ("x.txt --query zebra", ["query", "'zebra'"]),
    "a query of no words": ("x.txt --query ?!", ["query", "'?!'"]),
    "output onto the input": ("x.txt -o x.txt", ["x.txt"]),
    "output onto the second input": ("latin.txt x.txt -o x.txt", ["x.txt"]),
    "output onto a file of the folder": ("full -o full/a.txt", ["full/a.txt"]),
    "output into nowhere": ("x.txt -o no/where.txt", ["folder no"]),
    "output onto a folder": ("x.txt -o empty", ["empty", "folder"]),
    "a curve explained": ("x.txt --curve 1,2 --explain", ["--curve", "--explain"]),
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
    arguments, words = BAD_COMMANDS[kind]
    before = contents(texts)
    code, out, err = thatch("summarize", *arguments.split())
    assert (code, out) == (2, "")
    error, hint = err.splitlines()
    assert error.startswith("error: ")
    assert all(word in error for word in words)
    assert hint.removeprefix("hint: ").strip() not in ("", hint)
    assert contents(texts) == before


def contents(folder):
    return {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        ("raise KeyError('title')", "KeyError"),
        ("raise BaseException('panic')", "panic"),
        ("return read(content, path, encoding=encoding)", "RecursionError"),
        ("raise MemoryError", "memory"),
    ],
)
def test_a_file_whose_reader_fails_is_skipped_with_the_reason(
    thatch, texts, install_reader, failure, reason
):
    code = f"def read(content, path, *, encoding):\n    {failure}"
    install_reader("a_reader", code, ".shout")
    folder = texts / "full"
    (folder / "b.shout").write_text("Snow fell.")
    code, out, err = thatch("summarize", folder)
    assert code == 0
    assert TEXT.strip() in out
    (line,) = err.splitlines()
    assert line.startswith(f"skipped {folder / 'b.shout'}")
    assert reason in line
