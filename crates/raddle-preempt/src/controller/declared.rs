//! What does a driver declare about its runtime, and which settings does a controller have?

use crate::abilities::Abilities;

/// Properties of a runtime, as its driver declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct Declared {
    /// Methods that the runtime has for taking work off the device.
    pub abilities: Abilities,
    /// True if a launch tests the preemption flag once, before its first workgroup, and then runs
    /// or leaves as a whole (seed 001, A6). False if each workgroup tests it; then the flag could
    /// stop a launch part-way, so it is not raised for launches that must not be run again.
    pub latched: bool,
    /// True if work that does not test the preemption flag (a copy, an event) and has not begun can
    /// be taken out of the runtime when the work before it in its stream leaves. If false, the
    /// runtime would run that work too early; therefore the work before it in its stream stays as
    /// well.
    pub withdraws: bool,
    /// Extent of a reset in the runtime: which running launches it kills.
    pub scope: ResetScope,
}

/// Extent of a reset: the running launches that it kills (seed 001, A11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ResetScope {
    /// A reset kills single launches of one process, which no public runtime offers. Before such a
    /// reset the controller checks the same launches as under [`ResetScope::Process`].
    Launch,
    /// A reset kills the running launches of single streams: of each stream in which every launch
    /// may be killed. The preemption waits for the launches of the other streams.
    Queue,
    /// A reset kills every running launch of one process, and no other launch.
    Process,
    /// A reset kills all running launches in the part of the device that the process is in
    /// ([`place`](crate::Controller::place)), including those of other processes there.
    Partition,
    /// A reset kills all running launches on the device.
    #[default]
    Device,
}

impl ResetScope {
    /// Returns whether a reset of this extent may also kill launches of other processes.
    #[must_use]
    #[doc(hidden)]
    pub const fn is_shared(self) -> bool {
        matches!(self, Self::Partition | Self::Device)
    }
}

/// Limit on the kills of one launch, for programs that must choose one: those that run live, and
/// recipes (choices of policies) in which turns end by time. The value is this project's own
/// choice; the patent (seed 001) has no limit.
pub const MOST_KILLS: u32 = 3;

/// Settings of a controller: limits on the launches of one process and on their kills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct ControllerConfig {
    /// Largest number of launches of one process that are in the runtime at a time, over all its
    /// streams (seed 001, S2.3).
    pub(crate) window: u32,
    /// Most launches of one process that wait in its buffer queues, over all its streams; a further
    /// launch is answered with [`Capture::Full`](crate::Capture::Full). `None` is no limit.
    pub(crate) most_waiting: Option<u32>,
    /// Number of kills after which a launch is not killed again and runs to its end. `None`, the
    /// default and the rule of the patent (seed 001), is no limit: then a launch that takes longer
    /// than the time between two preemptions never ends.
    ///
    /// Where each workgroup tests the preemption flag ([`Declared::latched`] is `false`), a launch
    /// that leaves by the flag also counts as killed, but only if it was reported as
    /// started: a launch that has not begun has lost no work. If the
    /// driver never reports starts, only resets count.
    pub(crate) most_kills: Option<u32>,
}

impl ControllerConfig {
    /// Returns the largest number of launches of one process that are in the runtime at a time.
    #[must_use]
    pub const fn window(&self) -> u32 {
        self.window
    }

    /// Returns the number of kills after which a launch is not killed again; `None` is no limit.
    #[must_use]
    pub const fn most_kills(&self) -> Option<u32> {
        self.most_kills
    }

    /// Sets the largest number of launches of one process that are in the runtime at a time, over
    /// all its streams (seed 001, S2.3).
    #[must_use]
    pub const fn with_window(mut self, window: u32) -> Self {
        self.window = window;
        self
    }

    /// Sets the most launches of one process that wait in its buffer queues, over all its streams;
    /// a further launch is answered with [`Capture::Full`](crate::Capture::Full). `None` is no
    /// limit.
    #[must_use]
    pub const fn with_most_waiting(mut self, most_waiting: Option<u32>) -> Self {
        self.most_waiting = most_waiting;
        self
    }

    /// Sets the number of kills after which a launch is not killed again and runs to its end.
    /// `None`, the default and the rule of the patent (seed 001), is no limit: then a launch that
    /// takes longer than the time between two preemptions never ends. Where each workgroup
    /// tests the preemption flag ([`Declared::latched`] is `false`), a launch that leaves by the
    /// flag also counts as killed, but only if it was reported as started: a launch that has not
    /// begun has lost no work. If the driver never reports starts, only resets count.
    #[must_use]
    pub const fn with_most_kills(mut self, most_kills: Option<u32>) -> Self {
        self.most_kills = most_kills;
        self
    }
}

impl Default for ControllerConfig {
    fn default() -> Self {
        Self { window: 8, most_waiting: None, most_kills: None }
    }
}
