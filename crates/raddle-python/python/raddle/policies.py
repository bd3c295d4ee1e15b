"""What does a policy of your own look like?

A policy is a class with the methods of one of the protocols below; by them its slot is known. A recipe names it by its attribute `name`, or by
the name of the class in kebab-case, and its settings are the arguments of the class:

    class LeastServed:
        def __init__(self, slice_us=500):
            self.slice = slice_us * 1000

        def turn(self, processes, now):
            least = min(processes, key=lambda process: (process.ran, process.id))
            return [least.id], now + self.slice

    raddle.replay(
        [...],
        policies=[LeastServed],
        recipe=["leftover", {"name": "mine", "turn": {"policy": "least-served", "slice-us": 100}}],
    )

It reads what it is shown, keeps at most a memory of its own, and answers: the same memory and arguments give the same answer. It has no clock, no
random numbers without a seed and no access to the device. `raddle.laws` checks the laws of each. Times are nanoseconds of the run; registers, shared memory
and barriers are in the granules of the device. Each may have a method `observe(fact, now)`, which hears what happened: a dictionary whose only key is its kind, as in
decision logs.

Python is asked at every decision, through one interpreter for all runs: slow, and meant for trials. `Rank` is asked most often. In Rust the same policy is a
small trait of raddle-policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional, Protocol, TypedDict, Union

from ._raddle import Cus, Free, Hints, Launch, Process, Ready, ReadyLaunch, VictimLaunch

__all__ = [
    "Allocate",
    "Cus",
    "Free",
    "Hints",
    "Launch",
    "LaunchPath",
    "Preempt",
    "Process",
    "Rank",
    "Ready",
    "ReadyLaunch",
    "Submission",
    "Turn",
    "VictimLaunch",
]


class Turn(Protocol):
    """Which processes may issue launches now?"""

    def turn(self, processes: list[Process], now: int) -> Union[list[int], tuple[list[int], Optional[int]]]:
        """The ids of those that may, at least one; with the time until which that holds, if it is known."""


class Allocate(Protocol):
    """Which workgroups go where?

    It may have a method `allocate_round(ready, now)` too, which starts as many workgroups as it can in one answer: `(launch, [unit, unit, ...])`, the
    units of its next workgroups in their order. They must go where `allocate` would put them one by one.
    """

    def allocate(self, ready: Ready, now: int) -> Union[tuple[ReadyLaunch, int], int, None]:
        """`(launch, unit)` starts the next workgroup of one of `ready.launches` on a compute unit; None waits until something happens, and a time waits
        until then at the latest."""


class Rank(Protocol):
    """In which order are launches placed, and on which compute units? The least rank comes first."""

    def launch(self, launch: ReadyLaunch) -> int:
        """How early a launch is placed."""

    def unit(self, launch: Launch, room: int, free: Free) -> int:
        """How gladly a compute unit takes the next workgroup of a launch: what is free on it, and for how many such workgroups it has room, 1 or more."""


class Preempt(Protocol):
    """How does the work of a process leave that lost the turn?"""

    def preempt(self, process: Process, launches: Sequence[VictimLaunch], now: int) -> Optional[str]:
        """`wait`, `flag`, `drain`, `reset` or `switch`; None lets it stay."""


class Submission(TypedDict, total=False):
    """What it costs to hand a launch to the device: packets and bytes written, nanoseconds until it can start, and from its end until anybody knows of it."""

    packets: int
    bytes: int
    cost: int
    cleanup: int


class LaunchPath(Protocol):
    """How do launches reach the device, and at what cost?"""

    def submit(self, launch: Launch) -> Submission:
        """What this launch costs, behind those that were submitted before."""
