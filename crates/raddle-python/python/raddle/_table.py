"""What is a table of a result, and how does it leave for other libraries?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Union

from . import _raddle

if TYPE_CHECKING:
    import pandas

#: What a cell holds; None where there is no value.
Cell = Union[int, float, bool, str, None]

#: The types of columns, the one that holds most last, as pandas calls them.
_PANDAS = {"bool": "boolean", "int": "Int64", "float": "Float64", "text": "string"}

#: Rows that a notebook shows.
_SHOWN = 50


class Table:
    """Rows and named columns, each of integers, numbers, words or truth values.

    pandas, polars, pyarrow, DuckDB and others read it as it is, by the Arrow PyCapsule interface: `polars.DataFrame(table)`,
    `pyarrow.table(table)`. Durations end in `_ns` and are nanoseconds.
    """

    def __init__(self, rows: Iterable[Mapping[str, Cell]]) -> None:
        """A table of these rows; where a row lacks a column, there is no value."""
        rows = list(rows)
        names = {name: None for row in rows for name in row}
        self._columns = {name: [row.get(name) for row in rows] for name in names}
        self._length = len(rows)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, column: str) -> list[Cell]:
        return list(self._columns[column])

    def rows(self) -> list[dict[str, Cell]]:
        """Every row as a dictionary."""
        return [dict(zip(self._columns, row)) for row in zip(*self._columns.values())]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table for whoever reads Arrow; in its own types, whatever is requested."""
        columns = [(name, _kind(name, cells), cells) for name, cells in self._columns.items()]
        return _raddle.arrow_stream(columns)

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a data frame of pandas, which has to be installed; it needs no pyarrow."""
        import pandas

        columns = {
            name: pandas.array(cells, dtype=_PANDAS[_kind(name, cells)])
            for name, cells in self._columns.items()
        }
        return pandas.DataFrame(columns)

    def __repr__(self) -> str:
        return f"<raddle.Table: {self._length} rows of {', '.join(self._columns)}>"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self._columns)
        shown = list(zip(*self._columns.values()))[:_SHOWN]
        body = "".join(
            "<tr>" + "".join(f"<td>{'' if cell is None else escape(str(cell))}</td>" for cell in row) + "</tr>"
            for row in shown
        )
        more = self._length - len(shown)
        note = f"<p>{more} further rows</p>" if more else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"


def _kind(name: str, cells: Sequence[Cell]) -> str:
    found = {type(cell) for cell in cells if cell is not None}
    if str in found:
        return "text"
    if bool in found:
        return "bool"
    if float in found:
        return "float"
    # A column without a value is told by its name.
    return "int" if int in found or name.endswith("_ns") else "float"


def scalars(value: Mapping[str, Any], prefix: str = "") -> dict[str, Cell]:
    """The single values of a part of summary.json, as columns: the key `longest-wait-ns` is `longest_wait_ns`, and keys within keys are
    joined by `_`. Lists are left out: they are tables of their own."""
    cells: dict[str, Cell] = {}
    for key, inner in value.items():
        name = prefix + key.replace("-", "_")
        if isinstance(inner, Mapping):
            cells.update(scalars(inner, f"{name}_"))
        elif not isinstance(inner, list):
            cells[name] = inner
    return cells
