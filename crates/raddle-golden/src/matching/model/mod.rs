//! Which head of a channel goes to which compute unit? The matching of seed 000's E1, step by step
//! on plain values.
//!
//! This is the readable form: nothing is kept between two decisions but what the seed keeps, and
//! every step is a function of its own. It is what `raddle golden match` answers, what `raddle
//! explain match` shows, and what a fast form is compared with. Its cost grows with channels times
//! compute units times resources.
//!
//! | step | what | here |
//! |---|---|---|
//! | a1 | the head of every channel | [`Head`] |
//! | a2 | what is left of every compute unit | [`record`] |
//! | a31 | what a workgroup wants of each SIMD | [`split`] |
//! | a3, a32 | who fits where | [`compare`], [`lacks`] |
//! | a4, a41, a42 | the best level, one of its channels | [`Order`], [`Marks`] |
//! | a4 | one of the compute units that fit it | a rule of [`place`](raddle_workgroup::place), or [`lowest`] |
//! | a43 | where it will lie | [`starts`] |
//! | a44, a45 | taking that, all or nothing | [`take`] |
//!
//! Resources have any names; each is contiguous or counted ([`Stock`]). What a search reports
//! decides whether a workgroup fits; its addresses come from the map itself.
//!
//! Laws, of any search that never reports more than there is:
//! 1. A head is a candidate on a compute unit if and only if no resource is reported to lack there;
//!    so for each head and compute unit, either it is a candidate there or there is a refusal.
//! 2. A target has the best level of all candidates, and lies on one of its compute units.
//! 3. Deciding changes nothing. Committing takes all that the target wants or nothing at all, moves
//!    the pointer of its compute unit alone, and sets the marks.
//! 4. No block is owned twice, and free and owned blocks are all there are.
//! 5. A head stays until it is dispatched, so the order within a channel never changes.
//!
//! Units: blocks of resources; levels, channels, compute units and SIMDs counted from 0.
//!
//! ```
//! use std::collections::BTreeMap;
//! use raddle_bitmap::{FreeMap, Full, Polarity};
//! use raddle_golden::matching::model::{Cu, Head, Model, Stock, Wants, by, lowest};
//! use raddle_workgroup::order::{Fixed, Lowest};
//!
//! let cu = |free: &str| {
//!     let map = FreeMap::from_digits(free, Polarity::FreeIsOne)?;
//!     let simd = BTreeMap::from([("vgpr", Stock::Run(map)), ("waves", Stock::Count(2))]);
//!     Ok::<_, raddle_bitmap::Error>(Cu { shared: BTreeMap::new(), simds: vec![simd], pointer: None })
//! };
//! let mut model = Model::new(vec![cu("1110111")?, cu("0011110")?], 2, 2)?;
//! let head = |level, vgpr| {
//!     let group = BTreeMap::from([("vgpr", vgpr), ("waves", 1)]);
//!     Some(Head { level, wants: Wants::Groups { shared: BTreeMap::new(), groups: vec![group] } })
//! };
//! // The best level asks for a run of 5, which is nowhere: the other goes.
//! let heads = [head(0, 5), head(1, 4)];
//! let order = Fixed::new(2)?;
//! let decision = model.decide(&heads, by(Full), (&order, 0), &mut Lowest, lowest)?;
//! assert_eq!(decision.refusals.len(), 3);
//! let target = model.commit(decision)?.expect("4 in a row are free on the second");
//! assert_eq!((target.channel, target.cu), (1, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compare;
mod demand;
mod record;
mod take;

pub use compare::{Candidate, Refusal, compare, lacks};
pub use demand::{Head, Split, Wants, split};
pub use record::{Cu, Left, Record, Stock, by, record};
pub use take::{Piece, Pieces, give, starts, take};

use raddle_bitmap::View;

use raddle_workgroup::order::{Marks, Order, Pick};
use raddle_workgroup::{Error, balance};

/// Compute units and marks: all that is kept between two decisions.
#[derive(Clone, Debug)]
pub struct Model<R> {
    cus: Vec<Cu<R>>,
    marks: Marks,
    /// How often something has changed.
    changes: u64,
}

/// A decision, of which nothing is done yet.
#[derive(Debug)]
#[must_use = "a decision takes nothing; give it to `commit`"]
pub struct Decision<R> {
    /// Who fits where, by channel.
    pub candidates: Vec<Candidate>,
    /// Every resource that lacks, by channel, compute unit, shared before SIMDs, SIMD, resource.
    pub refusals: Vec<Refusal<R>>,
    /// What is dispatched; `None` where nothing fits.
    pub target: Option<Target<R>>,
    /// The marks after it.
    pub marks: Marks,
    changes: u64,
}

/// A workgroup that goes to a compute unit.
#[derive(Debug)]
pub struct Target<R> {
    /// Its channel.
    pub channel: usize,
    /// Its compute unit.
    pub cu: usize,
    /// What it takes there.
    pub pieces: Pieces<R>,
    /// How its waves lie, where it came as a number of waves; moves the pointer.
    target: Option<balance::Target>,
}

/// What a dispatched workgroup holds, until it is given back.
#[derive(Debug)]
pub struct Held<R> {
    /// The channel that it came from.
    pub channel: usize,
    /// Its compute unit.
    pub cu: usize,
    /// What it has there.
    pub pieces: Pieces<R>,
}

/// The rule that takes the lowest of the compute units that fit.
///
/// # Errors
/// None; other rules have some.
pub const fn lowest<R>(_fit: &[usize], _cus: &[Cu<R>]) -> Result<Option<usize>, Error> {
    Ok(Some(0))
}

impl<R> Target<R> {
    /// How its waves lie, where it came as a number of waves.
    #[must_use]
    pub const fn balanced(&self) -> Option<&balance::Target> {
        self.target.as_ref()
    }
}

impl<R: Ord + Clone> Model<R> {
    /// Compute units as they are, and no marks.
    ///
    /// # Errors
    /// As [`Marks::new`].
    pub fn new(cus: Vec<Cu<R>>, levels: usize, channels: usize) -> Result<Self, Error> {
        let marks = Marks::new(levels, channels)?;
        Ok(Self { cus, marks, changes: 0 })
    }

    /// With these marks.
    #[must_use]
    pub fn with_marks(self, marks: Marks) -> Self {
        Self { marks, ..self }
    }

    /// The compute units.
    #[must_use]
    pub fn cus(&self) -> &[Cu<R>] {
        &self.cus
    }

    /// The marks.
    #[must_use]
    pub const fn marks(&self) -> &Marks {
        &self.marks
    }

    /// Decides once (a1 to a43). Changes nothing.
    ///
    /// `longest` is as in [`record`]; `order` is read at its tick; `pick` stands for the seed's
    /// random choice; `place` gets the compute units that fit, ascending, and all compute units,
    /// and answers with an index into the former. An index that is not there, and `None`, dispatch
    /// nothing.
    ///
    /// # Errors
    /// As [`record`], [`compare`], [`Order::best`], [`Marks::choose`] and `place`.
    pub fn decide<P>(
        &self,
        heads: &[Option<Head<R>>],
        mut longest: impl FnMut(&R, View<'_>) -> Result<u32, raddle_bitmap::Error>,
        (order, now): (&impl Order, u64),
        pick: &mut impl Pick,
        place: P,
    ) -> Result<Decision<R>, Error>
    where
        P: FnOnce(&[usize], &[Cu<R>]) -> Result<Option<usize>, Error>,
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
            && let Some(&cu) = place(cus, &self.cus)?.and_then(|index| cus.get(index))
        {
            target = self.target(heads, *channel, cu)?;
        }
        if target.is_none() {
            marks.clone_from(&self.marks);
        }
        Ok(Decision { candidates, refusals, target, marks, changes: self.changes })
    }

    /// Where the head of a channel will lie on a compute unit.
    fn target(
        &self,
        heads: &[Option<Head<R>>],
        channel: usize,
        cu: usize,
    ) -> Result<Option<Target<R>>, Error> {
        let Some(head) = heads.get(channel).and_then(Option::as_ref) else { return Ok(None) };
        let wanted = split((channel, &head.wants), (cu, &self.cus[cu]))?;
        let pieces = starts(&wanted, &self.cus[cu])?;
        Ok(Some(Target { channel, cu, pieces, target: wanted.target }))
    }

    /// Carries a decision out (a44, a45, marks and pointer); what is dispatched.
    ///
    /// # Errors
    /// [`Error::OldDecision`] where something has changed since it was made; nothing has changed
    /// then.
    pub fn commit(&mut self, decision: Decision<R>) -> Result<Option<Held<R>>, Error> {
        if decision.changes != self.changes {
            return Err(Error::OldDecision);
        }
        let Some(Target { channel, cu, pieces, target }) = decision.target else {
            return Ok(None);
        };
        let cus = self.cus.len();
        let unit = self.cus.get_mut(cu).ok_or(Error::CuOutside { cu, cus })?;
        // The pointer of another model may refuse; nothing may have changed then.
        let mut pointer = unit.pointer.clone();
        if let (Some(pointer), Some(target)) = (&mut pointer, target) {
            pointer.dispatch(target)?;
        }
        take(unit, &pieces)?;
        unit.pointer = pointer;
        self.marks = decision.marks;
        self.changes += 1;
        Ok(Some(Held { channel, cu, pieces }))
    }

    /// A workgroup has ended: gives back what it holds.
    ///
    /// # Errors
    /// As [`give`]: it is another model's. Nothing has changed then.
    pub fn release(&mut self, held: Held<R>) -> Result<(), Error> {
        let cus = self.cus.len();
        let unit = self.cus.get_mut(held.cu).ok_or(Error::CuOutside { cu: held.cu, cus })?;
        give(unit, &held.pieces)?;
        self.changes += 1;
        Ok(())
    }
}
