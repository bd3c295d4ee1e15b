"""Do pandas, polars and pyarrow read the tables as they are?"""

import pytest

TABLES = ["processes", "recipes", "goals", "latencies", "slowest", "profiles"]


def test_tables_hold_what_the_summary_holds(result):
    answer = result.summary["answer"]
    rows = result.processes.rows()
    assert len(rows) == len(answer["rows"]) * len(answer["processes"])
    assert rows[0]["recipe"] == answer["rows"][0]["recipe"]
    assert rows[0]["decisive_ns"] == answer["rows"][0]["processes"][0]["decisive-ns"]
    assert sorted(result.recipes["rank"]) == list(range(1, len(answer["rows"]) + 1))
    assert result.recipes["makespan_ns"] == [it["summary"]["makespan-ns"] for it in result.summary["recipes"]]
    assert result.goals["met"] == [row["goals-met"][0] for row in answer["rows"]]
    counts = [row for row in result.latencies.rows() if row["of"] == "requests" and row["recipe"] == rows[0]["recipe"]]
    assert sum(row["count"] for row in counts) == rows[0]["requests"]
    assert result.slowest["latency_ns"][0] == rows[0]["max_ns"]
    assert result.profiles["name"] == ["serve", "train"]


@pytest.mark.parametrize("name", TABLES)
def test_pyarrow_reads_them(result, name):
    pyarrow = pytest.importorskip("pyarrow")
    table = getattr(result, name)
    read = pyarrow.table(table)
    assert read.to_pydict() == {column: table[column] for column in table.columns}
    read.validate(full=True)


@pytest.mark.parametrize("name", TABLES)
def test_polars_reads_them(result, name):
    polars = pytest.importorskip("polars")
    table = getattr(result, name)
    read = polars.DataFrame(table)
    assert read.to_dict(as_series=False) == {column: table[column] for column in table.columns}
    if name == "processes":
        assert read["decisive_ns"].dtype == polars.Int64
        assert read["steps_per_s"].dtype == polars.Float64


@pytest.mark.parametrize("name", TABLES)
def test_pandas_has_them(result, name):
    pandas = pytest.importorskip("pandas")
    table = getattr(result, name)
    frame = table.to_pandas()
    assert list(frame.columns) == table.columns and len(frame) == len(table)
    for column in table.columns:
        assert [None if pandas.isna(cell) else cell for cell in frame[column]] == table[column]


def test_a_notebook_shows_a_table_and_its_end(result):
    shown = result.latencies._repr_html_()
    assert shown.count("<tr>") == min(len(result.latencies), 50) + 1
    assert result.processes._repr_html_().count("<th>") == len(result.processes.columns)
