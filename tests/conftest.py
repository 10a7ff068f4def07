import json
import os
import sys

import pytest
from hypothesis import settings

from thatch import InputError, ThatchError
from thatch.errors import MissingExtraError
from thatch.machine.devices import Device, device_named

# Read by Haystack when it is imported, here and in child processes: tests send nothing.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

# The examples of a property are few and the same in every run, so that a test fails for
# whoever broke it. `pytest --hypothesis-profile thorough` draws many new ones. How long
# one takes depends on what else the machine does.
settings.register_profile("quick", deadline=None, max_examples=30, derandomize=True)
settings.register_profile(
    "thorough", deadline=None, max_examples=300, derandomize=False
)
settings.load_profile("quick")


def _present(name):
    try:
        return device_named(name)
    except ThatchError as error:
        pytest.skip(f"needs a GPU: {error.message}")


@pytest.fixture(
    scope="session", params=["cpu", pytest.param("gpu", marks=pytest.mark.gpu)]
)
def device(request):
    """Each device in turn; a GPU that is not there is skipped."""
    return _present(request.param)


@pytest.fixture(scope="session")
def gpu():
    """The GPU alone, for what the processor would take too long for, or has not."""
    return _present(Device.GPU)


@pytest.fixture(scope="session")
def no_gpu():
    """Message of the error that is raised if no GPU can be used."""
    try:
        device_named(Device.GPU)
    except MissingExtraError:
        return "device gpu needs CuPy, which is not installed."
    except InputError:
        return "device gpu is not available: CuPy found no NVIDIA GPU or no CUDA."
    pytest.skip("there is a GPU")


@pytest.fixture
def thatch(monkeypatch, capsys, tmp_path):
    """Run a command in an empty folder: its exit code, stdout and stderr."""
    from thatch.cli.app import run

    monkeypatch.chdir(tmp_path)

    def command(*arguments):
        code = run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return command


@pytest.fixture
def install_reader(tmp_path, monkeypatch):
    """Install a package, ``a_reader...``, with one module and one entry point."""

    def installed(name, code, suffix):
        site = tmp_path / "site-packages"
        metadata = site / f"{name}-1.0.dist-info"
        metadata.mkdir(parents=True)
        (site / f"{name}.py").write_text(code)
        (metadata / "METADATA").write_text(f"Name: {name}\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text(
            f"[thatch.readers]\n{suffix} = {name}:read\n"
        )
        monkeypatch.syspath_prepend(site)

    yield installed
    for name in [name for name in sys.modules if name.startswith("a_reader")]:
        del sys.modules[name]


@pytest.fixture
def trap(tmp_path):
    """The toy problem that lures greedy solvers, as a file."""
    path = tmp_path / "trap.json"
    problem = {
        "format": "thatch-coverage",
        "version": 1,
        "budget": 2,
        "weights": [3, 5, 5, 3],
        "sets": [[1, 2], [0, 1], [2, 3]],
        "item_names": ["bait", "left", "right"],
    }
    path.write_text(json.dumps(problem))
    return path
