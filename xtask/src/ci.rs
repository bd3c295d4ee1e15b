//! Does everything hold that must hold before a change is merged?
//!
//! The list of steps is the script `.ci/run` and nothing else, so that this verb and the
//! continuous integration can never differ.

use std::process::Command;

use crate::{shell, workspace};

pub(crate) fn run(rest: &[String]) -> Result<(), String> {
    shell::no_arguments(rest)?;
    shell::run(Command::new("bash").arg(".ci/run").current_dir(workspace::root()))
}
