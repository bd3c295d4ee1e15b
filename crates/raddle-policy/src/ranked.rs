//! Which launch and which compute unit come first, for a policy that consists of an order of both?

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

use crate::cus::CuFree;
use crate::{
    Allocate, Answer, Configured, CuId, Cus, Free, Launch, Piece, ReadyLaunch, ReadyView, Round,
    SettingError, Tick, WaveSpan,
};

/// An order of launches and of compute units, which is all that many allocation policies need.
/// [`Ranked`] makes the order an allocation policy.
///
/// The lowest rank comes first. Equal launches go in the order of their submission, equal compute
/// units in that of their ids. The same arguments give the same rank.
pub trait Rank {
    /// Returns the rank of a launch; by default 0 for every launch, so that launches are served in
    /// the order of their submission.
    fn launch(&self, launch: &ReadyLaunch) -> u64 {
        let _ = launch;
        0
    }

    /// Returns the rank of a compute unit for the next workgroup of a launch. `free` has the free
    /// resources of the unit, and `room` is the number of further workgroups of the launch that fit
    /// on it, 1 or more.
    fn unit(&self, launch: &Launch, room: u32, free: &Free) -> u64;

    /// Returns whether ranks can depend on refills (workgroups that end and are replaced at once by
    /// as many of the same launch), as [`Allocate::minds_refills`] explains. The default is true.
    /// False is right where no rank depends on how many workgroups of a launch are left; a
    /// simulator may then skip refills.
    fn minds_refills(&self) -> bool {
        true
    }
}

/// The allocation policy made of an order: the first launch for which there is room starts its next
/// workgroup on the first compute unit with room for it, and so on.
///
/// The policy answers for as many workgroups at once as it can; it places them where it would if it
/// were asked for one at a time.
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
///
///     fn minds_refills(&self) -> bool {
///         false
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
    /// The waiting launches, sorted by rank: (rank, index of the launch in the view); the lowest
    /// rank comes first.
    queue: Vec<(u64, usize)>,
    /// Compute units with room, the lowest rank first: (rank, id, index in `ladders`, workgroups
    /// taken so far).
    units: BinaryHeap<Reverse<(u64, CuId, usize, usize)>>,
    ladders: Vec<Ladder>,
    /// The number of entries of `ladders` (tables of ranks) that belong to the present answer.
    used: usize,
    /// For each compute unit, the index in the answer's list of pieces (equal workgroups on one
    /// compute unit) of the piece to which the unit's next workgroup may be added; `None` if the
    /// answer has no piece on the unit yet.
    open: Vec<Option<usize>>,
}

/// A table of ranks for the compute units that had equal free resources before the answer: entry
/// `n` is the rank of such a unit after `n` workgroups of this answer. Each rank is computed once.
#[derive(Clone, Debug, Default)]
struct Ladder {
    /// The free resources that each compute unit of this table had before the present answer.
    stood: CuFree,
    /// The free resources of a compute unit of this table after `ranks.len() - 1` workgroups of
    /// this answer, to which the last entry of `ranks` belongs.
    stands: CuFree,
    room: u32,
    /// The rank of a compute unit of this table after 0, 1, .. workgroups of this answer.
    ranks: Vec<u64>,
}

/// The largest number of waiting launches for which one answer gives a refusal, the reason why the
/// launch waits.
const EXPLAINED: usize = 16;

/// The number of latest ladders (tables of ranks for units with equal free resources) that are
/// searched for one that fits the next unit. If only an earlier one fits, a second equal ladder is
/// made, which costs time but changes no answer.
const ALIKE: usize = 8;

impl<R: Rank> Ranked<R> {
    /// Returns the allocation policy that follows the order `rank`.
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

    /// Ranks every compute unit with room for a workgroup of this launch, and replaces the contents
    /// of `units` by these units, sorted by rank.
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

    /// Begins a ladder (a table of ranks by workgroups taken) for the compute units with the free
    /// resources `unit`. If a workgroup fits, the first rank is entered. Returns the index of the
    /// ladder.
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

    /// Returns the rank of the compute units of a ladder (units with equal free resources) that
    /// have taken `taken` workgroups, and adds the rank to the ladder if it is not there yet.
    /// `None` if the units have no more room.
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

    /// Places workgroups of the launch with the index `at` in the queue, as long as that launch has
    /// the lowest rank, and adds them to `round`, which collects the answer. If `bulk` is false,
    /// only one workgroup is placed.
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

    /// Returns whether `entry`, the launch at the index `at` of the queue, now has a higher rank
    /// than the next launch of the queue, so that it is no longer the first. `next` is (rank, index
    /// in the view) of the next launch; `None` at the end of the queue.
    fn passes(&self, entry: &ReadyLaunch, at: usize, next: Option<(u64, usize)>) -> bool {
        next.is_some_and(|next| (self.rank.launch(entry), self.queue[at].1) > next)
    }

    /// Adds a workgroup to the answer (`round`): to the last piece (equal workgroups on one compute
    /// unit) of its compute unit if the workgroup's number continues the stride of that piece, else
    /// as a new piece.
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

/// The policy has the name and the settings of its order `R`.
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

    fn minds_refills(&self) -> bool {
        self.rank.minds_refills()
    }
}
