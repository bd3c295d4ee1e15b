//! What does the first line of a decision log say?

use std::io::Write;

use raddle_policy::CuShape;
use raddle_preempt::Abilities;
use raddle_read::without_content;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::writer::{Detail, LogWriter};
use crate::{DispatchError, Recipe, Registry};

/// The version of the format of decision logs that this crate writes.
#[doc(hidden)]
pub const LOG_VERSION: u32 = 2;

/// The first line of a decision log, from which a dispatcher with the policies of the log can be
/// built.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LogHeader {
    /// The version of the format of decision logs: [`LOG_VERSION`], or 1 in logs that compute the
    /// hashes of wave addresses in another way.
    pub(super) raddle_log: u32,
    /// The detail with which the decision log lists starts of workgroups: one line for each start
    /// of one or more workgroups, or one line for each workgroup.
    detail: Detail,
    /// The name of the device for which the decisions of the decision log were made.
    device: String,
    /// The number of compute units of the device.
    pub(super) cus: u16,
    /// The resources of one compute unit of the device: its slots, and its granules (smallest
    /// amounts that are handed out).
    pub(super) shape: CuShape,
    /// The four policies of the dispatcher that made the decisions, with their settings.
    pub(super) recipe: Recipe,
    /// The preemption methods that the device has; not written where it has all of them.
    #[serde(skip_serializing_if = "are_all")]
    pub(super) abilities: Abilities,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn are_all(abilities: &Abilities) -> bool {
    *abilities == Abilities::ALL
}

const fn all() -> Abilities {
    Abilities::ALL
}

/// The header line of a decision log as it was read, before the policies of its recipe are looked
/// up.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct ReadHeader {
    raddle_log: u32,
    detail: Detail,
    device: String,
    cus: u16,
    shape: CuShape,
    recipe: Value,
    #[serde(default = "all")]
    abilities: Abilities,
}

/// The header line of a decision log of any kind: of a simulation, of a live program or of a
/// daemon. The policies that it names are not looked up in a registry.
#[derive(Deserialize)]
#[serde(untagged)]
enum AnyHeader {
    Replay(ReadHeader),
    Live(LiveHeader),
}

/// The header line of the decision log of a live program or of a daemon.
#[derive(Deserialize)]
#[expect(dead_code, reason = "only that the keys are there matters")]
#[serde(tag = "live", rename_all = "kebab-case", deny_unknown_fields)]
enum LiveHeader {
    #[serde(rename_all = "kebab-case")]
    Client { raddle_log: u32, declared: IgnoredAny, options: IgnoredAny },
    #[serde(rename_all = "kebab-case")]
    Daemon { raddle_log: u32, most_a_second: u32, recipe: IgnoredAny },
}

/// Returns whether a line is the header of a decision log: of a simulation, of a live program or of
/// a daemon.
pub(super) fn is_header(line: &str) -> bool {
    let version = match serde_json::from_str(line) {
        Ok(AnyHeader::Replay(header)) if header.shape.check().is_ok() => header.raddle_log,
        Ok(AnyHeader::Live(LiveHeader::Client { raddle_log, .. }))
        | Ok(AnyHeader::Live(LiveHeader::Daemon { raddle_log, .. })) => raddle_log,
        _ => return false,
    };
    (1..=LOG_VERSION).contains(&version)
}

impl LogHeader {
    /// Returns the header of a log in the present format, for a dispatcher with the policies of
    /// `recipe`. The device has the name `device` and `cus` compute units of the shape `shape`. The
    /// log has one line for each start of one or more workgroups.
    pub fn new(recipe: Recipe, device: impl Into<String>, shape: CuShape, cus: u16) -> Self {
        let (raddle_log, detail, device) = (LOG_VERSION, Detail::Answers, device.into());
        Self { raddle_log, detail, device, cus, shape, recipe, abilities: Abilities::ALL }
    }

    /// Returns this header for a log that lists starts of workgroups with the detail `detail`.
    #[must_use]
    pub fn with_detail(self, detail: Detail) -> Self {
        Self { detail, ..self }
    }

    /// Returns this header for a device that has the given preemption methods. A
    /// [writer](Self::writer) learns them from the builder of the dispatcher; a program that writes
    /// the lines of [`Builder::observe`](crate::Builder::observe) itself sets them here.
    #[must_use]
    pub fn with_abilities(self, abilities: Abilities) -> Self {
        Self { abilities, ..self }
    }

    /// Returns the recipe of the decision log: its policies with their settings.
    #[must_use]
    pub const fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Reads the header line of a log and looks its policies up in the registry.
    ///
    /// # Errors
    /// When the line is not a header of version 1 or 2, or names a policy that the registry does
    /// not have.
    pub(super) fn read(line: &str, registry: &Registry) -> Result<Self, DispatchError> {
        let bad = |what: String| DispatchError::bad_log(1, what);
        let no_header = |error: serde_json::Error| {
            let error = without_content(&error.to_string());
            bad(format!("the first line must be a header as `raddle replay` writes it ({error})"))
        };
        let header: ReadHeader = serde_json::from_str(line).map_err(no_header)?;
        if !(1..=LOG_VERSION).contains(&header.raddle_log) {
            let found = header.raddle_log;
            return Err(bad(format!("log version {found}; this raddle reads 1 to {LOG_VERSION}")));
        }
        header.shape.check().map_err(|error| bad(error.to_string()))?;
        header.abilities.check().map_err(|error| bad(error.to_string()))?;
        let recipe = Recipe::of_json(&header.recipe, registry).map_err(|error| {
            bad(format!("{error}. A log is read with a registry that has its policies"))
        })?;
        let ReadHeader { raddle_log, detail, device, cus, shape, abilities, .. } = header;
        Ok(Self { raddle_log, detail, device, cus, shape, recipe, abilities })
    }

    /// Returns a writer of a log that begins with this header and leaves nothing out of its lines.
    /// Each line is one write to `to`, which should be buffered.
    #[must_use]
    pub fn writer(&self, to: Box<dyn Write + Send>) -> LogWriter {
        self.written(to, false)
    }

    /// Returns a writer to `to` of a short log that begins with this header. A line of a short log
    /// leaves out each part that follows from earlier lines, such as its time.
    #[must_use]
    #[doc(hidden)]
    pub fn short_writer(&self, to: Box<dyn Write + Send>) -> LogWriter {
        self.written(to, true)
    }

    /// Returns a writer of a log to `to`; if `short` is true, lines leave out what follows from
    /// earlier lines. The header is written when the dispatcher is built, as the abilities of its
    /// device are known then.
    fn written(&self, to: Box<dyn Write + Send>, short: bool) -> LogWriter {
        let (header, settings) = (self.clone(), (self.detail, self.recipe.reads(), short));
        LogWriter::new(to, settings, move |abilities| {
            serde_json::to_vec(&Self { abilities, ..header })
        })
    }
}
