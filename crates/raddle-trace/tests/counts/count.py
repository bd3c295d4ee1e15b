#!/usr/bin/env python3
"""What do profiles hold, counted by Python's own json, csv and sqlite3 and a decoder of its own?

Written from the formats, and shares no code with the importers: its table (`counts.tsv`) is what they
must agree with, to the digit. Times are nanoseconds; a grid that an AMD library counts in work-items is
rounded up to workgroups, and one of which no call tells the unit is not counted, nor is a kernel whose
grid the file does not have; the device is the one with the most kernels, the first of equals. Work that
shows no duration took half a step of the clock, a microsecond or a nanosecond. Files of the samples that
are not here hold no kernels with times.

    python3 count.py /path/to/samples > counts.tsv
"""

import collections
import csv
import decimal
import gzip
import json
import pathlib
import sqlite3
import sys
import tempfile

NVIDIA = [
    "hta_alexnet_cuda_sync.json.gz",
    "hta_cuda_event_sync_multi_stream.json.gz",
    "hta_timeline_sampled_rank0.json.gz",
    "hta_trace_diff_control_a100.json.gz",
    "hta_trace_diff_test_v100.json.gz",
    "kineto_2026_occupancy_dict_unittest_h100.json",
    "kineto_tb2020_bare_array_v100.json.gz",
    "tracelens_b200_eager.json.gz",
]
AMD = [
    "hta_mi250_minitoy_rocm6.2",
    "tracelens_mi210_gpu_only",
    "tracelens_mi300x_resnet_act_checkpoint",
    "tracelens_mi_sglang_qwen3-8b_decode",
    "tracelens_mi_vllm_decode_capture",
    "tracelens_mi_vllm_decode_hipgraph",
]
NSYS = ["nsysai_h100_2gpu_1s", "nsysai_rtx3080_2kernels", "pipit_cloverleaf_a100"]
ROCPROF = [
    "rocprofv1_2022_mixbench_mi100_timestamps.csv",
    "rocprofv1_2022_mixbench_mi200_timestamps.csv",
    "rocprofv3_2024_kernel_trace.csv",
    "rocprofv3_2025_kernel_trace.csv",
    "rocprofv3_2025_kernel_trace_truncated.csv",
    "rpc_device_filter_MI300X_A1_timestamps.csv",
    "rpc_vcopy_MI100_timestamps.csv",
    "rpc_vcopy_MI200_timestamps.csv",
    "tracelens_mi350x_rocprofv3_908_results.json.gz",
]
FILES = (
    [f"kineto_nvidia/{name}" for name in NVIDIA]
    + [f"kineto_amd/{name}.json.gz" for name in AMD]
    + [f"nsys/{name}.sqlite.gz" for name in NSYS]
    + ["derived/h100_cuda_gpu_trace.csv.gz", "derived/mi350x_908_kernel_trace.csv.gz"]
    + [f"rocprof/{name}" for name in ROCPROF]
    + ["rpd/rocmprofiledata_matmul.rpd", "rpd/rocmprofiledata_matmul.json"]
    + ["jax/tracelens_mi300_conv.xplane.pb"]
)


def unpacked(path):
    return (gzip.open if path.suffix == ".gz" else open)(path, "rb").read()


def kineto(path):
    trace = json.loads(unpacked(path), parse_float=decimal.Decimal)
    events = trace if isinstance(trace, list) else trace["traceEvents"]
    kinds = {"kernel": "kernel", "gpu_memcpy": "copy", "memcpy": "copy", "gpu_memset": "set", "memset": "set"}
    work = [e for e in events if e.get("ph") == "X" and kinds.get(e.get("cat", "").lower())]
    times = [str(e[key]) for e in work for key in ("ts", "dur")]
    fine = any("." in text and len(text.split(".")[1]) >= 3 for text in times)
    amd = path.parent.name == "kineto_amd"
    calls = {}
    for event in events:
        if event.get("cat") in ("cuda_runtime", "cuda_driver") and "correlation" in event.get("args", {}):
            calls.setdefault(event["args"]["correlation"], event)
    for event in work:
        args = event["args"]
        kind = kinds[event["cat"].lower()]
        lasts = int(decimal.Decimal(str(event["dur"])) * 1000) or (1 if fine else 500)
        lane = str(args.get("stream", event["tid"])), args.get("context")
        count = 0
        if kind == "kernel":
            call = calls.get(args.get("correlation")) if amd else None
            count = amd_groups(args, call) if amd else groups(args["grid"], args["block"], False)
        yield args.get("device"), kind, lane, lasts, count


def amd_groups(args, call):
    """The grid stands in the event or the call; only the call tells its unit."""
    name = call["name"] if call else ""
    if "Graph" in name or not name.startswith(("hipLaunch", "hipExtLaunch", "hipExtModule", "hipModule")):
        return 0
    has = args if "grid" in args else call["args"]
    if "grid" not in has:
        return 0
    return groups(has["grid"], has["block"], name == "hipExtModuleLaunchKernel")


def nsys(path):
    with tempfile.NamedTemporaryFile() as copy:
        copy.write(unpacked(path))
        copy.flush()
        db = sqlite3.connect(copy.name)
        tables = {name for name, in db.execute("select name from sqlite_master where type = 'table'")}
        for table, kind in [("KERNEL", "kernel"), ("MEMCPY", "copy"), ("MEMSET", "set")]:
            table = f"CUPTI_ACTIVITY_KIND_{table}"
            if table not in tables:
                continue
            names = [row[1] for row in db.execute(f"pragma table_info({table})")]
            for row in db.execute(f"select * from {table}"):
                row = dict(zip(names, row))
                lane = row.get("globalPid"), row["contextId"], row.get("greenContextId"), row["streamId"]
                count = row["gridX"] * row["gridY"] * row["gridZ"] if kind == "kernel" else 0
                yield row["deviceId"], kind, lane, row["end"] - row["start"], count


def rows(path):
    return list(csv.DictReader(unpacked(path).decode().splitlines()))


def nsys_table(path):
    for row in rows(path):
        kind = "kernel" if row["GrdX"] else "set" if "memset" in row["Name"] else "copy"
        count = int(row["GrdX"]) * int(row["GrdY"]) * int(row["GrdZ"]) if kind == "kernel" else 0
        lane = row["Ctx"], row["GreenCtx"], row["Strm"]
        yield row["Device"], kind, lane, int(row["Duration (ns)"]), count


def rocprof_table(path):
    table = rows(path)
    streams, queues = ({row.get(key) for row in table} for key in ("Stream_Id", "Queue_Id"))
    # Streams that are all 0 on several queues were not followed.
    told = None not in streams and (streams != {"0"} or len(queues) == 1)
    for row in table:
        one = lambda *keys: next(row[key] for key in keys if key in row)
        if "Grid_Size_X" in row:
            shape = [[int(row[f"{name}_Size_{axis}"]) for axis in "XYZ"] for name in ("Grid", "Workgroup")]
        else:
            shape = [[int(one("grd", "Grid_Size"))], [int(one("wgr", "Workgroup_Size"))]]
        device = one("Agent_Id", "gpu-id", "GPU_ID")
        lane = row["Stream_Id"] if told else one("Queue_Id", "queue-id", "Queue_ID")
        lasts = int(one("End_Timestamp", "EndNs")) - int(one("Start_Timestamp", "BeginNs"))
        yield device, "kernel", lane, lasts, groups(*shape, True)


def rocprof(path):
    for process in json.loads(unpacked(path))["rocprofiler-sdk-tool"]:
        for record in process["buffer_records"]["kernel_dispatch"]:
            info = record["dispatch_info"]
            shape = [[info[name][axis] for axis in "xyz"] for name in ("grid_size", "workgroup_size")]
            lasts = record["end_timestamp"] - record["start_timestamp"]
            stream = record["stream_id"]["handle"]
            yield info["agent_id"]["handle"], "kernel", stream, lasts, groups(*shape, True)


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


def rpd_json(path):
    """Its events have no category: what they describe tells what they are."""
    trace = json.loads(unpacked(path), parse_float=decimal.Decimal)
    for event in trace if isinstance(trace, list) else trace["traceEvents"]:
        kind = event.get("args", {}).get("desc", "") if event.get("ph") == "X" else ""
        lasts = decimal.Decimal(str(event.get("dur", 0))) * 1000
        for begins, is_one in [("KernelExecution", "kernel"), ("Copy", "copy"), ("Fill", "set")]:
            if kind.startswith(begins):
                yield event["pid"], is_one, event["tid"], int(lasts), 0


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
    readers = {
        ("kineto_nvidia", ".json"): kineto,
        ("kineto_amd", ".json"): kineto,
        ("nsys", ".sqlite"): nsys,
        ("derived", ".csv"): nsys_table if "gpu_trace" in path.name else rocprof_table,
        ("rocprof", ".csv"): rocprof_table,
        ("rocprof", ".json"): rocprof,
        ("rpd", ".rpd"): rpd,
        ("rpd", ".json"): rpd_json,
        ("jax", ".pb"): xplane,
    }
    ending = pathlib.Path(path.name.removesuffix(".gz")).suffix
    work = list(readers[path.parent.name, ending](path))
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
