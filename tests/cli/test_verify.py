"""`thatch verify` accepts what `--certificate` wrote, and nothing else."""

import json

import pytest

STOPS = {
    "format": "thatch-coverage",
    "version": 1,
    "sets": [[0, 1], [1, 2], [2, 3], [0, 3]],
    "costs": [1, 1, 2, 1],
    "weights": [3, 1, 2, 5],
    "budget": 2,
}
COMMANDS = {
    "solve": ["solve", "--budget", "3"],
    "solve with required items": ["solve", "--require", "2", "--unit-costs"],
    "cover": ["cover"],
    "cover a share": ["cover", "--share", "0.7"],
    "cover with required items": ["cover", "--require", "1", "--forbid", "0"],
}


@pytest.fixture
def saved(tmp_path, thatch):
    """Write a problem and a certificate; return the fields of the second."""

    def run(command):
        (tmp_path / "stops.json").write_text(json.dumps(STOPS))
        code, _, err = thatch(*command, "stops.json", "--certificate", "proof.json")
        assert (code, err) == (0, "")
        return json.loads((tmp_path / "proof.json").read_text())

    return run


@pytest.mark.parametrize("command", COMMANDS.values(), ids=list(COMMANDS))
def test_what_was_written_is_verified(thatch, saved, command):
    saved(command)
    code, out, err = thatch("verify", "stops.json", "proof.json")
    assert (code, out) == (0, "")
    assert err.startswith("verified: the items")


@pytest.mark.parametrize("command", COMMANDS.values(), ids=list(COMMANDS))
def test_a_better_claim_fails(thatch, saved, tmp_path, command):
    fields = saved(command)
    if "upper_bound" in fields:
        fields["upper_bound"] -= 1
    else:
        fields["lower_bound"] += 1
    (tmp_path / "proof.json").write_text(json.dumps(fields))
    code, out, err = thatch("verify", "stops.json", "proof.json")
    assert (code, out) == (1, "")
    assert "not verified" in err


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"items": [0]}', '{"items": "a"}'])
def test_other_files_are_refused(thatch, saved, tmp_path, text):
    saved(["solve"])
    (tmp_path / "proof.json").write_text(text)
    code, _, err = thatch("verify", "stops.json", "proof.json")
    assert code == 2
    assert "it is not a result with a certificate" in err
