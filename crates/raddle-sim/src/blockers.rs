//! Which processes ran while another had work and did not?
//!
//! Counted when a process begins and ends to be held up, from the run times of all others.

use raddle_policy::Tick;

use crate::device_time::Doing;
use crate::times::Account;

/// With more processes, it is not counted which process delayed which.
const MOST_BLOCKERS: usize = 64;

/// By victim and blocker, how long one held up the other; empty where there are too many.
#[derive(Debug)]
pub(crate) struct Blockers {
    processes: usize,
    blocked_ns: Vec<u64>,
    /// For how long the blocker had run when this was last counted.
    before: Vec<u64>,
    /// `blocked_ns` where the window ends, so far.
    window: Vec<u64>,
}

impl Blockers {
    pub(crate) fn new(processes: usize) -> Self {
        let pairs = if processes > MOST_BLOCKERS { 0 } else { processes * processes };
        let none = || vec![0; pairs];
        Self { processes, blocked_ns: none(), before: none(), window: none() }
    }

    /// Adds what all processes ran since the last count to what held up `victim`; if it was not
    /// held up, only notes their run times.
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

    /// Extends the window until now.
    pub(crate) fn mark(&mut self, accounts: &[Account], now: Tick) {
        for (victim, account) in accounts.iter().enumerate() {
            if is_held_up(account.doing) {
                self.count(victim, accounts, now, true);
            }
        }
        self.window.copy_from_slice(&self.blocked_ns);
    }

    /// Returns what was counted in the window.
    pub(crate) fn finish(self) -> Vec<u64> {
        self.window
    }
}

/// Returns whether a process that does this has work and no waves on the device.
pub(crate) const fn is_held_up(doing: Doing) -> bool {
    matches!(doing, Doing::Turn | Doing::Room)
}
