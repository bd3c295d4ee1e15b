//! Do the same recipe, profiles and load give the same figures to the digit, whoever asks?
//!
//! Every verb that replays is asked, those that read results, and the engine of the browser. Python
//! is held against the command in its own tests.

use std::sync::Mutex;
use std::time::Duration;

use raddle::{Load, Rate, Study};
use serde_json::Value;

use crate::common::{Place, infer, train};

/// Times by which the two processes of a pair are judged, in ns.
type Figures = [u64; 2];

/// Names of two profiles in the folder, and further options of the command.
type Pair = &'static [&'static str];

const PAIRS: [Pair; 3] = [
    &["train.csv", "infer.csv", "--requests=infer=1000/s", "--until=20ms", "--device=v100"],
    &["decode.csv", "learn.csv", "--requests=decode=40/s", "--until=50ms"],
    &["train.csv", "decode.csv", "--requests=decode=40/s", "--until=50ms", "--device=h200"],
];

/// Recipes that are asked for: the device's default way, and one under which neighbours cost
/// something.
const RECIPES: [&str; 2] = ["time-slice", "mps"];

fn place() -> Place {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    place.file("decode.csv", include_str!("../../data/demo/decode.csv"));
    place.file("learn.csv", include_str!("../../data/demo/train.csv"));
    place
}

/// Runs a verb and returns the JSON that it prints.
fn ran(place: &Place, verb: &str, words: &[&str]) -> Value {
    let ran = place.raddle(&[&[verb], words, &["--format=json"]].concat());
    assert_eq!(ran.code, 0, "{verb}: {}", ran.err);
    serde_json::from_str(&ran.out).expect("it is JSON")
}

/// Returns the times under a recipe in an answer.
fn judged(answer: &Value, recipe: &str) -> Figures {
    let rows = answer["rows"].as_array().expect("a list");
    let own = rows.iter().find(|row| row["recipe"] == recipe).expect("it is there");
    [0, 1].map(|at| own["processes"][at]["decisive-ns"].as_u64().expect("a time"))
}

fn option(recipe: &str) -> String {
    format!("--recipe={recipe}")
}

/// Replays a pair with these further options, and returns the answer.
fn replayed(place: &Place, pair: Pair, more: &[&str]) -> Value {
    ran(place, "replay", &[pair, more].concat())["answer"].take()
}

fn shared(place: &Place, pair: Pair, recipe: &str) -> Figures {
    let option = option(recipe);
    let words = [pair, &[&*option, "--no-files"]].concat();
    judged(&ran(place, "share", &words)["answer"], recipe)
}

/// Returns the times of the only case of a sweep, and those of its row in the file.
fn swept(place: &Place, pair: Pair, recipe: &str) -> [Figures; 2] {
    let found = ran(place, "sweep", &[pair, &[&*option(recipe), "--out=s.jsonl"]].concat());
    let group = &found["groups"][0]["figures"];
    let shown = [0, 1].map(|at| group[at]["mean"].as_f64().expect("a time") as u64);
    let file = place.path().join("s.jsonl");
    let row = std::fs::read_to_string(&file).expect("it was written");
    std::fs::remove_file(file).expect("it was written");
    let row: Value = serde_json::from_str(&row).expect("one row");
    let told = [0, 1].map(|at| {
        let judged = &found["judged"][at];
        let [process, figure] =
            ["process", "figure"].map(|key| judged[key].as_str().expect("a word"));
        row[format!("{process}.{figure}-ns")].as_u64().expect("a time")
    });
    [shown, told]
}

/// Returns the times of the best candidate of a search, and those of the device's default way.
fn tuned(place: &Place, pair: Pair, recipe: &str) -> [Figures; 2] {
    let name = pair[0].trim_end_matches(".csv");
    let vary = format!("--vary=share.{name}=1");
    let found = ran(place, "tune", &[pair, &[&*option(recipe), &vary]].concat());
    let of = |row: &Value| [0, 1].map(|at| row["figures"][at].as_u64().expect("a time"));
    [of(&found["best"][0]), of(&found["base"])]
}

/// Replays a pair under a recipe, of which `check` takes the prediction, and leaves the result in
/// the folder `one`. Returns the times.
fn checked(place: &Place, pair: Pair, recipe: &str) -> Figures {
    let option = option(recipe);
    let answer = replayed(place, pair, &[&option, "--out=one"]);
    // Each profile is one repetition of itself.
    let words = ["one", pair[0], pair[1], &option, "--no-files"];
    let found = ran(place, "check", &words);
    let rows = answer["rows"].as_array().expect("a list");
    let own = rows.iter().find(|row| row["recipe"] == recipe).expect("it is there");
    let issued = [0, 1].map(|at| own["processes"][at]["from-issue"]["p99-ns"].as_u64());
    let judged = judged(&answer, recipe);
    // The prediction is from the issue of requests, as a recording measures them.
    let predicted = [0, 1].map(|at| issued[at].unwrap_or(judged[at]));
    let tenants = [0, 1].map(|at| found["tenants"][at]["predicted-ns"].as_u64().expect("a time"));
    assert_eq!(tenants, predicted, "{pair:?}: check");
    judged
}

/// Returns the times that `compare` reads of the results in two folders: of the recipe alone, and
/// of several recipes.
fn compared(place: &Place, pair: Pair, recipe: &str) -> [Figures; 2] {
    let found = ran(place, "compare", &["one", "more", "--equal"]);
    let names = pair[..2].iter().map(|file| file.trim_end_matches(".csv"));
    let names: Vec<&str> = names.collect();
    [0, 1].map(|result| {
        [0, 1].map(|at| {
            let served = pair.iter().any(|word| word.contains(&format!("={}=", names[at])));
            let metric = if served { "request p99" } else { "step" };
            let mut rows = found["rows"].as_array().expect("a list").iter();
            let row = rows.find(|row| {
                row["recipe"] == recipe && row["process"] == names[at] && row["metric"] == metric
            });
            row.expect("it is compared")["values"][result].as_f64().expect("a time") as u64
        })
    })
}

/// Returns the times that the engine of the browser gives for the question that the command line
/// asks.
fn in_a_browser(place: &Place, pair: Pair, recipe: &str) -> Figures {
    let mut study = raddle_study::Study {
        profiles: pair[..2].iter().map(|&name| name.to_owned()).collect(),
        ..raddle_study::Study::default()
    };
    for word in pair[2..].iter().chain([&&*option(recipe)]) {
        let (option, value) = word.trim_start_matches("--").split_once('=').expect("an option");
        study.option(option, value).expect("an option of a study");
    }
    let files = pair[..2].iter().map(|name| {
        let bytes = std::fs::read(place.path().join(name)).expect("it was written");
        (serde_json::json!({ "name": name, "bytes": bytes.len() }), bytes)
    });
    let (named, bytes): (Vec<Value>, Vec<Vec<u8>>) = files.unzip();
    let head = serde_json::json!({ "files": named, "study": study });
    let question = [format!("{head}\n").into_bytes(), bytes.concat()].concat();
    let last = Mutex::new(String::new());
    raddle_web::answer(&question, &raddle_study::Registry::bundled(), &|line| {
        line.clone_into(&mut last.lock().expect("nothing panics"));
        true
    });
    let line = last.into_inner().expect("nothing panics");
    let line: Value = serde_json::from_str(&line).expect("it is JSON");
    let summary = line["report"]["summary"].as_str().unwrap_or_else(|| panic!("{line}"));
    judged(&serde_json::from_str::<Value>(summary).expect("it is JSON")["answer"], recipe)
}

/// Returns the times that the library gives for the question that the command line asks.
fn by_the_library(place: &Place, pair: Pair, recipe: &str) -> Figures {
    let paths = pair[..2].iter().map(|name| place.path().join(name).display().to_string());
    let mut study = Study::of(paths).recipe(recipe);
    let mut load = Load::default();
    for word in &pair[2..] {
        let (option, value) = word.trim_start_matches("--").split_once('=').expect("an option");
        let number = |text: &str| text.parse().expect("a number");
        match option {
            "requests" => {
                let (name, rate) = value.trim_end_matches("/s").split_once('=').expect("a rate");
                load = load.and_requests(name, Rate::per_second(number(rate)));
            }
            "until" => {
                let ms = number(value.trim_end_matches("ms"));
                load = load.until(Duration::from_millis(ms.into()));
            }
            _ => study = study.device(value),
        }
    }
    let outcome = raddle::ask(&study.load(load)).expect("it can be answered");
    let figures = outcome.recipe(recipe).expect("it was replayed").processes();
    let figures: Vec<u64> = figures.map(|own| own.judged().expect("it ended").ns).collect();
    figures.try_into().expect("two processes")
}

/// Checks that every verb gives the same times, whatever the number of recipes.
#[test]
fn every_verb_has_one_model_of_time() {
    let place = place();
    let several = ["--recipe=mps", "--recipe=time-slice", "--recipe=leftover", "--out=more"];
    for pair in PAIRS {
        let today = judged(&replayed(&place, pair, &["--no-files"]), RECIPES[0]);
        let more = replayed(&place, pair, &several);
        for recipe in RECIPES {
            let one = checked(&place, pair, recipe);
            assert!(one.iter().all(|&ns| ns > 0), "{one:?}");
            assert_eq!(judged(&more, recipe), one, "{pair:?}: several");
            assert_eq!(shared(&place, pair, recipe), one, "{pair:?}: share");
            assert_eq!(swept(&place, pair, recipe), [one; 2], "{pair:?}: sweep");
            assert_eq!(tuned(&place, pair, recipe), [one, today], "{pair:?}: tune");
            assert_eq!(compared(&place, pair, recipe), [one; 2], "{pair:?}: compare");
            assert_eq!(by_the_library(&place, pair, recipe), one, "{pair:?}: library");
            assert_eq!(in_a_browser(&place, pair, recipe), one, "{pair:?}: browser");
        }
    }
}
