//! Which environment variables does `raddle live run` set for the program that it starts, and how
//! are they read there?

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use raddle_preempt::{Declared, Runtime};

use super::{Link, LinkConfig};
use crate::LiveError;
use crate::client::core::LOG_LOST;
use crate::client::{Client, ClientConfig, Reporter};

/// Environment variable with the path of the daemon's socket.
pub const SOCKET: &str = "RADDLE_LIVE_SOCKET";
/// Environment variable with the token by which a program joins at the priority level that the
/// daemon granted.
pub const TOKEN: &str = "RADDLE_LIVE_TOKEN";
/// Environment variable with the path of a file. Each process that loads raddle's library for
/// OpenCL or CUDA adds its process id to the file.
pub const LOADED: &str = "RADDLE_LIVE_LOADED";
/// Environment variable with the path of the file to which each client writes its log; `%p` in it
/// is the process id.
pub const LOG: &str = "RADDLE_LIVE_LOG";
/// Environment variable with the largest number of launches of a client that are in the GPU runtime
/// at a time.
pub const WINDOW: &str = "RADDLE_LIVE_WINDOW";
/// Environment variable with the most times that one launch may be killed; `none` for no limit.
pub const MOST_KILLS: &str = "RADDLE_LIVE_MOST_KILLS";
/// Environment variable with the time in milliseconds after which a preemption counts as given up.
pub const GIVE_UP_MS: &str = "RADDLE_LIVE_GIVE_UP_MS";

fn number<N: std::str::FromStr>(name: &str) -> Option<N> {
    std::env::var(name).ok()?.parse().ok()
}

impl ClientConfig {
    /// Reads the settings of a client from the environment; a setting that is missing or invalid
    /// has its default.
    #[must_use]
    pub fn from_env() -> Self {
        let mut options = Self::default();
        if let Some(window) = number::<u32>(WINDOW).filter(|window| *window > 0) {
            options.controller = options.controller.with_window(window);
        }
        if let Ok(most) = std::env::var(MOST_KILLS) {
            let by_default = options.controller.most_kills();
            let most = if most == "none" { None } else { most.parse().ok().or(by_default) };
            options.controller = options.controller.with_most_kills(most);
        }
        if let Some(ms) = number(GIVE_UP_MS) {
            options.give_up = Duration::from_millis(ms);
        }
        options
    }
}

/// Adds the id of this process to the file that [`LOADED`] names: the list of the processes that
/// have loaded raddle's library for OpenCL or CUDA. Does nothing where the variable is not set.
pub fn mark_loaded() {
    mark(&std::process::id().to_string());
}

fn mark(line: &str) {
    let Some(path) = std::env::var_os(LOADED) else { return };
    // The process that named the file sees that nothing was written.
    let file = OpenOptions::new().append(true).open(path);
    let _ = file.and_then(|mut file| writeln!(file, "{line}"));
}

/// Starts a client for the device with the name `device`, with the settings, the log file and the
/// daemon's socket that the environment names. Returns (client, its link to the daemon); the link
/// is `None` where the environment names no socket.
///
/// # Errors
/// As [`Client::start`].
pub fn start_from_env<T: Clone + Send + 'static, R: Runtime<T> + Send + 'static>(
    declared: Declared,
    device: &str,
    make: impl FnOnce(Reporter<T>) -> R,
) -> Result<(Client<T>, Option<Link>), LiveError> {
    let (log, is_lost) = match log() {
        Ok(log) => (log, false),
        Err(lost) => {
            lost.say();
            (None, true)
        }
    };
    let client = Client::logged(declared, ClientConfig::from_env(), log, make)?;
    if is_lost {
        client.count(LOG_LOST, 1);
    }
    let socket = std::env::var_os(SOCKET).map(PathBuf::from);
    let token = std::env::var(TOKEN).ok();
    let device = device.to_owned();
    let link = socket.map(|socket| Link::start(&client, LinkConfig { socket, token, device }));
    Ok((client, link.transpose()?))
}

/// Opens the file of this client's log; `None` where the environment names none, an error where it
/// cannot be opened. Each further client of the process writes to a file of its own, with a number
/// at the end of its name.
fn log() -> Result<Option<Box<dyn Write + Send>>, LostLog> {
    static CLIENTS: AtomicU32 = AtomicU32::new(0);
    let Ok(path) = std::env::var(LOG) else { return Ok(None) };
    let path = path.replace("%p", &std::process::id().to_string());
    let path = match CLIENTS.fetch_add(1, Ordering::Relaxed) {
        0 => path,
        more => format!("{path}.{more}"),
    };
    let file = match log_file(Path::new(&path)) {
        Ok(file) => file,
        Err(cause) => return Err(LostLog { path, cause: cause.to_string() }),
    };
    let file = ToldFile { file, path, is_told: false };
    Ok(Some(Box::new(BufWriter::with_capacity(1 << 16, file))))
}

struct LostLog {
    path: String,
    cause: String,
}

impl LostLog {
    /// Reports the lost log on standard error, and in the file that [`LOADED`] names, for the
    /// process that started this one.
    fn say(&self) {
        let Self { path, cause } = self;
        #[expect(clippy::print_stderr, reason = "said once, and standard output is the program's")]
        {
            eprintln!("raddle: the log {path} is not whole: {cause}");
        }
        mark(&format!("{LOST_MARK}{path}: {cause}"));
    }
}

/// Text with which a line about a lost log begins, in the file that [`LOADED`] names.
const LOST_MARK: &str = "log ";

/// Returns a text (path and cause) for each log that could not be written. `marks` is the content
/// of the file that [`LOADED`] names.
pub fn lost_logs(marks: &str) -> impl Iterator<Item = &str> {
    marks.lines().filter_map(|line| line.strip_prefix(LOST_MARK))
}

/// Log file that reports to the user when a write fails for the first time.
struct ToldFile {
    file: File,
    path: String,
    is_told: bool,
}

impl Write for ToldFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        if let Err(cause) = &written
            && cause.kind() != io::ErrorKind::Interrupted
            && !std::mem::replace(&mut self.is_told, true)
        {
            LostLog { path: self.path.clone(), cause: cause.to_string() }.say();
        }
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Opens a file for the log of a client or a daemon. The file may be new, empty, or an earlier log
/// of a client or a daemon, which is overwritten.
///
/// # Errors
/// When it cannot be opened, when another process writes it, or when it holds something else, which
/// stays as it is.
pub fn log_file(path: &Path) -> io::Result<File> {
    let mut file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    check_log(&mut file)?;
    if file.metadata()?.is_file() {
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            let what = "another program writes this log; `%p` in its name is the process id";
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, what));
        }
        file.set_len(0)?;
        file.rewind()?;
    }
    Ok(file)
}

/// Checks, before a program is started, that [`log_file`] will accept the file at this path.
///
/// # Errors
/// When it holds something else than a live log.
pub fn check_log_path(path: &Path) -> io::Result<()> {
    match File::open(path) {
        Ok(mut file) => check_log(&mut file),
        // The process id is not known yet, so a folder may be named by it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = path.parent().unwrap_or(Path::new("."));
            let is_known = !folder.as_os_str().to_string_lossy().contains("%p");
            if is_known && !folder.is_dir() { Err(error) } else { Ok(()) }
        }
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
    fn a_log_on_a_full_disk_is_told_once() {
        let file = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut log = ToldFile { file, path: "log".to_owned(), is_told: false };
        assert!(log.write(b"a line").is_err() && log.is_told);
        assert!(log.write(b"a line").is_err());
    }

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
        assert!(check_log_path(&folder.join("%p/other")).is_ok());
        assert!(check_log_path(&folder.join("nowhere/other")).is_err());
        let first = log_file(&folder.join("shared")).unwrap();
        let second = log_file(&folder.join("shared")).unwrap_err().to_string();
        assert!(second.contains("another program writes this log"), "{second}");
        drop(first);
        assert!(log_file(&folder.join("shared")).is_ok());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
