//! How is a run observed?
//!
//! A [`Watch`] is told what happens on the compute units. It changes nothing, but may end the run.
//! The run is compiled for each type of watch, so a run without one has no cost for it.

use raddle_policy::{LaunchId, Piece, Preemption, Tick, Ticks, WaveSpan};

/// Something that happened on the device.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Seen<'a> {
    /// Workgroups, or waves of them, started.
    Started {
        /// The launch.
        launch: LaunchId,
        /// The number of the front that ends together; it is used again when the front has ended or
        /// was killed.
        front: u32,
        /// The waves of each workgroup.
        waves: WaveSpan,
        /// The workgroups and their compute units.
        pieces: &'a [Piece],
    },
    /// A front ended.
    Ended {
        /// The launch.
        launch: LaunchId,
        /// The number that the front started under.
        front: u32,
        /// The waves of each workgroup.
        waves: WaveSpan,
        /// How many waves a whole workgroup has.
        whole: u16,
        /// The workgroups and their compute units.
        pieces: &'a [Piece],
    },
    /// A launch was submitted: from now on it waits for room alone.
    Submitted {
        /// The launch.
        launch: LaunchId,
    },
    /// A launch is off. A killed or saved launch holds nothing any more.
    TakenOff {
        /// The launch.
        launch: LaunchId,
        /// The way in which the launch left.
        how: Preemption,
    },
    /// A launch may come back; a saved launch holds its compute units again from now on, under the
    /// fronts that it had.
    Restored {
        /// The launch.
        launch: LaunchId,
    },
    /// A decision was carried out. One or more a tick; the last says what holds until the next.
    Settled {
        /// Resident waves of each process.
        waves: &'a [u64],
        /// Launches of each process that are ready and have not ended.
        launches: &'a [u64],
        /// Launches of each process that are ready, submitted and not held.
        placed: &'a [u64],
        /// Launches and copies of each process that are issued and have not ended.
        issued: &'a [u64],
    },
    /// All launches of a repetition have ended, or will never run.
    RepetitionEnded {
        /// The process.
        process: u16,
        /// The time since the repetition began.
        took: Ticks,
    },
}

/// Observes a run.
pub trait Watch {
    /// Something happened.
    fn see(&mut self, now: Tick, seen: &Seen<'_>);

    /// Returns whether the watch has seen what it needs and ends the run; the outcome is then that
    /// of the run so far. The engine asks at intervals.
    fn ends_run(&self, _now: Tick) -> bool {
        false
    }
}

/// No observation.
impl Watch for () {
    #[inline]
    fn see(&mut self, _now: Tick, _seen: &Seen<'_>) {}
}

/// Observation, if there is a watch.
impl<W: Watch> Watch for Option<W> {
    #[inline]
    fn see(&mut self, now: Tick, seen: &Seen<'_>) {
        if let Some(watch) = self {
            watch.see(now, seen);
        }
    }

    fn ends_run(&self, now: Tick) -> bool {
        self.as_ref().is_some_and(|watch| watch.ends_run(now))
    }
}

/// Two watches of one run; either may end it.
impl<A: Watch, B: Watch> Watch for (A, B) {
    #[inline]
    fn see(&mut self, now: Tick, seen: &Seen<'_>) {
        self.0.see(now, seen);
        self.1.see(now, seen);
    }

    fn ends_run(&self, now: Tick) -> bool {
        self.0.ends_run(now) || self.1.ends_run(now)
    }
}
