"""Does a notebook show the report, and its tables?"""

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")


def test_cells_show_the_report_and_tables(pair, asked):
    cells = [
        f"import raddle\nresult = raddle.replay({[str(file) for file in pair]!r}, **{asked!r})\nresult",
        "result.processes",
        "result.verdict",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    page, table, verdict = (cell.outputs[0]["data"] for cell in notebook.cells)
    assert page["text/html"].startswith("<iframe") and "serve" in page["text/html"]
    assert page["text/plain"].startswith("<raddle.Result: ")
    assert "<th>decisive_ns</th>" in table["text/html"]
    assert "serve" in verdict["text/plain"]
