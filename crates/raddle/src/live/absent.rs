//! What does the verb `live` say where raddle was built without raddle-live?

use std::path::Path;

use raddle_dispatch::Registry;
use raddle_dispatch::log::check::CheckedLog;

use super::LiveArgs;
use crate::Console;
use crate::args::Format;
use crate::error::CliError;

const ABSENT: &str = if cfg!(target_os = "linux") {
    "this raddle was built without the scheduling of live programs; with it: \
     cargo build --release --features live"
} else {
    "live programs are scheduled on Linux alone"
};

pub(crate) fn verb(_: &LiveArgs, _: &Registry, _: Format, _: &mut Console) -> Result<u8, CliError> {
    Err(CliError::Refused(ABSENT.to_owned()))
}

pub(crate) fn rules(_: &Path) -> Result<CheckedLog, CliError> {
    Err(CliError::Refused(ABSENT.to_owned()))
}

pub(crate) fn log(_: &Path, _: &Registry, _: Format, _: &mut Console) -> Result<(), CliError> {
    Err(CliError::Refused(ABSENT.to_owned()))
}
