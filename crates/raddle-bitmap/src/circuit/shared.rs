//! Which digits do the wires of a shared finder (one circuit for several maps) carry (seed 000,
//! E7)?

use alloc::vec::Vec;

use super::chain::combine;
use super::setup::Shift;
use super::{Bits, Setup};
use crate::error::Reason;
use crate::search::same_size;
use crate::{Error, Shared, Slot, View};

/// Choice of the digits of a shifted sequence that are masked (set to occupied), so that no free
/// run crosses a border between slots (ranges for one map each).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Masks {
    /// In D_e, the maps shifted to the left by e, the last e digits of every slot (range for one
    /// map) are masked, as in step g32 of the patent (seed 000). With shifts to the right, the
    /// first e digits are masked.
    #[default]
    All,
    /// In D_e, the maps shifted to the left by e, only the e-th digit from the end of every slot
    /// (range for one map) is masked; with shifts to the right, from the start. The other digits
    /// need no mask, as D_e is combined with earlier sequences that are masked there.
    Newest,
}

/// Sequences that the circuit of a shared finder makes of the maps that it searches together (in
/// one period), by steps g2 and g31 to g34 of the patent (seed 000).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeriodTrace {
    setup: Setup,
    width: u32,
    slots: Vec<Slot>,
    d: Vec<Bits>,
    da: Vec<Bits>,
    dqr: Vec<Bits>,
}

impl PeriodTrace {
    /// Computes the digits on every wire of a shared finder (one circuit that searches several
    /// maps) while it searches the maps of one period: the maps that share the circuit at the same
    /// time. `maps` are in the order of their places in the circuit.
    ///
    /// # Errors
    /// [`Inconsistent`](crate::ErrorKind::Inconsistent) where the number or the size of the maps is
    /// not that of the period,
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) for a width above [`MOST_BLOCKS`](super::MOST_BLOCKS).
    pub fn new(
        search: &Shared,
        period: usize,
        maps: &[View<'_>],
        setup: Setup,
        masks: Masks,
    ) -> Result<Self, Error> {
        super::traceable(search.width())?;
        let slots = search.slots(period).to_vec();
        if slots.is_empty() || slots.len() != maps.len() {
            return Err(Error(Reason::MapCount { period, slots: slots.len(), maps: maps.len() }));
        }
        let width = search.width() as usize;
        let mut d0 = Bits::repeat(setup.polarity.digit(false), width);
        for (slot, &map) in slots.iter().zip(maps) {
            same_size(slot.kind.blocks, map)?;
            for (place, digit) in (slot.start as usize..).zip(Bits::of_map(map, setup).iter()) {
                d0.set(place, digit);
            }
        }
        let shifted = (0..width).map(|by| masked(d0.shifted(by, setup), &slots, by, setup, masks));
        let d: Vec<Bits> = shifted.collect();
        let da = combine(&d, setup);
        let dqr = slots.iter().map(|slot| reduce(&da, slot.start, slot.end, setup)).collect();
        Ok(Self { setup, width: search.width(), slots, d, da, dqr })
    }

    /// Returns the sequences D_0 to D_(E-1) of steps g31 and g32 of the patent (seed 000), for a
    /// width of E blocks. D_0 has the maps in their slots (ranges for one map each); D_e is D_0
    /// shifted by e, and masked at the borders between slots.
    #[must_use]
    pub fn d(&self) -> &[Bits] {
        &self.d
    }

    /// Returns the sequences DA_e of step g33 of the patent (seed 000), each of which combines D_0
    /// to D_e: its digits say at which blocks e + 1 free blocks in a row begin (with shifts to the
    /// right: end).
    #[must_use]
    pub fn da(&self) -> &[Bits] {
        &self.da
    }

    /// Returns the results of steps g341 and g342 of the patent (seed 000): for each slot (range
    /// for one map) the sequence DQR_0 to DQR_(E-1). DQR_e is 1 if e + 1 blocks in a row are free
    /// in the slot.
    #[must_use]
    pub fn dqr(&self) -> &[Bits] {
        &self.dqr
    }

    /// Returns the digits to which the sequences DA_0 to DA_(E-1) are reduced over the blocks from
    /// `start` to before `end` (at most the width). Over the two halves of the width these are S_H
    /// and S_L of the patent (seed 000).
    #[must_use]
    pub fn reduced(&self, start: u32, end: u32) -> Bits {
        let end = end.min(self.width);
        reduce(&self.da, start.min(end), end, self.setup)
    }

    /// Returns the result of step g343 of the patent (seed 000): the length of the longest free
    /// run, in blocks, of each map that is searched in the period.
    #[must_use]
    pub fn answers(&self) -> Vec<u32> {
        self.dqr.iter().map(|it| it.last_one().map_or(0, |e| e as u32 + 1)).collect()
    }
}

/// Returns a sequence that was shifted by `by` digits, with some digits at one end of each slot
/// (range for one map) set to occupied, so that no free run crosses a border. `masks` chooses the
/// digits.
fn masked(mut sequence: Bits, slots: &[Slot], by: usize, setup: Setup, masks: Masks) -> Bits {
    for slot in slots {
        let (start, end) = (slot.start as usize, slot.end as usize);
        let width = end - start;
        let places = match masks {
            Masks::All => 1..by.min(width) + 1,
            Masks::Newest if by >= 1 && by <= width => by..by + 1,
            Masks::Newest => 0..0,
        };
        for nth in places {
            let place = match setup.shift {
                Shift::Left => end - nth,
                Shift::Right => start + nth - 1,
            };
            sequence.set(place, setup.polarity.digit(false));
        }
    }
    sequence
}

fn reduce(sequences: &[Bits], start: u32, end: u32, setup: Setup) -> Bits {
    let (start, end) = (start as usize, end as usize);
    Bits::of(sequences.iter().map(|it| it.any_free(start, end, setup)))
}
