import json

import pytest
from refusals import refused

from thatch.errors import FileFormatError, InputError
from thatch.suites.durations import (
    CACHE_KEY,
    cached_durations,
    duration_of,
    read_durations,
)

XML = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" tests="3" time="1.2">
<testcase classname="tests.test_a" name="test_b[1.5-é]" time="0.25" />
<testcase classname="tests.test_a.TestC" name="test_d" time="1,000.5" />
<testcase classname="tests.test_a.TestC" name="test_d" time="0.5"><error/></testcase>
<testcase classname="" name="test_skipped" />
</testsuite></testsuites>
"""


def test_durations_of_junit_xml_belong_to_node_ids(tmp_path):
    (tmp_path / "junit.xml").write_text(XML, encoding="utf-8")
    durations = read_durations(tmp_path / "junit.xml")
    assert duration_of("tests/test_a.py::test_b[1.5-é]", durations) == 0.25
    assert duration_of("tests/test_a.py::TestC::test_d", durations) == 1001.0
    assert duration_of("tests/test_a.py::test_new", durations) is None


def test_durations_of_json_belong_to_node_ids(tmp_path):
    (tmp_path / ".test_durations").write_text('{"tests/test_a.py::test_b": 2}')
    durations = read_durations(tmp_path / ".test_durations")
    assert duration_of("tests/test_a.py::test_b", durations) == 2.0


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        ("", "JSON"),
        ("[1]", "object"),
        ('{"t.py::a": -1}', "t.py::a"),
        ('{"t.py::a": NaN}', "nan"),
        ('{"t.py::a": 1e300}', "1e+300"),
        ('{"t.py::a": true}', "True"),
        ('{"t.py::a": "soon"}', "soon"),
        ("<testsuites>", "XML"),
        ("<testsuites/>", "no tests"),
        ('<testcase name="a" time="inf"/>', "inf"),
        ('<!DOCTYPE x [<!ENTITY a "aaaa">]><x>&a;</x>', "document type"),
        ("[" * 100_000, "JSON"),
    ],
)
def test_invalid_durations_are_refused(tmp_path, content, fact):
    path = tmp_path / "durations"
    path.write_text(content)
    with refused(FileFormatError, path, fact):
        read_durations(path)


def test_a_missing_file_of_durations_is_refused(tmp_path):
    with refused(InputError, "nowhere.xml"):
        read_durations(tmp_path / "nowhere.xml")


def test_a_damaged_cache_is_ignored(tmp_path):
    assert cached_durations(tmp_path) == {}
    path = tmp_path / ".pytest_cache" / "v" / CACHE_KEY
    path.parent.mkdir(parents=True)
    for content, kept in (
        ("{", {}),
        ("[3]", {}),
        (json.dumps({"a": 1, "b": "x", "c": -1, "d": None}), {"a": 1.0}),
    ):
        path.write_text(content)
        assert cached_durations(tmp_path) == kept
