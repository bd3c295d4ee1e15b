//! Is a fit of launch latency judged on what it has not seen: another half, another file?

use serde_json::Value;

use crate::common::{Place, table};

/// Writes a table of kernels of 50 us, one each 200 us, that began so many microseconds after their
/// launch.
fn begun_after(latencies: &[u64]) -> String {
    let rows = (0..).zip(latencies).map(|(at, latency)| {
        let issued = at * 200_000;
        format!("k 1 80 128 32 0 {issued} {} 50000", issued + latency * 1000)
    });
    let rows: Vec<String> = rows.collect();
    table(&rows.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn a_fit_is_judged_on_what_it_has_not_seen() {
    let place = Place::new();
    place.file("quick.csv", begun_after(&[10; 8]));
    place.file("slow.csv", begun_after(&[30; 8]));
    place.file("both.csv", begun_after(&[10, 10, 10, 10, 30, 30, 30, 30]));
    let replayed = |words: &[&str]| {
        let ran = place.raddle(&[&["inspect", "--self-replay", "--format=json"], words].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        let found: Value = serde_json::from_str(&ran.out).expect("it is JSON");
        found["profiles"][0]["self-replay"].clone()
    };
    let own = replayed(&["quick.csv"]);
    assert_eq!(
        (own["launch-ns"].as_u64(), own["waits"]["within"].as_f64()),
        (Some(10_000), Some(1.0))
    );
    assert_eq!((&own["in-sample"], own["halves"]["first"].as_f64()), (&Value::Null, Some(1.0)));
    assert_eq!(
        (own["waits"]["short"].as_u64(), own["waits"]["short-within"].as_f64()),
        (Some(8), Some(1.0))
    );
    assert_eq!(own["busy"]["overlap"].as_f64(), Some(0.0));
    let other = replayed(&["quick.csv", "--fit-from", "slow.csv"]);
    assert_eq!(other["launch-ns"].as_u64(), Some(30_000));
    assert_eq!(
        (other["waits"]["within"].as_f64(), other["in-sample"].as_f64()),
        (Some(0.0), Some(1.0))
    );
    let halves = &replayed(&["both.csv"])["halves"];
    let figures = ["kernels", "own", "first"].map(|key| halves[key].as_f64());
    assert_eq!(figures, [Some(4.0), Some(1.0), Some(0.0)]);
    let told =
        place.raddle(&["inspect", "--self-replay", "quick.csv", "--fit-from", "slow.csv"]).out;
    assert!(told.contains("that of the file of --fit-from"), "{told}");
    let refused = place.raddle(&["inspect", "quick.csv", "--fit-from", "slow.csv"]);
    assert_eq!(refused.code, 2, "it needs --self-replay");
}
