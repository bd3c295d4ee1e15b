//! Which processes may issue now, and until when?

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::{Fact, Level, ProcessId, Tick, Ticks};

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

    /// This policy, and behind it another one that chooses among those whom it names: the urgent first,
    /// then those in turn. Asked again when either wants to be.
    fn then<B: Turn>(self, second: B) -> Then<Self, B>
    where
        Self: Sized,
    {
        Then { first: self, second, named: Vec::new() }
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
