//! Which policies fill the turn slot?
//!
//! One file a policy. Times in configurations carry their unit; one tick is one nanosecond.

mod round_robin;
mod unmap_all;
mod vruntime;
mod weighted_slices;

pub use round_robin::{RoundRobinTurn, RoundRobinTurnConfig};
pub use unmap_all::{UnmapAll, UnmapAllConfig};
pub use vruntime::{Vruntime, VruntimeConfig};
pub use weighted_slices::{AliveTime, WeightedSlices, WeightedSlicesConfig};

use raddle_policy::{Level, ProcessId, ProcessState, Tick, Ticks};

use crate::error::SliceError;

/// Ticks of a microsecond.
const MICROSECOND: u64 = 1000;
/// The seed's example of a smallest slice: 40 ms.
const SLICE_US: u64 = 40_000;

/// The longest time of a configuration in microseconds: 584 years.
const MOST_US: u64 = u64::MAX / MICROSECOND;

/// Converts a time of a configuration, at least one microsecond, to ticks.
fn ticks(key: &'static str, us: u64) -> Result<Ticks, SliceError> {
    within(key, us, 1, MOST_US)?;
    Ok(Ticks(us.saturating_mul(MICROSECOND)))
}

/// Checks how many processes fit, at least one.
fn capacity(given: u32) -> Result<usize, SliceError> {
    within("capacity", given.into(), 1, u32::MAX.into())?;
    Ok(usize::try_from(given).unwrap_or(usize::MAX))
}

/// Checks that a setting is within its range.
const fn within(key: &'static str, given: u64, least: u64, most: u64) -> Result<(), SliceError> {
    if given < least || given > most {
        return Err(SliceError::Setting { key, given, least, most });
    }
    Ok(())
}

/// Finds one process in a view, which is sorted by id.
fn find(processes: &[ProcessState], id: ProcessId) -> Option<&ProcessState> {
    let found = processes.binary_search_by_key(&id, |process| process.id).ok()?;
    processes.get(found)
}

/// Returns the most urgent level in a view.
fn most_urgent(processes: &[ProcessState]) -> Option<Level> {
    processes.iter().map(|process| process.level.0).min().map(Level)
}

/// Returns the end of a turn that begins now; `None` where time ends before.
fn until(now: Tick, length: Ticks) -> Option<Tick> {
    Some(now + length).filter(|&end| end > now && end < Tick::MAX)
}
