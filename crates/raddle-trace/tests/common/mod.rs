//! Where do fixtures lie, and how is a profile written as lines that a person can check?
#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod promises;

use std::path::{Path, PathBuf};

use raddle_policy::Barrier;
use raddle_trace::{Field, ImportConfig, Origin, Profile, TraceError, open};

pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/profiles").join(name)
}

pub(crate) fn import(name: &str) -> Profile {
    open(&fixture(name), &ImportConfig::default()).expect(name)
}

pub(crate) fn refusal(name: &str) -> TraceError {
    open(&fixture(name), &ImportConfig::default()).expect_err(name)
}

/// Writes a profile as one line for each op, which a person can check: name, stream, grid (`opaque`
/// for none), work-items, registers, shared memory, barrier; arrival (`j` joined, `a` assumed),
/// start, duration, op that it waits for.
pub(crate) fn lines(profile: &Profile) -> Vec<String> {
    let line = |op: &raddle_trace::Op| {
        let name = &profile.kernels[op.kernel as usize];
        let stream = &profile.streams[op.stream as usize].label;
        let f = op.footprint;
        let barrier = match f.barrier {
            Barrier::No => "no",
            Barrier::Yes => "yes",
            Barrier::Assumed => "assumed",
        };
        let mark = match op.provenance.of(Field::Arrival) {
            Origin::Measured => "",
            Origin::Joined => "j",
            Origin::Assumed => "a",
            Origin::Unknown => "?",
        };
        let after = op.after.map_or("-".to_owned(), |i| i.to_string());
        let shape = match op.is_opaque() {
            true => "opaque".to_owned(),
            false => format!("{}={}", op.grid, op.workgroups),
        };
        format!(
            "{name} @{stream} {shape} {}t {}r {}B {barrier}; {}{mark} {} {} after {after}",
            f.threads, f.vgprs_per_thread, f.lds_bytes, op.arrival_ns, op.start_ns, op.duration_ns,
        )
    };
    profile.ops.iter().map(line).collect()
}

pub(crate) fn names(profile: &Profile) -> Vec<&str> {
    profile.ops.iter().map(|op| profile.kernels[op.kernel as usize].as_str()).collect()
}

pub(crate) fn quirks(profile: &Profile) -> Vec<(&'static str, u64)> {
    profile.report.quirks().map(|met| (met.name, met.count)).collect()
}

/// Imports the sample of this name; `None` where samples are absent and need not be there.
pub(crate) fn sample(name: &str) -> Option<Result<Profile, TraceError>> {
    Some(open(&raddle_testkit::sample(name)?, &ImportConfig::default()))
}

/// Damages the bytes of a file: cuts it off at `cut`, changes bytes, and puts in pieces of text
/// that such files are made of.
pub(crate) fn mutate(bytes: &mut Vec<u8>, edits: &[(usize, u8, u8)], cut: usize) {
    const PARTS: [&[u8]; 8] = [b"\"", b"{", b"}", b"[", b",", b"\\", b"-1e9", b"\xff\xfe"];
    for &(at, kind, byte) in edits {
        let at = at % (bytes.len() + 1);
        match kind % 3 {
            0 if at < bytes.len() => bytes[at] = byte,
            1 => drop(bytes.splice(at..at, PARTS[usize::from(byte) % PARTS.len()].iter().copied())),
            _ => drop(bytes.drain(at..(at + usize::from(byte) % 16).min(bytes.len()))),
        }
    }
    bytes.truncate(cut);
}
