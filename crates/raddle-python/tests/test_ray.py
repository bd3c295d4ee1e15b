"""Are the rows of a sweep on a cluster those of one machine, also when a node is lost while it holds cases?

Where Ray is not installed, nothing is tried: `cargo xtask soak python` installs it.
"""

import json
import os
import socket
import time

import pytest

ray = pytest.importorskip("ray")
from ray.cluster_utils import Cluster  # noqa: E402

import raddle  # noqa: E402
from raddle import _ray  # noqa: E402

VARY = ["load=500/s,1000/s,2000/s", "recipe=leftover,leftover-drain,spatial"]


@pytest.fixture
def cluster():
    """A node that runs nothing, and two with a processor each."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "ray_client_server_port": port})
    cluster.client = f"ray://127.0.0.1:{port}"
    cluster.workers = [cluster.add_node(num_cpus=1) for _ in range(2)]
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture(scope="session")
def varied(asked):
    # Long enough that a case takes a second and more.
    return {**asked, "requests": {"serve": "500/s"}, "until": os.environ.get("RADDLE_RAY_UNTIL", "400ms")}


@pytest.fixture(scope="session")
def local(pair, varied, tmp_path_factory):
    """The same on this machine."""
    return raddle.sweep(pair, vary=VARY, out=tmp_path_factory.mktemp("local") / "rows.jsonl", **varied)


def sorted_rows(file):
    return sorted(file.read_text().splitlines())


def test_rows_are_those_of_one_machine(cluster, pair, varied, local, tmp_path):
    out = tmp_path / "rows.jsonl"
    # What one machine has begun, a cluster ends.
    out.write_text("".join(line + "\n" for line in local.out.read_text().splitlines()[:2]))
    swept = raddle.sweep(pair, vary=VARY, out=out, engine="ray", **varied)
    assert sorted_rows(out) == sorted_rows(local.out)
    assert swept.summary == local.summary


def test_the_cluster_may_be_elsewhere(cluster, pair, varied, local, tmp_path):
    pytest.importorskip("grpc")
    out = tmp_path / "rows.jsonl"
    raddle.sweep(pair, vary=VARY, out=out, engine=cluster.client, **varied)
    assert sorted_rows(out) == sorted_rows(local.out)


def test_a_node_is_lost_while_it_holds_cases(cluster, pair, varied, local, tmp_path, monkeypatch):
    started = tmp_path / "started"
    started.mkdir()
    run = _ray._rows
    doomed = cluster.workers[0]
    doomed_id = doomed.node_id

    # Inside of the test, so that it travels with the task.
    def told(question, positions):
        (position,) = positions
        node = ray.get_runtime_context().get_node_id()
        (started / f"{position}-{node}").write_text("")
        rows = run(question, positions)
        if node == doomed_id:
            time.sleep(600)  # It holds the case until it is lost.
        (started / f"{position}-{node}.done").write_text("")
        return rows

    sweep, files = question(pair, varied, tmp_path, monkeypatch)
    _ray._rows, came, killed = told, [], None
    try:
        for row in _ray.rows(sweep, files, range(9)):
            came.append(row)
            if killed is None:
                killed = await_running(started, doomed.node_id)
                cluster.remove_node(doomed, allow_graceful=False)
                cluster.add_node(num_cpus=1)
    finally:
        _ray._rows = run
    assert sorted(row.rstrip("\n") for row in came) == sorted_rows(local.out)
    # The case that was running there was run again elsewhere.
    tries = [it.name for it in started.iterdir() if it.name.startswith(f"{killed}-") and not it.name.endswith(".done")]
    assert len(tries) == 2 and not (started / f"{killed}-{doomed.node_id}.done").exists()


def await_running(started, node):
    """The case that a node is running now."""
    for _ in range(600):
        running = {it.name for it in started.iterdir()}
        for name in running:
            if name.endswith(node) and f"{name}.done" not in running:
                return int(name.split("-")[0])
        time.sleep(0.1)
    raise AssertionError("no case is running there")


def question(pair, varied, folder, monkeypatch):
    """What the command hands over to Python for Ray."""
    asked, program = folder / "asked.json", folder / "python"
    program.write_text(f"#!/bin/sh\ncat > '{asked}'\nexit 1\n")
    program.chmod(0o755)
    with monkeypatch.context() as patch:
        patch.setenv("RADDLE_PYTHON", str(program))
        with pytest.raises(raddle.RaddleError, match="goes on"):
            raddle.sweep(pair, vary=VARY, out=folder / "rows.jsonl", engine="ray", **varied)
    said = json.loads(asked.read_text())
    assert said["files"] == sorted(str(file) for file in pair) and said["positions"] == list(range(9))
    return json.dumps(said["sweep"]), {str(file): file.read_bytes() for file in pair}
