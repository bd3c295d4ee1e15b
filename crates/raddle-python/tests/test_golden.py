"""Do the golden models answer Python as they answer the command?"""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import raddle

PAGE = Path(__file__).parents[3] / "docs" / "rtl.md"


def command(*args, given=""):
    call = [sys.executable, "-m", "raddle", *args]
    return subprocess.run(call, input=given, capture_output=True, text=True)


def table():
    return re.search(r"```csv\n(.*?)```", PAGE.read_text(), re.S)[1]


@pytest.mark.parametrize("topic", ["bitmap", "windows", "split", "place", "match", "sm", "slices", "packet"])
def test_a_question_is_answered_as_by_the_command(topic):
    page = (PAGE.parent / "golden.md").read_text()
    question = re.search(rf"## {topic}\n.*?```json\n(.*?)\n", page, re.S)[1]
    assert raddle.golden(topic, json.loads(question)) == json.loads(command("golden", topic, given=question).stdout)


def test_questions_that_cannot_be_answered_are_errors():
    with pytest.raises(ValueError, match="`bitmaps` is no topic: give one of bitmap, windows"):
        raddle.golden("bitmaps", {})
    with pytest.raises(raddle.RaddleError, match="/method"):
        raddle.golden("bitmap", {"bits": "01", "method": "all"})


def test_a_table_is_checked_as_by_the_command(tmp_path):
    file = tmp_path / "placements.csv"
    file.write_text(table())
    printed = command("check-placement", file, "--fit", "first").stdout
    for given in (file, str(file), table().splitlines()):
        report = raddle.check_placement(given, fit="first")
        assert str(report) == printed
    assert (report.total, report.counts) == (2, {"overlap": 1, "start": 1})
    assert [it.rule for it in report.findings] == ["overlap", "start"]
    assert "free: 0..8 (8), 20..32 (12)" in report.findings[1].map
    assert raddle.check_placement(file, fit={"vgpr": "first"}).agreeing == 2
    for wrong, error in [
        (dict(table=tmp_path / "absent.csv"), "absent.csv cannot be read: No such file"),
        (dict(table=["clock"]), "line 1: this is no placement table"),
        (dict(table=file, fit={"sgpr": "first"}), "`sgpr`, which the table does not declare"),
    ]:
        with pytest.raises(raddle.RaddleError, match=re.escape(error)):
            raddle.check_placement(**wrong)
    for given in (lambda: raddle.check_placement(file, lag=5), lambda: raddle.PlacementCheck(1, {"lds": (4, "shared")}, lag=5)):
        with pytest.raises(raddle.RaddleError, match="a lag is for predicted starts: give the rule"):
            given()
    with pytest.raises(ValueError, match="`fit` is `lowest`: give first, best"):
        raddle.check_placement(file, fit="lowest")


def test_events_are_checked_as_their_table():
    resources = {"vgpr": (32, "per-wave"), "lds": (16, "shared")}
    check = raddle.PlacementCheck(2, resources, wave_slots=8, fit="first")
    header, added = None, []
    for line in table().splitlines():
        if line.startswith("#"):
            continue
        cells = line.split(",")
        if header is None:
            header = cells
            continue
        row = {name: int(cell) for name, cell in zip(header, cells) if cell and name != "event"}
        kind, clock = cells[1], row.pop("clock")
        starts = {name: row.pop(f"{name}_start", 0) for name in resources if f"{name}_start" in row or kind == "place"}
        sizes = {name: row.pop(f"{name}_size", 0) for name in resources if f"{name}_size" in row}
        parts = sizes if kind == "request" else starts
        if kind == "place":
            parts = {name: (starts[name], sizes[name]) for name in sizes}
        added.append(getattr(check, kind)(clock, **row, **parts))
    assert (added.index(2), sum(added)) == (11, 2)
    with pytest.raises(raddle.RaddleError, match="clock 1 is before clock 13"):
        check.free(1, 0, 2)
    with pytest.raises(ValueError, match="`sgpr` is no resource of this check: vgpr, lds"):
        check.request(14, 9, sgpr=1)
    report = check.report
    final = check.finish()
    assert str(report) == str(final).replace("1 requests are open at the end, where workgroups still run\n", "")
    assert re.sub(r"line \d+", "", str(final)) == re.sub(r"line \d+", "", str(raddle.check_placement(table().splitlines(), "first")))
    with pytest.raises(raddle.RaddleError, match="the check is finished"):
        check.free(15, 0, 2)
    for wrong in ({}, {"vgpr": (0, "per-wave")}):
        with pytest.raises(raddle.RaddleError):
            raddle.PlacementCheck(1, wrong)
    with pytest.raises(ValueError, match="give `per-wave` or `shared`"):
        raddle.PlacementCheck(1, {"vgpr": (4, "each")})


def test_maps_and_rings():
    free = raddle.FreeMap.from_digits("0111011011110")
    assert (free.blocks, free.free, free.longest, free.runs) == (13, 9, 4, [(1, 3), (5, 2), (8, 4)])
    assert [free.find(2, fit) for fit in ("first", "best", "worst")] == [1, 5, 8]
    assert [free.find(2, "next", after) for after in (6, 11)] == [8, 1]
    assert (free.allocate(2, "worst"), free.allocate(5), free.take(8, 1), free.take(10, 1)) == (8, None, False, True)
    free.release(8, 1)
    assert repr(free) == "FreeMap(0111011010010)"
    with pytest.raises(raddle.RaddleError, match="not all taken"):
        free.release(0, 2)
    with pytest.raises(ValueError, match="`fit` is `lowest`"):
        free.find(1, "lowest")
    ring = raddle.Ring(10)
    assert [ring.allocate(4), ring.allocate(4), ring.allocate(4)] == [0, 4, None]
    ring.release(4)
    assert ring.find(3) is None
    ring.release(0)
    assert (ring.find(3), ring.blocks) == (0, 10)


def test_an_allocator_gives_places():
    shape = dict(simds=2, waves_per_simd=4, vgpr_per_simd=16, sgpr=32, lds=8, workgroups=8, barriers=4)
    device = raddle.Allocator(2, **shape)
    places = device.allocate(0, 1, 7, waves=2, vgpr=4, sgpr=2, lds=3)
    assert [(it.simd, it.vgpr, it.sgpr, it.lds) for it in places] == [(0, 0, 0, 0), (1, 0, 2, 0)]
    assert (device.allocate(0, 1, 8, waves=1, lds=6), device.workgroups) == ("lds", 1)
    device.release(0, 1, 7)
    with pytest.raises(raddle.RaddleError, match="release each once"):
        device.release(0, 1, 7)
    with pytest.raises(ValueError, match="`cu` is 2 of 2"):
        device.allocate(2, 1, 9, waves=1)


def test_block_warp_starts_and_ends_warps():
    sms = raddle.BlockWarp(1, registers=16, warps=4, shared=8)
    assert sms.arrive(0, rank=1, blocks=2, warps=2, registers=4) is None
    assert sms.arrive(9, rank=1, blocks=1, warps=5) == ("waves", 5, 4)
    made = sms.decide()
    assert (made.route, made.kernel, made.sm, made.first, made.count) == ("whole", 0, 0, 0, 2)
    started = [sms.serve(0), sms.serve(0)]
    assert [(it.block, it.first, it.count, it.last) for it in started] == [(0, 0, 2, True), (1, 0, 2, True)]
    assert (sms.serve(0), sms.decide(), sms.remaining(0)) == (None, None, (0, 0, 8))
    ends = [sms.ended(0, 0), sms.ended(0, 0)]
    assert [(it.sm, it.block_done, it.kernel_done) for it in ends] == [(0, False, False), (0, True, False)]
    with pytest.raises(raddle.RaddleError, match="report each end once"):
        sms.ended(0, 0)


def test_slices_take_turns():
    slices = raddle.Slices(40, 2, "equal", take_over="at-once")
    pool = [(7, 3, 1, 100, 10), (8, 3, 1, 100, 50), (9, 5, 1, 100, 0)]
    assert [slices.next(pool), slices.next(pool), slices.next([])] == [(7, 40), (8, 40), None]
    assert (slices.cuts(5, pool), slices.cuts(3, pool)) == (True, False)
    with pytest.raises(ValueError, match="`rule`: unknown variant `fair`"):
        raddle.Slices(40, 2, "fair")


def test_an_agent_reads_packets():
    agent = raddle.PacketAgent()
    fields = {"kernel_object": 0x1122334455667788, "grid_size_x": 256}
    packet = raddle.golden("packet", {"dispatch": {"fields": fields}})["packets"][0]
    kind, launches = agent.receive(bytes.fromhex(packet))
    assert (kind, len(launches)) == ("launches", 1)
    assert {name: launches[0][name] for name in fields} == fields
    with pytest.raises(ValueError, match="has 3 bytes: give 64"):
        agent.receive(b"abc")


def test_numbers_out_of_range_are_named():
    shape = dict(simds=2, waves_per_simd=4, vgpr_per_simd=16, sgpr=32, lds=8, workgroups=8, barriers=4)
    free, ring, device = raddle.FreeMap(8), raddle.Ring(8), raddle.Allocator(2, **shape)
    sms = raddle.BlockWarp(1, registers=16, warps=4, shared=8)
    slices = raddle.Slices(40, 2, "equal")
    check = raddle.PlacementCheck(1, {"lds": (4, "shared")})
    ticks = dict(longest=5, seed=1)
    calls = [
        (raddle.FreeMap, dict(blocks=1), {}),
        (free.find, dict(want=1, after=0), {}),
        (free.allocate, dict(want=1, after=0), {}),
        (free.take, dict(start=0, length=1), {}),
        (free.release, dict(start=0, length=1), {}),
        (raddle.Ring, dict(blocks=1), {}),
        (ring.find, dict(want=1), {}),
        (ring.allocate, dict(want=1), {}),
        (ring.release, dict(start=0), {}),
        (raddle.Allocator, dict(cus=1, **shape), {}),
        (device.allocate, dict(cu=0, launch=1, workgroup=1, waves=1, vgpr=1, sgpr=1, lds=1, barriers=1, simd=0), {}),
        (device.release, dict(cu=0, launch=1, workgroup=1), {}),
        (raddle.BlockWarp, dict(sms=1, registers=1, warps=1, shared=1), {}),
        (sms.arrive, dict(kernel=1, rank=1, blocks=1, warps=1, registers=1, shared=1), {}),
        (sms.serve, dict(sm=0), {}),
        (sms.ended, dict(kernel=1, block=1), {}),
        (sms.remaining, dict(sm=0), {}),
        (raddle.Slices, dict(t0=1, capacity=1, **ticks), dict(rule="equal")),
        (slices.cuts, dict(running=1), dict(pool=[])),
        (raddle.check_placement, dict(lag=1), dict(table=table().splitlines(), fit="first")),
        (raddle.PlacementCheck, dict(units=1, wave_slots=1, lag=1), dict(resources={"lds": (4, "shared")}, fit="first")),
        (check.request, dict(clock=1, workgroup=1, waves=1, lds=1), {}),
        (check.place, dict(clock=1, unit=0, workgroup=1, waves=1), {}),
        (check.wave, dict(clock=1, unit=0, workgroup=1, wave=1, tag=1, lds=1), {}),
        (check.end, dict(clock=1, unit=0, workgroup=1, wave=1, tag=1), {}),
        (check.free, dict(clock=1, unit=0, workgroup=1), {}),
    ]
    for call, numbers, others in calls:
        for name in numbers:
            for wrong in (-1, 1 << 64):
                with pytest.raises(raddle.RaddleError, match=f"`{name}` is {wrong}: give a whole number from 0 to "):
                    call(**{**numbers, name: wrong}, **others)
    entry = dict(id=7, level=3, share=1, alive=100, ran=10)
    for name in entry:
        with pytest.raises(raddle.RaddleError, match=f"`{name}` is -1: give a whole number from 0 to "):
            slices.next([tuple({**entry, name: -1}.values())])
    for part in ((-1, 1), (1, -1)):
        with pytest.raises(raddle.RaddleError, match="`lds` is -1"):
            check.place(1, 0, 1, lds=part)
    with pytest.raises(raddle.RaddleError, match="`lds` is -1"):
        raddle.PlacementCheck(1, {"lds": (-1, "shared")})
