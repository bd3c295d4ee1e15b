"""Does the cocotb bench of docs/bench.md run as the page says?"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
import raddle

pytest.importorskip("cocotb", reason="cocotb 1.9.2 is not installed")

CRATES = pathlib.Path(__file__).parents[2]
PAGE = (CRATES.parent / "docs" / "bench.md").read_text()
PROGRAMS = {"verilator": "verilator", "icarus": "iverilog"}
PLANTED = re.search(r"sed -i 's/(.*; i--)/(.*)/' allocator.sv\n\$ make", PAGE)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The page's bench by both simulators, and with its planted fault; side by side, as each asks
    `cocotb-config` for seconds."""
    good = (CRATES / "raddle-capi/examples/dpi/allocator.sv").read_text()
    bad = good.replace(PLANTED[1], PLANTED[2])
    assert bad != good
    # The programs of cocotb are beside the interpreter that runs this.
    path = os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ["PATH"]])
    package = str(pathlib.Path(raddle.__file__).parents[1])
    started = {}
    for name, source in {"verilator": good, "icarus": good, "planted": bad}.items():
        simulator = "icarus" if name == "planted" else name
        if not shutil.which(PROGRAMS[simulator]) or not shutil.which("make"):
            continue
        folder = tmp_path_factory.mktemp(name)
        (folder / "allocator.sv").write_text(source)
        for file in ["test_allocator.py", "Makefile"]:
            shutil.copy(CRATES / "raddle-capi/examples/cocotb" / file, folder)
        around = {**os.environ, "PATH": path, "PYTHONPATH": package, "SIM": simulator}
        log = open(folder / "log", "w+")
        started[name] = subprocess.Popen(["make"], cwd=folder, env=around, stdout=log, stderr=log), log
    said = {}
    for name, (process, log) in started.items():
        process.wait()
        log.seek(0)
        said[name] = log.read()
        log.close()
    return said


def said_by(runs, name):
    if name not in runs:
        pytest.skip("the simulator or make is not installed")
    return runs[name]


@pytest.mark.parametrize("simulator", ["verilator", "icarus"])
def test_the_bench_passes(runs, simulator):
    said = said_by(runs, simulator)
    assert "TESTS=1 PASS=1 FAIL=0" in said, said


def test_the_planted_fault_is_found(runs):
    said = said_by(runs, "planted")
    assert "clock 0, 5 blocks: 59, the model has 0: FreeMap(" in said, said
    assert "TESTS=1 PASS=0 FAIL=1" in said, said
