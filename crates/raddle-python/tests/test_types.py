"""Do the types that are written down hold, and are they those of the module?"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import raddle

pytest.importorskip("mypy")

PACKAGE = Path(raddle.__file__).parent
INSTALLED = PACKAGE.parent.name == "site-packages"
PROJECT = Path(__file__).parent.parent / "pyproject.toml"

USE = """
import raddle
from raddle import host, laws, policies

class Newest:
    def turn(self, processes: list[policies.Process], now: int) -> tuple[list[int], int | None]:
        return [max(processes, key=lambda it: it.hints.deadline or it.joined).id], None

policy: policies.Turn = Newest()
result = raddle.replay(["a.csv"], recipe=["leftover", {"name": "mine"}], requests={"a": "40/s"}, once=True, policies=[Newest])
verdict: str = result.verdict
laws.check(Newest)
d = raddle.Dispatcher("leftover", "h100")
d.event(0, {"event": "process-joined", "process": 0, "share": 1})
d.event(0, {"event": "launch-ready", "launch": d.launch(0, process=0, workgroups=8, threads=64)})
actions, wake = d.decide(0)
for action in actions:
    if action["action"] == "start":
        workgroups = list(host.workgroups(action["pieces"]))
        d.event(0, {"event": "waves-ended", "launch": action["launch"], "pieces": action["pieces"]})
    elif action["action"] == "raise":
        cuts: list[tuple[int, int, int]] = action["cuts"]
if wake is not None:
    d.event(wake, {"event": "woke"})
d.event(0, {"event": "process-joined", "process": 0})
raddle.replay(["a.csv"], goals="a p99 1ms")
"""


def mypy(*args):
    # What is installed is found without it, and refused with it.
    env = os.environ if INSTALLED else {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
    return subprocess.run([sys.executable, *map(str, args)], capture_output=True, text=True, env=env)


def test_the_package_is_typed(tmp_path):
    (tmp_path / "use.py").write_text(USE)
    files = [tmp_path / "use.py"]
    if not INSTALLED:
        files += [*PACKAGE.glob("*.py"), *PACKAGE.glob("*.pyi")]
    done = mypy("-m", "mypy", "--config-file", PROJECT, "--cache-dir", tmp_path / "cache", *files)
    lines = done.stdout.splitlines()
    # The last lines of that file ask for what there is not, and leave out what there must be.
    assert "[typeddict-item]" in done.stdout, done.stdout + done.stderr
    assert 'Unexpected keyword argument "goals"' in done.stdout, done.stdout + done.stderr
    assert lines[-1].startswith("Found 2 errors in 1 file"), done.stdout


def test_the_stubs_are_those_of_the_module(tmp_path):
    done = mypy("-m", "mypy.stubtest", "--mypy-config-file", PROJECT, "raddle._raddle")
    assert done.returncode == 0, done.stdout + done.stderr
