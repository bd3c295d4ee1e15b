//! Where do the maps of the kinds of resource lie in the width of a shared finder, by period?

use alloc::vec;
use alloc::vec::Vec;
use core::iter;
use core::ops::Range;

use crate::Error;
use crate::error::Reason;

/// Kind of resource (resource type in the patent, seed 000) with a free map of its own, and the
/// number of blocks of that map. Several kinds share one finder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// Number that identifies the kind of resource: any number, but a different one for each kind
    /// of a shared finder.
    pub id: u32,
    /// Number of blocks of the free map of this kind of resource.
    pub blocks: u32,
}

/// Division of a shared finder's width among the kinds of resource whose maps it searches together
/// (in one period).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// Slots (ranges for one map each) one behind the other, each as wide as its map. The maps fit
    /// if they have no more blocks together than the bound of the finder.
    #[default]
    Packed,
    /// Two halves, each for a map of at most half the width; a map that is searched without another
    /// has the whole width.
    Halves,
    /// Slots (ranges for one map each) that the caller gives: one list for each period (group of
    /// maps that are searched together), with one range for each of its kinds of resource. Blocks
    /// between the ranges count as occupied.
    Borders(Vec<Vec<Range<u32>>>),
}

/// Range of blocks that one kind of resource has in the width of a shared finder (one circuit for
/// several maps). The kind's map begins at `start`; blocks behind the map, up to `end`, count as
/// occupied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    pub(crate) kind: Kind,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Slot {
    /// Returns the kind of resource whose free map is in the slot (its range in the width of a
    /// shared finder).
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the first block of the slot (range for one map), counted in the width that several
    /// maps share.
    #[must_use]
    pub const fn start(&self) -> u32 {
        self.start
    }

    /// Returns the block behind the last block of the slot (range for one map), counted in the
    /// width that several maps share.
    #[must_use]
    pub const fn end(&self) -> u32 {
        self.end
    }
}

impl Slot {
    /// Returns the width of the slot (range for one map) in blocks.
    #[must_use]
    pub const fn width(&self) -> u32 {
        self.end - self.start
    }
}

/// Returns the slots (ranges for one map each) of the kinds of resource in `kinds`, in their order.
/// `period` is the number of the period in which the maps of these kinds are searched together.
/// Returns an error where the layout has another number of slots, a slot too narrow for its map, or
/// slots that overlap or exceed the width.
pub(super) fn place(
    layout: &Layout,
    width: u32,
    period: usize,
    kinds: &[Kind],
) -> Result<Vec<Slot>, Error> {
    let ranges = match (layout, kinds) {
        (Layout::Packed, _) => packed(width, period, kinds)?,
        (Layout::Halves, [_]) => iter::once(0..width).collect(),
        (Layout::Halves, [_, _]) => vec![0..width / 2, width / 2..width / 2 * 2],
        (Layout::Halves, _) => {
            return Err(Error(Reason::SlotCount { period, slots: 2, kinds: kinds.len() }));
        }
        (Layout::Borders(borders), _) => {
            let ranges = borders.get(period).cloned().unwrap_or_default();
            check_borders(width, period, &ranges, kinds.len())?;
            ranges
        }
    };
    let mut slots = Vec::with_capacity(kinds.len());
    for (at, (&kind, Range { start, end })) in kinds.iter().zip(ranges).enumerate() {
        if kind.blocks > end - start {
            let (blocks, slot) = (kind.blocks, end - start);
            return Err(Error(Reason::SlotTooNarrow { period, at, blocks, slot }));
        }
        slots.push(Slot { kind, start, end });
    }
    Ok(slots)
}

fn packed(width: u32, period: usize, kinds: &[Kind]) -> Result<Vec<Range<u32>>, Error> {
    let mut ranges = Vec::with_capacity(kinds.len());
    let mut start = 0_u32;
    for (at, kind) in kinds.iter().enumerate() {
        let end = start.checked_add(kind.blocks).filter(|&end| end <= width);
        let end = end.ok_or(Error(Reason::BordersExceed { period, at, width }))?;
        ranges.push(start..end);
        start = end;
    }
    Ok(ranges)
}

fn check_borders(
    width: u32,
    period: usize,
    ranges: &[Range<u32>],
    kinds: usize,
) -> Result<(), Error> {
    if ranges.len() != kinds {
        return Err(Error(Reason::SlotCount { period, slots: ranges.len(), kinds }));
    }
    let mut behind = 0;
    for (at, range) in ranges.iter().enumerate() {
        if range.start < behind || range.end < range.start {
            return Err(Error(Reason::BordersOverlap { period, at }));
        }
        if range.end > width {
            return Err(Error(Reason::BordersExceed { period, at, width }));
        }
        behind = range.end;
    }
    Ok(())
}
