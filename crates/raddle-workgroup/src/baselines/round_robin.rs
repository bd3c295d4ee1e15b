//! `round-robin`: the next compute unit with room after the last one used.
//!
//! Launches are served in arrival order; one that finds no room lets the later ones try. The cursor
//! stands one past the compute unit of the last workgroup placed, and stays where it is when all
//! compute units refuse.

use alloc::collections::BTreeMap;
use core::ops::Range;

use raddle_policy::{Allocate, Answer, CuId, Fact, LaunchId, ReadyLaunch, ReadyView, Round, Tick};

use super::addressed::{Addressed, Rotation};
use super::rounds::{Dealer, Passes};
use super::waiting::{start, unlike, waiting};
use crate::Error;

/// Parameters of [`RoundRobin`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct RoundRobinConfig {
    /// Whether answers carry addresses, so that fragmentation counts.
    pub addresses: bool,
    /// Which SIMD a wave goes to, with addresses.
    pub rotation: Rotation,
    /// Who has a cursor.
    pub cursor: Cursor,
}

/// Who has a cursor of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Cursor {
    /// The device has one.
    #[default]
    Device,
    /// Every launch has one, from 0 until it ends.
    PerLaunch,
}

/// The next compute unit with room after the last one used.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    config: RoundRobinConfig,
    cursor: u16,
    cursors: BTreeMap<LaunchId, u16>,
    addressed: Option<Addressed>,
    dealer: Dealer,
}

impl RoundRobin {
    /// Round-robin from compute unit 0.
    ///
    /// # Errors
    /// None today.
    pub fn new(config: RoundRobinConfig) -> Result<Self, Error> {
        Ok(Self {
            addressed: Addressed::new(config.addresses, config.rotation),
            config,
            cursor: 0,
            cursors: BTreeMap::new(),
            dealer: Dealer::default(),
        })
    }

    /// The parameters.
    #[must_use]
    pub const fn config(&self) -> &RoundRobinConfig {
        &self.config
    }

    fn cursor(&self, launch: LaunchId) -> u16 {
        match self.config.cursor {
            Cursor::Device => self.cursor,
            Cursor::PerLaunch => self.cursors.get(&launch).copied().unwrap_or(0),
        }
    }

    fn advance(&mut self, launch: LaunchId, last: CuId, count: usize) {
        // Below the number of compute units, and their ids are u16.
        let cursor = ((last.index() + 1) % count) as u16;
        match self.config.cursor {
            Cursor::Device => self.cursor = cursor,
            Cursor::PerLaunch => {
                self.cursors.insert(launch, cursor);
            }
        }
    }

    fn place(&mut self, ready: &ReadyView<'_>, bulk: bool, round: &mut Round) -> Answer {
        // The rotation moves on refusals: only one question a workgroup asks as often as the peer.
        let bulk = bulk && self.config.rotation == Rotation::None;
        let mut full_for = None;
        for entry in waiting(ready) {
            if full_for == Some(entry.launch.demand) {
                continue;
            }
            let limit = if bulk { entry.undistributed() } else { 1 };
            let cursor = self.cursor(entry.launch.id);
            let last = if self.addressed.is_some() {
                self.place_addressed(ready, entry, limit, round)
            } else {
                let ids = around(ready, cursor).into_iter().flatten().map(CuId);
                self.dealer.measure(ready.cus, ids, &entry.launch.demand, limit);
                self.dealer.deal(Passes::Up, entry.next, limit, &mut round.pieces)
            };
            if let Some(last) = last {
                self.advance(entry.launch.id, last, ready.cus.len());
                return start(entry.launch.id);
            }
            // An equal workgroup need not try in vain, except that the peer's does.
            full_for = (self.config.rotation == Rotation::None).then_some(entry.launch.demand);
        }
        for entry in unlike(ready) {
            let (cus, cu) = (ready.cus, CuId(self.cursor(entry.launch.id)));
            round.refuse(match &self.addressed {
                Some(addressed) => addressed.refusal(cus, cu, &entry.launch),
                None => cus.refusal(cu, &entry.launch),
            });
        }
        Answer::WAIT
    }

    fn place_addressed(
        &mut self,
        ready: &ReadyView<'_>,
        entry: &ReadyLaunch,
        limit: u64,
        round: &mut Round,
    ) -> Option<CuId> {
        let mut cursor = self.cursor(entry.launch.id);
        let addressed = self.addressed.as_mut()?;
        let mut last = None;
        for workgroup in entry.next..entry.next + limit {
            let which = (entry, workgroup);
            let ranges = around(ready, cursor);
            let Some(cu) = addressed.place(ready.cus, ranges, which, round) else {
                break;
            };
            last = Some(cu);
            // Past the last compute unit `around` begins at 0.
            cursor = cu.0.saturating_add(1);
        }
        last
    }
}

/// All compute units once around, from `cursor`.
fn around(ready: &ReadyView<'_>, cursor: u16) -> [Range<u16>; 2] {
    // Compute units are numbered by u16.
    let count = ready.cus.len() as u16;
    let cursor = if cursor < count { cursor } else { 0 };
    [cursor..count, 0..cursor]
}

impl Allocate for RoundRobin {
    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        self.place(ready, false, round)
    }

    fn allocate_round(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        self.place(ready, true, round)
    }

    fn observe(&mut self, fact: &Fact<'_>, _now: Tick) {
        if let Fact::LaunchEnded { launch } = fact {
            self.cursors.remove(launch);
        }
        if let Some(addressed) = &mut self.addressed {
            addressed.observe(fact);
        }
    }
}
