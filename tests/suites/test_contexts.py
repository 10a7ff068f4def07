from hypothesis import given
from hypothesis import strategies as st

from thatch.suites.contexts import matched, name_of_test

names = st.text(alphabet="ab_é|[] :.-", min_size=1, max_size=12)


@given(names, st.sampled_from(["run", "setup", "teardown"]))
def test_any_parameter_can_be_in_a_node_id(parameter, phase):
    node_id = f"tests/test_a.py::test_b[{parameter}]"
    assert name_of_test(f"{node_id}|{phase}") == node_id
    assert name_of_test(f"linux|{node_id}|{phase}") == node_id


def test_a_node_id_that_ends_like_a_phase_loses_only_the_phase():
    assert name_of_test("t.py::test[a|run]|run") == "t.py::test[a|run]"


def test_functions_are_matched_from_any_folder_of_the_path():
    node_ids = ["a/tests/unit/test_x.py::TestY::test_z"]
    for name in (
        "test_x.TestY.test_z",
        "unit.test_x.TestY.test_z",
        "tests.unit.test_x.TestY.test_z",
        "a.tests.unit.test_x.TestY.test_z",
    ):
        assert matched([name], node_ids).node_ids == {name: node_ids[0]}


def test_functions_of_modules_of_the_same_name_are_ambiguous():
    found = matched(["test_x.test_y"], ["a/test_x.py::test_y", "b/test_x.py::test_y"])
    assert (found.node_ids, found.ambiguous) == ({}, ("test_x.test_y",))
    found = matched(["a.test_x.test_y"], ["a/test_x.py::test_y", "b/test_x.py::test_y"])
    assert found.node_ids == {"a.test_x.test_y": "a/test_x.py::test_y"}


def test_tests_that_were_not_collected_are_unmatched():
    found = matched(["t.py::a", "t.py::b"], ["t.py::b", "t.py::c"])
    assert (found.node_ids, found.unmatched) == ({"t.py::b": "t.py::b"}, ("t.py::a",))
