//! How does a function become a policy?

use alloc::vec::Vec;

use crate::{
    Allocate, Answer, Preempt, Preemption, ProcessId, ProcessState, ReadyView, Round, Tick, Turn,
    VictimView,
};

/// A policy that consists of one function, which gives its answer: made by [`turn_fn`],
/// [`preempt_fn`] and [`allocate_fn`].
#[derive(Clone, Copy, Debug)]
pub struct PolicyFn<F>(F);

/// Makes a turn policy (which decides which processes may issue launches) of a function. The
/// function writes these processes to its last argument, and returns the tick until which they may;
/// `None` means until the runnable processes change.
///
/// ```
/// use raddle_policy::turn_fn;
/// let oldest = turn_fn(|processes, _now, may_issue| {
///     may_issue.extend(processes.iter().min_by_key(|process| process.joined).map(|it| it.id));
///     None
/// });
/// # fn is_a_policy(_: impl raddle_policy::Turn) {}
/// # is_a_policy(oldest);
/// ```
pub const fn turn_fn<F>(answer: F) -> PolicyFn<F>
where
    F: FnMut(&[ProcessState], Tick, &mut Vec<ProcessId>) -> Option<Tick>,
{
    PolicyFn(answer)
}

/// Makes a preempt policy of a function that returns how the work of a process leaves the device
/// (`None`: the work stays).
pub const fn preempt_fn<F>(answer: F) -> PolicyFn<F>
where
    F: FnMut(&VictimView<'_>, Tick) -> Option<Preemption>,
{
    PolicyFn(answer)
}

/// Makes an allocation policy of a function that is asked once for each workgroup.
pub const fn allocate_fn<F>(answer: F) -> PolicyFn<F>
where
    F: FnMut(&ReadyView<'_>, Tick, &mut Round) -> Answer,
{
    PolicyFn(answer)
}

impl<F> Turn for PolicyFn<F>
where
    F: FnMut(&[ProcessState], Tick, &mut Vec<ProcessId>) -> Option<Tick>,
{
    fn turn(
        &mut self,
        processes: &[ProcessState],
        now: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick> {
        (self.0)(processes, now, may_issue)
    }
}

impl<F> Preempt for PolicyFn<F>
where
    F: FnMut(&VictimView<'_>, Tick) -> Option<Preemption>,
{
    fn preempt(&mut self, victim: &VictimView<'_>, now: Tick) -> Option<Preemption> {
        (self.0)(victim, now)
    }
}

impl<F> Allocate for PolicyFn<F>
where
    F: FnMut(&ReadyView<'_>, Tick, &mut Round) -> Answer,
{
    fn allocate(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        (self.0)(ready, now, round)
    }
}
