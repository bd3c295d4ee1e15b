//! Has one mistake one exit code in all verbs, and does each name what was likely meant?

use std::fs;

use crate::common::{Place, Ran, infer, table, train};

fn place() -> Place {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    place
}

/// Verbs that answer a question about profiles, each with the arguments that it needs.
const VERBS: [&[&str]; 6] = [
    &["replay", "train.csv", "infer.csv", "--no-files"],
    &["share", "train.csv", "infer.csv", "--no-files"],
    &["sweep", "train.csv", "infer.csv", "--out=x.jsonl"],
    &["sweep", "train.csv", "infer.csv", "--out=x.jsonl", "--dry-run"],
    &["tune", "train.csv", "infer.csv", "--vary=window=4,8", "--save=x.toml"],
    &["search-study", "train.csv", "infer.csv", "--out=x.jsonl"],
];

fn refused(place: &Place, args: &[&str], code: i32, why: &str) -> Ran {
    let ran = place.raddle(args);
    assert_eq!((ran.code, ran.out.as_str()), (code, ""), "{args:?}: {}", ran.err);
    assert!(ran.err.contains(why), "{args:?}: {}", ran.err);
    ran
}

/// Checks that options of a process whose name has an underscore, as most real profiles have, can
/// be varied.
#[test]
fn a_process_with_an_underscore_can_be_varied() {
    let place = place();
    place.file("my_infer.csv", infer());
    for key in ["share", "load", "think", "start", "memory", "priority"] {
        let value = match key {
            "load" => "100/s,200/s",
            "think" | "start" => "1ms,2ms",
            "memory" => "1GB,2GB",
            _ => "1,2",
        };
        let vary = format!("--vary={key}.my_infer={value}");
        let args = ["sweep", "train.csv", "my_infer.csv", &vary, "--out=x.jsonl", "--dry-run"];
        let ran = place.raddle(&args);
        assert_eq!(ran.code, 0, "{vary}: {}", ran.err);
    }
}

/// Checks that senseless counts of processes and repeated recipes are refused as such, not as
/// missing files.
#[test]
fn counts_and_recipes_that_stand_twice_are_refused() {
    let place = place();
    let why = "`0` is no number of processes";
    refused(&place, &["share", "train.csv*0", "infer.csv", "--no-files"], 2, why);
    let twice = ["--recipe=leftover", "--recipe=leftover", "--no-files"];
    let args = [&["replay", "train.csv", "infer.csv"], &twice[..]].concat();
    refused(&place, &args, 2, "leftover is named twice");
    refused(&place, &["recipes", "--show=today"], 2, "It stands for the way");
}

/// Checks that one mistake has one exit code in all verbs: 2 where the command line asks for
/// something wrong; 1 where a file cannot be read, or is wrong in itself.
#[test]
fn one_mistake_has_one_exit_code_in_all_verbs() {
    let place = place();
    place.file("torn.toml", "raddle = 1\n[turn]\npolicy = \"everyon\"\n");
    place.file("odd.toml", "cus");
    let mistakes: [(&[&str], i32, &str); 16] = [
        (&["--recipe=gredy"], 2, "Did you mean `greedy`?"),
        (&["--device=h1000"], 2, "Did you mean `h100`?"),
        (&["--recipe=greedy", "--set=turn.polcy=everyone"], 2, "`turn.polcy`"),
        (&["--recipe=greedy", "--set=turn.policy=everyon"], 2, "did you mean `everyone`"),
        (&["--recipe=weighted-slices", "--set=turn.t0-us=\"x\""], 2, "`turn.t0-us`"),
        (&["--set=tern.policy=everyone"], 2, "no key of a recipe"),
        (&["--share=trian=2"], 2, "Did you mean `train`?"),
        (&["--goal=trian step 1ms"], 2, "Did you mean `train`?"),
        (&["--divice=h100"], 2, "--device"),
        (&["--contention=lernt"], 2, "learnt"),
        (&["--recipe=gone.toml"], 1, "gone.toml"),
        (&["--recipe=./gone"], 1, "./gone"),
        (&["--recipe=torn.toml"], 1, "torn.toml, line 3"),
        (&["--device=gone.toml"], 1, "gone.toml cannot be read"),
        (&["--device=odd.toml"], 1, "odd.toml holds no device"),
        (&["--idempotent-from=gone.toml"], 1, "gone.toml cannot be read"),
    ];
    for verb in VERBS {
        for (options, code, why) in mistakes {
            let set = options.iter().any(|option| option.starts_with("--set=t"));
            let recipe = options[0].starts_with("--recipe");
            let goal = options.iter().any(|option| option.starts_with("--goal"));
            let (code, why) = match verb[0] {
                // Ways of sharing are no files and have settings of their own; searches have no goals.
                "share" if set => (2, "--set"),
                "share" if recipe => (2, "no such way of sharing"),
                "search-study" if goal => (2, "judges no goals"),
                _ => (code, why),
            };
            refused(&place, &[verb, options].concat(), code, why);
        }
    }
    assert_eq!(place.names("."), ["infer.csv", "odd.toml", "torn.toml", "train.csv"]);
    assert_eq!(place.raddle(&["replay", "train.csv", "--recipe=greedy", "--out=r", "-q"]).code, 0);
    for (args, code, why) in [
        (&["recipes", "--show=gredy"][..], 2, "Did you mean `greedy`?"),
        (&["devices", "--show=h1000"], 2, "Did you mean `h100`?"),
        (&["inspect", "train.csv", "--device=h1000"], 2, "Did you mean `h100`?"),
        (&["inspect", "train.csv", "--device=gone.toml"], 1, "gone.toml cannot be read"),
        (&["inspect", "gone.csv"], 1, "gone.csv cannot be read"),
        (&["contention", "train.csv", "--device=h1000"], 2, "Did you mean `h100`?"),
        (&["check", "r", "train=train.csv", "--recipe=gredy"], 2, "Did you mean `greedy`?"),
        (&["check", "gone", "train=train.csv"], 1, "gone cannot be read"),
        (&["compare", "r#gredy", "r"], 2, "gredy"),
        (&["compare", "r", "gone"], 1, "gone cannot be read"),
        (&["log", "gone.jsonl"], 1, "gone.jsonl cannot be read"),
        (&["explain", "bitmpa"], 2, "`bitmap`"),
        (&["golden", "bitmpa"], 2, "`bitmap`"),
        (&["circuit", "grouped", "--blocks=64", "--groups=7", "--out=c"], 2, "7"),
    ] {
        refused(&place, args, code, why);
    }
}

/// Checks that a rule whose name fits nothing is refused, as a rule that changes nothing would be a
/// wrong answer, and that the message names what there is.
#[test]
fn a_name_that_fits_nothing_is_wrong_usage_and_says_what_there_is() {
    let place = place();
    for verb in VERBS {
        for (option, near) in [
            ("--kernel-class=gem*=memory", "Did you mean `gemm`?"),
            ("--kernel-class=foo*=memory", "There are kernels such as `attend`, `copyk`, `gemm`"),
            ("--idempotent=foo*=yes", "There are kernels such as `attend`"),
            ("--idempotent=reduc=yes", "Did you mean `reduce`?"),
            ("--priority=trian*=1", "it fits no stream"),
            ("--priority=train:stream 9=1", "Did you mean `train:stream 7`?"),
            ("--hint=trian=priority:1", "Did you mean `train`?"),
            ("--memory=trian=1GB", "Did you mean `train`?"),
            ("--share=trian=2", "Did you mean `train`?"),
            ("--start=trian=1ms", "Did you mean `train`?"),
            ("--think=trian=1ms", "Did you mean `train`?"),
            ("--requests=trian=40/s", "Did you mean `train`?"),
        ] {
            // A glob that fits is none of these.
            if option != "--kernel-class=gem*=memory" {
                refused(&place, &[verb, &[option]].concat(), 2, near);
            }
        }
    }
    let fits = ["replay", "train.csv", "--no-files", "-q", "--kernel-class=gem*=memory"];
    assert_eq!(place.raddle(&fits).code, 0);
    let inspect = ["inspect", "train.csv", "--kernel-class=foo*=memory"];
    refused(&place, &inspect, 2, "There are kernels such as `gemm`, `reduce`");
}

/// Checks that a text that lacks its unit or its parameter is refused with a message that names the
/// likely text, the rest unchanged.
#[test]
fn what_lacks_its_unit_or_its_parameter_names_what_was_meant() {
    let place = place();
    for (option, meant) in [
        ("--requests=infer=burst", "`burst:8`"),
        ("--requests=infer=burst:", "`burst:8`"),
        ("--requests=infer=burst=3", "`burst:3`"),
        ("--requests=infer=40", "`40/s`"),
        ("--memory=train=40", "`40GB`"),
        ("--memory=train=40gib", "`40GiB`"),
        ("--memory=train", "`train=40GB`"),
        ("--memory=40GB", "`NAME=40GB`"),
        ("--share=train", "`train=2`"),
        ("--share=train=", "`train=2`"),
        ("--start=train", "`train=5ms`"),
        ("--start=train=5", "`5ms`"),
        ("--start=train=5 sec", "`5s`"),
        ("--think=train=2", "`2ms`"),
        ("--hint=train", "`train=deadline:20ms`"),
        ("--hint=train=deadline", "`deadline:20ms`"),
        ("--hint=train=laxity:5", "`5ms`"),
        ("--hint=train=utilisation:", "`utilisation:50%`"),
        ("--priority=train", "`train=5`"),
        ("--idempotent=gemm", "`gemm=yes`"),
        ("--kernel-class=gemm", "`gemm=memory`"),
        ("--goal=train step 20", "`20ms`"),
        ("--goal=train step +5", "`+5%`"),
        ("--goal=train step 5%", "`+5%`"),
        ("--until=3", "`3ms`"),
        ("--jitter=3", "`3ms`"),
        ("--set=turn.t0-us", "turn.t0-us=5000"),
    ] {
        for verb in ["replay", "sweep"] {
            let out = if verb == "replay" { "--no-files" } else { "--out=x.jsonl" };
            refused(&place, &[verb, "train.csv", "infer.csv", out, option], 2, meant);
        }
    }
    for (args, meant) in [
        (&["sweep", "train.csv", "--out=x", "--vary=memory.train=40"][..], "`40GB`"),
        (&["sweep", "train.csv", "--out=x", "--vary=hint.train=deadline"], "`deadline:20ms`"),
        (&["sweep", "train.csv", "--out=x", "--vary=load"], "load=10..80/s"),
        (&["sweep", "train.csv", "--out=x", "--shard=4"], "`1/4`"),
        (&["tune", "train.csv", "--vary=window=4", "--minimise=train"], "`train.step`"),
        (&["replay", "train.csv", "--timeline-window=1..2"], "`1ms`"),
        (&["compare", "a", "b", "--fail-if=makespan"], "`makespan +5%`"),
        (&["compare", "a", "b", "--fail-if=makespan > 5"], "`makespan +5%`"),
    ] {
        refused(&place, args, 2, meant);
    }
    let percent = ["replay", "train.csv", "infer.csv", "--no-files", "--format=json"];
    let ways = ["50%", "50"].map(|of| {
        let hint = format!("--hint=infer=utilisation:{of}");
        let ran = place.raddle(&[&percent[..], &[&hint]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        found["recipes"].to_string()
    });
    assert_eq!(ways[0], ways[1]);
    for amounts in ["--amounts=5%", "--amounts=5"] {
        assert_eq!(place.raddle(&["inspect", "train.csv", amounts]).code, 0);
    }
}

/// Checks that work that never ran is reported by number and share, with an exit code of its own,
/// in every verb, and that no message points to an option that the verb lacks.
#[test]
fn work_that_never_ran_is_told_by_number_and_share() {
    let place = Place::new();
    let rows = ["small 1 80 128 32 1024 0 0 1000", "half 1 80 128 32 49152 0 2000 1000"];
    place.file("two.csv", table(&rows));
    place.file("lost.csv", table(&["huge 1 80 1024 255 0 0 0 5000", "k 1 80 64 8 0 0 0 95000"]));
    let searches = "--vary=allocate.search=full,{sampled={amounts=[1,2,4,128]}}";
    let line = "two: 1 launch, 50.0% of kernel time, never ran";
    for (args, of, error) in [
        (
            &["search-study", "two.csv", "--partial", "--out=a.jsonl", searches][..],
            " in 1 of 2 cases",
            "",
        ),
        (
            &["search-study", "two.csv", "--out=b.jsonl", searches],
            " in 1 of 2 cases",
            "1 launch of two (50.0% of its kernel time) can never run here",
        ),
        (
            &["sweep", "two.csv", "--recipe=matching", "--out=c.jsonl", searches],
            " in 1 of 2 cases",
            "1 launch of two (50.0% of its kernel time) can never run here",
        ),
        (
            &["sweep", "two.csv", "--recipe=matching", "--out=d.jsonl", searches, "--shard=2/2"],
            "",
            "1 launch of two (50.0% of its kernel time) can never run here",
        ),
    ] {
        let ran = place.raddle(args);
        assert_eq!(ran.code, if error.is_empty() { 0 } else { 3 }, "{args:?} {ran:?}");
        let shown = if args.contains(&"--shard=2/2") { &ran.err } else { &ran.out };
        assert!(
            shown.contains(&format!("warning: {line}{of}, figures lack it\n")),
            "{args:?} {ran:?}"
        );
        assert!(ran.err.contains(error) && !ran.err.contains("of `-v`"), "{}", ran.err);
    }
    let page = fs::read_to_string(place.path().join("b.html")).unwrap();
    assert!(page.contains(line), "the page says so too");
    let tune = ["tune", "lost.csv", "--vary=window=4,8"];
    let ran = place.raddle(&tune);
    assert!(ran.code == 3 && !ran.err.contains("of `-v`"), "{ran:?}");
}

/// Checks that a shard (a part of the cases of a sweep) prints the warnings on its own cases only.
#[test]
fn a_shard_tells_what_can_overturn_its_own_cases() {
    let place = Place::new();
    place.file("peers.csv", table(&["ncclAllReduce 1 8 512 32 0 0 100000 300000"]));
    let line = "warning: peers: 100.0% of kernel time is communication (--comm)\n";
    for (shard, told) in [("1/2", line), ("2/2", "")] {
        let shard = format!("--shard={shard}");
        let out = format!("--out={}.jsonl", &shard[8..9]);
        let args = ["sweep", "peers.csv", "--recipe=greedy", "--vary=comm=keep,fixed"];
        let ran = place.raddle(&[&args[..], &[&shard, &out]].concat());
        assert_eq!((ran.code, &*ran.out, &*ran.err), (0, "", told), "{shard}");
    }
}

/// Checks that who has no profile, or gives options of a replay without a verb, is told what to do.
#[test]
fn the_first_things_that_people_type_are_answered() {
    let place = Place::new();
    let none = place.raddle(&["share"]);
    let hint = "no profile at hand? `raddle` alone leaves two in raddle-out/bundled";
    assert!(none.code == 2 && none.err.contains(hint), "{}", none.err);
    let bare = place.raddle(&["--requests", "decode=40/s"]);
    let hint = "behind a verb: `raddle share PROFILE OTHER --requests NAME=40/s`";
    assert!(bare.code == 2 && bare.err.contains(hint), "{}", bare.err);
    let typo = place.raddle(&["--verson"]);
    assert!(typo.code == 2 && !typo.err.contains("behind a verb"), "{}", typo.err);
    let other = place.raddle(&["share", "--nonsense", "x.csv"]);
    assert!(other.code == 2 && !other.err.contains("behind a verb"), "{}", other.err);
}
