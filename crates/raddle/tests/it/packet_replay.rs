//! Do the packets of a profile agree: those that are counted, those of a replay, and those written
//! out?

use serde_json::Value;

use crate::common::{Place, sample, table};

fn document(place: &Place, args: &[&str]) -> Value {
    let ran = place.raddle(args);
    assert_eq!(ran.code, 0, "{ran:?}");
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

/// Returns [packets, bytes, overhead in ns] that `packet stats` prints for new arguments and
/// entries kept by frequency.
fn counted(place: &Place, file: &str) -> [u64; 3] {
    let told = document(place, &["packet", "stats", file, "--format", "json"]);
    let rows = told["profiles"][0]["rows"].as_array().expect("a list");
    let wanted = |row: &&Value| row["arguments"] == "new" && row["keep"] == "frequency";
    let row = rows.iter().find(wanted).expect("the row");
    ["packets", "bytes", "overhead-ns"].map(|key| row[key].as_u64().expect("a count"))
}

/// Returns [packets, bytes, overhead in ns] of a replay by the bundled recipe, whose settings are
/// those of `packet stats`.
fn replayed(place: &Place, file: &str, device: &str) -> [u64; 3] {
    let args = ["replay", file, "--device", device, "--recipe", "condensed", "--no-files"];
    let told = document(place, &[&args[..], &["--format", "json"]].concat());
    let recipes = told["recipes"].as_array().expect("a list");
    let recipe = recipes.iter().find(|recipe| recipe["name"] == "condensed").expect("the recipe");
    assert_eq!(recipe["refusals"], Value::Array(Vec::new()), "all of it runs");
    let launching = &recipe["summary"]["launching"];
    ["packets", "bytes", "overhead-ns"].map(|key| launching[key].as_u64().expect("a count"))
}

/// Checks that `packet stats` and a replay agree, and returns the number of packets. The replay
/// lacks the cleanup of the last packet of a stream, of 2 us each, as nothing waits for it.
fn agree(place: &Place, file: &str, device: &str, streams: u64) -> u64 {
    let [packets, bytes, overhead] = counted(place, file);
    let run = replayed(place, file, device);
    assert_eq!((run[0], run[1]), (packets, bytes), "{file}");
    let cleanups = (overhead - run[2]).checked_div(2000).expect("a number");
    assert!(cleanups <= streams && run[2] + 2000 * cleanups == overhead, "{overhead}, {run:?}");
    packets
}

#[test]
fn a_replay_counts_the_packets_of_real_samples_as_stats_does() {
    let place = Place::new();
    for (file, device, streams, packets) in [
        ("kineto_amd/tracelens_mi300x_resnet_act_checkpoint.json.gz", "mi300x", 2, 933),
        ("kineto_nvidia/hta_trace_diff_test_v100.json.gz", "b200", 4, 4557),
    ] {
        let Some(file) = sample(file) else { return };
        let file = file.to_str().expect("a name in UTF-8");
        assert_eq!(agree(&place, file, device, streams), packets);
    }
}

/// Returns a small launch table: two kernels of one demand, a copy between them, two streams.
fn small() -> String {
    let mut text = table(&[]);
    text = text.replacen("name,", "name,kind,", 1);
    for n in 0..24 {
        let kind = if n % 8 == 7 { "copy" } else { "kernel" };
        let stream = if n < 16 { "7" } else { "9" };
        let (grid, threads) = if kind == "copy" { (0, 0) } else { (4 + n % 2, 64) };
        let at = 1000 * n;
        text +=
            &format!("k{},{kind},{stream},{grid},1,1,{threads},1,1,16,0,{at},{at},900\n", n % 2);
    }
    text
}

#[test]
fn the_packets_of_a_recorded_stream_are_those_that_are_counted() {
    let place = Place::new();
    place.file("small.csv", small());
    let packets = agree(&place, "small.csv", "v100", 2);
    let encoded = document(&place, &["packet", "encode", "small.csv", "--format", "json"]);
    assert_eq!(encoded["packets"].as_array().map(Vec::len), Some(packets as usize));
    assert_eq!((&encoded["launches"], &encoded["bytes"]), (&21.into(), &(64 * packets).into()));
    let queues = encoded["queues"].as_array().expect("a list");
    let told: Vec<_> = queues.iter().map(|it| (it["stream"].as_str(), &it["launches"])).collect();
    assert_eq!(told, [(Some("7"), &14.into()), (Some("9"), &7.into())]);
    let names = encoded["kernels"].as_array().expect("a list");
    let object = |kernel: &str| {
        let found = names.iter().find(|it| it["name"] == kernel);
        found.and_then(|it| it["kernel-object"].as_str()).expect("its object").to_owned()
    };
    // The packets launch what was recorded, also by one table for both streams.
    place.file("packets", encoded.to_string());
    let decoded = document(&place, &["packet", "decode", "packets", "--format", "json"]);
    let packets = decoded["packets"].as_array().expect("a list");
    let launches: Vec<&Value> =
        packets.iter().flat_map(|it| it["launches"].as_array().expect("a list")).collect();
    let recorded = (0..24).filter(|n| n % 8 != 7);
    assert_eq!(launches.len(), 21);
    for (n, launch) in recorded.zip(launches) {
        let kernel = object(&format!("k{}", n % 2));
        assert_eq!(
            (&launch["kernel_object"], &launch["grid_size_x"]),
            (&kernel.into(), &(64 * (4 + n % 2)).into())
        );
    }
    // A line each otherwise; and what the profile does not say is said.
    let ran = place.raddle(&["packet", "encode", "small.csv"]);
    assert_eq!(
        (ran.code, ran.out.lines().count()),
        (0, queues.iter().map(|it| it["packets"].as_u64().expect("a count") as usize).sum())
    );
    assert!(ran.err.starts_with("note: small.csv holds no addresses of kernels"), "{}", ran.err);
    let fixed = place.raddle(&["packet", "encode", "small.csv", "--arguments", "fixed"]);
    assert!(fixed.out.lines().count() < ran.out.lines().count());
}

/// Checks that the costs of launching stand in the report and in comparisons where launching costs
/// anything.
#[test]
fn packets_stand_in_the_report_and_in_comparisons() {
    let place = Place::new();
    place.file("small.csv", small());
    let run = |out: &str, path: &str| {
        let costs =
            "enqueue-ns = 2000\nprocessing-ns = 3000\nschedule-ns = 1000\ncleanup-ns = 2000";
        let path = match path {
            "" => String::new(),
            path => format!("[launch-path]\npolicy = '{path}'\n{costs}"),
        };
        place.file("mine.toml", format!("raddle = 1\n{path}"));
        let ran =
            place.raddle(&["replay", "small.csv", "--recipe", "mine.toml", "--out", out, "-v"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        // Lines are broken for a terminal.
        ran.out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(!run("free", "").contains("launching"), "launching costs nothing");
    assert!(run("a", "ordinary").contains("launching"));
    let told = run("b", "condensed");
    let [packets, bytes, overhead] = counted(&place, "small.csv");
    assert!(told.contains("No profile holds the addresses of kernels"), "{told}");
    let rows = document(&place, &["compare", "a", "b", "--format", "json"])["rows"].clone();
    let rows = rows.as_array().expect("a list");
    let values = |metric: &str| {
        let row = rows.iter().find(|row| row["metric"] == metric).expect(metric);
        [0, 1].map(|at| row["values"][at].as_f64().expect("a figure") as u64)
    };
    assert_eq!(values("packets"), [21, packets]);
    assert_eq!(values("packet bytes"), [21 * 64, bytes]);
    let [ordinary, condensed] = values("launch overhead");
    assert!(ordinary == 21 * 8000 && condensed <= overhead && condensed < ordinary);
    let ran = place.raddle(&["compare", "free", "free", "--equal"]);
    assert!(!ran.out.contains("packets"), "{}", ran.out);
}
