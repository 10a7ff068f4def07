"""Where messages are passed and charges found: the processor, or a GPU."""

from __future__ import annotations

import enum
import os
from numbers import Integral

from thatch.errors import InputError, MissingExtraError


class Device(enum.StrEnum):
    """The processor, or an NVIDIA GPU.

    >>> Device("gpu")
    <Device.GPU: 'gpu'>
    """

    CPU = "cpu"
    GPU = "gpu"


def device_named(name: str) -> Device:
    """The device of that name, if it is there.

    >>> device_named("cpu").value
    'cpu'
    """
    if name not in list(Device):
        raise InputError(
            f"device must be cpu or gpu, got {name!r}.",
            hint="Leave it out for the processor.",
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
            "device must be cpu where CuPy finds no NVIDIA GPU or no CUDA, got gpu.",
            hint="Leave it out, or ask cupy.show_config() what it finds.",
        )


def require_threads(num_threads: int) -> None:
    """Raise the error that says so if there is not one thread."""
    if not isinstance(num_threads, Integral) or num_threads < 1:
        raise InputError(
            f"threads must be a whole number >= 1, got {num_threads!r}.",
            hint="Pass 1 or more.",
        )


def num_cores() -> int:
    """How many cores this process may use, its CPU affinity respected.

    >>> num_cores() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
