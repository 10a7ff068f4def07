"""Bad input: one line that says what, a hint, exit code 2, and nothing written."""

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
    "a cost that is negative": ("x.json", changed(costs=[1, -1, 2]), "costs must be finite and >= 0, got -1 at item 1"),
    "a cost that is NaN": ("x.json", changed(costs=[1, 1, 2]).replace("[1, 1, 2]", "[1, NaN, 2]"), "numbers must be finite, got NaN"),
    "a cost that is infinite": ("x.json", changed().replace("[1, 1, 2]", "[1, 1e999, 2]"), "costs must be finite and >= 0"),
    "a weight that is negative": ("x.json", changed(weights=[3, 5, 5, -3]), "weights must be finite and >= 0, got -3 at element 3"),
    "a weight that is text": ("x.json", changed(weights=[3, 5, 5, "x"]), "weights must be numbers, got 'x' at element 3"),
    "a budget that is negative": ("x.json", changed(budget=-1), "budget must be finite and >= 0, got -1"),
    "a budget that is text": ("x.json", changed(budget="two"), "budget must be a number, got 'two'"),
    "no budget": ("x.json", json.dumps({k: v for k, v in GOOD.items() if k != "budget"}), "budget must be given"),
    "an element out of range": ("x.json", changed(sets=[[1, 2], [0, 9], [2]]), "got 9 at item 1"),
    "a negative element": ("x.json", changed(sets=[[1, 2], [-1], [2]]), "got -1 at item 1"),
    "a repeated edge": ("x.json", changed(sets=[[1, 1], [0], [2]]), "edges must not repeat"),
    "too few costs": ("x.json", changed(costs=[1, 1]), "costs must be one an item, got 2 for 3 sets"),
    "a set that is a number": ("x.json", changed(sets=[1, 2, 3]), "sets must be lists of element numbers"),
    "a repeated name": ("x.json", changed(item_names=["a", "a", "b"]), "item names must differ, got 'a' twice"),
    "half a character as a name": ("x.json", changed(item_names=["\ud800", "a", "b"]), "item names must be Unicode text"),
    "too few names": ("x.json", changed(item_names=["a"]), "item names must be one an item, got 1 for 3 items"),
    "another program's JSON": ("x.json", '{"name": "left-pad"}', "format must be 'thatch-coverage'"),
    "a version of the future": ("x.json", changed(version=99), "version must be 1, got 99"),
    "JSON cut short": ("x.json", changed()[:40], "the file must be JSON"),
    "a list as JSON": ("x.json", "[1, 2]", "the file must hold one object"),
    "an empty file": ("x.json", "", "got an empty file"),
    "an empty text": ("x.txt", "\n\n", "got an empty file"),
    "sparse text cut short": ("x.txt", SPARSE[:14], "before the file ends"),
    "sparse text with a word": ("x.txt", SPARSE.replace("5 5", "5 five"), "weights must be numbers, got 'five'"),
    "sparse text with item 0": ("x.txt", SPARSE.replace("1 1\n2 2", "0 1\n2 2"), "item numbers must be whole numbers from 1 to 2, got 0"),
    "sparse text with a half": ("x.txt", SPARSE.replace("1 1\n2 2", "1.5 1\n2 2"), "got 1.5"),
    "sparse text with an edge twice": ("x.txt", SPARSE.replace("2 2\n1 1", "1 1\n1 1"), "edges must not repeat"),
    "sparse text with more behind": ("x.txt", SPARSE + "7", "the file must end after the weights"),
    "sparse text with NaN": ("x.txt", SPARSE.replace("5 5", "5 nan"), "weights must be finite and >= 0, got nan"),
    "a header that asks for too much": ("x.txt", "9999999999999 2 2 3\n", "the number of items must be a whole number"),
    "a dense matrix that is ragged": ("x.txt", DENSE.replace("0 1\n", "0\n"), "before the file ends"),
    "a dense matrix with a 2": ("x.txt", DENSE.replace("0 1\n", "0 2\n"), "got 2"),
    "a dense header without size": ("x.txt", "m=2 n=2\n1 1\n", "x.txt"),
    "set cover cut short": ("x.txt", SET_COVER[:-4], "got the end of the file"),
    "set cover with column 7": ("x.txt", SET_COVER.replace("1 2", "1 7"), "from 1 to 2, got 7"),
    "prose": ("x.txt", "Dear reader,\nhello.\n", "the first line must be"),
    "an archive that is none": ("x.npz", "PK but not really", "the file must be an .npz archive"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD_FILES)
def test_bad_files_are_refused(thatch, tmp_path, kind):
    name, text, message = BAD_FILES[kind]
    (tmp_path / name).write_text(text)
    code, out, err = thatch("solve", name, "-o", "answer.txt")
    assert_refused(code, out, err, message)
    assert name in err
    code, out, err = thatch("convert", name, "copy.json")
    assert_refused(code, out, err, message)
    assert [path.name for path in tmp_path.iterdir()] == [name]


BAD_BYTES = {
    "not UTF-8": ("x.txt", b"2 2 2 3\n\xff\xfe", "the file must be UTF-8 text"),
    "binary": ("x.txt", b"\x00\x01\x02", "got binary content"),
    "a wrong magic": (
        "x.npz",
        b"\x93NUMPY\x01\x00",
        "the file must be an .npz archive",
    ),
}


@pytest.mark.parametrize("kind", BAD_BYTES)
def test_bad_bytes_are_refused(thatch, tmp_path, kind):
    name, content, message = BAD_BYTES[kind]
    (tmp_path / name).write_bytes(content)
    assert_refused(*thatch("solve", name), message)


BAD_COMMANDS = {
    "no such file": ("solve nowhere.json", "nowhere.json cannot be read"),
    "a folder": ("solve .", "the instance must be a file, got the folder"),
    "no file": ("solve", "Missing argument"),
    "no such command": ("resolve trap.json", "No such command 'resolve'"),
    "no such option": ("solve trap.json --colour red", "No such option"),
    "unknown solver": ("solve trap.json --solver gready", "solver must be one of auto, bp"),
    "budget as text": ("solve trap.json --budget ten", "it must be a number, got 'ten'"),
    "budget NaN": ("solve trap.json --budget nan", "budget must be finite and >= 0, got nan"),
    "negative budget": ("solve trap.json --budget -3", "budget must be finite and >= 0, got -3.0"),
    "negative time": ("solve trap.json --max-seconds -1", "max_seconds must be >= 0, got -1.0"),
    "negative seed": ("solve trap.json --seed -1", "seed must be a whole number >= 0, got -1"),
    "half a seed": ("solve trap.json --seed 0.5", "it must be a whole number, got '0.5'"),
    "no threads": ("solve trap.json --threads 0", "threads must be a whole number >= 1, got 0"),
    "unknown device": ("solve trap.json --device tpu", "device must be cpu or gpu, got 'tpu'"),
    "unknown device for any solver": ("solve trap.json --device tpu --solver greedy", "device must be cpu or gpu, got 'tpu'"),
    "device in capitals": ("solve trap.json --device GPU", "device must be cpu or gpu, got 'GPU'"),
    "a solver that knows no GPU": ("solve trap.json --device gpu --solver greedy", "--device gpu must come with --solver auto or bp, got --solver greedy"),
    "unknown format": ("solve trap.json --format xml", "--format"),
    "price without bp": ("solve trap.json --price 3", "price must come with solver bp"),
    "price as text": ("solve trap.json --solver bp --price high", "a number or auto, got 'high'"),
    "infinite price": ("solve trap.json --solver bp --price inf", "price must be finite, got inf"),
    "too much damping": ("solve trap.json --solver bp --damping 1", "damping must be >= 0 and < 1"),
    "too much reinforcement": ("solve trap.json --solver bp --reinforcement 1", "reinforcement must be >= 0 and < 1"),
    "the paper without bp": ("solve trap.json --paper", "paper must come with solver bp"),
    "the paper reinforced": ("solve trap.json --solver bp --paper --reinforcement 0.5", "reinforcement must not come with paper"),
    "negative temperature": ("solve trap.json --solver bp --inverse-temperature -2", "inverse_temperature must be > 0, got -2.0"),
    "negative iterations": ("solve trap.json --max-iterations -1", "max_iterations must be >= 0, got -1"),
    "output into nowhere": ("solve trap.json -o no/where.txt", "there is no folder no"),
    "output onto a folder": ("solve trap.json -o .", "the output must be a file"),
    "trace to standard output": ("solve trap.json --trace -", "--trace must name a file, got '-'"),
    "an output name too long for any disk": (f"solve trap.json -o {'x' * 300}", "cannot be written"),
    "an input name too long for any disk": (f"solve {'x' * 5000}", "cannot be read"),
    "trace into nowhere": ("solve trap.json --trace no/where.csv", "there is no folder no"),
    "convert to what": ("convert trap.json trap.xyz", "the extension must be one of"),
    "convert to what cannot hold it": ("convert trap.json trap.scp", "weights"),
    "degrees that do not fit": ("generate biregular --items 3 -o g.json", "must equal elements x element degree, got 27 and 900"),
    "items as text": ("generate biregular --items many -o g.json", "it must be a whole number, got 'many'"),
    "an impossible probability": ("generate erdos-renyi --probability 2 -o g.json", "probability must be between 0 and 1"),
    "an unknown rule": ("generate power-law --costs normal:0:1 -o g.json", "got 'normal:0:1'"),
    "a rule of words": ("generate power-law --costs reals:a:b -o g.json", "got 'reals:a:b'"),
    "a rule upside down": ("generate power-law --weights integers:9:1 -o g.json", "low <= high"),
    "generate to nowhere": ("generate biregular", "Missing option"),
    "one graph": ("reproduce fig2 --graphs 1 --out figures", "graphs must be from 2 to 1000000, got 1"),
    "figures onto a file": ("reproduce fig2 --out trap.json", "the folder trap.json cannot be made"),
    "far too many graphs": ("reproduce fig2 --graphs 99999999999999 --out figures", "graphs must be from 2 to 1000000"),
    "negative threads": ("reproduce fig2 --threads -1 --out figures", "threads must be a whole number >= 1, got -1"),
    "a negative seed of an experiment": ("reproduce fig2 --seed -1 --out figures", "seed must be >= 0, got -1"),
    "output onto the input": ("solve trap.json -o trap.json", "every output must be a file of its own"),
    "trace onto the input": ("solve trap.json --trace trap.json", "every output must be a file of its own"),
    "trace onto the output": ("solve trap.json -o a.txt --trace a.txt", "every output must be a file of its own"),
    "convert onto itself": ("convert trap.json trap.json", "every output must be a file of its own"),
    "figures of nothing": ("reproduce fig3 --out figures", "Missing option '--data'"),
    "figures of no such file": ("reproduce fig3 --data nowhere.jsonl --out figures", "nowhere.jsonl cannot be read"),
    "figures of something else": ("reproduce fig4 --data trap.json --out figures", "documents must be a list"),
    "figures by no threads": ("reproduce fig4 --data trap.json --threads 0 --out figures", "threads must be a whole number >= 1, got 0"),
    "no such figure": ("reproduce fig9 --out figures", "No such command 'fig9'"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD_COMMANDS)
def test_bad_commands_are_refused(thatch, trap, kind):
    command, message = BAD_COMMANDS[kind]
    assert_refused(*thatch(*command.split()), message)
    assert list(trap.parent.iterdir()) == [trap]


@pytest.mark.parametrize("solver", ["auto", "bp"])
def test_a_gpu_that_is_not_there_is_refused(thatch, trap, no_gpu, solver):
    answer = thatch("solve", trap, "--device", "gpu", "--solver", solver, "-o", "a.txt")
    assert_refused(*answer, no_gpu)
    assert list(trap.parent.iterdir()) == [trap]


def assert_refused(code, out, err, message):
    assert code == 2
    assert out == ""
    error, hint = err.splitlines()
    assert error.startswith("error: ")
    assert message in error
    assert hint.startswith("hint: ")
    assert len(hint) > len("hint: ")
