"""Bad input: an error that names field and value, a hint, exit code 2, no output."""

import json

import pytest

GOOD = {
    "format": "thatch-coverage",
    "version": 1,
    "budget": 2,
    "costs": [1, 1, 2],
    "weights": [3, 5, 5, 3],
    "sets": [[1, 2], [0, 1], [2, 3]],
}


def changed(**fields):
    return json.dumps(GOOD | fields)


SPARSE = "2 2 2 3\n1 1\n2 2\n1 1\n5 5\n"
DENSE = (
    "m=2 n=2 knapsack size=3\n\nThe weight of 2 items_next\n1 1\n\n"
    "The profit of 2 elements_next\n5 5\n\nRelation matix\n1 0\n0 1\n"
)
SET_COVER = "2 2\n1 1\n1 1\n1 2\n"

BAD_FILES = {
    "a cost that is negative": ("x.json", changed(costs=[1, -1, 2]), ["costs", "-1"]),
    "a cost that is NaN": ("x.json", changed(costs=[1, 1, 2]).replace("[1, 1, 2]", "[1, NaN, 2]"), ["NaN"]),
    "a cost that is infinite": ("x.json", changed().replace("[1, 1, 2]", "[1, 1e999, 2]"), ["costs", "Inf"]),
    "a weight that is negative": ("x.json", changed(weights=[3, 5, 5, -3]), ["weights", "-3"]),
    "a weight that is text": ("x.json", changed(weights=[3, 5, 5, "x"]), ["weights", "'x'"]),
    "a budget that is negative": ("x.json", changed(budget=-1), ["budget", "-1"]),
    "a budget that is text": ("x.json", changed(budget="two"), ["budget", "'two'"]),
    "no budget": ("x.json", json.dumps({k: v for k, v in GOOD.items() if k != "budget"}), ["budget"]),
    "an element out of range": ("x.json", changed(sets=[[1, 2], [0, 9], [2]]), ["9", "1"]),
    "a negative element": ("x.json", changed(sets=[[1, 2], [-1], [2]]), ["-1", "1"]),
    "a repeated edge": ("x.json", changed(sets=[[1, 1], [0], [2]]), ["edge"]),
    "too few costs": ("x.json", changed(costs=[1, 1]), ["costs", "2", "3"]),
    "a set that is a number": ("x.json", changed(sets=[1, 2, 3]), ["sets"]),
    "a repeated name": ("x.json", changed(item_names=["a", "a", "b"]), ["item", "'a'"]),
    "half a character as a name": ("x.json", changed(item_names=["\ud800", "a", "b"]), ["item"]),
    "too few names": ("x.json", changed(item_names=["a"]), ["item", "1", "3"]),
    "another program's JSON": ("x.json", '{"name": "left-pad"}', ["format", "thatch-coverage"]),
    "a version of the future": ("x.json", changed(version=99), ["version", "99"]),
    "JSON cut short": ("x.json", changed()[:40], ["JSON"]),
    "a list as JSON": ("x.json", "[1, 2]", ["object"]),
    "an empty file": ("x.json", "", ["empty"]),
    "an empty text": ("x.txt", "\n\n", ["empty"]),
    "sparse text cut short": ("x.txt", SPARSE[:14], ["x.txt"]),
    "sparse text with a word": ("x.txt", SPARSE.replace("5 5", "5 five"), ["weights", "'five'"]),
    "sparse text with item 0": ("x.txt", SPARSE.replace("1 1\n2 2", "0 1\n2 2"), ["item", "0"]),
    "sparse text with a half": ("x.txt", SPARSE.replace("1 1\n2 2", "1.5 1\n2 2"), ["1.5"]),
    "sparse text with an edge twice": ("x.txt", SPARSE.replace("2 2\n1 1", "1 1\n1 1"), ["edge"]),
    "sparse text with more behind": ("x.txt", SPARSE + "7", ["weights"]),
    "sparse text with NaN": ("x.txt", SPARSE.replace("5 5", "5 nan"), ["weights", "nan"]),
    "a header with a number that is too large": ("x.txt", "9999999999999 2 2 3\n", ["items", "9999999999999"]),
    "a dense matrix that is ragged": ("x.txt", DENSE.replace("0 1\n", "0\n"), ["x.txt"]),
    "a dense matrix with a 2": ("x.txt", DENSE.replace("0 1\n", "0 2\n"), ["2"]),
    "a dense header without size": ("x.txt", "m=2 n=2\n1 1\n", ["x.txt"]),
    "set cover cut short": ("x.txt", SET_COVER[:-4], ["x.txt"]),
    "set cover with column 7": ("x.txt", SET_COVER.replace("1 2", "1 7"), ["7"]),
    "prose": ("x.txt", "Dear reader,\nhello.\n", ["line"]),
    "an archive that is none": ("x.npz", "PK but not really", [".npz"]),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD_FILES)
def test_bad_files_are_refused(thatch, tmp_path, kind):
    name, text, words = BAD_FILES[kind]
    (tmp_path / name).write_text(text)
    code, out, err = thatch("solve", name, "-o", "answer.txt")
    assert_refused(code, out, err, words)
    assert name in err
    code, out, err = thatch("convert", name, "copy.json")
    assert_refused(code, out, err, words)
    assert [path.name for path in tmp_path.iterdir()] == [name]


BAD_BYTES = {
    "not UTF-8": ("x.txt", b"2 2 2 3\n\xff\xfe", ["UTF-8"]),
    "binary": ("x.txt", b"\x00\x01\x02", ["binary"]),
    "a wrong magic": ("x.npz", b"\x93NUMPY\x01\x00", [".npz"]),
}


@pytest.mark.parametrize("kind", BAD_BYTES)
def test_bad_bytes_are_refused(thatch, tmp_path, kind):
    name, content, words = BAD_BYTES[kind]
    (tmp_path / name).write_bytes(content)
    assert_refused(*thatch("solve", name), words)


BAD_COMMANDS = {
    "no such file": ("solve nowhere.json", ["nowhere.json"]),
    "a folder": ("solve .", ["folder"]),
    "no file": ("solve", ["argument"]),
    "no such command": ("resolve trap.json", ["'resolve'"]),
    "no such option": ("solve trap.json --color red", ["--color"]),
    "unknown solver": ("solve trap.json --solver gready", ["solver", "'gready'"]),
    "budget as text": ("solve trap.json --budget ten", ["--budget", "'ten'"]),
    "budget NaN": ("solve trap.json --budget nan", ["budget", "nan"]),
    "negative budget": ("solve trap.json --budget -3", ["budget", "-3"]),
    "negative time": ("solve trap.json --max-seconds -1", ["max_seconds", "-1"]),
    "negative seed": ("solve trap.json --seed -1", ["seed", "-1"]),
    "half a seed": ("solve trap.json --seed 0.5", ["--seed", "'0.5'"]),
    "no threads": ("solve trap.json --threads 0", ["threads", "0"]),
    "unknown device": ("solve trap.json --device tpu", ["device", "'tpu'"]),
    "unknown device for any solver": ("solve trap.json --device tpu --solver greedy", ["device", "'tpu'"]),
    "device in capitals": ("solve trap.json --device GPU", ["device", "'GPU'"]),
    "a solver that knows no GPU": ("solve trap.json --device gpu --solver greedy", ["--device", "greedy"]),
    "unknown format": ("solve trap.json --format xml", ["--format", "xml"]),
    "unknown effort": ("solve trap.json --effort heroic", ["effort", "'heroic'"]),
    "effort without auto": ("solve trap.json --solver bp --effort fast", ["effort", "bp"]),
    "price without bp": ("solve trap.json --price 3", ["price", "auto"]),
    "price as text": ("solve trap.json --solver bp --price high", ["price", "'high'"]),
    "infinite price": ("solve trap.json --solver bp --price inf", ["price", "inf"]),
    "too much damping": ("solve trap.json --solver bp --damping 1", ["damping", "1"]),
    "too much reinforcement": ("solve trap.json --solver bp --reinforcement 1", ["reinforcement", "1"]),
    "the paper without bp": ("solve trap.json --paper", ["paper", "auto"]),
    "the paper reinforced": ("solve trap.json --solver bp --paper --reinforcement 0.5", ["reinforcement", "paper"]),
    "negative temperature": ("solve trap.json --solver bp --inverse-temperature -2", ["inverse_temperature", "-2"]),
    "negative iterations": ("solve trap.json --max-iterations -1", ["max_iterations", "-1"]),
    "output into nowhere": ("solve trap.json -o no/where.txt", ["folder no"]),
    "output onto a folder": ("solve trap.json -o .", ["folder"]),
    "trace to standard output": ("solve trap.json --trace -", ["--trace", "'-'"]),
    "an output name too long for any disk": (f"solve trap.json -o {'x' * 300}", ["xxx"]),
    "an input name too long for any disk": (f"solve {'x' * 5000}", ["xxx"]),
    "trace into nowhere": ("solve trap.json --trace no/where.csv", ["folder no"]),
    "convert to what": ("convert trap.json trap.xyz", [".xyz"]),
    "convert to a format without weights": ("convert trap.json trap.scp", ["weights"]),
    "degrees that do not fit": ("generate biregular --items 3 -o g.json", ["27", "900"]),
    "items as text": ("generate biregular --items many -o g.json", ["--items", "'many'"]),
    "an impossible probability": ("generate erdos-renyi --probability 2 -o g.json", ["probability", "2"]),
    "an unknown rule": ("generate power-law --costs normal:0:1 -o g.json", ["--costs", "'normal:0:1'"]),
    "a rule of words": ("generate power-law --costs reals:a:b -o g.json", ["--costs", "'reals:a:b'"]),
    "a rule upside down": ("generate power-law --weights integers:9:1 -o g.json", ["--weights", "low", "high", "9"]),
    "no workers": ("serve --workers 0", ["--workers", "0"]),
    "a port out of range": ("serve --port 65536", ["port", "65536"]),
    "generate to nowhere": ("generate biregular", ["option"]),
    "one graph": ("reproduce fig2 --graphs 1 --out figures", ["graphs", "1"]),
    "figures onto a file": ("reproduce fig2 --out trap.json", ["trap.json"]),
    "far too many graphs": ("reproduce fig2 --graphs 99999999999999 --out figures", ["graphs", "99999999999999"]),
    "negative threads": ("reproduce fig2 --threads -1 --out figures", ["threads", "-1"]),
    "a negative seed of an experiment": ("reproduce fig2 --seed -1 --out figures", ["seed", "-1"]),
    "output onto the input": ("solve trap.json -o trap.json", ["trap.json"]),
    "trace onto the input": ("solve trap.json --trace trap.json", ["trap.json"]),
    "trace onto the output": ("solve trap.json -o a.txt --trace a.txt", ["a.txt"]),
    "convert onto itself": ("convert trap.json trap.json", ["trap.json"]),
    "figures of nothing": ("reproduce fig3 --out figures", ["--data"]),
    "figures of no such file": ("reproduce fig3 --data nowhere.jsonl --out figures", ["nowhere.jsonl"]),
    "figures of something else": ("reproduce fig4 --data trap.json --out figures", ["documents"]),
    "figures by no threads": ("reproduce fig4 --data trap.json --threads 0 --out figures", ["threads", "0"]),
    "no such figure": ("reproduce fig9 --out figures", ["'fig9'"]),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD_COMMANDS)
def test_bad_commands_are_refused(thatch, trap, kind):
    command, words = BAD_COMMANDS[kind]
    code, out, err = thatch(*command.split())
    assert_refused(code, out, err, words)
    assert "Value error" not in err
    assert list(trap.parent.iterdir()) == [trap]


@pytest.mark.parametrize("solver", ["auto", "bp"])
def test_a_gpu_that_is_not_there_is_refused(thatch, trap, no_gpu, solver):
    answer = thatch("solve", trap, "--device", "gpu", "--solver", solver, "-o", "a.txt")
    assert_refused(*answer, ["device", "gpu"])
    assert list(trap.parent.iterdir()) == [trap]


def assert_refused(code, out, err, words):
    """Bad input: the error names the field and the value, and a hint follows."""
    assert code == 2
    assert out == ""
    error, hint = err.splitlines()
    assert error.startswith("error: ")
    for word in words:
        assert word in error
    assert len(hint) > len("hint: ") and hint.startswith("hint: ")
