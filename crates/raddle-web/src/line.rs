//! Of which lines does an answer consist?

use serde::Serialize;

/// A line of an answer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum AnswerLine<'l> {
    /// The progress: how many of how many bytes or launches are done.
    Progress { what: &'l str, done: u64, of: u64 },
    /// The profiles that were read.
    Profiles(Vec<ProfileFound>),
    /// The result of the study.
    Report { summary: &'l str, page: &'l str },
    /// The reason why there is no result.
    Error(&'l str),
}

/// A profile, as a page shows it before it is replayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProfileFound {
    /// The name of the profile in results, requests and goals.
    pub name: String,
    /// The device that the profile was recorded on, if that is known.
    pub device: Option<String>,
    /// The number of kernel launches.
    pub launches: u64,
    /// The time from the first to the last time of the profile, in nanoseconds.
    pub span_ns: u64,
}
