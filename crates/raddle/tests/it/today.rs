//! Is "today" what the device does, and do all verbs say and check the same of it?
//!
//! The cases of `../shared/cases` whose right value is known from the file or from the device.

use raddle_testkit::beside;
use serde_json::Value;

use crate::common::{Place, infer, train};

/// Replays files under the default recipes, and returns the summary.
fn replayed(place: &Place, words: &[&str]) -> Value {
    let ran = place.raddle(&[&["replay"], words, &["--no-files", "--format", "json"]].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    serde_json::from_str(&ran.out).expect("it is JSON")
}

/// Returns the time at which the first process ends under a recipe, in ns.
fn end_ns(result: &Value, recipe: &str) -> u64 {
    let all = result["recipes"].as_array().expect("a list");
    let own = all.iter().find(|it| it["name"] == recipe);
    let own = own.unwrap_or_else(|| panic!("{recipe} is among the recipes"));
    own["summary"]["makespan-ns"].as_u64().expect("a time")
}

/// Returns the path of a case; `None`, with a message, where it is absent.
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
    // All policies end the process at once, and all but one let its urgent stream wait.
    let verdict = &result["answer"]["verdict"];
    assert_eq!((&verdict["kind"], &verdict["recipe"]), (&"stay".into(), &"streams".into()));
    let told = verdict["text"].as_str().expect("a sentence");
    assert!(told.contains("(level 0) wait 0.5 -> 9.5 ms (p99)"), "{told}");
    let ways = ["--recipe=mps", "--recipe=leftover-drain", "--recipe=mps-priority"];
    let other = replayed(&place, &[&[file.as_str()], &ways[..]].concat());
    assert_eq!(other["answer"]["verdict"]["recipe"], "mps-priority", "{}", other["answer"]);
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

/// Checks that streams that were recorded side by side share no hardware queue in the replay, as
/// which queue a stream takes is assumed.
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

/// Checks that a hardware queue of NVIDIA orders starts: a kernel that waits for its own stream
/// holds up those behind it, so one queue is slower where streams are issued one after the other.
/// Kernels that wait for nothing run side by side in one queue too.
#[test]
fn a_queue_of_nvidia_holds_up_what_stands_behind_a_kernel_that_waits() {
    let place = Place::new();
    let end = |streams: &[u32], queues: u32| {
        let mut begun = std::collections::BTreeMap::new();
        let row = |(at, stream): (u64, &u32)| {
            let start = begun.entry(*stream).or_insert(at * 1_000);
            let own = std::mem::replace(start, *start + 1_000_000);
            (own, format!("k,{stream},1,1,1,64,1,1,16,0,{},{own},1000000\n", at * 1_000))
        };
        let mut rows: Vec<(u64, String)> = (0..).zip(streams).map(row).collect();
        rows.sort();
        let head = "# raddle launch table 1\n# device = h100\nname,stream,grid_x,grid_y,grid_z,\
                    block_x,block_y,block_z,vgprs_per_thread,lds_bytes,arrival_ns,start_ns,duration_ns\n";
        let rows: String = rows.into_iter().map(|(_, row)| row).collect();
        place.file("streams.csv", head.to_owned() + &rows);
        let queues = format!("--queues={queues}");
        end_ns(&replayed(&place, &["streams.csv", &queues]), "streams") / 100_000
    };
    let (in_turn, each_in_turn) = ([1, 1, 2, 2], [1, 2, 1, 2]);
    assert_eq!([1, 2].map(|queues| end(&in_turn, queues)), [30, 20]);
    assert_eq!([1, 2].map(|queues| end(&each_in_turn, queues)), [20, 20]);
    let twelve: Vec<u32> = (0..12).collect();
    assert_eq!([1, 8].map(|queues| end(&twelve, queues)), [10, 10]);
}

/// Checks that the end of a process has bounds where another runs out of work before it, as the
/// time that the device takes to go over is unknown.
#[test]
fn to_follow_a_process_that_has_run_dry_may_cost_as_much_as_a_restore() {
    let place = Place::new();
    let head = "# raddle launch table 1\n# device = a100\nname,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,vgprs_per_thread,lds_bytes,arrival_ns,start_ns,duration_ns\n";
    let rows = |first: u64| {
        [0u64, 1, 2].map(|n| {
            let start = first + 1_000_000 * n;
            format!("k,0,108,1,1,1024,1,1,64,0,{start},{start},100000\n")
        })
    };
    place.file("one.csv", format!("{head}{}", rows(0).concat()));
    place.file("two.csv", format!("{head}{}", rows(500_000).concat()));
    let ways = ["--once", "--recipe=time-slice", "--recipe=streams"];
    let result = replayed(&place, &[&["one.csv", "two.csv"], &ways[..]].concat());
    let end = |at: usize| result["answer"]["rows"][at]["processes"][1].clone();
    let [sliced, free] = [0, 1].map(|at| end(at)["decisive-ns"].as_u64().expect("a time"));
    assert_eq!((free, sliced), (2_200_000, 2_200_000));
    let between = [0, 1].map(|at| end(0)["between-ns"][at].as_u64().expect("a bound") - free);
    assert_eq!(between, [0, 178_000]);
    let asked = ["--once", "--recipe=time-slice", "--set=preempt.load-ns=30000"];
    let asked = replayed(&place, &[&["one.csv", "two.csv"], &asked[..]].concat());
    assert_eq!(end_ns(&asked, "time-slice"), 2_230_000);
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

/// Returns a launch table of `count` kernels of `lasts` ns with gaps of `gap` ns; with `issued`, it
/// has launch times far ahead of the starts.
fn gaps(count: u64, lasts: u64, gap: u64, issued: bool) -> String {
    let row = |at: u64| {
        let start = at * (lasts + gap);
        let arrival = if issued { (at * 4_000).min(start).to_string() } else { String::new() };
        format!("k{lasts},0,432,1,1,256,1,1,32,0,{arrival},{start},{lasts}\n")
    };
    let head = "# raddle launch table 1\n# device = a100\n\
                name,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,vgprs_per_thread,lds_bytes,arrival_ns,start_ns,duration_ns\n";
    head.to_owned() + &(0..count).map(row).collect::<String>()
}

/// Checks that, under time slices, copies of a process do not hold up its kernels of another
/// stream, whoever is beside it, as copy engines take no turns.
#[test]
fn copies_of_a_process_do_not_hold_its_kernels_under_time_slices() {
    let place = Place::new();
    let head = "# raddle launch table 1\n# device = h100\n\
                name,kind,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,vgprs_per_thread,lds_bytes,arrival_ns,start_ns,duration_ns\n";
    let ms = 1_000_000;
    // Eight steps of 10 ms of kernels, each beside an upload of 8 ms.
    let rows = (0..8u64).flat_map(|step| {
        let begins = step * 10 * ms;
        let kernels = (0..10).map(move |at| {
            let start = begins + at * ms;
            format!("k,kernel,1,132,1,1,256,1,1,32,0,0,{start},{ms}\n")
        });
        let upload = format!("upload,copy,2,,,,,,,,,0,{begins},{}\n", 8 * ms);
        std::iter::once((begins, upload)).chain(kernels.map(move |row| (begins, row)))
    });
    place.file("busy.csv", head.to_owned() + &rows.map(|(_, row)| row).collect::<String>());
    place.file("few.csv", format!("{head}k,kernel,1,132,1,1,256,1,1,32,0,0,0,50000\n"));
    let files = ["busy.csv", "few.csv", "--once", "--recipe=mps", "--recipe=time-slice"];
    let found = replayed(&place, &files);
    let [beside, sliced] = ["mps", "time-slice"].map(|way| end_ns(&found, way));
    // The other process costs its own time, one turn at most, and the switches.
    assert!(sliced < beside + 3 * ms, "{sliced} under time slices, {beside} beside each other");
}

/// Checks that the intervals of every verb hold both readings of a gap (the host was late, or the
/// device), also for one file.
#[test]
fn every_verb_holds_both_readings_of_a_gap() {
    let place = Place::new();
    place.file("serve.csv", gaps(30, 40_000, 60_000, false));
    place.file("train.csv", gaps(25, 800_000, 300_000, false));
    let json = |words: &[&str]| {
        let ran = place.raddle(&[words, &["--format=json"]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        serde_json::from_str::<Value>(&ran.out).expect("it is JSON")
    };
    let load = ["serve.csv", "train.csv", "--requests=serve=40/s", "--until=100ms"];
    for files in [&load[..], &["train.csv"]] {
        let of = |verb: &str, more: &[&str]| json(&[&[verb], files, more].concat());
        let today = if files.len() > 1 { "time-slice" } else { "streams" };
        let replay = of("replay", &["--recipe", today, "--no-files"]);
        let both = |at: usize| replay["answer"]["rows"][0]["processes"][at].clone();
        let queued = of("replay", &["--recipe", today, "--no-files", "--arrivals=queued"]);
        if files.len() > 1 {
            let share = of("share", &["--recipe=today", "--no-files"]);
            let row = &share["answer"]["rows"][0]["processes"];
            assert_eq!((&row[0], &row[1]), (&both(0), &both(1)));
        }
        // A search says what a replay says, of a run by the first seed.
        let tuned = of("tune", &["--vary=recipe=time-slice,mps"]);
        let ways = of("replay", &["--recipe=time-slice", "--recipe=mps", "--no-files"]);
        let text = |found: &Value| found["answer"]["verdict"]["text"].as_str().map(str::to_owned);
        let tuned = text(&tuned).expect("a verdict").replace("recipe=", "");
        assert!(tuned.contains("work was issued"), "{tuned}");
        assert_eq!(Some(tuned), text(&ways));
        let sweep = of("sweep", &["--recipe", today, "--out=s.jsonl"]);
        for at in 0..replay["answer"]["processes"].as_array().expect("a list").len() {
            let bounds = |end: usize| both(at)["between-ns"][end].as_u64().expect("a bound");
            let other = queued["answer"]["rows"][0]["processes"][at]["decisive-ns"].as_u64();
            let other = other.expect("a time");
            assert!(bounds(0) <= other && other < bounds(1), "{other}: {}", both(at));
            let swept = &sweep["groups"][0]["bounds"][at];
            assert!(swept["least-ns"].as_u64() <= Some(bounds(0)), "{swept}: {}", both(at));
            assert!(swept["most-ns"].as_u64() >= Some(bounds(1)), "{swept}: {}", both(at));
        }
    }
}

/// Checks that intervals cover both causes of a gap where a file does not tell which it was, also
/// beside another process: a host far ahead of the device leaves the same short gaps as one that is
/// late.
#[test]
fn intervals_cover_both_causes_of_a_gap() {
    let place = Place::new();
    for gap in [5_000, 6_000, 9_000] {
        let queued = &["--arrivals=queued"][..];
        let rows = [(true, &[][..]), (false, &[]), (false, queued)].map(|(issued, reading)| {
            place.file("serve.csv", gaps(30, 40_000, gap, issued));
            place.file("train.csv", gaps(25, 800_000, gap, issued));
            let words = ["share", "serve.csv", "train.csv", "--recipe=today", "--no-files"];
            let ran = place.raddle(&[&words[..], &["--format=json"], reading].concat());
            assert_eq!(ran.code, 0, "{}", ran.err);
            let found: Value = serde_json::from_str(&ran.out).expect("it is JSON");
            found["answer"]["rows"][0]["processes"].clone()
        });
        let [known, unknown, queued] = rows;
        for at in 0..2 {
            let ns = known[at]["decisive-ns"].as_u64().expect("a time");
            let of = |row: &Value| {
                [0, 1].map(|end| row[at]["between-ns"][end].as_u64().expect("a bound"))
            };
            let (bounds, other) = (of(&unknown), of(&queued));
            // The cost of turns is unknown in the other reading of gaps too.
            assert!(bounds[0] <= other[0] && other[1] <= bounds[1], "{bounds:?} {other:?}");
            let [least, most] = [bounds[0] - bounds[0] / 20, bounds[1] + bounds[1] / 20];
            assert!((least..=most).contains(&ns), "gap {gap}: {ns} not in {bounds:?}");
        }
    }
}

/// Checks that gaps in a shared hardware queue are those of the recording: a gap lasts from the end
/// of the last work before it, which may be in another stream of the queue, so gaps do not add up.
#[test]
fn gaps_in_a_shared_queue_are_those_of_the_recording() {
    let place = Place::new();
    let head = "# raddle launch table 1\n# device = mi210\n\
                name,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,vgprs_per_thread,lds_bytes,start_ns,duration_ns\n";
    let row = |at: u32| format!("work,{},1,1,1,64,1,1,8,0,{},100000\n", at % 5, at * 1_000_000);
    place.file("five.csv", head.to_owned() + &(0..20).map(row).collect::<String>());
    assert_eq!(end_ns(&replayed(&place, &["five.csv"]), "streams"), 19_100_000);
}

/// Checks that a goal in percent is relative to the device's default way in every verb, whichever
/// recipes are named: under `spatial` alone the step would be within any percentage of itself.
#[test]
fn a_goal_in_percent_is_of_today_in_every_verb() {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    let pair = [
        "train.csv",
        "infer.csv",
        "--requests=infer=1000/s",
        "--until=20ms",
        "--device=v100",
        "--goal=train step +1%",
        "--recipe=partition",
    ];
    let of = |words: &[&str]| {
        let ran = place.raddle(&[&[words[0]], &pair[..], &words[1..], &["--format=json"]].concat());
        let json: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{ran:?}"));
        (ran.code, json)
    };
    let met = |answer: &Value, recipe: &str| {
        let rows = answer["rows"].as_array().expect("a list");
        let base = answer["baseline"].as_u64().expect("a position") as usize;
        assert_eq!((&rows[base]["recipe"], rows.len()), (&"time-slice".into(), 2), "{answer}");
        let row = rows.iter().find(|row| row["recipe"].as_str().unwrap().starts_with(recipe));
        row.expect("it is there")["goals-met"][0].as_bool().expect("it is judged")
    };
    let (code, replayed) = of(&["replay", "--no-files"]);
    assert_eq!((code, met(&replayed["answer"], "partition")), (0, false));
    let (code, shared) = of(&["share", "--no-files"]);
    assert_eq!((code, met(&shared["answer"], "partition")), (0, false));
    let (code, tuned) = of(&["tune", "--vary=share.infer=1"]);
    assert_eq!((code, met(&tuned["answer"], "share.infer=1")), (5, false));
    let (code, swept) = of(&["sweep", "--out=s.jsonl"]);
    let groups = swept["groups"].as_array().expect("a list");
    let groups: Vec<_> = groups.iter().map(|it| (&it["values"][0], &it["goals-met"])).collect();
    let [partition, today] = ["partition", "today"].map(Value::from);
    assert_eq!((code, groups), (0, vec![(&partition, &false.into()), (&today, &true.into())]));
    let told = place.raddle(&[&["replay"], &pair[..], &["--no-files"]].concat()).out;
    assert!(told.contains("time-slice (today)"), "{told}");
}

/// Checks that every verb says how much memory the processes need, and refuses processes that do
/// not fit.
#[test]
fn memory_is_told_and_checked_by_every_verb() {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    let verbs: [&[&str]; 5] = [
        &["replay", "--no-files"],
        &["share", "--no-files"],
        &["sweep", "--out=s.jsonl"],
        &["search-study", "--vary=allocate.search=full", "--out=t.jsonl"],
        &["tune", "--recipe=leftover", "--vary=share.train=1"],
    ];
    for verb in verbs {
        let ran = |words: &[&str]| place.raddle(&[verb, words].concat());
        let one = ran(&["train.csv", "--device=v100"]);
        let told =
            "\nMemory: not known, of 16.0 GB: check nvidia-smi, or give --memory NAME=40GB\n";
        assert!(one.code == 0 && one.out.contains(told), "{one:?}");
        let over = ran(&["train.csv", "--device=v100", "--memory=train=18GB"]);
        assert_eq!((over.code, over.out.as_str()), (1, ""), "{verb:?} {}", over.err);
        let told = "the process does not fit into the memory of NVIDIA Tesla V100: train 18.0 GB (given) is 2.00 GB more than its 16.0 GB by its data sheet (17.2 GB where its GB are GiB). Give";
        assert!(over.err.contains(told), "{over:?}");
        let held = ["train.csv", "infer.csv", "--device=v100", "--memory=train=10GB"];
        let over = ran(&[&held[..], &["--memory=infer=8GB"]].concat());
        assert!(over.code == 1 && over.err.contains("do not fit into the memory"), "{over:?}");
        for file in ["s.jsonl", "t.jsonl"] {
            let _ = std::fs::remove_file(place.path().join(file));
        }
    }
    // Of cases of which one fits, the other fails.
    let vary = ["--device=v100", "--recipe=leftover", "--vary=memory=train=9GB,train=18GB"];
    let some = place.raddle(&[&["sweep", "train.csv", "--out=s.jsonl"], &vary[..]].concat());
    assert!(some.code == 4 && some.err.contains("1 of 2 cases failed"), "{some:?}");
    let amd = place.raddle(&["replay", "train.csv", "--device=mi300x", "--no-files"]);
    assert!(amd.out.contains("check rocm-smi --showmeminfo vram, or give"), "{amd:?}");
}

/// Checks that `raddle help model` says the defaults of the options and what the word `today`
/// means, and that no page contradicts it.
#[test]
fn the_help_on_the_model_is_that_of_the_options_and_of_today() {
    let place = Place::new();
    let [model, options] = ["model", "replay"].map(|topic| place.raddle(&["help", topic]).out);
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (model, options) = (words(&model), words(&options));
    for (option, default) in [("--contention", "demand"), ("--launch-latency", "fitted")] {
        let own = options.split_once(&format!("{option} <RULE>")).expect("an option").1;
        let told = own.split_once("[default: ").expect("it has one").1;
        assert!(told.starts_with(&format!("{default}]")), "{option}");
        assert!(model.contains(option), "{option}");
    }
    for told in ["(--contention: demand,", "under every recipe, or no time (--launch-latency)"] {
        assert!(model.contains(told), "{told}: {model}");
    }
    let of = |device: &str, processes| {
        let device = raddle_device::find(device).expect("it is in the table");
        raddle_study::answer::today(&device, processes)
    };
    let today = model.split_once("Today is what the device does").expect("a paragraph").1;
    let (nvidia, amd) = today.split_once("AMD: ").expect("both vendors");
    let [several, one] = [of("h100", 2), of("h100", 1)].map(|name| format!("({name})"));
    let (first, second) = nvidia.split_once(';').expect("processes, then streams");
    assert!(first.contains(&several) && second.contains(&one), "{nvidia}");
    assert_eq!((of("mi300x", 8), of("mi300x", 9)), ("streams", "time-slice"), "{amd}");
    assert!(amd.starts_with("so do the queues of up to eight processes; nine or more"), "{amd}");
    let baselines = include_str!("../../../../docs/policies/baselines.md");
    assert!(!baselines.contains("what most GPUs do") && !model.contains("never wait"));
}
