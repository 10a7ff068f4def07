"""Properties that are computed once."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

__all__ = ["cached_property"]

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property
else:

    class cached_property:
        """A property that is computed once per object, without a lock.

        The one in Python 3.11 has a lock for all objects together. A process that is
        forked while another thread computes would wait for that lock forever.

        >>> class Square:
        ...     side = 3
        ...
        ...     @cached_property
        ...     def area(self):
        ...         return self.side**2
        >>> Square().area
        9
        """

        def __init__(self, compute: Any) -> None:
            self._compute = compute
            self.__doc__ = compute.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            # Python finds the value in the object before it calls this method again.
            value = instance.__dict__[self._name] = self._compute(instance)
            return value
