//! How is a page opened in the browser that the system prefers?

use std::ffi::OsStr;
use std::process::Command;

use crate::error::CliError;

pub(crate) fn open(page: &OsStr) -> Result<(), CliError> {
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    Command::new(program).arg(page).spawn().map(drop).map_err(|error| {
        let page = page.display();
        CliError::Refused(format!("{program} does not start ({error}): open {page} in a browser"))
    })
}
