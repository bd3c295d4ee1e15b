//! What do live programs do, and who says so?

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
use serde::de::IgnoredAny;

pub(crate) use args::LiveArgs;
pub(crate) use verbs::{log, verb};

/// Whether a log is one of a live program or of its daemon; one that cannot be read is not.
pub(crate) fn is_live(path: &Path) -> bool {
    #[derive(Deserialize)]
    struct Mark {
        live: Option<IgnoredAny>,
    }
    let mut first = String::new();
    let read =
        File::open(path).and_then(|log| BufReader::new(log).take(1 << 16).read_line(&mut first));
    let header = serde_json::from_str::<Mark>(&first);
    read.is_ok() && header.is_ok_and(|mark| mark.live.is_some())
}
