//! Which rules must a decision log keep, and how often and where first was each broken?

use std::collections::BTreeMap;
use std::fmt;

/// A rule of preemption that a decision log either keeps or breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LogRule {
    /// 1: a process has at most as many launches submitted and unfinished as its submission window
    /// allows.
    Window,
    /// 2: a process submits and restores launches only while it has the turn (the right to issue
    /// launches).
    Turn,
    /// 3: a process has one preemption under way at a time. The preemption is over when each
    /// submitted launch of the process has ended, has gone back to the buffer, or is held or saved.
    /// Until then the process submits and restores no launch; if its work is to be held or saved
    /// (drain, switch), its launches start only workgroups that were already assigned to a compute
    /// unit.
    Pause,
    /// 4: no launch of a stream is submitted or begins while a launch of the stream that was issued
    /// earlier waits in the buffer, or is on its way back there. So launches that came back go
    /// first, in their order of issue.
    Order,
    /// 5: a launch is submitted only from the buffer, begins only when it is submitted and ready,
    /// and runs each workgroup once, except workgroups that were killed.
    Once,
    /// 6: every launch of a process ends or is refused before the process leaves.
    Lost,
    /// 7: no launch is killed part-way that must not run again. A reset kills only if every
    /// submitted launch of the process that does not leave by the preemption flag is idempotent,
    /// and was killed less often than the recipe allows. A launch that has begun does not leave by
    /// the flag.
    Stopped,
    /// 8: a process is reset only while it has a submitted launch, and a launch is killed only if
    /// its process sees a raised preemption flag.
    Reset,
    /// 9: from a reset on, no launch starts on the compute units that are reset, until all launches
    /// of the process have left the device. Where single streams are reset, this ends when the
    /// reset is over, as the other streams of the process must be able to end.
    Units,
    /// 10: only launches for which a preemption flag was raised (each launch tests it at its start)
    /// leave by the flag. A flag is raised only when every submit call has returned, and lowered
    /// before the process submits again.
    Flag,
    /// 11: when a host is told that a launch has ended, that launch and all launches of the process
    /// that were issued before it have ended.
    Reached,
}

impl LogRule {
    /// The rules of a decision log, in the order of their numbers.
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

    /// Returns the number of the rule, from 1, by which the documentation names it.
    #[must_use]
    pub const fn number(self) -> u32 {
        self as u32 + 1
    }

    /// Returns the name of the rule, which is one word.
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

/// A rule that a log breaks, with how often and where it does so first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenRule {
    /// The number of times that the log breaks the rule.
    pub(crate) count: u64,
    /// The number of the first line that breaks the rule, from 1.
    pub(crate) line: usize,
    /// A description of how the log breaks the rule the first time.
    pub(crate) what: String,
}

impl BrokenRule {
    /// Returns the number of times that the log breaks the rule.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Returns the number of the first line that breaks the rule, from 1.
    #[must_use]
    pub const fn line(&self) -> usize {
        self.line
    }

    /// Returns a description of how the log breaks the rule the first time.
    #[must_use]
    pub fn what(&self) -> &str {
        &self.what
    }
}

/// The result of checking a decision log: the number of lines read, and the rules that the log
/// breaks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckedLog {
    /// The number of event lines that were read from the log.
    pub(crate) events: u64,
    /// The number of answer lines that were read from the log.
    pub(crate) answers: u64,
    /// The rules that the log breaks, each with the number of times and the first line; empty where
    /// the log keeps all rules.
    pub(crate) broken: BTreeMap<LogRule, BrokenRule>,
}

impl CheckedLog {
    /// Returns this result with the numbers of event lines and answer lines replaced by those that
    /// the caller has counted.
    #[must_use]
    #[doc(hidden)]
    pub fn counted(self, events: u64, answers: u64) -> Self {
        Self { events, answers, ..self }
    }

    /// Returns the number of event lines that were read from the log.
    #[must_use]
    pub const fn events(&self) -> u64 {
        self.events
    }

    /// Returns the number of answer lines that were read from the log.
    #[must_use]
    pub const fn answers(&self) -> u64 {
        self.answers
    }

    /// Returns the rules that the log breaks, each with the number of times and the first line;
    /// empty where the log keeps all rules.
    #[must_use]
    pub const fn broken(&self) -> &BTreeMap<LogRule, BrokenRule> {
        &self.broken
    }
}

impl CheckedLog {
    pub(super) fn note(&mut self, rule: LogRule, line: usize, what: impl FnOnce() -> String) {
        let first = || BrokenRule { count: 0, line, what: what() };
        self.broken.entry(rule).or_insert_with(first).count += 1;
    }
}
