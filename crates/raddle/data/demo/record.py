"""Records the bundled pair with PyTorch's profiler, and measures both programs alone and beside each other.

    python3 record.py FOLDER

writes `decode.json` (one request) and `train.json` (one step) as PyTorch exports them, and `measured.json`. With MPS in
the environment it measures the ways of sharing under MPS instead, with ONLY_RECORD it records and measures little.
"""

import json
import os
import random
import sys
import threading
import time

import torch
import torch.multiprocessing as multiprocessing
import torch.nn.functional as F

# A decoder of 16 layers of the shape of a language model of seven billion parameters, weights at random.
LAYERS, WIDTH, HEADS, INNER, WORDS, BATCH, CACHE = 16, 4096, 32, 11008, 32000, 4, 1024
TOKENS = 2  # that a request generates
RATE = 40.0  # requests a second


class Decoder:
    """Generates TOKENS tokens for BATCH sequences behind one prompt; each token is one CUDA graph."""

    def __init__(self, priority=0):
        torch.manual_seed(1)

        def weight(*shape):
            return torch.randn(*shape, device="cuda", dtype=torch.bfloat16) * 0.02

        self.layers = [
            (weight(3 * WIDTH, WIDTH), weight(WIDTH, WIDTH), weight(2 * INNER, WIDTH), weight(WIDTH, INNER))
            for _ in range(LAYERS)
        ]
        self.embedding, self.head = weight(WORDS, WIDTH), weight(WORDS, WIDTH)
        self.norm = torch.ones(WIDTH, device="cuda", dtype=torch.bfloat16)
        shape = (BATCH, HEADS, CACHE, WIDTH // HEADS)
        self.caches = [(weight(*shape), weight(*shape)) for _ in range(LAYERS)]
        self.token = torch.zeros(BATCH, dtype=torch.long, device="cuda")
        self.place = torch.full((1,), 512, dtype=torch.long, device="cuda")
        self.prompt = torch.zeros(BATCH, dtype=torch.long).pin_memory()
        self.answer = torch.zeros(BATCH, dtype=torch.long).pin_memory()
        self.stream = torch.cuda.Stream(priority=priority)
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.no_grad(), torch.cuda.stream(self.stream):
            for _ in range(3):
                self.step()
            self.stream.synchronize()
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph, stream=self.stream):
                self.step()
        self.request()

    def step(self):
        x = F.embedding(self.token, self.embedding)
        mask = (torch.arange(CACHE, device="cuda") <= self.place).view(1, 1, 1, CACHE)
        for (qkv, out, up, down), (keys, values) in zip(self.layers, self.caches):
            q, k, v = F.linear(F.rms_norm(x, (WIDTH,), self.norm), qkv).view(BATCH, 3, HEADS, 1, -1).unbind(1)
            keys.index_copy_(2, self.place, k)
            values.index_copy_(2, self.place, v)
            seen = F.scaled_dot_product_attention(q, keys, values, attn_mask=mask)
            x = x + F.linear(seen.reshape(BATCH, WIDTH), out)
            gate, value = F.linear(F.rms_norm(x, (WIDTH,), self.norm), up).chunk(2, dim=-1)
            x = x + F.linear(F.silu(gate) * value, down)
        self.token.copy_(F.linear(F.rms_norm(x, (WIDTH,), self.norm), self.head).argmax(-1))
        self.place.add_(1)

    def request(self):
        with torch.no_grad(), torch.cuda.stream(self.stream):
            self.token.copy_(self.prompt, non_blocking=True)
            self.place.fill_(512)
            for _ in range(TOKENS):
                self.graph.replay()
            self.answer.copy_(self.token, non_blocking=True)
            self.stream.synchronize()

    def serve(self, arrivals):
        """Answers requests in their order; returns the milliseconds from the arrival to the answer of each."""
        begun, took = time.perf_counter(), []
        for arrival in arrivals:
            pause = begun + arrival - time.perf_counter()
            if pause > 0:
                time.sleep(pause)
            self.request()
            took.append((time.perf_counter() - begun - arrival) * 1e3)
        return took


class Trainer:
    """Trains four transformer layers of width 2048 on 8 sequences of 1,024 tokens."""

    def __init__(self):
        torch.manual_seed(2)
        layers = [torch.nn.TransformerEncoderLayer(2048, 16, 8192, 0.0, F.gelu, batch_first=True, norm_first=True, device="cuda") for _ in range(4)]
        self.model = torch.nn.Sequential(torch.nn.Embedding(WORDS, 2048, device="cuda"), *layers, torch.nn.Linear(2048, WORDS, device="cuda"))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), fused=True)
        self.words = torch.randint(WORDS, (8, 1025), device="cuda")
        for _ in range(5):
            self.step()

    def step(self):
        with torch.autocast("cuda", torch.bfloat16):
            said = self.model(self.words[:, :-1])
            loss = F.cross_entropy(said.flatten(0, 1), self.words[:, 1:].flatten())
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        loss.item()

    def train(self, seconds, stop=None):
        """Milliseconds of each step until then."""
        begun, took = time.perf_counter(), []
        while time.perf_counter() - begun < seconds and not (stop and stop.is_set()):
            at = time.perf_counter()
            self.step()
            took.append((time.perf_counter() - at) * 1e3)
        return took


def record(work, path):
    """Profiles the third of three runs: the profiler's own start lies in the first ones."""
    both = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    config = torch._C._profiler._ExperimentalConfig(enable_cuda_sync_events=True)
    phases = torch.profiler.schedule(wait=0, warmup=2, active=1, repeat=1)
    with torch.profiler.profile(activities=both, experimental_config=config, schedule=phases,
                                on_trace_ready=lambda profile: profile.export_chrome_trace(path)) as profile:
        for _ in range(3):
            work()
            torch.cuda.synchronize()
            profile.step()


def arrivals(seconds, rate=RATE, seed=7):
    chance, at, all = random.Random(seed), 0.0, []
    while (at := at + chance.expovariate(rate)) < seconds:
        all.append(at)
    return all


def worker(kind, pipe, folder):
    """A process with one of the programs, which does what it is told."""
    one = Decoder() if kind == "decode" else Trainer()
    pipe.send("ready")
    while (order := pipe.recv()) is not None:
        what, seconds, rate = order
        if what == "record":
            record(one.request if kind == "decode" else one.step, os.path.join(folder, kind + ".json"))
            pipe.send(None)
        elif kind == "decode":
            pipe.send(one.serve(arrivals(seconds, rate)))
        else:
            pipe.send(one.train(seconds))


def in_processes(folder, rates, seconds, recording, environment=None):
    """Both programs in a process each: alone, then beside each other at each rate."""
    spawn = multiprocessing.get_context("spawn")
    pipes, all = {}, []
    for kind in ("decode", "train"):
        os.environ.update((environment or {}).get(kind, {}))
        pipes[kind], other = spawn.Pipe()
        process = spawn.Process(target=worker, args=(kind, other, folder), daemon=True)
        process.start()
        all.append(process)
    for pipe in pipes.values():
        if not pipe.poll(120):
            raise TimeoutError("a program does not start")
        pipe.recv()
    told = {}

    def ask(rate, *kinds):
        for kind in kinds:
            pipes[kind].send(("run", seconds, rate))
        return {kind: pipes[kind].recv() for kind in kinds}

    if recording:
        for pipe in pipes.values():
            pipe.send(("record", 0, 0))
            pipe.recv()
    if not environment:
        told["train alone"] = ask(0, "train")
    for rate in rates:
        if not environment:
            told[f"decode alone {rate}"] = ask(rate, "decode")
        told[f"beside {rate}"] = ask(rate, "decode", "train")
    for pipe in pipes.values():
        pipe.send(None)
    for process in all:
        process.join(20)
    return told


def in_streams(rates, seconds, priority, folder=None):
    """Both programs as threads of this process, a stream each."""
    decoder, trainer, told = Decoder(priority), Trainer(), {}
    for rate in rates:
        stop, steps = threading.Event(), []
        thread = threading.Thread(target=lambda: steps.extend(trainer.train(3600, stop)))
        thread.start()
        took = decoder.serve(arrivals(seconds, rate))
        stop.set()
        thread.join()
        told[f"beside {rate}"] = {"decode": took, "train": steps}
    if folder:
        stop = threading.Event()
        thread = threading.Thread(target=trainer.train, args=(3600, stop))
        thread.start()
        record(lambda: decoder.serve(arrivals(0.3)), os.path.join(folder, "beside.json"))
        stop.set()
        thread.join()
    return told


def main():
    folder = sys.argv[1]
    rates, seconds = [10.0, 20.0, 40.0], float(os.environ.get("SECONDS_EACH", "4"))
    measured = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "seconds": seconds}
    measured["arrivals"] = {rate: arrivals(seconds, rate) for rate in rates}
    path = os.path.join(folder, "measured.json")

    def way(name, told):
        measured[name] = told
        for what, kinds in told.items():
            for kind, ms in kinds.items():
                ms = sorted(ms)
                print(f"{name}: {what}: {kind}: {len(ms)}, p50 {ms[len(ms) // 2]:.2f} ms, p99 {ms[len(ms) * 99 // 100]:.2f} ms", flush=True)
        with open(path, "w") as file:
            json.dump(measured, file)

    if "ONLY_RECORD" in os.environ:
        way("processes", in_processes(folder, [20.0], 2.0, True))
        way("stream priorities", in_streams([20.0], 2.0, -5, folder))
        return
    if "MPS" in os.environ:
        way("mps", in_processes(folder, rates, seconds, False))
        share = "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"
        way("mps 30 to 70 percent", in_processes(folder, rates[1:], seconds, False, {"decode": {share: "30"}, "train": {share: "70"}}))
        first = "CUDA_MPS_CLIENT_PRIORITY"
        way("mps priority", in_processes(folder, rates[1:], seconds, False, {"decode": {first: "0", share: "100"}, "train": {first: "1"}}))
        return
    way("processes", in_processes(folder, rates, seconds, True))
    way("streams", in_streams(rates, seconds, 0))
    way("stream priorities", in_streams(rates[1:], seconds, -5, folder))


if __name__ == "__main__":
    main()
