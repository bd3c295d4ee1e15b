"""Is a replay asked from Python the same as one asked on the command line?"""

import json
import os
import re
import signal
import subprocess
import sys
import threading

import pytest

import raddle
from raddle._replay import Options

ASKED = [
    "--device=v100",
    "--requests=serve=2000/s",
    "--until=5ms",
    "--goal=serve p99 1ms",
    "--priority=train=5",
]


def command(*args):
    """The command of the same package."""
    return subprocess.run([sys.executable, "-m", "raddle", *map(str, args)], capture_output=True, text=True)


def test_the_summary_is_what_the_command_prints(pair, result):
    done = command("replay", *pair, *ASKED, "--no-files", "--format", "json")
    assert done.returncode in (0, 5), done.stderr
    assert json.loads(done.stdout) == result.summary
    assert list(json.loads(done.stdout)) == list(result.summary), "the keys stand in the same order"


def test_the_report_is_page_one(result):
    page = result.html()
    assert result.recommended in page and "NVIDIA Tesla V100" in page
    shown = result._repr_html_()
    assert shown.startswith("<iframe") and page.replace("&", "&amp;").replace('"', "&quot;").replace(
        "<", "&lt;"
    ).replace(">", "&gt;").replace("'", "&#x27;") in shown
    assert result.verdict.split(":")[0] in str(result)
    assert result.text(verbose=True) != result.text()


def test_every_option_of_the_command_can_be_said():
    told = command("replay", "--help").stdout
    options = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", told, re.MULTILINE))
    # What is printed and written is not asked here.
    printed = {"events", "format", "help", "log", "no-files", "open", "out", "quiet", "timeline", "timeline-slices"}
    printed |= {"timeline-window", "verbose", "version", "live-report", "wasm"}
    assert options - printed == {name.replace("_", "-") for name in Options.__annotations__}


def test_times_and_rates_are_written_as_on_the_command_line(pair, asked):
    same = [raddle.replay(pair, **{**asked, "until": until}, recipe="leftover").summary for until in ("5ms", "5000us")]
    assert same[0] == same[1]
    with pytest.raises(raddle.RaddleError, match="did you mean `2000/s`"):
        raddle.replay(pair, **{**asked, "requests": {"serve": 2000}})


def test_recipes_can_be_objects(pair, asked):
    mine = {"name": "mine", "allocate": {"policy": "greedy"}}
    result = raddle.replay(pair, **asked, recipe=["leftover", mine])
    assert result.recipes["recipe"] == ["leftover", "mine"]
    assert result.summary["recipes"][1]["recipe"]["allocate"]["policy"] == "greedy"
    assert "--recipe=mine.toml" in result.summary["command"]
    with pytest.raises(ValueError, match="name"):
        raddle.replay(pair, **asked, recipe=[mine, mine])
    with pytest.raises(ValueError, match="name"):
        raddle.replay(pair, **asked, recipe={**mine, "name": "../mine"})


def test_ways_of_sharing_are_compared(pair):
    result = raddle.share(pair, device="a100-sxm4-40gb", priority={"train": 5})
    assert result.summary["command"][1] == "share"
    assert len(result.recipes) > 1


def test_refusals_say_what_and_have_the_exit_code(pair):
    for profiles, options, code, says in [
        (["nowhere.json"], {}, 1, "nowhere.json"),
        (pair, {"device": "v1000"}, 2, "v100"),
        (pair, {"recpie": "leftover"}, 2, "--recipe"),
        (pair, {"goal": "serve p99"}, 2, "goal"),
        (pair, {"out": "folder"}, 2, "--jobs"),
        ([], {}, 2, "PROFILE"),
    ]:
        with pytest.raises(raddle.RaddleError) as refused:
            raddle.replay(profiles, **options)
        assert refused.value.exit_code == code, refused.value
        assert says in str(refused.value)


def test_an_interrupt_ends_a_replay(pair):
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        # It would take minutes.
        raddle.replay(pair, device="v100", requests="serve=2000/s", until="20s", recipe="leftover")


def test_the_command_prints_and_says_when_it_is_wrong(pair):
    done = command("recipes")
    assert done.returncode == 0 and "leftover-drain" in done.stdout
    assert command("replay").returncode == 2
    assert command("--version").stdout.startswith("raddle ")


PAIRS = [
    (("serve", "train"), {"device": "v100", "requests": {"serve": "2000/s"}, "until": "5ms"}),
    (("train", "serve"), {"device": "h200", "requests": {"train": "300/s"}, "until": "20ms"}),
    (("serve", "train"), {"device": "a100"}),
]


@pytest.mark.parametrize(("order", "load"), PAIRS)
def test_figures_are_those_of_the_command_to_the_digit(pair, order, load, tmp_path):
    files = [next(file for file in pair if file.stem == name) for name in order]
    told = [f"--{option}={value}" for option, value in load.items() if option != "requests"]
    told += [f"--requests={name}={rate}" for name, rate in load.get("requests", {}).items()]
    done = command("replay", *files, *told, "--recipe=time-slice", "--no-files", "--format=json")
    one = decisive(json.loads(done.stdout))
    assert decisive(raddle.replay(files, **load, recipe="time-slice").summary) == one
    assert decisive(raddle.replay(files, **load, recipe=["mps", "time-slice"]).summary) == one
    assert decisive(raddle.replay(files, **load).summary) == one, "it is the way of today"
    assert decisive(raddle.share(files, **load, recipe="time-slice").summary) == one
    swept = raddle.sweep(files, **load, vary="recipe=time-slice", out=tmp_path / "rows.jsonl").summary
    assert [figure["mean"] for figure in swept["groups"][0]["figures"]] == one


def decisive(summary):
    """The figures by which the processes are judged under time slices."""
    row = next(row for row in summary["answer"]["rows"] if row["recipe"] == "time-slice")
    return [process["decisive-ns"] for process in row["processes"]]
