"""One program of session.sh, which knows nothing of raddle; or the comparison of what they printed.

    python3 session.py serve|train|count CASE SECONDS GATE PROGRAMS
    python3 session.py compare RESULTS

A program prints one line of JSON: milliseconds of its requests or steps, and a digest of outputs that must not depend on
who schedules it. `count` prints the launches that PyTorch's profiler saw and those that the library saw.
"""

import ctypes
import hashlib
import json
import os
import sys
import time

LOAD = 20.0  # requests a second
CHECKED = 10  # requests or steps whose outputs are in the digest


def digest(tensors):
    all = hashlib.sha256()
    for tensor in tensors:
        all.update(tensor.detach().float().cpu().numpy().tobytes())
    return all.hexdigest()[:16]


def wait_for_all(gate, name, programs):
    """Waits until every program of the case is ready; for a minute at most."""
    open(os.path.join(gate, name), "w").close()
    begun = time.monotonic()
    while len(os.listdir(gate)) < programs:
        if time.monotonic() - begun > 60:
            raise TimeoutError("the other program does not start")
        time.sleep(0.01)


def serve(seconds, ready):
    from record import Decoder, arrivals
    one, answers = Decoder(), []
    for word in range(CHECKED):
        one.prompt.fill_(word)
        one.request()
        answers.append(one.answer.clone())
    told = digest(answers)
    ready()
    return {"requests": one.serve(arrivals(seconds, LOAD, 7)), "digest": told}


def train(seconds, ready):
    from record import Trainer
    one = Trainer()
    for _ in range(CHECKED):
        one.step()
    told = digest(one.model.parameters())
    ready()
    return {"steps": one.train(seconds), "digest": told}


def count(_, ready):
    import torch
    from record import Decoder, Trainer
    decoder, trainer = Decoder(), Trainer()
    ready()
    seen = ctypes.CDLL("libcuda.so.1").raddle_cuda_launches
    seen.restype = ctypes.c_uint64
    both = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=both) as profile:
        before = seen()
        for _ in range(5):
            decoder.request()
            trainer.step()
        torch.cuda.synchronize()
        after = seen()
    names = ("LaunchKernel", "LaunchCooperativeKernel", "GraphLaunch")
    made = sum(any(name in event.name for name in names) for event in profile.events())
    return {"made": made, "seen": after - before}


def run(program, case, seconds, gate, programs):
    import torch
    torch.use_deterministic_algorithms(True)
    ready = lambda: wait_for_all(gate, program, int(programs))
    told = {"serve": serve, "train": train, "count": count}[program](float(seconds), ready)
    print(json.dumps({"case": case, "program": program, "device": torch.cuda.get_device_name(), **told}), flush=True)


def compare(path):
    with open(path) as file:
        rows = [json.loads(line) for line in file]
    digests = {}
    for row in rows:
        said = f"{row['case']}: {row['program']}"
        if row["program"] == "count":
            print(f"{said}: {row['made']} launches made, {row['seen']} seen")
            continue
        took = sorted(row.get("requests") or row.get("steps") or [0.0])
        at = lambda part: took[min(len(took) * part // 100, len(took) - 1)]
        print(f"{said}: {len(took)}, p50 {at(50):.2f} ms, p99 {at(99):.2f} ms, digest {row['digest']}")
        digests.setdefault(row["program"], set()).add(row["digest"])
    for program, all in digests.items():
        print(f"{program}: outputs {'equal' if len(all) == 1 else 'DIFFER'}")


if __name__ == "__main__":
    if sys.argv[1] == "compare":
        compare(sys.argv[2])
    else:
        run(*sys.argv[1:])
