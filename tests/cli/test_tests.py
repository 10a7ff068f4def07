import json

import pytest
from coverage import CoverageData

# The contract of `tests report --format json`.
FIELDS = [
    *("selected", "num_tests", "seconds", "total_seconds", "lines", "covered_lines"),
    *("share", "bound", "gap", "lost", "notes"),
]
COVERS = {
    "tests/test_a.py::test_most[é b]": range(1, 10),
    "tests/test_a.py::test_some": range(6, 11),
    "tests/test_a.py::test_one": [11],
}
SECONDS = dict(zip(COVERS, [2.0, 1.0, 4.0], strict=True))


@pytest.fixture
def recorded(tmp_path):
    """Coverage of three tests, and their durations."""
    data = CoverageData(str(tmp_path / ".coverage"))
    for node_id, lines in COVERS.items():
        data.set_context(f"{node_id}|run")
        data.add_lines({str(tmp_path / "src" / "a.py"): lines})
    data.close()
    (tmp_path / "durations.json").write_text(json.dumps(SECONDS))
    return "--durations", "durations.json"


def test_a_report_is_a_table(thatch, recorded):
    code, out, err = thatch("tests", "report", "--share", "0.9", *recorded)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "tests    2 of 3",
        "time     3 s of 7 s",
        "bound    no selection that keeps 90% takes less than 3 s (gap 0.00%)",
        "lines    10 of 11 (90.91%)",
        "",
        "file      lost  covered",
        "src/a.py     1       11",
    ]


def test_a_report_is_one_json_object_with_the_agreed_fields(thatch, recorded):
    options = "--share", "0.9", "--format", "json", *recorded
    code, out, err = thatch("tests", "report", ".coverage", *options)
    answer = json.loads(out)
    assert (code, err) == (0, "")
    assert list(answer) == FIELDS
    assert answer["selected"] == list(COVERS)[:2]
    assert (answer["seconds"], answer["bound"], answer["gap"]) == (3.0, 3.0, 0.0)
    lost = {"file": "src/a.py", "lost": 1, "covered": 11, "lines": [11]}
    assert answer["lost"] == [lost]


def test_everything_is_kept_by_default(thatch, recorded):
    _, out, _ = thatch("tests", "report", *recorded)
    assert "tests    3 of 3" in out


def test_a_time_is_a_goal(thatch, recorded):
    _, out, _ = thatch("tests", "report", "--seconds", "2", "--lost", *recorded)
    assert "lines    9 of 11 (81.82%); no selection within 2 s covers more" in out
    assert out.splitlines()[-1].endswith("10-11")


def test_node_ids_are_written_for_pytest(thatch, recorded, tmp_path):
    code, out, _ = thatch("tests", "report", "--share", "0.9", "-o", "t", *recorded)
    assert (code, "tests    2 of 3" in out) == (0, True)
    written = (tmp_path / "t").read_text(encoding="utf-8")
    assert written.splitlines() == list(COVERS)[:2]


def test_durations_of_the_plugin_are_found(thatch, recorded, tmp_path):
    _, out, _ = thatch("tests", "report")
    assert "no durations are known" in out
    cache = tmp_path / ".pytest_cache" / "v" / "thatch"
    cache.mkdir(parents=True)
    (cache / "durations").write_text(json.dumps(SECONDS))
    _, out, _ = thatch("tests", "report")
    assert "time     7 s of 7 s" in out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["nowhere"], ["nowhere"]),
        (["durations.json"], ["durations.json"]),
        (["--share", "2"], ["share", "2.0"]),
        (["--share", "0.5", "--seconds", "2"], ["share", "seconds"]),
        (["--seconds", "2"], ["2", "duration"]),
        (["--durations", "nowhere"], ["nowhere"]),
        (["-o", ".coverage"], [".coverage"]),
    ],
    ids=lambda given: " ".join(given),
)
def test_what_cannot_be_reported_is_refused(thatch, recorded, options, words):
    code, out, err = thatch("tests", "report", *options)
    assert (code, out) == (2, "")
    assert "hint: " in err
    for word in words:
        assert word in err.splitlines()[0]
