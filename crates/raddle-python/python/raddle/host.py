"""What does a host tell a dispatcher, and what is it told to do?

A host drives a device, real or its own model of one, with `raddle.Dispatcher`: it tells events, asks for a decision, carries out the actions in their
order, and reports them by events. Events and actions are dictionaries in the words of decision logs. Times are nanoseconds, and never go down.

`pieces` are workgroups, as a log spells them: `[first, stride, count, cu, cus]` are on each of `cus` compute units from `cu` on `count` workgroups `stride` apart,
the first of them `first` on the lowest unit and one higher on each further unit, or `step` higher where a sixth number says so. `workgroups` lists them one by one;
`[workgroup, 1, 1, cu, 1]` is one of them. Whoever reports the end of a whole start gives its pieces back.

`waves` and `cut`, each the first wave and the number of waves, are there where waves of workgroups start one by one, or a workgroup was cut; they stand in the
report as in the start.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypedDict, Union

__all__ = [
    "Action",
    "Demand",
    "Event",
    "Hint",
    "Launch",
    "Pieces",
    "workgroups",
]

#: Workgroups and their compute units, in runs.
Pieces = Sequence[Sequence[int]]
#: The first wave, and the number of waves.
Waves = Sequence[int]
#: The way in which a device takes a launch off.
TakenOffBy = Literal["wait", "flag", "drain", "kill", "save"]


def workgroups(pieces: Pieces) -> Iterator[tuple[int, int]]:
    """The workgroups of pieces one by one: its number, and its compute unit."""
    for first, stride, count, cu, cus, *step in pieces:
        for unit in range(cus):
            for at in range(count):
                yield first + unit * (step[0] if step else 1) + at * stride, cu + unit


class Demand(TypedDict):
    """What one workgroup takes, in granules of the device; registers are those of a wave."""

    waves: int
    vgpr: int
    sgpr: int
    lds: int
    barriers: int


class _Launch(TypedDict):
    id: int
    process: int
    stream: int
    level: int
    workgroups: int
    demand: Demand
    barrier: Literal["no", "yes", "assumed"]
    idempotent: Literal["idempotent", "not", "unknown"]


class Launch(_Launch, total=False):
    """A kernel launch; `Dispatcher.launch` makes one. The smaller the level, the more urgent."""

    estimate: int
    activity: Sequence[int]
    call: dict[str, Any]


class ProcessJoined(TypedDict):
    """A process appeared; its share is 1 or more."""

    event: Literal["process-joined"]
    process: int
    share: int


class OfProcess(TypedDict):
    """A process is gone; every launch of it that starts from now on sees its flag; its reset is over."""

    event: Literal["process-left", "raised", "reset-over"]
    process: int


class OfNewLaunch(TypedDict):
    """A launch was issued and waits for nothing; or, for a dispatcher that looks ahead, waits for another one."""

    event: Literal["launch-ready", "launch-issued"]
    launch: Launch


class CopyIssued(TypedDict):
    """A copy was issued, for a dispatcher that looks ahead."""

    event: Literal["copy-issued"]
    copy: int
    process: int
    stream: int
    level: int
    lasts: int


class OfCopy(TypedDict):
    """A copy waits for nothing any more; it has ended."""

    event: Literal["copy-ready", "copy-ended"]
    copy: int


class _WavesEnded(TypedDict):
    event: Literal["waves-ended"]
    launch: int
    pieces: Pieces


class WavesEnded(_WavesEnded, total=False):
    """Workgroups, or waves of them, ended."""

    waves: Waves
    cut: Waves


class TakenOff(TypedDict):
    """A launch was taken off as asked; `done` of its workgroups have ended."""

    event: Literal["taken-off"]
    launch: int
    how: TakenOffBy
    done: int


class Restored(TypedDict):
    """A launch that was taken off runs again."""

    event: Literal["restored"]
    launch: int


class Hint(TypedDict, total=False):
    """One of them. Times are counted from when the work became ready, `utilisation` is in percent."""

    priority: int
    deadline: int
    laxity: int
    utilisation: int
    custom: int


class _Hinted(TypedDict):
    event: Literal["hint"]
    process: int
    hint: Hint


class Hinted(_Hinted, total=False):
    """A program gives a hint about a process, or about one of its streams."""

    stream: int


class Woke(TypedDict):
    """The time has come that `decide` named."""

    event: Literal["woke"]


Event = Union[
    ProcessJoined, OfProcess, OfNewLaunch, CopyIssued, OfCopy, WavesEnded, TakenOff, Restored, Hinted, Woke
]


class Submit(TypedDict):
    """Take over a launch; nothing reports it. `sequence` is compared with raised flags, all else is what the path costs."""

    action: Literal["submit"]
    launch: int
    sequence: int
    packets: int
    bytes: int
    cost: int
    cleanup: int


class _Start(TypedDict):
    action: Literal["start"]
    launch: int
    pieces: list[list[int]]


class Start(_Start, total=False):
    """Start workgroups, at `places` where there are any, one a wave: SIMD, vector registers, scalar registers, LDS. `waves-ended` reports each."""

    waves: list[int]
    cut: list[int]
    places: list[list[int]]


class StartCopy(TypedDict):
    """Start a copy. `copy-ended` reports its end."""

    action: Literal["start-copy"]
    copy: int


class Assign(TypedDict):
    """Bind a workgroup to a compute unit; nothing reports it."""

    action: Literal["assign"]
    launch: int
    workgroup: int
    cu: int


class TakeOff(TypedDict):
    """Take a launch off. `taken-off` reports it."""

    action: Literal["take-off"]
    launch: int
    how: TakenOffBy


class Restore(TypedDict):
    """Let a launch that was taken off continue. `restored` reports it."""

    action: Literal["restore"]
    launch: int


class Raise(TypedDict):
    """Raise the flags of a process: a launch leaves if its `sequence` is in the cut of its stream, of which each is stream, first, and first that stays.
    `raised` reports that launches see it."""

    action: Literal["raise"]
    process: int
    cuts: list[tuple[int, int, int]]


class ToProcess(TypedDict):
    """Lower the flags of a process, which nothing reports; reset its compute units, whose end `reset-over` reports."""

    action: Literal["lower", "reset"]
    process: int


class Drained(TypedDict):
    """The preemption of a process is complete; nothing is to do."""

    action: Literal["drained"]
    process: int
    how: Literal["wait", "flag", "drain", "reset", "switch"]
    after: int


class _Refuse(TypedDict):
    action: Literal["refuse"]
    launch: int
    resource: str
    wanted: int
    available: int


class Refuse(_Refuse, total=False):
    """The launch will never run; launches that wait for it need not wait. Without `cu` that is so of all compute units."""

    cu: int


Action = Union[
    Submit, Start, StartCopy, Assign, TakeOff, Restore, Raise, ToProcess, Drained, Refuse
]
