//! What does the first line of a log say?

use std::io::Write;

use raddle_policy::CuShape;
use serde::{Deserialize, Serialize};

use super::writer::{Detail, LogWriter};
use crate::{DispatchError, Recipe};

/// The first line of a log: enough to build the dispatcher again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LogHeader {
    /// Version of the log format: 1.
    pub raddle_log: u32,
    /// How much a start line tells.
    pub detail: Detail,
    /// The device's name.
    pub device: String,
    /// Its compute units.
    pub cus: u16,
    /// What one of them holds.
    pub shape: CuShape,
    /// The four policies.
    pub recipe: Recipe,
}

impl LogHeader {
    /// Reads the header line of a log.
    ///
    /// # Errors
    /// When it is not one of version 1.
    pub fn read(line: &str) -> Result<Self, DispatchError> {
        let bad = |what: String| DispatchError::bad_log(1, what);
        let header: Self = serde_json::from_str(line).map_err(|error| {
            bad(format!("the first line must be a header as `raddle replay` writes it ({error})"))
        })?;
        if header.raddle_log != 1 {
            return Err(bad(format!("log version {}; this raddle reads 1", header.raddle_log)));
        }
        header.shape.check().map_err(|error| bad(error.to_string()))?;
        Ok(header)
    }

    /// A log to `to` that begins with this header. Give it a buffer: every line is one write.
    #[must_use]
    pub fn writer(&self, to: Box<dyn Write + Send>) -> LogWriter {
        LogWriter::new(to, self.detail, self.recipe.reads_activity(), self)
    }
}
