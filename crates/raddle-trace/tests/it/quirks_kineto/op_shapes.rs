//! Do the shapes of ops on the host tell the work of exactly the kernels that they are of?

use raddle_testkit::sample;
use raddle_trace::{CommRule, ImportConfig, LaunchWork, Profile, open, read};

use super::{V100, call, event, kernel_with, text_of};

/// Writes an op of the host from `ts` on for `dur`, with dimensions of tensors of floats.
fn op(name: &str, ts: &str, dur: &str, dims: &str) -> String {
    let count = dims.matches("],[").count() + 1;
    let types = vec!["\"float\""; count].join(",");
    let args = format!(r#""dur":{dur},"args":{{"Input Dims":{dims},"Input type":[{types}]}}"#);
    event("cpu_op", name, ts, &args)
}

fn kernel(name: &str, ts: &str, correlation: u64) -> String {
    kernel_with(name, ts, "5", &format!("\"correlation\":{correlation}"))
}

fn shaped() -> ImportConfig {
    ImportConfig { op_shapes: true, ..ImportConfig::default() }
}

/// Returns (name of the kernel, bytes) of each launch whose work is known.
fn works(profile: &Profile) -> Vec<(&str, u64)> {
    let of = |op: u32| &*profile.kernels[profile.ops[op as usize].kernel as usize];
    profile.works.iter().map(|it| (of(it.op), it.work.bytes)).collect()
}

/// Returns a trace in which the kernels are not in the order of their calls.
fn trace() -> String {
    let events = [
        // A product inside of an op of another meaning, which also launches a kernel itself.
        op("aten::add", "100", "50", "[[1000],[1000]]"),
        op("aten::mm", "110", "10", "[[2,3],[3,5]]"),
        call("cudaLaunchKernel", "112", 1),
        call("cudaLaunchKernel", "130", 2),
        // Two kernels of one op, and one of an op that nobody knows inside of a known one.
        op("aten::mul", "200", "50", "[[1000],[1000]]"),
        call("cudaLaunchKernel", "201", 3),
        call("cudaLaunchKernel", "210", 4),
        op("aten::relu", "300", "50", "[[1000]]"),
        op("mine::relu", "300", "40", "[[1000]]"),
        call("cudaLaunchKernel", "301", 5),
        // Of two ops with equal times nobody knows which is inside of the other.
        op("aten::exp", "400", "50", "[[1000]]"),
        op("aten::sin", "400", "50", "[[1000]]"),
        call("cudaLaunchKernel", "401", 6),
        // A call behind all ops, and one of another thread.
        call("cudaLaunchKernel", "500", 7),
        call("cudaLaunchKernel", "130", 8).replace("\"tid\":7", "\"tid\":8"),
        kernel("behind", "1500", 7),
        kernel("adds", "1300", 2),
        kernel("multiplies", "1200", 1),
        kernel("one", "1310", 3),
        kernel("two", "1320", 4),
        kernel("unknown", "1330", 5),
        kernel("either", "1340", 6),
        kernel("elsewhere", "1350", 8),
    ];
    text_of(V100, &events)
}

#[test]
fn a_kernel_has_the_work_of_the_innermost_op_that_launched_it_alone() {
    let text = trace();
    let found = read("a.json", text.as_bytes(), &shaped()).unwrap();
    assert_eq!(works(&found), [("multiplies", 4 * (6 + 15 + 10)), ("adds", 12_000)]);
    assert_eq!(found.works[0].work, LaunchWork { bytes: 124, flops: 60 });
    // A part of the profile keeps its works.
    assert_eq!(works(&found.window(1, 3)), [("adds", 12_000)]);
    // Nothing is read unasked, and all else stays the same.
    let plain = read("a.json", text.as_bytes(), &ImportConfig::default()).unwrap();
    assert_eq!((plain.works.len(), &plain.ops), (0, &found.ops));
}

#[test]
fn works_stay_with_their_kernels_where_others_are_left_out() {
    let other = V100.replace("\"id\":0", "\"id\":1");
    let text = trace()
        .replace("\"traceEvents\":[", &format!("\"traceEvents\":[{},", kernel("far", "1", 9)))
        .replacen("\"device\":0", "\"device\":1", 1)
        .replace(V100, &format!("{V100},{other}"))
        .replace("\"behind\"", "\"ncclDevKernel_AllReduce\"");
    let mut found = read("a.json", text.as_bytes(), &shaped()).unwrap();
    let both = [("multiplies", 124), ("adds", 12_000)];
    assert_eq!(works(&found), both);
    // Communication comes first now, and is taken out.
    let early = text.replace("\"ts\":1500", "\"ts\":1100");
    let mut early = read("a.json", early.as_bytes(), &shaped()).unwrap();
    assert_eq!(works(&early), both);
    for profile in [&mut found, &mut early] {
        CommRule::Drop.apply(profile);
        assert_eq!(works(profile), both);
    }
}

/// Checks how many kernels of sample profiles have a known work.
#[test]
fn shapes_of_samples_tell_the_work_of_many_kernels() {
    let known = [
        ("kineto_nvidia/hta_trace_diff_control_a100.json.gz", 6336),
        ("kineto_nvidia/hta_timeline_sampled_rank0.json.gz", 846),
        ("kineto_nvidia/tracelens_b200_eager.json.gz", 365),
        ("kineto_amd/tracelens_mi300x_resnet_act_checkpoint.json.gz", 618),
        ("kineto_amd/tracelens_mi_vllm_decode_hipgraph.json.gz", 3),
    ];
    let found = known.map(|(file, known)| {
        let count = sample(file).map(|path| open(&path, &shaped()).unwrap().works.len());
        (file, count.unwrap_or(known))
    });
    assert_eq!(found, known);
}
