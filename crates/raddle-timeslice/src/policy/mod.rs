//! Which policies of this crate decide whose turn it is?
//!
//! Each file has one policy. Times in configurations carry their unit; one tick is one nanosecond.

mod round_robin;
mod unmap_all;
mod vruntime;
mod weighted_slices;

pub use round_robin::{RoundRobinTurn, RoundRobinTurnConfig};
pub use unmap_all::{UnmapAll, UnmapAllConfig};
pub use vruntime::{Vruntime, VruntimeConfig};
pub use weighted_slices::{WeightedSlices, WeightedSlicesConfig};

use raddle_policy::{Level, ProcessId, ProcessState, Tick, Ticks};

use crate::error::Reason;
use crate::error::SliceError;

/// Number of ticks of a microsecond; a tick is a nanosecond.
const MICROSECOND: u64 = 1000;
/// Length of a slice (the turn of one process), or of the smallest slice, in microseconds where a
/// configuration leaves it out: 40 ms, the example in the patent (seed 004).
const SLICE_US: u64 = 40_000;

/// Longest time in microseconds that a configuration may state: 584 years.
const MOST_US: u64 = u64::MAX / MICROSECOND;

/// Converts the time `us` of a configuration, in microseconds and at least 1, to ticks; the error
/// names the setting `key`.
fn ticks(key: &'static str, us: u64) -> Result<Ticks, SliceError> {
    within(key, us, 1, MOST_US)?;
    Ok(Ticks(us.saturating_mul(MICROSECOND)))
}

/// Returns the setting `capacity` of a turn policy, the largest number of processes that it chooses
/// at the same time. The error says that the setting is 0.
fn capacity(given: u32) -> Result<usize, SliceError> {
    within("capacity", given.into(), 1, u32::MAX.into())?;
    Ok(usize::try_from(given).unwrap_or(usize::MAX))
}

/// Checks that the value `given` of the setting `key` is from `least` to `most`; the error names
/// the setting and the range.
const fn within(key: &'static str, given: u64, least: u64, most: u64) -> Result<(), SliceError> {
    if given < least || given > most {
        return Err(SliceError(Reason::Setting { key, given, least, most }));
    }
    Ok(())
}

/// Returns the state of one process; `None` where `processes`, which are sorted by id, lack it.
fn find(processes: &[ProcessState], id: ProcessId) -> Option<&ProcessState> {
    let found = processes.binary_search_by_key(&id, |process| process.id).ok()?;
    processes.get(found)
}

fn most_urgent(processes: &[ProcessState]) -> Option<Level> {
    processes.iter().map(|process| process.level.0).min().map(Level)
}

/// Returns the tick at which a turn of `length` ticks that begins at `now` ends; `None` where that
/// tick is beyond the range of time.
fn until(now: Tick, length: Ticks) -> Option<Tick> {
    Some(now + length).filter(|&end| end > now && end < Tick::MAX)
}
