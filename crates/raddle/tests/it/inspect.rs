//! Does `inspect` tell what is in a profile, and how well its replay agrees, with the right
//! figures?

use std::fs;

use crate::common::{Place, bare_table, kernel, sample, table, trace, train};
use serde_json::Value;

/// Returns a profile of odd kernels: two streams that overlap, a kernel of a communication library,
/// one that looks persistent, one that fits nowhere.
fn odd() -> String {
    let rows = table(&[
        "gemm      7  640 256 64 32768 0      9000   400000",
        "gemm      7  640 256 64 32768 2000   409000 400000",
        "reduce    7  80  512 32 4096  3000   811000 100000",
        "hold      8  80  128 32 0     5000   820000 150000",
        "ncclSend  8  2   640 96 0     6000   980000 20000",
        "vast      8  80  128 32 98305 7000   1010000 5000",
    ]);
    rows.replace("duration_ns\n", "duration_ns,priority\n")
        .lines()
        .map(|line| match line {
            line if line.contains(",8,") => format!("{line},-5\n"),
            line if line.contains(",7,") => format!("{line},\n"),
            line => format!("{line}\n"),
        })
        .collect()
}

fn document(place: &Place, args: &[&str]) -> Value {
    let ran = place.raddle(&[&["inspect", "--format", "json"], args].concat());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args:?}");
    serde_json::from_str(&ran.out).expect("it is JSON")
}

#[test]
fn what_is_in_a_profile_and_how_its_replay_agrees() {
    let place = Place::new();
    place.file("odd.csv", odd());
    let ran = place.raddle(&["inspect", "odd.csv", "--self-replay", "-v"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    insta::assert_snapshot!("self-replay", ran.out);
    assert!(ran.out.lines().all(|line| line.chars().count() <= 100), "{}", ran.out);
    assert_eq!(place.names("."), ["odd.csv"], "nothing is written");
}

/// Checks that without `-v` the answer fits on a screen: what takes the time, why the device was
/// idle, and what kernels need.
#[test]
fn the_first_screen_is_the_answer() {
    let place = Place::new();
    place.file("odd.csv", odd());
    let ran = place.raddle(&["inspect", "odd.csv"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    insta::assert_snapshot!("first-screen", ran.out);
    assert!(ran.out.lines().count() <= 40, "{}", ran.out);
}

#[test]
fn the_standard_input_is_a_profile() {
    let place = Place::new();
    let text = table(&["k 1 1280 128 32 0 0 4000 1000"]);
    place.file("stdin.csv", &text);
    let ran = place.ask(&["inspect", "-"], &text);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let file = place.raddle(&["inspect", "stdin.csv"]).out;
    assert_eq!(ran.out, file.replace("share stdin.csv", "share -"));
}

#[test]
fn the_document_of_one_kernel() {
    let place = Place::new();
    place.file("one.csv", table(&["k 1 1280 128 32 0 0 4000 1000"]));
    let args = ["inspect", "one.csv", "--format", "json", "--self-replay"];
    let ran = place.raddle(&args);
    insta::assert_snapshot!("document", ran.out);
    assert_eq!(place.raddle(&args).out, ran.out);
}

#[test]
fn several_profiles_each_with_its_own_device() {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("other.csv", train().replace("v100", "h100"));
    let found = document(&place, &["train.csv", "other.csv"]);
    let ids: Vec<&Value> =
        (0..2).map(|position| &found["profiles"][position]["device"]["id"]).collect();
    assert_eq!(ids, ["v100", "h100"]);
    assert_eq!(found["profiles"][0].get("self-replay"), None);
    // One device for all of them, whatever they say.
    let found = document(&place, &["train.csv", "other.csv", "--device", "A100"]);
    for position in 0..2 {
        let device = &found["profiles"][position]["device"];
        assert_eq!((&device["id"], &device["found"]), (&"a100".into(), &"named".into()));
    }
    let text = place.raddle(&["inspect", "train.csv", "other.csv", "-v"]).out;
    assert_eq!(text.lines().filter(|line| line.starts_with("Concurrency: ")).count(), 2);
}

#[test]
fn a_profile_of_an_unknown_device_is_told_without_residency() {
    let place = Place::new();
    place.file("bare.csv", bare_table(&["k 1 80 128 32 0 0 4000 1000"]));
    let ran = place.raddle(&["inspect", "bare.csv"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("device unknown, so nothing is said of residency"), "{words}");
    assert!(words.contains("--device v100") && !words.contains("limiter"), "{words}");
    let found = document(&place, &["bare.csv"]);
    assert_eq!(found["profiles"][0]["limits"], Value::Null);
    assert_eq!(found["profiles"][0]["by-kernel"][0]["shapes"][0]["placing"], Value::Null);
    let found = document(&place, &["bare.csv", "--device", "v100"]);
    assert_eq!(found["profiles"][0]["by-kernel"][0]["shapes"][0]["placing"]["resident"], 16);
}

#[test]
fn barriers_follow_the_rule() {
    let place = Place::new();
    place.file("train.csv", train());
    let assumed = |rule: &str| {
        let found = document(&place, &["train.csv", "--barriers", rule]);
        let origins = found["profiles"][0]["origins"].as_array().unwrap().clone();
        let barrier = origins.iter().find(|origin| origin["field"] == "barrier").unwrap().clone();
        barrier["assumed"].as_f64().unwrap()
    };
    assert_eq!((assumed("assume"), assumed("yes")), (1.0, 1.0));
}

#[test]
fn communication_follows_the_rule() {
    let place = Place::new();
    let rows = [
        "gemm     7 640 256 64 0 0    4000  1000",
        "ncclSend 8 2   640 96 0 0    6000  20000",
        "ncclSend 8 2   640 96 0 1000 30000 5000",
    ];
    place.file("t.csv", table(&rows));
    place.file("comm.csv", table(&rows[1..]));
    for (rule, kernels, left, now) in
        [("keep", 3, 25_000, 25_000), ("fixed", 3, 10_000, 10_000), ("drop", 1, 0, 0)]
    {
        let found = document(&place, &["t.csv", "--comm", rule]);
        let p = &found["profiles"][0];
        assert_eq!((ns(&p["kernels"]), ns(&p["communication"]["total-ns"])), (kernels, left));
        let comm = &p["comm"];
        let told = ["launches", "recorded-ns", "inspected-ns"].map(|key| ns(&comm[key]));
        assert_eq!((&comm["rule"], told), (&rule.into(), [2, 25_000, now]), "{rule}");
    }
    assert_eq!(document(&place, &["t.csv"]), document(&place, &["t.csv", "--comm", "keep"]));
    for (rule, words) in [
        ("drop", "Communication: 2 launches of 25.0 us left out (--comm drop)"),
        ("fixed", "so cut to 10.0 us of 25.0 us (--comm fixed)"),
    ] {
        let text = place.raddle(&["inspect", "t.csv", "--comm", rule]).out;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(words), "{text}");
    }
    let ran = place.raddle(&["inspect", "comm.csv", "--comm", "drop"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert!(ran.err.contains("leaves nothing of it: give `--comm fixed`"), "{}", ran.err);
}

/// Checks that persistent kernels are listed: long ones with one workgroup a compute unit, or a few
/// fewer.
#[test]
fn quirk_24_persistent_kernels_are_listed() {
    let place = Place::new();
    place.file(
        "t.csv",
        table(&[
            "hold  7 80 128 32 0 0 4000    150000",
            "short 7 80 128 32 0 0 154000  1000",
            "wide  7 81 128 32 0 0 155000  150000",
            "few   7 8  128 32 0 0 305000  150000",
        ]),
    );
    let found = document(&place, &["t.csv"]);
    let listed = found["profiles"][0]["limits"]["persistent"].as_array().unwrap();
    let names: Vec<_> = listed.iter().map(|p| (p["kernel"].clone(), ns(&p["launches"]))).collect();
    assert_eq!(names, [("hold".into(), 1)]);
    let text = place.raddle(&["inspect", "t.csv", "-v"]).out;
    assert!(text.contains("Persistent by their looks:\n  `hold`: 1 launch of 80"), "{text}");
}

/// Checks that the message that asks for a device names one of the vendor whose tool wrote the
/// profile.
#[test]
fn the_device_to_name_is_of_the_right_maker() {
    let place = Place::new();
    place.file(
        "t.csv",
        "Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,vgpr,sgpr,fbar,sig,\
         obj,DispatchNs,BeginNs,EndNs,CompleteNs\n0,\"k\",0,0,0,1,1,256,64,0,0,8,16,0,0x0,0x0,\
         100,200,300,400\n",
    );
    let ran = place.raddle(&["inspect", "t.csv", "--self-replay"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("such as `--device mi300x`"), "{}", ran.err);
}

#[test]
fn what_cannot_be_inspected_is_refused() {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("bare.csv", bare_table(&["k 1 80 128 32 0 0 4000 1000"]));
    place.file("strange.csv", train().replace("v100", "v101"));
    place.file("huge.csv", table(&["huge 1 80 128 32 98305 0 0 1000"]));
    place.file("notes.txt", "dear diary\n");
    place.file("cut.json", &trace("", &[&kernel("k", 20, 5)])[..200]);
    place.file("empty.json", "");
    fs::create_dir(place.path().join("runs")).unwrap();
    for (args, words) in [
        (&["gone.json"][..], &["gone.json cannot be read", "check the path"][..]),
        (&["runs"], &["runs is a folder"]),
        (&["notes.txt"], &["looks like text of another kind", "line 1"]),
        (&["empty.json"], &["empty.json is empty"]),
        (&["cut.json"], &["cut.json is not valid JSON", "export the trace again"]),
        (&["train.csv", "notes.txt"], &["notes.txt is no profile"]),
        (&["bare.csv", "--self-replay"], &["no device data in bare.csv", "--device v100"]),
        (&["strange.csv", "--self-replay"], &["`v101`, is not in the table", "`v100`"]),
        (&["huge.csv", "--self-replay"], &["none of the 1 launches can run", "--device"]),
    ] {
        let ran = place.raddle(&[&["inspect"], args].concat());
        assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{args:?}: {ran:?}");
        assert!(ran.err.starts_with("error: "), "{}", ran.err);
        for word in words {
            assert!(ran.err.contains(word), "`{word}` is missing in: {}", ran.err);
        }
    }
    for (args, word) in [
        (&["inspect"][..], "PROFILE"),
        (&["inspect", "train.csv", "--barriers", "maybe"], "maybe"),
        (&["inspect", "train.csv", "--recipe", "greedy"], "--recipe"),
        (&["--out", "a", "inspect", "train.csv"], "behind the verb"),
    ] {
        let ran = place.raddle(args);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{args:?}: {ran:?}");
        assert!(ran.err.contains(word), "`{word}` is missing in: {}", ran.err);
    }
    // Without a replay, what fits nowhere is only said to.
    for more in [&[][..], &["-v"]] {
        let ran = place.raddle(&[&["inspect", "huge.csv"], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        let out = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(out.contains("not even one fits on one SM: 1 launch, 100.0%"), "{out}");
    }
}

#[test]
fn names_from_outside_cannot_paint_on_the_terminal() {
    let place = Place::new();
    let text = table(&["bad\u{1b}[31mname st\u{1b}[2Jream 80 128 32 0 0 200000 150000"]);
    place.file("t.csv", text.replace("device = v100", "device = V100\u{1b}[31m"));
    let ran = place.raddle(&["inspect", "t.csv", "--device", "v100", "--self-replay"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("bad?[31mname") && !ran.out.contains('\u{1b}'), "{}", ran.out);
}

#[test]
fn no_metadata_of_a_source_goes_into_the_output() {
    let place = Place::new();
    fs::create_dir(place.path().join("secret-folder")).unwrap();
    let metadata = "\"username\":\"alice\",\"hostname\":\"secret-host\",\"cwd\":\"/alice/secret\",";
    let op = r#"{"ph":"X","cat":"cpu_op","name":"secret_module.py(3)","pid":9,"tid":9,"ts":10,"dur":3,"args":{"Call stack":"/alice"}}"#;
    place.file("secret-folder/run.json", trace(metadata, &[op, &kernel("gemm", 10, 20)]));
    for format in ["text", "json"] {
        let args = ["inspect", "secret-folder/run.json", "--self-replay", "--format", format];
        let ran = place.raddle(&args);
        assert_eq!(ran.code, 0, "{}", ran.err);
        // The command to run next names the file as it was given, for a shell.
        let out = ran.out.replace(" secret-folder/run.json", " run.json");
        assert!(!out.contains("secret") && !out.contains("alice"), "{out}");
    }
}

fn ns(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no count"))
}

/// Checks that the first line says why the device is idle most, and what to do about it.
#[test]
fn the_first_line_says_why_the_device_is_idle() {
    let place = Place::new();
    // Half of 400 us is a gap before a kernel that is issued when it begins.
    place.file(
        "host.csv",
        table(&["a 1 80 128 32 0 0 0 100000", "b 1 80 128 32 0 300000 300000 100000"]),
    );
    place.file(
        "late.csv",
        table(&["a 1 80 128 32 0 0 0 100000", "b 1 80 128 32 0 110000 300000 100000"]),
    );
    place.file("busy.csv", table(&["a 1 80 128 32 0 0 0 100000"]));
    let told = |files: &[&str]| {
        let ran = place.raddle(&[&["inspect"], files].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        let lines =
            ran.out.lines().take_while(|line| line.starts_with("->") || line.starts_with("   "));
        lines.map(str::trim).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        told(&["host.csv"]),
        "-> host leaves the device idle for 50.0% of 400 us, 50.0% because nothing was issued, above all after a: issue work earlier, or let another program use the device meanwhile."
    );
    let graphs = "47.5% because launches were on their way, above all after a: launch more work at once, by graphs or larger batches.";
    assert!(told(&["late.csv"]).ends_with(graphs), "{}", told(&["late.csv"]));
    let busy = "-> busy keeps the device busy: a kernel runs for 100.0% of 100 us.";
    assert_eq!(told(&["busy.csv"]), busy);
    let both = told(&["busy.csv", "host.csv"]);
    assert!(both.starts_with(busy) && both.matches("-> ").count() == 2, "{both}");
}

/// Returns the document that `inspect` prints of a sample; `None` where that is absent and need not
/// be there.
fn inspected(name: &str, args: &[&str]) -> Option<Value> {
    let path = sample(&format!("kineto_nvidia/{name}"))?;
    let found = document(
        &Place::new(),
        &[&[path.to_str().expect("samples have plain names")], args].concat(),
    );
    Some(found["profiles"][0].clone())
}

/// Returns (name, launches, time in ns) of each limiter of residency that occurs in a profile.
fn limiters(profile: &Value) -> Vec<(String, u64, u64)> {
    let by_limiter = profile["limits"]["by-limiter"].as_array().expect("a list").iter();
    let rows = by_limiter.map(|row| {
        let name = row["limiter"].as_str().expect("a name").to_owned();
        (name, ns(&row["launches"]), ns(&row["total-ns"]))
    });
    rows.filter(|(_, launches, _)| *launches > 0).collect()
}

/// Checks every figure of a V100 training run against those that a script of another language
/// computed from the JSON of the trace.
#[test]
fn a_v100_training_run() {
    let Some(p) = inspected("hta_trace_diff_test_v100.json.gz", &[]) else {
        return;
    };
    let running = &p["concurrency"];
    let times = ["none-ns", "one-ns", "two-ns", "more-ns", "busy-ns", "most"];
    assert_eq!(
        times.map(|key| ns(&running[key])),
        [123_793_000, 441_733_000, 179_014_000, 699_000, 621_446_000, 3]
    );
    let streams: Vec<_> = p["streams"].as_array().unwrap().iter().collect();
    let figures = |key: &str| streams.iter().map(|s| ns(&s[key])).collect::<Vec<_>>();
    assert_eq!(figures("kernels"), [9602, 0, 64, 210]);
    assert_eq!(figures("kernel-ns"), [541_450_000, 0, 251_341_000, 9_067_000]);
    assert_eq!(figures("busy-ns"), [636_464_000, 66_621_000, 251_341_000, 9_221_000]);
    assert_eq!(
        limiters(&p),
        [
            ("workgroups".to_owned(), 6, 43_000),
            ("waves".to_owned(), 5610, 142_331_000),
            ("vgpr".to_owned(), 3904, 640_438_000),
            ("lds".to_owned(), 356, 19_046_000)
        ]
    );
    let part = |part: &Value| (ns(&part["launches"]), ns(&part["total-ns"]));
    assert_eq!(part(&p["limits"]["fewer-than-cus"]), (3913, 292_430_000));
    assert_eq!(part(&p["limits"]["one-round"]), (7391, 381_387_000));
    assert_eq!(part(&p["communication"]), (64, 251_341_000));
    assert_eq!((ns(&p["shapes"]), p["by-kernel"].as_array().unwrap().len()), (459, 131));
    let longest = &p["by-kernel"][0];
    assert!(longest["name"].as_str().unwrap().starts_with("ncclKernel_SendRecv_RING_SIMPLE"));
    let times = ["launches", "total-ns", "median-ns", "max-ns"];
    assert_eq!(times.map(|key| ns(&longest[key])), [43, 159_259_000, 456_000, 10_705_000]);
    let arrivals = ["known", "wait-p50-ns", "wait-p99-ns"].map(|key| ns(&p["arrivals"][key]));
    assert_eq!(arrivals, [9330, 41_609_000, 70_993_000]);
}

#[test]
fn a_b200_inference_run_and_its_replay() {
    let plain = ["--self-replay", "--launch-latency", "none"];
    let Some(p) = inspected("tracelens_b200_eager.json.gz", &plain) else { return };
    // From the JSON of the trace by a script of another language.
    let running = &p["concurrency"];
    let times = ["none-ns", "one-ns", "two-ns", "more-ns", "busy-ns", "most"];
    assert_eq!(
        times.map(|key| ns(&running[key])),
        [73_751_403, 10_724_360, 69_278, 0, 10_793_638, 2]
    );
    assert_eq!(
        limiters(&p),
        [
            ("workgroups".to_owned(), 1, 1984),
            ("waves".to_owned(), 476, 3_933_498),
            ("vgpr".to_owned(), 291, 6_927_434)
        ]
    );
    assert_eq!(ns(&p["limits"]["one-round"]["total-ns"]), 5_015_061);
    let found = &p["self-replay"];
    let waits = &found["waits"];
    let figures = [
        "kernels",
        "recorded-p50-ns",
        "recorded-p95-ns",
        "launches",
        "launch-p50-ns",
        "handovers",
        "handover-p50-ns",
    ];
    assert_eq!(figures.map(|key| ns(&waits[key])), [768, 10_060, 99_249, 623, 10_060, 145, 0]);
    assert_eq!(ns(&found["busy"]["recorded-ns"]), 10_793_638);
    // From the replay: half the kernels start at once when they are launched.
    assert_eq!((ns(&waits["error-p50-ns"]), ns(&waits["early"])), (10_056, 768));
    assert_eq!(waits["within"], 0.0);
    assert_eq!((ns(&found["ran"]), ns(&found["order"]["inverted"])), (768, 0));
    let sum = |causes: &Value| -> i64 {
        causes.as_array().unwrap().iter().map(|part| part["ns"].as_i64().unwrap()).sum()
    };
    assert_eq!(sum(&waits["causes"]) as u64, ns(&waits["error-ns"]));
    let busy = &found["busy"];
    let change = ns(&busy["simulated-ns"]) as i64 - ns(&busy["recorded-ns"]) as i64;
    assert_eq!(sum(&busy["causes"]), change);
    assert!(busy["difference"].as_f64().unwrap().abs() < 0.05, "{busy}");
}

/// Checks three launches in three idle streams of an A100 against figures computed by hand from the
/// trace.
#[test]
fn three_streams_of_an_a100() {
    let sample = "hta_cuda_event_sync_multi_stream.json.gz";
    let plain = ["--self-replay", "--launch-latency", "none", "--waits", "none"];
    let Some(p) = inspected(sample, &plain) else { return };
    let found = &p["self-replay"];
    let figures = ["error-p50-ns", "error-p95-ns", "error-ns", "early", "launches", "handovers"];
    assert_eq!(figures.map(|key| ns(&found["waits"][key])), [16_000, 30_000, 61_000, 3, 1, 2]);
    assert_eq!(found["waits"]["carried"], 0.0164);
    assert_eq!(ns(&found["busy"]["simulated-ns"]), 369_000);
    // Of the waits 1, 2 and 3 from launch to start two are nearly alike.
    let Some(p) = inspected(sample, &["--self-replay"]) else { return };
    let found = &p["self-replay"];
    let (before, after) = (&found["before"]["within"], &found["waits"]["within"]);
    assert_eq!((before, after), (&0.0.into(), &0.6667.into()));
    assert_eq!(found["stream-waits"], serde_json::json!([1, 0]));
}

#[test]
fn a_device_that_only_has_a_neighbour_in_the_table_is_marked_as_assumed() {
    let place = Place::new();
    for (device, said) in [
        (
            "NVIDIA A100-SXM-64GB",
            "NVIDIA A100 40GB (a100, assumed, 108 SMs): assumed, as its nearest neighbour in the \
             device table; `NVIDIA A100-SXM-64GB` in the file",
        ),
        ("NVIDIA A100-SXM4-40GB", "NVIDIA A100 40GB (a100, 108 SMs): in the device table"),
    ] {
        let text = train().replace("device = v100", &format!("device = {device}"));
        place.file("t.csv", text);
        let ran = place.raddle(&["inspect", "t.csv"]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(said), "{words}");
    }
}

/// Checks that a search for the printed lengths alone refuses no workgroup of the profile. A V100
/// has 4 SIMDs; a granule is 8 registers of a lane, or 256 bytes of LDS.
#[test]
fn amounts_are_those_that_workgroups_want_and_the_search_of_them_refuses_nothing() {
    let place = Place::new();
    let rows = [
        // Two waves a SIMD of 8 granules each.
        "wide  1 1000 256 64 32768 0    4000  100000",
        // One wave a SIMD, and no LDS.
        "small 1 10   128 32 0     1000 110000 5000",
        // Five waves, so that one SIMD has two of 6 granules.
        "odd   1 990  160 48 256   2000 120000 90000",
    ];
    place.file("a.csv", table(&rows));
    let amounts =
        |option: &str| document(&place, &["a.csv", option])["profiles"][0]["amounts"].clone();
    let told = amounts("--amounts");
    let runs = |at: usize| -> Vec<(u64, f64)> {
        let all = told["resources"][at]["amounts"].as_array().unwrap();
        let one = |it: &Value| (it["granules"].as_u64().unwrap(), it["share"].as_f64().unwrap());
        all.iter().map(one).collect()
    };
    assert_eq!(told["resources"][0]["resource"], "vgpr");
    assert_eq!(runs(0), [(4, 0.005), (6, 0.495), (12, 0.495), (16, 0.5)]);
    assert_eq!(runs(1), [(1, 0.495), (128, 0.5)]);
    let search = "search = { sampled = { amounts = { vgpr = [4, 6, 12, 16], lds = [1, 128] } } }";
    assert_eq!(told["search"], search);
    // Lengths that fewer workgroups want than 1 % are left out, except for the longest; their
    // workgroups take the next longer run.
    let few = "search = { sampled = { amounts = { vgpr = [6, 12, 16], lds = [1, 128] } } }";
    assert_eq!(amounts("--amounts=1")["search"], few);
    assert_eq!(
        amounts("--amounts=99")["search"],
        "search = { sampled = { amounts = { vgpr = [16], lds = [128] } } }"
    );
    for search in [search, few] {
        let set = format!("allocate.{search}");
        let args =
            ["replay", "a.csv", "--recipe=matching", "--no-files", "--format=json", "--set", &set];
        let ran = place.raddle(&args);
        let replay: Value = serde_json::from_str(&ran.out).expect("it is JSON");
        let summary = &replay["recipes"][0]["summary"];
        assert_eq!((ran.code, &summary["processes"][0]["ended"]), (0, &3.into()), "{}", ran.err);
    }
    let text = place.raddle(&["inspect", "a.csv", "--amounts"]).out;
    assert!(text.contains("For a recipe") && text.contains("of workgroups"), "{text}");
}
