//! Is what ran told from what did not, with its device, shape and claims?

use raddle_policy::Barrier;
use raddle_trace::{Field, ImportConfig, OpKind, Origin, read};

use super::{MI300X, V100, count, event, kernel, kernel_with, refused, text_of, trace, with};
use crate::common::names;

#[test]
fn quirk_11_without_device_properties_the_user_must_name_it() {
    let p = trace(&format!(r#"{{"traceEvents":[{}]}}"#, kernel("a", "1", "1")));
    assert_eq!((p.device.clone(), count(&p, "no-device")), (None, 1));
    let empty = with("", &[kernel("a", "1", "1")]);
    assert_eq!((empty.device.clone(), count(&empty, "no-device")), (None, 1));
}

#[test]
fn quirk_11_of_several_devices_that_of_the_kernels_is_taken() {
    let other = V100.replace("Tesla V100-SXM2-16GB", "Quadro").replace("\"id\":0", "\"id\":1");
    let on_1 = kernel("a", "1", "1").replace("\"device\":0", "\"device\":1");
    let p = with(&format!("{V100},{other}"), &[on_1]);
    assert_eq!(p.device.expect("it is listed").name, "Quadro");
}

#[test]
fn quirk_12_words_where_numbers_belong() {
    let odd = r#""blocks per SM":"inf","warps per SM":"inf","memory bandwidth (GB/s)":"N/A","x":"<unsupported metadata type>""#;
    let p = with(V100, &[kernel_with("a", "1", "1", odd)]);
    assert_eq!((names(&p), p.ops[0].workgroups), (vec!["a"], 2));
    assert_eq!(count(&p, "malformed"), 0);
    let worded = kernel("b", "1", "1").replace("\"shared memory\":0", "\"shared memory\":\"inf\"");
    let p = with(V100, &[worded]);
    assert_eq!((count(&p, "no-shared-memory"), p.ops[0].footprint.barrier), (1, Barrier::Assumed));
}

#[test]
fn quirk_13_zero_registers_are_unknown_and_zero_occupancy_is_a_claim() {
    let zero = kernel_with("a", "1", "1", r#""queued":0,"est. achieved occupancy %":0"#);
    let p =
        with(V100, &[zero.replace("\"registers per thread\":32", "\"registers per thread\":0")]);
    assert_eq!(count(&p, "no-registers"), 1);
    assert_eq!(p.ops[0].provenance.of(Field::Registers), Origin::Assumed);
    assert_eq!(p.ops[0].claimed_percent, Some(0));
    assert_eq!(with(V100, &[kernel("a", "1", "1")]).ops[0].claimed_percent, None);
}

#[test]
fn quirk_14_a_workgroup_need_not_fill_its_waves() {
    let sized = |block: &str| kernel("a", "1", "1").replace("[64,1,1]", block);
    assert_eq!(with(V100, &[sized("[7,7,1]")]).ops[0].footprint.threads, 49);
    assert_eq!(with(V100, &[sized("[800,1,1]")]).ops[0].footprint.threads, 800);
}

#[test]
fn quirk_17_the_work_of_other_devices_is_left_out_and_counted() {
    let on_1 = |name: &str, ts: &str| kernel(name, ts, "1").replace("\"device\":0", "\"device\":1");
    let events = [on_1("x", "1"), kernel("a", "2", "1"), on_1("y", "3"), on_1("z", "4")];
    let p = with(V100, &events);
    assert_eq!((names(&p), count(&p, "other-device")), (vec!["x", "y", "z"], 1));
    assert_eq!(count(&p, "device-not-listed"), 1);
    let options = ImportConfig { device: Some(0), ..ImportConfig::default() };
    let p = read("x", text_of(V100, &events).as_bytes(), &options).unwrap();
    assert_eq!((names(&p), count(&p, "other-device")), (vec!["a"], 3));
}

#[test]
fn quirk_20_collectives_are_kernels_and_their_groups_do_not_leave_the_trace() {
    let args = r#""Collective name":"allreduce","In msg nelems":8,"dtype":"Float","Process Group Name":"tp of someone","Process Group Ranks":"[0, 1]","Group size":2"#;
    let p =
        with(V100, &[kernel_with("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", "1", "5", args)]);
    assert_eq!(names(&p), ["ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)"]);
    assert_eq!(p.ops[0].duration_ns, 5_000);
    assert!(!format!("{p:?}").contains("someone"));
}

#[test]
fn quirk_23_annotations_and_synchronisation_are_no_work() {
    let lane = |cat: &str| {
        event(cat, "step", "0.999", r#""dur":9.002,"args":{"stream":7,"device":0,"correlation":4}"#)
    };
    let events = [
        lane("gpu_user_annotation"),
        kernel("a", "1.000", "2.000"),
        lane("cuda_sync"),
        lane("overhead"),
        kernel("b", "5.000", "1.000"),
        event(
            "cuda_sync",
            "Stream Wait Event",
            "7",
            r#""dur":1,"args":{"wait_on_stream":-1,"stream":7}"#,
        ),
    ];
    let p = with(V100, &events);
    assert_eq!((names(&p), p.ops[1].after), (vec!["a", "b"], Some(0)));
    assert_eq!(count(&p, "gpu-annotation"), 1);
    let told = refused(&text_of(V100, &[lane("cuda_sync")]));
    assert!(told.contains("but 1 CUDA call, which launches nothing"), "{told}");
}

#[test]
fn the_arguments_of_2026_are_read_or_passed_over() {
    let args = r#""priority":-5,"channel":3,"channel_type":1,"graph id":0,"graph node id":0,"occupancy":{"activeBlocksPerMultiprocessor":4,"limitingFactors":"SMEM|WARPS","blockLimitRegs":2147483647,"blockLimitSharedMem":4,"blockLimitWarps":4,"blockLimitBlocks":32,"blockLimitBarriers":2147483647,"allocatedRegistersPerBlock":2048,"allocatedSharedMemPerBlock":1024},"est. achieved occupancy %":25"#;
    let p = with(V100, &[kernel_with("a", "1", "1", args), kernel_with("b", "3", "1", args)]);
    assert_eq!((p.ops[0].priority, p.ops[0].kind), (Some(-5), OpKind::Kernel));
    assert_eq!(p.ops[1].claimed_percent, Some(25));
}

/// Writes an event of PyTorch's allocator with its totals in bytes (allocated, reserved); types of
/// devices are 0 for hosts, 1 for CUDA, 6 for HIP.
fn allocator(cat: &str, kind: u32, device: u32, totals: [u64; 2]) -> String {
    let [allocated, reserved] = totals;
    format!(
        r#"{{"ph":"i",{cat}"s":"t","name":"[memory]","pid":9,"tid":9,"ts":1,"args":{{"Total Reserved":{reserved},"Total Allocated":{allocated},"Bytes":-512,"Device Id":{device},"Device Type":{kind},"Addr":1}}}}"#
    )
}

#[test]
fn the_allocator_tells_how_much_memory_was_held_at_most() {
    let now = r#""cat":"cpu_instant_event","#;
    let held = |device: &str, events: &[String]| {
        let p = with(device, &[&[kernel("a", "1", "2")], events].concat());
        assert_eq!(p.report.met("malformed"), 0);
        assert_eq!(p.window(0, 1).memory_bytes, p.memory_bytes);
        p.memory_bytes
    };
    assert_eq!(held(V100, &[]), None);
    let grows = [[100, 400], [300, 400], [200, 700], [50, 600]];
    let cuda: Vec<String> = grows.iter().map(|&totals| allocator(now, 1, 0, totals)).collect();
    assert_eq!(held(V100, &cuda), Some(700), "the most that was reserved");
    assert_eq!(held(V100, &[allocator("", 1, 0, [9, 0])]), Some(9), "no category, none reserved");
    assert_eq!(held(V100, &[allocator(now, 0, 0, [9, 9])]), None, "memory of the host");
    assert_eq!(held(V100, &[allocator(now, 1, 0, [0, 0])]), None);
    assert_eq!(held(MI300X, &[allocator(now, 6, 0, [7, 8])]), Some(8));
    let two = [allocator(now, 1, 0, [1, 1]), allocator(now, 1, 3, [2, 2])];
    assert_eq!(held(V100, &two), Some(1), "the device of the kernels");
    assert_eq!(held(V100, &two[1..]), Some(2), "the only one, though numbered otherwise");
}
