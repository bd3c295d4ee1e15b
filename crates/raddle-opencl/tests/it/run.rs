//! How is a client run, natively and under the layer?

use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Environment variable with the name of the client that a process of this test program plays.
pub(crate) const CLIENT: &str = "RADDLE_TEST_CLIENT";

/// Returns the path of the layer that cargo built beside this test program, or of the one that
/// `RADDLE_TEST_LAYER` names.
pub(crate) fn layer() -> PathBuf {
    // Figures are taken of a layer that is optimised.
    if let Some(given) = std::env::var_os("RADDLE_TEST_LAYER") {
        return given.into();
    }
    let program = std::env::current_exe().expect("a test program has a path");
    let folder = program.parent().expect("it lies in a folder");
    let file = folder.join("libraddle_opencl.so");
    assert!(file.is_file(), "{} is built with the tests", file.display());
    file
}

/// Runtime of OpenCL, with the loader by which clients call it.
pub(crate) struct Driver {
    pub(crate) name: &'static str,
    /// Environment variables by which a client finds the runtime and the loader.
    environment: Vec<(&'static str, String)>,
}

/// Returns the installed runtimes with their loaders: those of the system, and Intel's runtime for
/// a CPU with Khronos's loader in the folder `RADDLE_INTEL_OPENCL`. Where `RADDLE_TEST_STORMS` is
/// set, each runtime also with the loader of the other.
pub(crate) fn drivers() -> &'static [Driver] {
    static DRIVERS: OnceLock<Vec<Driver>> = OnceLock::new();
    DRIVERS.get_or_init(|| {
        let mut all = vec![Driver { name: "the system's", environment: Vec::new() }];
        if let Ok(folder) = std::env::var("RADDLE_INTEL_OPENCL") {
            let loader = ("LD_LIBRARY_PATH", format!("{folder}/lib"));
            let runtime = ("OCL_ICD_VENDORS", format!("{folder}/vendors"));
            all.push(Driver { name: INTEL, environment: vec![runtime.clone(), loader.clone()] });
            if std::env::var_os("RADDLE_TEST_STORMS").is_some() {
                let name = "the system's by Khronos's loader";
                all.push(Driver { name, environment: vec![loader] });
                let name = "Intel's by the system's loader";
                all.push(Driver { name, environment: vec![runtime] });
            }
        }
        all.retain(Driver::has_device);
        let of_system = all.first().is_some_and(Driver::is_of_system);
        assert!(of_system || std::env::var_os("RADDLE_REQUIRE_OPENCL").is_none(), "a device");
        let intel = all.iter().any(Driver::is_intel);
        assert!(intel || std::env::var_os("RADDLE_REQUIRE_INTEL").is_none(), "Intel's runtime");
        if !intel {
            println!("skipped: RADDLE_INTEL_OPENCL names no folder with Intel's runtime");
        }
        all
    })
}

const INTEL: &str = "Intel's";

impl Driver {
    fn has_device(&self) -> bool {
        self.natively("devices").is_ok_and(|said| said != "0")
    }

    /// Returns whether both the runtime and the loader are the system's.
    pub(crate) fn is_of_system(&self) -> bool {
        self.environment.is_empty()
    }

    pub(crate) fn is_intel(&self) -> bool {
        self.name.starts_with(INTEL)
    }

    /// Runs a client without the layer, and returns its answer; the error says how the client
    /// ended. Tests that compare with the same answer run the client once.
    pub(crate) fn natively(&self, name: &str) -> Result<String, String> {
        type Answers = BTreeMap<(&'static str, String), Result<String, String>>;
        static ANSWERS: Mutex<Answers> = Mutex::new(BTreeMap::new());
        let known = || ANSWERS.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (self.name, name.to_owned());
        let found = known().get(&key).cloned();
        found.unwrap_or_else(|| {
            let answer = told(name, &self.with(&[]), limit()).map(|told| told.answer);
            known().insert(key, answer.clone());
            answer
        })
    }

    /// Runs a client under the layer, and returns its answer with the counts of the layer; the
    /// error says how the client ended.
    pub(crate) fn under_layer(&self, name: &str, more: &[(&str, &str)]) -> Result<Told, String> {
        let layer = layer();
        let layer = [("OPENCL_LAYERS", layer.to_str().expect("its path is text"))];
        told(name, &self.with(&[&layer, more].concat()), limit())
    }

    fn with<'a>(&'a self, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
        let own = self.environment.iter().map(|(name, value)| (*name, value.as_str()));
        own.chain(more.iter().copied()).collect()
    }
}

/// Runtime of the system with the loader of the system.
const SYSTEM: Driver = Driver { name: "the system's", environment: Vec::new() };

/// Returns whether the system has an OpenCL device; prints that the test is skipped where it has none.
pub(crate) fn device() -> bool {
    let found = drivers().first().is_some_and(Driver::is_of_system);
    if !found {
        println!("skipped: no OpenCL device");
    }
    found
}

/// Output of a client that has ended without an error.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) answer: String,
    /// Text of the client on standard error.
    pub(crate) complaints: String,
    /// Counts of the layer when the client ended, each as (name, count).
    counts: Vec<(String, u64)>,
}

impl Told {
    /// Returns the count of the layer with the name `name`; 0 where it has none.
    pub(crate) fn count(&self, name: &str) -> u64 {
        self.counts.iter().find(|(known, _)| known == name).map_or(0, |(_, count)| *count)
    }
}

/// Runs a client in this environment for at most `limit`, and returns its answer; the error says
/// how the client ended.
pub(crate) fn client(
    name: &str,
    environment: &[(&str, &str)],
    limit: Duration,
) -> Result<String, String> {
    told(name, environment, limit).map(|told| told.answer)
}

fn told(name: &str, environment: &[(&str, &str)], limit: Duration) -> Result<Told, String> {
    let program = std::env::current_exe().expect("a test program has a path");
    let mut child = Command::new(program)
        .args(["--exact", "clients::client", "--nocapture", "--test-threads=1"])
        .env_remove("OPENCL_LAYERS")
        .env(CLIENT, name)
        .envs(environment.iter().copied())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|cause| cause.to_string())?;
    let mut said = child.stdout.take().expect("it is piped");
    let reader = std::thread::Builder::new()
        .spawn(move || {
            let mut text = String::new();
            let _ = said.read_to_string(&mut text);
            text
        })
        .map_err(|cause| cause.to_string())?;
    let mut errors = child.stderr.take().expect("it is piped");
    let complaints = std::thread::Builder::new()
        .spawn(move || {
            let mut text = String::new();
            let _ = errors.read_to_string(&mut text);
            text
        })
        .map_err(|cause| cause.to_string())?;
    #[expect(clippy::disallowed_methods, reason = "a client that hangs is ended")]
    let begun = Instant::now();
    let ended = loop {
        if let Some(status) = child.try_wait().map_err(|cause| cause.to_string())? {
            break status.to_string();
        }
        if begun.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            break format!("hangs: killed after {limit:?}");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let said = reader.join().unwrap_or_default();
    let complaints = complaints.join().unwrap_or_default();
    let behind = |word| said.lines().filter_map(move |line| Some(line.split_once(word)?.1));
    let answer = behind(ANSWER).collect::<Vec<_>>().join("\n");
    let count = |line: &str| {
        let (name, count) = line.rsplit_once(' ')?;
        Some((name.to_owned(), count.parse().ok()?))
    };
    if ended == "exit status: 0" {
        Ok(Told { answer, complaints, counts: behind(COUNT).filter_map(count).collect() })
    } else {
        Err(format!("{ended}\n{answer}\n{complaints}"))
    }
}

/// Text before each count of the layer in the output of a client.
pub(crate) const COUNT: &str = "count: ";

/// Text before each line of a client's answer, as the test harness prints lines too.
pub(crate) const ANSWER: &str = "answer: ";

/// Runs a client under the layer with the system's runtime, and returns its answer.
pub(crate) fn under_layer(name: &str, more: &[(&str, &str)]) -> Result<String, String> {
    told_under_layer(name, more).map(|told| told.answer)
}

/// Runs a client under the layer with the system's runtime, and returns its answer with the counts
/// of the layer.
pub(crate) fn told_under_layer(name: &str, more: &[(&str, &str)]) -> Result<Told, String> {
    SYSTEM.under_layer(name, more)
}

/// Runs a client under the layer for at most this time, and gives back its answer.
pub(crate) fn under_layer_for(
    name: &str,
    more: &[(&str, &str)],
    limit: Duration,
) -> Result<String, String> {
    let layer = layer();
    let layer = [("OPENCL_LAYERS", layer.to_str().expect("its path is text"))];
    client(name, &[&layer, more].concat(), limit)
}

/// Runs a client without the layer with the system's runtime, and returns its answer.
pub(crate) fn natively(name: &str) -> Result<String, String> {
    SYSTEM.natively(name)
}

/// Returns the longest time that a client may take, also on two busy cores; longer for the check of
/// many objects.
fn limit() -> Duration {
    let longer = std::env::var_os("RADDLE_TEST_OBJECTS").is_some();
    Duration::from_secs(if longer { 1800 } else { 30 })
}
