//! What do the traces of the PyTorch profiler (Kineto) say about the work of a GPU?
//!
//! All versions from 2020 to 2026, NVIDIA and AMD. Times are decimal microseconds and are read
//! exactly; an op's arrival is the start of the launch call with the same correlation number. Nothing
//! but figures and kernel names leaves a trace: no paths, hosts, users or process groups.

mod collect;
mod device;
mod event;
mod fields;
mod occupancy;
mod settle;
mod shape;
mod walk;
mod work;

use crate::assemble::{Draft, OP_LIMIT};
use crate::claims::Claims;
use crate::error::TraceError;
use crate::import::{Source, known};
use crate::input::{Window, is_damage};
use crate::options::ImportOptions;
use crate::profile::OpKind;
use crate::report::{ImportReport, Quirk};
use collect::Collector;
use walk::Walk;
use work::{Work, choose_device};

/// Imports a trace.
pub(super) fn import(
    source: Source<'_>,
    options: &ImportOptions,
) -> Result<(Draft, Claims), TraceError> {
    let Source { file, reader, gzip, .. } = source;
    let mut window = Window::new(reader);
    let mut collector = Collector::new();
    let walk = walk::walk(&mut window, &mut collector);
    let at = window.position();
    if gzip {
        window.drain();
    }
    let failure = window.failure();
    if collector.overflowed() {
        return Err(TraceError::TooLarge { file, limit: OP_LIMIT as u64, what: "launches" });
    }
    if let Some(cause) = failure {
        if !is_damage(&cause) {
            return Err(TraceError::Unreadable { file, cause });
        }
        if collector.kernels_seen == 0 && gzip {
            return Err(TraceError::TruncatedGzip { file });
        }
        if !walk.truncated {
            collector.report.note(Quirk::Damaged);
        }
    }
    note_walk(&walk, &mut collector.report);
    let work = Work::of(collector, options.barriers);
    if let Some(error) = unusable(&file, &walk, &work, at) {
        return Err(error);
    }
    let device = choose_device(&file, &work.ops, options.device)?;
    Ok(work.of_device(device))
}

fn note_walk(walk: &Walk, report: &mut ImportReport) {
    report.add(Quirk::Truncated, u64::from(walk.truncated));
    report.add(Quirk::Damaged, u64::from(walk.broken_at.is_some()));
    report.add(Quirk::LostEvents, walk.lost);
    report.add(Quirk::Malformed, walk.strange);
}

/// Why nothing can come of this file, if so.
fn unusable(file: &str, walk: &Walk, work: &Work, at: u64) -> Option<TraceError> {
    let file = file.to_owned();
    let kernels = work.kernels_seen;
    if kernels > 0 {
        if work.ops.iter().any(|op| op.draft.kind == OpKind::Kernel) {
            return None;
        }
        let shapeless = work.report.count(Quirk::NoShape);
        if work.amd && shapeless > 0 {
            return Some(TraceError::AmdKineto { file, kernels, shapeless });
        }
        let reasons = [Quirk::Malformed, Quirk::NoShape, Quirk::ShapeOverflow].into_iter();
        let reasons: Vec<_> = reasons
            .map(|quirk| (work.report.count(quirk), quirk.name()))
            .filter(|&(n, _)| n > 0)
            .map(|(n, name)| format!("{n} {name}"))
            .collect();
        let reasons = reasons.join(", ");
        return Some(TraceError::NothingUsable { file, kernels, reasons });
    }
    if let Some(byte) = walk.broken_at {
        return Some(TraceError::NotJson { file, byte });
    }
    if walk.truncated && !walk.has_events {
        return Some(TraceError::NotJson { file, byte: at });
    }
    if !walk.has_events && !walk.keys.iter().any(|key| key == "traceEvents") {
        if let Some(known) = known::by_keys(&walk.keys) {
            return Some(known.refuse(file));
        }
        let saw = format!("the keys {}", listed(walk.keys.iter().map(String::as_str)));
        return Some(TraceError::OtherJson { file, saw });
    }
    if work.categories.is_empty() && work.report.events == 0 && walk.strange > 0 {
        let saw = format!("an array of {} values that are no events", walk.strange);
        return Some(TraceError::OtherJson { file, saw });
    }
    if walk.truncated {
        return Some(TraceError::BreaksOff { file, byte: at });
    }
    let categories = match work.categories.is_empty() {
        true => "it holds no events at all".to_owned(),
        false => format!("only {}", listed(work.categories.iter().map(String::as_str))),
    };
    Some(TraceError::NoKernels { file, categories })
}

fn listed<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<_> = words.map(|word| format!("`{}`", word.escape_debug())).collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}
