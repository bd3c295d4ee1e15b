"""Does the allocator in hardware answer as the model in every clock?"""

import random

import cocotb
import raddle
from cocotb.triggers import Timer


async def tick(dut):
    for level in (1, 0):
        dut.clk.value = level
        await Timer(1, "ns")


@cocotb.test()
async def first_fit(dut):
    model, taken, draw = raddle.FreeMap(64), [], random.Random(1)
    dut.clk.value = dut.take.value = dut.free.value = dut.want.value = dut.at.value = 0
    dut.reset.value = 1
    await tick(dut)
    dut.reset.value = 0
    for clock in range(1000):
        release = bool(taken) and draw.random() < 0.48
        if release:
            start, want = taken.pop(draw.randrange(len(taken)))
            model.release(start, want)
            dut.at.value = start
        else:
            want = draw.randint(1, 24)
        dut.want.value, dut.free.value, dut.take.value = want, int(release), int(not release)
        await Timer(1, "ns")
        if not release:
            expected = model.allocate(want)
            answer = int(dut.start.value) if dut.found.value else None
            assert answer == expected, f"clock {clock}, {want} blocks: {answer}, the model has {expected}: {model}"
            if expected is not None:
                taken.append((expected, want))
        await tick(dut)
