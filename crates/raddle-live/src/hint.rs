//! What may a program say of itself while it runs, and what may others say of it?

use raddle_policy::{Hint, Level, Ticks};
use serde::{Deserialize, Serialize};

/// Hint about a running program, which the daemon's policies take into account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LiveHint {
    /// Priority level (urgency) of the program; 0 is the most urgent.
    Level(Level),
    /// Share of the program: where the device is divided fairly, a program with the share 2 gets
    /// twice the time of one with the share 1. 0 counts as 1, the share of a program that has just
    /// joined.
    Share(u32),
    /// Hint of one of the kinds that policies can read, such as a deadline.
    #[serde(untagged)]
    Policy(Hint),
}

impl LiveHint {
    /// Returns the hint for the number of its kind, as callers in C give it: 0 priority (a level),
    /// 1 deadline and 2 laxity (nanoseconds), 3 utilisation (percent), 4 custom, 5 level, 6 share.
    /// `None` for another number, or a value that is too large for the kind.
    #[must_use]
    pub fn by_number(kind: u32, value: u64) -> Option<Self> {
        let level = || u8::try_from(value).ok().map(Level);
        Some(match kind {
            0 => Self::Policy(Hint::Priority(level()?)),
            1 => Self::Policy(Hint::Deadline(Ticks(value))),
            2 => Self::Policy(Hint::Laxity(Ticks(value))),
            3 => Self::Policy(Hint::Utilisation(u16::try_from(value).ok()?)),
            4 => Self::Policy(Hint::Custom(value)),
            5 => Self::Level(level()?),
            6 => Self::Share(u32::try_from(value).ok()?),
            _ => return None,
        })
    }

    /// Returns this hint; a level in it that is more urgent than `most` is replaced by `most`.
    pub(crate) fn at_most(self, most: Level) -> Self {
        match self {
            Self::Level(level) => Self::Level(Level(level.0.max(most.0))),
            Self::Policy(Hint::Priority(level)) => {
                Self::Policy(Hint::Priority(Level(level.0.max(most.0))))
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_spelled_like_those_of_policies() {
        let told = |hint: LiveHint| {
            let text = serde_json::to_string(&hint).unwrap();
            assert_eq!(serde_json::from_str::<LiveHint>(&text).unwrap(), hint);
            text
        };
        assert_eq!(told(LiveHint::Level(Level(3))), "{\"level\":3}");
        assert_eq!(told(LiveHint::Share(2)), "{\"share\":2}");
        assert_eq!(told(LiveHint::Policy(Hint::Custom(1))), "{\"custom\":1}");
        assert!(serde_json::from_str::<LiveHint>("{\"slice\":1}").is_err());
    }

    #[test]
    fn every_kind_has_a_number() {
        let all: Vec<_> = (0..7).map_while(|kind| LiveHint::by_number(kind, 9)).collect();
        assert_eq!((all.len(), all[5], all[6]), (7, LiveHint::Level(Level(9)), LiveHint::Share(9)));
        for (kind, value) in [(7, 0), (0, 256), (3, 1 << 16), (5, 256), (6, 1 << 32)] {
            assert_eq!(LiveHint::by_number(kind, value), None);
        }
    }

    #[test]
    fn no_level_is_more_urgent_than_is_granted() {
        let priority = |level| LiveHint::Policy(Hint::Priority(Level(level)));
        assert_eq!(LiveHint::Level(Level(3)).at_most(Level(5)), LiveHint::Level(Level(5)));
        assert_eq!(priority(0).at_most(Level(5)), priority(5));
        assert_eq!(priority(9).at_most(Level(5)), priority(9));
    }
}
