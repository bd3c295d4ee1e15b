//! Which processes ran while another process had work and did not run?
//!
//! The run times of all other processes are read when a process begins and ceases to be held up: to
//! have work and no waves on the device.

use raddle_policy::Tick;

use crate::device_time::Doing;
use crate::times::Account;

/// The most processes for which the simulator counts how long each process delayed each other one.
const MOST_BLOCKERS: usize = 64;

/// The time, for each pair (victim, blocker) of processes, for which the blocker ran while the
/// victim had work and no waves on the device; empty with more than [`MOST_BLOCKERS`] processes.
#[derive(Debug)]
pub(crate) struct Blockers {
    processes: usize,
    blocked_ns: Vec<u64>,
    /// The run time of the blocker of each pair, in ns, when the delays of the pair were last
    /// counted.
    before: Vec<u64>,
    /// The delays (`blocked_ns`) at the last call of `mark`, in ns. That call is at the end of the
    /// makespan; later delays are not in the results.
    window: Vec<u64>,
}

impl Blockers {
    pub(crate) fn new(processes: usize) -> Self {
        let pairs = if processes > MOST_BLOCKERS { 0 } else { processes * processes };
        let none = || vec![0; pairs];
        Self { processes, blocked_ns: none(), before: none(), window: none() }
    }

    /// Adds to the delays of `victim` the time for which each other process ran since the last call
    /// for this victim. If `held_up` is false, the victim was not delayed: the call adds nothing,
    /// and only stores the run times from which the next call counts.
    pub(crate) fn count(&mut self, victim: usize, accounts: &[Account], now: Tick, held_up: bool) {
        if self.window.is_empty() {
            return;
        }
        let row = victim * self.processes..(victim + 1) * self.processes;
        let pairs = self.blocked_ns[row.clone()].iter_mut().zip(&mut self.before[row]);
        for ((blocked, before), account) in pairs.zip(accounts) {
            let ran = account.ran(now);
            if held_up {
                *blocked += ran - *before;
            }
            *before = ran;
        }
    }

    /// Counts the delays of each pair of processes up to `now`, the end of the makespan; later
    /// delays are not in the results.
    pub(crate) fn mark(&mut self, accounts: &[Account], now: Tick) {
        for (victim, account) in accounts.iter().enumerate() {
            if is_held_up(account.doing) {
                self.count(victim, accounts, now, true);
            }
        }
        self.window.copy_from_slice(&self.blocked_ns);
    }

    /// Returns the time in ns for which each process delayed each other one, up to the last call of
    /// `mark`, sorted by the delayed process, then by the delaying one.
    pub(crate) fn finish(self) -> Vec<u64> {
        self.window
    }
}

/// Returns whether a process with this activity has work to run and no waves on the device.
pub(crate) const fn is_held_up(doing: Doing) -> bool {
    matches!(doing, Doing::Turn | Doing::Room)
}
