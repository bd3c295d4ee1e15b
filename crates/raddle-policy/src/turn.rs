//! Which processes may issue now, and until when?

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::{Fact, Hints, Level, ProcessId, StreamId, Tick, Ticks};

/// What a [`Turn`] policy sees of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub struct ProcessState {
    /// Which process.
    pub id: ProcessId,
    /// The most urgent level among its launches that are ready, submitted or resident.
    pub level: Level,
    /// Its share, 1 or more.
    pub share: u32,
    /// When it joined.
    pub joined: Tick,
    /// For how long it has been runnable so far.
    pub alive: Ticks,
    /// For how long it has had waves on the device so far.
    pub ran: Ticks,
    /// Waves that it has on the device now.
    pub resident_waves: u64,
    /// Launches that are ready and not submitted; `None` where nobody tells, as in a live run.
    pub ready: Option<u64>,
    /// Launches submitted that have not ended.
    pub submitted: u64,
    /// How long its ready and submitted launches are expected to take together ([`crate::Launch::estimate`]);
    /// `None` where that is not known of each of them.
    pub outstanding: Option<Ticks>,
    /// When it last became runnable.
    pub ready_since: Tick,
    /// Since when it has had nothing on the device although it is runnable; `None` while it has.
    pub waiting_since: Option<Tick>,
    /// Streams with launches that are ready or submitted; `None` where nobody tells.
    pub streams: Option<u32>,
    /// What its program says of it.
    pub hints: Hints,
}

/// What a [`Turn`] policy sees of one stream of a process: as [`ProcessState`], of its launches alone.
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

impl StreamState {
    /// A stream of this level that has just become runnable, with one launch that is ready.
    #[must_use]
    pub const fn new(id: StreamId, level: Level, now: Tick) -> Self {
        let hints =
            Hints { priority: None, deadline: None, laxity: None, utilisation: None, custom: None };
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

/// What a turn policy has put into the cache of a GPU, and from what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub struct CacheLoad {
    /// The processes that it was chosen from.
    pub candidates: Vec<ProcessId>,
    /// What was chosen, in the order of running.
    pub loaded: Vec<LoadedSlice>,
}

/// A process in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub struct LoadedSlice {
    /// Which one.
    pub process: ProcessId,
    /// How much it is owed, as a fraction: what stands above and below the line.
    pub weight: (u128, u64),
    /// How long its turn is.
    pub slice: Ticks,
}

/// Answers which processes may issue launches now.
///
/// A process that may issue no longer is revoked: the [`crate::Preempt`] policy is asked how its
/// work leaves. Asked when the set of runnable processes or one of their levels changes, and at the
/// tick it named.
///
/// # Laws
///
/// 1. Every process named is in the view, each at most once.
/// 2. If there is a runnable process, at least one is named.
/// 3. The tick returned lies after `now`.
/// 4. The same memory and arguments give the same answer.
/// 5. Of streams: each one named is in the view, at least one is, and the tick returned lies after `now`.
pub trait Turn {
    /// Names in `may_issue` (which comes empty) who may issue; until when, if that is known.
    ///
    /// `processes` are the *runnable* ones (a ready, submitted or resident launch), by id.
    fn turn(
        &mut self,
        processes: &[ProcessState],
        now: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick>;

    /// Whether it also chooses among the streams of a process that has the turn. Else all of them may submit.
    fn by_stream(&self) -> bool {
        false
    }

    /// Names in `may_issue` (which comes empty) which streams of a process that has the turn may submit;
    /// until when, if that is known. What a stream has submitted runs on when it may no more.
    ///
    /// `streams` are those with a ready or submitted launch, by id. Asked when one of them comes, goes or
    /// becomes more or less urgent, when its process gets the turn, and at the tick it named.
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

    /// This policy, and behind it another one that chooses among those whom it names: the urgent first,
    /// then those in turn. Asked again when either wants to be.
    fn then<B: Turn>(self, second: B) -> Then<Self, B>
    where
        Self: Sized,
    {
        Then { first: self, second, named: Vec::new(), streams: Vec::new() }
    }

    /// What was loaded when it was last asked, by a policy that has a cache and loaded it then: for logs.
    fn load(&self) -> Option<&CacheLoad> {
        None
    }

    /// The last answer broke this law and was dropped. Whether another policy takes over and is to be
    /// asked: see [`Fallback`](crate::Fallback).
    fn broke_law(&mut self, law: &str) -> bool {
        let _ = law;
        false
    }

    /// Hears what happened; for policies that keep tables.
    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        let _ = (fact, now);
    }
}

/// Two turn policies, one behind the other: see [`Turn::then`].
#[derive(Clone, Debug)]
pub struct Then<A, B> {
    first: A,
    second: B,
    /// Those whom the first one names.
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

    /// Whose answer it was cannot be told: both are replaced that can be.
    fn broke_law(&mut self, law: &str) -> bool {
        self.first.broke_law(law) | self.second.broke_law(law)
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
            fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
                (**self).observe(fact, now);
            }
        }
    )*};
}

through!(&mut P, Box<P>);

#[cfg(test)]
fn _object_safe(_: &mut dyn Turn) {}
