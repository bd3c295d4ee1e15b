//! How are rules and values said of profiles?

use raddle_trace::{IdempotenceRule, PriorityRule, TraceError};
use serde::{Deserialize, Serialize};

/// A value for one of the profiles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Named<T> {
    /// The profile, by its name or file.
    pub file: String,
    /// What it is given.
    pub value: T,
}

/// A priority rule and how it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Rule {
    /// As it was written: `GLOB[:stream N]=LEVEL`.
    pub text: String,
    /// What that means.
    pub rule: PriorityRule,
}

/// A rule of idempotence and how it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct IdempotenceClaim {
    /// As it was written: `GLOB=yes|no|unknown`.
    pub text: String,
    /// What that means.
    pub rule: IdempotenceRule,
}

impl TryFrom<String> for Rule {
    type Error = TraceError;

    fn try_from(text: String) -> Result<Self, TraceError> {
        let rule = text.parse()?;
        Ok(Self { text, rule })
    }
}

impl TryFrom<String> for IdempotenceClaim {
    type Error = TraceError;

    fn try_from(text: String) -> Result<Self, TraceError> {
        let rule = text.parse()?;
        Ok(Self { text, rule })
    }
}

impl From<Rule> for String {
    fn from(rule: Rule) -> Self {
        rule.text
    }
}

impl From<IdempotenceClaim> for String {
    fn from(claim: IdempotenceClaim) -> Self {
        claim.text
    }
}
