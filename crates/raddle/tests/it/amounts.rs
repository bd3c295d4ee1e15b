//! Are times and rates written in one way everywhere, and is a wrong one told?

use serde_json::Value;

use crate::common::{Place, Ran, infer, train};

fn place() -> Place {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    place
}

fn json(place: &Place, args: &[&str]) -> String {
    let ran = place.raddle(&[args, &["--format=json"]].concat());
    assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
    ran.out
}

#[test]
fn every_time_has_a_unit_and_any_unit_will_do() {
    let place = place();
    // The recipes of a result are compared, as the words that were given differ.
    let recipes = |more: &[&str]| {
        let pair = ["replay", "train.csv", "infer.csv", "--no-files", "--requests=infer=2000/s"];
        let out = json(&place, &[&pair[..], more].concat());
        serde_json::from_str::<Value>(&out).unwrap()["recipes"].to_string()
    };
    let one_way = |one: &str, other: &str| {
        let recipe = "--recipe=weighted-slices";
        let more = |option| match str::starts_with(option, "--until") {
            true => recipes(&[recipe, option]),
            false => recipes(&[recipe, "--until=3ms", option]),
        };
        assert_eq!(more(one), more(other), "{one}, {other}");
    };
    one_way("--until=0.003s", "--until=3000us");
    one_way("--start=train=2ms", "--start=train=0.002s");
    one_way("--start=train=0", "--start=train=0ms");
    one_way("--jitter=0.5ms", "--jitter=500 us");
    one_way("--set=turn.t0-us=500", "--set=turn.t0-us=0.5ms");
    one_way("--hint=train=deadline:2ms", "--hint=train=deadline:2000us");
    one_way("--goal=infer p99 9s", "--goal=infer p99 9000ms");
    let stats = |option: &str| json(&place, &["packet", "stats", "train.csv", option]);
    assert_eq!(stats("--enqueue-ns=3000"), stats("--enqueue-ns=3us"));
    assert_eq!(stats("--cleanup-ns=500"), stats("--cleanup-ns=0.5us"));
    assert_eq!(stats("--hold-us=5"), stats("--hold-us=0.005ms"));
    let window = |text: &str| {
        let ran = place.raddle(&["replay", "train.csv", "--recipe=greedy", "--out=w", "-q", text]);
        assert_eq!(ran.code, 0, "{ran:?}");
        place.tree("w")
    };
    let [one, other] =
        ["--timeline-window=0.1..0.5ms", "--timeline-window=100us..500us"].map(window);
    assert!(one == other);
}

/// Checks that the tool refuses a command line before anything is run, and returns what it printed.
fn refused(place: &Place, args: &[&str]) -> Ran {
    let ran = place.raddle(args);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{args:?}: {ran:?}");
    assert!(
        !ran.err.contains("No such file") && !ran.err.contains("cannot be read"),
        "{}",
        ran.err
    );
    ran
}

#[test]
fn a_number_without_its_unit_is_no_file_and_names_what_was_meant() {
    let place = place();
    place.file("40", "a file of that name is ./40");
    for (said, wanted) in [
        ("infer=40", "`40/s`"),
        ("infer=40rps", "`40/s`"),
        ("infer=40/sec", "`40/s`"),
        ("infer=90/min", "`1.5/s`"),
        ("infer=1e3/s", "`1000/s`"),
        ("infer=0/s", "above 0"),
        ("infer=-4/s", "above 0"),
        ("infer=burst:0", "burst:8"),
    ] {
        let requests = format!("--requests={said}");
        let ran = refused(&place, &["replay", "train.csv", "infer.csv", "--no-files", &requests]);
        assert!(ran.err.contains(wanted), "{said}: {}", ran.err);
        let words = said.split_once('=').unwrap().1;
        let vary = format!("--vary=load.infer=80/s,{words}");
        let sweep = ["sweep", "train.csv", "infer.csv", "--recipe=greedy", "--out=s.jsonl", &vary];
        let ran = refused(&place, &sweep);
        assert!(ran.err.contains(wanted), "{said}: {}", ran.err);
        assert!(!place.path().join("s.jsonl").exists());
    }
    // The unit of the last value is that of the numbers before it.
    let vary = "--vary=load.infer=40,80/s";
    let sweep = ["sweep", "train.csv", "infer.csv", "--recipe=greedy", "--out=s.jsonl", vary];
    let ran = place.raddle(&[&sweep[..], &["--until=500ms", "--seeds=2"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let rows = std::fs::read_to_string(place.path().join("s.jsonl")).unwrap();
    assert!(["infer=40/s ", "infer=80/s "].iter().all(|case| rows.contains(case)), "{rows}");
    let ran = refused(&place, &["replay", "infer.csv", "--no-files", "--arrivals=40/s"]);
    assert!(ran.err.contains("--requests 40/s"), "{}", ran.err);
    for (option, wanted) in [
        ("--goal=infer p99 20", "`20ms`"),
        ("--hint=infer=deadline:20", "`20ms`"),
        ("--until=3 days", "ns, us, ms or s"),
        ("--until=3", "`3ms`"),
        ("--start=infer=1.5", "`1.5ms`"),
        ("--think=infer=2", "`2ms`"),
        ("--jitter=1", "`1ms`"),
        ("--timeline-window=1..2", "`1ms`"),
        ("--start=infer=1h", "ns, us, ms or s"),
        ("--jitter=fast", "ns, us, ms or s"),
        ("--timeline-window=1ms..2h", "ns, us, ms or s"),
        ("--set=turn.t0-us=5rps", "ns, us, ms or s"),
    ] {
        let ran =
            refused(&place, &["replay", "infer.csv", "--no-files", "--requests=40/s", option]);
        assert!(ran.err.contains(wanted), "{option}: {}", ran.err);
    }
    let sweep = |vary: &str| refused(&place, &["sweep", "infer.csv", "--out=s.jsonl", vary]).err;
    assert!(sweep("--vary=load=10..80").contains("`10/s`"));
    let told = sweep("--vary=lod=10..80/s");
    assert!(told.contains("--vary lod=10/s") && told.contains("Did you mean `load`?"), "{told}");
    assert!(sweep("--vary=sed=1,2").contains("Did you mean `seed`?"));
    assert!(sweep("--vary=think.infer=1").contains("`1ms`"));
    assert!(sweep("--vary=until=3").contains("`3ms`"));
    assert!(sweep("--vary=until=1h").contains("ns, us, ms or s"));
    assert!(sweep("--vary=turn.t0-us=1us..2ms").contains("one unit"));
}

#[test]
fn nearest_words_are_named() {
    let place = place();
    let ran = place.raddle(&["replay", "train.csv", "--no-files", "--set=allocate.polcy=greedy"]);
    assert!(ran.err.contains("did you mean `policy`?"), "{}", ran.err);
    assert!(ran.err.contains("policy = \"greedy\""), "{}", ran.err);
    let ran = place.raddle(&["recipes", "--show=nope"]);
    assert!(ran.code == 2 && ran.err.contains("Some are today, spatial"), "{}", ran.err);
    let ran = place.raddle(&["recipes", "--show=gredy"]);
    assert!(ran.err.contains("Did you mean `greedy`?"), "{}", ran.err);
    let ran = place.raddle(&["sweep", "train.csv", "--engine=slrum", "--dry-run"]);
    assert!(ran.code == 2 && ran.err.contains("Did you mean `slurm`?"), "{}", ran.err);
    let ran = place.raddle(&["replay", "train.csv", "--hint=train=dedline:2ms"]);
    assert!(ran.code == 2 && ran.err.contains("Did you mean `deadline`?"), "{}", ran.err);
    let ran = place.raddle(&["help", "swep"]);
    assert!(ran.code == 2 && ran.err.contains("Did you mean `sweep`?"), "{}", ran.err);
}

#[test]
fn a_quiet_search_prints_its_sentence() {
    let place = place();
    let ran = place.raddle(&["tune", "train.csv", "infer.csv", "--vary=window=4,8", "-q"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
    assert!(ran.out.contains("window="), "{}", ran.out);
}
