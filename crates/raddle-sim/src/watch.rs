//! How is a run observed?
//!
//! A [`Watch`] is told what happens on the compute units. It changes nothing, but may end the run.
//! It is called through a pointer, so that the simulator is compiled once, in its own crate.

use raddle_policy::{LaunchId, Piece, Preemption, Tick, Ticks, WaveSpan};

/// An event on the simulated device that a watch sees.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Seen<'a> {
    /// Workgroups of a launch, or some of their waves, have started.
    Started {
        /// The launch whose workgroups started.
        launch: LaunchId,
        /// The number of the front (workgroups that start together and end together); a number is
        /// used again after its front has ended or was killed.
        front: u32,
        /// The waves of each workgroup that started.
        waves: WaveSpan,
        /// The workgroups that started, with their compute units.
        pieces: &'a [Piece],
    },
    /// A front (workgroups of a launch that end together) has ended.
    Ended {
        /// The launch whose workgroups ended.
        launch: LaunchId,
        /// The number of the front (workgroups that end together), as at its start.
        front: u32,
        /// The waves of each workgroup that ended.
        waves: WaveSpan,
        /// The number of waves of a whole workgroup.
        whole: u16,
        /// The workgroups that ended, with their compute units.
        pieces: &'a [Piece],
    },
    /// A launch was submitted to the device; once it is ready, it waits only for free resources.
    Submitted {
        /// The launch that was submitted.
        launch: LaunchId,
    },
    /// A launch was taken off the device by a preemption. A killed or saved launch holds no
    /// resources any more.
    TakenOff {
        /// The preempted launch that is now off the device.
        launch: LaunchId,
        /// The preemption method by which the launch left the device.
        how: Preemption,
    },
    /// A launch begins to come back to the device. A saved launch holds its compute units again
    /// from now on, and its fronts (workgroups that end together) keep their numbers.
    Restored {
        /// The preempted launch that comes back to the device.
        launch: LaunchId,
    },
    /// A decision of the dispatcher was carried out. A tick has one or more decisions; the counts
    /// here stay valid until the next decision.
    Settled {
        /// The number of waves that each process has on the device.
        waves: &'a [u64],
        /// The number of launches of each process that are ready and have not ended.
        launches: &'a [u64],
        /// The number of launches of each process that were submitted to the device and are not
        /// kept off it by a preemption.
        placed: &'a [u64],
        /// The number of launches and copies of each process that are issued and have not ended.
        issued: &'a [u64],
    },
    /// All launches of one repetition of a profile have ended, or will never run.
    RepetitionEnded {
        /// The index in the workload of the process to which the repetition belongs.
        process: u16,
        /// The time since the repetition began, in ticks.
        took: Ticks,
    },
}

/// An observer that is called with each event of a run.
pub trait Watch {
    /// Receives an event on the simulated device, which happens at the tick `now`.
    fn see(&mut self, now: Tick, seen: &Seen<'_>);

    /// Returns the tick from which on the watch needs to see each event; `None` where it needs
    /// none. Before that tick, the simulator may skip repetitive stretches without telling the
    /// watch.
    fn sees_from(&self) -> Option<Tick> {
        Some(Tick::ZERO)
    }

    /// Returns whether the watch has seen enough, which ends the run early; the outcome then covers
    /// the run so far. The simulator asks from time to time.
    fn ends_run(&self, _now: Tick) -> bool {
        false
    }
}

/// Makes the unit value a watch that observes nothing.
impl Watch for () {
    #[inline]
    fn see(&mut self, _now: Tick, _seen: &Seen<'_>) {}

    fn sees_from(&self) -> Option<Tick> {
        None
    }
}

/// Makes an optional watch a watch, which observes nothing where it is `None`.
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

/// Makes a pair of watches a watch: each of the two sees every event, and either may end the run.
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
