"""The paper's symbols, as other names of the inverse temperature and the price."""

from __future__ import annotations

from typing import Protocol, TypeVar

from thatch.errors import InputTypeError

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)


class _Priced(Protocol[_T_co]):
    @property
    def inverse_temperature(self) -> _T_co: ...

    @property
    def price(self) -> _T_co: ...


class Symbols:
    """What has an inverse temperature and a price also has `beta` and `mu`."""

    @property
    def beta(self: _Priced[_T]) -> _T:
        """The inverse temperature."""
        return self.inverse_temperature

    @property
    def mu(self: _Priced[_T]) -> _T:
        """The price."""
        return self.price


def one_of(name: str, value: _T | None, symbol: str, same: _T | None) -> _T | None:
    """The value of an argument that has two names.

    Parameters
    ----------
    name, value
        The argument, None if it is not given.
    symbol, same
        The same argument by its symbol.

    Raises
    ------
    InputTypeError
        If it is given by both names.

    >>> one_of("price", None, "mu", 5.0)
    5.0
    """
    if value is not None and same is not None:
        raise InputTypeError(
            f"{name} is {value!r} and {symbol} is {same!r}; they are two names of one "
            "argument.",
            hint=f"Pass {name} or {symbol}.",
        )
    return value if same is None else same
