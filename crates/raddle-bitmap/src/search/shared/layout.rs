//! Where does each kind of resource lie in the shared width, period by period?

use alloc::vec;
use alloc::vec::Vec;
use core::iter;
use core::ops::Range;

use crate::Error;
use crate::error::Reason;

/// Kind of resource (the seed's resource type), which has a map of its own in the shared finder,
/// with the number of its blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// Number that names the kind of resource: any number, but each kind once in a round.
    pub id: u32,
    /// Number of blocks of the free map of this kind of resource.
    pub blocks: u32,
}

/// Division of the width that a period's maps share among the kinds of resource of that period.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// One slot (range for one map) behind the other, each as wide as its map. With this layout,
    /// the bound on the sum of a period is the only condition.
    #[default]
    Packed,
    /// Two halves, each for a map of at most half the width; a kind that is alone in its period has
    /// the whole width.
    Halves,
    /// For each period, one range of blocks for each kind of resource, in the order of the kinds;
    /// blocks between the ranges stay occupied.
    Borders(Vec<Vec<Range<u32>>>),
}

/// Range of blocks, in the shared width, of one kind of resource in a period: its map is from
/// `start` on; blocks behind the map, up to `end`, are occupied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Kind of resource whose free map is in the slot.
    pub(crate) kind: Kind,
    /// First block of the slot in the width that the maps of a period share.
    pub(crate) start: u32,
    /// Block behind the last one of the slot, in the width that the maps of a period share.
    pub(crate) end: u32,
}

impl Slot {
    /// Returns the kind of resource whose free map is in the slot.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the first block of the slot in the width that the maps of a period share.
    #[must_use]
    pub const fn start(&self) -> u32 {
        self.start
    }

    /// Returns the block behind the last one of the slot, in the width that the maps of a period
    /// share.
    #[must_use]
    pub const fn end(&self) -> u32 {
        self.end
    }
}

impl Slot {
    /// Returns the width of the slot in blocks.
    #[must_use]
    pub const fn width(&self) -> u32 {
        self.end - self.start
    }
}

/// Returns the slot (range of blocks) of every kind of resource of a period, in the order of the
/// kinds; an error where the layout has another number of slots, a slot too narrow for its map, or
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
