//! How is Chromium asked about a page, without a window and without a network?

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Programs that do.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// Seconds after which it is given up.
const PATIENCE: u32 = 180;

/// A browser that was found.
#[derive(Debug)]
pub(super) struct Chromium {
    program: OsString,
}

/// What it printed.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) out: String,
    pub(super) err: String,
}

impl Chromium {
    /// The one that `CHROMIUM` names, or one on the search path; `None`: there is none.
    pub(super) fn find() -> Option<Self> {
        if let Some(program) = std::env::var_os("CHROMIUM").filter(|name| !name.is_empty()) {
            return Some(Self { program });
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
        let there = |name: &&&str| folders.iter().any(|folder| folder.join(name).is_file());
        NAMES.iter().find(there).map(|name| Self { program: OsString::from(name) })
    }

    /// Opens the page with these arguments and waits until it ends by itself; `room` is a folder
    /// for its files.
    ///
    /// # Errors
    /// When it cannot be started, fails, or does not end.
    pub(super) fn run(&self, room: &Path, page: &Path, args: &[String]) -> Result<Said, String> {
        let shown = self.program.to_string_lossy();
        let failed = |why: &dyn std::fmt::Display| format!("{shown} {why}");
        let file = |name: &str| {
            File::create(room.join(name)).map_err(|why| failed(&format!("got no {name}: {why}")))
        };
        let mut command = Command::new(&self.program);
        command
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"])
            .args(["--disable-dev-shm-usage", "--no-first-run", "--disable-extensions"])
            .args(["--disable-background-networking", "--disable-component-update"])
            // Nothing but files can be reached, whatever the page asks for.
            .args(["--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr"])
            .args(["--force-device-scale-factor=1", "--virtual-time-budget=30000"])
            .arg(format!("--user-data-dir={}", room.join("profile").display()))
            .args(args)
            .arg(format!("file://{}", page.display()))
            .stdin(Stdio::null())
            .stdout(file("out")?)
            .stderr(file("err")?);
        let child = command.spawn().map_err(|why| failed(&format!("cannot be started: {why}")))?;
        let status = wait(child).map_err(|why| failed(&why))?;
        let read = |name: &str| {
            let bytes = fs::read(room.join(name)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let said = Said { out: read("out"), err: read("err") };
        if status.success() {
            return Ok(said);
        }
        Err(failed(&format!("failed ({status}):\n{}", said.err)))
    }
}

fn wait(mut child: Child) -> Result<ExitStatus, String> {
    for _ in 0..PATIENCE * 20 {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) => sleep(Duration::from_millis(50)),
            Err(why) => return Err(format!("cannot be waited for: {why}")),
        }
    }
    // It hangs; whether it could be ended makes no difference to what is said.
    let _ = child.kill();
    let _ = child.wait();
    Err(format!("did not end within {PATIENCE} s"))
}
