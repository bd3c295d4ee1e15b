//! How is a program run, natively and with the library?

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Returns the path of the library that cargo built beside this test program, or of the one that
/// `RADDLE_TEST_LAYER` names.
pub(crate) fn library() -> PathBuf {
    // Figures are taken of a library that is optimised.
    if let Some(given) = std::env::var_os("RADDLE_TEST_LAYER") {
        return given.into();
    }
    let program = std::env::current_exe().expect("a test program has a path");
    let folder = program.parent().expect("it lies in a folder");
    let file = folder.join("libraddle_cuda.so");
    assert!(file.is_file(), "{} is built with the tests", file.display());
    file
}

/// Folder of the files that `cc` has compiled for the tests, `driver/libcuda.so.1` (a driver
/// without a device), `client` and `linked`, and of the library, `library/libcuda.so.1`.
pub(crate) struct Bench {
    folder: PathBuf,
}

impl Bench {
    fn new() -> Self {
        let bench = Self { folder: Path::new(env!("CARGO_TARGET_TMPDIR")).join("cuda") };
        for name in ["driver", "library"] {
            std::fs::create_dir_all(bench.path(name)).expect("it is ours");
        }
        bench.place("library/libcuda.so.1", |new| {
            std::os::unix::fs::symlink(library(), new).expect("it is ours");
        });
        let linking = "-Wl,-z,nodelete,-Bsymbolic,-soname,libcuda.so.1";
        let shared = ["-fPIC", "-shared", "-fvisibility=hidden", linking];
        bench.place("driver/libcuda.so.1", |new| compile("fake.c", new, &shared));
        bench.place("client", |new| compile("client.c", new, &[]));
        let driver = bench.path("driver/libcuda.so.1");
        let driver = driver.to_str().expect("its path is text");
        bench.place("linked", |new| compile("linked.c", new, &[driver]));
        bench
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Makes a file by `make` and puts it in the place of an older one, which another process of
    /// the tests may use.
    fn place(&self, name: &str, make: impl FnOnce(&Path)) {
        let new = self.path(&format!("{name}-{}", std::process::id()));
        make(&new);
        std::fs::rename(new, self.path(name)).expect("it is ours");
    }
}

fn compile(source: &str, to: &Path, more: &[&str]) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/c").join(source);
    let mut command = Command::new("cc");
    command.args(["-O1", "-Wall", "-Wextra", "-Werror", "-pthread", "-o"]).arg(to).arg(source);
    let ended = command.args(more).arg("-ldl").status().expect("a C compiler `cc`");
    assert!(ended.success(), "it compiles");
}

pub(crate) fn bench() -> &'static Bench {
    static BENCH: OnceLock<Bench> = OnceLock::new();
    BENCH.get_or_init(Bench::new)
}

/// Returns a command for a program of the bench (the compiled test programs) without the library.
pub(crate) fn native(program: &str) -> Command {
    let mut command = Command::new(bench().path(program));
    command.env("LD_LIBRARY_PATH", bench().path("driver"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Returns a command for a program of the bench (the compiled test programs) with the library in
/// the place of the driver.
pub(crate) fn scheduled(program: &str) -> Command {
    let mut command = native(program);
    command.env("LD_LIBRARY_PATH", bench().path("library"));
    command.env("RADDLE_CUDA_DRIVER", bench().path("driver/libcuda.so.1"));
    command
}

/// Output of a program: its text on standard output, that on standard error, and how it ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) said: String,
    pub(crate) complaints: String,
    pub(crate) how: String,
}

impl Told {
    /// Returns a count of launches of the client: those `made`, those `seen` by the library, or the
    /// `most` in the driver at a time.
    pub(crate) fn count(&self, name: &str) -> u64 {
        let mut words = self.complaints.split_whitespace();
        words.by_ref().find(|word| *word == name);
        words.next().and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("{self:?}"))
    }
}

/// Runs a command to its end, and returns its output.
pub(crate) fn told(mut command: Command) -> Told {
    end(command.spawn().expect("it starts"))
}

/// Waits for a program to end, kills it where it hangs, and returns its output.
pub(crate) fn end(mut child: Child) -> Told {
    let read = |from: Option<Box<dyn Read + Send>>| {
        let spawned = std::thread::Builder::new().spawn(move || {
            let mut text = String::new();
            let _ = from.expect("it is piped").read_to_string(&mut text);
            text
        });
        spawned.expect("a thread")
    };
    let said = read(child.stdout.take().map(|it| Box::new(it) as _));
    let complaints = read(child.stderr.take().map(|it| Box::new(it) as _));
    #[expect(clippy::disallowed_methods, reason = "a program that hangs is ended")]
    let begun = Instant::now();
    let how = loop {
        if let Some(status) = child.try_wait().expect("it is a child") {
            break status.to_string();
        }
        if begun.elapsed() > Duration::from_secs(60) {
            let _ = child.kill();
            let _ = child.wait();
            break "hangs".to_owned();
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let [said, complaints] = [said, complaints].map(|text| text.join().unwrap_or_default());
    Told { said, complaints, how }
}

/// Runs the client with this name without the library, in this environment, and returns its output.
pub(crate) fn natively(client: &str, environment: &[(&str, &str)]) -> Told {
    let mut command = native("client");
    command.arg(client).envs(environment.iter().copied());
    told(command)
}

/// Runs the client with this name with the library in the place of the driver, in this environment,
/// and returns its output.
pub(crate) fn with_library(client: &str, environment: &[(&str, &str)]) -> Told {
    let mut command = scheduled("client");
    command.arg(client).envs(environment.iter().copied());
    told(command)
}
