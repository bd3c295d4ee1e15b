//! Is nothing printed of a file of another kind, whatever option names it?

use crate::common::{Place, infer, table, train};

const SECRET: &str = "zq7hidden";
/// Beginning of the secret word in a file, which no message may print.
const PART: &str = "zq7h";

/// Returns (name, text) of files of the wrong kind with a secret in them, in the forms that readers
/// take apart: lines, TOML, and JSON of each type.
fn contents() -> [(&'static str, String); 6] {
    [
        ("lines", format!("root:{SECRET}:0:0:{SECRET}\n# {SECRET} = {SECRET}\n{SECRET}\n")),
        ("toml", format!("{SECRET} = \"{SECRET}\"\nid = \"{SECRET}\"\ncus = \"{SECRET}\"\n")),
        ("words", format!("password = {SECRET} {SECRET}")),
        ("object", format!("{{\"{SECRET}\": \"{SECRET}\", \"a\": [\"{SECRET}\"]}}\n")),
        (
            "known",
            ["raddle", "device", "profiles", "recipes", "answer", "tasks", "time", "traceEvents"]
                .map(|key| format!("\"{key}\": \"{SECRET}\""))
                .join(",")
                + "}\n",
        ),
        ("text", format!("\"{SECRET}\"\n")),
    ]
    .map(|(name, text)| (name, if name == "known" { format!("{{{text}") } else { text }))
}

/// Arguments of each verb, and the options with files that are tried one by one.
const VERBS: [(&[&str], &[&str]); 7] = [
    (&["replay", "train.csv", "--no-files"], &STUDY),
    (&["share", "train.csv", "--no-files"], &STUDY),
    (&["sweep", "train.csv", "--out=rows.jsonl", "--dry-run"], &STUDY),
    (&["search-study", "train.csv", "--out=rows.jsonl", "--dry-run"], &STUDY),
    (&["tune", "train.csv", "--vary=window=4"], &STUDY),
    (&["inspect", "train.csv"], &["--device", "--shapes-from"]),
    (&["contention", "train.csv"], &["--device", "--shapes-from"]),
];

/// Options of a study that take a file.
const STUDY: [&str; 7] = [
    "--device",
    "--recipe",
    "--energy-weights",
    "--idempotent-from",
    "--shapes-from",
    "--arrivals",
    "--requests",
];

/// Command lines that name a file in all other ways; `FILE` stands for it.
const OTHERS: [&[&str]; 49] = [
    &["replay", "FILE"],
    &["replay", "train.csv", "FILE", "--no-files"],
    &["replay", "train.csv", "--live-report", "--wasm=FILE"],
    &["replay", "train.csv", "--out=FILE"],
    &["replay", "--events=FILE"],
    &["share", "FILE"],
    &["sweep", "FILE", "--out=rows.jsonl"],
    &["sweep", "train.csv", "--out=FILE"],
    &["sweep", "train.csv", "--out=rows.jsonl", "--vary=device=v100,FILE", "--recipe=greedy"],
    &["sweep", "train.csv", "--out=rows.jsonl", "--vary=recipe=greedy,FILE"],
    &["sweep", "train.csv", "--out=rows.jsonl", "--vary=idempotent-from=FILE"],
    &["sweep", "train.csv", "--out=rows.jsonl", "--vary=requests=FILE"],
    &["search-study", "FILE", "--out=rows.jsonl"],
    &["search-study", "train.csv", "--out=FILE"],
    &["tune", "FILE", "--vary=window=4"],
    &["tune", "train.csv", "--vary=window=4", "--save=FILE"],
    &["inspect", "FILE"],
    &["inspect", "train.csv", "--self-replay", "--fit-from=FILE"],
    &["contention", "FILE"],
    &["log", "FILE"],
    &["log", "--check", "FILE"],
    &["log", "--replay", "FILE"],
    &["log", "--print", "FILE"],
    &["recipes", "--show=FILE"],
    &["recipes", "--show=greedy", "--save=FILE"],
    &["devices", "--show=FILE"],
    &["devices", "--show=v100", "--save=FILE"],
    &["compare", "FILE", "FILE"],
    &["compare", "r", "FILE"],
    &["compare", "train.csv", "FILE"],
    &["check", "FILE", "train.csv"],
    &["check", "r", "FILE", "--no-files"],
    &["check", "r", "train.csv", "--no-files", "--shapes-from=FILE"],
    &["calibrate", "device", "--from=FILE"],
    &["calibrate", "device", "--from=d.jsonl", "--save=FILE"],
    &["calibrate", "device", "--from=d.jsonl", "--device=FILE"],
    &["calibrate", "pair", "--profile-a=FILE", "--profile-b=train.csv", "--from=t.json"],
    &["calibrate", "pair", "--profile-a=train.csv", "--profile-b=FILE", "--from=t.json"],
    &["calibrate", "pair", "--profile-a=train.csv", "--profile-b=infer.csv", "--from=FILE"],
    &[
        "calibrate",
        "pair",
        "--profile-a=train.csv",
        "--profile-b=infer.csv",
        "--truth=FILE",
        "--",
        "true",
        "--",
        "true",
    ],
    &["calibrate", "energy", "FILE"],
    &["calibrate", "energy", "power.csv", "--save=FILE"],
    &["check-placement", "FILE"],
    &["packet", "encode", "FILE"],
    &["packet", "decode", "FILE"],
    &["packet", "stats", "FILE"],
    &["kernel", "verdict", "FILE"],
    &["live", "log", "FILE"],
    &["circuit", "full", "--blocks=8", "--out=FILE"],
];

/// Options in `--help` that take a file or folder, and that are tried elsewhere in this test or
/// never read as text.
const TRIED: [&str; 22] = [
    "--profile-a",
    "--profile-b",
    "--truth",
    "--from",
    "--device",
    "--recipe",
    "--energy-weights",
    "--idempotent-from",
    "--shapes-from",
    "--arrivals",
    "--requests",
    "--wasm",
    "--events",
    "--out",
    "--save",
    "--fit-from",
    "--show",
    // A folder of sources of kernels, and sockets, libraries and programs.
    "--kernels",
    "--socket",
    "--layer",
    "--cuda",
    "--log",
];

fn place() -> Place {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    place.file("small.csv", table(&["k 1 80 128 32 0 0 0 1000"]));
    place.file("power.csv", "kernel,move,ns,mw\nidle,0,1000,50\nk,100,1000,90\n");
    for (name, text) in contents() {
        for ending in ["", ".toml", ".json", ".cl", ".ptx", ".spv"] {
            place.file(&format!("{name}{ending}"), &text);
        }
    }
    let ran = place.raddle(&["replay", "small.csv", "--recipe=greedy", "--out=r", "-q"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    place
}

fn holds_the_secret(place: &Place, args: &[&str], input: &str) {
    let ran = place.ask(args, input);
    // A source without kernels is one: `raddle kernel` counts none.
    let accepted = args.contains(&"--dry-run") || args[0] == "kernel";
    assert!(ran.code != 0 || accepted, "{args:?}: {ran:?}");
    for text in [&ran.out, &ran.err] {
        assert!(!text.contains(PART), "{args:?}: {text}");
    }
}

#[test]
fn no_option_of_any_verb_prints_a_file_of_another_kind() {
    let place = place();
    for (name, text) in contents() {
        for (verb, options) in VERBS {
            for option in options {
                holds_the_secret(&place, &[verb, &[option, name]].concat(), "");
            }
        }
        for args in OTHERS {
            let args: Vec<String> = args.iter().map(|arg| arg.replace("FILE", name)).collect();
            holds_the_secret(&place, &args.iter().map(String::as_str).collect::<Vec<_>>(), "");
        }
        for ending in [".toml", ".json"] {
            let file = format!("{name}{ending}");
            holds_the_secret(&place, &["replay", "train.csv", "--device", &file], "");
        }
        for ending in [".cl", ".ptx", ".spv"] {
            holds_the_secret(&place, &["kernel", "verdict", &format!("{name}{ending}")], "");
        }
        for args in
            [&["replay", "-"][..], &["packet", "encode"], &["packet", "decode"], &["inspect", "-"]]
        {
            holds_the_secret(&place, args, &text);
        }
        holds_the_secret(&place, &["explain", "bitmap"], &text);
    }
    // Sources in a folder that are none are passed over.
    let ran = place.raddle(&["inspect", "train.csv", "--kernels=."]);
    assert!(!ran.out.contains(PART) && !ran.err.contains(PART), "{ran:?}");
    // The files that stood there before are unchanged.
    for (name, text) in contents() {
        let left = std::fs::read_to_string(place.path().join(name)).expect("it is there");
        assert_eq!(left, text, "{name}");
    }
}

/// Checks that the test tries every option that takes a file, so that a new one is not forgotten.
#[test]
fn every_option_that_takes_a_file_is_tried() {
    let place = Place::new();
    let verbs = [
        "replay",
        "share",
        "sweep",
        "search-study",
        "tune",
        "inspect",
        "contention",
        "log",
        "recipes",
        "devices",
        "compare",
        "check",
        "calibrate device",
        "calibrate energy",
        "calibrate pair",
        "golden",
        "explain",
        "circuit",
        "check-placement",
        "packet encode",
        "packet decode",
        "packet stats",
        "kernel verdict",
        "kernel instrument",
        "serve",
        "live serve",
        "live run",
        "live status",
        "live log",
    ];
    for verb in verbs {
        let words: Vec<&str> = verb.split(' ').chain(["--help"]).collect();
        let help = place.raddle(&words).out;
        for line in help.lines().map(str::trim).filter(|line| line.starts_with('-')) {
            // `FILE=VALUE` is said of a profile by its name.
            let is_file = |word: &&str| line.contains(*word);
            let takes = ["FILE>", "FILE[", "|FILE", "DIR>", "FOLDER>"].iter().any(is_file);
            let option = line.split_whitespace().find(|word| word.starts_with("--"));
            let Some(option) = option.filter(|_| takes) else { continue };
            assert!(TRIED.contains(&option), "{verb}: {line}");
        }
    }
}
