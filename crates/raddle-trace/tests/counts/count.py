#!/usr/bin/env python3
"""What do profiles hold, counted by nothing but Python's own sqlite3 and a decoder of its own?

Written from the formats, and shares no code with the importers: its table (`counts.tsv`) is what they
must agree with, to the digit. Times are nanoseconds; a grid that an AMD library counts in work-items is
rounded up to workgroups; the device is the one with the most kernels, the first of equals.

    python3 count.py /path/to/samples > counts.tsv
"""

import collections
import pathlib
import sqlite3
import sys

FILES = ["rpd/rocmprofiledata_matmul.rpd", "jax/tracelens_mi300_conv.xplane.pb"]


def groups(grid, block, in_items):
    count = 1
    for size, items in zip(grid, block):
        count *= -(-size // items) if in_items else size
    return count


def rpd(path):
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    text = dict(db.execute("select id, string from rocpd_string"))
    call = {i: text[n] for i, n in db.execute("select id, apiName_id from rocpd_api")}
    of_op = {op: api for api, op in db.execute("select api_id, op_id from rocpd_api_ops")}
    launch = {
        row[0]: row[1:]
        for row in db.execute(
            "select api_ptr_id, stream, gridX, gridY, gridZ, workgroupX, workgroupY, workgroupZ"
            " from rocpd_kernelapi"
        )
    }
    stream = {i: row[0] for i, row in launch.items()}
    stream.update(db.execute("select api_ptr_id, stream from rocpd_copyapi"))
    for op, gpu, queue, start, end, kind in db.execute(
        "select id, gpuId, queueId, start, end, opType_id from rocpd_op"
    ):
        api = of_op.get(op)
        lane = stream.get(api, f"queue {queue}")
        kind = text[kind]
        if kind == "KernelExecution":
            shape = launch[api]
            items = call[api] in ("hipExtModuleLaunchKernel", "hipHccModuleLaunchKernel")
            yield gpu, "kernel", lane, end - start, groups(shape[1:4], shape[4:7], items)
        elif kind.startswith("Copy"):
            yield gpu, "copy", lane, end - start, 0
        elif kind.startswith("Fill"):
            yield gpu, "set", lane, end - start, 0


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(key & 7)
            if size is None:
                size, at = varint(data, at)
            value = data[at : at + size]
            at += size
        yield key >> 3, value


def all_of(data, number):
    return [value for found, value in fields(data) if found == number]


def one(data, number, default=0):
    return (all_of(data, number) or [default])[-1]


def xplane(path):
    for plane in all_of(path.read_bytes(), 1):
        name = one(plane, 2, b"").decode()
        if not name.startswith("/device:GPU:"):
            continue
        stats = {one(e, 1): one(one(e, 2, b""), 2, b"").decode() for e in all_of(plane, 5)}
        for line in all_of(plane, 3):
            lane = one(line, 2, b"").decode()
            if not lane.startswith("Stream #"):
                continue
            for event in all_of(line, 4):
                said = {}
                for stat in all_of(event, 4):
                    value = one(stat, 5, None)
                    value = value.decode() if value else stats.get(one(stat, 7))
                    said[stats.get(one(stat, 1))] = value
                lasts = one(event, 3) // 1000
                details = said.get("kernel_details")
                if details:
                    words = dict(word.split(":", 1) for word in details.split())
                    shape = [int(axis) for axis in words["grid"].split(",")]
                    yield name, "kernel", lane, lasts, groups(shape, [1, 1, 1], False)
                elif "memcpy_details" in said:
                    yield name, "copy", lane, lasts, 0
                elif "memset_details" in said:
                    yield name, "set", lane, lasts, 0


def count(path):
    work = list((rpd if path.suffix == ".rpd" else xplane)(path))
    kernels = collections.Counter(row[0] for row in work if row[1] == "kernel")
    device = min(kernels, key=lambda key: (-kernels[key], key))
    work = [row for row in work if row[0] == device]
    of = collections.Counter(row[1] for row in work)
    busy = sum(row[3] for row in work if row[1] == "kernel")
    return [of["kernel"], of["copy"], of["set"], len({row[2] for row in work}), sum(r[4] for r in work), busy]


if __name__ == "__main__":
    print("file\tkernels\tcopies\tfills\tstreams\tworkgroups\tkernel_ns")
    for name in FILES:
        print(name, *count(pathlib.Path(sys.argv[1]) / name), sep="\t")
