"""Measures two pairs of programs on one GPU under ways of sharing, and writes the files of `raddle calibrate pair`.

    python3 session.py FOLDER WAY...

A way is time-slice, streams, stream-priorities, mps, mps-priority or mps-N-M; those of MPS want its daemon. Each result is
written as soon as it is there, to decode-beside-train.json and prefill-beside-convolution.json; what is in a file already is
not measured again. With time-slice the profiles are recorded too.
"""

import json
import os
import sys
import threading

import torch
import torch.multiprocessing as multiprocessing
from record import Decoder, Trainer, arrivals, record
from second import Convolution, Prefill

PAIRS = (("decode", "train"), ("prefill", "convolution"))
KINDS = {"decode": Decoder, "train": Trainer, "prefill": Prefill, "convolution": Convolution}
LOADS = (20, 40, 10)  # the most telling first
REPETITIONS = 3
SECONDS = float(os.environ.get("SECONDS_EACH", "1.5"))


class Truth:
    """The file of a pair."""

    def __init__(self, folder, pair):
        self.pair, self.path = pair, os.path.join(folder, f"{pair[0]}-beside-{pair[1]}.json")
        try:
            with open(self.path) as file:
                self.all = json.load(file)
        except FileNotFoundError:
            times = {load: [times_of(load, at) for at in range(REPETITIONS)] for load in LOADS}
            ms = {str(load): [[round(at * 1e3, 3) for at in one] for one in all] for load, all in times.items()}
            self.all = {
                "raddle-pair": 1, "device": torch.cuda.get_device_name(), "driver": os.environ.get("DRIVER"),
                "torch": torch.__version__, "unit": "ms", "seconds": SECONDS, "programs": list(pair), "arrivals": ms, "ways": {},
            }

    def add(self, way, case, told):
        cases = self.all["ways"].setdefault(way, {}).setdefault(case, {})
        for name, took in told.items():
            cases.setdefault(name, []).append([round(ms, 3) for ms in took])
        with open(self.path + ".new", "w") as file:
            json.dump(self.all, file)
        os.replace(self.path + ".new", self.path)
        print(f"{way}, {case}:", ", ".join(f"{name} {len(took)}" for name, took in told.items()), flush=True)

    def has(self, way, case, repetitions):
        cases = self.all["ways"].get(way, {}).get(case, {})
        return any(len(all) >= repetitions for all in cases.values())


def times_of(load, repetition):
    return arrivals(SECONDS, load, 7 + repetition)


def worker(kind, pipe, folder):
    """A process with one of the programs, which does what it is told."""
    one = KINDS[kind]()
    pipe.send("ready")
    while (order := pipe.recv()) is not None:
        if order == "record":
            record(one.request if hasattr(one, "request") else one.step, os.path.join(folder, kind + ".json"))
            pipe.send(None)
        elif isinstance(order, list):
            pipe.send(one.serve(order))
        else:
            pipe.send(one.train(order))


def environment(way, at):
    if way == "mps-priority":
        return {"CUDA_MPS_CLIENT_PRIORITY": str(at)}
    if way.startswith("mps-"):
        return {"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE": way.split("-")[1 + at]}
    return {}


def in_processes(way, truths, folder):
    """All four programs start at once; then each pair is measured while the other one is idle."""
    spawn, pipes, processes = multiprocessing.get_context("spawn"), {}, []
    for pair in PAIRS:
        for at, kind in enumerate(pair):
            own = environment(way, at)
            os.environ.update(own)
            pipes[kind], other = spawn.Pipe()
            processes.append(spawn.Process(target=worker, args=(kind, other, folder), daemon=True))
            processes[-1].start()
            for key in own:
                del os.environ[key]
    for kind, pipe in pipes.items():
        if not pipe.poll(120):
            raise TimeoutError(f"{kind} does not start")
        pipe.recv()

    def ask(orders):
        for kind, order in orders.items():
            pipes[kind].send(order)
        return {kind: pipes[kind].recv() for kind in orders}

    for truth in truths:
        serve, train = truth.pair
        if way == "time-slice":
            for kind in truth.pair:
                if not os.path.exists(os.path.join(folder, kind + ".json")):
                    ask({kind: "record"})
            if not truth.has(way, f"{train} alone", 1):
                truth.add(way, f"{train} alone", ask({train: SECONDS}))
    for repetition in range(REPETITIONS):
        for truth in truths:
            serve, train = truth.pair
            for load in LOADS:
                times = times_of(load, repetition)
                if not truth.has(way, f"beside {load}", repetition + 1):
                    truth.add(way, f"beside {load}", ask({serve: times, train: SECONDS}))
                if way == "time-slice" and repetition == 0 and not truth.has(way, f"{serve} alone {load}", 1):
                    truth.add(way, f"{serve} alone {load}", ask({serve: times}))
    for pipe in pipes.values():
        pipe.send(None)
    for process in processes:
        process.join(20)


def in_streams(way, truths):
    """Both programs of a pair as threads of this process, a stream each."""
    for truth in truths:
        serve, train = truth.pair
        server, trainer = KINDS[serve](-5 if way == "stream-priorities" else 0), KINDS[train]()
        for repetition in range(REPETITIONS):
            for load in LOADS:
                if truth.has(way, f"beside {load}", repetition + 1):
                    continue
                stop, steps = threading.Event(), []
                thread = threading.Thread(target=lambda: steps.extend(trainer.train(3600, stop)))
                thread.start()
                took = server.serve(times_of(load, repetition))
                stop.set()
                thread.join()
                truth.add(way, f"beside {load}", {serve: took, train: steps})
        del server, trainer
        torch.cuda.empty_cache()


def main(folder, ways):
    truths = [Truth(folder, pair) for pair in PAIRS]
    for way in ways:
        if way.startswith("stream"):
            in_streams(way, truths)
        else:
            in_processes(way, truths, folder)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
