//! How is a run observed?
//!
//! A [`Watch`] is told what happens on the compute units. It changes nothing, but may end the run.
//! The run is compiled for each type of watch, so a run without one has no cost for it.

use raddle_policy::{LaunchId, Piece, Preemption, Tick, Ticks, WaveSpan};

/// An event on the simulated device that a watch sees.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Seen<'a> {
    /// Workgroups of a launch, or some waves of each, started.
    Started {
        /// The launch of the workgroups.
        launch: LaunchId,
        /// The number of the front (workgroups that start together and end together); the number is
        /// used again when the front has ended or was killed.
        front: u32,
        /// The waves that started, of each workgroup.
        waves: WaveSpan,
        /// The workgroups that started, with their compute units.
        pieces: &'a [Piece],
    },
    /// A front (workgroups that end together) ended.
    Ended {
        /// The launch of the workgroups.
        launch: LaunchId,
        /// The number under which the front (workgroups that end together) started.
        front: u32,
        /// The waves that ended, of each workgroup.
        waves: WaveSpan,
        /// The number of waves of a whole workgroup.
        whole: u16,
        /// The workgroups that ended, with their compute units.
        pieces: &'a [Piece],
    },
    /// A launch was submitted: from now on it waits only for room.
    Submitted {
        /// The launch that was submitted.
        launch: LaunchId,
    },
    /// A launch is off the device. A killed or saved launch holds no resources any more.
    TakenOff {
        /// The launch that is off the device now.
        launch: LaunchId,
        /// The method of preemption by which the launch left.
        how: Preemption,
    },
    /// A launch is about to come back; a saved launch holds its compute units again from now on,
    /// with its fronts (workgroups that end together) under their old numbers.
    Restored {
        /// The launch that comes back.
        launch: LaunchId,
    },
    /// A decision was carried out. A tick has one or more decisions; the counts of the last one
    /// stay valid until the next tick with an event.
    Settled {
        /// The number of resident waves of each process.
        waves: &'a [u64],
        /// The number of launches of each process that are ready and have not ended.
        launches: &'a [u64],
        /// The number of launches of each process that are on the device and not held after a
        /// preemption.
        placed: &'a [u64],
        /// The number of launches and copies of each process that are issued and have not ended.
        issued: &'a [u64],
    },
    /// All launches of a repetition have ended, or will never run.
    RepetitionEnded {
        /// The index of the process in the workload.
        process: u16,
        /// The time since the repetition began, in ticks.
        took: Ticks,
    },
}

/// An observer that is called with each event of a run.
pub trait Watch {
    /// Called with each event on the simulated device, at the tick `now`.
    fn see(&mut self, now: Tick, seen: &Seen<'_>);

    /// Returns the tick from which on the watch needs to see each event; `None` where it never does.
    /// Before it, the watch may not be told of periods after which the device stands as before.
    fn sees_from(&self) -> Option<Tick> {
        Some(Tick::ZERO)
    }

    /// Returns whether the watch has seen enough and ends the run; the outcome is then that of the
    /// run so far. The engine asks at intervals.
    fn ends_run(&self, _now: Tick) -> bool {
        false
    }
}

/// The watch that observes nothing.
impl Watch for () {
    #[inline]
    fn see(&mut self, _now: Tick, _seen: &Seen<'_>) {}

    fn sees_from(&self) -> Option<Tick> {
        None
    }
}

/// A watch that observes nothing where it is `None`.
impl<W: Watch> Watch for Option<W> {
    #[inline]
    fn see(&mut self, now: Tick, seen: &Seen<'_>) {
        if let Some(watch) = self {
            watch.see(now, seen);
        }
    }

    fn sees_from(&self) -> Option<Tick> {
        self.as_ref().and_then(Watch::sees_from)
    }

    fn ends_run(&self, now: Tick) -> bool {
        self.as_ref().is_some_and(|watch| watch.ends_run(now))
    }
}

/// Two watches of one run, each of which sees every event; either may end the run.
impl<A: Watch, B: Watch> Watch for (A, B) {
    #[inline]
    fn see(&mut self, now: Tick, seen: &Seen<'_>) {
        self.0.see(now, seen);
        self.1.see(now, seen);
    }

    fn sees_from(&self) -> Option<Tick> {
        self.0.sees_from().into_iter().chain(self.1.sees_from()).min()
    }

    fn ends_run(&self, now: Tick) -> bool {
        self.0.ends_run(now) || self.1.ends_run(now)
    }
}
