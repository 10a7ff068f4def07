"""Names of devices, and what is said where one is not there."""

import re

import pytest

from thatch import Run, ThatchError, solve
from thatch.bounds import first_order_bound
from thatch.devices import Device, device_named
from thatch.errors import InputError
from thatch.instances import toy

PROBLEM = toy.greedy_trap().problem
UNKNOWN = ["tpu", "", "GPU", "cuda:0", None, 0, ["gpu"]]


@pytest.mark.parametrize("name", UNKNOWN, ids=repr)
def test_unknown_names_are_refused(name):
    message = re.escape(f"device must be cpu or gpu, got {name!r}.")
    for ask in (
        lambda: device_named(name),
        lambda: Run(device=name),
        lambda: solve(PROBLEM, device=name),
        lambda: first_order_bound(PROBLEM, device=name),
    ):
        with pytest.raises(InputError, match=f"^{message} Leave it out for the "):
            ask()


def test_names_and_devices_are_the_same():
    assert device_named("cpu") is device_named(Device.CPU) is Device.CPU
    assert Run().device is Device.CPU
    assert Run(device="cpu").device is Device.CPU


def test_a_part_of_a_run_is_on_the_same_device(device):
    run = Run(device=device)
    assert (
        run.device
        is run.unreported().device
        is run.with_time_share(0.5).device
        is device
    )


def test_a_gpu_that_is_not_there_is_refused_in_one_line(no_gpu):
    for ask in (
        lambda: device_named("gpu"),
        lambda: Run(device="gpu"),
        lambda: solve(PROBLEM, device="gpu"),
        lambda: first_order_bound(PROBLEM, device="gpu"),
    ):
        with pytest.raises(ThatchError) as caught:
            ask()
        assert caught.value.message == no_gpu
        assert caught.value.hint.startswith(("Run: pip install", "Leave it out"))
        assert "\n" not in str(caught.value)
