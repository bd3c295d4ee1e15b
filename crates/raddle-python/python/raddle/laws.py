"""Does a policy of your own keep its laws, and what does it decide?

The laws are those of the traits in raddle-policy, which bundled policies keep too. In a test:

    def test_least_served():
        raddle.laws.check(LeastServed)
        assert raddle.laws.snapshot(LeastServed) == EXPECTED
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _raddle
from ._raddle import LawBroken

__all__ = ["LawBroken", "check", "snapshot"]


def check(policy: Callable[[], Any], cases: int = 256) -> None:
    """Plays so many scenarios, drawn at random and always the same, and raises `LawBroken` with the number of the first law that is broken and the
    smallest scenario that shows it. `policy` is a class whose arguments all have defaults."""
    _raddle.check(policy, cases)


def snapshot(policy: Callable[[], Any]) -> str:
    """What the policy decides in a small scenario, as a table for a test to compare with."""
    return _raddle.snapshot(policy)
