//! How does work leave when its process loses the turn?

use alloc::boxed::Box;

use crate::{Fact, Launch, Preemption, ProcessState, Tick};

/// A submitted launch or copy ([`Launch::is_copy`]) of a revoked process. A copy has an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub struct VictimLaunch {
    /// The launch.
    pub launch: Launch,
    /// Workgroups that have not started.
    pub unstarted: u64,
    /// Waves on the device now.
    pub resident_waves: u64,
    /// The tick at which the launch or copy was submitted.
    pub submitted: Tick,
}

/// The view of a [`Preempt`] policy: a process that lost the turn, with work on the device.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub struct VictimView<'a> {
    /// The process.
    pub process: &'a ProcessState,
    /// The submitted launches and copies of the process that have not ended, in the order of their
    /// submission; never empty.
    pub launches: &'a [VictimLaunch],
    /// The processes that have the turn now, by id: the work makes room for them.
    pub by: &'a [ProcessState],
}

/// Answers how the work of a revoked process leaves.
///
/// The policy is asked once for each revocation, and only if the process has submitted work, all of
/// which has come back since its last preemption. Work that has not come back leaves again by the
/// method of that preemption.
///
/// # Laws
///
/// 1. The same memory and arguments give the same answer.
pub trait Preempt {
    /// Returns how the work of `victim` leaves; with `None` it stays, and the process gets no new
    /// submissions.
    fn preempt(&mut self, victim: &VictimView<'_>, now: Tick) -> Option<Preemption>;

    /// Hears what happened; for policies that keep tables.
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
            fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
                (**self).observe(fact, now);
            }
        }
    )*};
}

through!(&mut P, Box<P>);

#[cfg(test)]
fn _object_safe(_: &mut dyn Preempt) {}
