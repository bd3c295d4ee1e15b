//! Which launches did the host make while it captured graphs?
//!
//! vLLM and SGLang write a trace of their graph captures beside a profile. In it a launch call
//! names kernel, grid and workgroup, although nothing runs. The launches between the calls that
//! begin and end a capture are one graph; a named range of the host's time around them gives the
//! batch size.

use super::batch::BatchRanges;
use super::event::{Api, Category, KinetoEvent, times};
use super::shape::KernelExtents;
use crate::assemble::Interner;
use crate::captures::Launched;
use crate::decimal::natural;
use crate::import::document::{RecordSink, string};
use crate::report::ImportReport;

/// A launch that the host made while it captured a graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct HostLaunch {
    pub(super) at: i64,
    /// Index of the kernel's name in [`CaptureCollector::names`].
    pub(super) kernel: u32,
    pub(super) launched: Launched,
}

/// The events that are read from the trace of a graph capture: launches, begins and ends of
/// captures, and ranges of the host's time that name a batch size.
#[derive(Debug, Default)]
pub(super) struct CaptureCollector {
    pub(super) launches: Vec<HostLaunch>,
    /// Begins and ends of graph captures, as (time in nanoseconds, true for a begin, false for an
    /// end).
    pub(super) marks: Vec<(i64, bool)>,
    pub(super) ranges: BatchRanges,
    pub(super) names: Interner<String>,
    report: ImportReport,
}

impl CaptureCollector {
    fn call(&mut self, event: &KinetoEvent<'_>) -> Option<()> {
        let name = event.name.and_then(string)?;
        let (start, _) = times(event)?;
        let begins = name.contains("BeginCapture");
        if begins || name.contains("EndCapture") {
            self.marks.push((start.nanos, begins));
            return Some(());
        }
        let unit = Api::of(&name)?.unit()?;
        let [kernel, grid, block, lds] = event.args(&["kernel", "grid", "block", "shared memory"]);
        let shape = KernelExtents::read(grid, block)?.shape(unit)?;
        let lds = lds.and_then(natural).and_then(|lds| u32::try_from(lds).ok());
        let kernel = self.names.number(&*string(kernel?)?);
        self.launches.push(HostLaunch { at: start.nanos, kernel, launched: (shape, lds) });
        Some(())
    }
}

impl RecordSink for CaptureCollector {
    type Section = ();

    const RECORDS: &'static str = "launches";

    fn begin(&mut self, (): ()) {}

    fn record(&mut self, (): (), text: &[u8]) -> serde_json::Result<usize> {
        let (event, len) = KinetoEvent::read(text)?;
        match event.category {
            // A call that is no launch is passed over.
            Category::Call => drop(self.call(&event)),
            Category::Range => self.ranges.take(&event),
            _ => {}
        }
        Ok(len)
    }

    fn malformed(&mut self, (): ()) {}

    fn first_key((): ()) -> Option<&'static [u8]> {
        Some(b"ph")
    }

    fn kept(&self) -> usize {
        self.launches.len().max(self.marks.len()).max(self.ranges.len())
    }

    fn kernels_seen(&self) -> u64 {
        self.launches.len() as u64
    }

    fn report(&mut self) -> &mut ImportReport {
        &mut self.report
    }
}
