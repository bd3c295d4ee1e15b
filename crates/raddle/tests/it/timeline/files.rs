//! Files of the tool, decoded with the public definitions.

use std::collections::BTreeMap;

use serde_json::Value;

use super::decoded::Decoded;
use crate::common::{Place, infer, sample, table, train};

fn two() -> Place {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    place
}

const BOTH: [&str; 7] =
    ["replay", "train.csv", "infer.csv", "--priority", "train*=5", "--out", "out"];

fn replay(place: &Place, more: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let ran = place.raddle(&[&BOTH[..], more].concat());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    place.tree("out")
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("it is JSON")
}

/// Checks a file against what the summary says of its recipe.
fn check(decoded: &Decoded, result: &Value) {
    let timeline = &result["timeline"];
    let drawn =
        decoded.slices.iter().filter(|slice| !slice.name.starts_with("waiting")).count() as u64;
    let copies = decoded
        .slices
        .iter()
        .filter(|slice| decoded.path(slice.track)[1].starts_with("copy engine"))
        .count() as u64;
    assert_eq!(timeline["slices"].as_u64(), Some(drawn - copies));
    if ["slot", "cu"].contains(&timeline["grain"].as_str().expect("a name")) {
        let groups = decoded.on_units().map(|(_, slice)| &slice.notes["workgroups"]);
        let groups: u64 = groups.map(|groups| groups.parse::<u64>().expect("a number")).sum();
        assert_eq!(result["summary"]["workgroups"].as_u64(), Some(groups));
    }
    // One arrow a launch that started, from its stream to the first of its slices.
    let started = decoded.on_units().map(|(_, slice)| &slice.notes["launch"]);
    let started: std::collections::BTreeSet<&String> = started.collect();
    assert_eq!(decoded.flows.len(), started.len());
    let mut first: BTreeMap<&str, u64> = BTreeMap::new();
    for (_, slice) in decoded.on_units() {
        let at = first.entry(&slice.notes["launch"]).or_insert(slice.start);
        *at = slice.start.min(*at);
    }
    for &(from, to) in &decoded.flows {
        let (from, to) = (&decoded.slices[from], &decoded.slices[to]);
        assert_eq!((&from.notes["launch"], &from.name), (&to.notes["launch"], &to.name));
        assert_eq!(first[to.notes["launch"].as_str()], to.start);
        assert!(from.start <= to.start);
        assert_eq!(decoded.path(from.track)[0], format!("process {}", from.category));
    }
}

#[test]
fn each_recipe_has_a_timeline_that_decodes() {
    let place = two();
    let files = replay(&place, &["--timeline", "all"]);
    let summary = json(&files["summary.json"]);
    for result in summary["recipes"].as_array().unwrap() {
        let name = result["name"].as_str().unwrap();
        let file = format!("{name}/timeline.perfetto-trace");
        assert_eq!(result["timeline"]["file"], file);
        assert_eq!(result["timeline"]["grain"], "slot", "{name}");
        let decoded = Decoded::of(&files[&file]);
        check(&decoded, result);
        // Device, its 80 units, its counter; two processes with two counters each and 3 streams.
        let groups: Vec<_> = decoded.tracks.values().filter(|t| t.parent.is_none()).collect();
        let names: Vec<&str> = groups.iter().map(|t| t.name.as_str()).collect();
        assert_eq!(names, ["process train", "process infer", "NVIDIA Tesla V100 (v100, 80 CUs)"]);
        let device = decoded.track(&names[2..]);
        let of_device = decoded.tracks.values().filter(|t| t.parent == Some(device));
        let units = of_device.filter(|t| t.name.starts_with("CU "));
        assert_eq!(units.count(), 80);
        assert_eq!(decoded.counters.len(), 5);
        assert_eq!(decoded.path(decoded.track(&["process infer", "stream 2"])).len(), 2);
        // Waves of the device are those of the processes.
        let last = |path: &[&str]| *decoded.counters[&decoded.track(path)].last().unwrap();
        assert_eq!(last(&[names[2], "resident waves"]).1, 0);
        assert_eq!(last(&["process train", "launches ready or running"]).1, 0);
    }
}

#[test]
fn the_bundled_profile_decodes() {
    let place = Place::new();
    let profile = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/pair");
    let [train, infer] = ["train", "infer"].map(|name| format!("{profile}/{name}.csv"));
    let more = ["--recipe", "leftover-drain", "--device", "b200", "--priority", "train=5", "-v"];
    let args = [&["replay", &train, &infer, "--out", "out"][..], &more].concat();
    let ran = place.raddle(&args);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let files = place.tree("out");
    let summary = json(&files["summary.json"]);
    let result = &summary["recipes"][0];
    let decoded = Decoded::of(&files["leftover-drain/timeline.perfetto-trace"]);
    check(&decoded, result);
    let off = decoded.slices.iter().filter(|slice| slice.name == "off: drained").count() as u64;
    assert!(off > 0 && off <= result["summary"]["taken-off"].as_u64().unwrap(), "{off}");
    assert_eq!(result["timeline"]["grain"], "cu");
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains(
            "(--timeline-slices): leftover-drain/timeline.perfetto-trace: compute units by launch"
        ),
        "{words}"
    );
}

#[test]
fn what_is_compared_is_drawn_with_its_slowest_request() {
    let place = two();
    let load = ["--requests", "infer=2000/s", "--until", "5"];
    let files = replay(&place, &load);
    let summary = json(&files["summary.json"]);
    let compared = ["leftover", summary["answer"]["verdict"]["recipe"].as_str().unwrap()];
    assert_ne!(compared[0], compared[1], "{}", summary["answer"]["verdict"]);
    for result in summary["recipes"].as_array().unwrap() {
        let name = result["name"].as_str().unwrap();
        if !compared.contains(&name) {
            assert!(result["timeline"].is_null() && result["slowest-timeline"].is_null(), "{name}");
            continue;
        }
        check(&Decoded::of(&files[&format!("{name}/timeline.perfetto-trace")]), result);
        let slow = &result["summary"]["processes"][1]["requests"]["slowest"][0];
        let drawn = &result["slowest-timeline"];
        assert_eq!(drawn["window-ns"], serde_json::json!([slow["arrival-ns"], slow["end-ns"]]));
        assert_eq!(
            (&drawn["grain"], &drawn["file"]),
            (&"slot".into(), &format!("{name}/slowest.perfetto-trace").into())
        );
        let decoded = Decoded::of(&files[drawn["file"].as_str().unwrap()]);
        let [from, to] = ["arrival-ns", "end-ns"].map(|key| slow[key].as_u64().unwrap());
        // A launch that was ready before may have waited before.
        let whole = decoded.slices.iter().filter(|slice| !slice.name.starts_with("waiting"));
        assert!(whole.clone().all(|slice| slice.start <= to && slice.end >= from));
        let request = decoded
            .slices
            .iter()
            .find(|slice| (slice.name.as_str(), slice.start, slice.end) == ("request", from, to));
        assert_eq!(
            request.expect("the request itself").notes["iteration"],
            slow["number"].to_string()
        );
    }
    let page = String::from_utf8_lossy(&files["report.html"]);
    let links = page.matches("/slowest.perfetto-trace\"").count();
    assert!(links >= 2 + 2, "{links} in the table and in the list of files");
    // An earlier result of this kind is replaced.
    replay(&place, &load);
}

#[test]
fn what_is_asked_for_is_written_and_nothing_else() {
    let place = two();
    for (wanted, names) in [
        ("none", &["decisions.jsonl.zst"][..]),
        ("all", &["decisions.jsonl.zst", "timeline.perfetto-trace"]),
        ("compared", &["decisions.jsonl.zst", "timeline.perfetto-trace"]),
    ] {
        // Each replaces the result before it.
        let files =
            replay(&place, &["--recipe", "greedy", "--log", "answers", "--timeline", wanted]);
        assert_eq!(place.names("out/greedy"), names);
        let told = &json(&files["summary.json"])["recipes"][0]["timeline"];
        assert_eq!(told.is_null(), wanted == "none");
    }
    let ran = place.raddle(&["replay", "train.csv", "--no-files", "--format", "json"]);
    assert_eq!(json(ran.out.as_bytes())["recipes"][0]["timeline"], Value::Null);
}

#[test]
fn too_many_slices_are_drawn_coarser_and_the_text_says_so() {
    let place = two();
    let mut sizes = Vec::new();
    for (most, grain, words) in [
        ("100000", "slot", None),
        ("700", "cu", Some("compute units by launch, not by workgroup")),
        ("100", "launch", Some("no compute units")),
        ("5", "launch", Some("no compute units; launches up to")),
    ] {
        let more = ["--recipe", "leftover", "--once", "-v", "--timeline-slices", most];
        let ran = place.raddle(&[&BOTH[..], &more].concat());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        let files = place.tree("out");
        let result = &json(&files["summary.json"])["recipes"][0];
        assert_eq!(result["timeline"]["grain"], grain, "{most}");
        let decoded = Decoded::of(&files["leftover/timeline.perfetto-trace"]);
        check(&decoded, result);
        let text = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(text.contains("Timelines drawn coarser"), words.is_some());
        assert!(words.is_none_or(|words| text.contains(words)), "{text}");
        sizes.push(files["leftover/timeline.perfetto-trace"].len());
    }
    assert!(sizes.windows(2).all(|pair| pair[0] > pair[1]), "{sizes:?}");
}

#[test]
fn a_window_holds_what_happens_in_it_at_full_grain() {
    let place = two();
    let recipe = ["--recipe", "leftover", "--once", "--timeline-slices", "400"];
    let whole = json(&replay(&place, &recipe)["summary.json"]);
    assert_ne!(whole["recipes"][0]["timeline"]["grain"], "slot");
    let files = replay(&place, &[&recipe[..], &["--timeline-window", "0.05ms..0.15ms"]].concat());
    let summary = json(&files["summary.json"]);
    assert_eq!(summary["recipes"][0]["timeline"]["grain"], "slot");
    let decoded = Decoded::of(&files["leftover/timeline.perfetto-trace"]);
    assert!(decoded.on_units().count() > 0);
    for slice in &decoded.slices {
        assert!(slice.start <= 150_000 && slice.end >= 50_000, "{} {}", slice.start, slice.end);
    }
}

#[test]
fn names_from_outside_are_sanitised() {
    let place = Place::new();
    let long = "x".repeat(5000);
    place.file(
        "t.csv",
        table(&[
            "bad\u{1b}[31m\"name\" 1 80 128 32 0 0 0 1000",
            &format!("{long} 1 1 32 16 0 0 9000 10"),
        ]),
    );
    let ran = place.raddle(&["replay", "t.csv", "--recipe", "greedy", "--timeline", "all"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let files = place.tree("raddle-out/t");
    let decoded = Decoded::of(&files["greedy/timeline.perfetto-trace"]);
    let longest = decoded.slices.iter().map(|slice| slice.name.chars().count()).max();
    assert_eq!(longest, Some(200));
    assert!(decoded.slices.iter().all(|slice| !slice.name.contains('\u{1b}')));
}

#[test]
fn a_real_trace_of_a_v100_decodes() {
    let Some(path) = sample("kineto_nvidia/hta_alexnet_cuda_sync.json.gz") else { return };
    let place = Place::new();
    let ran = place.raddle(&["replay", &path.display().to_string(), "--out", "out"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let files = place.tree("out");
    let summary = json(&files["summary.json"]);
    let recipes = summary["recipes"].as_array().unwrap().iter();
    for result in recipes.filter(|result| !result["timeline"].is_null()) {
        let file = result["timeline"]["file"].as_str().unwrap();
        let decoded = Decoded::of(&files[file]);
        check(&decoded, result);
        let copies = decoded
            .slices
            .iter()
            .filter(|slice| decoded.path(slice.track)[1].starts_with("copy engine"));
        assert!(copies.count() > 0);
    }
}
