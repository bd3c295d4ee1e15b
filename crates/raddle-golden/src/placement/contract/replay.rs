//! To which compute units do all workgroups of one kernel go, cycle by cycle, by the placement
//! contract (a fixed test run with known results)?
//!
//! The replay is that of section 6 of the contract.

use std::collections::VecDeque;
use std::fmt::Write;

use raddle_policy::{CuId, Cus, Launch, LaunchId};

use crate::ModelError;

use super::baseline::{Algorithm, Baseline};
use super::{ContractKernel, Fnv1a, PlacedWorkgroup, SHAPE, XorShift};

/// Most workgroups that the device of the placement contract (a fixed test run) places in a tick,
/// and most completions that it handles in a tick.
const A_TICK: usize = 8;
/// Fewest cycles that a workgroup lasts in the placement contract (a fixed test run).
const SHORTEST: u64 = 500;
/// Number of different durations of a workgroup: it lasts the shortest duration and 0 to 999 cycles
/// more, drawn at random.
const SPREAD: u64 = 1000;

/// A replay of the placement contract (a fixed test run with known results): its algorithm, device
/// and kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
pub struct PlacementReplay {
    /// Algorithm of the placement contract (a fixed test run) that places workgroups.
    pub algorithm: Algorithm,
    /// Number of compute units of the simulated device.
    pub cus: u16,
    /// Number of workgroups of the launch, which all wait at the start.
    pub groups: u64,
    /// Kernel of every workgroup.
    pub kernel: ContractKernel,
}

/// Result of a replay of the placement contract (a fixed test run), to be compared with the
/// contract's known results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacementOutcome {
    /// FNV-1a hash over the text of all placements, a line for each workgroup, with its line end.
    pub fnv1a: u64,
    /// Number of cycles from the start of the replay to the last cycle in which the dispatcher
    /// worked, both included.
    pub cycles: u64,
    /// Number of cycles in which the dispatcher worked (ticks). Cycles in which it has nothing to
    /// do are skipped.
    pub ticks: u64,
    /// Number of workgroups that were placed, which are all workgroups of the launch.
    pub placed: u64,
}

impl PlacementReplay {
    /// Runs the replay of the placement contract (a fixed test run), and calls `each` with every
    /// workgroup when it is placed.
    ///
    /// # Errors
    /// When the kernel is malformed, or no workgroup of it fits an empty compute unit.
    pub fn run(
        &self,
        each: &mut dyn FnMut(&PlacedWorkgroup),
    ) -> Result<PlacementOutcome, ModelError> {
        let launch = self.kernel.launch(LaunchId(0), self.groups, self.cus)?;
        Play::new(self.algorithm, launch, self.cus).run(each)
    }
}

/// (number of a workgroup, compute unit on which it runs).
type DueWorkgroup = (u64, CuId);

/// State of a replay of the placement contract (a fixed test run) that is under way.
struct Play {
    baseline: Baseline,
    launch: Launch,
    cus: u16,
    /// Number of the workgroup that is placed next.
    next: u64,
    cycle: u64,
    /// Running workgroups, each in the list for the cycle in which it ends. The cycle is taken
    /// modulo the number of lists, which is larger than the duration of any workgroup.
    due: Vec<Vec<DueWorkgroup>>,
    /// Ended workgroups whose end is not handled yet, the earliest first.
    messages: VecDeque<DueWorkgroup>,
    finished: u64,
    draws: XorShift,
    hash: Fnv1a,
    /// Workgroups that were placed in this tick. They are passed to the caller when it has been
    /// drawn at random in which cycle each of them ends.
    rows: Vec<PlacedWorkgroup>,
    /// Text of the line for one placed workgroup, with its line end, which is added to the hash.
    text: String,
}

impl Play {
    fn new(algorithm: Algorithm, launch: Launch, cus: u16) -> Self {
        Self {
            baseline: Baseline::new(algorithm, cus),
            launch,
            cus,
            next: 0,
            cycle: 0,
            due: vec![Vec::new(); (SHORTEST + SPREAD) as usize],
            messages: VecDeque::new(),
            finished: 0,
            draws: XorShift::default(),
            hash: Fnv1a::default(),
            rows: vec![PlacedWorkgroup::default(); A_TICK],
            text: String::new(),
        }
    }

    fn run(
        mut self,
        each: &mut dyn FnMut(&PlacedWorkgroup),
    ) -> Result<PlacementOutcome, ModelError> {
        let groups = self.launch.workgroups;
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
            self.note(placed, each);
            self.cycle += 1;
            if placed == 0 && took == 0 && !self.skip() {
                // No workgroup is resident, so the head can never fit.
                let refusal = Cus::new(SHAPE, self.cus).refusal(CuId(0), &self.launch);
                return Err(ModelError::NeverFits(refusal));
            }
        }
        Ok(PlacementOutcome {
            fnv1a: self.hash.0,
            cycles: self.cycle + 1,
            ticks,
            placed: self.next,
        })
    }

    /// Runs the second step of a tick of the placement contract (a fixed test run): places
    /// workgroups until the first that fits nowhere, at most eight, and returns their number.
    fn place(&mut self) -> usize {
        for (placed, row) in self.rows.iter_mut().enumerate() {
            if self.next == self.launch.workgroups {
                return placed;
            }
            let Launch { id, demand, .. } = &self.launch;
            let Some((cu, places)) = self.baseline.place(*id, demand, self.next) else {
                return placed;
            };
            (row.number, row.cu) = (self.next, cu);
            row.places.clear();
            row.places.extend_from_slice(places);
            self.next += 1;
        }
        A_TICK
    }

    /// Runs the third step of a tick of the placement contract (a fixed test run): handles the ends
    /// of at most eight workgroups, frees their resources, and returns their number.
    fn complete(&mut self) -> usize {
        let count = self.messages.len().min(A_TICK);
        for (workgroup, cu) in self.messages.drain(..count) {
            let released = self.baseline.release(cu, self.launch.id, workgroup);
            released.expect("only what was placed is due, and only once");
        }
        self.finished += count as u64;
        count
    }

    /// Runs the fourth step of a tick of the placement contract (a fixed test run): draws at random
    /// when each of the `placed` workgroups of this tick ends, and passes each workgroup to `each`.
    fn note(&mut self, placed: usize, each: &mut dyn FnMut(&PlacedWorkgroup)) {
        for index in 0..placed {
            let due = self.cycle + SHORTEST + self.draws.draw() % SPREAD;
            let due = self.bucket(due);
            let row = &self.rows[index];
            self.due[due].push((row.number, row.cu));
            self.text.clear();
            // Writing to a string cannot fail.
            let _ = writeln!(self.text, "{row}");
            self.hash.update(self.text.as_bytes());
            each(row);
        }
    }

    /// Moves the replay to the next cycle in which a workgroup ends; `false` if there is none.
    fn skip(&mut self) -> bool {
        let ahead = (self.cycle..).take(self.due.len());
        let next = ahead.into_iter().find(|&cycle| !self.due[self.bucket(cycle)].is_empty());
        self.cycle = next.unwrap_or(self.cycle);
        next.is_some()
    }

    const fn bucket(&self, cycle: u64) -> usize {
        // The remainder is below the length of a list, so it fits.
        (cycle % self.due.len() as u64) as usize
    }
}
