"""Is a sweep from Python that of the command, and can it go on?"""

import json

import pytest

import raddle

VARY = ["load=500/s,1000/s,2000/s", "recipe=leftover,leftover-drain"]


@pytest.fixture(scope="session")
def varied(asked):
    """The load of `asked` without what is varied."""
    return {**asked, "requests": {"serve": "500/s"}, "until": "20ms"}


def test_rows_and_summary(pair, varied, tmp_path):
    out = tmp_path / "rows.jsonl"
    swept = raddle.sweep(pair, vary=VARY, out=out, **varied)
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(swept.rows) == len(lines) == 6
    assert sorted(swept.rows["load"]) == [500, 500, 1000, 1000, 2000, 2000]
    assert swept.rows["serve.p99_ns"] == [line["serve.p99-ns"] for line in lines]
    assert "error" not in swept.rows.columns
    assert swept.page.read_text().startswith("<!DOCTYPE html>")
    # Nothing is run twice.
    before = out.read_text()
    again = raddle.sweep(pair, vary=VARY, out=out, **varied)
    assert out.read_text() == before and again.summary == swept.summary


def test_refusals_are_those_of_the_command(pair, varied, tmp_path):
    with pytest.raises(raddle.RaddleError, match="speed") as refused:
        raddle.sweep(pair, vary="speed=1", out=tmp_path / "rows.jsonl", **varied)
    assert refused.value.exit_code == 2


def test_a_case_that_failed_is_named_and_run_again(pair, varied, tmp_path):
    late, out = tmp_path / "late.toml", tmp_path / "rows.jsonl"
    vary = f"recipe=leftover,{late}"
    swept = raddle.sweep(pair, vary=vary, out=out, **{**varied, "goal": "serve p99 1s"})
    assert swept.exit_code == 4
    assert swept.failed["case"] == ["recipe=late.toml"]
    assert "no recipe" in swept.failed["error"][0]
    met = [group.get("goals-met") for group in swept.summary["groups"]]
    assert met == [True, None]
    late.write_text("raddle = 1\n")
    again = raddle.sweep(pair, vary=vary, out=out, **{**varied, "goal": "serve p99 1s"})
    assert (again.exit_code, len(again.failed), len(again.rows)) == (0, 0, 2)


def test_goals_that_are_missed_are_an_answer(pair, varied, tmp_path):
    out = tmp_path / "rows.jsonl"
    missed = raddle.sweep(pair, vary="recipe=leftover", out=out, **{**varied, "goal": "serve p99 1ns"})
    assert missed.exit_code == 5
