//! Policy `round-robin`: each workgroup goes to the next compute unit with room after the last one
//! used.
//!
//! Launches are served in arrival order; one that finds no room lets the later ones try. The search
//! begins one past the compute unit of the last workgroup placed, and there again when all compute
//! units refuse.

use core::ops::Range;

use raddle_policy::{Allocate, Answer, CuId, Fact, FreeRun, ReadyLaunch, ReadyView, Round, Tick};

use super::addressed::{BaselineConfig, PlacedAddresses};
use super::rounds::{Dealer, Passes};
use super::waiting::{Explained, Refused, start, waiting};

/// A policy that places each workgroup on the next compute unit with room after the last one that
/// it used.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    cursor: u16,
    addressed: Option<PlacedAddresses>,
    dealer: Dealer,
    refused: Refused,
}

impl Default for RoundRobin {
    fn default() -> Self {
        Self::new(BaselineConfig::default())
    }
}

impl RoundRobin {
    /// Returns a policy whose search begins at compute unit 0.
    #[must_use]
    pub fn new(config: BaselineConfig) -> Self {
        let addressed = config.addresses.then(PlacedAddresses::default);
        Self { cursor: 0, addressed, dealer: Dealer::default(), refused: Refused::default() }
    }

    fn place(&mut self, ready: &ReadyView<'_>, bulk: bool, round: &mut Round) -> Answer {
        let mut explained = Explained::default();
        self.refused.begin(ready.cus());
        for entry in waiting(ready) {
            let demand = &entry.launch().demand;
            // An equal workgroup need not try in vain.
            let Some(may_fit) = self.refused.look(demand, ready.cus()) else { continue };
            let limit = if bulk { entry.undistributed() } else { 1 };
            let last = if self.addressed.is_some() {
                self.place_addressed(ready, entry, limit, round)
            } else {
                let units = around(ready, self.cursor).into_iter().flat_map(|it| may_fit.of(it));
                self.dealer.measure(ready.cus(), units, demand, limit);
                self.dealer.deal(Passes::Up, entry.next(), limit, &mut round.pieces)
            };
            if let Some(last) = last {
                // The remainder is below the number of compute units, which are numbered by u16.
                self.cursor = ((last.index() + 1) % ready.cus().len()) as u16;
                return start(entry.launch().id);
            }
            self.refused.refuse(demand);
            explained.push(entry);
        }
        self.refused.wait();
        for entry in explained.launches() {
            let (cus, cu) = (ready.cus(), CuId(self.cursor));
            round.refuse(match &self.addressed {
                Some(addressed) => addressed.refusal(cus, cu, entry.launch()),
                None => cus.refusal(cu, entry.launch()),
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
        let mut cursor = self.cursor;
        let addressed = self.addressed.as_mut()?;
        let mut last = None;
        for workgroup in entry.next()..entry.next() + limit {
            let which = (entry, workgroup);
            let ranges = around(ready, cursor);
            let Some(cu) = addressed.place(ready.cus(), ranges, which, round) else {
                break;
            };
            last = Some(cu);
            // Past the last compute unit `around` begins at 0.
            cursor = cu.0.saturating_add(1);
        }
        last
    }
}

/// Returns two ranges that together are all compute units, in the order of the search: from
/// `cursor` to the last unit, and then from 0 to `cursor`.
fn around(ready: &ReadyView<'_>, cursor: u16) -> [Range<u16>; 2] {
    // Compute units are numbered by u16.
    let count = ready.cus().len() as u16;
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

    fn reads_the_view(&self) -> bool {
        self.addressed.is_none()
    }

    fn free_runs(&self, cu: CuId) -> Option<[FreeRun; 3]> {
        self.addressed.as_ref()?.free_runs(cu)
    }

    fn observe(&mut self, fact: &Fact<'_>, _now: Tick) {
        if let Some(addressed) = &mut self.addressed {
            addressed.observe(fact);
        }
    }
}
