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
_TEXT_TYPES = {"String", "Categorical", "Enum"}


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
    frame = _read("the matrix", matrix)
    if frame is None or frame.is_series:
        return None
    texts = frame.text_columns
    if len(texts) > (frame.index is None):
        raise InputTypeError(
            f"column {texts[-1]!r} of the matrix contains text; its entries must be "
            "numbers.",
            hint="Drop the column, or make it the index of the frame."
            if frame.index is not None
            else "Keep one column of text: it names the items.",
        )
    rows = frame.values_of(texts[0]) if texts else frame.index
    columns = [name for name in frame.columns if name not in texts]
    return LabeledMatrix(
        frame.numbers(columns),
        range(frame.num_rows) if rows is None else _labels("the matrix", rows),
        _labels("the matrix", columns),
    )


def labeled_values(name: str, values: Any) -> Mapping[Any, Any] | None:
    """Values by label; None if they are only in order.

    Labels are the keys of a mapping, the index of a series, or the first of the two
    columns of a frame.
    """
    if isinstance(values, Mapping):
        return values
    frame = _read(name, values)
    if frame is None or (frame.is_series and frame.index is None):
        return None
    if frame.index is not None and frame.is_series:
        labels, numbers = frame.index, frame.wrapped.to_list()
    elif len(frame.columns) == 2:
        labels, numbers = map(frame.values_of, frame.columns)
    else:
        raise InputError(
            f"{name} is a frame with {len(frame.columns)} columns; it must have 2, "
            "labels and numbers.",
            hint=f"Pass the column of {name} as a series, or two columns.",
        )
    return dict(zip(_labels(name, labels), numbers, strict=True))


def values_in_frame(values: Any) -> np.ndarray | None:
    """All entries of a data frame, without labels; None if it is something else."""
    frame = _read("the frame", values)
    if frame is None or frame.is_series:
        return None
    entries: np.ndarray = frame.wrapped.to_numpy()
    return entries


@dataclass(frozen=True, eq=False)
class _Frame:
    """A frame or series, as narwhals wraps it."""

    wrapped: Any
    #: Labels of the rows; None where frames have none.
    index: list[Any] | None
    is_series: bool

    @property
    def columns(self) -> list[Any]:
        return list(self.wrapped.columns)

    @property
    def num_rows(self) -> int:
        return len(self.wrapped)

    @property
    def text_columns(self) -> list[Any]:
        types = self.wrapped.schema.items()
        return [name for name, kind in types if type(kind).__name__ in _TEXT_TYPES]

    def values_of(self, column: Any) -> list[Any]:
        values: list[Any] = self.wrapped.get_column(column).to_list()
        return values

    def numbers(self, columns: list[Any]) -> np.ndarray:
        """The columns as a matrix of doubles; missing entries are NaN."""
        matrix = np.empty((self.num_rows, len(columns)))
        for k, name in enumerate(columns):
            column = self.wrapped.get_column(name)
            kind = type(column.dtype).__name__
            if not column.dtype.is_numeric() and kind != "Boolean":
                raise InputTypeError(
                    f"column {name!r} of the matrix has entries of type {kind}; they "
                    "must be numbers.",
                    hint="Put 1 where the item covers the element, 0 elsewhere.",
                )
            filled = column.fill_null(False if kind == "Boolean" else 0).to_numpy()
            matrix[:, k] = np.where(column.is_null().to_numpy(), np.nan, filled)
        return matrix


def _read(name: str, values: Any) -> _Frame | None:
    """A frame or series of any package; None if it is neither."""
    if type(values).__module__.partition(".")[0] in _PLAIN_PACKAGES:
        return None
    import narwhals

    is_series = narwhals.dependencies.is_into_series(values)
    if not is_series and not narwhals.dependencies.is_into_dataframe(values):
        return None
    if not is_series:
        _labels(name, list(getattr(values, "column_names", None) or values.columns))
    wrapped = narwhals.from_native(values, allow_series=True)
    index = narwhals.maybe_get_index(wrapped)
    return _Frame(wrapped, None if index is None else index.tolist(), is_series)


def _labels(name: str, labels: Sequence[Any]) -> Sequence[Hashable]:
    """Labels that differ; a range if they are the numbers from 0 on."""
    seen: set[Hashable] = set()
    for label in labels:
        if not isinstance(label, Hashable):
            raise InputTypeError(
                f"{label!r:.60} is a label of {name}; it must be a string or a number.",
                hint="Use strings or numbers as labels.",
            )
        if label in seen:
            raise InputError(
                f"label {label!r} is repeated in {name}.",
                hint="Rename one of them, or add them up.",
            )
        seen.add(label)
    numbers = range(len(labels))
    is_numbered = all(isinstance(label, int) for label in labels)
    return numbers if is_numbered and list(labels) == list(numbers) else labels
