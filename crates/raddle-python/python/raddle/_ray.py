"""How do the cases of a sweep run on a Ray cluster?

`raddle sweep --engine ray` starts `python -m raddle._ray`, says on its standard input what is asked, and reads rows from its standard output. Each case
is a task, and on many processors several are. The files of the sweep are placed once in the object store; a process of a worker reads and fits them when its first case comes. Ray runs a task
again whose worker or node is gone; as a case gives the same row wherever it runs, rows do not depend on that.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

from ._raddle import Bench

#: Tasks that wait for each processor of the cluster, so that none is idle while rows are fetched.
_AHEAD = 2

#: Handing out a task takes whoever hands it out 1 to 2 ms. From so many processors on, a task is several cases.
_ONE_EACH = 64

#: Seconds after which the number of processors is asked again, as nodes come and go.
_AGE = 2.0

#: What this process has read, by the object that it came from.
_BENCHES: dict[str, Bench] = {}


def _rows(question: list[Any], positions: Sequence[int]) -> list[str]:
    """Runs cases in a worker. The object is in a list, so that it is fetched once a process and not once a task."""
    import ray

    (reference,) = question
    name = reference.hex()
    if name not in _BENCHES:
        _BENCHES[name] = Bench(*ray.get(reference))
    return [_BENCHES[name].row(position) for position in positions]


def rows(sweep: str, files: dict[str, bytes], positions: Sequence[int], address: str | None = None) -> Iterator[str]:
    """The rows of cases as they come, in any order."""
    import ray

    if not ray.is_initialized():
        ray.init(address=address, log_to_driver=False)
    reference = ray.put((sweep, files))
    # A node that is lost costs what ran there, and never the sweep. An exception is an answer, and no reason to try again.
    run = ray.remote(num_cpus=1, max_retries=-1, retry_exceptions=False)(_rows)
    next_one, waiting = 0, list[Any]()
    processors, asked_at = 1, float("-inf")
    while True:
        if time.monotonic() - asked_at > _AGE:
            processors, asked_at = max(1, int(ray.cluster_resources().get("CPU", 1))), time.monotonic()
        while len(waiting) < processors * _AHEAD and next_one < len(positions):
            # Towards the end they are single again, so that all processors end at the same time.
            left = len(positions) - next_one
            several = max(1, min(processors // _ONE_EACH, left // (processors * _AHEAD * 2)))
            waiting.append(run.remote([reference], positions[next_one : next_one + several]))
            next_one += several
        if not waiting:
            return
        ray.wait(waiting, num_returns=1)
        done, waiting = ray.wait(waiting, num_returns=len(waiting), timeout=0)
        for came in ray.get(done):
            yield from came


def main() -> None:
    """Reads a line of JSON with `sweep`, the paths of `files`, `positions` and `address`, and prints rows."""
    asked = json.loads(sys.stdin.readline())
    # What libraries print belongs to nobody's rows.
    out, sys.stdout = sys.stdout, sys.stderr
    files = {}
    for name in asked["files"]:
        with open(name, "rb") as file:
            files[name] = file.read()
    for row in rows(json.dumps(asked["sweep"]), files, asked["positions"], asked["address"]):
        out.write(row)
        out.flush()


if __name__ == "__main__":
    try:
        import ray  # noqa: F401
    except ImportError:
        sys.exit("Ray is not installed for this Python: pip install 'ray[client]'")
    # By its name, so that workers import it and keep what they read.
    from raddle import _ray

    _ray.main()
