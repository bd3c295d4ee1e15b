//! The `raddle` command: everything is in the library, so that this only joins it to the process.
#![warn(clippy::too_many_lines)]

use std::process::ExitCode;

fn main() -> ExitCode {
    raddle::App::new(raddle::Registry::bundled()).main()
}
