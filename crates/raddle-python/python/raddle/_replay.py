"""How is a replay asked for, and what does it give?"""

from __future__ import annotations

import html
import inspect
import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Union

from . import _raddle
from ._table import Cell, Table, scalars

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: A file, by its path.
File = Union[str, "os.PathLike[str]"]
#: One value of an option, or several.
Many = Union[str, Sequence[str]]
#: The same for profiles by name: `{"serve": "40/s"}` is `serve=40/s`.
Named = Union[str, Sequence[str], Mapping[str, object]]
#: A bundled recipe, a recipe file, or what such a file holds, with its `name`.
Recipe = Union[File, Mapping[str, Any]]


class Options(TypedDict, total=False):
    """The options of `raddle replay`, of the same names, units and defaults; `raddle replay --help` says what each means.

    One that may be repeated takes a list. One that is said of profiles takes a dictionary too. Times are texts such as `"300ms"`, or numbers in milliseconds.
    """

    recipe: Union[Recipe, Sequence[Recipe]]
    all: bool
    goal: Many
    open_loop: bool
    device: File
    scale: str
    set: Named
    waits: str
    energy: bool
    energy_weights: File
    launch_latency: str
    queues: int
    memory: Named
    contention: str
    kernel_class: Named
    think: Named
    hint: Named
    priority: Named
    barriers: str
    idempotent: Named
    idempotent_from: Union[File, Sequence[File]]
    start: Named
    share: Named
    once: bool
    comm: str
    partial: bool
    shapes_from: Union[File, Sequence[File]]
    rank: Union[int, str, Sequence[Union[int, str]]]
    jobs: int
    arrivals: Named
    requests: Named
    until: str
    seed: int
    seeds: int
    jitter: str
    time_unit: str


class Result:
    """The answer to a replay. In a notebook it shows the report."""

    def __init__(self, replayed: _raddle.Replayed) -> None:
        self._replayed = replayed

    @cached_property
    def summary(self) -> dict[str, Any]:
        """What `summary.json` holds where no timelines are drawn, and `raddle replay --no-files --format json` prints."""
        summary: dict[str, Any] = json.loads(self._replayed.summary())
        return summary

    @property
    def verdict(self) -> str:
        """The answer in one sentence."""
        return str(self.summary["answer"]["verdict"]["text"])

    @property
    def recommended(self) -> str | None:
        """The recipe that the verdict recommends, if it does."""
        recipe = self.summary["answer"]["verdict"].get("recipe")
        return None if recipe is None else str(recipe)

    @cached_property
    def processes(self) -> Table:
        """Each process under each recipe: the figure by which it is judged (`decisive_ns`: requests by their 99th percentile, steps by their
        length), and what it takes alone."""
        answer = self.summary["answer"]
        return Table(
            {"recipe": row["recipe"], "process": of["name"], "judged": of["judged"], **scalars(process), "alone_ns": of["alone-ns"]}
            for row in answer["rows"]
            for of, process in zip(answer["processes"], row["processes"])
        )

    @cached_property
    def recipes(self) -> Table:
        """Each recipe: its rank from 1, whether it is complete and recommended, and everything counted of its run."""
        answer = self.summary["answer"]
        ranks = {at: rank for rank, at in enumerate(answer["ranking"], 1)}
        best = self.recommended
        return Table(
            {"recipe": recipe["name"], "rank": ranks.get(at), "recommended": recipe["name"] == best, **scalars(row), **scalars(recipe["summary"])}
            for at, (row, recipe) in enumerate(zip(answer["rows"], self.summary["recipes"]))
        )

    @cached_property
    def goals(self) -> Table:
        """Each goal under each recipe, and whether it is met."""
        answer = self.summary["answer"]
        return Table(
            {"recipe": row["recipe"], "goal": goal, "met": met}
            for row in answer["rows"]
            for goal, met in zip(answer["goals"], row["goals-met"])
        )

    @cached_property
    def latencies(self) -> Table:
        """How many requests, and launches of each level, took how long: `latency_ns` is the upper end of a bucket of a histogram, which is
        at most an eighth of it wide."""
        return Table(self._latencies())

    def _latencies(self) -> Iterator[dict[str, Cell]]:
        for recipe, process in self._processes():
            of: dict[str, Cell] = {"recipe": recipe, "process": process["name"]}
            for latency, count in process.get("requests", {}).get("latencies", ()):
                yield {**of, "of": "requests", "level": None, "latency_ns": latency, "count": count}
            for level in process["levels"]:
                for latency, count in level["latencies"]:
                    yield {**of, "of": "launches", "level": level["level"], "latency_ns": latency, "count": count}

    @cached_property
    def slowest(self) -> Table:
        """The slowest requests, and on what each waited."""
        return Table(
            {"recipe": recipe, "process": process["name"], **scalars(request)}
            for recipe, process in self._processes()
            for request in process.get("requests", {}).get("slowest", ())
        )

    @cached_property
    def profiles(self) -> Table:
        """Each profile, and how far its replay may be trusted."""
        return Table(scalars(profile) for profile in self.summary["profiles"])

    def _processes(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for recipe in self.summary["recipes"]:
            for process in recipe["summary"]["processes"]:
                yield recipe["name"], process

    def text(self, *, columns: int = 80, verbose: bool = False) -> str:
        """The report as text."""
        return self._replayed.text(columns, verbose)

    def html(self) -> str:
        """The report as a page that needs no network."""
        return self._replayed.html()

    def __repr__(self) -> str:
        return f"<raddle.Result: {self.verdict}>"

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        # A frame of its own: neither the page nor the notebook changes how the other looks.
        page = html.escape(self.html(), quote=True)
        return f'<iframe sandbox="allow-scripts" srcdoc="{page}" style="width: 100%; height: 48em; border: 0"></iframe>'


def replay(
    profiles: File | Sequence[File], *, policies: Sequence[type] = (), **options: Unpack[Options]
) -> Result:
    """Replays profiles under recipes, and recommends one.

    `profiles` are files of PyTorch, JAX, Nsight Systems or rocprof, or launch tables; `serve.json*3` is three processes of one. The
    options are those of `raddle replay`: `Options` lists them.

    `policies` are classes of your own with the methods of a policy (`raddle.policies`), which recipes can name. The simulator then asks
    Python at every decision, which is slow: try them on small profiles.

    Raises `RaddleError` where something cannot be read, used or run.
    """
    return _ask("replay", profiles, policies, options)


def share(
    profiles: File | Sequence[File], *, policies: Sequence[type] = (), **options: Unpack[Options]
) -> Result:
    """Replays profiles under the ways of sharing that the device offers, as `raddle share` does. The options are those of `replay`."""
    return _ask("share", profiles, policies, options)


def _show_options(function: Any) -> None:
    """Lets notebooks and `help` show every option."""
    signature = inspect.signature(function)
    shown = [it for it in signature.parameters.values() if it.kind is not it.VAR_KEYWORD]
    shown += [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        for name, annotation in Options.__annotations__.items()
    ]
    function.__signature__ = signature.replace(parameters=shown)


_show_options(replay)
_show_options(share)


def _ask(
    verb: str, profiles: File | Sequence[File], policies: Sequence[type], options: Options
) -> Result:
    with tempfile.TemporaryDirectory(prefix="raddle-") as folder:
        args = ["raddle", verb, *command_options(options, Path(folder)), "--", *command_files(profiles)]
        return Result(_raddle.replay(args, list(policies)))


def command_files(files: File | Sequence[File]) -> list[str]:
    """One file or several, as the command line names them."""
    listed = [files] if isinstance(files, (str, os.PathLike)) else files
    return [os.fspath(file) for file in listed]


def command_options(options: Options, folder: Path) -> Iterator[str]:
    """The options as the command line writes them; recipes that are no file become one in this folder."""
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if name == "recipe":
            several = [value] if isinstance(value, (str, os.PathLike, Mapping)) else value or []
            value = [_recipe(one, folder) for one in several]  # type: ignore[attr-defined]
        if value is True:
            yield option
        elif value is not None and value is not False:
            for text in _texts(value):
                yield f"{option}={text}"


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from (f"{name}={each}" for name, one in value.items() for each in _texts(one))
    elif isinstance(value, os.PathLike):
        yield os.fspath(value)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for one in value:
            yield from _texts(one)
    else:
        yield str(value)


def _recipe(recipe: Recipe, folder: Path) -> str:
    if not isinstance(recipe, Mapping):
        return os.fspath(recipe)
    content = {"raddle": 1, **recipe}
    name = str(content.pop("name", "recipe"))
    file = folder / f"{name}.toml"
    if file.parent != folder or file.exists():
        raise ValueError(f"a recipe is called {name!r}: give each a `name` of its own that can be the name of a file")
    file.write_text(_raddle.recipe_text(json.dumps(content)), encoding="utf-8")
    return str(file)


def main() -> None:
    """The command `raddle`."""
    # Whoever interrupts the command ends it, as one that is no Python.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # What `--engine ray` runs is this Python too.
    os.environ.setdefault("RADDLE_PYTHON", sys.executable)
    sys.exit(_raddle.main(["raddle", *sys.argv[1:]]))
