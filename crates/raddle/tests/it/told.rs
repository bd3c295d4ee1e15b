//! Is what can overturn an answer told by every verb that answers, and with one exit code?

use crate::common::{Place, Ran, table, train};

/// Verbs that answer a question about profiles, each with the arguments that it needs.
const ANSWERS: [(&str, &[&str]); 5] = [
    ("replay", &["--no-files", "--recipe=greedy"]),
    ("share", &["--no-files"]),
    ("sweep", &["--out=rows.jsonl", "--recipe=greedy"]),
    ("search-study", &["--out=rows.jsonl", "--vary=allocate.search=full"]),
    ("tune", &["--recipe=greedy", "--vary=window=4"]),
];

fn answer(verb: &str, more: &[&str]) -> Ran {
    let place = Place::new();
    place.file("peers.csv", table(&["ncclAllReduce 1 8 512 32 0 0 100000 300000"]));
    place.file("lost.csv", table(&["huge 1 80 1024 255 0 0 0 5000", "k 1 80 64 8 0 0 0 95000"]));
    place.file("cut.csv", cut());
    place.raddle(&[&[verb], more].concat())
}

/// Returns a launch table that is cut off in its last value.
fn cut() -> String {
    let whole = train();
    whole[..whole.len() - 2].to_owned()
}

/// Returns the words of a text joined by blanks, however its lines are broken.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn facts_that_can_overturn_an_answer_have_one_line_and_one_exit_code() {
    for (verb, needed) in ANSWERS {
        let lines = [
            "never ran",
            "figures lack",
            "of kernel time is communication",
            "the last line has no end, its last value may be cut",
        ];
        let files = ["lost.csv", "peers.csv", "cut.csv", "--comm=keep"];
        let of = |more: &[&str]| answer(verb, &[&files[..], needed, more].concat());
        let shown = of(&[]);
        assert_eq!(shown.code, 3, "{verb}: {shown:?}");
        let brief = of(&["-q"]);
        assert_eq!(brief.code, 3, "{verb}: {brief:?}");
        for line in lines {
            assert!(words(&shown.out).contains(line), "{verb}, {line}: {}", shown.out);
            let mut warned = brief.err.lines().filter(|told| told.starts_with("warning: "));
            assert!(warned.any(|told| told.contains(line)), "{verb}, {line}: {}", brief.err);
        }
        let partial = of(&["--partial", "-q"]);
        assert_eq!(partial.code, 0, "{verb}: {partial:?}");
        assert!(partial.err.contains("never ran"), "{verb}: {partial:?}");
    }
}

#[test]
fn launches_that_never_ran_are_in_the_answer_of_a_search() {
    let tuned = answer("tune", &["lost.csv", "peers.csv", "--recipe=greedy", "--vary=window=4,8"]);
    let lost = "The figures lack 1 launch of lost (5.0% of its kernel time)";
    assert!(words(&tuned.out).contains(lost), "{}", tuned.out);
    assert!(words(&tuned.err).contains("can never run here"), "{}", tuned.err);
}

/// Checks the verbs that read recordings: each reports a table that is cut off in its last value.
#[test]
fn a_table_that_is_cut_in_its_last_value_is_told_by_every_verb() {
    let place = Place::new();
    place.file("whole.csv", train());
    place.file("cut.csv", cut());
    let ran = place.raddle(&["replay", "whole.csv", "--recipe=greedy", "--out=r", "-q"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = place.raddle(&["replay", "cut.csv", "--recipe=greedy", "--out=s", "-q"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for args in [
        &["inspect", "cut.csv"][..],
        &["contention", "cut.csv"],
        &["compare", "whole.csv", "cut.csv"],
        &["compare", "r", "s"],
        &["compare", "r", "s", "--markdown"],
        &["check", "r", "whole=cut.csv", "--no-files"],
        &["packet", "stats", "cut.csv"],
        &["packet", "encode", "cut.csv"],
    ] {
        let told = |args: &[&str]| {
            let ran = place.raddle(args);
            assert_eq!(ran.code, 0, "{args:?}: {ran:?}");
            let all = words(&ran.out) + &words(&ran.err);
            all.contains("its last value may be cut") || all.contains("its last value lacks digits")
        };
        assert!(told(args), "{args:?}");
        let whole = |arg: &&str| arg.replace("cut.csv", "whole.csv");
        let good: Vec<String> = args.iter().map(whole).collect();
        let mut good: Vec<&str> = good.iter().map(String::as_str).collect();
        good.iter_mut().filter(|arg| **arg == "s").for_each(|arg| *arg = "r");
        assert!(!told(&good), "{good:?}");
    }
}
