//! Does a recipe meet all goals, miss one, or do the error bounds of its figures leave that open?

/// Judgement of all goals together under one recipe (way of sharing the device): met, missed, or
/// left open by the error bounds of the figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalsJudged {
    /// Every goal is met, even where the figure of each goal is as large as its error bounds allow.
    Met,
    /// Every goal is met, but the error bounds of the figure of at least one goal reach above the
    /// goal's limit.
    MayMiss,
    /// At least one goal is missed, but the error bounds of the figure of each missed goal reach
    /// below the goal's limit.
    MayMeet,
    /// At least one goal is missed, even where its figure is as small as its error bounds allow.
    Missed,
}

impl GoalsJudged {
    /// Judges all goals of a recipe together, each given as (true if its figure meets the goal,
    /// true if that is certain). It is certain where the error bounds of the figure lie on one side
    /// of the limit.
    pub fn of(goals: impl Iterator<Item = (bool, bool)>) -> Self {
        let mut judged = Self::Met;
        for (met, sure) in goals {
            judged = match (judged, met, sure) {
                (Self::Missed, ..) | (_, false, true) => return Self::Missed,
                (_, false, false) | (Self::MayMeet, ..) => Self::MayMeet,
                (Self::MayMiss, ..) | (_, true, false) => Self::MayMiss,
                (Self::Met, true, true) => Self::Met,
            };
        }
        judged
    }

    /// Returns whether every figure meets its goal, if the error bounds of figures are ignored.
    #[must_use]
    pub const fn is_met(self) -> bool {
        matches!(self, Self::Met | Self::MayMiss)
    }

    /// Returns whether the judgement holds for all values that the error bounds of the figures
    /// allow.
    #[must_use]
    pub const fn is_sure(self) -> bool {
        matches!(self, Self::Met | Self::Missed)
    }

    /// Returns the words for the judgement in tables, such as "may miss".
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::MayMiss => "may miss",
            Self::MayMeet => "may meet",
            Self::Missed => "missed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_that_is_surely_missed_decides() {
        let of = |goals: &[(bool, bool)]| GoalsJudged::of(goals.iter().copied()).words();
        assert_eq!(of(&[(true, true), (true, true)]), "met");
        assert_eq!(of(&[(true, false), (true, true)]), "may miss");
        assert_eq!(of(&[(true, true), (false, false)]), "may meet");
        assert_eq!(of(&[(false, false), (true, false)]), "may meet");
        assert_eq!(of(&[(true, false), (false, true)]), "missed");
        assert_eq!(of(&[(false, true), (false, false)]), "missed");
    }
}
