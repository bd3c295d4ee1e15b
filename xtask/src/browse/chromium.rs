//! How is a page opened in Chromium without a window and a network, and what does Chromium report?

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::Duration;
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};

/// File names of Chromium's program, in the order in which they are looked for.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// Longest time, in seconds, that Chromium may take for a page before it is killed.
const PATIENCE: u32 = 180;
/// Options of Chromium: it shows no window, loads no extensions, and reaches no network host.
pub(super) const FLAGS: [&str; 12] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--enable-logging=stderr",
    "--force-device-scale-factor=1",
];

/// Returns the path of Chromium: that in the environment variable `CHROMIUM`, or else one on the
/// search path; `None` where there is none.
pub(crate) fn find() -> Option<PathBuf> {
    if let Some(program) = env::var_os("CHROMIUM").filter(|name| !name.is_empty()) {
        return Some(program.into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let mut files = env::split_paths(&path).flat_map(|folder| NAMES.map(|name| folder.join(name)));
    files.find(|file| file.is_file())
}

/// Opens a page (HTML text) in Chromium until it ends, and returns (its output, its error
/// messages).
///
/// # Errors
/// When Chromium cannot be started, fails, or does not end in time.
pub(super) fn run(program: &Path, page: &str, args: &[&str]) -> Result<(String, String)> {
    let folder = tempfile::tempdir()?;
    let file = |name: &str| folder.path().join(name);
    fs::write(file("page.html"), page)?;
    let mut child = Command::new(program)
        .args(FLAGS)
        .arg("--virtual-time-budget=30000")
        .arg(format!("--user-data-dir={}", file("profile").display()))
        .args(args)
        .arg(format!("file://{}", file("page.html").display()))
        .stdin(Stdio::null())
        .stdout(fs::File::create(file("out"))?)
        .stderr(fs::File::create(file("err"))?)
        .spawn()
        .with_context(|| format!("{} cannot be started", program.display()))?;
    let mut status: Option<ExitStatus> = None;
    for _ in 0..PATIENCE * 20 {
        status = child.try_wait()?;
        if status.is_some() {
            break;
        }
        sleep(Duration::from_millis(50));
    }
    let Some(status) = status else {
        child.kill()?;
        child.wait()?;
        bail!("{} did not end within {PATIENCE} s", program.display());
    };
    let text = |name: &str| -> Result<String> {
        Ok(String::from_utf8_lossy(&fs::read(file(name))?).into_owned())
    };
    let errors = text("err")?;
    ensure!(status.success(), "{} failed ({status}):\n{errors}", program.display());
    Ok((text("out")?, errors))
}
