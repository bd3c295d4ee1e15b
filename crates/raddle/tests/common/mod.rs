//! The parts that all these tests share: the tool itself, a folder to run it in, and small
//! profiles.
#![allow(dead_code, unused_imports, reason = "each test file uses a part of it")]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "all of this is test code")]

pub(crate) mod schema;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Temporary folder of one test, in which the tool runs.
pub(crate) struct Place(tempfile::TempDir);

/// Result of a run of the tool: its exit code, and the text on its output and error streams.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file into the folder, and returns its name.
    pub(crate) fn file<'n>(&self, name: &'n str, text: impl AsRef<[u8]>) -> &'n str {
        fs::write(self.path().join(name), text).unwrap();
        name
    }

    /// Runs the tool in the folder, without input.
    pub(crate) fn raddle(&self, args: &[&str]) -> Ran {
        self.ask(args, "")
    }

    /// Runs the tool in the folder, with this input. A document that `--format json` prints is
    /// checked against its schema.
    pub(crate) fn ask(&self, args: &[&str], input: impl AsRef<[u8]>) -> Ran {
        let mut child = Command::new(env!("CARGO_BIN_EXE_raddle"))
            .args(args)
            .env("RADDLE_CACHE", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
            .env("RADDLE_PROGRESS", "off")
            .current_dir(self.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The tool may end without having read everything.
        let _ = child.stdin.take().unwrap().write_all(input.as_ref());
        let output = child.wait_with_output().unwrap();
        schema::check(args, &output.stdout);
        Ran {
            code: output.status.code().expect("it ended by itself"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs a line in the folder by a shell, as a user who pastes it does.
    pub(crate) fn pasted(&self, line: &str) -> Ran {
        let raddle = Path::new(env!("CARGO_BIN_EXE_raddle")).parent().expect("it lies in a folder");
        let path = std::env::var("PATH").expect("programs are found by it");
        let output = Command::new("bash")
            .args(["-euc", line])
            .env("PATH", format!("{}:{path}", raddle.display()))
            .env("RADDLE_CACHE", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
            .env("RADDLE_PROGRESS", "off")
            .current_dir(self.path())
            .output()
            .expect("bash runs");
        Ran {
            code: output.status.code().expect("it ended by itself"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Returns the lines of a decision log as `raddle log` prints them, each with all its keys.
    pub(crate) fn log(&self, path: &str) -> String {
        let ran = self.raddle(&["log", path]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        ran.out
    }

    /// Returns the bytes of every file below a folder, by its path within that folder.
    pub(crate) fn tree(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(&self.path().join(folder), "", &mut files);
        files
    }

    /// Returns the names of the files in a folder, sorted; empty where there is no such folder.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path().join(folder)) else {
            return Vec::new();
        };
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn collect(folder: &Path, within: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{within}{}", entry.file_name().into_string().unwrap());
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), &format!("{name}/"), files);
        } else {
            files.insert(name, fs::read(entry.path()).unwrap());
        }
    }
}

/// Returns a generator of pseudo-random numbers from a seed, which gives numbers from `least` to
/// `most`.
pub(crate) fn drawn(seed: u32) -> impl FnMut(u64, u64) -> u64 {
    let mut state = u64::from(seed);
    move |least, most| {
        state = (state * 1_103_515_245 + 12_345) % (1 << 31);
        least + (state >> 8) % (most - least + 1)
    }
}

/// Returns a launch table of a V100 with these rows: name, stream, workgroups, threads, registers,
/// LDS, arrival, start, duration.
pub(crate) fn table(rows: &[&str]) -> String {
    format!("# raddle launch table 1\n# device = v100\n{}", bare_table(rows))
}

/// Returns a launch table with these rows, without a device.
pub(crate) fn bare_table(rows: &[&str]) -> String {
    let mut text = "name,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,vgprs_per_thread,\
                    lds_bytes,arrival_ns,start_ns,duration_ns\n"
        .to_owned();
    for row in rows {
        let cells: Vec<&str> = row.split_whitespace().collect();
        let [name, stream, groups, threads, vgprs, lds, arrival, start, duration] = cells[..]
        else {
            panic!("{row}: 9 cells are wanted");
        };
        text += &format!(
            "{name},{stream},{groups},1,1,{threads},1,1,{vgprs},{lds},{arrival},{start},{duration}\n"
        );
    }
    text
}

/// Returns the launch table of a training program: large launches, one stream.
pub(crate) fn train() -> String {
    table(&[
        "gemm   7  640  256  64  0      0      1000   400000",
        "gemm   7  640  256  64  32768  2000   401000 400000",
        "reduce 7  80   512  32  4096   3000   801000 100000",
    ])
}

/// Returns the launch table of an inference program: small launches, two streams.
pub(crate) fn infer() -> String {
    table(&[
        "attend 1  80   128  40  0     0       1000   20000",
        "attend 1  80   128  40  16384 100000  101000 20000",
        "copyk  2  8    64   16  0     150000  150500 5000",
        "attend 1  80   128  40  0     300000  301000 20000",
    ])
}

/// Returns a trace of the PyTorch profiler with these events, recorded on a V100.
pub(crate) fn trace(metadata: &str, events: &[&str]) -> String {
    format!(
        "{{\"schemaVersion\":1,{metadata}\"deviceProperties\":[{{\"id\":0,\"name\":\"Tesla V100-SXM2-16GB\",\
         \"computeMajor\":7,\"computeMinor\":0,\"maxThreadsPerMultiprocessor\":2048,\
         \"regsPerMultiprocessor\":65536,\"warpSize\":32,\"sharedMemPerMultiprocessor\":98304,\
         \"numSms\":80}}],\"traceEvents\":[\n{}\n]}}",
        events.join(",\n")
    )
}

/// Returns a kernel event of such a trace: 80 workgroups of 128 work-items.
pub(crate) fn kernel(name: &str, start_us: i64, duration_us: i64) -> String {
    format!(
        "{{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"{name}\",\"pid\":0,\"tid\":7,\"ts\":{start_us},\
         \"dur\":{duration_us},\"args\":{{\"device\":0,\"context\":1,\"stream\":7,\"correlation\":{start_us},\
         \"registers per thread\":32,\"shared memory\":0,\"grid\":[80,1,1],\"block\":[128,1,1]}}}}"
    )
}

pub(crate) use raddle_testkit::sample;
