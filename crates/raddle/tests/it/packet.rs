//! Does `raddle packet stats` say what condensed packets would save, and what it assumes?

use serde_json::{Value, json};

use crate::common::{Place, Ran, table};

fn document(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

/// Two kernels in turn, six times: with their arguments where they always are, each is stored once
/// and ten launches share a packet; with new ones, 50 half-words make two.
#[test]
fn what_a_profile_would_save() {
    let mut table =
        "name,grid_x,grid_y,grid_z,block_x,block_y,block_z,start_ns,duration_ns\n".to_owned();
    for n in 0..12 {
        table += &format!("k{},4,1,1,64,1,1,{},50\n", n % 2, 100 * n);
    }
    let place = Place::new();
    place.file("loop.csv", &table);
    let ran = place.raddle(&["packet", "stats", "loop.csv", "--format", "json"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let report = document(&ran);
    let costs = json!({"enqueue-ns": 2000, "processing-ns": 3000, "decode-ns": 0, "schedule-ns": 1000, "cleanup-ns": 2000});
    let assumed = json!({"near": 9, "entries": 8, "scope": "queue", "signals": false, "release-scope": false, "hold-us": null, "costs": costs});
    assert_eq!(report["assumed"], assumed);
    let saved = &report["profiles"][0];
    assert_eq!((&saved["launches"], &saved["kernels"]), (&json!(12), &json!(2)));
    assert_eq!((&saved["repeated"], &saved["changes"]), (&json!(10), &json!([])));
    assert_eq!(saved["ordinary-overhead-ns"], 12 * 8000);
    for row in saved["rows"].as_array().expect("a list") {
        assert_eq!((&row["reference"], &row["condensed"]), (&json!(2), &json!(10)), "{row}");
        assert_eq!((&row["own-kernel"], &row["other-kernel"]), (&json!(10), &json!(0)), "{row}");
        // Two reference packets, then for each packet E, P and C, and S for every kernel.
        let packets = if row["arguments"] == "fixed" { 1 } else { 2 };
        assert_eq!(
            (&row["packets"], &row["bytes"]),
            (&json!(2 + packets), &json!(64 * (2 + packets)))
        );
        assert_eq!(row["overhead-ns"], 2 * 8000 + packets * 7000 + 10 * 1000, "{row}");
    }
    assert_eq!(saved["sample"][0]["optimal"], 3);
    assert_eq!(saved["sample"][1]["optimal"], 4);
    // A signal takes four half-words more: six and then three launches a packet, each cleaned up.
    let told = place.raddle(&["packet", "stats", "loop.csv", "--signals"]).out;
    for row in [
        "first              4  3.00x  256 B  83.3%   0.0%      5.00   56.0 us  41.7%",
        "first              6  2.00x  384 B  83.3%   0.0%      2.50   66.0 us  31.2%",
        "every launch has a signal of its own",
    ] {
        assert!(told.contains(row), "{row}: {told}");
    }
    assert_eq!(place.raddle(&["packet", "stats", "absent.csv"]).code, 1);
}

/// Nine kernels once, then the ninth again: it has no entry, and with fixed arguments it is not near
/// any other, so it goes by an entry of another kernel with the kernel and the arguments changed.
#[test]
fn launches_by_an_entry_of_another_kernel_are_counted_apart() {
    let rows: Vec<String> =
        (0..11).map(|n| format!("k{} 1 4 64 32 0 {n} {n} 1", n.min(8))).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let place = Place::new();
    place.file("nine.csv", table(&rows));
    let report = document(&place.raddle(&["packet", "stats", "nine.csv", "--format", "json"]));
    let row = &report["profiles"][0]["rows"][0];
    assert_eq!((&row["arguments"], &row["keep"]), (&json!("fixed"), &json!("first")));
    assert_eq!((&row["reference"], &row["condensed"]), (&json!(8), &json!(3)), "{row}");
    assert_eq!((&row["own-kernel"], &row["other-kernel"]), (&json!(0), &json!(3)), "{row}");
    let text = place.raddle(&["packet", "stats", "nine.csv"]).out;
    assert!(text.contains("   0.0%  27.3% "), "{text}");
}

/// 32 launches at once fill a reference and a condensed packet; those at 90 and 110 us share the
/// next one, as a packet waits from its own first launch on.
#[test]
fn a_packet_waits_from_its_own_first_launch_on() {
    let mut rows = vec!["k 1 4 64 32 0 0 0 1"; 32];
    rows.extend(["k 1 4 64 32 0 90000 90000 1", "k 1 4 64 32 0 110000 110000 1"]);
    let place = Place::new();
    place.file("burst.csv", table(&rows));
    let packets = |hold: &[&str]| {
        let args = [&["packet", "stats", "burst.csv", "--format", "json"], hold].concat();
        let report = document(&place.raddle(&args));
        let profile = &report["profiles"][0];
        let packets = profile["rows"].as_array().unwrap().iter().map(|row| row["packets"].clone());
        let [fixed_first, fixed_recent, fixed_frequent, ..] = &packets.collect::<Vec<_>>()[..]
        else {
            panic!("{profile}");
        };
        assert!(fixed_first == fixed_recent && fixed_recent == fixed_frequent);
        (fixed_first.as_u64().unwrap(), profile["sample"][0]["optimal"].clone())
    };
    assert_eq!(packets(&[]), (3, json!(3)));
    // The search for the fewest knows no limit.
    assert_eq!(packets(&["--hold-us", "100"]), (3, Value::Null));
    assert_eq!(packets(&["--hold-us", "20"]).0, 3);
    assert_eq!(packets(&["--hold-us", "19"]).0, 4);
    assert_eq!(packets(&["--hold-us", "0"]).0, 4);
    let text = place.raddle(&["packet", "stats", "burst.csv", "--hold-us", "20"]).out;
    assert!(text.contains("unknown: the search knows no --hold-us"), "{text}");
    assert!(text.replace("\n  ", " ").contains("for at most 20 us after the first of a packet"));
}

#[test]
fn costs_are_said_to_be_assumed_or_given() {
    let place = Place::new();
    place.file("one.csv", table(&["k 1 4 64 32 0 0 0 1"]));
    let said = |args: &[&str]| {
        let args = [&["packet", "stats", "one.csv"], args].concat();
        place.raddle(&args).out.replace("\n  ", " ")
    };
    let usual = said(&[]);
    assert!(
        usual.contains("Costs are assumed, not measured (the proportion of the worked example")
    );
    assert!(usual.contains("overhead 8.00 us (assumed)"), "{usual}");
    let given = said(&["--enqueue-ns", "0", "--cleanup-ns", "7"]);
    assert!(given.contains("(as given): a packet 0 + 3000 ns"), "{given}");
    assert!(given.contains("a cleanup 7 ns. Give those of a device with --enqueue-ns"), "{given}");
    let help = place.raddle(&["packet", "stats", "--help"]).out;
    assert!(help.contains("Costs, assumed and not measured:"), "{help}");
}
