//! Which launch and which compute unit come first, for a policy that only ranks them?

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

use crate::cus::CuFree;
use crate::{
    Allocate, Answer, Configured, CuId, Cus, Free, Launch, Piece, ReadyLaunch, ReadyView, Round,
    SettingError, Tick, WaveSpan,
};

/// An order of launches and of compute units, which is all that many allocation policies need.
/// [`Ranked`] makes it a policy that answers in bulk.
///
/// The least rank comes first. Equal launches go in the order of their submission, equal compute units
/// in that of their ids. The same arguments give the same rank.
pub trait Rank {
    /// Returns the rank of a launch; by default equal for all, so that they go in the order of
    /// their submission.
    fn launch(&self, launch: &ReadyLaunch) -> u64 {
        let _ = launch;
        0
    }

    /// Returns the rank of a compute unit for the next workgroup of a launch. `free` has the free
    /// resources of the unit, and `room` is the number of such workgroups for which it has room, 1
    /// or more.
    fn unit(&self, launch: &Launch, room: u32, free: &Free) -> u64;
}

/// The allocation policy of an order: the first launch for which there is room starts its next
/// workgroup on the first compute unit that has room for it, and so on.
///
/// The policy answers for as many workgroups at once as it can; the placements are those of one by
/// one.
///
/// ```
/// use raddle_policy::{Free, Launch, Rank, Ranked};
///
/// /// Best fit: the compute unit that is nearly full, so that others stay free for large workgroups.
/// #[derive(Clone, Debug)]
/// struct BestFit;
///
/// impl Rank for BestFit {
///     fn unit(&self, _: &Launch, room: u32, _: &Free) -> u64 {
///         room.into()
///     }
/// }
///
/// let policy = Ranked::new(BestFit);
/// # fn is_a_policy(_: impl raddle_policy::Allocate) {}
/// # is_a_policy(policy);
/// ```
#[derive(Clone, Debug)]
pub struct Ranked<R> {
    rank: R,
    /// The waiting launches: rank and position.
    queue: Vec<(u64, usize)>,
    /// Compute units with room: rank, id, ladder, and position on the ladder.
    units: BinaryHeap<Reverse<(u64, CuId, usize, usize)>>,
    ladders: Vec<Ladder>,
    /// The number of ladders that belong to this answer.
    used: usize,
    /// For each compute unit the piece that is being written, by its position in the answer.
    open: Vec<Option<usize>>,
}

/// The ranks of units whose free resources were equal before the answer, as they take one workgroup
/// after the other.
#[derive(Clone, Debug, Default)]
struct Ladder {
    /// The free resources of such a unit before the answer.
    stood: CuFree,
    /// The free resources of such a unit at the last of `ranks`.
    stands: CuFree,
    room: u32,
    /// Ranks with 0, 1, .. workgroups of this answer on them.
    ranks: Vec<u64>,
}

/// The most launches whose wait one answer explains.
const EXPLAINED: usize = 16;

/// The number of ladders, the latest ones, among which an equal unit is looked for. A match that is
/// missed costs one ladder more, with its ranks.
const ALIKE: usize = 8;

impl<R: Rank> Ranked<R> {
    /// Makes this order a policy.
    #[must_use]
    pub const fn new(rank: R) -> Self {
        Self {
            rank,
            queue: Vec::new(),
            units: BinaryHeap::new(),
            ladders: Vec::new(),
            used: 0,
            open: Vec::new(),
        }
    }

    fn place(&mut self, ready: &ReadyView<'_>, bulk: bool, round: &mut Round) -> Answer {
        self.queue.clear();
        for (position, entry) in ready.launches.iter().enumerate() {
            if entry.undistributed() > 0 {
                self.queue.push((self.rank.launch(entry), position));
            }
        }
        self.queue.sort_unstable();
        let mut full_for = None;
        for at in 0..self.queue.len() {
            let entry = &ready.launches[self.queue[at].1];
            // A workgroup of equal demand would find no room either.
            if full_for != Some(entry.launch.demand) {
                self.measure(ready.cus, &entry.launch);
                if !self.units.is_empty() {
                    self.deal(ready, at, bulk, round);
                    return Answer::Start { launch: entry.launch.id, waves: WaveSpan::All };
                }
                full_for = Some(entry.launch.demand);
                if round.refusals.len() < EXPLAINED {
                    round.refuse(ready.cus.refusal(CuId(0), &entry.launch));
                }
            }
        }
        Answer::WAIT
    }

    /// Ranks every compute unit with room for a workgroup of this launch.
    fn measure(&mut self, cus: &Cus, launch: &Launch) {
        self.units.clear();
        self.used = 0;
        for cu in cus.ids() {
            let unit = cus.unit(cu);
            let from = self.used.saturating_sub(ALIKE);
            let known = self.ladders[from..self.used].iter().rposition(|it| it.stood == unit);
            let ladder = match known {
                Some(at) => from + at,
                None => self.begin(cus, cu, unit, launch),
            };
            if let Some(&rank) = self.ladders[ladder].ranks.first() {
                self.units.push(Reverse((rank, cu, ladder, 0)));
            }
        }
    }

    /// Begins a ladder for units with these free resources, with its first rank if there is room.
    /// Returns the position of the ladder.
    fn begin(&mut self, cus: &Cus, cu: CuId, unit: CuFree, launch: &Launch) -> usize {
        let at = self.used;
        self.used += 1;
        if self.ladders.len() < self.used {
            self.ladders.push(Ladder::default());
        }
        let ladder = &mut self.ladders[at];
        ladder.ranks.clear();
        (ladder.stood, ladder.stands) = (unit, unit);
        ladder.room = cus.room(cu, &launch.demand);
        if ladder.room > 0 {
            ladder.ranks.push(self.rank.unit(launch, ladder.room, &unit.sum()));
        }
        at
    }

    /// Returns the rank of units on a ladder that have taken `taken` workgroups, and adds it to the
    /// ladder if it is not there yet. `None` if the units have no more room.
    fn climb(&mut self, cus: &Cus, ladder: usize, taken: usize, launch: &Launch) -> Option<u64> {
        let ladder = &mut self.ladders[ladder];
        if let Some(&rank) = ladder.ranks.get(taken) {
            return Some(rank);
        }
        let left = ladder.room.checked_sub(taken as u32).filter(|&left| left > 0)?;
        ladder.stands = cus.with_one_more(&ladder.stands, &launch.demand)?;
        let rank = self.rank.unit(launch, left, &ladder.stands.sum());
        ladder.ranks.push(rank);
        Some(rank)
    }

    /// Places workgroups of one launch of the queue, as long as that launch comes first.
    fn deal(&mut self, ready: &ReadyView<'_>, at: usize, bulk: bool, round: &mut Round) {
        let mut entry = ready.launches[self.queue[at].1];
        let next = self.queue.get(at + 1).copied();
        self.open.clear();
        self.open.resize(ready.cus.len(), None);
        while let Some(Reverse((_, cu, ladder, mut taken))) = self.units.pop() {
            let rival = self.units.peek().map(|&Reverse((rank, cu, ..))| (rank, cu));
            // The loop places one workgroup after the other as long as the unit stays the first.
            let goes_on = loop {
                self.write(entry.next, cu, round);
                entry.next += 1;
                taken += 1;
                let rank = self.climb(ready.cus, ladder, taken, &entry.launch);
                if !bulk || entry.undistributed() == 0 || self.passes(&entry, at, next) {
                    return;
                }
                match rank {
                    Some(rank) if rival.is_none_or(|rival| (rank, cu) < rival) => {}
                    other => break other,
                }
            };
            if let Some(rank) = goes_on {
                self.units.push(Reverse((rank, cu, ladder, taken)));
            }
        }
    }

    /// Returns whether a launch, as it stands now, comes behind the next one of the queue.
    fn passes(&self, entry: &ReadyLaunch, at: usize, next: Option<(u64, usize)>) -> bool {
        next.is_some_and(|next| (self.rank.launch(entry), self.queue[at].1) > next)
    }

    /// Adds a workgroup to the answer: to the last piece of its compute unit if it keeps the stride
    /// of that piece, else as a new piece.
    fn write(&mut self, workgroup: u64, cu: CuId, round: &mut Round) {
        if let Some(piece) = self.open[cu.index()].and_then(|at| round.pieces.get_mut(at)) {
            let apart = workgroup - piece.first;
            if piece.count == 1 && apart <= u64::from(u32::MAX) {
                // The condition above makes `apart` fit in a u32.
                (piece.stride, piece.count) = (apart as u32, 2);
                return;
            }
            if apart == u64::from(piece.stride) * u64::from(piece.count) {
                piece.count += 1;
                return;
            }
        }
        self.open[cu.index()] = Some(round.pieces.len());
        round.pieces.push(Piece::one(workgroup, cu));
    }
}

/// The policy has the name and the settings of its order.
impl<R: Rank + Configured> Configured for Ranked<R> {
    const NAME: &'static str = R::NAME;
    const EXAMPLES: &'static [&'static str] = R::EXAMPLES;
    type Config = R::Config;

    fn make(config: &R::Config, device: &Cus) -> Result<Self, SettingError> {
        R::make(config, device).map(Self::new)
    }
}

impl<R: Rank> Allocate for Ranked<R> {
    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        self.place(ready, false, round)
    }

    fn allocate_round(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        self.place(ready, true, round)
    }

    fn reads_the_view(&self) -> bool {
        true
    }
}
