//! How many bytes of uncompressed profile does an import take in a second?
//!
//! The file is in memory. What is not among the samples (`RADDLE_SAMPLES`) is skipped. Goal: 250 MB/s of
//! Kineto text.

use std::hint::black_box;
use std::io::Read;

use divan::Bencher;
use divan::counter::BytesCount;
use flate2::read::MultiGzDecoder;
use raddle_trace::{ImportConfig, read};

#[cfg(feature = "sqlite")]
#[path = "../tests/it/nsys_db/mod.rs"]
mod nsys_db;
#[cfg(feature = "sqlite")]
#[path = "../tests/it/rocpd_db/mod.rs"]
mod rocpd_db;
#[cfg(feature = "sqlite")]
#[path = "../tests/it/rpd_db/mod.rs"]
mod rpd_db;

const FILES: [&str; 4] = [
    "kineto_nvidia/hta_trace_diff_test_v100.json.gz",
    "kineto_nvidia/tracelens_b200_eager.json.gz",
    "kineto_amd/tracelens_mi300x_resnet_act_checkpoint.json.gz",
    "rocprof/tracelens_mi350x_rocprofv3_908_results.json.gz",
];

fn main() {
    divan::main();
}

/// Lists the files to import that are among the samples.
fn samples() -> Vec<&'static str> {
    let folder = raddle_testkit::samples();
    FILES.into_iter().filter(|file| folder.join(file).is_file()).collect()
}

fn import(bencher: Bencher<'_, '_>, bytes: &[u8], text: usize) {
    bencher.counter(BytesCount::new(text)).bench_local(|| {
        read("bench", black_box(bytes), &ImportConfig::default()).expect("the sample imports")
    });
}

fn packed_and_text(file: &str) -> (Vec<u8>, Vec<u8>) {
    let packed = std::fs::read(raddle_testkit::samples().join(file)).expect("the sample is there");
    let mut text = Vec::new();
    MultiGzDecoder::new(packed.as_slice()).read_to_end(&mut text).expect("the sample is whole");
    (packed, text)
}

#[divan::bench(args = samples())]
fn text(bencher: Bencher<'_, '_>, file: &str) {
    let (_, text) = packed_and_text(file);
    import(bencher, &text, text.len());
}

#[divan::bench(args = samples())]
fn gzip(bencher: Bencher<'_, '_>, file: &str) {
    let (packed, text) = packed_and_text(file);
    import(bencher, &packed, text.len());
}

/// Imports the repeated planes of a real profile of JAX, 100 MB of them. Goal: 150 MB/s.
#[cfg(feature = "xplane")]
#[divan::bench]
fn xplane(bencher: Bencher<'_, '_>) {
    let file = raddle_testkit::samples().join("jax/tracelens_mi300_conv.xplane.pb");
    let Ok(planes) = std::fs::read(file) else { return };
    let bytes = planes.repeat(100_000_000 / planes.len());
    import(bencher, &bytes, bytes.len());
}

/// Imports a rocpd database with 43,915 dispatches of a real run. Goal: 150 MB/s.
#[cfg(feature = "sqlite")]
#[divan::bench]
fn rocpd(bencher: Bencher<'_, '_>) {
    const RUN: &str = "rocprof/tracelens_mi350x_rocprofv3_908_results.json.gz";
    if !raddle_testkit::samples().join(RUN).is_file() {
        return;
    }
    let bytes = rocpd_db::of_result(&packed_and_text(RUN).1, rocpd_db::Schema::Columns);
    import(bencher, &bytes, bytes.len());
}

/// Imports a database of rocmProfileData with `ops` ops of as many calls. Goal: 150 MB/s.
#[cfg(feature = "sqlite")]
#[divan::bench(args = [100_000])]
fn rpd(bencher: Bencher<'_, '_>, ops: u32) {
    let bytes = rpd_db::launches(ops);
    import(bencher, &bytes, bytes.len());
}

/// Imports an SQLite export of Nsight Systems with this many kernels, as many other calls, and
/// 10,000 copies. Goal: 1 s.
#[cfg(feature = "sqlite")]
#[divan::bench(args = [100_000])]
fn nsys(bencher: Bencher<'_, '_>, kernels: u32) {
    let bytes = nsys_db::long_run(kernels);
    import(bencher, &bytes, bytes.len());
}
