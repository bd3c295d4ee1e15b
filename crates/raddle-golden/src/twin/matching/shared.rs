//! Which ends of workgroups has a search circuit that serves the resources in turn (seed 000, E7)
//! not noticed yet?
//!
//! The circuit searches map after map without pause, from tick 0 on, and reads every map once a
//! round (g2 to g4). So granules that are given back are read by the round that begins next, and
//! are known when that round is over. Counts of instructions (E10) come from no circuit: they stop
//! when the work ends.
//!
//! Units: ticks; picoseconds within a round.

use std::collections::VecDeque;

use raddle_policy::{CuShape, Launch, Piece, WaveSpan};

use super::{Matching, name_of};
use crate::twin::unit::Part;

/// Workgroups, or waves of them, that have ended, and the tick at which the search circuit notices
/// that their resources are free.
#[derive(Clone, Debug)]
struct Ended {
    seen: u64,
    launch: Launch,
    waves: WaveSpan,
    pieces: Vec<Piece>,
}

/// The search circuit that all resources use in turn, and the ended workgroups that it has not
/// noticed yet.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    /// Picoseconds in which the search circuit, which all resources share, searches every map once.
    round: u64,
    late: VecDeque<Ended>,
}

/// Counts how many times a search circuit of `width` granules must be used to search all maps of a
/// compute unit once. It takes the maps in order, each time as many as fit into its width.
pub(super) fn periods(width: u64, shape: &CuShape) -> u64 {
    let scalar = if shape.sgpr == u16::MAX { 0 } else { u64::from(shape.sgpr) };
    let vectors = (0..shape.simds).map(|_| u64::from(shape.vgpr_per_simd));
    let maps = vectors.chain([scalar, shape.lds.into()]).filter(|&granules| granules > 0);
    let (mut periods, mut taken) = (0, width);
    for granules in maps {
        taken = taken.saturating_add(granules);
        if taken > width {
            (periods, taken) = (periods + 1, granules);
        }
    }
    periods.max(1)
}

impl Turns {
    pub(super) const fn new(round: u64) -> Self {
        Self { round, late: VecDeque::new() }
    }

    /// Returns the tick at which the search circuit notices the next end of workgroups; `None`
    /// where it has noticed all ends.
    pub(super) fn next(&self) -> Option<u64> {
        self.late.front().map(|ended| ended.seen)
    }

    fn ended(&mut self, launch: &Launch, waves: WaveSpan, pieces: &[Piece], now: u64) {
        let begins = now.saturating_mul(1000).div_ceil(self.round).saturating_mul(self.round);
        let seen = begins.saturating_add(self.round).div_ceil(1000);
        let (launch, pieces) = (*launch, pieces.to_vec());
        self.late.push_back(Ended { seen, launch, waves, pieces });
    }
}

impl Matching {
    /// Ends workgroups, or waves of them, at tick `now`. Their resources are free immediately or,
    /// where one circuit searches all maps in turn, when that circuit notices the end.
    pub(super) fn ended(&mut self, launch: &Launch, waves: WaveSpan, pieces: &[Piece], now: u64) {
        for piece in pieces {
            for workgroup in piece.workgroups() {
                let name = name_of(launch.id, Part { workgroup, waves, cu: piece.cu.0 });
                let waves = if name.2.is_some() { 1 } else { launch.demand.waves };
                self.rule.ends(piece.cu.index(), launch, waves, now);
                if self.turns_of_finder.is_none() {
                    self.release(name, piece.cu.index());
                }
            }
        }
        if let Some(turns) = &mut self.turns_of_finder {
            turns.ended(launch, waves, pieces, now);
        }
    }

    /// Frees the resources of ended workgroups that the search circuit has noticed by tick `now`.
    /// When a launch leaves or comes back, `now` is `u64::MAX`, since every map is then searched
    /// again.
    pub(super) fn see(&mut self, now: u64) {
        while let Some(turns) = &mut self.turns_of_finder
            && let Some(ended) = turns.late.pop_front_if(|ended| ended.seen <= now)
        {
            for piece in &ended.pieces {
                for workgroup in piece.workgroups() {
                    let part = Part { workgroup, waves: ended.waves, cu: piece.cu.0 };
                    self.release(name_of(ended.launch.id, part), piece.cu.index());
                }
            }
        }
    }
}
