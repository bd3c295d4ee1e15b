"""How does an event loop of your own drive a dispatcher?"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Literal

from . import _raddle
from ._raddle import Free
from ._replay import File, Recipe
from .host import Action, Event, Launch

__all__ = ["Dispatcher"]


class Dispatcher:
    """A dispatcher of four policies, which takes events and returns actions: `raddle.host` says which.

        d = raddle.Dispatcher("leftover", "h100")
        d.event(0, {"event": "process-joined", "process": 0, "share": 1})
        d.event(0, {"event": "launch-ready", "launch": d.launch(0, process=0, workgroups=640, threads=256)})
        actions, wake = d.decide(0)

    The recipe is the name of a bundled one, a file, the text of one (TOML, or JSON), or a dictionary with its content; the device an id, a file, or the
    name of a product. `policies` are classes of your own, as in `replay`.

    Times are nanoseconds, and never go down; the same events at the same times give the same actions. All known events of one time are told before the
    decision. An event that is refused raises `RaddleError` and changes nothing. An error of `decide` ends the run: a policy broke its law.
    """

    def __init__(
        self, recipe: Recipe, device: File, *, policies: Sequence[type] = (), log: bool = True
    ) -> None:
        given, is_text = _given(recipe)
        self._composed = _raddle.Composed(given, is_text, os.fspath(device), list(policies), log)

    @property
    def device(self) -> str:
        """The id of the device."""
        return self._composed.device

    @property
    def cus(self) -> int:
        """The number of its compute units."""
        return self._composed.cus

    @property
    def looks_ahead(self) -> bool:
        """Whether it hears of launches that wait for others, and of copies: its recipe has a `window`."""
        return self._composed.looks_ahead

    def launch(
        self,
        id: int,
        *,
        process: int,
        workgroups: int,
        threads: int,
        vgprs_per_thread: int = 0,
        sgprs_per_wave: int = 0,
        lds_bytes: int = 0,
        barrier: Literal["no", "yes", "assumed"] = "assumed",
        stream: int = 0,
        level: int = 0,
        idempotent: Literal["idempotent", "not", "unknown"] = "unknown",
    ) -> Launch:
        """A launch of equal workgroups, for an event; each id is given once. Registers and bytes are rounded up to granules of the device; a workgroup
        that no compute unit holds raises `RaddleError`."""
        footprint = {
            "threads": threads,
            "vgprs-per-thread": vgprs_per_thread,
            "sgprs-per-wave": sgprs_per_wave,
            "lds-bytes": lds_bytes,
            "barrier": barrier,
        }
        return {
            "id": id,
            "process": process,
            "stream": stream,
            "level": level,
            "workgroups": workgroups,
            "demand": json.loads(self._composed.demand(json.dumps(footprint))),
            "barrier": barrier,
            "idempotent": idempotent,
        }

    def event(self, now: int, event: Event) -> None:
        """Tells that something happened."""
        self._composed.event(now, json.dumps(event))

    def decide(self, now: int) -> tuple[list[Action], int | None]:
        """What to do now, in this order, which is nothing where no event was told since the last decision; and when to send `woke` and ask again, if nothing
        happens earlier."""
        actions, wake = self._composed.decide(now)
        return json.loads(actions), wake

    def free(self, cu: int) -> Free:
        """What is free on a compute unit, in granules."""
        return self._composed.free(cu)

    def log(self) -> str:
        """The decision log so far: `raddle log FILE --replay` gives its answers again, and `--check` holds it to the rules. It grows with every event, and is empty
        without `log`."""
        return self._composed.log() or ""

    def __repr__(self) -> str:
        return f"<raddle.Dispatcher of {self.device}: {self.cus} compute units>"


def _given(recipe: Recipe) -> tuple[str, bool]:
    """A recipe, and whether it is given as its text."""
    if isinstance(recipe, Mapping):
        return json.dumps({"raddle": 1, **{key: it for key, it in recipe.items() if key != "name"}}), True
    if isinstance(recipe, os.PathLike):
        return os.fspath(recipe), False
    # Every recipe has a key `raddle`, and neither a name nor a path of one has these.
    return recipe, "=" in recipe or recipe.lstrip().startswith("{")
