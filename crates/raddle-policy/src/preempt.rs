//! How does the work of a process leave the device when the process loses the turn?

use alloc::boxed::Box;

use crate::{Fact, Launch, Preemption, ProcessState, Tick};

/// A submitted launch or copy ([`Launch::is_copy`]) of a process that lost the turn (the right to
/// issue launches). For a copy, the estimate of its time is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub struct VictimLaunch {
    /// The submitted launch or copy of the process that lost the turn (the right to issue
    /// launches).
    pub(crate) launch: Launch,
    /// The number of workgroups of the launch that have not started.
    pub(crate) unstarted: u64,
    /// The number of waves of the launch on the device now.
    pub(crate) resident_waves: u64,
    /// The tick at which the launch or copy was submitted (given to the device).
    pub(crate) submitted: Tick,
}

impl VictimLaunch {
    /// Returns the submitted launch or copy of the process that lost the turn (the right to issue
    /// launches).
    #[must_use]
    pub const fn launch(&self) -> &Launch {
        &self.launch
    }

    /// Returns the number of workgroups of the launch that have not started.
    #[must_use]
    pub const fn unstarted(&self) -> u64 {
        self.unstarted
    }

    /// Returns the number of waves of the launch on the device now.
    #[must_use]
    pub const fn resident_waves(&self) -> u64 {
        self.resident_waves
    }

    /// Returns the tick at which the launch or copy was submitted (given to the device).
    #[must_use]
    pub const fn submitted(&self) -> Tick {
        self.submitted
    }
}

impl VictimLaunch {
    /// Returns a launch that was submitted at the tick `submitted` and of which nothing has started.
    #[must_use]
    pub const fn new(launch: Launch, submitted: Tick) -> Self {
        Self { launch, unstarted: launch.workgroups, resident_waves: 0, submitted }
    }

    /// Sets [`unstarted`](Self::unstarted), the number of workgroups that have not started.
    #[must_use]
    pub const fn with_unstarted(self, unstarted: u64) -> Self {
        Self { unstarted, ..self }
    }

    /// Sets [`resident_waves`](Self::resident_waves), the number of waves on the device now.
    #[must_use]
    pub const fn with_resident_waves(self, resident_waves: u64) -> Self {
        Self { resident_waves, ..self }
    }
}

/// The view that a [`Preempt`] policy gets: a process that lost the turn (the right to issue
/// launches) and has work on the device.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub struct VictimView<'a> {
    /// The process that lost the turn (the right to issue launches), in its present state.
    pub(crate) process: &'a ProcessState,
    /// The submitted launches and copies of the process that have not ended, in the order of their
    /// submission; never empty.
    pub(crate) launches: &'a [VictimLaunch],
    /// The processes that have the turn (the right to issue launches) now, in the order of their
    /// ids; the work of `process` makes room for their work.
    pub(crate) by: &'a [ProcessState],
}

impl<'a> VictimView<'a> {
    /// Returns the process that lost the turn (the right to issue launches), in its present state.
    #[must_use]
    pub const fn process(&self) -> &'a ProcessState {
        self.process
    }

    /// Returns the submitted launches and copies of the process that have not ended, in the order
    /// of their submission; never empty.
    #[must_use]
    pub const fn launches(&self) -> &'a [VictimLaunch] {
        self.launches
    }

    /// Returns the processes that have the turn (the right to issue launches) now, in the order of
    /// their ids; the work of `process` makes room for their work.
    #[must_use]
    pub const fn by(&self) -> &'a [ProcessState] {
        self.by
    }
}

impl<'a> VictimView<'a> {
    /// Returns the view of a process that lost the turn (the right to issue launches). `launches`
    /// are its submitted launches; they make room for the work of the processes `by`.
    #[must_use]
    pub const fn new(
        process: &'a ProcessState,
        launches: &'a [VictimLaunch],
        by: &'a [ProcessState],
    ) -> Self {
        Self { process, launches, by }
    }
}

/// Answers how the work of a process that lost the turn leaves the device.
///
/// The policy is asked once for each loss of the turn (the right to issue launches), and only if
/// the process has submitted work and all of its work that was preempted last time has come back.
/// Work that has not come back leaves again by the method of that preemption.
///
/// # Laws
///
/// 1. The same memory and arguments give the same answer.
/// 2. A policy that does not mind refills ([`minds_refills`](Preempt::minds_refills) is false)
///    answers as if there had been none. A refill is the replacement of ended workgroups by as many
///    of the same launch.
pub trait Preempt {
    /// Returns how the work of `victim` leaves the device; with `None` the work stays, and the
    /// process gets no new submissions.
    fn preempt(&mut self, victim: &VictimView<'_>, now: Tick) -> Option<Preemption>;

    /// Returns whether later answers can depend on refills: moments at which workgroups end and are
    /// replaced at once by as many of the same launch.
    /// [`Allocate::minds_refills`](crate::Allocate::minds_refills) explains more.
    fn minds_refills(&self) -> bool {
        true
    }

    /// Informs the policy of an event or of an answer carried out. The default does nothing.
    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        let _ = (fact, now);
    }
}

macro_rules! through {
    ($($pointer:ty),*) => {$(
        impl<P: Preempt + ?Sized> Preempt for $pointer {
            fn preempt(&mut self, victim: &VictimView<'_>, now: Tick) -> Option<Preemption> {
                (**self).preempt(victim, now)
            }
            fn minds_refills(&self) -> bool {
                (**self).minds_refills()
            }
            fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
                (**self).observe(fact, now);
            }
        }
    )*};
}

through!(&mut P, Box<P>);

#[cfg(test)]
fn _object_safe(_: &mut dyn Preempt) {}
