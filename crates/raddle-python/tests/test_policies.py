"""Are policies of Python asked, held to the laws, and told apart when they fail?"""

import random

import pytest

import raddle
from raddle import laws


class LeastServed:
    """Whoever has run for the shortest time, for a slice."""

    def __init__(self, slice_us=1):
        self.slice = slice_us * 1000

    def turn(self, processes, now):
        if not processes:
            return []
        least = min(processes, key=lambda process: (process.ran, process.id))
        return [least.id], now + self.slice


class Lowest:
    """The first launch that fits, on the lowest unit."""

    def allocate(self, ready, now):
        for entry in ready.launches:
            if entry.undistributed > 0:
                for cu in range(len(ready.cus)):
                    if ready.cus.room(cu, entry.launch) > 0:
                        return entry, cu
        return None


class LowestInBulk(Lowest):
    """The same, as many workgroups as fit at once."""

    def allocate_round(self, ready, now):
        for entry in ready.launches:
            left, units = entry.undistributed, []
            for cu in range(len(ready.cus)):
                units += [cu] * min(left - len(units), ready.cus.room(cu, entry.launch))
            if units:
                return entry, units
        return None


class SmallestFirst:
    """The order of examples/outside-policy."""

    def launch(self, launch):
        return launch.undistributed

    def unit(self, launch, room, free):
        return 2**32 - 1 - room


class Considerate:
    """Kills what may be killed, and lets all else end."""

    def preempt(self, process, launches, now):
        return "reset" if all(it.launch.idempotent for it in launches) else "drain"


class Dear:
    """Each launch has a packet of its own."""

    def submit(self, launch):
        return {"packets": 1, "bytes": 64, "cost": 1500}


ALL = [LeastServed, Lowest, LowestInBulk, SmallestFirst, Considerate, Dear]


@pytest.mark.parametrize("policy", ALL)
def test_policies_keep_their_laws(policy):
    laws.check(policy, cases=24)


def test_a_snapshot_is_that_of_the_same_policy_in_rust():
    # As examples/outside-policy has it.
    assert laws.snapshot(SmallestFirst).splitlines()[:5] == [
        "   t  launch  answer   pieces / refusals",
        "   0  k1      start    w0+2x2@cu0 w1@cu1",
        "   0  k0      start    w0+2x3@cu0 w1+2x3@cu1",
        "1000  k0      (ended)  w2@cu0 w1@cu1",
        "1000  k3      start    w0+2x2@cu1 w1+2x2@cu0 / k2 lacks waves: wants 4, cu0 has 2",
    ]
    for policy in ALL:
        assert laws.snapshot(policy) == laws.snapshot(policy)


class Forgetful:
    def turn(self, processes, now):
        return []


class Greedy:
    def allocate(self, ready, now):
        for entry in ready.launches:
            if entry.undistributed > 0:
                return entry, 0


class Moody:
    drawn = random.Random(1)

    def preempt(self, process, launches, now):
        return self.drawn.choice(["drain", "flag"])


@pytest.mark.parametrize("policy, law", [(Forgetful, "law 2 of Turn"), (Greedy, "law 2 of Allocate"), (Moody, "law 1 of Preempt")])
def test_a_broken_law_is_named_with_a_scenario(policy, law):
    with pytest.raises(laws.LawBroken, match=law) as broken:
        laws.check(policy)
    assert "with " in str(broken.value)


class Failing:
    def turn(self, processes, now):
        raise ZeroDivisionError("no turn")


class Wordless:
    def preempt(self, process, launches, now):
        return "stop"


def test_what_a_policy_raises_is_raised(pair, asked):
    with pytest.raises(ZeroDivisionError, match="no turn"):
        laws.check(Failing)
    with pytest.raises(ValueError, match="drain"):
        laws.check(Wordless)
    with pytest.raises(ZeroDivisionError, match="no turn"):
        raddle.replay(pair, **asked, policies=[Failing], recipe={"turn": {"policy": "failing"}})


def test_recipes_name_them_and_give_settings(pair, asked):
    recipe = {
        "name": "mine",
        "turn": {"policy": "least-served", "slice-us": 50},
        "allocate": {"policy": "lowest-in-bulk"},
        "preempt": {"policy": "considerate"},
    }
    options = {**asked, "policies": [LeastServed, LowestInBulk, Considerate], "recipe": ["leftover", recipe]}
    result = raddle.replay(pair, **options)
    assert result.summary["recipes"][1]["recipe"]["turn"] == {"policy": "least-served", "slice-us": 50}
    assert result.recipes["preemption_thrown_ns"][1] is not None
    assert raddle.replay(pair, **options).summary == result.summary
    for wrong, says in [({"policy": "least-serve"}, "least-served"), ({"policy": "least-served", "slice": 5}, "slice")]:
        with pytest.raises(raddle.RaddleError, match=says):
            raddle.replay(pair, **{**options, "recipe": {**recipe, "turn": wrong}})


def test_what_is_no_policy_is_refused(pair):
    for policies, error, says in [([object], TypeError, "turn"), ([Lowest, Lowest], ValueError, "name")]:
        with pytest.raises(error, match=says):
            raddle.replay(pair, policies=policies)


class Listening(LeastServed):
    heard: list = []

    def observe(self, fact, now):
        self.heard.append((next(iter(fact)), now))


def test_policies_hear_what_happens(pair, asked):
    Listening.heard.clear()
    raddle.replay(pair, **asked, policies=[Listening], recipe={"name": "l", "turn": {"policy": "listening"}})
    kinds = {kind for kind, _ in Listening.heard}
    assert {"process-joined", "submitted", "started", "ended", "launch-ended"} <= kinds
