"""Measures what a schedule of GPU work depends on, and prints a JSON line a measurement as soon as it is there.

    python3 device.py [--mps] [--repetitions N]

It needs nothing but Python and the driver: CUDA's (libcuda) or OpenCL. It changes no setting. With --mps it also asks, in
processes of their own, how many units CUDA shows under percentages of a daemon of MPS that runs already.
"""

import ctypes
import json
import os
import subprocess
import sys
import time
from ctypes import byref, c_char_p, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p

HERE = os.path.dirname(os.path.abspath(__file__))
THREADS = 1024  # of a workgroup that copies
LEAST_S = 0.010  # that a copy lasts
MOST_BYTES = 1 << 30  # that a copy moves from one place to another
WATCH_NS = 400_000_000  # for which two processes look at the timer; longer kernels are ended by some displays
GAP_NS = 20_000  # for which a process that looks at the timer must have been off the device
RUNS = 4096  # of a process that are written down at most


def tell(what, **values):
    print(json.dumps({"raddle-calibration": 1, "what": what, **values}), flush=True)


def skip(of, why):
    tell("skipped", of=of, why=str(why))


class Cuda:
    """The first device of CUDA, through the driver's library."""

    NAMES = ("libcuda.so.1", "nvcuda.dll")

    def __init__(self):
        for name in self.NAMES:
            try:
                self.calls = ctypes.CDLL(name)
                break
            except OSError:
                continue
        else:
            raise OSError("there is no driver of CUDA (libcuda.so.1)")
        self.do("cuInit", c_uint(0))
        self.device, context = c_int(), c_void_p()
        self.do("cuDeviceGet", byref(self.device), c_int(0))
        self.do("cuDevicePrimaryCtxRetain", byref(context), self.device)
        self.do("cuCtxSetCurrent", context)
        self.units = self.attribute(16)
        self.seen = None

    def do(self, name, *values):
        code = getattr(self.calls, name)(*values)
        if code:
            text = c_char_p()
            self.calls.cuGetErrorName(code, byref(text))
            raise OSError(f"{name}: {(text.value or b'error ' + str(code).encode()).decode()}")

    def attribute(self, number):
        value = c_int()
        self.do("cuDeviceGetAttribute", byref(value), c_int(number), self.device)
        return value.value

    def describe(self):
        name, memory, version = ctypes.create_string_buffer(128), c_size_t(), c_int()
        self.do("cuDeviceGetName", name, c_int(128), self.device)
        self.do("cuDeviceTotalMem_v2", byref(memory), self.device)
        self.do("cuDriverGetVersion", byref(version))
        self.memory = memory.value
        return {
            "api": "cuda", "name": name.value.decode(), "units": self.units, "memory-bytes": memory.value,
            "compute": [self.attribute(75), self.attribute(76)], "clock-mhz": self.attribute(13) // 1000,
            "threads-per-unit": self.attribute(39), "registers-per-unit": self.attribute(82),
            "shared-bytes-per-unit": self.attribute(81), "driver": f"CUDA {version.value}",
        }

    def load(self):
        module = c_void_p()
        with open(os.path.join(HERE, "kernels.ptx"), "rb") as file:
            self.do("cuModuleLoadData", byref(module), file.read())
        self.kernels = {}
        for name in ("copy", "watch", "hold", "nothing"):
            self.kernels[name] = c_void_p()
            self.do("cuModuleGetFunction", byref(self.kernels[name]), module, name.encode())

    def allocate(self, size):
        pointer = c_uint64()
        self.do("cuMemAlloc_v2", byref(pointer), c_size_t(size))
        return pointer

    def read(self, pointer, kind, count):
        values = (kind * count)()
        self.do("cuMemcpyDtoH_v2", values, pointer, c_size_t(ctypes.sizeof(values)))
        return list(values)

    def queue(self, urgent=False):
        least, most, stream = c_int(), c_int(), c_void_p()
        self.do("cuCtxGetStreamPriorityRange", byref(least), byref(most))
        # 1: a stream that does not wait for the default one.
        self.do("cuStreamCreateWithPriority", byref(stream), c_uint(1), most if urgent else least)
        return stream

    def launch(self, stream, name, blocks, threads, *values):
        pointers = (c_void_p * max(len(values), 1))(*(ctypes.cast(byref(value), c_void_p) for value in values))
        shape = (c_uint(blocks), c_uint(1), c_uint(1), c_uint(threads), c_uint(1), c_uint(1))
        self.do("cuLaunchKernel", self.kernels[name], *shape, c_uint(0), stream, pointers, c_void_p())

    def wait(self, stream):
        self.do("cuStreamSynchronize", stream)

    def prepare(self, words):
        """Buffers of that many words of 16 bytes for `copy`."""
        self.to, self.source, self.seen = self.allocate(words * 16), self.allocate(words * 16), self.allocate(4 * 65536)

    def copy(self, stream, blocks, begin, end):
        self.launch(stream, "copy", blocks, THREADS, self.to, self.source, c_uint64(begin), c_uint64(end), self.seen)

    def seen_units(self, blocks):
        return len(set(self.read(self.seen, c_uint, blocks)))


class OpenCl:
    """The first GPU of OpenCL, or else the first device."""

    NAMES = ("libOpenCL.so.1", "OpenCL.dll", "/System/Library/Frameworks/OpenCL.framework/OpenCL")

    def __init__(self):
        for name in self.NAMES:
            try:
                self.calls = ctypes.CDLL(name)
                break
            except OSError:
                continue
        else:
            raise OSError("there is no OpenCL (libOpenCL.so.1)")
        for name in ("clCreateContext", "clCreateCommandQueue", "clCreateProgramWithSource", "clCreateKernel", "clCreateBuffer"):
            getattr(self.calls, name).restype = c_void_p
        gpu, every = 4, 0xFFFFFFFF
        devices = [device for kind in (gpu, every) for device in self.devices(kind)]
        if not devices:
            raise OSError("OpenCL has no device")
        self.device, code = devices[0], c_int()
        self.context = c_void_p(self.calls.clCreateContext(None, c_uint(1), byref(self.device), None, None, byref(code)))
        self.check("clCreateContext", code.value)
        self.units = self.number(0x1002, c_uint)

    def devices(self, kind):
        count, platforms = c_uint(), (c_void_p * 16)()
        self.calls.clGetPlatformIDs(c_uint(16), platforms, byref(count))
        for platform in platforms[: count.value]:
            found, devices = c_uint(), (c_void_p * 16)()
            if not self.calls.clGetDeviceIDs(c_void_p(platform), c_uint64(kind), c_uint(16), devices, byref(found)):
                yield from (c_void_p(device) for device in devices[: found.value])

    def check(self, name, code):
        if code:
            raise OSError(f"{name}: error {code}")

    def do(self, name, *values):
        self.check(name, getattr(self.calls, name)(*values))

    def number(self, what, kind):
        value = kind()
        self.do("clGetDeviceInfo", self.device, c_uint(what), c_size_t(ctypes.sizeof(value)), byref(value), None)
        return value.value

    def text(self, what):
        value = ctypes.create_string_buffer(512)
        self.do("clGetDeviceInfo", self.device, c_uint(what), c_size_t(512), value, None)
        return value.value.decode(errors="replace")

    def describe(self):
        self.memory, kind = self.number(0x101F, c_uint64), self.number(0x1000, c_uint64)
        self.most = self.number(0x1010, c_uint64)
        return {
            "api": "opencl", "name": self.text(0x102B), "units": self.units, "memory-bytes": self.memory,
            "gpu": bool(kind & 4), "clock-mhz": self.number(0x100C, c_uint), "driver": self.text(0x102D),
        }

    def load(self):
        with open(os.path.join(HERE, "kernels.cl"), "rb") as file:
            text, code = c_char_p(file.read()), c_int()
        program = c_void_p(self.calls.clCreateProgramWithSource(self.context, c_uint(1), byref(text), None, byref(code)))
        self.check("clCreateProgramWithSource", code.value)
        self.do("clBuildProgram", program, c_uint(0), None, None, None, None)
        self.program = program

    def kernel(self, name):
        code = c_int()
        kernel = c_void_p(self.calls.clCreateKernel(self.program, name.encode(), byref(code)))
        self.check("clCreateKernel", code.value)
        return kernel

    def queue(self, urgent=False):
        code = c_int()
        queue = c_void_p(self.calls.clCreateCommandQueue(self.context, self.device, c_uint64(0), byref(code)))
        self.check("clCreateCommandQueue", code.value)
        return queue

    def prepare(self, words):
        code, self.buffers = c_int(), []
        for _ in range(2):
            buffer = self.calls.clCreateBuffer(self.context, c_uint64(1), c_size_t(words * 16), None, byref(code))
            self.check("clCreateBuffer", code.value)
            self.buffers.append(c_void_p(buffer))
        self.lanes = min(THREADS, self.number(0x1004, c_size_t))
        self.kernels = {"copy": self.kernel("copy"), "nothing": self.kernel("nothing")}

    def launch(self, queue, name, blocks, threads, *values):
        for at, value in enumerate(values):
            self.do("clSetKernelArg", self.kernels[name], c_uint(at), c_size_t(ctypes.sizeof(value)), byref(value))
        whole, part = c_size_t(blocks * threads), c_size_t(threads)
        self.do("clEnqueueNDRangeKernel", queue, self.kernels[name], c_uint(1), None, byref(whole), byref(part), c_uint(0), None, None)

    def wait(self, queue):
        self.do("clFinish", queue)

    def copy(self, queue, blocks, begin, end):
        self.launch(queue, "copy", blocks, self.lanes, *self.buffers, c_uint64(begin), c_uint64(end))

    def seen_units(self, blocks):
        return None


class Copies:
    """Copies by a number of workgroups, each at another place, so that no cache holds it."""

    def __init__(self, device):
        self.device = device
        self.words = min(MOST_BYTES, device.memory // 8, getattr(device, "most", MOST_BYTES)) // 16
        device.prepare(self.words)
        self.at = 0

    def seconds(self, parts, words, times):
        """Each stream of `parts` copies that many words with its workgroups, so often; returns how long all took."""
        begun = time.perf_counter()
        for _ in range(times):
            for stream, blocks in parts:
                if self.at + words > self.words:
                    self.at = 0
                self.device.copy(stream, blocks, self.at, self.at + words)
                self.at += words
        for stream, _ in parts:
            self.device.wait(stream)
        return time.perf_counter() - begun

    def rates(self, parts, repetitions):
        """Bytes a microsecond, read and written, of each repetition."""
        # Each thread of CUDA takes four words at a time, so whole rounds of them are copied.
        words, times = 4 * THREADS * max(blocks for _, blocks in parts), 1
        while self.seconds(parts, words, times) < LEAST_S:
            if 4 * words * len(parts) <= self.words:
                words *= 2
            else:
                times *= 2
        moved = 32 * words * times * len(parts)
        return [round(moved / (self.seconds(parts, words, times) * 1e6)) for _ in range(repetitions)]


def measure_bandwidth(device, copies, repetitions):
    points = sorted({1, 2, 4, 8, 16, *(max(device.units * eighth // 8, 1) for eighth in range(1, 9))})
    stream = device.queue()
    for blocks in (point for point in points if point <= device.units):
        rates = copies.rates([(stream, blocks)], repetitions)
        tell("bandwidth", workgroups=blocks, seen=device.seen_units(blocks), **{"bytes-per-us": rates})


def measure_second_stream(device, copies, repetitions):
    one, other = device.queue(), device.queue()
    half = max(device.units // 2, 1)
    alone = copies.rates([(one, half)], repetitions)
    tell("second-stream", one=alone, two=copies.rates([(one, half), (other, half)], repetitions))


def measure_launch_gap(device, repetitions, launches=2000):
    stream, gaps = device.queue(), []
    for _ in range(repetitions + 1):
        begun = time.perf_counter_ns()
        for _ in range(launches):
            device.launch(stream, "nothing", 1, 1)
        device.wait(stream)
        gaps.append((time.perf_counter_ns() - begun) // launches)
    tell("launch-gap", ns=gaps[1:])


def measure_priority(device, repetitions):
    """How long a short launch takes beside a queue of launches that fill the device for 100 us each."""
    ways = {}
    for way, urgent in (("urgent-ns", True), ("equal-ns", False)):
        busy, own, ways[way] = device.queue(), device.queue(urgent), []
        for _ in range(repetitions):
            for _ in range(200):
                device.launch(busy, "hold", device.units * 2, THREADS, c_uint64(100_000))
            begun = time.perf_counter_ns()
            device.launch(own, "nothing", 1, 1)
            device.wait(own)
            ways[way].append(time.perf_counter_ns() - begun)
            device.wait(busy)
    tell("priority", **ways)


def child(*arguments, environment=None):
    command = [sys.executable, os.path.abspath(__file__), *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env={**os.environ, **(environment or {})})


def answer(process):
    line = process.stdout.readline()
    if not line:
        raise OSError("a process of the measurement ended early")
    return json.loads(line)


def measure_turns(repetitions):
    """Two processes look at the timer at once; where one was off the device, the other was on it."""
    both = [child("--watch"), child("--watch")]
    try:
        for process in both:
            answer(process)
        for _ in range(repetitions):
            for process in both:
                process.stdin.write("go\n")
                process.stdin.flush()
            tell("turns", runs=[answer(process) for process in both])
    finally:
        for process in both:
            process.stdin.close()
            process.wait(30)


def watch():
    device = Cuda()
    device.load()
    out, stream = device.allocate(8 * (2 * RUNS + 1)), device.queue()
    print("true", flush=True)
    for _ in sys.stdin:
        device.launch(stream, "watch", 1, 1, out, c_uint64(WATCH_NS), c_uint64(GAP_NS), c_uint64(RUNS))
        device.wait(stream)
        count = device.read(out, c_uint64, 1)[0]
        values = device.read(out, c_uint64, 2 * count + 1)[1:]
        print(json.dumps(list(zip(values[::2], values[1::2]))), flush=True)


def measure_percentages():
    for percent in (10, 20, 30, 40, 50, 60, 70, 80, 90):
        process = child("--units", environment={"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE": str(percent)})
        tell("percent", percent=percent, units=answer(process))
        process.communicate()


def attempt(what, measure, *values):
    try:
        measure(*values)
    except Exception as error:  # A measurement that fails does not take the others with it.
        skip(what, error)


def find():
    reasons = []
    for kind in (Cuda, OpenCl):
        try:
            return kind()
        except OSError as error:
            reasons.append(str(error))
    sys.exit("no device to measure: " + "; ".join(reasons))


def main(arguments):
    repetitions = int(arguments[arguments.index("--repetitions") + 1]) if "--repetitions" in arguments else 3
    device = find()
    tell("device", **device.describe())
    device.load()
    is_cuda = isinstance(device, Cuda)
    copies = Copies(device)
    attempt("bandwidth", measure_bandwidth, device, copies, repetitions)
    attempt("second-stream", measure_second_stream, device, copies, repetitions)
    attempt("launch-gap", measure_launch_gap, device, repetitions)
    if is_cuda:
        attempt("priority", measure_priority, device, repetitions)
        attempt("turns", measure_turns, repetitions)
    else:
        skip("priority", "OpenCL has no priorities that all devices know")
        skip("turns", "OpenCL shows no timer that two processes share")
    if "--mps" in arguments and is_cuda:
        attempt("percent", measure_percentages)
    else:
        skip("percent", "not asked for (--mps), or no CUDA")


if __name__ == "__main__":
    if "--watch" in sys.argv:
        watch()
    elif "--units" in sys.argv:
        print(Cuda().units, flush=True)
    else:
        main(sys.argv[1:])
