"""How is a sweep asked for, and what does it give?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._raddle import RaddleError
from ._replay import File, Many, Options, command_options, command_files
from ._table import Table, scalars

if TYPE_CHECKING:
    from typing_extensions import Unpack


#: Exit codes with which the command has written its rows and its summary.
_ANSWERED = (0, 4, 5)


class Sweep:
    """What came out of a sweep."""

    def __init__(self, out: Path, summary: dict[str, Any], exit_code: int = 0) -> None:
        #: The file of rows. A page of the same name stands beside it.
        self.out = out
        #: What `raddle sweep --format json` prints: figures over seeds.
        self.summary = summary
        #: That of the command: 4 where cases have no answer, 5 where no set of values meets all goals, else 0.
        self.exit_code = exit_code

    @property
    def failed(self) -> Table:
        """Each case that failed, and why. Nothing is concluded of them; the same call runs them once more."""
        return Table(scalars(case) for case in self.summary.get("failures", ()))

    @cached_property
    def rows(self) -> Table:
        """A row for each case: what was varied, and its figures, or its error."""
        with self.out.open(encoding="utf-8") as lines:
            return Table(scalars(json.loads(line)) for line in lines)

    @property
    def page(self) -> Path:
        """The report."""
        return self.out.with_suffix(".html")

    def __repr__(self) -> str:
        return f"<raddle.Sweep: {self.out}>"


def sweep(
    profiles: File | Sequence[File], *, vary: Many, out: File, engine: str = "local", **options: Unpack[Options]
) -> Sweep:
    """Replays profiles once for each combination of what is varied, as `raddle sweep` does.

    `vary` are texts such as `"load=10..80/s"`, `"device=h100,b200"`; the options are those of `replay`. Rows are added to the file `out`, and a case that it
    holds is not run again: a sweep that was stopped goes on. `engine` is `"local"`, the cores of this machine; `"ray"`, the cluster that
    `RAY_ADDRESS` names or this process has joined, else one on this machine; or `"ray://HOST:PORT"`.

    Raises `RaddleError` where something cannot be read or used. A case that fails is a row with its error, and one of `failed`: the same call runs it
    once more.
    """
    out = Path(out)
    with tempfile.TemporaryDirectory(prefix="raddle-") as folder:
        varied = [vary] if isinstance(vary, str) else vary
        asked = [
            *(f"--vary={text}" for text in varied),
            f"--out={out}",
            f"--engine={engine}",
            *command_options(options, Path(folder)),
        ]
        command = [sys.executable, "-m", "raddle", "sweep", "--format=json", *asked, "--", *command_files(profiles)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=_environment(engine))
    if done.returncode not in _ANSWERED:
        error = RaddleError(done.stderr.strip())
        error.exit_code = done.returncode
        raise error
    return Sweep(out, json.loads(done.stdout), done.returncode)


def _environment(engine: str) -> dict[str, str]:
    environment = dict(os.environ)
    ray = sys.modules.get("ray")
    if engine == "ray" and ray is not None and ray.is_initialized():
        environment.setdefault("RAY_ADDRESS", ray.get_runtime_context().gcs_address)
    return environment
