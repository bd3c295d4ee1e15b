//! Does every refusal say what is wrong, where, and what to do?

use std::io::{self, Read};

use crate::common::{fixture, refusal};
use raddle_trace::{ImportConfig, OpKind, TraceError, open, read};

fn of(text: &str) -> TraceError {
    read("x", text.as_bytes(), &ImportConfig::default()).expect_err(text)
}

#[test]
fn folders_missing_files_and_empty_files() {
    let folder = open(&fixture(""), &ImportConfig::default()).unwrap_err();
    assert!(matches!(folder, TraceError::Directory { .. }), "{folder}");
    assert!(matches!(refusal("no-such-file"), TraceError::Unreadable { .. }));
    assert_eq!(
        of("").to_string(),
        "x is empty: the profiler may have been stopped before it wrote; record again"
    );
    assert!(matches!(of(" \n\u{feff}"), TraceError::NotAProfile { .. }));
    assert!(matches!(of(" \n"), TraceError::Empty { .. }));
}

#[test]
fn a_failing_disk_is_not_taken_for_a_short_file() {
    struct Failing(bool);
    impl Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if std::mem::replace(&mut self.0, true) {
                return Err(io::Error::other("the disk is gone"));
            }
            let text = b"{\"traceEvents\":[{\"ph\":\"X\"},";
            buffer[..text.len()].copy_from_slice(text);
            Ok(text.len())
        }
    }
    let error = read("x", Failing(false), &ImportConfig::default()).unwrap_err();
    assert!(matches!(error, TraceError::Unreadable { .. }), "{error}");
}

#[test]
fn other_files_are_named_for_what_they_look_like() {
    assert!(of("SQLite format 3\0...").to_string().contains("an SQLite database"));
    assert!(of("<!DOCTYPE html>").to_string().contains("HTML"));
    let packed = |bytes: &[u8]| read("x", bytes, &ImportConfig::default()).unwrap_err().to_string();
    assert!(
        packed(b"\x28\xb5\x2f\xfd\0").contains("a zstd file")
            && packed(b"\x28\xb5\x2f\xfd\0").contains("`zstd -d FILE`")
    );
    assert!(packed(b"\xfd7zXZ\0").contains("`xz -d FILE`"));
    assert!(of("version https://git-lfs.github.com/spec/v1").to_string().contains("Git LFS"));
    // The file may be any, and private.
    for (text, kind) in
        [("hello\nworld", "like text of another kind"), ("hello\0", "like bytes of")]
    {
        let told = of(text).to_string();
        assert!(told.contains(kind) && !told.contains("hello"), "{told}");
    }
}

#[test]
fn arrivals_are_sent_to_the_option_that_takes_them() {
    for (text, what) in [
        ("{\"time\":1,\"tasks\":[{\"id\":\"a\"}]}", "a workload of DISB"),
        ("{\"time\":1,\"rt\":[],\"be\":[]}", "a load of REEF"),
        ("{\"timestamp\":0,\"input_length\":5}\n{\"timestamp\":1}\n", "trace of Mooncake"),
        ("TIMESTAMP,ContextTokens,GeneratedTokens\n", "trace of Azure"),
    ] {
        let error = of(text).to_string();
        let option = "`raddle replay PROFILE --arrivals FILE`";
        assert!(error.contains(what) && error.contains(option), "{error}");
    }
}

#[test]
fn markdown_is_no_launch_table() {
    for text in ["# Title\n\nSome words, and more.\n", "# only\n# comments\n"] {
        assert!(matches!(of(text), TraceError::NotAProfile { .. }), "{text}");
    }
    let table = "# made by a script\n\n#\nname,grid_x\n";
    assert!(matches!(of(table), TraceError::Header { .. }), "{}", of(table));
    assert!(matches!(of("# raddle launch table 2\nx\n"), TraceError::Header { .. }));
}

#[test]
fn json_of_something_else() {
    assert_eq!(
        refusal("other.json").to_string().split_once(" is ").unwrap().1,
        "JSON but no profile: it has one key, and not `traceEvents`. A PyTorch profiler trace is an \
         object with `traceEvents` or an array of events, a rocprofv3 result an object that \
         begins with `rocprofiler-sdk-tool`. Profiles in other forms, such as an SQLite export or \
         cuda_gpu_trace report (.csv) of Nsight Systems, a table of kernels of rocprof (.csv) and \
         a launch table, are in docs/profiles.md"
    );
    assert!(
        refusal("numbers.json").to_string().contains("an array of 6 values that are no events")
    );
    let broken = refusal("broken.json");
    assert!(matches!(broken, TraceError::NotJson { byte: 17, .. }), "{broken}");
    assert!(matches!(of("{\"traceEvents\""), TraceError::NotJson { byte: 14, .. }));
}

#[test]
fn a_trace_without_kernels_tells_what_it_has() {
    let error = refusal("no-kernels.json").to_string();
    assert!(
        error.contains("no GPU kernels, but 1 CUDA call, which launches nothing: the GPU was"),
        "{error}"
    );
    assert!(refusal("null-events.json").to_string().contains("it holds no events at all"));
    assert!(matches!(of("[]"), TraceError::NoKernels { .. }));
    let cut = of("{\"traceEvents\":[{\"ph\":");
    assert!(matches!(cut, TraceError::BreaksOff { byte: 16, .. }), "{cut}");
}

/// Checks a trace whose calls and copies show that the GPU was recorded, so that switching that on
/// is no cure.
#[test]
fn a_trace_without_launches_is_not_told_to_switch_the_gpu_on() {
    let event = |cat: &str, name: &str, ts: u64| {
        format!(r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":1,"ts":{ts},"dur":1}}"#)
    };
    let of_events = |events: &[String], more: &str| {
        of(&format!(r#"{{{more}"traceEvents":[{}]}}"#, events.join(","))).to_string()
    };
    let calls = |name: &str, count: u64| -> Vec<String> {
        (0..count).map(|at| event("cuda_runtime", name, at)).collect()
    };
    let copies: Vec<String> = (0..12).map(|at| event("gpu_memcpy", "Memcpy HtoD", at)).collect();
    for (events, told) in [
        (calls("cudaDeviceSynchronize", 11), "but 11 CUDA calls, none of them a launch: "),
        (calls("hipMalloc", 2), "but 2 HIP calls, none of them a launch: "),
        (copies, "but 12 copies: "),
    ] {
        let error = of_events(&events, "");
        assert!(error.contains(told) && error.contains("from before the first launch"), "{error}");
        assert!(!error.contains("switched on"), "{error}");
    }
    let host = [event("cpu_op", "aten::mm", 1)];
    let error = of_events(&host, r#""deviceProperties":[{"id":0,"name":"NVIDIA H100"}],"#);
    assert!(error.contains("but only `cpu_op` and the description of `NVIDIA H100`"), "{error}");
    assert!(error.contains("ProfilerActivity.CUDA") && error.contains("on the CPU"), "{error}");
    assert!(of_events(&host, "").contains("switched on"), "no GPU was seen");
    let error = of_events(&calls("hipLaunchKernel", 19), "");
    assert!(error.contains("19 launches were made") && error.contains("rocprofv3"), "{error}");
    assert!(error.contains("torch.profiler"), "PyTorch wrote it: {error}");
}

#[test]
fn a_trace_with_only_useless_kernels_tells_why() {
    let error = refusal("backwards.json").to_string();
    assert!(error.contains("2 kernels but none can be used (2 malformed)"), "{error}");
}

#[test]
fn an_amd_trace_without_any_grid_is_all_opaque() {
    let text = std::fs::read_to_string(fixture("amd.json")).unwrap();
    let text = text.replace(",\"grid\":[16384,1,1],\"block\":[256,1,1]", "");
    let p = read("x", text.as_bytes(), &ImportConfig::default()).unwrap();
    assert!(p.ops.iter().all(|op| op.is_opaque() == (op.kind == OpKind::Kernel)));
    let unknown = p.unknown_time();
    assert_eq!((p.report.kernels, p.report.met("no-shape"), unknown.opaque), (2, 2, 2));
    assert!(unknown.is_much() && unknown.opaque_ns == unknown.kernel_ns);
}

#[test]
fn a_gzip_file_without_anything_whole() {
    let bytes = std::fs::read(fixture("truncated.json.gz")).unwrap();
    for len in [2, 9, 30] {
        let error = read("x", &bytes[..len], &ImportConfig::default()).unwrap_err();
        assert!(matches!(error, TraceError::TruncatedGzip { .. }), "{len}: {error}");
    }
}
