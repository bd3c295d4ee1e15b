//! Which keys does each document of `--format json` have, and in which version? The verb `schema`.

mod keys;

use keys::KeyList;
use raddle_report::json;
use raddle_study::{NextCommand, meant};
use serde::Serialize;

use crate::Console;
use crate::args::Format;
use crate::error::CliError;

/// JSON documents that raddle prints, each as (name, text that lists its keys).
const DOCUMENTS: [(&str, &str); 32] = [
    ("replay", include_str!("../schemas/replay.keys")),
    ("tune", include_str!("../schemas/tune.keys")),
    ("sweep", include_str!("../schemas/sweep.keys")),
    ("search-study", include_str!("../schemas/search-study.keys")),
    ("check", include_str!("../schemas/check.keys")),
    ("compare", include_str!("../schemas/compare.keys")),
    ("compare-profiles", include_str!("../schemas/compare-profiles.keys")),
    ("inspect", include_str!("../schemas/inspect.keys")),
    ("contention", include_str!("../schemas/contention.keys")),
    ("log-check", include_str!("../schemas/log-check.keys")),
    ("log-replay", include_str!("../schemas/log-replay.keys")),
    ("recipes", include_str!("../schemas/recipes.keys")),
    ("recipe", include_str!("../schemas/recipe.keys")),
    ("devices", include_str!("../schemas/devices.keys")),
    ("device", include_str!("../schemas/device.keys")),
    ("calibrate-device", include_str!("../schemas/calibrate-device.keys")),
    ("calibrate-energy", include_str!("../schemas/calibrate-energy.keys")),
    ("calibrate-pair", include_str!("../schemas/calibrate-pair.keys")),
    ("kernel-verdict", include_str!("../schemas/kernel-verdict.keys")),
    ("kernel-instrument", include_str!("../schemas/kernel-instrument.keys")),
    ("explain", include_str!("../schemas/explain.keys")),
    ("circuit", include_str!("../schemas/circuit.keys")),
    ("check-placement", include_str!("../schemas/check-placement.keys")),
    ("packet-stats", include_str!("../schemas/packet-stats.keys")),
    ("packet-encode", include_str!("../schemas/packet-encode.keys")),
    ("packet-decode", include_str!("../schemas/packet-decode.keys")),
    ("golden", include_str!("../schemas/golden.keys")),
    ("serve", include_str!("../schemas/serve.keys")),
    ("live-status", include_str!("../schemas/live-status.keys")),
    ("live-preempt", include_str!("../schemas/live-preempt.keys")),
    ("live-set", include_str!("../schemas/live-set.keys")),
    ("live-log", include_str!("../schemas/live-log.keys")),
];

/// Keys that several JSON documents share, as (name, text that lists the keys).
const ANSWER: (&str, &str) = ("answer", include_str!("../schemas/answer.keys"));

/// Verbs whose JSON document has the same schema as that of another verb, as (verb, name of the
/// schema).
const SAME: [(&str, &str); 3] =
    [("share", "replay"), ("live-resume", "live-preempt"), ("live-hint", "live-preempt")];

/// JSON document together with the name and version of its schema.
#[derive(Serialize)]
struct Versioned<'v, T> {
    schema: &'v str,
    #[serde(flatten)]
    document: &'v T,
}

/// JSON document together with the command that raddle suggests to run next.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Followed<'d, T> {
    #[serde(flatten)]
    pub(crate) document: &'d T,
    /// Command that the user may run next, as a shell takes it; `None` where none is suggested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_command: Option<String>,
}

impl<'d, T> Followed<'d, T> {
    pub(crate) fn new(document: &'d T, next: Option<&NextCommand>) -> Self {
        Self { document, next_command: next.map(NextCommand::command) }
    }
}

/// Writes a document as JSON, with the name and version of its schema.
pub(crate) fn versioned(name: &str, document: &impl Serialize) -> String {
    let schema = list(name).map_or("", |list| list.id);
    json(&Versioned { schema, document })
}

fn list(name: &str) -> Option<KeyList<'static>> {
    let same = SAME.iter().find(|(other, _)| *other == name);
    let name = same.map_or(name, |(_, name)| name);
    let found = DOCUMENTS.iter().chain([&ANSWER]).find(|(document, _)| *document == name);
    found.map(|(_, text)| KeyList::read(text, list))
}

pub(crate) fn verb(
    name: Option<&str>,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let names = || DOCUMENTS.iter().map(|(name, _)| *name);
    let Some(name) = name else {
        let names: Vec<&str> = names().collect();
        return console.print(&match format {
            Format::Json => json(&names),
            Format::Text => names.join("\n") + "\n",
        });
    };
    let list = list(name).ok_or_else(|| {
        let meant = meant(raddle_read::nearest(name, names()));
        let name = crate::units::plain(name, 60);
        CliError::Usage(format!("there is no document `{name}`.{meant} `raddle schema` lists all"))
    })?;
    console.print(&json(&list.schema()))
}
