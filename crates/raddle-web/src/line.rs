//! Of which lines does an answer consist?

use serde::Serialize;

/// A line of an answer to a page, as JSON.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum AnswerLine<'l> {
    /// Progress of a part of the study: `done` of `of` bytes or launches are done; `what` names
    /// that part.
    Progress { what: &'l str, done: u64, of: u64 },
    /// Facts about the profiles that came with the question, where it asks for them alone.
    Profiles(Vec<ProfileFound>),
    /// Result of the study: the text of `summary.json`, and the report as an HTML page.
    Report { summary: &'l str, page: &'l str },
    /// Reason why there is no result, in a sentence.
    Error(&'l str),
}

/// Facts about a profile that a page shows before the replay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProfileFound {
    /// Name of the profile in results, requests and goals.
    pub name: String,
    /// Product name of the device that the profile was recorded on; `None` where it is not known.
    pub device: Option<String>,
    /// Number of kernel launches in the profile.
    pub launches: u64,
    /// Time from the first to the last time of the profile, in nanoseconds.
    pub span_ns: u64,
}
