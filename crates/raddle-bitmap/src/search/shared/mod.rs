//! Which lengths does one finder report that searches the maps of several resources (seed 000, E7)?
//!
//! A round has C periods; in each, the maps of some kinds of resource lie side by side in the
//! shared width, and their longest runs are found together. The answers are those of the full
//! search on each map alone: borders are masked, so no run crosses one. That is how it is computed
//! here; the step-by-step form is `circuit::PeriodTrace`.

mod layout;

use alloc::vec::Vec;

pub use layout::{Kind, Layout, Slot};

use super::{Full, Need, Search};
use crate::error::Reason;
use crate::{Error, View};

/// Finder of the longest free runs of several maps, one for each kind of resource; the maps share
/// one circuit in turns (method E7 of the patent, seed 000).
///
/// ```
/// use raddle_bitmap::{FreeMap, Kind, Layout, Polarity, Shared};
///
/// let (a, b) = (Kind { id: 0, blocks: 5 }, Kind { id: 1, blocks: 4 });
/// let finder = Shared::new(12, 12, &[[a, b]], &Layout::Packed)?;
/// let a = FreeMap::from_digits("11111", Polarity::FreeIsOne)?;
/// let b = FreeMap::from_digits("1111", Polarity::FreeIsOne)?;
/// assert_eq!(finder.find(0, &[a.view(), b.view()])?, [5, 4], "not 9: the border holds");
/// # Ok::<(), raddle_bitmap::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    width: u32,
    periods: Vec<Vec<Slot>>,
}

/// Result of a shared finder (one circuit for several maps) for one kind of resource: the length of
/// its map's longest free run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedRun {
    pub(crate) period: usize,
    pub(crate) kind: u32,
    pub(crate) longest: u32,
}

impl SharedRun {
    /// Returns the number, from 0, of the period (group of maps that are searched together) in
    /// which the map of the kind was searched.
    #[must_use]
    pub const fn period(&self) -> usize {
        self.period
    }

    /// Returns the number that identifies the kind of resource ([`Kind::id`]).
    #[must_use]
    pub const fn kind(&self) -> u32 {
        self.kind
    }

    /// Returns the length of the longest free run of the kind's map, in blocks.
    #[must_use]
    pub const fn longest(&self) -> u32 {
        self.longest
    }
}

impl Shared {
    /// Returns a finder for several maps that is `width` blocks wide (E in the patent, seed 000).
    /// `periods` has, period by period, the kinds of resource whose maps are searched together; all
    /// periods, one after the other, are a round.
    ///
    /// `bound` (A in the patent) is the largest number of blocks that the maps of one period may
    /// have together. It is at most `width`; give the width where there is no other bound.
    ///
    /// # Errors
    /// With a width of 0 or a kind without blocks; a bound above the width; no period, or an empty
    /// one; a kind twice in a round; maps of one period with more blocks in all than the bound; a
    /// layout whose ranges, one for each map, overlap, exceed the width, are not as many as the
    /// kinds, or are too narrow for their map.
    pub fn new(
        width: u32,
        bound: u32,
        periods: &[impl AsRef<[Kind]>],
        layout: &Layout,
    ) -> Result<Self, Error> {
        if width == 0 {
            return Err(Error(Reason::NoBlocks));
        }
        if bound > width {
            return Err(Error(Reason::BoundAboveWidth { bound, width }));
        }
        let asked = match layout {
            Layout::Borders(borders) => borders.len(),
            _ => periods.len(),
        };
        if periods.is_empty() || asked != periods.len() {
            return Err(Error(Reason::PeriodCount { periods: periods.len(), borders: asked }));
        }
        let mut seen = Vec::new();
        let mut placed = Vec::with_capacity(periods.len());
        for (period, kinds) in periods.iter().map(AsRef::as_ref).enumerate() {
            check_kinds(period, kinds, bound, &mut seen)?;
            placed.push(layout::place(layout, width, period, kinds)?);
        }
        Ok(Self { width, periods: placed })
    }

    /// Returns the width of the shared finder in blocks (E in the patent, seed 000): maps that are
    /// searched together have at most this many blocks in all.
    #[must_use]
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// Returns the number of periods, one after the other, in which the finder searches each map
    /// once (C in the patent, seed 000).
    #[must_use]
    pub const fn periods(&self) -> usize {
        self.periods.len()
    }

    /// Returns the slots (ranges for one map each) of the maps that are searched together in the
    /// period with the number `period`, from 0; an empty list for a number out of range.
    #[must_use]
    pub fn slots(&self, period: usize) -> &[Slot] {
        self.periods.get(period).map_or(&[], Vec::as_slice)
    }

    /// Returns the length of the longest free run, in blocks, of each map in `maps`, which are
    /// those of the period with the number `period`, in the order of its slots (ranges for one map
    /// each).
    ///
    /// # Errors
    /// For a period out of range, another number of maps than slots, or a map of another size
    /// than its kind's.
    pub fn find(&self, period: usize, maps: &[View<'_>]) -> Result<Vec<u32>, Error> {
        let slots = self.slots(period);
        if slots.is_empty() || slots.len() != maps.len() {
            return Err(Error(Reason::MapCount { period, slots: slots.len(), maps: maps.len() }));
        }
        let pairs = slots.iter().zip(maps);
        pairs.map(|(slot, &map)| longest_in(slot, map)).collect()
    }

    /// Searches all maps once (a round: steps g1 to g4 of the patent, seed 000), period by period,
    /// and returns the longest free run of each. `map_of` is asked for the map of a kind of
    /// resource when its period comes, so maps may change from one period to the next.
    ///
    /// # Errors
    /// For a map of another size than its kind's.
    pub fn round<'m>(&self, map_of: impl FnMut(Kind) -> View<'m>) -> Result<Vec<SharedRun>, Error> {
        self.round_by(|_| &Full, map_of)
    }

    /// Searches all maps once (a round), period by period, and returns the longest free run of
    /// each. A map that has a period to itself is searched by the method that `search_of` gives for
    /// its kind of resource, as the patent (seed 000) allows; the result is exact or a lower bound,
    /// as that method promises. Maps that share a period get a full search.
    ///
    /// ```
    /// use raddle_bitmap::{FreeMap, Grouped, Kind, Layout, Polarity, Shared};
    ///
    /// let kinds = [0, 1, 2].map(|id| Kind { id, blocks: 8 });
    /// let finder = Shared::new(16, 16, &[&kinds[..1], &kinds[1..]], &Layout::Packed)?;
    /// let map = FreeMap::from_digits("01111110", Polarity::FreeIsOne)?;
    /// let pairs = Grouped::new(8, 4)?;
    /// let found = finder.round_by(|_| &pairs, |_| map.view())?;
    /// assert!(found.iter().map(|found| found.longest()).eq([4, 6, 6]));
    /// # Ok::<(), raddle_bitmap::Error>(())
    /// ```
    ///
    /// # Errors
    /// For a map of another size than its kind's, or its search's.
    pub fn round_by<'m, 's>(
        &self,
        mut search_of: impl FnMut(Kind) -> &'s dyn Search,
        mut map_of: impl FnMut(Kind) -> View<'m>,
    ) -> Result<Vec<SharedRun>, Error> {
        let mut found = Vec::new();
        for (period, slots) in self.periods.iter().enumerate() {
            for slot in slots {
                let kind = slot.kind;
                let search = if slots.len() == 1 { search_of(kind) } else { &Full };
                let map = map_of(kind);
                super::same_size(kind.blocks, map)?;
                found.push(SharedRun { period, kind: kind.id, longest: search.longest(map)? });
            }
        }
        Ok(found)
    }
}

fn longest_in(slot: &Slot, map: View<'_>) -> Result<u32, Error> {
    super::same_size(slot.kind.blocks, map)?;
    Ok(map.longest())
}

fn check_kinds(
    period: usize,
    kinds: &[Kind],
    bound: u32,
    seen: &mut Vec<u32>,
) -> Result<(), Error> {
    if kinds.is_empty() {
        return Err(Error(Reason::EmptyPeriod { period }));
    }
    let mut sum = 0_u64;
    for kind in kinds {
        if kind.blocks == 0 {
            return Err(Error(Reason::NoBlocks));
        }
        if seen.contains(&kind.id) {
            return Err(Error(Reason::KindTwice { id: kind.id }));
        }
        seen.push(kind.id);
        sum += u64::from(kind.blocks);
    }
    if sum > u64::from(bound) {
        return Err(Error(Reason::SumAboveBound { period, sum, bound }));
    }
    Ok(())
}

/// As a [`Search`], the shared finder searches a single map, which has the whole width to itself.
impl Search for Shared {
    fn is_exact(&self) -> bool {
        true
    }

    /// Returns the length of the map's longest run of free blocks; the map may be smaller than the
    /// finder's width.
    ///
    /// # Errors
    /// [`Inconsistent`](crate::ErrorKind::Inconsistent) for a map of more blocks than the width.
    fn longest(&self, map: View<'_>) -> Result<u32, Error> {
        if map.blocks() > self.width {
            return Err(Error(Reason::OtherSize { search: self.width, map: map.blocks() }));
        }
        Ok(map.longest())
    }

    fn need(&self, want: u32) -> Option<Need> {
        (want <= self.width).then_some(Need { cell: 1, run: want })
    }
}
