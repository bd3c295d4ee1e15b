//! Is there one model of time, whatever the verb, and is "today" what the device does?
//!
//! The cases of `../shared/cases` whose right value is known from the file or from the device.

use raddle_testkit::beside;
use serde_json::Value;

use crate::common::{Place, infer, train};

/// Replays files by the default recipes; returns the summary.
fn replayed(place: &Place, words: &[&str]) -> Value {
    let ran = place.raddle(&[&["replay"], words, &["--no-files", "--format", "json"]].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    serde_json::from_str(&ran.out).expect("it is JSON")
}

/// Returns the figures of the first process under a recipe.
fn end_ns(result: &Value, recipe: &str) -> u64 {
    let all = result["recipes"].as_array().expect("a list");
    let own = all.iter().find(|it| it["name"] == recipe);
    let own = own.unwrap_or_else(|| panic!("{recipe} is among the recipes"));
    own["summary"]["makespan-ns"].as_u64().expect("a time")
}

/// Returns the path of a case; `None`, with a message, where it is not at hand.
fn case(name: &str) -> Option<String> {
    Some(beside("cases")?.join(name).display().to_string())
}

fn idle(result: &Value, cause: &str) -> f64 {
    let time = &result["recipes"][0]["summary"]["device-time"];
    let ns = |key: &str| time[key].as_f64().expect("a time");
    ns(cause) / ns("window-ns")
}

#[test]
fn copies_of_a_direction_follow_each_other() {
    let Some(file) = case("copy_engine.csv") else { return };
    let place = Place::new();
    let result = replayed(&place, &[&file]);
    assert_eq!(end_ns(&result, "streams"), 50_100_000);
    assert!(idle(&result, "idle-copies-ns") > 0.99);
    let told = place.raddle(&["replay", &file, "--no-files"]).out;
    assert!(told.contains("work waits for copies"), "{told}");
}

#[test]
fn a_more_urgent_stream_of_a_process_goes_first() {
    let Some(file) = case("stream_priority.csv") else { return };
    let place = Place::new();
    let result = replayed(&place, &[&file]);
    let end = end_ns(&result, "streams");
    assert!(end.abs_diff(11_000_000) < 50_000, "{end}");
}

#[test]
fn five_streams_share_four_queues_of_amd() {
    let Some(file) = case("five_streams_amd.csv") else { return };
    let place = Place::new();
    let end = |words: &[&str]| end_ns(&replayed(&place, words), "streams");
    let four = end(&[&file]);
    assert!(four.abs_diff(2_000_000) < 20_000, "{four}");
    let eight = end(&[&file, "--queues=8"]);
    assert!(eight.abs_diff(1_000_000) < 20_000, "{eight}");
}

/// Which queue a stream takes is assumed: what was recorded side by side did not share one.
#[test]
fn streams_that_ran_side_by_side_share_no_queue() {
    let place = Place::new();
    let rows: Vec<String> = (0..6)
        .map(|at| {
            // The sixth began when the second had ended.
            let start = if at == 5 { 1_004_000 } else { at * 2_000 };
            format!("k,{at},30,1,1,256,1,1,128,32768,,{start},1000000")
        })
        .collect();
    let head = "# raddle launch table 1\n# device = mi300x\nname,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,vgprs_per_thread,lds_bytes,arrival_ns,start_ns,duration_ns\n";
    place.file("six.csv", format!("{head}{}\n", rows.join("\n")));
    let end = |words: &[&str]| end_ns(&replayed(&place, words), "streams");
    let recorded = end(&["six.csv"]);
    assert!(recorded.abs_diff(2_004_000) < 20_000, "{recorded}");
    let one = end(&["six.csv", "--queues=1"]);
    assert!(one > 5_900_000, "{one}");
}

#[test]
fn recorded_gaps_stay_where_no_launch_was_recorded() {
    let (Some(bare), Some(full)) = (case("gaps_nsys.csv"), case("gaps_with_launches.csv")) else {
        return;
    };
    let place = Place::new();
    let [bare_alone, full_alone] = [&bare, &full].map(|file| replayed(&place, &[file]));
    assert_eq!([&bare_alone, &full_alone].map(|it| end_ns(it, "streams")), [9_960_000; 2]);
    for result in [&bare_alone, &full_alone] {
        let idle = idle(result, "idle-host-ns");
        assert!((0.75..0.81).contains(&idle), "{idle}");
    }
    // Two of them fit beside each other without loss.
    let twice = format!("{bare}*2");
    let two = end_ns(&replayed(&place, &[&twice]), "time-slice");
    assert!(two < 10_100_000, "{two}");
    let told = place.raddle(&["replay", &bare, "--no-files"]).out;
    assert!(told.contains("without launch times, so recorded gaps are kept"), "{told}");
    // Today's reading of before is there for those who ask.
    let queued = end_ns(&replayed(&place, &[&bare, "--arrivals=queued"]), "streams");
    assert_eq!(queued, 2_000_000);
}

/// A recorded gap lasts from the end of the last work before it, which may be in another stream of
/// its hardware queue, so gaps do not add up.
#[test]
fn gaps_in_a_shared_queue_are_those_of_the_recording() {
    let place = Place::new();
    let head = "# raddle launch table 1\n# device = mi210\n\
                name,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,vgprs_per_thread,lds_bytes,start_ns,duration_ns\n";
    let row = |at: u32| format!("work,{},1,1,1,64,1,1,8,0,{},100000\n", at % 5, at * 1_000_000);
    place.file("five.csv", head.to_owned() + &(0..20).map(row).collect::<String>());
    assert_eq!(end_ns(&replayed(&place, &["five.csv"]), "streams"), 19_100_000);
}

/// The same recipe, profiles and load give the same figures, whatever the verb and however many
/// recipes are named.
#[test]
fn every_verb_has_one_model_of_time() {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    place.file("decode.csv", include_str!("../../data/demo/decode.csv"));
    place.file("learn.csv", include_str!("../../data/demo/train.csv"));
    let pairs: [&[&str]; 3] = [
        &["train.csv", "infer.csv", "--requests=infer=1000/s", "--until=20ms", "--device=v100"],
        &["decode.csv", "learn.csv", "--requests=decode=40/s", "--until=100ms"],
        &["train.csv", "decode.csv", "--requests=decode=40/s", "--until=100ms", "--device=h200"],
    ];
    for pair in pairs {
        let p99 = |result: &Value, recipe: &str| {
            let all = result["recipes"].as_array().expect("a list");
            let own = all.iter().find(|it| it["name"] == recipe).expect("it is there");
            let processes = own["summary"]["processes"].as_array().expect("a list");
            let requests = processes.iter().find_map(|it| it["requests"].as_object());
            requests.expect("one has requests")["latency-p99-ns"].as_u64().expect("a time")
        };
        let one = p99(&replayed(&place, &[pair, &["--recipe=time-slice"]].concat()), "time-slice");
        let several =
            [pair, &["--recipe=mps", "--recipe=time-slice", "--recipe=leftover"]].concat();
        assert_eq!(p99(&replayed(&place, &several), "time-slice"), one, "{pair:?}: several");
        assert_eq!(p99(&replayed(&place, pair), "time-slice"), one, "{pair:?}: by default");

        let ran =
            place.raddle(&[&["sweep"], pair, &["--recipe=time-slice", "--out=s.jsonl"]].concat());
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        let rows = std::fs::read_to_string(place.path().join("s.jsonl")).expect("it was written");
        assert!(rows.contains(&format!(".p99-ns\":{one},")), "{pair:?}: sweep: {rows}");
        std::fs::remove_file(place.path().join("s.jsonl")).expect("it was written");

        let shared = place.raddle(
            &[&["share"], pair, &["--recipe=time-slice", "--no-files", "--format=json"]].concat(),
        );
        assert_eq!(shared.code, 0, "{}{}", shared.out, shared.err);
        let shared = serde_json::from_str(&shared.out).expect("it is JSON");
        assert_eq!(p99(&shared, "time-slice"), one, "{pair:?}: share");
    }
}
