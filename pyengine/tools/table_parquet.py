"""Tables in Parquet, by pyarrow.

A Parquet file cannot be added to once it is closed.  So what is written is gathered as Arrow streams, one for each
block, and made into Parquet at the end: a row group of each block, the same whether or not the run was interrupted.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pyengine.engine.codes import FIELDS
from pyengine.language.diagnostics import Diagnostic, InputError, refuse
from pyengine.tools.table import RESULTS, Block, Place, Table, Worth, check_names, json_of, opened
from pyengine.tools.table_jsonl import JsonlTable, find_value

_BUFFER = 1 << 20
_RESULT_TYPES = (pa.bool_(), pa.int32(), pa.int64(), pa.list_(pa.string()))


class ParquetTable:
    """A Parquet file that is read, a part of a row group at a time."""

    def __init__(self, path: Path, rows: int, for_format: str) -> None:
        self.path, self.rows = path, rows
        file = self._open()
        self.schema: pa.Schema = file.schema_arrow
        self.total: int = file.metadata.num_rows
        self.names: Sequence[str] = self.schema.names
        file.close()
        check_names(self.names, None)
        if for_format != ".parquet":
            wrong = [field for field in self.schema if _has_bytes(field.type)]
            if wrong:
                told = [{"name": field.name, "type": field.type, "format": for_format} for field in wrong]
                raise InputError([Diagnostic("E976", None, facts) for facts in told])

    def _open(self) -> Any:
        opened(self.path).close()
        try:
            return pq.ParquetFile(self.path, buffer_size=_BUFFER, pre_buffer=False)
        except (pa.ArrowException, OSError) as error:
            raise refuse("E975", path=self.path, error=error) from None

    def blocks(self, place: Place | None) -> Iterator[Block]:
        at = place or {"group": 0, "block": 0, "row": 0}
        file = self._open()
        first, skipped = at["row"] + 1, at["block"]
        try:
            for group in range(at["group"], file.num_row_groups):
                batches = file.iter_batches(self.rows, row_groups=[group], use_threads=False)
                for number, batch in enumerate(batches):
                    if number < skipped or not batch.num_rows:
                        continue
                    batch.validate(full=True)  # Texts of a damaged file may be no UTF-8.
                    last = first + batch.num_rows - 1
                    after = {"group": group, "block": number + 1, "row": last, "done": last}
                    yield self._block(batch, first, after)
                    first = last + 1
                skipped = 0
        except (pa.ArrowException, OSError) as error:
            raise refuse("E975", path=self.path, error=error) from None
        finally:
            file.close()

    def _block(self, batch: pa.RecordBatch, first: int, after: Place) -> Block:
        columns = {name: _fields(batch.column(name)) for name in FIELDS if name in self.names}

        def text(row: int) -> str:
            return str(json_of({name: column[row] for name, column in columns.items() if column[row] is not None}))

        return Block(
            self.path,
            first,
            batch.num_rows,
            columns,
            lambda chosen: _rows(batch, chosen),
            text,
            lambda row, name: find_value(text(row), name, columns[name][row]) if name in columns else None,
            lambda row: first + row,
            after,
            ".parquet",
            batch,
        )


def _fields(column: pa.Array) -> list[Any]:
    """A column as Python has it; a map or a struct as a mapping of what it holds."""
    values: list[Any] = column.to_pylist()
    if pa.types.is_map(column.type):
        return [None if value is None else dict(value) for value in values]
    if pa.types.is_struct(column.type):
        return [value and {name: n for name, n in value.items() if n is not None} for value in values]
    return values


def _rows(batch: pa.RecordBatch, chosen: Sequence[int]) -> list[list[Any]]:
    part = batch if len(chosen) == batch.num_rows else batch.take(pa.array(chosen, pa.int64()))
    columns = [column.to_pylist() for column in part.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def _has_bytes(type_: pa.DataType) -> bool:
    if pa.types.is_binary(type_) or pa.types.is_large_binary(type_) or pa.types.is_fixed_size_binary(type_):
        return True
    return any(_has_bytes(type_.field(n).type) for n in range(type_.num_fields))


# ---- writing ---------------------------------------------------------------------------------------


class ParquetWriter:
    """Parquet that is written: the columns in their types, then the results."""

    def __init__(self, table: Table) -> None:
        self.given: pa.Schema = _schema(table)
        added = [pa.field(name, type_) for name, type_ in zip(RESULTS, _RESULT_TYPES, strict=True)]
        self.schema = pa.schema([*self.given, *added], self.given.metadata)

    def head(self) -> bytes:
        return b""

    def rows(self, block: Block, worth: Worth) -> bytes:
        if not worth.rows:
            return b""
        if block.format == ".parquet":
            batch: pa.RecordBatch = block.raw
            all_ = len(worth.rows) == batch.num_rows
            columns = (batch if all_ else batch.take(pa.array(worth.rows, pa.int64()))).columns
        else:
            values = zip(*block.values(worth.rows), strict=True)
            columns = [_column(column, field.type) for column, field in zip(values, self.given, strict=True)]
        results = (worth.win, worth.total, worth.points, worth.fans)
        columns += [pa.array(column, type_) for column, type_ in zip(results, _RESULT_TYPES, strict=True)]
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self.schema) as stream:
            stream.write_batch(pa.RecordBatch.from_arrays(columns, schema=self.schema))
        return bytes(sink.getvalue())

    def finish(self, part: Path) -> Path:
        whole = part.with_suffix(".whole")
        with part.open("rb") as gathered, pq.ParquetWriter(whole, self.schema) as writer:
            end = gathered.seek(0, 2)
            gathered.seek(0)
            while gathered.tell() < end:
                with pa.ipc.open_stream(gathered) as stream:
                    for batch in stream:
                        writer.write_batch(batch)
        with whole.open("rb+") as file:
            os.fsync(file.fileno())
        return whole


def _schema(table: Table) -> Any:
    schema = getattr(table, "schema", None)
    if schema is not None:
        return schema
    if isinstance(table, JsonlTable):
        return pa.schema([(name, _type(table.survey[name])) for name in table.names])
    return pa.schema([(name, pa.string()) for name in table.names])


def _type(found: Sequence[str]) -> pa.DataType:
    """The column that holds all values of the types that were found; what no other does, texts of JSON."""
    types = {type_ for type_ in found if type_ != "NoneType"}
    if types == {"bool"}:
        return pa.bool_()
    if types and types <= {"int", "long"}:
        return pa.int64()
    if types and types <= {"int", "float"}:
        return pa.float64()
    return pa.string()


def _column(values: Sequence[Any], type_: pa.DataType) -> pa.Array:
    if type_ == pa.string():
        return pa.array([v if v is None or isinstance(v, str) else json_of(v) for v in values], type_)
    return pa.array(values, type_)
