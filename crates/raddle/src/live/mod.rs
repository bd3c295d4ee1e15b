//! How does the verb `live` schedule running programs, in builds of raddle that can and cannot?

mod args;
#[cfg(not(all(target_os = "linux", feature = "live")))]
#[path = "absent.rs"]
mod verbs;
#[cfg(all(target_os = "linux", feature = "live"))]
mod verbs;

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde::Deserialize;

pub(crate) use args::LiveArgs;
pub(crate) use verbs::{log, rules, verb};

/// Returns which program wrote a live log: `client` for a scheduled program, or `daemon`; `None`
/// for the log of a replay.
pub(crate) fn whose(path: &Path) -> Option<String> {
    #[derive(Deserialize)]
    struct LiveMark {
        live: Option<String>,
    }
    let mut first = String::new();
    let log = File::open(path).ok()?;
    BufReader::new(log).take(1 << 16).read_line(&mut first).ok()?;
    serde_json::from_str::<LiveMark>(&first).ok()?.live
}
