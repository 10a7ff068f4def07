"""Folders of shards: complete, incomplete, or as they were before."""

import pytest
from refusals import refused

from thatch.errors import InputError
from thatch.problem.instances import toy
from thatch.scale import ShardedProblem, write_biregular
from thatch.scale.shards.output_folder import locked, output_folder


def contents(folder):
    return {
        path.relative_to(folder): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def shards(tmp_path):
    problem = toy.greedy_trap().problem
    return ShardedProblem.from_problem(problem, tmp_path / "out", num_shards=2)


@pytest.mark.parametrize("overwrite", [False, True])
def test_one_of_two_commands_writes_a_folder(tmp_path, overwrite):
    with (
        output_folder(tmp_path / "out"),
        refused(InputError, "in use" if overwrite else "incomplete"),
        output_folder(tmp_path / "out", overwrite=overwrite),
    ):
        raise AssertionError


def test_shards_that_are_solved_are_not_replaced(shards, tmp_path):
    with locked(shards.location), refused(InputError, "in use"):
        write_biregular(
            tmp_path / "out",
            num_items=9,
            budget=3,
            num_shards=1,
            seed=1,
            overwrite=True,
        )
    assert repr(ShardedProblem.open(tmp_path / "out")) == repr(shards)


@pytest.mark.parametrize("existed", [False, True])
def test_after_an_error_the_folder_is_as_before(tmp_path, existed):
    out = tmp_path / "out"
    if existed:
        out.mkdir()
    with pytest.raises(KeyboardInterrupt), output_folder(out) as output:
        output.files.child("costs.npy").create(b"costs")
        raise KeyboardInterrupt
    assert out.exists() == existed
    assert list(tmp_path.rglob("*.*")) == []


def test_after_an_error_the_former_shards_are_there(shards, tmp_path):
    before = contents(tmp_path)
    with (
        pytest.raises(KeyboardInterrupt),
        output_folder(tmp_path / "out", overwrite=True),
    ):
        raise KeyboardInterrupt
    assert contents(tmp_path) == before


@pytest.mark.parametrize("name", ["thesis.txt", "incomplete", "problem.json"])
def test_other_files_are_never_touched(tmp_path, name):
    (tmp_path / name).write_text("{}")
    for overwrite in (False, True):
        with (
            refused(InputError, "contains other files", name),
            output_folder(tmp_path, overwrite=overwrite),
        ):
            raise AssertionError
    assert contents(tmp_path) == {(tmp_path / name).relative_to(tmp_path): b"{}"}


def test_other_files_beside_shards_are_never_touched(shards, tmp_path):
    (tmp_path / "out" / "notes.txt").write_text("mine")
    before = contents(tmp_path)
    with (
        refused(InputError, "contains other files", "notes.txt"),
        output_folder(tmp_path / "out", overwrite=True),
    ):
        raise AssertionError
    assert contents(tmp_path) == before


def test_replaced_shards_leave_nothing(shards, tmp_path):
    (tmp_path / "out" / "files-of-a-killed-command").mkdir()
    write_biregular(
        tmp_path / "out", num_items=9, budget=3, num_shards=1, seed=1, overwrite=True
    )
    names = {path.name for path in (tmp_path / "out").iterdir()}
    files = ShardedProblem.open(tmp_path / "out").files
    assert names == {"problem.json", files.name} and files != shards.files


def test_what_a_killed_command_left_is_incomplete(tmp_path):
    (tmp_path / "files-1").mkdir()
    with refused(InputError, "incomplete shards", "killed"):
        ShardedProblem.open(tmp_path)
    with refused(InputError, "incomplete shards"), output_folder(tmp_path):
        raise AssertionError
