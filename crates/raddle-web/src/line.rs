//! Of which lines does an answer consist?

use serde::Serialize;

/// A line of an answer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum AnswerLine<'l> {
    /// How far it is: so much of so much, bytes or launches.
    Progress { what: &'l str, done: u64, of: u64 },
    /// What was read.
    Profiles(Vec<ProfileFound>),
    /// What came of it.
    Report { summary: &'l str, page: &'l str },
    /// Why nothing came of it.
    Error(&'l str),
}

/// A profile, as a page shows it before it is replayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProfileFound {
    /// Its name in results, requests and goals.
    pub name: String,
    /// The device it was recorded on, if that is known.
    pub device: Option<String>,
    /// How many kernels were launched.
    pub launches: u64,
    /// From its first time to its last, in nanoseconds.
    pub span_ns: u64,
}
