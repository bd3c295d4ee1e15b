//! Which launches wait, which of them does an answer refuse, and on which compute units may a
//! refused demand fit now?

use alloc::vec;
use alloc::vec::Vec;
use core::iter;
use core::ops::Range;

use raddle_policy::{Answer, CuSet, Cus, Demand, LaunchId, ReadyLaunch, ReadyView, WaveSpan};
use smallvec::SmallVec;

/// Returns the launches that have workgroups left to place, in the order of their submission.
pub(super) fn waiting<'a>(
    ready: &ReadyView<'a>,
) -> impl Iterator<Item = &'a ReadyLaunch> + use<'a> {
    let launches = ready.launches().iter();
    launches.filter(|entry| entry.undistributed() > 0)
}

/// The largest number of refusals in one answer, each for a launch with a demand of its own.
pub(crate) const EXPLAINED: usize = 16;

/// The launches that one answer refuses: the first launch of each demand, as further launches of an
/// equal demand wait for the same reason.
#[derive(Default)]
pub(super) struct Explained<'a>(SmallVec<[&'a ReadyLaunch; EXPLAINED]>);

impl<'a> Explained<'a> {
    pub(super) fn push(&mut self, entry: &'a ReadyLaunch) {
        let alike = |it: &&ReadyLaunch| it.launch().demand == entry.launch().demand;
        if self.0.len() < EXPLAINED && !self.0.iter().any(alike) {
            self.0.push(entry);
        }
    }

    pub(super) fn launches(self) -> impl Iterator<Item = &'a ReadyLaunch> {
        self.0.into_iter()
    }
}

/// The number of entries in the table of refused demands. Two demands that share an entry are never
/// both remembered. So the table has many times more entries than demands that occur together.
const DEMANDS: usize = 1024;

/// Numbers of questions to the policy: `question` is the present one, and `waited` the one since
/// which it is known on which compute units resources were freed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    question: u64,
    /// The number of the question since which [`Cus::freed`] lists the compute units on which
    /// resources were freed. A demand that was refused in an earlier question may now fit on any
    /// unit.
    waited: u64,
}

impl Default for Asked {
    fn default() -> Self {
        Self { question: 0, waited: 1 }
    }
}

impl Asked {
    /// Counts a new question to the policy; `cus` are the compute units as the question shows them.
    pub(super) fn begin(&mut self, cus: &Cus) {
        self.question += 1;
        if cus.freed().is_none() {
            self.waited = self.question;
        }
    }

    /// Returns the number of the present question to the policy, from 1.
    pub(super) const fn question(&self) -> u64 {
        self.question
    }

    /// Returns the compute units that may have room for a demand which was refused in the question
    /// with the number `refused`; 0 stands for a demand that was never refused.
    pub(super) fn since<'c>(&self, refused: u64, cus: &'c Cus) -> MayFit<'c> {
        MayFit(if refused < self.waited { None } else { cus.freed() })
    }

    /// Records that no demand found room in the present question to the policy. In later questions,
    /// [`Cus::freed`] lists the compute units on which resources were freed since this one.
    pub(super) const fn wait(&mut self) {
        self.waited = self.question;
    }
}

/// The demands that have found no room. For such a demand, only those compute units are searched
/// again on which resources were freed since.
#[derive(Clone, Debug)]
pub(super) struct Refused {
    /// A table of (demand, number of the last question to the policy in which it found no room).
    /// Each demand has only one possible entry, which is computed from its fields.
    demands: Vec<(Demand, u64)>,
    asked: Asked,
}

impl Default for Refused {
    fn default() -> Self {
        Self { demands: vec![(Demand::default(), 0); DEMANDS], asked: Asked::default() }
    }
}

impl Refused {
    /// Counts a new question to the policy; `cus` are the compute units as the question shows them.
    pub(super) fn begin(&mut self, cus: &Cus) {
        self.asked.begin(cus);
    }

    fn place(demand: &Demand) -> usize {
        let Demand { waves, vgpr, sgpr, lds, .. } = *demand;
        let counted = u64::from(waves) | u64::from(vgpr) << 16 | u64::from(sgpr) << 32;
        // The factor is odd and its bits lie spread, so the highest bits of the product depend on
        // all bits of the demand.
        let mixed = (counted ^ u64::from(lds).rotate_left(40)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> (u64::BITS - DEMANDS.ilog2())) as usize
    }

    /// Returns the compute units that may have room for a demand; `None` where the demand was
    /// already refused in the present question to the policy.
    pub(super) fn look<'c>(&self, demand: &Demand, cus: &'c Cus) -> Option<MayFit<'c>> {
        let (known, refused) = &self.demands[Self::place(demand)];
        let refused = if known == demand { *refused } else { 0 };
        (refused != self.asked.question()).then(|| self.asked.since(refused, cus))
    }

    /// Records that this demand found no room in the present question to the policy.
    pub(super) fn refuse(&mut self, demand: &Demand) {
        self.demands[Self::place(demand)] = (*demand, self.asked.question());
    }

    /// Records that no demand found room in the present question to the policy. In later questions,
    /// [`Cus::freed`] lists the compute units on which resources were freed since this one.
    pub(super) const fn wait(&mut self) {
        self.asked.wait();
    }
}

/// The compute units that may have room for a workgroup: a set of units, or all units with `None`.
#[derive(Clone, Copy, Debug)]
pub(super) struct MayFit<'c>(Option<&'c CuSet>);

impl MayFit<'_> {
    /// Returns the compute units of `range` that may have room, as ranges, ascending.
    pub(super) fn of(self, range: Range<u16>) -> impl Iterator<Item = Range<u16>> {
        let Range { start, end } = range;
        let mut at = start;
        iter::from_fn(move || {
            let all = usize::from(at)..usize::from(end);
            let run = self.0.map_or(Some(all), |set| set.run_from(at.into()))?;
            // Both ends are cut at the end of the range, which is a u16.
            let run = run.start.min(end.into()) as u16..run.end.min(end.into()) as u16;
            at = run.end;
            (!run.is_empty()).then_some(run)
        })
    }
}

/// Returns the answer that starts whole workgroups of a launch.
pub(crate) const fn start(launch: LaunchId) -> Answer {
    let waves = WaveSpan::All;
    Answer::Start { launch, waves }
}
