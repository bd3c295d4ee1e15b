//! Policy `greedy`: each workgroup goes to the lowest compute unit with room for it.
//!
//! Launches are served in arrival order; one that finds no room lets the later ones try.

use raddle_policy::{
    Allocate, Answer, CuId, Fact, FreeRun, Piece, ReadyLaunch, ReadyView, Round, Tick,
};

use super::addressed::{BaselineConfig, PlacedAddresses};
use super::waiting::{Explained, MayFit, Refused, start, waiting};

/// A policy that places each workgroup on the lowest compute unit with room.
#[derive(Clone, Debug)]
pub struct Greedy {
    addressed: Option<PlacedAddresses>,
    refused: Refused,
}

impl Default for Greedy {
    fn default() -> Self {
        Self::new(BaselineConfig::default())
    }
}

impl Greedy {
    /// Returns a policy with these settings, before it has placed any workgroup.
    #[must_use]
    pub fn new(config: BaselineConfig) -> Self {
        let addressed = config.addresses.then(PlacedAddresses::default);
        Self { addressed, refused: Refused::default() }
    }

    fn place(&mut self, ready: &ReadyView<'_>, bulk: bool, round: &mut Round) -> Answer {
        let (refused, mut explained) = (&mut self.refused, Explained::default());
        refused.begin(ready.cus());
        for entry in waiting(ready) {
            let demand = &entry.launch().demand;
            // An equal workgroup need not try in vain.
            let Some(may_fit) = refused.look(demand, ready.cus()) else { continue };
            let limit = if bulk { entry.undistributed() } else { 1 };
            match &mut self.addressed {
                Some(addressed) => place_addressed(addressed, ready, entry, limit, round),
                None => place_counted(ready, may_fit, entry, limit, round),
            }
            if !round.pieces.is_empty() {
                return start(entry.launch().id);
            }
            refused.refuse(demand);
            explained.push(entry);
        }
        refused.wait();
        for entry in explained.launches() {
            let (cus, cu) = (ready.cus(), CuId(0));
            round.refuse(match &self.addressed {
                Some(addressed) => addressed.refusal(cus, cu, entry.launch()),
                None => cus.refusal(cu, entry.launch()),
            });
        }
        Answer::WAIT
    }
}

fn place_counted(
    ready: &ReadyView<'_>,
    may_fit: MayFit<'_>,
    entry: &ReadyLaunch,
    limit: u64,
    round: &mut Round,
) {
    let (mut first, mut left) = (entry.next(), limit);
    // Compute units are numbered by u16.
    let open = may_fit.of(0..ready.cus().len() as u16);
    for (units, room) in ready.cus().rooms(open, &entry.launch().demand) {
        for cu in units.map(CuId) {
            if left == 0 {
                return;
            }
            // The count is no more than the room, which is a u32.
            let count = u64::from(room).min(left) as u32;
            round.pieces.push(Piece { first, stride: 1, count, cu });
            first += u64::from(count);
            left -= u64::from(count);
        }
    }
}

fn place_addressed(
    addressed: &mut PlacedAddresses,
    ready: &ReadyView<'_>,
    entry: &ReadyLaunch,
    limit: u64,
    round: &mut Round,
) {
    // A compute unit that has refused once refuses all the rest of this answer.
    let mut lowest = 0;
    // Compute units are numbered by u16.
    let count = ready.cus().len() as u16;
    for workgroup in entry.next()..entry.next() + limit {
        let ranges = [lowest..count, 0..0];
        match addressed.place(ready.cus(), ranges, (entry, workgroup), round) {
            Some(cu) => lowest = cu.0,
            None => break,
        }
    }
}

impl Allocate for Greedy {
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

    fn minds_refills(&self) -> bool {
        self.addressed.is_some()
    }
}
