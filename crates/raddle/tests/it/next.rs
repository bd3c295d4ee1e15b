//! Does the command that an answer asks for run, and lead from one answer to the next?

use crate::common::{Place, Ran, bare_table, infer, table, train};
use serde_json::Value;

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}{}", ran.out, ran.err))
}

/// Returns (kind of the verdict, command to run next) of an answer.
fn told(answer: &Value) -> (&str, &str) {
    let verdict = &answer["answer"]["verdict"];
    let of = |key: &str| verdict[key].as_str().unwrap_or_else(|| panic!("{key}: {verdict}"));
    (of("kind"), of("next-command"))
}

/// Makes a folder with two programs whose tables name no device, and whose names a shell would
/// split.
fn unnamed() -> Place {
    let place = Place::new();
    let rows: Vec<String> =
        (0..8).map(|at| format!("sm80_gemm 7 640 256 64 0 0 {at} 400000")).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    place.file("-my train.csv", bare_table(&rows));
    place.file("it's.csv", bare_table(&["sm80_attend 1 80 128 40 0 0 1000 20000"]));
    place
}

/// Checks that each printed command leads to the next: a missing device and missing memory are
/// filled in, until a recording is compared with the answer.
#[test]
fn each_command_leads_to_the_next_until_the_answer_is_checked() {
    let place = unnamed();
    let first = [
        "share",
        "./-my train.csv",
        "it's.csv",
        "--requests=it's=1000/s",
        "--until=20ms",
        "--contention=none",
    ];
    let mut ran = place.raddle(&[&first[..], &["--format=json"]].concat());
    for (missing, given) in
        [(&["DEVICE"][..], "v100"), (&["'--memory=-my train=SIZE'", "--memory=it"], "1GB")]
    {
        assert_eq!(ran.code, 0, "{}", ran.err);
        let answer = json(&ran);
        let (_, next) = told(&answer);
        assert!(next.starts_with("raddle share './-my train.csv' "), "{next}");
        assert!(missing.iter().all(|missing| next.contains(missing)), "{next}");
        // Unfilled, the command gives no answer.
        assert_ne!(place.pasted(next).code, 0, "{next}");
        let next = next.replace("DEVICE", given).replace("SIZE", given);
        ran = place.pasted(&format!("{next} --format=json"));
    }
    assert_eq!(ran.code, 0, "{}", ran.err);
    let answer = json(&ran);
    let (kind, next) = told(&answer);
    assert!(matches!(kind, "use" | "stay" | "either"), "{kind}: {next}");
    assert!(next.starts_with("raddle check summary.json -- "), "{next}");
    place.file("summary.json", &ran.out);
    let device = |text: String| format!("# raddle launch table 1\n# device = v100\n{text}");
    for (name, recorded) in [
        ("-my train-beside-it's.json.gz", "-my train.csv"),
        ("it's-beside--my train.json.gz", "it's.csv"),
    ] {
        let text = std::fs::read_to_string(place.path().join(recorded)).unwrap();
        place.file(name, device(text));
    }
    let checked = place.pasted(next);
    assert_eq!(checked.code, 0, "{next}: {checked:?}");
    assert!(checked.out.contains("my train"), "{}", checked.out);
}

/// Checks that the command for each kind of answer runs.
#[test]
fn the_command_of_every_kind_of_answer_runs() {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    place.file("one.csv", table(&["k 1 8 64 8 0 0 0 1000"]));
    let requests = ["train.csv", "infer.csv", "--requests=infer=1000/s", "--until=20ms"];
    let known = ["--memory=train=1GB", "--memory=infer=1GB"];
    let asked = |verb: &str, more: &[&str]| {
        let ran = place.raddle(&[&[verb], more, &["--no-files", "--format=json"]].concat());
        (json(&ran), ran.code)
    };
    let drain = ["--recipe=leftover", "--recipe=leftover-drain", "--priority=train=5"];
    let cases = [
        ("no-effect", "replay", vec!["one.csv"], "raddle inspect one.csv "),
        ("one-recipe", "replay", vec!["one.csv", "--recipe=greedy"], "raddle replay one.csv "),
        (
            "other-vendor",
            "replay",
            vec!["train.csv", "infer.csv", "--device=mi300x"],
            "raddle replay train.csv infer.csv --device=DEVICE ",
        ),
        (
            "no-goal-met",
            "share",
            [&requests[..], &["--goal=infer p99 1ns"]].concat(),
            "raddle share train.csv infer.csv --device=DEVICE ",
        ),
        // No driver has the recommended recipe.
        (
            "no-driver",
            "replay",
            [&requests[..], &drain, &known].concat(),
            "raddle share train.csv infer.csv --priority=train=5 ",
        ),
        (
            "use",
            "share",
            [&requests[..], &known, &["--priority=train=5", "--contention=none"]].concat(),
            "raddle check summary.json train=train-beside-infer.json.gz",
        ),
        (
            "either",
            "share",
            [&requests[..], &known, &["--priority=train=5"]].concat(),
            "raddle calibrate pair --profile-a=infer.csv --profile-b=train.csv --way=mps-10-90 ",
        ),
    ];
    for (kind, verb, args, begin) in cases {
        let (answer, _) = asked(verb, &args);
        let (found, next) = told(&answer);
        assert_eq!(found, kind, "{args:?}: {next}");
        assert!(next.starts_with(begin), "{kind}: {next}");
        assert!(!next.contains("--recipe=greedy"), "{next}");
        let ran = place.pasted(&next.replace("DEVICE", "a100"));
        let code = match kind {
            // Recordings of both together are still to be made, or the programs named.
            _ if next.contains(".json.gz") => 1,
            _ if next.contains("PROGRAM") => 2,
            "no-goal-met" => 5,
            _ => 0,
        };
        assert_eq!(ran.code, code, "{next}: {}", ran.err);
    }
}

/// Checks that nothing of NVIDIA's is suggested on another device: where both ways are open,
/// recordings of both programs tell, not `raddle calibrate pair`, which refuses such a device.
#[test]
fn a_device_of_amd_is_asked_for_no_way_of_nvidia() {
    let place = Place::new();
    let amd = |text: String| text.replace("device = v100", "device = mi300x");
    place.file("train.csv", amd(train()));
    place.file("infer.csv", amd(infer()));
    let files = ["share", "infer.csv", "train.csv", "--requests=infer=700/s", "--until=20ms"];
    let more = ["--memory=train=1GB", "--memory=infer=1GB", "--contention=learnt", "--no-files"];
    let ways = ["--recipe=streams", "--recipe=partition"];
    let ran = place.raddle(&[&files[..], &more, &ways, &["--format=json"]].concat());
    let answer = json(&ran);
    let (kind, next) = told(&answer);
    assert_eq!(kind, "either", "{}", ran.out);
    assert!(
        next.starts_with("raddle check summary.json infer=infer-beside-train.json.gz "),
        "{next}"
    );
    for way in ["mps", "CUDA", "nvidia", "calibrate pair"] {
        assert!(!ran.out.contains(way), "{way}: {}", ran.out);
    }
    // Without named ways, what people ask for is told.
    let all = place.raddle(&[&files[..], &more].concat());
    let all = all.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let told =
        "no mps or mig (NVIDIA's): AMD has streams, time-slice, partition, compute-partition";
    assert!(all.contains(told), "{all}");
    let programs = ["--", "true", "--", "true"];
    let pair = ["calibrate", "pair", "--profile-a=infer.csv", "--profile-b=train.csv", "--dry-run"];
    let ran = place.raddle(&[&pair[..], &programs].concat());
    assert!(ran.code == 1 && ran.err.contains("measures time slices and MPS"), "{ran:?}");
}

/// Checks that one command settles what a verdict leaves open, whatever the doubt comes from: the
/// first screen names it with the files of the user, and no other text names another.
#[test]
fn a_doubt_leads_to_one_command() {
    let place = Place::new();
    std::fs::create_dir(place.path().join("in")).unwrap();
    place.file("in/train.csv", train());
    place.file("in/infer.csv", infer());
    let amd = |text: String| text.replace("device = v100", "device = mi300x");
    std::fs::create_dir(place.path().join("amd")).unwrap();
    place.file("amd/train.csv", amd(train()));
    place.file("amd/infer.csv", amd(infer()));
    let known = ["--memory=train=1GB", "--memory=infer=1GB", "--until=20ms", "--out=plan"];
    let nvidia = ["in/train.csv", "in/infer.csv", "--requests=infer=1000/s", "--priority=train=5"];
    let ways = ["--recipe=streams", "--recipe=partition", "--contention=learnt"];
    let amd = [&["amd/infer.csv", "amd/train.csv", "--requests=infer=700/s"], &ways[..]].concat();
    let pair = "raddle calibrate pair --profile-a=in/infer.csv --profile-b=in/train.csv --way=";
    let check =
        "raddle check plan infer=infer-beside-train.json.gz train=train-beside-infer.json.gz";
    for (asked, begin) in [(&nvidia[..], pair), (&amd[..], check)] {
        let ran = place.raddle(&[&["share"], asked, &known[..]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        let (answer, _) = ran.out.split_once("\n\n").expect("a table follows");
        let words = answer.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("Both tried on the device tell it."), "{}", ran.out);
        assert!(!words.contains("`raddle"), "the command stands once: {answer}");
        let (_, next) = ran.out.split_once("\nNext:  ").unwrap_or_else(|| panic!("{}", ran.out));
        assert!(next.replace(" \\\n         ", " ").starts_with(begin), "{}", ran.out);
    }
}

/// Checks that the text and the document name one command: only how files are named differs.
#[test]
fn the_text_names_the_command_of_the_document_with_paths() {
    let place = Place::new();
    std::fs::create_dir(place.path().join("in")).unwrap();
    place.file("in/train.csv", train());
    place.file("in/infer.csv", infer());
    let args = ["share", "in/train.csv", "in/infer.csv", "--requests=infer=1000/s"];
    let args =
        [&args[..], &["--until=20ms", "--priority=train=5", "--contention=none", "-v"]].concat();
    let next = |more: &[&str]| {
        let ran = place.raddle(&[&args[..], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        let (_, next) = ran.out.split_once("\nNext:  ").unwrap_or_else(|| panic!("{}", ran.out));
        let next = next.replace(" \\\n         ", " ").replace("\n           # ", "    # ");
        next.lines().next().expect("a line").to_owned()
    };
    let document = |more: &[&str]| {
        let ran = place.raddle(&[&args[..], more, &["--format=json"]].concat());
        told(&json(&ran)).1.to_owned()
    };
    let (text, found) = (next(&["--out=a"]), document(&["--out=b"]));
    let (command, purpose) = text.split_once("    # ").expect("a purpose");
    assert_eq!(command.replace("in/", ""), found);
    assert!(command.contains("in/train.csv") && !purpose.is_empty(), "{text}");
    let known = ["--memory=train=1GB", "--memory=infer=1GB"];
    let (text, found) = (
        next(&[&known[..], &["--out=c"]].concat()),
        document(&[&known[..], &["--out=d"]].concat()),
    );
    assert!(text.starts_with("raddle check c train=train-beside-infer.json.gz"), "{text}");
    assert_eq!(
        text.split_once("    # ").map(|(it, _)| it.replace(" c ", " summary.json ")),
        Some(found)
    );
    // Without files there is nothing to check: the command makes them.
    let text = next(&[&known[..], &["--no-files"]].concat());
    assert!(text.starts_with("raddle share in/train.csv ") && !text.contains("no-files"), "{text}");
}

/// Checks that `inspect`, `compare` and `check` name one next command too, the same in text and
/// document.
#[test]
fn looking_comparing_and_checking_lead_on_too() {
    let place = Place::new();
    std::fs::create_dir(place.path().join("in")).unwrap();
    place.file("in/train.csv", train());
    place.file("in/infer.csv", infer());
    let kept = ["replay", "in/train.csv", "in/infer.csv", "--recipe=mps", "--out=plan"];
    assert_eq!(place.raddle(&kept).code, 0);
    let recorded = ["train=in/train.csv", "infer=in/infer.csv"];
    // One recording lasts as long as was predicted, the other much longer.
    place.file("in/slow.csv", train().replace(",801000,", ",9801000,"));
    let check = ["check", "plan", "--no-files", "--recipe=mps"];
    let cases = [
        (&["inspect", "in/train.csv"][..], "raddle share in/train.csv OTHER "),
        (&["inspect", "in/train.csv", "in/infer.csv"], "raddle share in/train.csv in/infer.csv "),
        (&["compare", "in/train.csv", "in/infer.csv"], "raddle inspect in/infer.csv"),
        (&["compare", "plan", "plan#mps"], "raddle check plan --recipe=mps train=RECORDING infer="),
        (&[&check[..], &["train=in/slow.csv"]].concat(), "raddle inspect in/slow.csv"),
        (
            &[&check[..], &recorded[..1]].concat(),
            "raddle compare plan AFTER '--fail-if=train end +5%'",
        ),
    ];
    for (args, begin) in cases {
        let (text, document) =
            (place.raddle(args), place.raddle(&[args, &["--format=json"]].concat()));
        assert_eq!((text.code, document.code), (0, 0), "{}{}", text.err, document.err);
        let (_, next) = text.out.split_once("\nNext:  ").unwrap_or_else(|| panic!("{}", text.out));
        let next = next.replace(" \\\n         ", " ").replace("\n           # ", "    # ");
        let (next, purpose) = next.trim_end().split_once("    # ").expect("a purpose");
        assert!(next.starts_with(begin) && !purpose.contains('\n'), "{next}: {purpose}");
        let document = json(&document);
        let document = if document.is_array() { &document[0] } else { &document };
        assert_eq!(document["next-command"], next.replace("in/", ""));
        let filled = ["train=RECORDING", "infer=RECORDING"].iter().zip(recorded);
        let filled = filled.fold(next.to_owned(), |next, (word, with)| next.replace(word, with));
        let filled = filled.replace("OTHER", "in/infer.csv").replace("AFTER", "plan");
        assert_eq!(filled != next, place.pasted(next).code != 0, "unfilled it is refused: {next}");
        let ran = place.pasted(&filled);
        assert_eq!(ran.code, 0, "{filled}: {}", ran.err);
    }
}
