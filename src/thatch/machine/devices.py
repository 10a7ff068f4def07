"""Devices that solvers run on: the CPU, or a GPU."""

from __future__ import annotations

import enum
import os

from thatch.errors import InputError, MissingExtraError
from thatch.options import require_integer


class Device(enum.StrEnum):
    """The CPU, or an NVIDIA GPU.

    >>> Device("gpu")
    <Device.GPU: 'gpu'>
    """

    CPU = "cpu"
    GPU = "gpu"


def device_named(name: str) -> Device:
    """Return the device of that name, if it is available.

    Raises
    ------
    InputError
        If there is no such device.
    MissingExtraError
        If CuPy is not installed.

    >>> device_named("cpu").value
    'cpu'
    """
    if name not in list(Device):
        raise InputError(
            f"device {name!r} is unknown; the devices are cpu and gpu.",
            hint="Omit it for the CPU.",
        )
    device = Device(name)
    if device is Device.GPU:
        _require_gpu()
    return device


def _require_gpu() -> None:
    try:
        import cupy
    except ImportError as error:
        raise MissingExtraError("device gpu", package="CuPy", extra="gpu") from error
    try:
        count = cupy.cuda.runtime.getDeviceCount()
        cupy.cuda.nvrtc.getVersion()
    except (ImportError, OSError, RuntimeError):
        count = 0
    if count == 0:
        raise InputError(
            "device gpu is not available: CuPy found no NVIDIA GPU or no CUDA.",
            hint="Omit it, or see what cupy.show_config() prints.",
        )


def require_threads(num_threads: int) -> None:
    """Require a positive number of threads.

    Raises
    ------
    InputError
        If it is zero, negative or not an integer.
    InputTypeError
        If it is not a number.
    """
    require_integer("num_threads", num_threads, least=1, hint="Pass 1 or more.")


def num_cores() -> int:
    """Number of cores that this process may use, according to its CPU affinity.

    >>> num_cores() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
