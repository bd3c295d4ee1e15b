//! Of which lines of JSON does the answer to a web page's study consist?

use serde::Serialize;

/// A line of JSON that raddle sends to a web page that has asked for a study.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum AnswerLine<'l> {
    /// Progress of one part of the study: `done` of its `of` bytes or launches are done; `what`
    /// names the part.
    Progress { what: &'l str, done: u64, of: u64 },
    /// Facts about the profiles that the page sent, where it asks only for these and for no replay.
    Profiles(Vec<ProfileFound>),
    /// Result of the study: the text of `summary.json`, and the report as an HTML page.
    Report { summary: &'l str, page: &'l str },
    /// Sentence that says why the study has no result.
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
    /// Time from the start of the first op to the end of the last op of the profile, in
    /// nanoseconds.
    pub span_ns: u64,
}
