//! How is an XPlane written, field by field? (`xplane.proto` of OpenXLA)
#![allow(dead_code, reason = "each test file uses a part of it")]

/// Encodes a field of a protocol buffer message that is a number.
pub(crate) fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

/// Encodes a field of a protocol buffer message that has bytes.
pub(crate) fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    [varint(field << 3 | 2), varint(value.len() as u64), value.to_vec()].concat()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while value > 127 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
    out
}

/// Encodes an entry of a plane's map of names.
pub(crate) fn entry(map: u64, key: u64, name: &str) -> Vec<u8> {
    bytes(
        map,
        &[number(1, key), bytes(2, &[number(1, key), bytes(2, name.as_bytes())].concat())].concat(),
    )
}

/// Encodes a stat (fact) with a number, a text, or a text that is the name of another stat.
pub(crate) fn stat(id: u64, value: &[u8]) -> Vec<u8> {
    bytes(4, &[number(1, id), value.to_vec()].concat())
}

/// Encodes an event: the number of its name, its start and duration in nanoseconds, and its stats
/// (facts).
pub(crate) fn event(id: u64, offset: u64, lasts: u64, stats: &[Vec<u8>]) -> Vec<u8> {
    let times = [number(1, id), number(2, offset * 1000), number(3, lasts * 1000)].concat();
    bytes(4, &[times, stats.concat()].concat())
}

pub(crate) fn line(name: &str, start: u64, events: &[Vec<u8>]) -> Vec<u8> {
    bytes(3, &[number(1, 7), bytes(2, name.as_bytes()), number(3, start), events.concat()].concat())
}

pub(crate) fn plane(name: &str, parts: &[Vec<u8>]) -> Vec<u8> {
    bytes(1, &[number(1, 1), bytes(2, name.as_bytes()), parts.concat()].concat())
}

/// Returns a profile with the plane of a GPU that ran this many kernels in one stream, and the
/// plane of the host with a call for each, beside three other events.
pub(crate) fn long_run(kernels: u64) -> Vec<u8> {
    let tie = |i| stat(1, &number(3, i));
    let work = |i| event(1, i * 1000, 900, &[tie(i), stat(2, &number(7, 3))]);
    let launches: Vec<Vec<u8>> = (1..=kernels).map(work).collect();
    let calls = |i| {
        let other = [1, 2, 3].map(|at| event(2, i * 1000 + 50 * at, 20, &[]));
        [event(1, i * 1000, 30, &[tie(i)]), other.concat()].concat()
    };
    let calls: Vec<Vec<u8>> = (1..=kernels).map(calls).collect();
    let shape = "regs:40 static_shared:0 dynamic_shared:0 grid:8,1,1 block:64,1,1 occ_pct:50";
    let stats = [entry(5, 1, "correlation_id"), entry(5, 2, "kernel_details"), entry(5, 3, shape)];
    let gpu =
        [line("Stream #13(Compute)", 10_000, &launches), entry(4, 1, "fusion"), stats.concat()];
    let names = [entry(4, 1, "cuLaunchKernel"), entry(4, 2, "PjitFunction(f)"), stats[0].clone()];
    let host = [line("python", 9_000, &calls), names.concat()];
    [plane("/device:GPU:0", &gpu), plane("/host:CPU", &host)].concat()
}
