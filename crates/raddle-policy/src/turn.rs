//! Which processes may issue launches now, and until when?

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::{Fact, Hints, Level, ProcessId, StreamId, Tick, Ticks};

/// The state of one process, in the form in which a [`Turn`] policy sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub struct ProcessState {
    /// The id of the process.
    pub id: ProcessId,
    /// The most urgent priority level among the process's launches that are ready, submitted or
    /// resident.
    pub level: Level,
    /// The share of the process, 1 or more: a factor of its weight where the device is divided
    /// fairly among processes.
    pub share: u32,
    /// The tick at which the process joined.
    pub joined: Tick,
    /// The time for which the process has been runnable (has had a ready, submitted or resident
    /// launch) so far, in ticks.
    pub alive: Ticks,
    /// The time for which the process has had waves on the device so far, in ticks.
    pub ran: Ticks,
    /// The number of waves that the process has on the device now.
    pub resident_waves: u64,
    /// The number of launches that are ready and not submitted; `None` if that is unknown, as in a
    /// live run.
    pub ready: Option<u64>,
    /// The number of launches that are submitted and have not ended.
    pub submitted: u64,
    /// The time in ticks that the ready and submitted launches are expected to take together
    /// ([`crate::Launch::estimate`]); `None` unless the estimates of all of them are known.
    pub outstanding: Option<Ticks>,
    /// The tick at which the process last became runnable: before that it had no launch that was
    /// ready, submitted or resident.
    pub ready_since: Tick,
    /// The tick since which the process has had no waves on the device although it is runnable;
    /// `None` while it has waves on the device.
    pub waiting_since: Option<Tick>,
    /// The number of streams with launches that are ready or submitted; `None` if that is unknown.
    pub streams: Option<u32>,
    /// The last hint of each kind that the process's program gave.
    pub hints: Hints,
}

/// The state of one stream of a process, as a [`Turn`] policy sees it. Its fields have the meaning
/// of the equally named fields of [`ProcessState`], for the launches of this stream alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
#[expect(missing_docs, reason = "as in `ProcessState`")]
pub struct StreamState {
    pub id: StreamId,
    pub level: Level,
    pub alive: Ticks,
    pub ready: u64,
    pub submitted: u64,
    pub outstanding: Option<Ticks>,
    pub(crate) ready_since: Tick,
    pub hints: Hints,
}

impl ProcessState {
    /// Returns the state of a process with the priority level `level` that joins and becomes
    /// runnable at `now`, with a share of 1 and one launch that is ready. The caller changes the
    /// fields that differ.
    #[must_use]
    pub const fn new(id: ProcessId, level: Level, now: Tick) -> Self {
        Self {
            id,
            level,
            share: 1,
            joined: now,
            alive: Ticks::ZERO,
            ran: Ticks::ZERO,
            resident_waves: 0,
            ready: Some(1),
            submitted: 0,
            outstanding: None,
            ready_since: now,
            waiting_since: Some(now),
            streams: Some(1),
            hints: Hints::NONE,
        }
    }
}

impl StreamState {
    /// Returns the state of a stream with the priority level `level` that becomes runnable at
    /// `now`, with one launch that is ready.
    #[must_use]
    pub const fn new(id: StreamId, level: Level, now: Tick) -> Self {
        let hints = Hints::NONE;
        let alive = Ticks::ZERO;
        Self {
            id,
            level,
            alive,
            ready: 1,
            submitted: 0,
            outstanding: None,
            ready_since: now,
            hints,
        }
    }
}

/// The processes that a turn policy has loaded to run next, and the candidates among which it chose
/// (called the cache of a GPU in the patent, seed 004).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[doc(hidden)]
pub struct CacheLoad {
    /// The processes among which the turn policy (which says who may issue launches) chose those
    /// that run next.
    pub candidates: Vec<ProcessId>,
    /// The processes that the turn policy (which says who may issue launches) chose to run next, in
    /// the order in which they run.
    pub loaded: Vec<LoadedSlice>,
}

/// A process that a turn policy chose to run next, with its slice (the length of its turn).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[doc(hidden)]
pub struct LoadedSlice {
    /// The process that was chosen to run next.
    pub process: ProcessId,
    /// The weight of the process (a fair rule divides time by it) as a fraction: (numerator,
    /// denominator).
    pub weight: (u128, u64),
    /// The length of the process's slice (its turn on the device), in ticks.
    pub slice: Ticks,
}

/// Answers which processes may issue launches now.
///
/// A process that may no longer issue launches loses the turn: the [`crate::Preempt`] policy is
/// asked how its work leaves. The turn policy is asked when the set of runnable processes, or the
/// priority level of one of them, changes, and at the tick that it named.
///
/// # Laws
///
/// 1. Every process named is in the view, each at most once.
/// 2. If there is a runnable process, at least one is named.
/// 3. The tick returned is after `now`.
/// 4. The same memory and arguments give the same answer.
/// 5. For streams: every stream named is in the view, at least one is named, and the tick returned
///    is after `now`.
/// 6. Nobody waits for ever: if none of the named processes' work will begin or end any more,
///    another runnable process is named at some tick.
/// 7. A policy that does not mind refills ([`minds_refills`](Turn::minds_refills) is false) answers
///    as if there had been none. A refill is the replacement of ended workgroups by as many of the
///    same launch.
pub trait Turn {
    /// Writes to `may_issue` (empty at the call) the processes that may issue launches, and returns
    /// until when they may; `None`: until the runnable processes or their priority levels change.
    ///
    /// `processes` are the *runnable* ones (with a ready, submitted or resident launch), by id.
    fn turn(
        &mut self,
        processes: &[ProcessState],
        now: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick>;

    /// Returns whether the policy also chooses among the streams of a process that may issue
    /// launches. If false, all of its streams may submit.
    fn by_stream(&self) -> bool {
        false
    }

    /// Writes to `may_issue` (empty at the call) the streams that may submit, of a process that has
    /// the turn (may issue launches), and returns until when they may; `None`: until the streams or
    /// their priority levels change. Submitted launches of other streams run on.
    ///
    /// `streams` are those with a ready or submitted launch, by id. The policy is asked when one of
    /// these streams appears, disappears or changes its priority level, when its process gets the
    /// turn, and at the tick that it named.
    fn streams(
        &mut self,
        process: &ProcessState,
        streams: &[StreamState],
        now: Tick,
        may_issue: &mut Vec<StreamId>,
    ) -> Option<Tick> {
        let _ = (process, now);
        may_issue.extend(streams.iter().map(|stream| stream.id));
        None
    }

    /// Combines this policy with `second`, which chooses among the processes that this one names:
    /// for example the urgent processes first, and turns among them. The combined policy is asked
    /// again at the earlier of the two policies' ticks.
    fn then<B: Turn>(self, second: B) -> Then<Self, B>
    where
        Self: Sized,
    {
        Then { first: self, second, named: Vec::new(), streams: Vec::new() }
    }

    /// Returns the processes that the policy chose to run next at its last answer, for the decision
    /// log; `None` if the policy makes no such choice, or made none at that answer.
    #[doc(hidden)]
    fn load(&self) -> Option<&CacheLoad> {
        None
    }

    /// Tells the policy that its last answer broke a law of this trait, with the law's text, and
    /// was dropped. Returns whether another policy takes over and is to be asked: see
    /// [`Fallback`](crate::Fallback).
    fn broke_law(&mut self, law: &str) -> bool {
        let _ = law;
        false
    }

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

/// Two turn policies, of which the second chooses among the answers of the first: see
/// [`Turn::then`].
#[derive(Clone, Debug)]
pub struct Then<A, B> {
    first: A,
    second: B,
    /// The states of the processes that the first policy named when it was last asked. The list is
    /// kept so that its memory is used again.
    named: Vec<ProcessState>,
    streams: Vec<StreamState>,
}

impl<A: Turn, B: Turn> Turn for Then<A, B> {
    fn turn(
        &mut self,
        processes: &[ProcessState],
        now: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick> {
        let first = self.first.turn(processes, now, may_issue);
        self.named.clear();
        self.named.extend(processes.iter().filter(|process| may_issue.contains(&process.id)));
        may_issue.clear();
        let second = self.second.turn(&self.named, now, may_issue);
        first.into_iter().chain(second).min()
    }

    fn by_stream(&self) -> bool {
        self.first.by_stream() || self.second.by_stream()
    }

    fn streams(
        &mut self,
        process: &ProcessState,
        streams: &[StreamState],
        now: Tick,
        may_issue: &mut Vec<StreamId>,
    ) -> Option<Tick> {
        let first = self.first.streams(process, streams, now, may_issue);
        self.streams.clear();
        self.streams.extend(streams.iter().filter(|stream| may_issue.contains(&stream.id)));
        may_issue.clear();
        let second = self.second.streams(process, &self.streams, now, may_issue);
        first.into_iter().chain(second).min()
    }

    fn load(&self) -> Option<&CacheLoad> {
        self.second.load()
    }

    /// Tells both policies that an answer broke a law of the trait `Turn`, because it is unknown
    /// which of the two gave the answer. Returns whether another policy takes the place of one of
    /// the two.
    fn broke_law(&mut self, law: &str) -> bool {
        self.first.broke_law(law) | self.second.broke_law(law)
    }

    fn minds_refills(&self) -> bool {
        self.first.minds_refills() || self.second.minds_refills()
    }

    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        self.first.observe(fact, now);
        self.second.observe(fact, now);
    }
}

macro_rules! through {
    ($($pointer:ty),*) => {$(
        impl<P: Turn + ?Sized> Turn for $pointer {
            fn turn(
                &mut self,
                processes: &[ProcessState],
                now: Tick,
                may_issue: &mut Vec<ProcessId>,
            ) -> Option<Tick> {
                (**self).turn(processes, now, may_issue)
            }
            fn by_stream(&self) -> bool {
                (**self).by_stream()
            }
            fn streams(
                &mut self,
                process: &ProcessState,
                streams: &[StreamState],
                now: Tick,
                may_issue: &mut Vec<StreamId>,
            ) -> Option<Tick> {
                (**self).streams(process, streams, now, may_issue)
            }
            fn load(&self) -> Option<&CacheLoad> {
                (**self).load()
            }
            fn broke_law(&mut self, law: &str) -> bool {
                (**self).broke_law(law)
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
fn _object_safe(_: &mut dyn Turn) {}
