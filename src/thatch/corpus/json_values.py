"""Values of any column as JSON values.

Numbers that JSON lacks (NaN and infinity) and times outside of the years 1 to 9999 are
null. Dates, times and decimal numbers are strings, and bytes are UTF-8.
"""

from __future__ import annotations

import datetime
import json
import math
from decimal import Decimal
from itertools import islice
from typing import Any

import numpy as np

from thatch.tables.arrow import is_text, pa, pc

_UNITS_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
# Days since 1970 of the first and the last day that Python has, as most readers do.
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896


def json_values(column: pa.Array) -> list[Any]:
    """Values of a column of any type; null where JSON has no such value."""
    types = pa.types
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return json_values(column.storage)
    if types.is_dictionary(kind):
        return json_values(column.dictionary_decode())
    if types.is_struct(kind):
        return _structs(column)
    if types.is_map(kind):
        return _maps(column)
    if _is_list(kind):
        return _lists(column)
    if is_text(kind):
        # Strings of Arrow may be invalid UTF-8.
        column = column.cast(pa.large_binary())
    elif types.is_date(kind) or types.is_time(kind) or types.is_timestamp(kind):
        column = _times(column)
    return [json_value(value) for value in _python_values(column)]


def json_value(value: Any) -> Any:
    """A value of Python as JSON has it.

    >>> json_value({"a": [math.nan, datetime.date(2024, 2, 1)], "b": b"snow"})
    {'a': [None, '2024-02-01'], 'b': 'snow'}
    """
    if isinstance(value, np.generic):  # pyarrow before 21 has such half floats
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {_utf8(str(key)): json_value(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(each) for each in value]
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, datetime.timedelta | Decimal):
        return str(value)
    return _utf8(value) if isinstance(value, str) else value


def text_of_value(value: Any) -> str | None:
    """A value as a string: strings as they are, others as JSON; None if it is null."""
    plain = json_value(value)
    if plain is None or isinstance(plain, str):
        return plain
    return json.dumps(plain, ensure_ascii=False, default=str)


def _utf8(text: str) -> str:
    """The text without unpaired surrogates, which JSON may have, but UTF-8 has not."""
    return text.encode("utf-8", "replace").decode()


def _is_list(kind: pa.DataType) -> bool:
    kinds = ("list", "large_list", "fixed_size_list", "list_view", "large_list_view")
    return any(getattr(pa.types, f"is_{each}")(kind) for each in kinds)


def _structs(column: pa.Array) -> list[Any]:
    names = [_utf8(field.name) for field in column.type]
    columns = [json_values(each) for each in column.flatten()]
    rows = zip(*columns, strict=True) if columns else ((),) * len(column)
    return [
        dict(zip(names, row, strict=True)) if is_valid else None
        for row, is_valid in zip(rows, column.is_valid().to_pylist(), strict=True)
    ]


def _lists(column: pa.Array) -> list[Any]:
    values = iter(json_values(column.flatten()))
    lengths = pc.list_value_length(column).to_pylist()
    return [None if size is None else [*islice(values, size)] for size in lengths]


def _maps(column: pa.Array) -> list[Any]:
    """Maps as lists of pairs, since keys may be of any type, and repeated."""
    kind = column.type
    pairs = pa.struct([("key", kind.key_type), ("value", kind.item_type)])
    return [
        None if each is None else [list(pair.values()) for pair in each]
        for each in _lists(column.cast(pa.list_(pairs)))
    ]


def _times(column: pa.Array) -> pa.Array:
    """Dates, times of day or timestamps as strings, null outside of the calendar."""
    kind = column.type
    if pa.types.is_date32(kind):
        units_per_day = 1
    else:
        unit = "ms" if pa.types.is_date64(kind) else kind.unit
        seconds_per_day = 86_400
        units_per_day = seconds_per_day * _UNITS_PER_SECOND[unit]
    first, last = (0, 0) if pa.types.is_time(kind) else (_FIRST_DAY, _LAST_DAY)
    whole = pa.int32() if kind.bit_width == 32 else pa.int64()
    numbers = column.view(whole).cast(pa.int64())
    # All times in nanoseconds are within the calendar.
    least = max(first * units_per_day, -(2**63))
    most = min((last + 1) * units_per_day - 1, 2**63 - 1)
    is_known = pc.and_(pc.greater_equal(numbers, least), pc.less_equal(numbers, most))
    known = pc.if_else(is_known, column, pa.scalar(None, kind))
    try:
        return known.cast(pa.string())
    except pa.ArrowInvalid:
        # The time zone is unknown on this machine.
        return known.cast(pa.timestamp(kind.unit, "UTC")).cast(pa.string())


def _python_values(column: pa.Array) -> list[Any]:
    """Values of Python; null where Python has none, as of a very long duration."""
    try:
        found: list[Any] = column.to_pylist()
        return found
    except (ArithmeticError, ValueError, LookupError):
        return [_python_value(value) for value in column]


def _python_value(value: pa.Scalar) -> Any:
    try:
        return value.as_py()
    except (ArithmeticError, ValueError, LookupError):
        return None
