//! Where do all workgroups of one kernel go, cycle by cycle?
//!
//! Section 6 of the placement contract.

use std::collections::VecDeque;

use raddle_policy::{
    Allocate, Answer, CuId, Cus, Fact, Launch, LaunchId, Piece, ReadyLaunch, ReadyView, Round,
    Split, Tick, WaveSpan, take_highest,
};

use super::{Fnv1a, Kernel, SHAPE, XorShift, write_row};
use raddle_workgroup::{
    Cursor, Error, Greedy, GreedyConfig, Rotation, RoundRobin, RoundRobinConfig,
};

/// Workgroups placed in a tick at most, and completions taken.
const A_TICK: usize = 8;
/// A workgroup lasts this many cycles or more ...
const SHORTEST: u64 = 500;
/// ... and less than this many more.
const SPREAD: u64 = 1000;

/// Which baseline places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// [`RoundRobin`].
    RoundRobin,
    /// [`Greedy`].
    Greedy,
}

/// A replay of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replay {
    /// Which baseline places.
    pub algorithm: Algorithm,
    /// Compute units.
    pub cus: u16,
    /// Workgroups, all waiting at the start.
    pub groups: u64,
    /// What each is.
    pub kernel: Kernel,
}

/// What a replay gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The hash of all rows, each with its line end.
    pub fnv1a: u64,
    /// The cycle after the last tick.
    pub cycles: u64,
    /// How often the dispatcher ticked, the last time included.
    pub ticks: u64,
    /// Workgroups placed: all of them.
    pub placed: u64,
}

impl Replay {
    /// Runs it and gives every row, without its line end, to `row`.
    ///
    /// # Errors
    /// When the kernel is malformed, or no workgroup of it fits an empty compute unit.
    pub fn run(&self, row: &mut dyn FnMut(&str)) -> Result<Outcome, Error> {
        let launch = self.kernel.launch(LaunchId(0), self.groups, self.cus)?;
        let (addresses, rotation) = (true, Rotation::Peer);
        Ok(match self.algorithm {
            Algorithm::RoundRobin => {
                let cursor = Cursor::PerLaunch;
                let config = RoundRobinConfig { addresses, rotation, cursor };
                Play::new(RoundRobin::new(config)?, launch, self.cus).run(row)?
            }
            Algorithm::Greedy => {
                let config = GreedyConfig { addresses, rotation };
                Play::new(Greedy::new(config)?, launch, self.cus).run(row)?
            }
        })
    }
}

/// A replay under way.
struct Play<P> {
    policy: P,
    cus: Cus,
    /// Waves on each compute unit. All are equal, so counting them is exact.
    lying: Vec<Split>,
    entry: ReadyLaunch,
    round: Round,
    cycle: u64,
    /// Who ends in a cycle, by the cycle modulo its length: longer than anybody lasts.
    due: Vec<Vec<Piece>>,
    /// Completions not taken yet, first in, first out.
    messages: VecDeque<Piece>,
    /// Completions taken in a tick.
    taken: Vec<Piece>,
    finished: u64,
    draws: XorShift,
    hash: Fnv1a,
    /// The rows of a tick, each with its line end; written before the draw, handed out after it.
    rows: Vec<(Piece, String)>,
}

impl<P: Allocate> Play<P> {
    fn new(policy: P, launch: Launch, cus: u16) -> Self {
        Self {
            policy,
            cus: Cus::new(SHAPE, cus),
            lying: vec![Split::default(); usize::from(cus)],
            entry: ReadyLaunch { launch, next: 0, assigned: 0, cut: 0, submitted: Tick::ZERO },
            round: Round::default(),
            cycle: 0,
            due: vec![Vec::new(); (SHORTEST + SPREAD) as usize],
            messages: VecDeque::new(),
            taken: Vec::new(),
            finished: 0,
            draws: XorShift::default(),
            hash: Fnv1a::default(),
            rows: vec![(Piece::one(0, CuId(0)), String::new()); A_TICK],
        }
    }

    fn run(mut self, row: &mut dyn FnMut(&str)) -> Result<Outcome, Error> {
        let groups = self.entry.launch.workgroups;
        let mut ticks = 0;
        loop {
            let due = self.bucket(self.cycle);
            self.messages.extend(self.due[due].drain(..));
            ticks += 1;
            if self.finished == groups {
                break;
            }
            let placed = self.place();
            let took = self.complete();
            self.note(placed, row);
            self.cycle += 1;
            if placed == 0 && took == 0 && !self.skip() {
                // Nothing is resident, so the head can never fit.
                let refusal = self.cus.refusal(CuId(0), &self.entry.launch);
                return Err(Error::NeverFits(refusal));
            }
        }
        Ok(Outcome { fnv1a: self.hash.0, cycles: self.cycle + 1, ticks, placed: self.entry.next })
    }

    /// Step 2: places until the first refusal, at most eight; how many.
    fn place(&mut self) -> usize {
        for placed in 0..A_TICK {
            if self.entry.undistributed() == 0 || !self.place_one(placed) {
                return placed;
            }
        }
        A_TICK
    }

    fn place_one(&mut self, placed: usize) -> bool {
        let now = Tick(self.cycle);
        let launches = [self.entry];
        let cus = &self.cus;
        let launches = &launches;
        let view = ReadyView { launches, cus };
        self.round.clear();
        let answer = self.policy.allocate(&view, now, &mut self.round);
        let Answer::Start { waves, .. } = answer else {
            return false;
        };
        let launch = &self.entry.launch;
        let (pieces, places) = (&self.round.pieces, &self.round.places);
        for piece in pieces {
            let split = self.cus.take(piece.cu, &launch.demand, piece.count);
            let split =
                split.expect("both policies keep law 2: a test compares them with a naive device");
            for (lying, new) in self.lying[piece.cu.index()].iter_mut().zip(split) {
                *lying += new;
            }
        }
        let fact = Fact::Started { launch, waves, pieces, places };
        self.policy.observe(&fact, now);
        if let (Some(&piece), Some((to, text))) = (pieces.first(), self.rows.get_mut(placed)) {
            *to = piece;
            text.clear();
            write_row(text, piece.first, piece.cu, places);
        }
        self.entry.next += 1;
        true
    }

    /// Step 3: takes at most eight completions and frees what they held; how many.
    fn complete(&mut self) -> usize {
        let count = self.messages.len().min(A_TICK);
        self.taken.clear();
        self.taken.extend(self.messages.drain(..count));
        if count > 0 {
            let (launch, waves, pieces) = (&self.entry.launch, WaveSpan::All, &self.taken[..]);
            for piece in pieces {
                let left = piece.count * u32::from(launch.demand.waves);
                let split = take_highest(&mut self.lying[piece.cu.index()], left);
                let split = split.expect("only what was placed is due, and only once");
                self.cus.give_split(piece.cu, &launch.demand, &split, piece.count);
            }
            let fact = Fact::Ended { launch, waves, pieces };
            self.policy.observe(&fact, Tick(self.cycle));
            self.finished += count as u64;
        }
        count
    }

    /// Step 4: draws when each workgroup placed in this tick ends, and hands out its row.
    fn note(&mut self, placed: usize, row: &mut dyn FnMut(&str)) {
        for index in 0..placed {
            let due = self.cycle + SHORTEST + self.draws.draw() % SPREAD;
            let due = self.bucket(due);
            let (piece, text) = &self.rows[index];
            self.due[due].push(*piece);
            self.hash.update(text.as_bytes());
            self.hash.update(b"\n");
            row(text);
        }
    }

    /// Goes on to the next cycle in which something is due; whether there is one.
    fn skip(&mut self) -> bool {
        let ahead = (self.cycle..).take(self.due.len());
        let next = ahead.into_iter().find(|&cycle| !self.due[self.bucket(cycle)].is_empty());
        self.cycle = next.unwrap_or(self.cycle);
        next.is_some()
    }

    const fn bucket(&self, cycle: u64) -> usize {
        // A remainder by the length of a list.
        (cycle % self.due.len() as u64) as usize
    }
}
