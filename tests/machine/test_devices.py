"""Devices by name, and errors about those that are not available."""

import re

import pytest

from thatch import Run, ThatchError, solve
from thatch.errors import InputError
from thatch.machine.devices import Device, device_named
from thatch.problem.instances import toy
from thatch.solvers.bounds import first_order_bound

PROBLEM = toy.greedy_trap().problem
UNKNOWN = ["tpu", "", "GPU", "cuda:0", None, 0, ["gpu"]]


@pytest.mark.parametrize("name", UNKNOWN, ids=repr)
def test_unknown_names_are_refused(name):
    for call in (
        lambda: device_named(name),
        lambda: Run(device=name),
        lambda: solve(PROBLEM, device=name),
        lambda: first_order_bound(PROBLEM, device=name),
    ):
        with pytest.raises(InputError, match=re.escape(f"device {name!r}")):
            call()


def test_names_and_devices_are_the_same():
    assert device_named("cpu") is device_named(Device.CPU) is Device.CPU
    assert Run().device is Device.CPU
    assert Run(device="cpu").device is Device.CPU


def test_derived_runs_are_on_the_same_device(device):
    run = Run(device=device)
    assert (
        run.device
        is run.unreported().device
        is run.with_time_share(0.5).device
        is device
    )


def test_a_gpu_that_is_not_available_is_refused_in_one_line(no_gpu):
    for call in (
        lambda: device_named("gpu"),
        lambda: Run(device="gpu"),
        lambda: solve(PROBLEM, device="gpu"),
        lambda: first_order_bound(PROBLEM, device="gpu"),
    ):
        with pytest.raises(ThatchError, match=no_gpu) as caught:
            call()
        assert caught.value.hint
        assert "\n" not in str(caught.value)
