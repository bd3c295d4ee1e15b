//! Which rules must a decision log keep, and how often and where first was each broken?

use std::collections::BTreeMap;
use std::fmt;

/// A rule of preemption that a decision log either keeps or breaks, by its number and name:
///
/// 1. `window`: a process has at most as many launches submitted and unfinished as its submission
///    window allows.
/// 2. `turn`: a process submits and restores launches only while it has the turn (the right to
///    issue launches).
/// 3. `pause`: a process has one preemption under way at a time. The preemption is over when each
///    submitted launch of the process has ended, has gone back to the buffer, or is held or saved.
///    Until then the process submits and restores no launch; if its work is to be held or saved
///    (drain, switch), its launches start only workgroups that were already assigned to a compute
///    unit.
/// 4. `order`: no launch of a stream is submitted or begins while a launch of the stream that was
///    issued earlier waits in the buffer, or is on its way back there. So launches that came back
///    go first, in their order of issue.
/// 5. `once`: a launch is submitted only from the buffer, begins only when it is submitted and
///    ready, and runs each workgroup once, except workgroups that were killed.
/// 6. `lost`: every launch of a process ends or is refused before the process leaves.
/// 7. `stopped`: no launch is killed part-way that must not run again. A reset kills only if every
///    submitted launch of the process that does not leave by the preemption flag is idempotent,
///    and was killed less often than the recipe allows. A launch that has begun does not leave by
///    the flag.
/// 8. `reset`: a process is reset only while it has a submitted launch, and a launch is killed
///    only if its process sees a raised preemption flag.
/// 9. `units`: from a reset on, no launch starts on the compute units that are reset, until all
///    launches of the process have left the device. Where single streams are reset, this ends when
///    the reset is over, as the other streams of the process must be able to end.
/// 10. `flag`: only launches for which a preemption flag was raised (each launch tests it at its
///     start) leave by the flag. A flag is raised only when every submit call has returned, and
///     lowered before the process submits again.
/// 11. `reached`: when a host is told that a launch has ended, that launch and all launches of the
///     process that were issued before it have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogRule(u8);

const NAMES: [&str; 11] = [
    "window", "turn", "pause", "order", "once", "lost", "stopped", "reset", "units", "flag",
    "reached",
];

impl LogRule {
    pub(crate) const WINDOW: Self = Self(0);
    pub(crate) const TURN: Self = Self(1);
    pub(crate) const PAUSE: Self = Self(2);
    pub(crate) const ORDER: Self = Self(3);
    pub(crate) const ONCE: Self = Self(4);
    pub(crate) const LOST: Self = Self(5);
    pub(crate) const STOPPED: Self = Self(6);
    pub(crate) const RESET: Self = Self(7);
    pub(crate) const UNITS: Self = Self(8);
    pub(crate) const FLAG: Self = Self(9);
    pub(crate) const REACHED: Self = Self(10);

    /// The rules of a decision log, in the order of their numbers.
    pub const ALL: [Self; 11] = [
        Self::WINDOW,
        Self::TURN,
        Self::PAUSE,
        Self::ORDER,
        Self::ONCE,
        Self::LOST,
        Self::STOPPED,
        Self::RESET,
        Self::UNITS,
        Self::FLAG,
        Self::REACHED,
    ];

    /// Returns the number of the rule of decision logs, from 1, by which the documentation names
    /// the rule.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0 as u32 + 1
    }

    /// Returns the name of this rule of decision logs: one word, such as `window`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        NAMES[self.0 as usize]
    }
}

impl fmt::Display for LogRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule {} ({})", self.number(), self.name())
    }
}

/// The breaks of one rule by a decision log: their number, and the first of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenRule {
    pub(crate) count: u64,
    pub(crate) line: usize,
    pub(crate) what: String,
}

impl BrokenRule {
    /// Returns the number of times that the decision log breaks the rule.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Returns the number of the first line of the decision log that breaks the rule, from 1.
    #[must_use]
    pub const fn line(&self) -> usize {
        self.line
    }

    /// Returns a description of how the decision log breaks the rule the first time.
    #[must_use]
    pub fn what(&self) -> &str {
        &self.what
    }
}

/// The result of checking a decision log: the number of lines read, and the rules that the log
/// breaks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckedLog {
    pub(crate) events: u64,
    pub(crate) answers: u64,
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

    /// Returns the number of event lines that were read from the decision log.
    #[must_use]
    pub const fn events(&self) -> u64 {
        self.events
    }

    /// Returns the number of answer lines that were read from the decision log.
    #[must_use]
    pub const fn answers(&self) -> u64 {
        self.answers
    }

    /// Returns the rules that the decision log breaks, each with the number of times and the first
    /// line; empty where the log keeps all rules.
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
