import csv
import json

import pytest

# The contract of `cover --format json`.
FIELDS = [
    *("items", "cost", "lower_bound", "gap", "value", "target", "coverable"),
    *("total", "status", "seconds", "seed"),
]


@pytest.fixture
def stops(tmp_path):
    """Three items and four elements; the file has no budget."""
    problem = {
        "format": "thatch-coverage",
        "version": 1,
        "sets": [[0, 1], [1, 2], [2, 3]],
        "costs": [1, 1, 2],
        "item_names": ["north", "east", "south"],
    }
    (tmp_path / "stops.json").write_text(json.dumps(problem))
    return "stops.json"


def test_cover_prints_one_json_object_with_the_agreed_fields(thatch, stops):
    code, out, err = thatch("cover", stops, "--format", "json", "--seed", "7")
    answer = json.loads(out)
    assert (code, err) == (0, "")
    assert list(answer) == FIELDS
    assert answer["items"] == ["north", "south"]
    assert (answer["cost"], answer["lower_bound"], answer["gap"]) == (3.0, 3.0, 0.0)
    assert (answer["status"], answer["seed"]) == ("optimal", 7)


def test_cover_prints_a_table(thatch, stops):
    code, out, _ = thatch("cover", stops, "--share", "0.75")
    assert code == 0
    assert "cost     2 of at least 2 (proved cheapest)" in out
    assert "value    3 of 4 (75.00%); the target is 3" in out
    assert "No selection that reaches the target costs less." in out
    assert out.splitlines()[-2:] == [
        "north     1             1",
        "east      1             1",
    ]


def test_a_weight_is_a_target(thatch, stops):
    _, out, _ = thatch("cover", stops, "--weight", "2", "--format", "json")
    assert json.loads(out)["cost"] == 1


def test_costs_can_be_set_to_one(thatch, stops):
    _, out, _ = thatch("cover", stops, "--unit-costs", "--format", "json")
    assert json.loads(out)["cost"] == 2


def test_output_and_trace_are_written(thatch, stops, tmp_path):
    code, out, _ = thatch("cover", stops, "-o", "a.txt", "--trace", "t.csv")
    assert (code, out) == (0, "")
    assert "items    2 of 3" in (tmp_path / "a.txt").read_text()
    rows = list(csv.DictReader((tmp_path / "t.csv").read_text().splitlines()))
    assert float(rows[-1]["upper_bound"]) == 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--share", "1.5"), ["share", "1.5"]),
        (("--share", "nan"), ["share", "nan"]),
        (("--weight", "9"), ["9", "4"]),
        (("--share", "0.5", "--weight", "2"), ["share", "weight"]),
        (("--trace", "-"), ["--trace"]),
    ],
)
def test_targets_that_make_no_sense_are_refused(thatch, stops, options, words):
    code, out, err = thatch("cover", stops, *options)
    assert (code, out) == (2, "")
    assert "hint: " in err
    for word in words:
        assert word in err.splitlines()[0]
