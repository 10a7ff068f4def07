"""Frames and series of pandas, polars, pyarrow and the like: values with labels.

narwhals reads them all in the same way. It is imported only for objects that may be
one of them.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thatch.arrays import Flags, Floats, Ints
from thatch.errors import InputError, InputTypeError
from thatch.tables.columns import columns_hint

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
    frame = read_frame("the matrix", matrix)
    if frame is None or frame.is_series:
        return None
    return matrix_in(frame)


def matrix_in(
    frame: Frame, *, rows: Any = None, without: Collection[Any] = ()
) -> LabeledMatrix:
    """The matrix in a frame.

    Parameters
    ----------
    frame
        The frame.
    rows
        The column that labels the rows; default: see `labeled_matrix`.
    without
        Columns that are not part of the matrix.
    """
    others = {*without, rows} - {None}
    texts = [name for name in frame.text_columns if name not in others]
    if len(texts) > (frame.index is None and rows is None):
        raise InputTypeError(
            f"column {texts[-1]!r} of {frame.name} contains text; its entries must be "
            "numbers.",
            hint="Drop the column, or make it the index of the frame."
            if frame.index is not None
            else "Keep one column of text: it names the items.",
        )
    if rows is None and texts:
        (rows,) = texts
    labels = frame.index if rows is None else frame.values_of(rows)
    columns = [name for name in frame.columns if name not in {*others, *texts}]
    return LabeledMatrix(
        frame.numbers(columns),
        range(frame.num_rows)
        if labels is None
        else distinct_labels(frame.name, labels),
        distinct_labels(frame.name, columns),
    )


def labeled_values(name: str, values: Any) -> Mapping[Any, Any] | None:
    """Values by label; None if they are only in order.

    Labels are the keys of a mapping, the index of a series, or the first of the two
    columns of a frame.
    """
    if isinstance(values, Mapping):
        return values
    frame = read_frame(name, values)
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
    return dict(zip(distinct_labels(name, labels), numbers, strict=True))


def values_in_frame(values: Any) -> np.ndarray | None:
    """All entries of a data frame, without labels; None if it is something else."""
    frame = read_frame("the frame", values)
    if frame is None or frame.is_series:
        return None
    entries: np.ndarray = frame.wrapped.to_numpy()
    return entries


@dataclass(frozen=True, eq=False)
class Frame:
    """A frame or series, as narwhals wraps it."""

    #: What it is, for errors.
    name: str
    wrapped: Any
    #: Labels of the rows; None where frames have none.
    index: list[Any] | None
    is_series: bool

    @property
    def columns(self) -> list[Any]:
        """Names of the columns."""
        return list(self.wrapped.columns)

    @property
    def num_rows(self) -> int:
        """How many rows there are."""
        return len(self.wrapped)

    @property
    def text_columns(self) -> list[Any]:
        """Names of the columns that contain text."""
        types = self.wrapped.schema.items()
        return [name for name, kind in types if type(kind).__name__ in _TEXT_TYPES]

    def require_column(self, column: Any) -> Any:
        """Return the name of a column, if there is one of that name."""
        if column not in self.columns:
            raise InputError(
                f"{self.name} has no column {column!r}.",
                hint=columns_hint(str(column), [str(each) for each in self.columns]),
            )
        return column

    def values_of(self, column: Any) -> list[Any]:
        """Entries of a column."""
        self.require_column(column)
        values: list[Any] = self.wrapped.get_column(column).to_list()
        return values

    def integers_of(self, column: Any) -> Ints | None:
        """Entries of a column without missing ones; None if they are not integers."""
        entries = self.wrapped.get_column(column)
        if not entries.dtype.is_integer():
            return None
        integers: Ints = entries.to_numpy().astype(np.int64)
        return integers

    def is_missing(self, column: Any) -> Flags:
        """Which entries of a column are missing or NaN: bool, shape (num_rows,)."""
        self.require_column(column)
        entries = self.wrapped.get_column(column)
        missing: Flags = entries.is_null().to_numpy().astype(np.bool_)
        if entries.dtype.is_float():
            missing |= np.isnan(self._numbers(column))
        return missing

    def numbers_of(self, column: Any) -> Floats:
        """Entries of a column as doubles; missing ones are NaN."""
        return self._numbers(self.require_column(column))

    def numbers(self, columns: list[Any]) -> Floats:
        """The columns as a matrix of doubles; missing entries are NaN."""
        matrix = np.empty((self.num_rows, len(columns)))
        for k, column in enumerate(columns):
            matrix[:, k] = self._numbers(column)
        return matrix

    def _numbers(self, column: Any) -> Floats:
        if self.num_rows == 0:  # columns without entries may have any type
            return np.zeros(0)
        entries = self.wrapped.get_column(column)
        kind = type(entries.dtype).__name__
        if not entries.dtype.is_numeric() and kind != "Boolean":
            raise InputTypeError(
                f"column {column!r} of {self.name} has entries of type {kind}; they "
                "must be numbers.",
                hint="Convert the column to numbers, or drop it.",
            )
        filled = entries.fill_null(False if kind == "Boolean" else 0).to_numpy()
        is_missing = entries.is_null().to_numpy()
        return np.where(is_missing, np.nan, filled).astype(np.float64)


def read_frame(name: str, values: Any) -> Frame | None:
    """A frame or series of any package; None if it is neither."""
    if type(values).__module__.partition(".")[0] in _PLAIN_PACKAGES:
        return None
    import narwhals

    is_series = narwhals.dependencies.is_into_series(values)
    if not is_series and not narwhals.dependencies.is_into_dataframe(values):
        return None
    if not is_series:
        distinct_labels(
            name, list(getattr(values, "column_names", None) or values.columns)
        )
    wrapped = narwhals.from_native(values, allow_series=True)
    index = narwhals.maybe_get_index(wrapped)
    return Frame(name, wrapped, None if index is None else index.tolist(), is_series)


def distinct_labels(name: str, labels: Sequence[Any]) -> Sequence[Hashable]:
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
