//! What does a driver declare about its runtime, and how is a controller set?

use crate::abilities::Abilities;

/// The properties of its runtime that a driver declares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct Declared {
    /// The methods that the runtime has.
    pub abilities: Abilities,
    /// True if a launch tests the flag once, before its first workgroup, and then runs or leaves as
    /// a whole (A6). False if each workgroup tests it: then launches that may not be run again are
    /// not flagged, because the flag could stop them part-way.
    pub latched: bool,
    /// True if work that does not test the flag and has not begun (a copy, an event) can be taken
    /// out of the runtime when the work before it in its stream leaves. False if the runtime would
    /// run it then: in that case the work before it in its stream does not leave.
    pub withdraws: bool,
    /// The launches that a reset kills.
    pub scope: ResetScope,
}

/// The launches that a reset kills (A11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ResetScope {
    /// Single launches of one process. No public runtime offers this. The check before such a reset
    /// is that for a process.
    Launch,
    /// The running launches of single streams: of each stream whose launches may all be killed; the
    /// others are waited for.
    Queue,
    /// The launches of one process.
    Process,
    /// All running launches in the process's part of the device
    /// ([`place`](crate::Controller::place)).
    Partition,
    /// All running launches on the device.
    #[default]
    Device,
}

impl ResetScope {
    /// Returns whether the launches of other processes may be hit.
    #[must_use]
    pub const fn is_shared(self) -> bool {
        matches!(self, Self::Partition | Self::Device)
    }
}

/// The most kills of a launch, where somebody must choose: programs that run live, and recipes
/// whose turns end by time. A choice of this workspace; the seed has no bound.
pub const MOST_KILLS: u32 = 3;

/// The settings of a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct ControllerConfig {
    /// Launches of one process that are in the runtime at a time, over all its streams (S2.3).
    pub window: u32,
    /// The most launches of one process that wait in its buffer queues, over all its streams; a
    /// further one is answered [`Capture::Full`](crate::Capture::Full). `None` is no bound.
    pub most_waiting: Option<u32>,
    /// The rule of minimum progress: a launch that was killed this many times runs to its end. Off
    /// by default: in the seed, a launch that is longer than the time between two preemptions never
    /// ends.
    ///
    /// Where each workgroup tests the flag ([`Declared::latched`] is `false`), leaving by the flag
    /// counts as well, but only for a launch reported as [started](crate::Controller::started): one
    /// that has not begun has lost nothing. Without reports of starts the rule counts resets alone.
    pub most_kills: Option<u32>,
}

impl Default for ControllerConfig {
    fn default() -> Self {
        Self { window: 8, most_waiting: None, most_kills: None }
    }
}
