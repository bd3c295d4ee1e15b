//! What do weights of energy change, and where do they come from?

use crate::common::{Place, train};
use serde_json::{Value, json};

/// Made-up readings of power, so that the energy weights are known.
const READINGS: &str = "\
kernel,move,load,store,matrix,compare,jump,ns,mw
idle,0,0,0,0,0,0,1000000000,70000
moves,4000000000,0,0,0,10000000,10000000,1000000,310800
loads,10000000,100000000,0,0,5000000,5000000,1000000,111150
stores,10000000,5000000,100000000,0,5000000,5000000,1000000,113150
matrices,50000000,20000000,4000000,32000000,2000000,4000000,1000000,146820
compares,10000000,0,0,0,400000000,4000000,1000000,90720
jumps,10000000,0,0,0,4000000,400000000,1000000,82800
";

/// Readings of power made from published measurements of a V100.
const MEASURED: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/energy/v100.csv"));

#[test]
fn weights_from_published_measurements() {
    let place = Place::new();
    place.file("v100.csv", MEASURED);
    let source = "AccelWattch's measurements of a GV100";
    let printed = place.raddle(&["calibrate", "energy", "v100.csv", "--source", source]);
    assert_eq!((printed.code, printed.err.as_str()), (0, ""));
    insta::assert_snapshot!("calibrated-v100", printed.out);
}

#[test]
fn weights_from_a_table_count_the_energy_of_a_replay() {
    let place = Place::new();
    place.file("readings.csv", READINGS);
    place.file("train.csv", train());
    let printed = place.raddle(&["calibrate", "energy", "readings.csv", "--source", "made up"]);
    assert_eq!((printed.code, printed.err.as_str()), (0, ""));
    insta::assert_snapshot!("calibrated", printed.out);
    let saved = place.raddle(&["calibrate", "energy", "readings.csv", "--save", "twice.toml"]);
    assert_eq!(saved.code, 0, "{}", saved.err);
    let again = place.raddle(&["calibrate", "energy", "readings.csv", "--save", "twice.toml"]);
    assert_eq!(again.code, 1, "what is there is not written over: {}", again.out);

    let weights = |factor: u64, idle: u64| {
        let pj = [60, 400, 400, 2000, 50, 30].map(|pj| pj * factor);
        format!(
            "raddle-energy = 1\nsource = \"made up\"\n[energy]\npj = {pj:?}\nidle-mw = {idle}\n"
        )
    };
    place.file("one.toml", weights(1, 1000));
    place.file("two.toml", weights(2, 0));
    for (file, out) in [("one.toml", "one"), ("two.toml", "two")] {
        let args = ["replay", "train.csv", "--recipe", "leftover", "--recipe", "matching"];
        let ran = place
            .raddle(&[&args[..], &["--energy", "--energy-weights", file, "--out", out]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.out.contains("energy x delay"), "{}", ran.out);
    }
    let of = |out: &str| -> Value {
        let text = std::fs::read_to_string(place.path().join(out).join("summary.json")).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["recipes"][0]["summary"].clone()
    };
    let (one, two) = (of("one"), of("two"));
    let uj = |of: &Value, key: &str| of["energy"][key].as_u64().expect("a whole number");
    assert!(uj(&one, "energy-uj") > 1000);
    assert!(uj(&two, "energy-uj").abs_diff(2 * uj(&one, "energy-uj")) <= 1, "rounded down");
    assert_eq!((uj(&two, "idle-uj"), one["makespan-ns"] == two["makespan-ns"]), (0, true));
    assert!(uj(&one, "idle-uj") >= one["makespan-ns"].as_u64().unwrap() / 1_000_000);
    assert_eq!(one["energy"]["jain"], two["energy"]["jain"]);
    assert_eq!(uj(&two, "total-uj"), uj(&two, "energy-uj"));
    assert!(uj(&two, "total-low-uj").abs_diff(uj(&one, "energy-uj")) <= 1);
    assert!(uj(&two, "total-high-uj").abs_diff(3 * uj(&one, "energy-uj")) <= 2);

    let compared = place.raddle(&["compare", "one", "two", "--format", "json"]);
    let compared: Value = serde_json::from_str(&compared.out).expect("it is JSON");
    let rows = compared["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["metric"] == "work uJ").expect("a row of energy");
    assert_eq!(row["changes"][0]["verdict"], "worse");
}

#[test]
fn fragmentation_is_told_where_addresses_are_kept() {
    let place = Place::new();
    place.file("train.csv", train());
    let args = ["replay", "train.csv", "--recipe", "leftover", "--recipe", "matching"];
    let ran = place.raddle(&[&args[..], &["--format", "json", "--no-files"]].concat());
    let value: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let of = |at: usize| &value["recipes"][at]["summary"]["addresses"];
    assert_eq!(of(0), &Value::Null, "leftover keeps none");
    let told = of(1)["fragmentation"].as_array().expect("matching does");
    assert!(told.iter().any(|of| of["resource"] == "vgpr"), "{told:?}");
    let bins = told[0]["over-time"].as_array().unwrap().len();
    assert!((33..=64).contains(&bins), "{bins}");
    let waits = of(1)["waits"].as_array().expect("matching counts");
    assert!(waits.iter().any(|wait| wait["reason"] == "not-enough"), "{waits:?}");
}

#[test]
fn what_is_no_weights_is_refused_with_the_remedy() {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("readings.csv", "kernel,move,ns,mw\nidle,0,10,10\nk,,10,20\n");
    let blank = place.raddle(&["calibrate", "energy", "readings.csv"]);
    assert_eq!(blank.code, 1);
    assert!(blank.err.contains("line 3: `` in `move` is no whole number"), "{}", blank.err);
    place.file("readings.csv", "kernel,move,ns,mw\nk,5,10,20\n");
    let idle = place.raddle(&["calibrate", "energy", "readings.csv"]);
    assert!(idle.err.contains("add a row without instructions"), "{}", idle.err);
    let weights =
        json!({ "raddle-energy": 7, "source": "", "energy": { "pj": [1, 1, 1, 1, 1, 1] }});
    place.file("odd.toml", toml::to_string(&weights).unwrap());
    let args = ["replay", "train.csv", "--energy", "--energy-weights", "odd.toml", "--no-files"];
    let odd = place.raddle(&args);
    assert_eq!(odd.code, 1);
    assert!(odd.err.contains("its format is 7, this raddle reads 1"), "{}", odd.err);
}
