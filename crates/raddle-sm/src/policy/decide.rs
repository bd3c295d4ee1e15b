//! Which compute unit gets the next workgroups of which launch (steps G1 to G6 of seed 003)?

use raddle_policy::{Answer, CuId, Piece, ReadyLaunch, ReadyView, Round, WaveSpan};

use super::room::{CuRoom, id, wish};
use super::{BlockWarp, Grant};
use crate::index::Of;
use crate::search::{Room, find};
use crate::{Choose, Route};

impl BlockWarp {
    /// Starts the next one of the workgroups that an earlier decision gave to a compute unit, and
    /// returns the answer that starts it. `None` where no such workgroup is left or it does not
    /// fit, so that a new decision is needed. Always `None` with `bulk`, where each decision starts
    /// all its workgroups at once.
    pub(super) fn go_on(
        &mut self,
        ready: &ReadyView<'_>,
        bulk: bool,
        round: &mut Round,
    ) -> Option<Answer> {
        let grant = self.grant.take().filter(|_| !bulk)?;
        let entry = ready.launches().iter().find(|entry| entry.launch().id == grant.launch)?;
        let fits = entry.next() == grant.next
            && entry.undistributed() > 0
            && ready.cus().room(grant.cu, &entry.launch().demand) > 0;
        if !fits {
            return None;
        }
        let left = grant.left - 1;
        self.grant = (left > 0).then_some(Grant { next: grant.next + 1, left, ..grant });
        Some(round.start_one(entry, grant.cu))
    }

    /// Makes one decision of the global controller and returns the answer, `WAIT` if nothing can be
    /// placed. If it gives whole workgroups to a compute unit, one of them starts; with `bulk` as
    /// many workgroups of the launch start as fit on the device.
    pub(super) fn decide(
        &mut self,
        ready: &ReadyView<'_>,
        bulk: bool,
        round: &mut Round,
    ) -> Answer {
        let (mut at, mut failed) = (None, None);
        while let Some((position, entry)) = target(ready, at) {
            at = Some((entry.launch().level.0, position));
            let what = (entry.launch().demand, entry.launch().barrier.possible());
            // A demand that found no place for a more important launch finds none for a later one.
            if failed != Some(what) {
                if let Some(answer) = self.give(ready, entry, bulk, round) {
                    round.refusals.clear();
                    return answer;
                }
                failed = Some(what);
                if round.refusals.len() < EXPLAINED {
                    round.refuse(ready.cus().refusal(CuId(0), entry.launch()));
                }
            }
            if !self.options.fall_through {
                break;
            }
        }
        Answer::WAIT
    }

    fn give(
        &mut self,
        ready: &ReadyView<'_>,
        entry: &ReadyLaunch,
        bulk: bool,
        round: &mut Round,
    ) -> Option<Answer> {
        let (cus, launch) = (ready.cus(), &entry.launch());
        let wish = wish(launch);
        let place = self.tables.demand(&wish);
        let view = CuRoom { cus, tops: self.tables.units(), launch };
        let index = self.tables.index();
        let (route, sm) = find((index, place), &view, &wish, &self.options)?;
        if route != Route::Whole {
            let (launch, workgroup) = (launch.id, entry.next());
            return Some(Answer::Assign { launch, workgroup, cu: id(sm) });
        }
        if bulk {
            self.rooms.clear();
            let (mut from, mut enough) = (sm, entry.undistributed());
            // If the most free unit goes first, every unit with room counts, however few workgroups
            // are left.
            let all = self.options.choose == Choose::MostFree;
            if all {
                from = 0;
            }
            while let Some(sm) = index.lowest((place, Of::Block), from, |sm| view.blocks(sm) > 0) {
                let room = cus.room(id(sm), &launch.demand);
                self.rooms.push((room, id(sm)));
                from = sm + 1;
                enough = enough.saturating_sub(room.into());
                if enough == 0 && !all {
                    break;
                }
            }
            self.deal(entry, round);
            return Some(Answer::Start { launch: launch.id, waves: WaveSpan::All });
        }
        let n1 = view.blocks(sm).min(entry.undistributed());
        let grant = Grant { launch: launch.id, cu: id(sm), next: entry.next() + 1, left: n1 - 1 };
        self.grant = (grant.left > 0).then_some(grant);
        Some(round.start_one(entry, id(sm)))
    }

    /// Distributes the workgroups of a launch over the compute units in `rooms`, in the order of
    /// that list, or under `MostFree` the most room first. Each unit gets as many whole workgroups
    /// as fit on it, but at most those not yet distributed (step G3 of the patent, seed 003).
    fn deal(&mut self, entry: &ReadyLaunch, round: &mut Round) {
        if self.options.choose == Choose::MostFree {
            self.rooms.sort_unstable_by_key(|&(room, cu)| (core::cmp::Reverse(room), cu));
        }
        let (mut first, mut left) = (entry.next(), entry.undistributed());
        for &(room, cu) in &self.rooms {
            // The count is at most the room, which is a u32.
            let count = u64::from(room).min(left) as u32;
            if count == 0 {
                break;
            }
            round.pieces.push(Piece { first, stride: 1, count, cu });
            first += u64::from(count);
            left -= u64::from(count);
        }
    }
}

/// Largest number of demands for which one answer explains why they fit on no compute unit.
const EXPLAINED: usize = 16;

/// Returns (index in the view, launch) of the most important launch with undistributed workgroups,
/// of equal ones the one submitted first (step G1 of the patent, seed 003). `after` is (level,
/// index in the view) of a launch; only launches that come after it in this order are searched.
fn target<'a>(
    ready: &ReadyView<'a>,
    after: Option<(u8, usize)>,
) -> Option<(usize, &'a ReadyLaunch)> {
    let mut best: Option<(u8, usize, &ReadyLaunch)> = None;
    for (position, entry) in ready.launches().iter().enumerate() {
        let level = entry.launch().level.0;
        let later = after.is_none_or(|after| (level, position) > after);
        if later && entry.undistributed() > 0 && best.is_none_or(|(best, ..)| level < best) {
            best = Some((level, position, entry));
            if level == 0 {
                break;
            }
        }
    }
    best.map(|(_, position, entry)| (position, entry))
}
