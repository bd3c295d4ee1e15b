"""Does a dispatcher that an event loop in Python drives answer as one that a simulator drives, and refuse what is wrong?"""

import heapq
import json
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

import raddle
from raddle import host

PAGE = Path(__file__).parents[3] / "docs" / "python.md"

RECIPES = {
    "leftover": "leftover",
    "spatial": "spatial",
    "leftover-drain": "leftover-drain",
    "weighted-slices": "weighted-slices",
    "time-slice": {"turn": {"policy": "round-robin", "slice-us": 30}, "preempt": {"policy": "switch", "switch-ns": 500}},
    "matching": {
        "name": "matching",
        "turn": {"policy": "highest-level"},
        "allocate": {"policy": "matching"},
        "preempt": {"policy": "switch"},
    },
    "reset": "raddle = 1\nwindow = 2\n[turn]\npolicy = 'highest-level'\n[allocate]\npolicy = 'greedy'\n[preempt]\npolicy = 'reset'",
    "flag": "raddle = 1\nwindow = 3\n[turn]\npolicy = 'highest-level'\n[preempt]\npolicy = 'flag'",
    "round-robin": "raddle = 1\n[turn]\npolicy = 'highest-level'\n[allocate]\npolicy = 'round-robin'\naddresses = true\n[preempt]\npolicy = 'drain'",
    "block-warp": "raddle = 1\n[allocate]\npolicy = 'block-warp'",
    "condensed": "raddle = 1\nwindow = 4\n[launch-path]\npolicy = 'condensed'\nenqueue-ns = 20\nprocessing-ns = 30\nschedule-ns = 10\noverlap = true",
}


class Device:
    """A device whose workgroups last a random time, under three processes that each have a list of launches and copies, one after the other."""

    def __init__(self, dispatcher, seed):
        self.d, self.drawn = dispatcher, random.Random(seed)
        self.now, self.order, self.due, self.kinds, self.done = 0, 0, [], set(), []
        # Of each launch: its starts that run or are saved, the waves that have ended, and how it is leaving.
        self.running, self.saved, self.ended, self.leaving = {}, {}, {}, {}
        self.queues, self.of = {}, {}
        for process in range(3):
            self.tell({"event": "process-joined", "process": process, "share": process + 1})
            self.queues[process] = [self.work(process, process * 100 + at) for at in range(6)]
            # The urgent ones come while others run.
            self.later(3000 * (2 - process), self.begins, process)

    def begins(self, process):
        self.tell({"event": "hint", "process": process, "hint": {"deadline": 1000 * self.drawn.randint(1, 50)}})
        if self.d.looks_ahead:
            for kind, work in self.queues[process]:
                self.tell({"event": "launch-issued", "launch": work} if kind == "launch" else {"event": "copy-issued", **work})
        self.next(process)

    def work(self, process, id):
        self.ended[id] = 0
        if id % 4 == 3:
            return "copy", {"copy": id, "process": process, "stream": 0, "level": process, "lasts": 700}
        drawn = self.drawn
        self.of[id] = self.d.launch(
            id,
            process=process,
            workgroups=drawn.randint(1, 900),
            threads=drawn.choice([32, 128, 256]),
            vgprs_per_thread=drawn.randint(8, 100),
            barrier=drawn.choice(["no", "yes"]),
            level=process,
            idempotent="idempotent",
        )
        return "launch", self.of[id]

    def next(self, process):
        """The next work of a process waits for nothing any more."""
        if not self.queues[process]:
            return
        kind, work = self.queues[process][0]
        if kind == "launch":
            self.tell({"event": "launch-ready", "launch": work})
        elif self.d.looks_ahead:
            self.tell({"event": "copy-ready", "copy": work["copy"]})
        else:
            self.later(work["lasts"], self.over, process)

    def over(self, process):
        self.queues[process].pop(0)
        self.next(process)

    def tell(self, event):
        self.kinds.add(event["event"])
        self.d.event(self.now, event)

    def later(self, after, what, *with_):
        self.order += 1
        heapq.heappush(self.due, (self.now + after, self.order, what, with_))

    def starts(self, action, after=0):
        """Some starts end as a whole, others one workgroup after the other."""
        launch = action["launch"]
        span = {key: action[key] for key in ("waves", "cut") if key in action}
        pieces = action["pieces"]
        parts = [pieces]
        if self.drawn.random() < 0.2:
            parts = [[[workgroup, 1, 1, cu, 1]] for workgroup, cu in host.workgroups(pieces)]
        for part in parts:
            start = {"launch": launch, "pieces": part, **span}
            self.running.setdefault(launch, []).append(start)
            self.later(after + self.drawn.randint(1000, 9000), self.ends, start)

    def ends(self, start):
        launch = start["launch"]
        if not any(start is it for it in self.running.get(launch, ())):
            return
        self.running[launch] = [it for it in self.running[launch] if it is not start]
        self.tell({"event": "waves-ended", **start})
        work = self.of[launch]
        _, count = start.get("waves", start.get("cut", (0, work["demand"]["waves"])))
        self.ended[launch] += count * sum(1 for _ in host.workgroups(start["pieces"]))
        assert self.ended[launch] <= work["workgroups"] * work["demand"]["waves"]
        if self.ended[launch] == work["workgroups"] * work["demand"]["waves"]:
            self.leaving.pop(launch, None)
            self.over(work["process"])
        elif self.leaving.get(launch) == "drain":
            self.leaves(launch)

    def leaves(self, launch):
        if launch in self.leaving and not (self.leaving[launch] == "drain" and self.running.get(launch)):
            done = self.ended[launch] and self.ended[launch] // self.of[launch]["demand"]["waves"]
            self.tell({"event": "taken-off", "launch": launch, "how": self.leaving.pop(launch), "done": done})

    def restored(self, launch):
        self.tell({"event": "restored", "launch": launch})
        for start in self.saved.pop(launch, ()):
            self.running.setdefault(launch, []).append(start)
            self.later(self.drawn.randint(1000, 9000), self.ends, start)

    def copied(self, copy):
        self.tell({"event": "copy-ended", "copy": copy})
        self.over(copy // 100)

    def carry_out(self, action):
        kind, launch = action["action"], action.get("launch")
        self.kinds.add(kind)
        self.done.append(action)
        if kind == "start":
            self.starts(action)
        elif kind == "start-copy":
            self.later(700, self.copied, action["copy"])
        elif kind == "take-off":
            how = self.leaving[launch] = action["how"]
            if how == "kill":
                self.running[launch], self.ended[launch] = [], 0
            elif how == "save":
                self.saved[launch] = self.saved.get(launch, []) + self.running.pop(launch, [])
            self.later(400, self.leaves, launch)
        elif kind == "restore":
            self.later(400, self.restored, launch)
        elif kind == "raise":
            self.later(300, self.tell, {"event": "raised", "process": action["process"]})
        elif kind == "reset":
            self.later(600, self.tell, {"event": "reset-over", "process": action["process"]})
        else:
            assert kind in ("submit", "assign", "lower", "drained"), action

    def run(self):
        for _ in range(20_000):
            actions, wake = self.d.decide(self.now)
            for action in actions:
                self.carry_out(action)
            times = [at for at in (wake, self.due[0][0] if self.due else None) if at is not None]
            if not any(self.queues.values()):
                break
            assert times, "nothing more will happen"
            self.now = min(times)
            while self.due and self.due[0][0] == self.now:
                _, _, what, with_ = heapq.heappop(self.due)
                what(*with_)
            if wake == self.now:
                self.tell({"event": "woke"})
        assert not any(self.queues.values()), "the work has not ended"
        for process in self.queues:
            self.tell({"event": "process-left", "process": process})
        assert self.d.decide(self.now)[0] == []


def answers(log):
    """The answers of a log that a device carries out, in the words of actions."""
    for line in map(json.loads, log.splitlines()[1:-1]):
        kind = line.get("answer")
        if kind and kind not in ("turn", "preempt", "wait", "wake-at"):
            left_out = ("answer", "t", "step", "addresses", "resumed")
            yield {"action": kind, **{key: it for key, it in line.items() if key not in left_out}}


def by_whom(action):
    return action["action"], [action.get(key) for key in ("launch", "process", "copy") if key in action]


def command(*args):
    return subprocess.run([sys.executable, "-m", "raddle", *args], capture_output=True, text=True)


#: The actions and events that a recipe leads to beside the usual ones.
KINDS = {
    "leftover-drain": {"take-off", "taken-off", "restore", "restored", "drained"},
    "time-slice": {"take-off", "taken-off", "restore", "restored", "drained", "woke"},
    "matching": {"take-off", "restored"},
    "reset": {"start-copy", "raise", "raised", "lower", "reset", "reset-over", "take-off", "taken-off"},
    "flag": {"start-copy", "copy-ended", "raise", "raised", "lower", "taken-off"},
    "block-warp": {"assign"},
    "condensed": {"launch-issued", "copy-issued", "copy-ready", "woke"},
}


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_loop_ends_all_work_and_its_log_replays(recipe, tmp_path):
    kinds, logs = {"hint"}, []
    for seed in range(3):
        device = Device(raddle.Dispatcher(RECIPES[recipe], "v100"), seed)
        device.run()
        kinds |= device.kinds
        logs.append(device.d.log())
        # A log names a reset before the launches that it kills.
        said, done = (sorted(all_, key=by_whom) for all_ in (answers(logs[-1]), device.done))
        assert len(said) == len(done)
        assert all(answer.items() <= action.items() for answer, action in zip(said, done))
        assert all(device.d.free(cu).waves == 64 for cu in range(device.d.cus))
    assert KINDS.get(recipe, set()) <= kinds
    again = Device(raddle.Dispatcher(RECIPES[recipe], "v100"), 2)
    again.run()
    assert again.d.log() == logs[2] != logs[1]
    file = tmp_path / "decisions.jsonl"
    file.write_text(logs[2])
    for option in ("--replay", "--check"):
        done = command("log", file, option)
        assert done.returncode == 0, done.stdout + done.stderr
    # A log is also that of a run that goes on, and of nothing.
    file.write_text(raddle.Dispatcher(RECIPES[recipe], "v100").log())
    assert command("log", file, "--replay").returncode == 0
    # One that says otherwise does not replay.
    at = re.search(r'"answer":"start","launch":(\d+)', logs[2])
    file.write_text(logs[2][: at.start(1)] + "7" + logs[2][at.start(1) :])
    assert command("log", file, "--replay").returncode != 0


def test_recipes_and_devices_are_named_as_elsewhere(tmp_path):
    (tmp_path / "mine.toml").write_text("raddle = 1\n[turn]\npolicy = 'highest-level'\n")
    (tmp_path / "gpu.toml").write_text(command("devices", "--show", "v100").stdout.replace("cus = 80", "cus = 3"))
    given = [tmp_path / "mine.toml", str(tmp_path / "mine.toml"), {"name": "mine", "turn": {"policy": "highest-level"}}]
    given += [(tmp_path / "mine.toml").read_text(), json.dumps({"raddle": 1, "turn": {"policy": "highest-level"}})]
    headers = {raddle.Dispatcher(recipe, tmp_path / "gpu.toml").log().splitlines()[0] for recipe in given}
    (header,) = headers
    assert '"cus":3,' in header and '"turn":{"policy":"highest-level"}' in header
    assert raddle.Dispatcher("leftover", "NVIDIA H100 80GB HBM3").device == "h100"
    # Costs are those of the device, as in a replay.
    assert '"reset-ns"' in raddle.Dispatcher("raddle = 1\n[preempt]\npolicy = 'cheapest'\nbound-us = 50", "h100").log()
    assert raddle.Dispatcher("leftover", "h100", log=False).log() == ""
    for recipe, device, error in [
        ("lefover", "h100", "Did you mean `leftover`"),
        ("leftover", "h10", "Did you mean `h100`"),
        ("raddle = 1\n[turn]\npolicy = 'x'", "h100", "recipe given, line 3, `turn.policy`"),
        (tmp_path / "gpu.toml", "h100", "gpu.toml"),
        ("leftover", tmp_path / "mine.toml", "holds no device"),
        ("{", "h100", "not valid JSON"),
    ]:
        with pytest.raises(raddle.RaddleError, match=error) as refused:
            raddle.Dispatcher(recipe, device)
        assert refused.value.exit_code in (1, 2)


def begun(recipe="leftover", **options):
    """A dispatcher with a process and a launch of 8 workgroups that runs."""
    d = raddle.Dispatcher(recipe, "v100", **options)
    d.event(10, {"event": "process-joined", "process": 0, "share": 1})
    d.event(10, {"event": "launch-ready", "launch": d.launch(0, process=0, workgroups=8, threads=64)})
    return d, d.decide(10)


def test_wrong_events_are_refused_and_change_nothing():
    d, (actions, wake) = begun()
    assert [it["action"] for it in actions] == ["submit", "start"] and wake is None
    assert list(host.workgroups(actions[1]["pieces"])) == [(at, at) for at in range(8)]
    launch = d.launch(1, process=0, workgroups=1, threads=64)
    log = d.log()
    for event, error in [
        ({}, "missing field `event`"),
        (None, "expected an object with a key `event`"),
        ({"event": "wake"}, "unknown variant `wake`, expected one of `process-joined`"),
        ({"event": "woke", "launch": 0}, "unknown field `launch`"),
        ({"event": "process-joined", "process": 0, "share": 1}, "process p0 joined twice"),
        ({"event": "process-joined", "process": 1, "share": 0}, "share of 0: give 1 or more"),
        ({"event": "process-joined", "process": 65536, "share": 1}, "expected u16"),
        ({"event": "process-left", "process": 0}, "left before its launches ended"),
        ({"event": "launch-ready", "launch": {**launch, "id": 0}}, "became ready twice"),
        ({"event": "launch-ready", "launch": {**launch, "process": 3}}, "unknown process p3: send"),
        ({"event": "launch-ready", "launch": {**launch, "demand": {}}}, "missing field `waves`"),
        ({"event": "restored", "launch": 0}, "although nobody asked for it"),
        ({"event": "restored", "launch": 9}, "unknown launch k9"),
        ({"event": "taken-off", "launch": 0, "how": "reset", "done": 0}, "expected one of `wait`, `flag`, `drain`, `kill`"),
        ({"event": "waves-ended", "launch": 0, "pieces": [[0, 1, 9, 0, 1]]}, "each workgroup ends once"),
        ({"event": "waves-ended", "launch": 0, "pieces": [[0, 1, 1, 80, 1]]}, "compute unit that the device does not have"),
        ({"event": "waves-ended", "launch": 0, "pieces": [[0, 1, 1]]}, "first, stride, count, cu, cus"),
        ({"event": "waves-ended", "launch": 0, "waves": [0, 1], "cut": [0, 1], "pieces": []}, "`waves` and `cut`"),
        ({"event": "submitted", "launch": 0}, "only the log of a live program has it"),
        ({"event": "hint", "process": 0, "hint": {"deadlin": 1}}, "expected one of `priority`, `deadline`"),
    ]:
        with pytest.raises(raddle.RaddleError, match=re.escape(error)):
            d.event(10, event)
    with pytest.raises(raddle.RaddleError, match="after tick 10, tick 9 was told"):
        d.event(9, {"event": "woke"})
    with pytest.raises(raddle.RaddleError, match="time runs backwards"):
        d.decide(9)
    with pytest.raises(raddle.RaddleError, match="2048 waves|wants 64 waves"):
        d.launch(1, process=0, workgroups=1, threads=2048 * 32)
    with pytest.raises(IndexError, match="80 of 80 compute units: count from 0"):
        d.free(80)
    for wrong in (-1, 2**64, "now", None, 1.5):
        with pytest.raises((OverflowError, TypeError)):
            d.event(wrong, {"event": "woke"})
    assert d.log() == log and d.decide(10) == ([], None)


def test_what_never_fits_is_refused_as_data():
    d, _ = begun()
    launch = d.launch(1, process=0, workgroups=1, threads=64)
    launch["demand"]["waves"] = 70
    d.event(20, {"event": "launch-ready", "launch": launch})
    actions, _ = d.decide(20)
    assert actions == [{"action": "refuse", "launch": 1, "resource": "waves", "wanted": 70, "available": 64}]


def odd(drawn):
    """A number that is often possible."""
    return drawn.choice([drawn.randint(0, 4), drawn.randint(0, 4), drawn.randint(0, 300), 2**16 - 1, 2**32 - 1, 2**64 - 1])


def wrong_event(drawn, launch):
    process, id = drawn.randint(0, 2), drawn.randint(0, 9)
    fields = {key: drawn.choice([value, odd(drawn)]) for key, value in launch.items() if isinstance(value, int)}
    demand = {key: drawn.choice([value, odd(drawn)]) for key, value in launch["demand"].items()}
    runs = [[odd(drawn) for _ in range(drawn.choice([5, 6]))] for _ in range(drawn.randint(0, 2))]
    return drawn.choice(
        [
            {"event": "process-joined", "process": process, "share": odd(drawn)},
            {"event": "process-left", "process": process},
            {"event": drawn.choice(["launch-ready", "launch-issued"]), "launch": {**launch, **fields, "id": id, "demand": demand}},
            {"event": drawn.choice(["launch-ready", "launch-issued"]), "launch": {**launch, "id": id, "process": process}},
            {"event": "copy-issued", "copy": id, "process": process, "stream": odd(drawn), "level": 0, "lasts": odd(drawn)},
            {"event": drawn.choice(["copy-ready", "copy-ended"]), "copy": id},
            {"event": "waves-ended", "launch": id, "pieces": runs},
            {"event": "waves-ended", "launch": id, "pieces": [[odd(drawn), 1, 1, drawn.randint(0, 79), 1]]},
            {"event": "waves-ended", "launch": id, "pieces": runs, drawn.choice(["waves", "cut"]): [odd(drawn), odd(drawn)]},
            {"event": "taken-off", "launch": id, "how": drawn.choice(["wait", "flag", "drain", "kill", "save"]), "done": odd(drawn)},
            {"event": "restored", "launch": id},
            {"event": drawn.choice(["raised", "reset-over"]), "process": process},
            {"event": "hint", "process": process, "hint": {drawn.choice(["priority", "laxity", "utilisation"]): odd(drawn)}},
            {"event": "woke"},
        ]
    )


@pytest.mark.parametrize("recipe", RECIPES)
def test_no_event_in_any_order_does_more_than_raise(recipe, tmp_path):
    refused = 0
    for seed in range(40):
        drawn = random.Random(seed)
        d, (actions, _) = begun(RECIPES[recipe])
        launch, now = d.launch(1, process=0, workgroups=50, threads=256, vgprs_per_thread=64), 10
        for _ in range(60):
            now += drawn.choice([0, 0, 1, 1000, 10**6])
            try:
                d.event(now, wrong_event(drawn, launch))
                for action in actions[:1]:
                    # Some reports are right.
                    if action["action"] == "start":
                        d.event(now, {"event": "waves-ended", **{key: it for key, it in action.items() if key not in ("action", "places")}})
            except raddle.RaddleError as error:
                assert "fault of raddle" not in str(error), (seed, error)
                refused += 1
            if drawn.random() < 0.3:
                try:
                    actions = d.decide(now)[0] or actions[1:]
                except raddle.RaddleError as error:
                    assert "fault of raddle" not in str(error), (seed, error)
                    refused += 1
                    break
    assert refused > 500


class Hinted:
    """Whoever has hinted the nearest deadline; remembers what it saw."""

    seen: list = []

    def turn(self, processes, now):
        self.seen.append({process.id: process.hints for process in processes})
        nearest = min(processes, key=lambda it: (it.hints.deadline is None, it.hints.deadline, it.id), default=None)
        return [] if nearest is None else [nearest.id]


def test_a_policy_of_python_sees_hints():
    Hinted.seen.clear()
    d = raddle.Dispatcher({"turn": {"policy": "hinted"}}, "v100", policies=[Hinted])
    hints = [{"deadline": 900}, {"deadline": 300}, {"utilisation": 40}]
    for process, hint in enumerate(hints):
        d.event(0, {"event": "process-joined", "process": process, "share": 1})
        d.event(0, {"event": "hint", "process": process, "hint": hint})
        d.event(0, {"event": "launch-ready", "launch": d.launch(process, process=process, workgroups=1, threads=64)})
    d.event(0, {"event": "hint", "process": 2, "hint": {"custom": 7}})
    d.event(0, {"event": "hint", "process": 2, "hint": {"priority": 1}})
    d.event(0, {"event": "hint", "process": 2, "hint": {"laxity": 5}})
    actions, _ = d.decide(0)
    assert [it["launch"] for it in actions if it["action"] == "start"] == [1]
    seen = Hinted.seen[-1]
    assert [seen[process].deadline for process in range(3)] == [900, 300, None]
    last = seen[2]
    assert (last.priority, last.laxity, last.utilisation, last.custom) == (1, 5, 40, 7)
    assert last != seen[0] and last == last


def test_hints_of_a_replay_reach_a_policy(pair, asked):
    Hinted.seen.clear()
    recipe = {"name": "mine", "turn": {"policy": "hinted"}}
    hint = {"serve": ["deadline:2ms", "utilisation:30%"], "train": "custom:9"}
    raddle.replay(pair, **asked, policies=[Hinted], recipe=recipe, hint=hint)
    seen = {id: hints for view in Hinted.seen for id, hints in view.items()}
    assert (seen[0].deadline, seen[0].utilisation, seen[0].custom) == (2_000_000, 30, None)
    assert (seen[1].deadline, seen[1].custom) == (None, 9)


class Failing:
    def turn(self, processes, now):
        raise ZeroDivisionError("no turn")


class Meddling:
    """Calls the dispatcher that asks it."""

    def turn(self, processes, now):
        Meddling.of.event(now, {"event": "woke"})
        return [0]


def test_what_a_policy_raises_is_raised():
    for policy, error in [(Failing, ZeroDivisionError), (Meddling, RuntimeError)]:
        Meddling.of = d = raddle.Dispatcher({"turn": {"policy": policy.__name__.lower()}}, "v100", policies=[policy])
        d.event(0, {"event": "process-joined", "process": 0, "share": 1})
        d.event(0, {"event": "launch-ready", "launch": d.launch(0, process=0, workgroups=1, threads=64)})
        with pytest.raises(error):
            d.decide(0)


def example():
    section = PAGE.read_text().split("## A dispatcher in a loop of your own")[1]
    return re.search(r"```python\n(.*?)```", section, re.S)[1]


def test_the_example_of_the_page_runs(tmp_path):
    done = subprocess.run([sys.executable, "-c", example()], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "all has ended after 160 us\n", done.stdout + done.stderr
    for option in ("--replay", "--check"):
        assert command("log", tmp_path / "decisions.jsonl", option).returncode == 0


def test_a_notebook_runs_the_example(tmp_path):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in (example(), "d")])
    resources = {"metadata": {"path": tmp_path}}
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources=resources).execute()
    printed, shown = (cell.outputs[0] for cell in notebook.cells)
    assert printed["text"].startswith("all has ended")
    assert shown["data"]["text/plain"] == "<raddle.Dispatcher of h100: 132 compute units>"
