//! Is what can overturn an answer told by every verb?

use crate::common::{Place, train};

/// A launch table that is cut in its last value.
fn cut() -> String {
    let whole = train();
    whole[..whole.len() - 2].to_owned()
}

/// The words of a text, however its lines are broken.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

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
