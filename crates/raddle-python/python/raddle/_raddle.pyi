from collections.abc import Callable, Sequence
from typing import Any, final

__all__ = [
    "Bench",
    "Cus",
    "Free",
    "Launch",
    "LawBroken",
    "Process",
    "RaddleError",
    "Ready",
    "ReadyLaunch",
    "Replayed",
    "VictimLaunch",
    "arrow_stream",
    "check",
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

def arrow_stream(columns: Sequence[tuple[str, str, Sequence[object]]]) -> object: ...
def check(policy: Callable[[], Any], cases: int) -> None: ...
def main(args: Sequence[str]) -> int: ...
def recipe_text(recipe: str) -> str: ...
def replay(args: Sequence[str], policies: Sequence[type]) -> Replayed: ...
def snapshot(policy: Callable[[], Any]) -> str: ...
