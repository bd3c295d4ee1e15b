//! How does a chore start another command?

use std::ffi::OsString;
use std::process::{Command, Stdio};

use crate::workspace;

/// The cargo that runs this chore, so that the pinned toolchain stays the same one.
pub(crate) fn cargo() -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(program);
    command.current_dir(workspace::root());
    command
}

/// Prints the command, runs it, and waits for it.
///
/// # Errors
/// When it cannot be started or does not end with exit code 0.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let shown = show(command);
    println!("$ {shown}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{shown}` failed ({status}); its own message is above")),
        Err(why) => Err(format!("`{shown}` could not be started: {why}")),
    }
}

/// What the command prints on stdout; `None` when it cannot be started or fails.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Refuses arguments for a verb that takes none.
///
/// # Errors
/// When there is one.
pub(crate) fn no_arguments(rest: &[String]) -> Result<(), String> {
    match rest.first() {
        None => Ok(()),
        Some(first) => Err(format!("takes no arguments, but was given `{first}`; leave it out")),
    }
}

fn show(command: &Command) -> String {
    let mut words = Vec::new();
    for (key, value) in command.get_envs() {
        let value = value.unwrap_or_default();
        words.push(format!("{}={}", key.to_string_lossy(), value.to_string_lossy()));
    }
    // The file name is enough: the full path differs from machine to machine.
    let program = std::path::Path::new(command.get_program());
    words.push(program.file_stem().unwrap_or_default().to_string_lossy().into_owned());
    words.extend(command.get_args().map(|arg| arg.to_string_lossy().into_owned()));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_one_would_type_it() {
        let mut command = Command::new("/usr/bin/cargo");
        command.args(["test", "--release"]).env("PROPTEST_CASES", "7");
        assert_eq!(show(&command), "PROPTEST_CASES=7 cargo test --release");
    }

    #[test]
    fn a_failing_command_is_an_error() {
        let why = run(cargo().arg("no-such-verb").stderr(Stdio::null())).expect_err("must fail");
        assert!(why.contains("cargo no-such-verb"), "{why}");
    }
}
