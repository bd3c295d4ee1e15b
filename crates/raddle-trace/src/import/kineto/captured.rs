//! Which graphs were captured in a trace, and which shapes (grid and workgroup) had the kernels
//! that ran?

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use super::capture::CaptureCollector;
use crate::archive::open_file;
use crate::captures::{GraphCapture, GraphCaptures, KernelShape};
use crate::config::ImportConfig;
use crate::error::TraceError;
use crate::import::document::{DocumentLayout, read_document};
use crate::import::{EVENTS, detect, open, read};
use crate::profile::{Op, OpKind, Profile};
use crate::provenance::{Field, Origin};

impl GraphCaptures {
    /// Reads shapes (grid and workgroup) of kernels from the trace of a graph capture, as vLLM and
    /// SGLang write it beside a profile, or from any profile whose kernels have shapes.
    ///
    /// # Errors
    /// When the file cannot be read, or no launch in it has a shape.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        let (file, bytes) = open_file(path)?;
        Self::from_two(&file, bytes, || open(path, &ImportConfig::default()))
    }

    /// Reads the trace of a capture as [`open`](Self::open) does, from the file's bytes; `file` is
    /// their name for messages.
    ///
    /// # Errors
    /// The errors of [`open`](Self::open).
    pub fn read(file: &str, bytes: &[u8]) -> Result<Self, TraceError> {
        Self::from_two(file, bytes, || read(file, bytes, &ImportConfig::default()))
    }

    /// Builds the captures from the launches that the trace `bytes` records during graph captures,
    /// and from the kernels that ran, which `profile` reads from the same file. An error where none
    /// of these has a grid and workgroup.
    fn from_two(
        file: &str,
        bytes: impl Read,
        profile: impl FnOnce() -> Result<Profile, TraceError>,
    ) -> Result<Self, TraceError> {
        let (source, kind) = detect(file, bytes, &|_, _| ())?;
        let mut found = Self::default();
        if kind.name == EVENTS {
            let mut collector = CaptureCollector::default();
            read_document(source, layout, &mut collector)?;
            found.captures = captures(collector);
        }
        match profile() {
            Ok(profile) => found.add(&profile),
            Err(error) if found.captures.is_empty() => return Err(error),
            Err(_) => {}
        }
        match found.captures.is_empty() && found.ran.is_empty() {
            true => Err(TraceError::NoShapes { file: file.to_owned() }),
            false => Ok(found),
        }
    }

    /// Stores the shape (grid and workgroup) and shared memory of each kernel of a profile that ran
    /// with a known shape, by the kernel's name, for kernels of that name in a captured graph.
    fn add(&mut self, profile: &Profile) {
        let shaped = |op: &&Op| op.kind == OpKind::Kernel && !op.is_opaque();
        for (at, op) in profile.ops.iter().filter(shaped).enumerate() {
            let Some(name) = profile.kernels.get(op.kernel as usize) else { continue };
            let (grid, workgroups) = (op.grid, op.workgroups);
            let threads = op.footprint.threads;
            let shape = KernelShape { grid, workgroups, threads, uneven: false };
            let known = op.provenance.of(Field::SharedMemory) != Origin::Assumed;
            let lds = known.then_some(op.footprint.lds_bytes);
            self.ran.entry(name.clone()).or_default().add(at, (shape, lds));
        }
    }
}

fn layout(first: u8) -> DocumentLayout<()> {
    match first {
        b'[' => DocumentLayout::Records(()),
        _ => DocumentLayout::Object(&[("traceEvents", DocumentLayout::Records(()))]),
    }
}

/// Groups the launches by graph capture (the time in which a program records launches into a CUDA
/// graph instead of running them): a launch belongs to the capture during which it was called.
fn captures(found: CaptureCollector) -> Vec<GraphCapture> {
    let CaptureCollector { mut launches, mut marks, mut ranges, names, .. } = found;
    let names = names.into_items();
    launches.sort_by_key(|launch| launch.at);
    marks.sort_unstable();
    ranges.sort();
    let mut captures = Vec::new();
    for pair in marks.windows(2) {
        let [(begin, true), (end, false)] = *pair else { continue };
        let mut capture = GraphCapture { batch: ranges.at(begin), launches: BTreeMap::new() };
        let first = launches.partition_point(|launch| launch.at < begin);
        for launch in launches[first..].iter().take_while(|launch| launch.at < end) {
            let Some(name) = names.get(launch.kernel as usize) else { continue };
            capture.launches.entry(name.clone()).or_default().push(launch.launched);
        }
        if !capture.launches.is_empty() {
            captures.push(capture);
        }
    }
    captures
}
