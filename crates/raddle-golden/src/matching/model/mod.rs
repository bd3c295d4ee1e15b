//! Which head (first workgroup) of a channel goes to which compute unit? The matching of seed 000's
//! E1, step by step on plain values.
//!
//! This is the readable form: nothing is kept between two decisions but what the seed keeps, and
//! every step is a function of its own. It is what `raddle golden match` answers, what `raddle
//! explain match` shows, and what a fast form is compared with. Its cost grows with channels times
//! compute units times resources.
//!
//! | step | what | here |
//! |---|---|---|
//! | a1 | the head of every channel | [`MatchHead`] |
//! | a2 | what is left of every compute unit | [`record`] |
//! | a31 | what a workgroup wants of each SIMD | [`split`] |
//! | a3, a32 | who fits where | [`compare`] |
//! | a4, a41, a42 | the best level, one of its channels | [`Order`], [`Marks`] |
//! | a4 | one of the compute units that fit it | a rule of [`place`](raddle_workgroup::place), or [`lowest`] |
//! | a43 to a45 | where it will lie, and what it takes | [`MatchTarget`] |
//!
//! Resources have any names; each is contiguous or counted ([`Stock`]). What a search reports
//! decides whether a workgroup fits; its addresses come from the map itself.
//!
//! Laws, of any search that never reports more than there is:
//! 1. A head is a candidate on a compute unit if and only if no resource is reported to lack there;
//!    so for each head and compute unit, either it is a candidate there or there is a refusal.
//! 2. A target has the best level of all candidates, and lies on one of its compute units.
//! 3. What a target takes is free, and is exactly what its head wants. Marks change with a target
//!    only, and only those of its level.
//!
//! Units: blocks of resources; levels, channels, compute units and SIMDs counted from 0.
//!
//! ```
//! use std::collections::BTreeMap;
//! use raddle_bitmap::{FreeMap, Full, Polarity};
//! use raddle_golden::matching::model::{
//!     MatchHead, Cu, MatchModel, Stock, Wants, by, lowest,
//! };
//! use raddle_workgroup::Fit;
//! use raddle_workgroup::order::{Fixed, Lowest, Marks};
//!
//! let cu = |free: &str| {
//!     let map = FreeMap::from_digits(free, Polarity::FreeIsOne)?;
//!     let simd = BTreeMap::from([("vgpr", Stock::run(map)), ("waves", Stock::Count(2))]);
//!     Ok::<_, raddle_bitmap::Error>(Cu { shared: BTreeMap::new(), simds: vec![simd], pointer: None })
//! };
//! let cus = vec![cu("1110111")?, cu("0011110")?];
//! let model = MatchModel { cus, marks: Marks::new(2, 2)?, fit: Fit::First };
//! let head = |level, vgpr| {
//!     let group = BTreeMap::from([("vgpr", vgpr), ("waves", 1)]);
//!     Some(MatchHead { level, wants: Wants::Groups { shared: BTreeMap::new(), groups: vec![group] } })
//! };
//! // The best level asks for a run of 5, which is nowhere: the other goes.
//! let heads = [head(0, 5), head(1, 4)];
//! let order = Fixed::new(2)?;
//! let decision = model.decide(&heads, by(Full), (&order, 0), &mut Lowest, lowest)?;
//! assert_eq!(decision.refusals.len(), 3);
//! let target = decision.target.expect("4 in a row are free on the second");
//! assert_eq!((target.channel, target.cu), (1, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compare;
mod cu;
mod demand;

use std::collections::BTreeMap;

use raddle_bitmap::View;
use raddle_workgroup::order::{Marks, Order, Pick};
use raddle_workgroup::{Fit, balance};

use crate::ModelError;

pub use compare::{Candidate, LackingResource, compare};
pub use cu::{Cu, CuRecord, Left, Stock, by, record};
pub use demand::{MatchHead, SplitDemand, Wants, split};

/// State that the model keeps between two decisions: the compute units, and the marks of channels
/// (queues of workgroups) that were chosen lately.
#[derive(Clone, Debug)]
pub struct MatchModel<R> {
    /// Compute units of the device, with their resources.
    pub cus: Vec<Cu<R>>,
    /// Marks of channels, for each level of urgency. A marked channel was chosen lately among
    /// equally good ones, and is chosen after unmarked ones.
    pub marks: Marks,
    /// Rule that picks one of the free runs of blocks that are long enough.
    pub fit: Fit,
}

/// A decision of the matching before it is carried out: which heads (first workgroups of channels)
/// fit where, which resources are short, and which workgroup is dispatched.
#[derive(Debug)]
#[must_use = "a decision takes nothing"]
pub struct MatchDecision<R> {
    /// Heads (first workgroups of channels) that fit at least one compute unit, by index of the
    /// channel.
    pub candidates: Vec<Candidate>,
    /// Every resource of which a compute unit has too little for a head (first workgroup of a
    /// channel); sorted by channel, compute unit, shared resources before those of SIMDs, SIMD,
    /// resource.
    pub refusals: Vec<LackingResource<R>>,
    /// Workgroup that is dispatched, with its compute unit; `None` where no workgroup fits.
    pub target: Option<MatchTarget<R>>,
    /// Marks of channels (chosen lately among tied channels) after the decision.
    pub marks: Marks,
}

/// A workgroup that goes to a compute unit, and the blocks that it takes there. A resource that the
/// workgroup does not need is not listed.
#[derive(Debug)]
pub struct MatchTarget<R> {
    /// Index of the channel that the workgroup comes from.
    pub channel: usize,
    /// Index of the compute unit that the workgroup goes to.
    pub cu: usize,
    /// Blocks that the workgroup takes of the resources that the SIMDs share.
    pub shared: BTreeMap<R, TakenPiece>,
    /// Blocks that the workgroup takes of the resources of each SIMD; the index is the number of
    /// the SIMD.
    pub simds: Vec<BTreeMap<R, TakenPiece>>,
    /// Number of waves that each SIMD gets; `None` unless the workgroup was given as a number of
    /// waves.
    pub balanced: Option<balance::Target>,
}

/// Amount of one resource that a workgroup takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakenPiece {
    /// Neighbouring blocks that the workgroup takes: `start .. start + len`.
    Run {
        /// First of the neighbouring blocks that the workgroup takes.
        start: u32,
        /// Number of blocks that the workgroup takes, at least 1.
        len: u32,
    },
    /// Amount that the workgroup takes, at least 1, of a resource that is only counted, such as
    /// wave slots.
    Count(u64),
}

/// Chooses the lowest of the compute units that a workgroup fits: returns `Some(0)`, its position
/// in their list. The function serves as the argument `place` of [`MatchModel::decide`].
///
/// # Errors
/// None; the type is that of rules that can fail.
pub const fn lowest<R>(_: &[usize], _: &[Cu<R>]) -> Result<Option<usize>, raddle_workgroup::Error> {
    Ok(Some(0))
}

impl<R: Ord + Clone> MatchModel<R> {
    /// Makes one decision about heads (first workgroups of channels), by steps a1 to a43 of the
    /// patent (seed 000); the model does not change.
    ///
    /// `longest` reports the longest free run, as for [`record`]. `order` ranks the levels of
    /// urgency at the tick `now`. `pick` makes the choices that the patent leaves to chance.
    ///
    /// `place` chooses the compute unit. It gets the indices of the units that the workgroup fits,
    /// ascending, and all units; it returns a position in the list of indices. Nothing is
    /// dispatched where it returns `None` or a position that does not exist.
    ///
    /// # Errors
    /// The errors of [`record`], [`compare`], [`Order::best`], [`Marks::choose`] and `place`.
    pub fn decide<P>(
        &self,
        heads: &[Option<MatchHead<R>>],
        mut longest: impl FnMut(&R, View<'_>) -> Result<u32, raddle_bitmap::Error>,
        (order, now): (&impl Order, u64),
        pick: &mut impl Pick,
        place: P,
    ) -> Result<MatchDecision<R>, ModelError>
    where
        P: FnOnce(&[usize], &[Cu<R>]) -> Result<Option<usize>, raddle_workgroup::Error>,
    {
        let records = self.cus.iter().map(|cu| record(cu, &mut longest));
        let records = records.collect::<Result<Vec<_>, _>>()?;
        let (candidates, refusals) = compare(heads, &self.cus, &records)?;
        let (mut marks, mut target) = (self.marks.clone(), None);
        let level = |channel: usize| heads[channel].as_ref().map(|head| (channel, head.level));
        let fitting = candidates.iter().filter_map(|candidate| level(candidate.channel));
        let mut tied = Vec::new();
        let best = order.best(fitting, now, &mut tied)?;
        let chosen = best.map(|level| marks.choose(level, &tied, pick)).transpose()?.flatten();
        let chosen = candidates.iter().find(|candidate| Some(candidate.channel) == chosen);
        if let Some(Candidate { channel, cus }) = chosen
            && let Some(head) = &heads[*channel]
            && let Some(&cu) = place(cus, &self.cus)?.and_then(|index| cus.get(index))
        {
            let wanted = split((*channel, &head.wants), (cu, &self.cus[cu]))?;
            target = lies(*channel, cu, wanted, &self.cus[cu], self.fit);
        }
        if target.is_none() {
            marks.clone_from(&self.marks);
        }
        Ok(MatchDecision { candidates, refusals, target, marks })
    }
}

/// Finds the blocks that a workgroup of the channel `channel` takes of every resource of the
/// compute unit `on`, which has the index `cu`. `None` where a free run is too short after all,
/// because the search reported a longer one than there is.
fn lies<R: Ord + Clone>(
    channel: usize,
    cu: usize,
    wanted: SplitDemand<R>,
    on: &Cu<R>,
    fit: Fit,
) -> Option<MatchTarget<R>> {
    let find = |wants: &BTreeMap<R, u64>, stocks: &BTreeMap<R, Stock>| {
        let piece = |(resource, &wanted): (&R, &u64)| {
            let piece = match stocks.get(resource)? {
                Stock::Run { map, after } => {
                    let want = u32::try_from(wanted).ok()?;
                    let plan = match fit {
                        Fit::First => map.first_fit(want),
                        Fit::Best => map.best_fit(want),
                        Fit::Worst => map.worst_fit(want),
                        Fit::Next => map.next_fit(*after, want),
                    }?;
                    TakenPiece::Run { start: plan.start(), len: plan.len() }
                }
                Stock::Count(free) => TakenPiece::Count((*free >= wanted).then_some(wanted)?),
            };
            Some((resource.clone(), piece))
        };
        wants.iter().filter(|(_, wanted)| **wanted > 0).map(piece).collect::<Option<_>>()
    };
    let shared = find(&wanted.shared, &on.shared)?;
    let simds = wanted.groups.iter().zip(&on.simds).map(|(group, stocks)| find(group, stocks));
    let simds = simds.collect::<Option<_>>()?;
    Some(MatchTarget { channel, cu, shared, simds, balanced: wanted.target })
}
