//! The `raddle` command: all code is in the library, and this file only joins it to the process.
#![warn(clippy::too_many_lines)]

use std::process::ExitCode;

fn main() -> ExitCode {
    raddle::App::new(raddle::Registry::bundled()).main()
}
