//! Which policy does the tool advise, for whom, and with which exit code?

use serde_json::Value;

use crate::common::Place;

/// The pair whose inference request takes 9.5 ms alone, beside a training step.
fn demo() -> Place {
    let place = Place::new();
    place.file("decode.csv", include_str!("../../data/demo/decode.csv"));
    place.file("train.csv", include_str!("../../data/demo/train.csv"));
    place
}

/// A replay without files, as a document.
fn replay(place: &Place, code: i32, args: &[&str]) -> Value {
    let ran = place.raddle(&[&["replay"], args, &["--no-files", "--format", "json"]].concat());
    assert_eq!(ran.code, code, "{}", ran.err);
    serde_json::from_str(&ran.out).expect("it is JSON")
}

fn ranked(value: &Value) -> Vec<&str> {
    let answer = &value["answer"];
    let positions = answer["ranking"].as_array().expect("a list").iter();
    let name = |at: &Value| &answer["rows"][at.as_u64().expect("a position") as usize]["recipe"];
    positions.map(|at| name(at).as_str().expect("a name")).collect()
}

/// Requests decide: the urgent ones go first under leftover-drain; half the device is too little
/// for them; behind slices of 10 ms they queue up. The step pays for it.
#[test]
fn a_service_beside_training_is_ranked_by_its_requests() {
    let args = ["decode.csv", "train.csv", "--device", "b200", "--requests", "decode=40/s"];
    let goals = ["--until", "300", "--goal", "decode p99 20ms", "--goal", "train step +15%"];
    let value = replay(&demo(), 0, &[&args[..], &goals].concat());
    assert_eq!(ranked(&value), ["leftover-drain", "leftover", "spatial", "weighted-slices"]);
    let answer = &value["answer"];
    assert_eq!(answer["verdict"]["kind"], "use");
    assert_eq!(
        answer["verdict"]["text"],
        "Use leftover-drain: decode p99 33.1 -> 16.9 ms, for a train step 10 % longer."
    );
    let trust = answer["verdict"]["trust"].as_array().unwrap();
    assert!(trust.contains(&"12 requests of decode: p99 is the slowest".into()), "{trust:?}");
    for (row, met) in answer["rows"].as_array().unwrap().iter().zip([
        [false, true],
        [false, true],
        [true, true],
        [false, true],
    ]) {
        assert_eq!(row["goals-met"], serde_json::json!(met), "{row}");
    }
    // One measure for all rows.
    let alone = answer["processes"][0]["alone-ns"].as_u64().unwrap();
    for recipe in value["recipes"].as_array().unwrap() {
        assert_eq!(recipe["summary"]["processes"][0]["requests"]["alone-ns"], alone);
    }
    // What the slowest spent its time on adds up, and so does the time of the device.
    let summary = &value["recipes"][0]["summary"];
    let slowest = &summary["processes"][0]["requests"]["slowest"][0];
    let sum = |of: &Value| of.as_object().unwrap().values().filter_map(Value::as_u64).sum::<u64>();
    assert_eq!(sum(&slowest["waits"]), slowest["latency-ns"].as_u64().unwrap());
    let device = &summary["device-time"];
    assert_eq!(sum(device), 2 * device["window-ns"].as_u64().unwrap());
    assert_eq!(device["window-ns"], summary["makespan-ns"]);
}

/// Two equal training loops fill the device between them: whatever divides it only delays, and
/// slices that are switched delay most.
#[test]
fn two_training_loops_need_no_other_policy() {
    let value = replay(&demo(), 0, &["train.csv", "train.csv", "--device", "b200"]);
    assert_eq!(ranked(&value), ["leftover", "leftover-drain", "spatial", "weighted-slices"]);
    assert_eq!(value["answer"]["verdict"]["kind"], "stay");
}

/// A training run whose host frees memory for seconds, twice: the device is empty nearly always.
#[test]
fn a_host_that_is_too_slow_is_said_to_be() {
    let Some(file) = sample("kineto_nvidia/hta_alexnet_cuda_sync.json.gz") else { return };
    let value = replay(&Place::new(), 0, &[&file, &file]);
    let verdict = &value["answer"]["verdict"];
    assert_eq!(verdict["kind"], "no-effect");
    assert!(verdict["text"].as_str().unwrap().contains("the host is too slow"), "{verdict}");
    let assumptions = value["assumptions"].to_string();
    assert!(assumptions.contains("closed loop"), "{assumptions}");
    let open = replay(&Place::new(), 0, &[&file, "--open-loop", "--recipe", "leftover"]);
    assert!(open["assumptions"].to_string().contains("open loop: recorded launch times"));
}

/// Kernels that leave room on the device for others: whoever shares it out, or takes turns of 10 ms,
/// makes requests slower.
#[test]
fn small_kernels_share_best_without_a_policy() {
    let Some(file) = sample("kineto_amd/tracelens_mi210_gpu_only.json.gz") else { return };
    let load = ["--requests", "tracelens_mi210_gpu_only-2=50/s", "--until", "400"];
    let value = replay(&Place::new(), 0, &[&[&*file, &*file], &load[..]].concat());
    assert_eq!(value["answer"]["verdict"]["kind"], "stay");
    let ranked = ranked(&value);
    assert_eq!((ranked[0], ranked[3]), ("leftover", "weighted-slices"));
}

#[test]
fn goals_that_nobody_meets_have_an_exit_code() {
    let args = ["decode.csv", "--device", "b200", "--requests", "burst:2", "--goal"];
    let args =
        [&args[..], &["decode p99 2ms", "--recipe", "leftover", "--recipe", "spatial"]].concat();
    let ran = demo().raddle(&[&["replay", "--no-files"], &args[..]].concat());
    assert_eq!(ran.code, 5, "{}", ran.err);
    assert!(ran.err.contains("No policy meets the goals") && ran.err.contains("decode p99 2ms"));
    let ran =
        demo().raddle(&["replay", "decode.csv", "--device", "b200", "--goal", "other p99 2ms"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("none of the profiles is called other; they are decode"),
        "{}",
        ran.err
    );
    let ran = demo().raddle(&["replay", "decode.csv", "--goal", "decode p98 2ms"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("`p98` is no figure of a goal"), "{}", ran.err);
}

#[test]
fn requests_in_words_are_as_many_as_asked_for() {
    let place = Place::new();
    place.file("serve.csv", crate::common::infer());
    place.file("train.csv", crate::common::train());
    let arrived = |args: &[&str]| {
        let base = ["serve.csv", "train.csv", "--recipe", "leftover"];
        let value = replay(&place, 0, &[&base[..], args].concat());
        (
            value["profiles"][0]["requests"]["replayed"].as_u64().unwrap(),
            value["recipes"][0]["summary"]["processes"][0]["requests"]["latency-p99-ns"].clone(),
            value["recipes"][0]["summary"]["processes"][1]["levels"][0]["level"].clone(),
        )
    };
    let hundred = arrived(&["--requests", "serve=200/s"]);
    assert_eq!((hundred.0, &hundred.2), (100, &255.into()));
    assert_ne!(arrived(&["--requests", "serve=200/s", "--seed", "1"]).1, hundred.1);
    assert_eq!(arrived(&["--requests", "serve=burst:7"]).0, 7);
    let few = arrived(&["--requests", "serve=200/s", "--until", "50"]).0;
    assert!((1..100).contains(&few), "{few}");
    let refused = |args: &[&str]| {
        let ran = place.raddle(&[&["replay", "serve.csv", "train.csv"], args].concat());
        assert_eq!(ran.code, 2, "{}", ran.err);
        ran.err
    };
    assert!(refused(&["--requests", "40/s"]).contains("which profile?"));
    assert!(refused(&["--requests", "other=40/s"]).contains("which profile?"));
    let twice = ["--requests", "serve=40/s", "--requests", "serve=burst:2"];
    assert!(refused(&twice).contains("has its requests"));
    assert!(refused(&["--seed", "3"]).contains("add --requests"));
}

#[test]
fn several_seeds_give_means_and_intervals() {
    let place = Place::new();
    place.file("serve.csv", crate::common::infer());
    place.file("train.csv", crate::common::train());
    let args = |more: &[&'static str]| {
        let base = ["serve.csv", "train.csv", "--recipe", "leftover", "--requests", "serve=500/s"];
        [&base[..], &["--until", "20"], more].concat()
    };
    let figures = |value: &Value| value["answer"]["rows"][0]["processes"][0].clone();
    let of_seed = |seed| {
        let value = replay(&place, 0, &args(&["--seed", seed]));
        figures(&value)["decisive-ns"].as_u64().unwrap()
    };
    let [a, b] = [of_seed("3"), of_seed("4")];
    let both = replay(&place, 0, &args(&["--seed", "3", "--seeds", "2"]));
    assert_eq!(both, replay(&place, 0, &args(&["--seed", "3", "--seeds", "2"])));
    let found = figures(&both);
    assert_eq!(found["drawn"]["seeds"], 2);
    assert!(found["decisive-ns"].as_u64().unwrap().abs_diff(u64::midpoint(a, b)) <= 1);
    // Student's t of one degree of freedom, 12.706, over the square root of 2, of their deviation.
    let within = found["drawn"]["decisive-within-ns"].as_f64().unwrap();
    let wanted = 12.706 / 2.0 * a.abs_diff(b) as f64;
    assert!((within - wanted).abs() <= 1.0, "{within} {wanted}");
    assert!(a != b && found["drawn"]["p50-within-ns"].is_u64(), "{found}");
    assert!(both["command"].as_array().unwrap().contains(&"--seeds=2".into()));
    let text = place.raddle(&[&["replay", "--no-files"], &*args(&["--seeds", "2"])].concat());
    assert!(text.out.contains(" ±") && text.out.contains("means over 2 seeds"), "{}", text.out);
    let burst = ["replay", "serve.csv", "--requests", "burst:3", "--seeds", "2"];
    let ran = place.raddle(&burst);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("no request arrives at random"), "{}", ran.err);
}

/// A public profile, where they are at hand.
fn sample(name: &str) -> Option<String> {
    raddle_testkit::sample(name).map(|path| path.display().to_string())
}
