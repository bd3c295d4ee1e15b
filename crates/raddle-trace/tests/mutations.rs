//! Does a real profile that was flipped, cut or spliced end in a profile or an error, with bounded
//! memory?
//!
//! Every importer, on every sample profile, and on a rocpd database, of which there is no sample.
//! `RADDLE_MUTATIONS` says how many mutations in all (`cargo xtask soak` makes 10,000). Memory is
//! counted by the allocator: what an import holds at once is at most ten times its uncompressed
//! text, and a fixed part for buffers and tables.

mod common;
#[path = "it/nsys_db/mod.rs"]
mod nsys_db;
#[path = "it/rocpd_db/mod.rs"]
mod rocpd_db;
#[path = "it/rpd_db/mod.rs"]
mod rpd_db;
#[path = "it/xplane_pb/mod.rs"]
mod xplane_pb;

use std::fmt::Write;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use common::promises::check;
use raddle_testkit::{CountingAllocator, peak};
use raddle_trace::{ImportConfig, read};

/// Bytes of memory that even the import of an empty file takes: buffers, tables and an empty
/// database.
const FIXED: usize = 4 << 20;
/// Number of mutations that an ordinary run of this test makes.
const MUTATIONS: usize = 120;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Lock by which one test runs at a time, since memory is counted in all threads.
static ALONE: Mutex<()> = Mutex::new(());

/// A random generator whose numbers are the same everywhere (the finaliser of SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % (n.max(1) as u64)).expect("it is below a usize")
    }
}

/// Flips bytes of a file, cuts it or splices another into it, one to eight times.
fn mutate(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    for _ in 0..=random.below(8) {
        let at = random.below(bytes.len());
        match random.below(6) {
            0 | 1 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            2 => bytes.truncate(at.max(1)),
            3 => drop(bytes.drain(at..bytes.len().min(at + 1 + random.below(4096)))),
            _ => {
                let from = random.below(other.len());
                let part = &other[from..other.len().min(from + 1 + random.below(4096))];
                bytes.splice(at..at, part.iter().copied());
            }
        }
    }
}

/// Lists the sample files of the formats that have importers of their own: no arrivals, no tables
/// of latencies.
fn samples() -> Vec<PathBuf> {
    let folder = raddle_testkit::samples();
    let mut files = Vec::new();
    for kind in ["kineto_nvidia", "kineto_amd", "nsys", "rocprof", "derived", "rpd", "jax"] {
        if let Ok(entries) = fs::read_dir(folder.join(kind)) {
            files.extend(entries.map(|entry| entry.expect("readable").path()));
        }
    }
    files.sort();
    files
}

fn text(bytes: &[u8]) -> usize {
    // Damaged bytes count as far as they can be unpacked.
    let mut all = Vec::new();
    let _ = flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut all);
    all.len().max(bytes.len())
}

#[allow(clippy::print_stdout, reason = "a skipped test says so where its output is shown")]
#[test]
fn no_panic_no_hang_bounded_memory() {
    let _alone = ALONE.lock();
    let mut files = samples();
    if files.is_empty() {
        return raddle_testkit::absent("every sample");
    }
    let asked = std::env::var("RADDLE_MUTATIONS").ok().and_then(|n| n.parse().ok());
    let total: usize = asked.unwrap_or(MUTATIONS);
    let (mut random, mut worst, mut imported) = (Random(1), (0, String::new()), 0);
    // As text, each read when it is first needed.
    let mut texts: Vec<Option<Vec<u8>>> = vec![None; files.len()];
    files.push(PathBuf::from("rocpd"));
    texts.push(Some(rocpd()));
    for (i, file) in files.iter().enumerate() {
        let packed = match i + 1 == files.len() {
            true => rocpd(),
            false => fs::read(file).expect("readable"),
        };
        let share = total * (i + 1) / files.len() - total * i / files.len();
        for n in 0..share {
            // Both forms of every file, and a partner of its own for every mutation.
            let partner = random.below(files.len());
            for at in [i, partner] {
                texts[at].get_or_insert_with(|| uncompressed(&files[at]));
            }
            let text_of = |at: usize| texts[at].as_deref().unwrap_or_default();
            let mut bytes = if n % 2 == 0 { text_of(i).to_vec() } else { packed.clone() };
            mutate(&mut bytes, text_of(partner), &mut random);
            let allowed = 10 * text(&bytes) + FIXED;
            let import = || read("x", bytes.as_slice(), &ImportConfig::default());
            let (peak, result) = peak(import);
            assert!(peak <= allowed, "{} #{n}: {peak} bytes of {allowed}", file.display());
            worst = worst.max((peak * 100 / allowed, format!("{}", file.display())));
            if let Ok(profile) = result {
                check(&profile);
                imported += 1;
            }
        }
    }
    println!(
        "{total} mutations, {imported} imported; at worst {} % of the memory allowed ({})",
        worst.0,
        Path::new(&worst.1).file_name().unwrap_or_default().display()
    );
}

/// Returns a rocpd database by the public schema, since no sample of one exists.
fn rocpd() -> Vec<u8> {
    let result = fs::read(common::fixture("rocprof-result.json")).expect("a fixture");
    rocpd_db::of_result(&result, rocpd_db::Schema::Tracks)
}

/// Returns the bytes of a sample file, without its compression, if any.
fn uncompressed(file: &Path) -> Vec<u8> {
    let bytes = fs::read(file).expect("readable");
    let mut text = Vec::new();
    match flate2::read::MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut text) {
        Ok(_) => text,
        Err(_) => bytes,
    }
}

/// Number of launches of a run that is long enough to measure the memory of each.
const LAUNCHES: usize = 60_000;

/// Number of launches of a rocpd database, which a test writes row by row.
const FEW: usize = 8_000;

/// Writes a result of rocprofv3 with this many kernels, each with its call.
fn rocprof_result(launches: usize) -> String {
    let records = (1..=launches).map(|i| {
        let (at, start, end) = (i * 1000, i * 1000 + 100, i * 1000 + 900);
        let call = format!(
            "{{\"kind\":5,\"operation\":1,\"start_timestamp\":{at},\"end_timestamp\":{start},\"correlation_id\":{{\"internal\":{i}}}}}"
        );
        let dispatch = format!(
            "{{\"start_timestamp\":{start},\"end_timestamp\":{end},\"correlation_id\":{{\"internal\":{i}}},\
             \"dispatch_info\":{{\"agent_id\":{{\"handle\":1}},\"queue_id\":{{\"handle\":1}},\"kernel_id\":1,\
             \"dispatch_id\":{i},\"private_segment_size\":0,\"group_segment_size\":0,\"workgroup_size\":{{\"x\":64,\"y\":1,\"z\":1}},\"grid_size\":{{\"x\":512,\"y\":1,\"z\":1}}}}}}"
        );
        (call, dispatch)
    });
    let (calls, dispatches): (Vec<_>, Vec<_>) = records.unzip();
    format!(
        "{{\"rocprofiler-sdk-tool\":[{{\"agents\":[{{\"id\":{{\"handle\":1}},\"type\":2,\"name\":\"gfx942\",\"node_id\":1}}],\"buffer_records\":{{\"kernel_dispatch\":[{}],\"hip_api\":[{}]}}}}]}}",
        dispatches.join(","),
        calls.join(",")
    )
}

/// Returns files of many kernels, each with its call, one for each format that holds calls.
fn long_runs() -> Vec<(&'static str, Vec<u8>)> {
    let count = u32::try_from(LAUNCHES).expect("it is a few");
    let kineto = (1..=LAUNCHES).map(|i| {
        let (at, done) = (i * 100, i * 100 + 50);
        format!(
            "{{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":{at}.5,\"dur\":1,\
             \"args\":{{\"correlation\":{i}}}}},{{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":{done}.5,\
             \"dur\":9,\"args\":{{\"device\":0,\"context\":1,\"stream\":7,\"correlation\":{i},\"grid\":[8,1,1],\
             \"block\":[64,1,1],\"registers per thread\":8,\"shared memory\":0}}}}"
        )
    });
    let kineto = format!("{{\"traceEvents\":[{}]}}", kineto.collect::<Vec<_>>().join(","));
    let mut table =
        "name,start_ns,duration_ns,grid_x,grid_y,grid_z,block_x,block_y,block_z\n".to_owned();
    let mut report = "Start (ns),Duration (ns),GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Device,Ctx,Strm,Name\n".to_owned();
    let mut rocprof = "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Kernel_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\
        \"End_Timestamp\",\"Private_Segment_Size\",\"Group_Segment_Size\",\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\
        \"Workgroup_Size_Z\",\"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\"\n".to_owned();
    for i in 1..=LAUNCHES {
        let (start, end) = (i * 1000, i * 1000 + 900);
        writeln!(table, "k,{start},900,8,1,1,64,1,1").expect("a string takes it");
        writeln!(report, "{start},900,8,1,1,64,1,1,8,0.000,0.000,A (0),1,7,k")
            .expect("a string takes it");
        writeln!(rocprof, "\"KERNEL_DISPATCH\",1,1,1,\"k\",{i},{start},{end},0,0,64,1,1,512,1,1")
            .expect("a string takes it");
    }
    let of_result = |schema| rocpd_db::of_result(rocprof_result(FEW).as_bytes(), schema);
    vec![
        ("rocpd database", of_result(rocpd_db::Schema::Columns)),
        ("rocpd database with stamps", of_result(rocpd_db::Schema::Stamps)),
        ("XPlane", xplane_pb::long_run(LAUNCHES as u64)),
        ("kineto", kineto.into_bytes()),
        ("launch table", table.into_bytes()),
        ("nsys report", report.into_bytes()),
        ("rocprof table", rocprof.into_bytes()),
        ("rocprof result", rocprof_result(LAUNCHES).into_bytes()),
        ("nsys database", nsys_db::long_run(count)),
        ("rocmProfileData", rpd_db::launches(count)),
    ]
}

/// Checks the memory that each launch adds to an import: its op and its call, as they are read and
/// as they become a profile.
#[allow(clippy::print_stdout, reason = "the figures are what a person wants to see")]
#[test]
fn a_launch_takes_at_most_150_bytes_while_it_is_read() {
    let _alone = ALONE.lock();
    let mut over = Vec::new();
    for (name, bytes) in long_runs() {
        let (peak, result) = peak(|| read("x", bytes.as_slice(), &ImportConfig::default()));
        let kernels = result.expect(name).report.kernels;
        let launches = if name.starts_with("rocpd") { FEW } else { LAUNCHES };
        assert_eq!(kernels, launches as u64, "{name}");
        println!("{name}: {} bytes a launch", peak / launches);
        // The database of Nsight Systems has a copy for ten launches, and nearly twice as many
        // calls.
        let more = match name {
            "nsys database" => LAUNCHES * (150 / 10 + 24),
            _ => 0,
        };
        let most = 150 * launches + more + (1 << 20);
        // Buffers of readers are as large for any file.
        if peak > most {
            over.push(format!("{name}: {} bytes", peak / launches));
        }
    }
    assert!(over.is_empty(), "{}", over.join(", "));
}
