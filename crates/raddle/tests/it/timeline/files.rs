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

/// Checks a decoded file against what the summary says of the recipe.
fn check(decoded: &Decoded, result: &Value) {
    let timeline = &result["timeline"];
    assert_eq!(timeline["slices"].as_u64(), Some(decoded.slices.len() as u64));
    if ["slot", "cu"].contains(&timeline["grain"].as_str().expect("a name")) {
        let groups = decoded.on_units().map(|(_, slice)| &slice.notes["workgroups"]);
        let groups: u64 = groups.map(|groups| groups.parse::<u64>().expect("a number")).sum();
        assert_eq!(result["summary"]["workgroups"].as_u64(), Some(groups));
    }
    // One arrow a launch that started, from its stream to the first of its slices.
    let started = decoded.on_units().map(|(_, slice)| &slice.notes["launch"]);
    let started: std::collections::BTreeSet<&String> = started.collect();
    let of_request = |flow: &&(usize, usize)| decoded.slices[flow.0].name.starts_with("request ");
    let (requests, launches): (Vec<_>, Vec<_>) = decoded.flows.iter().partition(of_request);
    assert_eq!(launches.len(), started.len());
    let mut first: BTreeMap<&str, u64> = BTreeMap::new();
    for (_, slice) in decoded.on_units() {
        let at = first.entry(&slice.notes["launch"]).or_insert(slice.start);
        *at = slice.start.min(*at);
    }
    // And one from each request to each of its launches, copies included.
    for &(from, to) in &requests {
        let (from, to) = (&decoded.slices[from], &decoded.slices[to]);
        assert_eq!(from.notes["iteration"], to.notes["iteration"]);
        assert_eq!(decoded.path(from.track)[0], decoded.path(to.track)[0]);
        assert!(from.start <= to.start && to.end <= from.end);
    }
    for &(from, to) in &launches {
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
        assert_eq!(names, ["process train", "process infer", "NVIDIA Tesla V100 (v100, 80 SMs)"]);
        let device = decoded.track(&names[2..]);
        let of_device = decoded.tracks.values().filter(|t| t.parent == Some(device));
        let units = of_device.filter(|t| t.name.starts_with("CU "));
        assert_eq!(units.count(), 80);
        assert_eq!(decoded.counters.len(), 5);
        assert_eq!(decoded.path(decoded.track(&["process infer", "stream 2"])).len(), 2);
        // Waves of the device are those of the processes.
        let last = |path: &[&str]| decoded.counters[&decoded.track(path)].last().unwrap().1;
        assert!(last(&[names[2], "resident waves, % of slots"]).abs() < 1e-9);
        assert!(last(&["process train", "launches ready or running"]).abs() < 1e-9);
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
    let load = ["--requests", "infer=2000/s", "--until", "5ms"];
    let files = replay(&place, &load);
    let summary = json(&files["summary.json"]);
    let compared = ["time-slice", summary["answer"]["verdict"]["recipe"].as_str().unwrap()];
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
        let request = decoded.slices.iter().find(|slice| {
            (slice.start, slice.end) == (from, to) && slice.name.starts_with("request")
        });
        let request = request.expect("the request itself");
        assert_eq!(request.name, format!("request {}", slow["number"]));
    }
    let page = String::from_utf8_lossy(&files["report.html"]);
    let links = page.matches("/slowest.perfetto-trace\"").count();
    assert!(links >= 2 + 2, "{links} in the table and in the list of files");
    // An earlier result of this kind is replaced.
    replay(&place, &load);
}

/// Checks that the command of docs/tutorials/timeline.md gives the timelines that the page
/// describes.
#[test]
fn what_the_page_on_timelines_says_is_in_them() {
    let place = Place::new();
    place.file("decode.csv", include_str!("../../../data/demo/decode.csv"));
    place.file("train.csv", include_str!("../../../data/demo/train.csv"));
    let page = include_str!("../../../../../docs/tutorials/timeline.md");
    let command = page.lines().find_map(|line| line.strip_prefix("$ raddle ")).unwrap();
    let ran = place.raddle(&command.split(' ').collect::<Vec<_>>());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let files = place.tree("out");
    let summary = json(&files["summary.json"]);
    let of = |recipe: &str| Decoded::of(&files[&format!("{recipe}/timeline.perfetto-trace")]);
    let [plain, drain] = ["leftover", "leftover-drain"].map(of);
    let slowest = files.keys().filter(|file| file.ends_with("slowest.perfetto-trace"));
    assert_eq!(slowest.count(), 0, "a window was named");
    for timeline in [&plain, &drain] {
        let below = |group: &str| -> Vec<&str> {
            let mut own: Vec<_> = timeline.tracks.values().collect();
            own.retain(|track| {
                let below = track.parent.is_some_and(|of| timeline.tracks[&of].name == group);
                below && !track.name.contains(", lane ")
            });
            own.sort_by_key(|track| track.rank);
            own.into_iter().map(|track| &*track.name).collect()
        };
        let mut groups: Vec<_> = timeline.tracks.values().filter(|t| t.parent.is_none()).collect();
        groups.sort_by_key(|track| track.rank);
        let groups: Vec<&str> = groups.into_iter().map(|track| &*track.name).collect();
        assert_eq!(groups[..2], ["process decode", "process train"]);
        let decode = below("process decode");
        let first =
            ["requests", "waiting", "resident waves, % of slots", "launches ready or running"];
        assert!(decode[..4] == first && decode[4].starts_with("stream "), "{decode:?}");
        let device = below(groups[2]);
        assert_eq!(device[0], "who runs");
        assert!(device.contains(&"copy engine") && device.contains(&"CU 0"), "{device:?}");
        let waves = timeline.track(&["process decode", "resident waves, % of slots"]);
        assert!(timeline.counters[&waves].iter().all(|(_, share)| (0.0..=100.0).contains(share)));
        // Each launch of a request has its arrow, and knows when it was issued.
        let request = |flow: &(usize, usize)| timeline.slices[flow.0].name.starts_with("request ");
        let links: Vec<_> = timeline.flows.iter().filter(|flow| request(flow)).collect();
        assert!(links.len() > 100, "{}", links.len());
        for (_, launch) in links {
            let notes = &timeline.slices[*launch].notes;
            assert!(["issued_ns", "level", "launch"].iter().all(|key| notes.contains_key(*key)));
        }
    }
    let on = |timeline: &Decoded, path: [&str; 2], name: &str| -> Vec<(u64, u64)> {
        let own = timeline.slices.iter().filter(|slice| slice.name == name);
        own.filter(|slice| timeline.path(slice.track).starts_with(&path[..1]))
            .filter(|slice| timeline.path(slice.track)[1].starts_with(path[1]))
            .map(|slice| (slice.start, slice.end))
            .collect()
    };
    let device =
        plain.path(*plain.tracks.keys().find(|t| plain.tracks[t].name == "who runs").unwrap())[0];
    let waits = on(&plain, ["process decode", "stream"], "waiting: room");
    let other = on(&plain, [device, "who runs"], "train");
    let beside =
        |&(from, to): &(u64, u64)| other.iter().any(|&(start, end)| start < to && from < end);
    assert!(waits.iter().any(beside), "{waits:?}");
    assert!(!on(&drain, ["process train", "stream"], "off: drained").is_empty());
    let decode = on(&drain, [device, "who runs"], "decode");
    let requests = &summary["recipes"][1]["summary"]["processes"][0]["requests"]["slowest"];
    let arrivals = requests.as_array().unwrap().iter().map(|of| of["arrival-ns"].as_u64().unwrap());
    let inside: Vec<u64> = arrivals.filter(|at| (50_000_000..59_000_000).contains(at)).collect();
    let soon = |at: &u64| decode.iter().any(|(start, end)| start < &(at + 1_000_000) && end > at);
    assert!(!inside.is_empty() && inside.iter().all(soon), "{inside:?} {decode:?}");
    let causes = ["waiting: host", "waiting: dependency", "waiting: turn", "waiting: room"];
    let seen = |cause: &str| {
        [&plain, &drain].iter().any(|of| {
            ["process decode", "process train"]
                .iter()
                .any(|of_process| !on(of, [of_process, "waiting"], cause).is_empty())
        })
    };
    let seen: Vec<&str> = causes.into_iter().filter(|cause| seen(cause)).collect();
    assert!(seen.len() >= 3, "{seen:?}");
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
