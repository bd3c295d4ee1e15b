//! What did each process and the whole device spend their time on?
//!
//! Whole nanoseconds, summed up between changes. A process does one thing at a time: it runs, alone
//! or beside others; else the most advanced of its launches says what it waits for.

use serde::{Deserialize, Serialize};

/// Time by what it was spent on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TimeSpent {
    /// Time behind earlier requests of the same process.
    pub behind_ns: u64,
    /// Time in which nothing was issued.
    pub host_ns: u64,
    /// Time in which all that was issued waited for other work, or was a copy.
    pub dependency_ns: u64,
    /// Time in which a launch was ready and the dispatcher held it.
    pub turn_ns: u64,
    /// Time in which a launch was submitted and had no room.
    pub room_ns: u64,
    /// Time with waves on the device while other processes had some too.
    pub beside_ns: u64,
    /// Time in which the process alone had waves on the device.
    pub alone_ns: u64,
}

impl TimeSpent {
    /// Returns the time spent since `before`.
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
    /// Empty, and nothing was ready, as a copy ran that was none inside the device.
    #[serde(default)]
    pub idle_copies_ns: u64,
    /// Empty, and all that was issued waited for other work.
    pub idle_dependency_ns: u64,
    /// Empty, and the dispatcher held every launch that was ready.
    pub idle_turn_ns: u64,
    /// Empty, although a launch was submitted.
    pub idle_room_ns: u64,
    /// Without waves, and a copy inside the device kept it busy.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub copying_inside_ns: u64,
    /// With less than a quarter of the wave slots used.
    pub under_quarter_ns: u64,
    /// With up to three quarters of them used.
    pub to_three_quarters_ns: u64,
    /// With more of them used.
    pub above_ns: u64,
}

impl DeviceTime {
    /// The share of the window in which the device was empty, 0 to 1.
    #[must_use]
    pub fn idle(&self) -> f64 {
        let full = self.under_quarter_ns + self.to_three_quarters_ns + self.above_ns;
        let busy = full + self.copying_inside_ns;
        self.share(self.window_ns - busy.min(self.window_ns))
    }

    /// The share of the window in which the device was empty and no host had issued anything, 0 to
    /// 1.
    #[must_use]
    pub fn idle_host(&self) -> f64 {
        self.share(self.idle_host_ns)
    }

    /// The share of the window in which the device was empty while work waited for a copy, 0 to 1.
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

/// The processes that ran while another one had work but no waves on the device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct BlockedProcess {
    /// The name of the process that had no waves.
    pub victim: String,
    /// The other processes that ran meanwhile.
    pub by: Vec<BlockedBy>,
}

/// A process that ran while another one waited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct BlockedBy {
    /// The name of the process that ran.
    pub process: String,
    /// How long the process ran meanwhile; where several ran, the time counts for each.
    pub ns: u64,
}

/// The activity of a process. While no wave of it runs, the most advanced of its launches decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Doing {
    /// The host has issued nothing that has not ended.
    #[default]
    Host,
    /// All that was issued waits for other work, or is a copy.
    Dependency,
    /// A launch is ready and not submitted, or held.
    Turn,
    /// A launch is submitted, and nothing of the process runs.
    Room,
    /// The process has waves on the device.
    Runs,
}

impl Doing {
    /// Returns what a process does, by its waves on the device, and by how many of its launches
    /// that have not ended are submitted and not held, are ready, and are issued.
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

/// The activity of all processes between two changes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Standings {
    /// How many processes do what, by `Doing`.
    pub(crate) doing: [u32; 5],
    /// Waves on the device.
    pub(crate) waves: u64,
    /// Copies that run, but for those inside the device.
    pub(crate) copies: u32,
    /// Copies inside the device that run: they keep it busy, and take no wave slots.
    pub(crate) inside: u32,
}

impl Standings {
    /// Returns how many processes run.
    pub(crate) const fn running(&self) -> u32 {
        self.doing[Doing::Runs as usize]
    }
}

/// Sums up the time of the device.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeviceClock {
    now: DeviceTime,
    now_wave_ns: u128,
    /// `now` and `now_wave_ns` as they were where the window ends, so far.
    window: DeviceTime,
    window_wave_ns: u128,
}

impl DeviceClock {
    /// Adds a span of `ns` during which processes stand as `at` says, on a device of `slots` wave
    /// slots.
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

    /// Extends the window until now.
    pub(crate) fn mark(&mut self) {
        (self.window, self.window_wave_ns) = (self.now, self.now_wave_ns);
    }

    /// The time of the window, and the wave-slot time used in it.
    pub(crate) const fn finish(self) -> (DeviceTime, u128) {
        (self.window, self.window_wave_ns)
    }
}
