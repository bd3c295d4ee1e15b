//! Which launches wait, and which of them speak for the others?

use alloc::vec;
use alloc::vec::Vec;
use core::iter;
use core::ops::Range;

use raddle_policy::{Answer, CuSet, Cus, Demand, LaunchId, ReadyLaunch, ReadyView, WaveSpan};
use smallvec::SmallVec;

/// The launches that still have workgroups to place, in arrival order.
pub(super) fn waiting<'a>(
    ready: &ReadyView<'a>,
) -> impl Iterator<Item = &'a ReadyLaunch> + use<'a> {
    let launches = ready.launches.iter();
    launches.filter(|entry| entry.undistributed() > 0)
}

/// Different demands that one wait explains at most.
pub(crate) const EXPLAINED: usize = 16;

/// Launches that one wait explains: the first of each demand, as those like it wait for the same reason.
#[derive(Default)]
pub(super) struct Explained<'a>(SmallVec<[&'a ReadyLaunch; EXPLAINED]>);

impl<'a> Explained<'a> {
    pub(super) fn push(&mut self, entry: &'a ReadyLaunch) {
        let alike = |it: &&ReadyLaunch| it.launch.demand == entry.launch.demand;
        if self.0.len() < EXPLAINED && !self.0.iter().any(alike) {
            self.0.push(entry);
        }
    }

    pub(super) fn launches(self) -> impl Iterator<Item = &'a ReadyLaunch> {
        self.0.into_iter()
    }
}

/// Demands that are remembered, one a place: many times those that are asked for together, since two of
/// one place are never both remembered.
const DEMANDS: usize = 1024;

/// Which question is at hand, and since which one the view knows where something was freed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    question: u64,
    /// The question since whose end the view knows it.
    waited: u64,
}

impl Default for Asked {
    fn default() -> Self {
        Self { question: 0, waited: 1 }
    }
}

impl Asked {
    /// A question begins.
    pub(super) fn begin(&mut self, cus: &Cus) {
        self.question += 1;
        if cus.freed().is_none() {
            self.waited = self.question;
        }
    }

    /// The number of the question, from 1.
    pub(super) const fn question(&self) -> u64 {
        self.question
    }

    /// Where there may be room for what found none in that question; 0 for what was never asked.
    pub(super) fn since<'c>(&self, refused: u64, cus: &'c Cus) -> MayFit<'c> {
        MayFit(if refused < self.waited { None } else { cus.freed() })
    }

    /// Nothing has found room.
    pub(super) const fn wait(&mut self) {
        self.waited = self.question;
    }
}

/// Which demands have found no room, so that room is searched again only where something was freed.
#[derive(Clone, Debug)]
pub(super) struct Refused {
    /// A demand, and the last question in which it found none.
    demands: Vec<(Demand, u64)>,
    asked: Asked,
}

impl Default for Refused {
    fn default() -> Self {
        Self { demands: vec![(Demand::default(), 0); DEMANDS], asked: Asked::default() }
    }
}

impl Refused {
    /// A question begins.
    pub(super) fn begin(&mut self, cus: &Cus) {
        self.asked.begin(cus);
    }

    fn place(demand: &Demand) -> usize {
        let Demand { waves, vgpr, sgpr, lds, .. } = *demand;
        let counted = u64::from(waves) | u64::from(vgpr) << 16 | u64::from(sgpr) << 32;
        // Any odd number whose bits lie spread: the highest bits of the product depend on all.
        let mixed = (counted ^ u64::from(lds).rotate_left(40)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> (u64::BITS - DEMANDS.ilog2())) as usize
    }

    /// Where there may be room for a demand; `None` where this question has found that there is none.
    pub(super) fn look<'c>(&self, demand: &Demand, cus: &'c Cus) -> Option<MayFit<'c>> {
        let (known, refused) = &self.demands[Self::place(demand)];
        let refused = if known == demand { *refused } else { 0 };
        (refused != self.asked.question()).then(|| self.asked.since(refused, cus))
    }

    /// A demand has found no room.
    pub(super) fn refuse(&mut self, demand: &Demand) {
        self.demands[Self::place(demand)] = (*demand, self.asked.question());
    }

    /// Nothing has found room.
    pub(super) const fn wait(&mut self) {
        self.asked.wait();
    }
}

/// The compute units where there may be room: these, or all.
#[derive(Clone, Copy, Debug)]
pub(super) struct MayFit<'c>(Option<&'c CuSet>);

impl MayFit<'_> {
    /// Those of a range, ascending, as ranges.
    pub(super) fn of(self, range: Range<u16>) -> impl Iterator<Item = Range<u16>> {
        let Range { start, end } = range;
        let mut at = start;
        iter::from_fn(move || {
            let all = usize::from(at)..usize::from(end);
            let run = self.0.map_or(Some(all), |set| set.run_from(at.into()))?;
            // Up to the end of the range, and that is a u16.
            let run = run.start.min(end.into()) as u16..run.end.min(end.into()) as u16;
            at = run.end;
            (!run.is_empty()).then_some(run)
        })
    }
}

/// The answer for whole workgroups.
pub(crate) const fn start(launch: LaunchId) -> Answer {
    let waves = WaveSpan::All;
    Answer::Start { launch, waves }
}
