from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, final

__all__ = [
    "Allocator",
    "Bench",
    "BlockWarp",
    "Composed",
    "Cus",
    "Distribution",
    "Free",
    "FreeMap",
    "Hints",
    "Launch",
    "LawBroken",
    "PacketAgent",
    "Place",
    "PlacementCheck",
    "PlacementFinding",
    "PlacementReport",
    "Process",
    "RaddleError",
    "Ready",
    "ReadyLaunch",
    "Replayed",
    "Ring",
    "Slices",
    "Started",
    "VictimLaunch",
    "WarpEnd",
    "answer",
    "arrow_stream",
    "check",
    "check_table",
    "hint",
    "main",
    "recipe_text",
    "replay",
    "snapshot",
]

class RaddleError(RuntimeError):
    """What raddle refused: the message says what, where and what to do."""

    exit_code: int
    """That of the same command."""

class LawBroken(AssertionError):
    """A law of a policy that was broken: its number, what happened, and the smallest scenario that shows it."""

@final
class Launch:
    @property
    def id(self) -> int: ...
    @property
    def process(self) -> int: ...
    @property
    def stream(self) -> int: ...
    @property
    def level(self) -> int:
        """How urgent it is, 0 first."""
    @property
    def workgroups(self) -> int: ...
    @property
    def waves(self) -> int:
        """Waves of a workgroup."""
    @property
    def vgpr(self) -> int:
        """Vector registers of a wave."""
    @property
    def sgpr(self) -> int:
        """Scalar registers of a wave."""
    @property
    def lds(self) -> int:
        """Shared memory of a workgroup."""
    @property
    def barriers(self) -> int: ...
    @property
    def may_have_barrier(self) -> bool: ...
    @property
    def idempotent(self) -> bool | None:
        """Whether it may be killed and run again; None where nobody knows."""
    @property
    def kernel(self) -> int:
        """Which kernel of the profile it is, from 1; 0 where that is not known."""

@final
class ReadyLaunch:
    """A submitted launch that still has something to start."""

    @property
    def launch(self) -> Launch: ...
    @property
    def next(self) -> int:
        """The lowest workgroup that has not started."""
    @property
    def undistributed(self) -> int:
        """Workgroups that have not started."""
    @property
    def submitted(self) -> int: ...

@final
class Free:
    """What is free on one compute unit."""

    @property
    def waves(self) -> int: ...
    @property
    def vgpr(self) -> int: ...
    @property
    def sgpr(self) -> int: ...
    @property
    def lds(self) -> int: ...
    @property
    def workgroups(self) -> int: ...
    @property
    def barriers(self) -> int: ...

@final
class Cus:
    """What is free on every compute unit; units are numbered from 0."""

    def __len__(self) -> int: ...
    def room(self, cu: int, launch: Launch) -> int:
        """How many further workgroups of the launch fit on a compute unit."""
    def free(self, cu: int) -> Free: ...

@final
class Ready:
    @property
    def launches(self) -> list[ReadyLaunch]:
        """In the order of their submission."""
    @property
    def cus(self) -> Cus: ...

@final
class Process:
    @property
    def id(self) -> int: ...
    @property
    def level(self) -> int:
        """The most urgent level of its launches, 0 first."""
    @property
    def share(self) -> int: ...
    @property
    def joined(self) -> int: ...
    @property
    def alive(self) -> int:
        """For how long it has been runnable so far."""
    @property
    def ran(self) -> int:
        """For how long it has had waves on the device so far."""
    @property
    def resident_waves(self) -> int: ...
    @property
    def ready(self) -> int | None:
        """Launches that are ready and not submitted; None where nobody knows."""
    @property
    def submitted(self) -> int:
        """Launches that are submitted and have not ended."""
    @property
    def outstanding(self) -> int | None:
        """For how long the ready and submitted launches are expected to run together; None unless that is known of all."""
    @property
    def ready_since(self) -> int:
        """When it last became runnable."""
    @property
    def waiting_since(self) -> int | None:
        """Since when it has had no waves on the device although it is runnable; None while it has some."""
    @property
    def streams(self) -> int | None:
        """Streams with launches that are ready or submitted; None where nobody knows."""
    @property
    def hints(self) -> Hints: ...

@final
class Hints:
    """The last hint of each kind that the program of a process gave; None where it gave none."""

    @property
    def priority(self) -> int | None:
        """How urgent it is, 0 first, whatever the levels of its launches."""
    @property
    def deadline(self) -> int | None:
        """The time after which its work should have ended, counted from when the work became ready."""
    @property
    def laxity(self) -> int | None:
        """For how long its work may wait, counted from when the work became ready."""
    @property
    def utilisation(self) -> int | None:
        """The part of the device that it is to have, in percent."""
    @property
    def custom(self) -> int | None:
        """A number that a policy and its programs agree on."""
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...

@final
class VictimLaunch:
    @property
    def launch(self) -> Launch: ...
    @property
    def unstarted(self) -> int: ...
    @property
    def resident_waves(self) -> int: ...
    @property
    def submitted(self) -> int: ...

@final
class Composed:
    """A dispatcher that takes and gives JSON."""

    def __new__(
        cls, recipe: str, text: bool, device: str, policies: Sequence[type], log: bool
    ) -> Composed: ...
    @property
    def device(self) -> str: ...
    @property
    def cus(self) -> int: ...
    @property
    def looks_ahead(self) -> bool: ...
    def event(self, now: int, event: str) -> None: ...
    def decide(self, now: int) -> tuple[str, int | None]: ...
    def free(self, cu: int) -> Free: ...
    def demand(self, footprint: str) -> str: ...
    def log(self) -> str | None: ...

@final
class Bench:
    """Runs cases of a sweep, its files in memory."""

    def __new__(cls, sweep: str, files: dict[str, bytes]) -> Bench: ...
    def __len__(self) -> int: ...
    def row(self, position: int) -> str: ...

@final
class Replayed:
    def summary(self) -> str: ...
    def html(self) -> str: ...
    def text(self, columns: int, verbose: bool) -> str: ...

@final
class FreeMap:
    """Equal blocks, each free or taken, counted from 0. `fit` is `first`, `best`, `worst`, or `next`: the lowest start at or after `after`, around the end."""

    def __new__(cls, blocks: int) -> FreeMap: ...
    @staticmethod
    def from_digits(digits: str) -> FreeMap:
        """1 is free; the first digit is block 0."""
    @property
    def blocks(self) -> int: ...
    @property
    def free(self) -> int: ...
    @property
    def longest(self) -> int:
        """Blocks of the longest free run."""
    @property
    def runs(self) -> list[tuple[int, int]]:
        """The free runs, lowest first: start and length."""
    def find(self, want: int, fit: str = "first", after: int = 0) -> int | None:
        """Where a free run of so many blocks begins; takes nothing."""
    def allocate(self, want: int, fit: str = "first", after: int = 0) -> int | None:
        """As `find`, and takes the run."""
    def take(self, start: int, length: int) -> bool:
        """Takes exactly these blocks; False where one of them is taken."""
    def release(self, start: int, length: int) -> None: ...

@final
class Ring:
    """Blocks that are handed out at a tail, or from 0 where those up to the end are too few, and reclaimed in order."""

    def __new__(cls, blocks: int) -> Ring: ...
    @property
    def blocks(self) -> int: ...
    def find(self, want: int) -> int | None: ...
    def allocate(self, want: int) -> int | None: ...
    def release(self, start: int) -> None:
        """Gives back the part that begins there."""

@final
class Place:
    """The address of one wave, in granules."""

    @property
    def simd(self) -> int: ...
    @property
    def vgpr(self) -> int: ...
    @property
    def sgpr(self) -> int: ...
    @property
    def lds(self) -> int: ...

@final
class Allocator:
    """Compute units of one shape, with every granule that is taken, and by whom."""

    def __new__(
        cls,
        cus: int,
        *,
        simds: int,
        waves_per_simd: int,
        vgpr_per_simd: int,
        sgpr: int,
        lds: int,
        workgroups: int,
        barriers: int,
    ) -> Allocator: ...
    @property
    def workgroups(self) -> int:
        """Those that lie on the device."""
    def allocate(
        self,
        cu: int,
        launch: int,
        workgroup: int,
        *,
        waves: int,
        vgpr: int = 0,
        sgpr: int = 0,
        lds: int = 0,
        barriers: int = 0,
        simd: int | None = None,
    ) -> list[Place] | str:
        """The places of its waves; or the resource that lacks, and nothing is taken. Registers are those of a wave. Without `simd` a wave goes to
        the SIMD with most room, with it to the first one that takes it, counted around from there."""
    def release(self, cu: int, launch: int, workgroup: int) -> None: ...

@final
class Distribution:
    """Blocks that go to an SM: `count` of them from `first` on."""

    @property
    def route(self) -> Literal["whole", "first", "second"]: ...
    @property
    def kernel(self) -> int: ...
    @property
    def sm(self) -> int: ...
    @property
    def first(self) -> int: ...
    @property
    def count(self) -> int: ...

@final
class Started:
    """Warps of a block that start: `count` of them from `first` on."""

    @property
    def kernel(self) -> int: ...
    @property
    def block(self) -> int: ...
    @property
    def first(self) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def last(self) -> bool:
        """Whether all warps of the block have started with these."""

@final
class WarpEnd:
    @property
    def sm(self) -> int:
        """It is to be served then."""
    @property
    def block_done(self) -> bool: ...
    @property
    def kernel_done(self) -> bool: ...

@final
class BlockWarp:
    """The controllers of equal SMs (seed 003)."""

    def __new__(
        cls,
        sms: int,
        *,
        registers: int,
        warps: int,
        shared: int,
        strict: bool = False,
        choose: str = "lowest",
        fall_through: bool = False,
        backfill: bool = True,
        whole_blocks_for_barriers: bool = True,
    ) -> BlockWarp: ...
    def arrive(
        self,
        kernel: int,
        *,
        rank: int,
        blocks: int,
        warps: int,
        registers: int = 0,
        shared: int = 0,
        barrier: bool = False,
    ) -> tuple[str, int, int] | None:
        """None, or why a block never fits: the resource, what is wanted and what an SM has. The smaller the rank, the more urgent. Registers are those of a
        warp, warps and shared memory those of a block."""
    def decide(self) -> Distribution | None:
        """The next decision; its SM is to be served at once."""
    def serve(self, sm: int) -> Started | None: ...
    def ended(self, kernel: int, block: int) -> WarpEnd:
        """One warp of the block has ended."""
    def remaining(self, sm: int) -> tuple[int, int, int]:
        """Registers, warps and shared memory that are left."""

@final
class Slices:
    """Which processes are loaded, and the slice of each (seed 004). A pool lists processes: id, level (0 is the most urgent), share, ticks alive, ticks
    run."""

    def __new__(
        cls,
        t0: int,
        capacity: int,
        rule: str,
        *,
        longest: int | None = None,
        shares: str = "weight",
        reload: str = "one-pass",
        take_over: str = "slice-end",
        seed: int | None = None,
    ) -> Slices: ...
    def next(self, pool: Sequence[tuple[int, int, int, int, int]]) -> tuple[int, int] | None:
        """The process that runs next, and for how many ticks; None for an empty pool."""
    def cuts(self, running: int, pool: Sequence[tuple[int, int, int, int, int]]) -> bool:
        """Whether a process of the pool ends the running slice now, which is of this level."""

@final
class PacketAgent:
    """The device's side of condensed packets (seed 002)."""

    def __new__(cls) -> PacketAgent: ...
    def receive(self, packet: bytes) -> tuple[Literal["launches", "barrier", "foreign"], list[dict[str, int]]]:
        """The kind of a packet of 64 bytes, and the fields of its launches."""

@final
class PlacementFinding:
    """Something that breaks a rule of allocation."""

    @property
    def rule(self) -> str: ...
    @property
    def line(self) -> int:
        """The line of the table, or the number of the event, from 1."""
    @property
    def clock(self) -> int: ...
    @property
    def what(self) -> str: ...
    @property
    def map(self) -> str:
        """The map at that moment, for a start that differs or does not fit."""

@final
class PlacementReport:
    """What a check found; as text it is what `raddle check-placement` prints."""

    @property
    def events(self) -> int: ...
    @property
    def placed(self) -> int: ...
    @property
    def open(self) -> int: ...
    @property
    def predicted(self) -> int: ...
    @property
    def agreeing(self) -> int: ...
    @property
    def total(self) -> int:
        """The number of all findings."""
    @property
    def counts(self) -> dict[str, int]: ...
    @property
    def findings(self) -> list[PlacementFinding]:
        """The first ones."""

@final
class PlacementCheck:
    """A check that is told event by event. `resources` has blocks and `per-wave` or `shared` by name, `fit` is the rule of all starts or one by name:
    `first`, `best`, `worst`, `next` or `ring`. Each event returns how many findings it adds."""

    def __new__(
        cls,
        units: int,
        resources: Mapping[str, tuple[int, str]],
        *,
        wave_slots: int = 0,
        fit: str | Mapping[str, str] | None = None,
        lag: int = 0,
    ) -> PlacementCheck: ...
    def request(self, clock: int, workgroup: int, waves: int | None = None, **sizes: int) -> int: ...
    def place(self, clock: int, unit: int, workgroup: int, waves: int | None = None, **parts: tuple[int, int]) -> int:
        """`parts`: start and size by the name of the resource."""
    def wave(
        self, clock: int, unit: int, workgroup: int, wave: int | None = None, tag: int | None = None, **bases: int
    ) -> int: ...
    def end(self, clock: int, unit: int, workgroup: int, wave: int | None = None, tag: int | None = None) -> int:
        """A wave ends; all of them without `wave` and `tag`."""
    def free(self, clock: int, unit: int, workgroup: int) -> int: ...
    @property
    def report(self) -> PlacementReport:
        """What was found so far."""
    def finish(self) -> PlacementReport:
        """Ends the check: requests that are open then may be a stop."""

def answer(topic: str, question: str) -> str: ...
def arrow_stream(columns: Sequence[tuple[str, str, Sequence[object]]]) -> object: ...
def check(policy: Callable[[], Any], cases: int) -> None: ...
def check_table(table: bytes, fit: str | Mapping[str, str] | None, lag: int) -> PlacementReport: ...
def hint(
    *,
    level: int | None = None,
    share: int | None = None,
    priority: int | None = None,
    deadline_ns: int | None = None,
    laxity_ns: int | None = None,
    utilisation: int | None = None,
    custom: int | None = None,
) -> int:
    """Says something of this process to the daemon of `raddle live`, and gives back how many of its programs have
    joined that daemon; with 0, as before the first use of a device, nothing has changed."""

def main(args: Sequence[str]) -> int: ...
def recipe_text(recipe: str) -> str: ...
def replay(args: Sequence[str], policies: Sequence[type]) -> Replayed: ...
def snapshot(policy: Callable[[], Any]) -> str: ...
