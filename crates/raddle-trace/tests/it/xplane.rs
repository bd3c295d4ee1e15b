//! Are profiles of JAX, XLA and TensorFlow read as they should be, as planes and as JSON?
#![cfg(feature = "xplane")]

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::common::promises::check;
use crate::common::{lines, quirks, sample};
use crate::xplane_pb::{bytes, entry, event, line, number, plane, stat};
use proptest::prelude::*;
use raddle_trace::{Field, ImportConfig, Origin, Profile, ProfileFormat, TraceError, read};

fn import(bytes: &[u8]) -> Result<Profile, TraceError> {
    read("run.xplane.pb", bytes, &ImportConfig::default())
}

const CALL: &str =
    "regs:40 static_shared:512 dynamic_shared:16 grid:4,2,1 block:128,1,1 occ_pct:50";
const STATS: [&str; 8] = [
    "correlation_id",
    "kernel_details",
    "memcpy_details",
    "memset_details",
    CALL,
    "device_vendor",
    "core_count",
    "compute_cap_major",
];

/// Returns the plane of a GPU with these lines (streams).
fn gpu(number_of_it: u64, of: &[Vec<u8>]) -> Vec<u8> {
    let mut parts = of.to_vec();
    parts.extend([entry(4, 1, "fusion_1"), entry(4, 2, "MemcpyH2D"), entry(4, 3, "Memset")]);
    parts.extend(STATS.iter().zip(1..).map(|(name, id)| entry(5, id, name)));
    parts.push(entry(5, 9, "compute_cap_minor"));
    let said = |id: u64, value: Vec<u8>| bytes(6, &[number(1, id), value].concat());
    parts.extend([
        said(6, bytes(5, b"Nvidia")),
        said(7, number(4, 132)),
        said(8, number(4, 9)),
        said(9, number(4, 0)),
    ]);
    plane(&format!("/device:GPU:{number_of_it}"), &parts)
}

/// Returns a profile with a kernel (its details are a reference), a copy and a fill, in two
/// streams, and lines that are derived from these.
fn profile() -> Vec<u8> {
    let tie = |n| stat(1, &number(3, n));
    let kernel = |offset, n| event(1, offset, 500, &[tie(n), stat(2, &number(7, 5))]);
    let streams = [
        line("Stream #13(Compute)", 10_000, &[kernel(0, 1), kernel(600, 2)]),
        line(
            "Stream #14(MemcpyH2D,Memset)",
            10_000,
            &[
                event(
                    2,
                    50,
                    100,
                    &[tie(3), stat(3, &bytes(5, b"kind_src:pinned kind_dst:device size:16"))],
                ),
                event(3, 200, 10, &[stat(4, &bytes(5, b"kind:device size:16"))]),
            ],
        ),
        line("XLA Ops", 10_000, &[kernel(0, 1)]),
    ];
    let host = plane(
        "/host:CPU",
        &[
            line(
                "python",
                9_000,
                &[
                    event(1, 100, 50, &[tie(1)]),
                    event(1, 300, 50, &[tie(2)]),
                    event(2, 400, 50, &[tie(3)]),
                    event(3, 450, 2_000, &[]),
                    event(4, 0, 9_000, &[]),
                ],
            ),
            entry(4, 1, "cuLaunchKernel"),
            entry(4, 2, "cuMemcpyHtoDAsync_v2"),
            entry(4, 3, "cuStreamSynchronize"),
            entry(4, 4, "PjitFunction(f)"),
            entry(5, 1, "correlation_id"),
        ],
    );
    [gpu(0, &streams), gpu(1, &[line("Stream #20(Compute)", 0, &[kernel(0, 9)])]), host].concat()
}

#[test]
fn a_whole_profile() {
    let p = import(&profile()).unwrap();
    assert_eq!((p.name.as_str(), p.format, p.resolution_ns), ("run", ProfileFormat::XPlane, 1));
    assert_eq!(
        lines(&p),
        [
            "fusion_1 @13 4x2x1=8 128t 40r 528B assumed; 0j 900 500 after -",
            "MemcpyH2D @14 0x0x0=0 0t 0r 0B no; 300j 950 100 after -",
            "Memset @14 0x0x0=0 0t 0r 0B no; 300a 1100 10 after 1",
            "fusion_1 @13 4x2x1=8 128t 40r 528B assumed; 200j 1500 500 after 0",
        ]
    );
    assert_eq!(quirks(&p), [("other-device", 1), ("no-launch-call", 1)]);
    let device = p.device.expect("its plane says so");
    assert_eq!(device.name, "Nvidia GPU of capability 9.0 with 132 units");
    assert_eq!(
        (device.sms, device.compute_major, device.compute_minor),
        (Some(132), Some(9), Some(0))
    );
    assert_eq!(p.host_waits.len(), 1);
    let second = ImportConfig { device: Some(1), ..ImportConfig::default() };
    let p = read("x", profile().as_slice(), &second).unwrap();
    assert_eq!((p.report.kernels, p.streams[0].label.as_str()), (1, "20"));
}

#[test]
fn what_is_no_work_of_a_gpu_is_named() {
    let tpu = plane("/device:TPU:0", &[line("XLA Ops", 0, &[event(1, 0, 5, &[])])]);
    let error = import(&tpu).unwrap_err().to_string();
    assert!(error.contains("`/device:TPU:0`") && error.contains("docs/launch-table.md"), "{error}");
    let host = plane("/host:metadata", &[]);
    let error = import(&host).unwrap_err().to_string();
    assert!(error.contains("no plane of a GPU (only `/host:metadata`)"), "{error}");
    assert!(error.contains("jax.profiler.start_trace"), "{error}");
    // A kernel that says nothing of its shape.
    let silent = gpu(0, &[line("Stream #1(Compute)", 0, &[event(1, 0, 5, &[])])]);
    assert!(import(&silent).unwrap().ops[0].is_opaque());
}

#[test]
fn a_profile_that_breaks_off_keeps_its_whole_planes() {
    let bytes = profile();
    let (mut kept, mut cut) = (Vec::new(), 0);
    for len in 3..bytes.len() {
        match import(&bytes[..len]) {
            Ok(p) => {
                check(&p);
                // Where what is said of kernels is cut off, they are opaque.
                let shaped = p.report.kernels - p.report.met("no-shape");
                if shaped == 0 {
                    continue;
                }
                // A cut between planes does not show.
                cut += p.report.met("truncated");
                kept.push(shaped);
            }
            Err(error) => assert!(
                matches!(error, TraceError::BreaksOff { .. } | TraceError::NothingUsable { .. })
                    || len < 24,
                "{len}: {error}"
            ),
        }
    }
    assert!(kept.len() > 200 && cut + 2 >= kept.len() as u64, "{cut} of {}", kept.len());
    assert!(kept.iter().all(|&kernels| kernels == 2), "{kept:?}");
}

/// Returns the fields of a protocol buffer message, as (number, value of a number, bytes).
fn fields(message: &[u8]) -> Vec<(u64, u64, &[u8])> {
    let varint = |at: &mut usize| {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = message[*at];
            *at += 1;
            value |= u64::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                return value;
            }
        }
    };
    let (mut at, mut found) = (0, Vec::new());
    while at < message.len() {
        let key = varint(&mut at);
        let value = if matches!(key & 7, 0 | 2) { varint(&mut at) } else { 0 };
        let len = match key & 7 {
            0 => 0,
            2 => usize::try_from(value).expect("it fits"),
            fixed => {
                if fixed == 1 {
                    8
                } else {
                    4
                }
            }
        };
        found.push((key >> 3, value, &message[at..at + len]));
        at += len;
    }
    found
}

fn messages(message: &[u8], number: u64) -> Vec<&[u8]> {
    fields(message).into_iter().filter(|field| field.0 == number).map(|field| field.2).collect()
}

fn text(message: &[u8], number: u64) -> String {
    messages(message, number).first().map(|t| String::from_utf8_lossy(t).into()).unwrap_or_default()
}

fn value(message: &[u8], number: u64) -> u64 {
    fields(message).iter().find(|field| field.0 == number).map_or(0, |field| field.1)
}

/// Formats picoseconds as decimal microseconds.
fn micros(ps: u64) -> String {
    format!("{}.{:06}", ps / 1_000_000, ps % 1_000_000)
}

/// Returns the `trace.json` that XLA's profiler writes of these planes: without categories, with
/// stats as strings.
fn as_json(space: &[u8]) -> String {
    let mut json = String::from("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    for (pid, plane) in (1..).zip(messages(space, 1)) {
        let map = |map| -> BTreeMap<u64, String> {
            let entry = |e: &&[u8]| (value(e, 1), text(messages(e, 2)[0], 2));
            messages(plane, map).iter().map(entry).collect()
        };
        let (events, stats) = (map(4), map(5));
        let name = text(plane, 2);
        let named = "\"ph\":\"M\",\"name\":\"process_name\"";
        writeln!(json, "{{\"pid\":{pid},{named},\"args\":{{\"name\":\"{name}\"}}}},")
            .expect("a string takes it");
        for line in messages(plane, 3) {
            for event in messages(line, 4) {
                let mut args = Vec::new();
                for stat in messages(event, 4) {
                    let own = text(stat, 5);
                    let referred = stats.get(&value(stat, 7)).filter(|_| own.is_empty());
                    let plain = value(stat, 3).max(value(stat, 4)).to_string();
                    let said =
                        referred.cloned().unwrap_or(if own.is_empty() { plain } else { own });
                    args.push(format!("{}:{}", quoted(&stats[&value(stat, 1)]), quoted(&said)));
                }
                let ts = micros(value(line, 3) * 1000 + value(event, 2));
                let (tid, dur) = (value(line, 1), micros(value(event, 3)));
                let name = quoted(&events[&value(event, 1)]);
                let args = args.join(",");
                writeln!(json, "{{\"ph\":\"X\",\"pid\":{pid},\"tid\":{tid},\"ts\":{ts},\"dur\":{dur},\"name\":{name},\"args\":{{{args}}}}},").expect("a string takes it");
            }
        }
    }
    json + "{}]}"
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a string")
}

#[test]
fn the_json_of_a_real_profile_says_what_its_planes_say() {
    let Some(path) = raddle_testkit::sample("jax/tracelens_mi300_conv.xplane.pb") else {
        return;
    };
    let planes = std::fs::read(path).expect("readable");
    let json = as_json(&planes);
    for device in 0..8 {
        let options = ImportConfig { device: Some(device), ..ImportConfig::default() };
        let a = read("x", planes.as_slice(), &options).expect("planes");
        let b = read("x", json.as_bytes(), &options).expect("JSON");
        assert_eq!(b.format, ProfileFormat::XlaJson);
        assert_eq!((lines(&a), quirks(&a).len()), (lines(&b), quirks(&b).len() - 1), "{device}");
        assert_eq!((b.device, b.report.met("no-device")), (None, 1));
    }
}

#[test]
fn a_real_profile_of_eight_gpus() {
    let Some(profile) = sample("jax/tracelens_mi300_conv.xplane.pb") else {
        return;
    };
    let p = profile.expect("it is whole");
    // Seven GPUs ran 25 kernels each, one 60.
    assert_eq!((p.report.kernels, p.report.met("other-device")), (60, 7 * 25));
    // Two are tied to hipStreamWaitEvent, which launches nothing, and one to no call.
    assert_eq!(p.report.met("no-launch-call"), 3);
    let joined = |op: &&raddle_trace::Op| op.provenance.of(Field::Arrival) == Origin::Joined;
    assert_eq!(p.ops.iter().filter(joined).count(), 57);
    let device = p.device.expect("its plane says so");
    assert_eq!((&*device.name, &*device.arch), ("AMD GPU gfx942 with 304 units", "gfx942"));
}

#[test]
fn json_of_a_tpu_or_without_work_is_named() {
    let of = |events: &str| {
        let text = format!("{{\"traceEvents\":[{events}]}}");
        read("x", text.as_bytes(), &ImportConfig::default()).unwrap_err().to_string()
    };
    let tpu = of(r#"{"ph":"M","pid":3,"name":"process_name","args":{"name":"/device:TPU:0"}},
        {"ph":"X","pid":3,"tid":1,"ts":1,"dur":2,"name":"fusion","args":{"hlo_op":"f"}}"#);
    assert!(tpu.contains("`/device:TPU:0`") && tpu.contains("launch table"), "{tpu}");
    let none = of(r#"{"ph":"X","pid":3,"tid":1,"ts":1,"dur":2,"name":"python"},{}"#);
    assert!(none.contains("none of its 2 events says that it is one"), "{none}");
}

proptest! {
    #[test]
    fn any_edit_of_a_profile_is_survived(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), any::<bool>()), 1..9),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = profile();
        for (at, byte, insert) in edits {
            let at = at.index(bytes.len());
            if insert { bytes.insert(at, byte) } else { bytes[at] = byte }
        }
        let bytes = &bytes[..=cut.index(bytes.len())];
        if let Ok(profile) = import(bytes) {
            check(&profile);
        }
    }

    #[test]
    fn kernels_come_as_they_went(
        kernels in prop::collection::vec((0u64..1 << 40, 1u64..1 << 30, 1u32..999, 1u32..999, 1u32..1025), 1..40),
    ) {
        let mut names = Vec::new();
        let mut events = Vec::new();
        for ((offset, lasts, x, y, block), id) in kernels.iter().copied().zip(100..) {
            names.push(entry(5, id, &format!("regs:7 grid:{x},{y},1 block:{block},1,1")));
            events.push(event(1, offset, lasts, &[stat(2, &number(7, id))]));
        }
        names.push(line("Stream #3(Compute)", 5, &events));
        let p = import(&gpu(0, &names)).unwrap();
        let mut wanted: Vec<_> = kernels
            .iter()
            .map(|&(offset, lasts, x, y, block)| (offset, lasts, u64::from(x) * u64::from(y), block))
            .collect();
        wanted.sort();
        let zero = wanted[0].0;
        let mut found: Vec<_> = p.ops.iter()
            .map(|op| (op.start_ns + zero, op.duration_ns, op.workgroups, op.footprint.threads)).collect();
        found.sort();
        prop_assert_eq!(found, wanted);
    }
}
