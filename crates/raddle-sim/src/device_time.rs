//! What did each process and the whole device spend their time on?
//!
//! Whole nanoseconds, summed up between changes. A process is in one state at a time: it runs, alone
//! or beside others; else the most advanced of its launches says what it waits for.

use serde::{Deserialize, Serialize};

/// With more processes, nobody counts who held up whom.
const MOST_BLOCKERS: usize = 64;

/// Time by what it was spent on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TimeSpent {
    /// Behind earlier requests of the same process.
    pub behind_ns: u64,
    /// Nothing was issued.
    pub host_ns: u64,
    /// All that was issued waited for other work, or was a copy.
    pub dependency_ns: u64,
    /// A launch was ready and the dispatcher held it.
    pub turn_ns: u64,
    /// A launch was submitted and had no room.
    pub room_ns: u64,
    /// With waves on the device, and so had others.
    pub beside_ns: u64,
    /// With waves on the device, and nobody else.
    pub alone_ns: u64,
}

impl TimeSpent {
    /// What was spent since `before`.
    pub(crate) const fn since(self, before: Self) -> Self {
        Self {
            behind_ns: self.behind_ns - before.behind_ns,
            host_ns: self.host_ns - before.host_ns,
            dependency_ns: self.dependency_ns - before.dependency_ns,
            turn_ns: self.turn_ns - before.turn_ns,
            room_ns: self.room_ns - before.room_ns,
            beside_ns: self.beside_ns - before.beside_ns,
            alone_ns: self.alone_ns - before.alone_ns,
        }
    }
}

/// How full the device was, and why it was empty; the parts add up to the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct DeviceTime {
    /// From the first event to the end of the makespan.
    pub window_ns: u64,
    /// Empty, and no host had issued anything.
    pub idle_host_ns: u64,
    /// Empty, and all that was issued waited for other work, or was a copy.
    pub idle_dependency_ns: u64,
    /// Empty, and the dispatcher held every launch that was ready.
    pub idle_turn_ns: u64,
    /// Empty, although a launch was submitted.
    pub idle_room_ns: u64,
    /// With less than a quarter of the wave slots used.
    pub under_quarter_ns: u64,
    /// With up to three quarters of them used.
    pub to_three_quarters_ns: u64,
    /// With more of them used.
    pub above_ns: u64,
}

impl DeviceTime {
    /// The share of the window in which it was empty, 0 to 1.
    #[must_use]
    pub fn idle(&self) -> f64 {
        let full = self.under_quarter_ns + self.to_three_quarters_ns + self.above_ns;
        self.share(self.window_ns - full.min(self.window_ns))
    }

    /// The share in which it was empty and no host had issued anything, 0 to 1.
    #[must_use]
    pub fn idle_host(&self) -> f64 {
        self.share(self.idle_host_ns)
    }

    fn share(&self, ns: u64) -> f64 {
        crate::figures::round(crate::figures::ratio(ns.into(), self.window_ns.into()))
    }
}

/// Who held a process up, while it had work and no waves on the device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct BlockedProcess {
    /// Its name.
    pub victim: String,
    /// The others that ran meanwhile.
    pub by: Vec<BlockedBy>,
}

/// One that ran while another waited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct BlockedBy {
    /// Its name.
    pub process: String,
    /// For how long; where several ran, the time counts for each.
    pub ns: u64,
}

/// Where all processes stand between two changes; one entry a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standings<'s> {
    /// Waves on the device.
    pub(crate) waves: &'s [u64],
    /// Launches that were submitted and may run.
    pub(crate) placed: &'s [u64],
    /// Launches that were ready.
    pub(crate) ready: &'s [u64],
    /// Whatever was issued.
    pub(crate) issued: &'s [u64],
    /// Wave slots of the device.
    pub(crate) slots: u64,
}

/// Sums up the time of the device.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeviceClock {
    now: DeviceTime,
    blocked: Vec<u64>,
    /// Both where the window ends, so far.
    window: (DeviceTime, Vec<u64>),
}

impl DeviceClock {
    pub(crate) fn new(processes: usize) -> Self {
        let pairs = if processes > MOST_BLOCKERS { 0 } else { processes * processes };
        let window = (DeviceTime::default(), vec![0; pairs]);
        Self { now: DeviceTime::default(), blocked: vec![0; pairs], window }
    }

    /// So much time passes; what each process spent it on goes to `spent`.
    pub(crate) fn pass<'t>(
        &mut self,
        ns: u64,
        at: Standings<'_>,
        spent: impl Iterator<Item = &'t mut TimeSpent>,
    ) {
        let processes = at.waves.len();
        let running = at.waves.iter().filter(|&&waves| waves > 0).count();
        let mut idle = 0;
        for (process, spent) in spent.enumerate() {
            let (field, advanced) = if at.waves[process] > 0 {
                let field = if running == 1 { &mut spent.alone_ns } else { &mut spent.beside_ns };
                (field, 0)
            } else if at.placed[process] > 0 {
                (&mut spent.room_ns, 3)
            } else if at.ready[process] > 0 {
                (&mut spent.turn_ns, 2)
            } else if at.issued[process] > 0 {
                (&mut spent.dependency_ns, 1)
            } else {
                (&mut spent.host_ns, 0)
            };
            *field += ns;
            idle = idle.max(advanced);
            if advanced >= 2 && running > 0 && !self.blocked.is_empty() {
                let row = &mut self.blocked[process * processes..][..processes];
                for (blocked, _) in row.iter_mut().zip(at.waves).filter(|(_, waves)| **waves > 0) {
                    *blocked += ns;
                }
            }
        }
        let used: u64 = at.waves.iter().sum();
        let now = &mut self.now;
        now.window_ns += ns;
        let field = match (running, idle) {
            (0, 3) => &mut now.idle_room_ns,
            (0, 2) => &mut now.idle_turn_ns,
            (0, 1) => &mut now.idle_dependency_ns,
            (0, _) => &mut now.idle_host_ns,
            _ if used * 4 < at.slots => &mut now.under_quarter_ns,
            _ if used * 4 <= at.slots * 3 => &mut now.to_three_quarters_ns,
            _ => &mut now.above_ns,
        };
        *field += ns;
    }

    /// The window lasts at least until now.
    pub(crate) fn mark(&mut self) {
        self.window.0 = self.now;
        self.window.1.copy_from_slice(&self.blocked);
    }

    /// The time of the window, and by victim and blocker how long one held up the other; empty
    /// where there are too many.
    pub(crate) fn finish(self) -> (DeviceTime, Vec<u64>) {
        self.window
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_nanosecond_has_one_cause() {
        let mut clock = DeviceClock::new(2);
        let mut spent = [TimeSpent::default(); 2];
        let mut pass =
            |ns, waves: [u64; 2], placed: [u64; 2], ready: [u64; 2], issued: [u64; 2]| {
                let at = Standings {
                    waves: &waves,
                    placed: &placed,
                    ready: &ready,
                    issued: &issued,
                    slots: 8,
                };
                clock.pass(ns, at, spent.iter_mut());
            };
        pass(1, [0, 0], [0, 0], [0, 0], [0, 0]);
        pass(2, [0, 0], [0, 0], [0, 0], [1, 0]);
        pass(4, [0, 0], [0, 0], [1, 0], [1, 0]);
        pass(8, [0, 0], [1, 0], [1, 0], [1, 1]);
        pass(16, [1, 0], [1, 0], [1, 1], [1, 1]);
        pass(32, [2, 4], [1, 1], [1, 1], [1, 1]);
        pass(64, [7, 0], [1, 1], [1, 1], [1, 1]);
        clock.mark();
        let at = Standings {
            waves: &[0, 0],
            placed: &[0, 0],
            ready: &[0, 0],
            issued: &[0, 0],
            slots: 8,
        };
        clock.pass(128, at, spent.iter_mut());
        let (device, blocked) = clock.finish();
        let wanted = DeviceTime {
            window_ns: 127,
            idle_host_ns: 1,
            idle_dependency_ns: 2,
            idle_turn_ns: 4,
            idle_room_ns: 8,
            under_quarter_ns: 16,
            to_three_quarters_ns: 32,
            above_ns: 64,
        };
        assert_eq!((device, blocked), (wanted, vec![0, 0, 16 + 64, 0]));
        assert_eq!((spent[0].alone_ns, spent[0].beside_ns, spent[0].host_ns), (80, 32, 129));
        assert_eq!((spent[1].turn_ns, spent[1].room_ns, spent[1].dependency_ns), (16, 64, 8));
    }
}
