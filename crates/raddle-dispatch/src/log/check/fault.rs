//! Which rules are there, and which were broken, where first?

use std::collections::BTreeMap;
use std::fmt;

/// A rule of the controller that a log either keeps or breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LogRule {
    /// 1: a process has at most as many launches submitted and unfinished as its window holds.
    Window,
    /// 2: a process submits only while it has the turn.
    Turn,
    /// 3: one preemption of a process is under way at a time. It is over when all that the process had
    /// in the runtime has ended, come back, or is held or saved; until then the process submits and
    /// restores nothing, and what is held or saved starts nothing but what was bound to a compute unit.
    Pause,
    /// 4: of one stream nothing is submitted and nothing begins while a launch that was issued before
    /// waits in the buffer. So what came back goes first, in its order.
    Order,
    /// 5: a launch is submitted when it is in the buffer, begins when it is submitted and ready, and
    /// its workgroups run once, but for those that were killed.
    Once,
    /// 6: every launch ends or is refused, before its process leaves.
    Lost,
    /// 7: nothing is stopped part-way that may not be run again: a reset comes only where every launch of
    /// the process that is in the runtime and does not leave by the flag is idempotent and was not
    /// killed as often as the recipe allows; who has begun does not leave by the flag.
    Stopped,
    /// 8: a reset comes when something of the process is in the runtime, and nothing is killed whose
    /// process does not see a raised flag.
    Reset,
    /// 9: from a reset on nobody starts on the compute units that it resets, until all of its
    /// process have left the runtime; where single streams are reset, until the reset is over, as
    /// the other streams of the process must be able to end.
    Units,
    /// 10: by the flag leaves only what a raised flag holds. A flag is raised when every submit call
    /// has returned, and lowered before anything is submitted again.
    Flag,
    /// 11: a host that was told that a launch has been reached finds it and all before it ended.
    Reached,
}

impl LogRule {
    /// Every rule, by its number.
    pub const ALL: [Self; 11] = [
        Self::Window,
        Self::Turn,
        Self::Pause,
        Self::Order,
        Self::Once,
        Self::Lost,
        Self::Stopped,
        Self::Reset,
        Self::Units,
        Self::Flag,
        Self::Reached,
    ];

    /// Returns the number of the rule in the documentation, from 1.
    #[must_use]
    pub const fn number(self) -> u32 {
        self as u32 + 1
    }

    /// Returns the name of the rule.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Window => "window",
            Self::Turn => "turn",
            Self::Pause => "pause",
            Self::Order => "order",
            Self::Once => "once",
            Self::Lost => "lost",
            Self::Stopped => "stopped",
            Self::Reset => "reset",
            Self::Units => "units",
            Self::Flag => "flag",
            Self::Reached => "reached",
        }
    }
}

impl fmt::Display for LogRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule {} ({})", self.number(), self.name())
    }
}

/// A rule that was broken: how often, and where first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenRule {
    /// The number of times.
    pub count: u64,
    /// The number of the first line that breaks the rule, from 1.
    pub line: usize,
    /// A description of how that line breaks the rule.
    pub what: String,
}

/// The result of checking a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckedLog {
    /// The number of events read.
    pub events: u64,
    /// The number of answers read.
    pub answers: u64,
    /// The rules that were broken; none where the log is right.
    pub broken: BTreeMap<LogRule, BrokenRule>,
}

impl CheckedLog {
    pub(super) fn note(&mut self, rule: LogRule, line: usize, what: impl FnOnce() -> String) {
        let first = || BrokenRule { count: 0, line, what: what() };
        self.broken.entry(rule).or_insert_with(first).count += 1;
    }
}
