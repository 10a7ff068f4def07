"""``thatch shard``."""

import pytest

from thatch.scale import ShardedProblem


@pytest.fixture
def edges(tmp_path):
    (tmp_path / "e.csv").write_text("item,element\nnorth,a\nnorth,b\nsouth,b\n")


def test_shards_are_written(thatch, tmp_path, edges):
    (tmp_path / "c.csv").write_text("item,cost\nnorth,4\nsouth,3\n")
    (tmp_path / "w.tsv").write_text("element\tweight\na\t2\nb\t1\n")
    tables = ("--costs", "c.csv", "--weights", "w.tsv")
    answer = thatch("shard", "e.csv", "out", "--budget", 5, "--shards", 2, *tables)
    assert answer == (
        0,
        "",
        "2 items, 2 elements and 3 edges in 2 shards: out\n",
    )
    problem = ShardedProblem.open(tmp_path / "out")
    assert (problem.budget, problem.total_weight) == (5, 3)
    assert problem.costs.tolist() == [4, 3]
    assert list(problem.item_names) == ["north", "south"]


def test_columns_may_have_other_names(thatch, tmp_path):
    (tmp_path / "e.tsv").write_text("town\tsite\na\t0\nb\t1\n")
    columns = ("--item", "site", "--element", "town")
    code, _, err = thatch("shard", "e.tsv", "out", "--budget", 1, *columns)
    assert (code, err.split(":")[0]) == (
        0,
        "2 items, 2 elements and 2 edges in 1 shard",
    )


def test_shards_are_overwritten_only_on_request(thatch, edges):
    command = ("shard", "e.csv", "out", "--budget", 1)
    assert thatch(*command)[0] == 0
    code, out, err = thatch(*command)
    assert (code, out) == (2, "")
    assert "already contains shards" in err
    assert "overwrite it" in err
    assert thatch(*command, "--overwrite")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        (("--budget", -1), "-1"),
        (("--budget", 1, "--shards", 0), "--shards"),
        (("--budget", 1, "--item", "site"), "'site'"),
        (("--budget", 1, "--costs", "nowhere.csv"), "nowhere.csv"),
        ((), "--budget"),
    ],
)
def test_bad_input_is_refused(thatch, tmp_path, edges, arguments, fact):
    code, out, err = thatch("shard", "e.csv", "out", *arguments)
    assert (code, out) == (2, "")
    assert fact in err
    assert "hint: " in err
    assert not (tmp_path / "out").exists()


def test_random_problems_are_generated_in_shards(thatch, tmp_path):
    sizes = ("--items", 30, "--elements", 90, "--costs", "integers:2:2")
    command = ("generate", "biregular", *sizes, "-o", "out", "--shards")
    assert thatch(*command, 3) == (0, "", "")
    problem = ShardedProblem.open(tmp_path / "out")
    assert (problem.num_edges, len(problem.shards)) == (270, 3)
    assert set(problem.costs) == {2.0}
    assert "already contains" in thatch(*command, 3)[2]
    assert thatch(*command, 2, "--overwrite") == (0, "", "")
    assert len(ShardedProblem.open(tmp_path / "out").shards) == 2
    assert "--shards" in thatch(*command, 0)[2]


def test_generated_shards_have_integer_costs(thatch):
    command = ("generate", "biregular", "-o", "out", "--shards", 2)
    code, _, err = thatch(*command, "--costs", "reals:0:1")
    assert code == 2
    assert "--costs" in err
