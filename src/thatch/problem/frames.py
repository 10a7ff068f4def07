"""Frames and series of pandas, polars, pyarrow and the like: values with labels.

narwhals reads them all in the same way. It is imported only for objects that may be
one of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thatch.errors import InputError, InputTypeError

# Types of these packages are neither frames nor series.
_PLAIN_PACKAGES = {"builtins", "collections", "numpy", "scipy", "networkx"}


@dataclass(frozen=True, eq=False)
class LabeledMatrix:
    """A matrix with the labels of its rows and columns."""

    values: np.ndarray
    #: One label per row, and one per column; ranges where they are numbered from 0.
    rows: Sequence[Hashable]
    columns: Sequence[Hashable]


def labeled_matrix(matrix: Any) -> LabeledMatrix | None:
    """The matrix in a data frame; None if it is something else.

    Rows are labeled by the index of the frame. Where frames have none, as in polars, a
    column of strings labels them.
    """
    if not _is_frame(matrix):
        return None
    import narwhals

    frame = _read("the matrix", matrix)
    index = narwhals.maybe_get_index(frame)
    is_text = {name: _is_text(dtype) for name, dtype in frame.schema.items()}
    texts = [name for name, is_one in is_text.items() if is_one]
    if len(texts) > (index is None):
        raise InputTypeError(
            f"column {texts[-1]!r} of the matrix contains text; its entries must be "
            "numbers.",
            hint="Drop the column, or make it the index of the frame."
            if index is not None
            else "Keep one column of text: it names the items.",
        )
    if texts:
        rows = frame.get_column(texts[0]).to_list()
    else:
        rows = list(range(len(frame))) if index is None else index.tolist()
    _require_distinct("the matrix", rows)
    numbers = frame.drop(texts) if texts else frame
    return LabeledMatrix(
        numbers.to_numpy(), _unless_numbers(rows), _unless_numbers(numbers.columns)
    )


def labeled_values(name: str, values: Any) -> Mapping[Any, Any] | None:
    """Values by label; None if they are only in order.

    Labels are the keys of a mapping, the index of a series, or the first of the two
    columns of a frame.
    """
    if isinstance(values, Mapping):
        return values
    if not _may_be_labeled(values):
        return None
    import narwhals

    if _is_frame(values):
        frame = _read(name, values)
        if len(frame.columns) != 2:
            raise InputError(
                f"{name} is a frame with {len(frame.columns)} columns; it must have 2, "
                "labels and numbers.",
                hint=f"Pass the column of {name} as a series, or two columns.",
            )
        labels, numbers = (frame.get_column(name).to_list() for name in frame.columns)
    elif narwhals.dependencies.is_into_series(values):
        series = narwhals.from_native(values, series_only=True)
        index = narwhals.maybe_get_index(series)
        if index is None:
            return None
        labels, numbers = index.tolist(), series.to_list()
    else:
        return None
    _require_distinct(name, labels)
    return dict(zip(labels, numbers, strict=True))


def is_frame_or_series(values: object) -> bool:
    """Whether these are a frame or a series of any of the packages."""
    if not _may_be_labeled(values):
        return False
    import narwhals

    is_series = bool(narwhals.dependencies.is_into_series(values))
    return is_series or _is_frame(values)


def _is_frame(values: object) -> bool:
    if not _may_be_labeled(values):
        return False
    import narwhals

    return bool(narwhals.dependencies.is_into_dataframe(values))


def _read(name: str, frame: Any) -> Any:
    import narwhals

    names = getattr(frame, "column_names", None) or frame.columns
    _require_distinct(name, list(names))
    return narwhals.from_native(frame, eager_only=True)


def _may_be_labeled(values: object) -> bool:
    package = type(values).__module__.partition(".")[0]
    return package not in _PLAIN_PACKAGES


def _is_text(dtype: Any) -> bool:
    import narwhals

    texts = (narwhals.String, narwhals.Categorical, narwhals.Enum)
    return isinstance(dtype, texts)


def _unless_numbers(labels: list[Any]) -> Sequence[Hashable]:
    """The labels, or a range if they are the numbers from 0 on."""
    numbers = range(len(labels))
    is_numbered = all(isinstance(label, int) for label in labels)
    return numbers if is_numbered and labels == list(numbers) else labels


def _require_distinct(name: str, labels: list[Hashable]) -> None:
    seen: set[Hashable] = set()
    for label in labels:
        if label in seen:
            raise InputError(
                f"label {label!r} is repeated in {name}.",
                hint="Rename one of them, or add them up.",
            )
        seen.add(label)
