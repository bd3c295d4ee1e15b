//! On which activities did each process, and the whole device, spend their time?
//!
//! Whole nanoseconds, summed up between changes. A process does one thing at a time: it runs, alone
//! or beside others; else the most advanced of its launches says what it waits for.

use serde::{Deserialize, Serialize};

/// The time of a process or request in ns, split by what the time was spent on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TimeSpent {
    /// Time for which a request waited for earlier requests of the same process, in ns.
    pub behind_ns: u64,
    /// Time in ns in which the process had no launch or copy that was issued and had not ended, so
    /// that the device waited for its host.
    pub host_ns: u64,
    /// Time in ns in which every issued launch of the process waited for other work to end, or was
    /// a copy.
    pub dependency_ns: u64,
    /// Time in ns in which a launch of the process was ready, but the dispatcher had not submitted
    /// it to the device, or kept it from running after a preemption.
    pub turn_ns: u64,
    /// Time in ns in which a launch of the process was submitted to the device, but none of its
    /// waves ran, for lack of free slots or registers.
    pub room_ns: u64,
    /// Time in which both this process and another one had waves on the device, in ns.
    pub beside_ns: u64,
    /// Time in which only this process had waves on the device, in ns.
    pub alone_ns: u64,
}

impl TimeSpent {
    /// Returns the time spent since an earlier state of this account, `before`: each part less that
    /// part of `before`.
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

/// The time of the device, split by how full it was and by why it was empty; the parts add up to
/// `window_ns`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct DeviceTime {
    /// The time in ns from the first event of the run to the end of the makespan, of which all
    /// other fields are parts.
    pub window_ns: u64,
    /// Time in ns in which the device was empty and all issued work had ended, so that it waited
    /// for hosts.
    pub idle_host_ns: u64,
    /// Time in ns in which no wave was on the device and no launch was ready, while a copy to or
    /// from the device ran.
    #[serde(default)]
    pub idle_copies_ns: u64,
    /// Time in ns in which the device was empty, and all issued launches waited for other work to
    /// end.
    pub idle_dependency_ns: u64,
    /// Time in ns in which the device was empty and a launch was ready, but the dispatcher did not
    /// let it run.
    pub idle_turn_ns: u64,
    /// Time in ns in which no wave was on the device although a launch was submitted to it.
    pub idle_room_ns: u64,
    /// Time in ns in which no wave was on the device, but a copy within the device's memory kept it
    /// busy.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub copying_inside_ns: u64,
    /// Time in ns in which the device had waves, in less than a quarter of its wave slots.
    pub under_quarter_ns: u64,
    /// Time in ns in which a quarter to three quarters of the wave slots were used.
    pub to_three_quarters_ns: u64,
    /// Time in ns in which more than three quarters of the wave slots were used.
    pub above_ns: u64,
}

impl DeviceTime {
    /// Returns the fraction of the time up to the end of the makespan in which the device was
    /// empty, 0 to 1.
    #[must_use]
    pub fn idle(&self) -> f64 {
        let full = self.under_quarter_ns + self.to_three_quarters_ns + self.above_ns;
        let busy = full + self.copying_inside_ns;
        self.share(self.window_ns - busy.min(self.window_ns))
    }

    /// Returns the fraction, 0 to 1, of the time up to the end of the makespan in which the device
    /// was empty and all issued work had ended, so that it waited for hosts.
    #[must_use]
    pub fn idle_host(&self) -> f64 {
        self.share(self.idle_host_ns)
    }

    /// Returns the fraction of the time up to the end of the makespan in which no wave was on the
    /// device while work waited for a copy, 0 to 1.
    #[must_use]
    pub fn idle_copies(&self) -> f64 {
        self.share(self.idle_copies_ns)
    }

    fn share(&self, ns: u64) -> f64 {
        crate::figures::round(crate::figures::ratio(ns.into(), self.window_ns.into()))
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_zero(ns: &u64) -> bool {
    *ns == 0
}

/// A process that was delayed (it had work but no waves on the device), with the processes that ran
/// meanwhile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct BlockedProcess {
    /// The name of the delayed process: it had work but no waves on the device.
    pub victim: String,
    /// The other processes that had waves on the device while the victim had work but no waves.
    pub by: Vec<BlockedBy>,
}

/// A process that had waves on the device while a delayed process (the victim) had none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct BlockedBy {
    /// The name of the process that had waves on the device while the victim had none.
    pub process: String,
    /// The time in ns for which this process had waves on the device while the victim waited; where
    /// several processes ran, the time counts for each of them.
    pub ns: u64,
}

/// The activity of a process at one moment. A process without waves on the device counts by the
/// launch that has come furthest: submitted before ready, ready before issued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Doing {
    /// The process has no launch or copy that was issued and has not ended: the device waits for
    /// its host.
    #[default]
    Host,
    /// All issued work of the process waits for other work to end, or is a copy.
    Dependency,
    /// A launch of the process is ready, but is not submitted to the device, or is kept from
    /// running after a preemption.
    Turn,
    /// A launch of the process is submitted to the device, but none of its waves runs.
    Room,
    /// The process has waves on the device.
    Runs,
}

impl Doing {
    /// Returns the activity of a process with `waves` waves on the device and, among its unfinished
    /// launches, `placed` that are submitted and may run, `ready` that are ready, and `issued` that
    /// the host has issued.
    #[must_use]
    pub const fn of(waves: u64, placed: u64, ready: u64, issued: u64) -> Self {
        match () {
            () if waves > 0 => Self::Runs,
            () if placed > 0 => Self::Room,
            () if ready > 0 => Self::Turn,
            () if issued > 0 => Self::Dependency,
            () => Self::Host,
        }
    }
}

/// The activities of all processes and the load of the device, which hold for a span of time
/// without a change.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Standings {
    /// The number of processes with each activity; the index is the number of the variant of
    /// [`Doing`].
    pub(crate) doing: [u32; 5],
    /// The number of waves that all processes together have on the device now.
    pub(crate) waves: u64,
    /// The number of running copies, not counting copies within the device's memory.
    pub(crate) copies: u32,
    /// The number of running copies within the device's memory: they keep the device busy, and take
    /// no wave slots.
    pub(crate) inside: u32,
}

impl Standings {
    /// Returns the number of processes that have waves on the device.
    pub(crate) const fn running(&self) -> u32 {
        self.doing[Doing::Runs as usize]
    }
}

/// A clock that adds up the time of the device, split by how full the device was.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeviceClock {
    now: DeviceTime,
    now_wave_ns: u128,
    /// The times (`now`) at the last call of `mark`, and `window_wave_ns` the value of
    /// `now_wave_ns` then. That call is at the end of the makespan; later time is not in the
    /// results.
    window: DeviceTime,
    window_wave_ns: u128,
}

impl DeviceClock {
    /// Adds a span of `ns` nanoseconds, in which `at` has the activities of the processes, on a
    /// device of `slots` wave slots.
    pub(crate) fn pass(&mut self, ns: u64, at: &Standings, slots: u64) {
        let now = &mut self.now;
        now.window_ns += ns;
        self.now_wave_ns += u128::from(at.waves) * u128::from(ns);
        let [_, dependency, turn, room, running] = at.doing;
        let field = match () {
            () if running > 0 && at.waves * 4 < slots => &mut now.under_quarter_ns,
            () if running > 0 && at.waves * 4 <= slots * 3 => &mut now.to_three_quarters_ns,
            () if running > 0 => &mut now.above_ns,
            () if at.inside > 0 => &mut now.copying_inside_ns,
            () if room > 0 => &mut now.idle_room_ns,
            () if turn > 0 => &mut now.idle_turn_ns,
            () if dependency > 0 && at.copies > 0 => &mut now.idle_copies_ns,
            () if dependency > 0 => &mut now.idle_dependency_ns,
            () => &mut now.idle_host_ns,
        };
        *field += ns;
    }

    /// Makes the present moment the end of the makespan: time after it is not in the results,
    /// although the run may go on.
    pub(crate) fn mark(&mut self) {
        (self.window, self.window_wave_ns) = (self.now, self.now_wave_ns);
    }

    /// Returns (times of the device, wave-slot time used in wave-ns), both up to the last call of
    /// `mark`.
    pub(crate) const fn finish(self) -> (DeviceTime, u128) {
        (self.window, self.window_wave_ns)
    }
}
