//! Which part of a workgroup ends by itself, and how is a broken law of `Allocate` named?

use std::ops::Range;

use raddle_policy::{LaunchId, ReadyLaunch};

use super::Breach;

/// Waves in a scenario that end together: (launch, workgroup, which of the workgroup's waves).
pub(super) type Spot = (LaunchId, u64, SpotPart);

/// Waves of one workgroup that end together, in one report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SpotPart {
    /// The whole workgroup, whose waves all end together.
    Whole,
    /// One wave, by its number, of a workgroup that started wave by wave.
    Wave(u16),
    /// `count` waves, from the wave `first` on, of a workgroup that was cut into parts.
    Cut { first: u16, count: u16 },
}

pub(super) fn breach(law: u8, what: impl Into<String>) -> Breach {
    Breach::new("Allocate", law, what)
}

/// Returns the entry with the workgroups of `run` as those that have not started.
pub(super) const fn shown(entry: &ReadyLaunch, run: &Range<u64>) -> ReadyLaunch {
    let mut launch = *entry.launch();
    launch.workgroups = run.end;
    let shown = ReadyLaunch::new(launch, entry.submitted()).with_next(run.start);
    shown.with_assigned(entry.assigned()).with_cut(entry.cut())
}
