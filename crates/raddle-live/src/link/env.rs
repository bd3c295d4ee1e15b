//! What does `raddle live run` tell the program that it starts, and the library in it?

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use raddle_preempt::{Declared, Runtime};

use super::{Link, LinkConfig};
use crate::LiveError;
use crate::client::{Client, ClientConfig, Reporter};

/// The variable with the socket of the daemon.
pub const SOCKET: &str = "RADDLE_LIVE_SOCKET";
/// The variable with the token of the level that was granted.
pub const TOKEN: &str = "RADDLE_LIVE_TOKEN";
/// The variable with the file that says which processes have loaded the library.
pub const LOADED: &str = "RADDLE_LIVE_LOADED";
/// The variable with the file to which each client writes its log; `%p` is the process id.
pub const LOG: &str = "RADDLE_LIVE_LOG";
/// The variable with the number of launches in the runtime at a time.
pub const WINDOW: &str = "RADDLE_LIVE_WINDOW";
/// The variable with the number of times that a launch is killed at most; `none` for no bound.
pub const MOST_KILLS: &str = "RADDLE_LIVE_MOST_KILLS";
/// The variable with the milliseconds until a preemption counts as given up.
pub const GIVE_UP_MS: &str = "RADDLE_LIVE_GIVE_UP_MS";

fn number<N: std::str::FromStr>(name: &str) -> Option<N> {
    std::env::var(name).ok()?.parse().ok()
}

impl ClientConfig {
    /// Reads the settings from the environment; what is missing or wrong there is the default.
    #[must_use]
    pub fn from_env() -> Self {
        let mut options = Self::default();
        if let Some(window) = number::<u32>(WINDOW).filter(|window| *window > 0) {
            options.controller.window = window;
        }
        if let Ok(most) = std::env::var(MOST_KILLS) {
            let by_default = options.controller.most_kills;
            options.controller.most_kills =
                if most == "none" { None } else { most.parse().ok().or(by_default) };
        }
        if let Some(ms) = number(GIVE_UP_MS) {
            options.give_up = Duration::from_millis(ms);
        }
        options
    }
}

/// Notes that the library was loaded into this process, if a file for that is named.
pub fn mark_loaded() {
    let Some(path) = std::env::var_os(LOADED) else { return };
    // The process that named the file sees that nothing was written.
    let file = OpenOptions::new().append(true).open(path);
    let _ = file.and_then(|mut file| writeln!(file, "{}", std::process::id()));
}

/// Starts a client with the settings, the log and the link that the environment names.
///
/// # Errors
/// As [`Client::start`].
pub fn start_from_env<T: Clone + Send + 'static, R: Runtime<T> + Send + 'static>(
    declared: Declared,
    make: impl FnOnce(Reporter<T>) -> R,
) -> Result<(Client<T>, Option<Link>), LiveError> {
    let client = Client::logged(declared, ClientConfig::from_env(), log(), make)?;
    let socket = std::env::var_os(SOCKET).map(PathBuf::from);
    let token = std::env::var(TOKEN).ok();
    let link = socket.map(|socket| Link::start(&client, LinkConfig { socket, token }));
    Ok((client, link.transpose()?))
}

/// Opens the file of this client's log; a second client of the process writes beside it.
fn log() -> Option<Box<dyn Write + Send>> {
    static CLIENTS: AtomicU32 = AtomicU32::new(0);
    let path = std::env::var(LOG).ok()?.replace("%p", &std::process::id().to_string());
    let path = match CLIENTS.fetch_add(1, Ordering::Relaxed) {
        0 => path,
        more => format!("{path}.{more}"),
    };
    let file = log_file(Path::new(&path)).ok()?;
    Some(Box::new(BufWriter::with_capacity(1 << 16, file)))
}

/// Opens a file for a live log: a new one, an empty one, or an earlier live log, which begins again.
///
/// # Errors
/// When it cannot be opened, or holds something else, which stays as it is.
pub fn log_file(path: &Path) -> io::Result<File> {
    let mut file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    check_log(&mut file)?;
    if file.metadata()?.is_file() {
        file.set_len(0)?;
        file.rewind()?;
    }
    Ok(file)
}

/// Checks, before a program is started, that [`log_file`] will open this path.
///
/// # Errors
/// When it holds something else than a live log.
pub fn check_log_path(path: &Path) -> io::Result<()> {
    match File::open(path) {
        Ok(mut file) => check_log(&mut file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn check_log(file: &mut File) -> io::Result<()> {
    if !file.metadata()?.is_file() {
        return Ok(());
    }
    let mut begin = Vec::new();
    file.take(1 << 16).read_to_end(&mut begin)?;
    let first = begin.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let marked = first.windows(8).any(|window| window == b"\"live\":\"");
    if begin.is_empty() || first.starts_with(b"{\"raddle-log\":") && marked {
        return Ok(());
    }
    let what = "it is there already and is no live log of raddle, so it stays as it is";
    Err(io::Error::new(io::ErrorKind::AlreadyExists, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_new_or_takes_the_place_of_one() {
        let folder = std::env::temp_dir().join(format!("raddle-live-log-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("log");
        for text in ["", "{\"raddle-log\":1,\"live\":\"client\"}\nmore\n"] {
            std::fs::write(&path, text).unwrap();
            assert!(check_log_path(&path).is_ok());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
            drop(log_file(&path).unwrap());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), "");
        }
        for theirs in ["notes\n", "{\"raddle-log\":2,\"detail\":\"full\"}\n"] {
            std::fs::write(&path, theirs).unwrap();
            assert!(log_file(&path).is_err() && check_log_path(&path).is_err());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), theirs);
        }
        assert!(check_log_path(&folder.join("other")).is_ok());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
