//! Does `raddle share` try what a device offers, keep the best settings, and say how to have them?

use crate::common::{Place, infer, kernel, table, trace, train};
use serde_json::Value;

fn share(place: &Place, args: &[&str]) -> Value {
    let ran = place.raddle(&[&["share", "--format", "json", "--no-files"], args].concat());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    serde_json::from_str(&ran.out).expect("it is JSON")
}

fn place() -> Place {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    place
}

fn names(value: &Value) -> Vec<&str> {
    let recipes = value["recipes"].as_array().expect("it is a list").iter();
    recipes.map(|recipe| recipe["name"].as_str().expect("it is a text")).collect()
}

fn setup(value: &Value) -> Vec<&str> {
    let lines = value["setup"].as_array().expect("it is a list").iter();
    lines.map(|line| line.as_str().expect("it is a text")).collect()
}

/// Checks that a way of sharing far behind the best one has figures without bounds, that the answer
/// says so, and that who names the way gets its bounds.
#[test]
fn a_way_out_of_reach_has_no_bounds_unless_it_is_named() {
    let place = place();
    let pair = ["train.csv", "infer.csv", "--priority=train=5", "--device=v100"];
    let asked = ["--requests=infer=500/s", "--until=50ms", "--goal=infer p99 370us"];
    let pair = [&pair[..], &asked].concat();
    let rows = |value: &Value| value["answer"]["rows"].as_array().expect("it has rows").clone();
    let bounds = |row: &Value| row["processes"][1].get("between-ns").is_some();
    let found = share(&place, &pair);
    let is_far = |row: &Value| row["out-of-reach"] == true;
    let all = rows(&found);
    let (far, near): (Vec<&Value>, Vec<&Value>) = all.iter().partition(|row| is_far(row));
    assert!(far.iter().all(|row| !bounds(row)) && near.iter().any(|row| bounds(row)));
    let far: Vec<&str> = far.iter().filter_map(|row| row["recipe"].as_str()).collect();
    let [first, ..] = far.as_slice() else { panic!("no way is far behind") };
    let trust = found["answer"]["verdict"]["trust"].as_array().expect("it is a list");
    let says = |sentence: &Value| {
        let told =
            sentence.as_str().and_then(|it| it.split_once("(`--recipe NAME` asks for them)"));
        told.is_some_and(|(_, names)| far.iter().all(|name| names.contains(name)))
    };
    assert!(trust.iter().any(says), "{trust:?}");
    let best = found["answer"]["verdict"]["recipe"].as_str().expect("it names one");
    assert!(!far.contains(&best));
    let named = [format!("--recipe={first}"), format!("--recipe={best}")];
    let named: Vec<&str> = named.iter().map(String::as_str).collect();
    let own = rows(&share(&place, &[&pair[..], &named].concat()));
    let own = own.iter().find(|row| row["recipe"] == **first).expect("it was named");
    assert!(bounds(own) && !is_far(own));
}

/// Checks that each way of sharing has one row, and only those that the device and the tenants
/// have.
#[test]
fn each_mode_stands_there_once() {
    let place = place();
    let pair = ["train.csv", "infer.csv", "--priority", "train=5", "--device"];
    let on = |device: &'static str| share(&place, &[&pair[..], &[device]].concat());
    let h100 = on("h100");
    assert_eq!(h100["command"][1], "share");
    let kinds = |value: &Value| -> Vec<String> {
        let kind = |name: &str| match name.split_once(|c: char| c.is_ascii_digit()) {
            Some((kind, _)) => kind.trim_end_matches('-').to_owned(),
            None => name.to_owned(),
        };
        names(value).into_iter().map(kind).collect()
    };
    let all = ["time-slice", "mps", "mps-priority", "partition", "mig"];
    let own = ["leftover-drain", "leftover-flag"];
    let amd = ["streams", "time-slice", "partition", "compute-partition-dpx"];
    assert_eq!(kinds(&h100), [&all[..], &own].concat());
    assert_eq!(kinds(&on("v100")), [&all[..4], &own].concat(), "it has no instances");
    assert_eq!(kinds(&on("mi300x")), [&amd[..], &own].concat());
    let today =
        |device: &'static str| share(&place, &[&pair[..], &[device, "--recipe=today"]].concat());
    assert_eq!(names(&today("h100")), ["time-slice"]);
    assert_eq!(names(&today("mi300x")), ["streams"]);
    let equals = share(&place, &["train.csv", "infer.csv", "--device", "h100"]);
    assert!(!names(&equals).contains(&"mps-priority"), "nobody is more urgent");
    // Where launches may be killed, that is a way too; the others are tried where they are named.
    let found = share(&place, &[&pair[..], &["h100", "--idempotent=gemm=yes"]].concat());
    assert!(names(&found).contains(&"leftover-reset"), "{:?}", names(&found));
    let asked = ["request-limit", "weighted-slices", "matching", "block-warp"];
    let recipes = asked.map(|name| format!("--recipe={name}"));
    let recipes: Vec<&str> = recipes.iter().map(String::as_str).collect();
    let found = share(&place, &[&pair[..], &["h100"], &recipes[..]].concat());
    assert_eq!(kinds(&found), asked);
}

/// Checks that of the settings of a way of sharing the best is shown: no other has so short a time
/// of both processes.
#[test]
fn the_best_partition_is_kept() {
    let place = place();
    let args = ["train.csv", "infer.csv", "--device", "v100", "--once"];
    let found = share(&place, &args);
    let kept = names(&found).into_iter().find(|name| name.starts_with("partition-")).unwrap();
    let rows: Vec<String> =
        (1..10).map(|tens| format!("partition-{}0-{}0", tens, 10 - tens)).collect();
    assert!(rows.iter().any(|name| name == kept), "{kept}");
    let best = found["answer"]["ranking"][0].as_u64().unwrap() as usize;
    // By hand: the 640 workgroups of `gemm` are on 80 units at once, four a unit and more, so
    // training ends the sooner the more units it has, and inference needs but a few.
    assert!(["partition-80-20", "partition-90-10"].contains(&kept), "{kept}, best {best}");
}

#[test]
fn tenants_can_be_many_and_equal() {
    let place = place();
    let found = share(&place, &["infer.csv*3", "train.csv", "--device", "h100", "--once"]);
    let profiles = found["profiles"].as_array().unwrap();
    let tenants: Vec<&str> = profiles.iter().map(|of| of["name"].as_str().unwrap()).collect();
    assert_eq!(tenants, ["infer", "infer-2", "infer-3", "train"]);
    assert!(!setup(&found).is_empty());
    // Nothing is ranked on a device of another vendor, so nothing is set up.
    let found = share(&place, &["infer.csv*2", "train.csv", "--device", "mi300x", "--once"]);
    assert_eq!(found["answer"]["verdict"]["kind"], "other-vendor");
    assert!(found.get("setup-of").is_none_or(Value::is_null), "{}", found["setup-of"]);
    let ran = place.raddle(&["replay", "infer.csv*2", "--recipe", "leftover", "--no-files", "-q"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = place.raddle(&["replay", "infer.csv*0", "--no-files"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
}

/// Checks that a priority lets waiting work go first: it is urgent and small, and the work before
/// it is long, so only the order differs.
#[test]
fn a_priority_lets_what_waits_go_first() {
    let place = Place::new();
    // Two long launches of two streams fill the device twice; the urgent one comes while both wait.
    place.file(
        "long.csv",
        table(&["a 1 640 1024 32 0 0    0      400000", "b 2 640 1024 32 0 1000 400000 400000"]),
    );
    place.file("urgent.csv", table(&["c 1 80 1024 32 0 2000 2000 10000"]));
    let args = ["long.csv", "urgent.csv", "--priority", "long=5", "--device", "v100", "--once"];
    let found = share(&place, &args);
    let end = |name: &str| {
        let at = names(&found).iter().position(|of| *of == name).unwrap();
        let process = &found["answer"]["rows"][at]["processes"][1];
        process["decisive-ns"].as_u64().unwrap()
    };
    // In the order of arrival it waits for `b`, by level only for the workgroups that run.
    assert!(end("mps-priority") < end("mps"), "{} {}", end("mps-priority"), end("mps"));
}

/// Checks that shares that the user gives are the only ones tried, and that equal tenants get equal
/// parts.
#[test]
fn shares_are_those_of_the_user_and_twins_have_equal_ones() {
    let place = place();
    let of = |args: &[&str]| {
        let only = ["--device=h100", "--recipe=partition"];
        let found = share(&place, &[&only[..], args].concat());
        names(&found).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        of(&["train.csv", "infer.csv", "--share=infer=15", "--share=train=85"]),
        ["partition-85-15"]
    );
    assert_eq!(of(&["train.csv*2"]), ["partition-50-50"]);
}

/// Checks that tenants whose programs together need more memory than the device has are refused,
/// and that a MIG instance too small for its tenant is no candidate.
#[test]
fn memory_decides_what_fits() {
    let place = place();
    let pair = ["train.csv", "infer.csv", "--once", "--device=h100"];
    let shared = |held: &[&str]| {
        place.raddle(&[&["share", "--no-files", "--recipe=mig"], &pair[..], held].concat())
    };
    let over = shared(&["--memory=train=61GB", "--memory=infer=40GB"]);
    assert_eq!((over.code, over.out.as_str()), (1, ""), "{}", over.err);
    let told =
        "train 61.0 GB (given) + infer 40.0 GB (given) are 101 GB, 21.0 GB more than its 80.0 GB";
    assert!(over.err.contains(told), "{}", over.err);
    let unknown = shared(&[]);
    assert!(unknown.out.contains("\nMemory: not known, of 80.0 GB: "), "{}", unknown.out);
    let fits = shared(&["--memory=train=35GB", "--memory=infer=40GB"]);
    assert!(
        fits.out.contains("\nMemory: train 35.0 GB (given) + infer 40.0 GB (given) of 80.0 GB\n"),
        "{fits:?}"
    );
    let large = shared(&["--memory=train=61GB", "--memory=infer=9GB"]);
    assert!(large.code == 2 && large.err.contains("has no such way of sharing"), "{large:?}");
    let why =
        "no mig: the tenants hold 61 and 9 GB, and no 2 instances that h100 has at once hold that";
    assert!(large.err.contains(why), "{large:?}");
}

/// Checks that the recorded memory of a profile counts until the user gives another amount.
#[test]
fn recorded_memory_decides_where_none_is_given() {
    let place = Place::new();
    let holds = |gigabytes: u64| {
        format!(
            r#"{{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":1,"args":{{"Total Reserved":{gigabytes}000000000,"Total Allocated":1,"Bytes":1,"Device Id":0,"Device Type":1}}}}"#
        )
    };
    let work = kernel("k", 5, 30);
    for (name, gigabytes) in [("serve.json", 30), ("learn.json", 61)] {
        place.file(name, trace("", &[&work, &holds(gigabytes)]));
    }
    place.file("more.json", trace("", &[&work]));
    let shared = |words: &[&str]| {
        place.raddle(&[&["share", "--no-files", "--once", "--device=h100"], words].concat())
    };
    let over = shared(&["serve.json", "learn.json"]);
    assert_eq!((over.code, over.out.as_str()), (1, ""), "{}", over.err);
    let told = "serve 30.0 GB (recorded) + learn 61.0 GB (recorded) are 91.0 GB";
    assert!(over.err.contains(told) && over.err.contains("Give --memory NAME="), "{}", over.err);
    let fits = shared(&["serve.json", "learn.json", "--memory=learn=40GB"]);
    let told = "\nMemory: serve 30.0 GB (recorded) + learn 40.0 GB (given) of 80.0 GB; recorded is";
    assert!(fits.out.contains(told), "{fits:?}");
    let one = shared(&["serve.json", "more.json"]);
    assert!(
        one.out.contains("\nMemory: serve 30.0 GB (recorded) + more unknown, of 80.0 GB"),
        "{one:?}"
    );
    let told = place.raddle(&["inspect", "learn.json"]);
    assert!(told.out.contains("61.0 GB of device memory held at most"), "{told:?}");
}

/// Checks that memory that vendors count as GB may be GiB: what fits into GiB is not refused, and a
/// recorded total of the device counts as its amount.
#[test]
fn a_gigabyte_of_a_card_may_be_a_gibibyte() {
    let place = place();
    let pair = ["share", "--no-files", "--once", "train.csv", "infer.csv", "--device=h100"];
    let held = |train: &'static str, infer: &'static str| {
        place.raddle(&[&pair[..], &["--recipe=mig", train, infer]].concat())
    };
    let fits = held("--memory=train=40GiB", "--memory=infer=39GiB");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = "(given) of 80.0 GB by its data sheet (85.9 GB where its GB are GiB) Trust";
    assert!(fits.code == 0 && words(&fits.out).contains(told), "{fits:?}");
    let over = held("--memory=train=41GiB", "--memory=infer=40GiB");
    assert!(over.code == 1 && over.err.contains("do not fit"), "{over:?}");
    for total in [85_017_755_648_u64, 84_000_000_000] {
        let device = format!(
            r#"{{"id":0,"name":"NVIDIA H100 80GB HBM3","computeMajor":9,"computeMinor":0,"numSms":132,"totalGlobalMem":{total}}}"#
        );
        let work = kernel("k", 5, 30);
        let own = format!(r#"{{"deviceProperties":[{device}],"traceEvents":[{work}]}}"#);
        place.file("own.json", own);
        let told = ["replay", "own.json", "infer.csv", "--no-files", "--memory=own=45GB"];
        let ran = place.raddle(&[&told[..], &["--memory=infer=40GB"]].concat());
        if total > 85_000_000_000 {
            let told = "(given) of 85.0 GB (recorded)\n";
            assert!(ran.code == 0 && ran.out.contains(told), "{ran:?}");
        } else {
            let told = "1.00 GB more than its 84.0 GB (recorded)";
            assert!(ran.code == 1 && ran.err.contains(told), "{ran:?}");
        }
    }
}

/// Checks that ways of sharing that no driver offers are never recommended; a line below the table
/// says what the best of them would give.
#[test]
fn what_no_driver_offers_stands_below() {
    let place = Place::new();
    // Under MPS the urgent one waits for all of the long one, with drain for one round of 400.
    place.file("long.csv", table(&["a 1 64000 1024 32 0 0 0 4000000"]));
    place.file("urgent.csv", table(&["b 1 80 1024 32 0 1000 1000 10000"]));
    let args = ["long.csv", "urgent.csv", "--priority", "long=5", "--device", "v100", "--once"];
    let shared = |recipes: &[&str]| {
        let recipes = recipes.iter().flat_map(|recipe| ["--recipe", recipe]);
        let words = args.into_iter().chain(recipes).collect::<Vec<_>>();
        let ran = place.raddle(&[&["share", "--no-files"], &words[..]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        (ran.out, share(&place, &words))
    };
    let (text, found) = shared(&["mps", "leftover-drain"]);
    assert_ne!(found["answer"]["verdict"]["recipe"], "leftover-drain");
    let rows = found["answer"]["rows"].as_array().expect("a list");
    let offered: Vec<bool> = rows.iter().filter_map(|row| row["offered"].as_bool()).collect();
    assert_eq!(offered, [true, false]);
    assert!(text.contains("\nBeyond: leftover-drain would give long end "), "{text}");
    assert!(!shared(&["mps"]).0.contains("Beyond"), "the driver offers it");
}

/// Checks that `tune`, which saves the best recipe, says of a recipe that no driver offers which
/// offered way is nearest.
#[test]
fn tune_says_what_no_driver_offers() {
    let place = place();
    let windows = "--vary=window=512,1024";
    for (recipe, vary, told) in [
        ("leftover-drain", windows, Some(("mps-priority", "CUDA_MPS_CLIENT_PRIORITY"))),
        // Time slices, but not with the window of the driver.
        ("time-slice", windows, Some(("time-slice", "nvidia-smi compute-policy --set-timeslice"))),
        ("time-slice", "--vary=share.train=1,2", None),
    ] {
        let words = ["tune", "train.csv", "infer.csv", "--device=h100", vary];
        let tuned = |more: &str| place.raddle(&[&words[..], &["--recipe", recipe, more]].concat());
        let ran = tuned("--save=tuned.toml");
        let line = ran.out.lines().find_map(|line| line.strip_prefix("Offered: "));
        let text = told.map(|(way, by)| format!("by no driver; nearest is {way} ({by})"));
        assert_eq!((ran.code, line), (0, text.as_deref()), "{recipe}: {}{}", ran.out, ran.err);
        let found: Value = serde_json::from_str(&tuned("--format=json").out).expect("it is JSON");
        assert_eq!(found["no-driver"]["nearest"].as_str(), told.map(|(way, _)| way));
    }
}

/// Checks that a command on files of the set-up names them from where the user stands, quoted.
#[test]
fn files_of_the_set_up_are_named_from_where_the_command_ran() {
    let place = place();
    let words = ["share", "train.csv", "infer.csv", "--device=h100", "--recipe=time-slice"];
    let ran = place.raddle(&[&words[..], &["--timeline=none", "--out=my runs"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let undo = ran.out.lines().find(|line| line.contains("kubectl delete")).expect("a line");
    for file in ["kai-pods.json", "resource-claim.json"] {
        assert!(undo.contains(&format!(" -f 'my runs/set-up/{file}'")), "{undo}");
        assert!(place.path().join("my runs/set-up").join(file).is_file(), "{file}");
    }
}

/// Checks that the table of what each program gets says what its part is: percentages of MPS limit
/// it and keep nothing for it.
#[test]
fn each_way_says_what_the_part_of_a_program_is() {
    let place = place();
    for (device, recipe, part, kind) in [
        ("h100", "partition-30-70", "% at most", "at-most"),
        ("h100", "mig-3g.40gb+4g.40gb", "% its own", "own"),
        ("h100", "time-slice", "50.0% of turns", "of-turns"),
        ("h100", "request-limit", " at least", "at-least"),
        ("h100", "mps", " - ", ""),
    ] {
        let words = ["train.csv", "infer.csv", "--device", device, "--recipe", recipe];
        let ran = place.raddle(&[&["share", "--no-files"], &words[..]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        let (_, table) = ran.out.split_once("\nWhat each process gets under ").expect("a table");
        let table = table.split("\nSet it:").next().unwrap_or_default();
        assert!(table.contains("its part") && table.contains(part), "{recipe}: {table}");
        assert!(!ran.out.contains("guaranteed"), "{}", ran.out);
        let found = share(&place, &words);
        let got = &found["recipes"][0]["got"][0]["part-is"];
        assert_eq!(got.as_str().unwrap_or_default(), kind, "{recipe}");
        // The set-up stands with what undoes it.
        let undone = ran.out.contains("\nUndo it:  ");
        assert_eq!(undone, !found["setup-undo"].is_null(), "{}", ran.out);
        assert_eq!(undone, recipe != "request-limit", "{}", ran.out);
    }
}

#[test]
fn the_commands_of_each_mode() {
    let place = place();
    let pair = ["train.csv", "infer.csv", "--device", "h100"];
    let ran = place.raddle(&[&["share", "--no-files"], &pair[..]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let said: Vec<&str> = ran.out.lines().skip_while(|line| !line.starts_with("Set it")).collect();
    assert!(said.len() > 1, "{}", ran.out);
}

/// Returns [guaranteed, received, lent] part of each of two processes on a V100 under a recipe.
fn got(place: &Place, recipe: &str, late: &str, args: &[&str]) -> Vec<[Option<f64>; 3]> {
    let late = format!("late={late}ms");
    let pair = ["replay", "long.csv", "late.csv", "--once", "--device", "v100", "--no-files"];
    let how =
        ["--launch-latency", "none", "--format", "json", "--recipe", recipe, "--start", &late];
    let ran = place.raddle(&[&pair[..], &how, args].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let found: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let rows = found["recipes"][0]["got"].as_array().expect("it is a list").iter();
    rows.map(|row| ["guaranteed", "received", "lent"].map(|key| row[key].as_f64())).collect()
}

/// Checks the lent part against figures by hand: 320 workgroups of half a unit's waves in two
/// rounds over 80 units, or four over 40, each of 10 us; a single workgroup of 1 us comes when they
/// are through.
#[test]
fn what_is_lent_is_beyond_the_guarantee() {
    let place = Place::new();
    place.file("long.csv", table(&["a 1 320 1024 32 0 0 0 20000"]));
    place.file("late.csv", table(&["b 1 1 1024 32 0 0 0 1000"]));
    // The start of `late` in ms, after four rounds.
    let after = "0.04";
    let [long, late] = [0.9997, 0.0003].map(Some);
    let half = Some(0.5);
    let zero = Some(0.0);
    assert_eq!(got(&place, "mps", after, &[]), [[None, long, None], [None, late, None]]);
    assert_eq!(got(&place, "partition", after, &[]), [[half, long, zero], [half, late, zero]]);
    // Half of what it used lay on the units of the other, which had nothing to start.
    let [own, other] = got(&place, "request-limit", after, &[])[..] else {
        panic!("two processes")
    };
    assert_eq!(own, [half, long, Some(0.4998)]);
    assert_eq!(other, [half, late, zero]);
    let three = got(&place, "request-limit", after, &["--share", "long=3"]);
    assert_eq!(three[0], [Some(0.75), long, Some(0.2499)]);
    // The process `long` ran for 20 us of 41, of which half are its own.
    assert_eq!(got(&place, "time-slice", after, &[]), [[half, long, zero], [half, late, zero]]);
    let slices = got(&place, "time-slice", "0.02", &[]);
    // 20 of 21 us: 9.5 more than its half, of 20.
    assert_eq!(slices[0], [half, long, Some(0.4749)]);
}

/// Checks that `share` writes its result together with the files that set up the recommended way of
/// sharing, and that the result can be replaced, also after a check.
#[test]
fn files_are_written_that_set_it_up() {
    let place = place();
    let args = ["share", "train.csv", "infer.csv", "--device", "h100", "--once", "--out", "plan"];
    let ran = place.raddle(&args);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let summary = std::fs::read_to_string(place.path().join("plan/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    let files = summary["setup-files"].as_array().expect("it is a list");
    assert!(!files.is_empty());
    for file in files {
        let name = file["name"].as_str().expect("it is a text");
        let path = place.path().join("plan/set-up").join(name);
        assert_eq!(std::fs::read_to_string(path).ok().as_deref(), file["text"].as_str());
        assert!(ran.out.contains(&format!("plan/set-up/{name}    ")), "{}", ran.out);
    }
    let recipe = summary["recipes"][0]["name"].as_str().expect("a name");
    let check = ["check", "plan", "train=train.csv", "--recipe", recipe];
    assert_eq!(place.raddle(&check).code, 0);
    let again = place.raddle(&args);
    assert_eq!(again.code, 0, "{}", again.err);
    place.file("plan/set-up/mine.txt", "not of raddle");
    let refused = place.raddle(&args);
    assert_eq!(refused.code, 1, "{}", refused.out);
    assert!(refused.err.contains("it holds set-up"), "{}", refused.err);
}

/// Checks that a way of sharing can be asked for, and that one that the device does not have is
/// refused with the names of those it has.
#[test]
fn ways_that_the_device_does_not_have_are_refused() {
    let place = place();
    let pair = ["train.csv", "infer.csv", "--once", "--device"];
    let found = share(&place, &[&pair[..], &["h100", "--recipe", "mig"]].concat());
    let kept = names(&found);
    assert!(kept.len() == 1 && kept[0].starts_with("mig-"), "{kept:?}");
    let upper = share(&place, &[&pair[..], &["h100", "--recipe", "MIG"]].concat());
    assert_eq!(names(&upper), kept, "as people write it");
    for (device, way, told) in [
        ("v100", "mig", "v100 has no such way of sharing for 2 tenants; it has time-slice, mps,"),
        ("mi300x", "mps", "mi300x has no such way of sharing for 2 tenants; it has streams, "),
        ("h100", "mps-priority", "it has time-slice, mps, partition, mig, request-limit, "),
    ] {
        let ran = place
            .raddle(&[&["share", "--no-files"], &pair[..], &[device, "--recipe", way]].concat());
        assert_eq!(ran.code, 2, "{}", ran.out);
        assert!(ran.err.contains(told), "{}", ran.err);
    }
    let eight = ["share", "infer.csv*8", "--no-files", "--device", "h100", "--recipe", "mig"];
    let ran = place.raddle(&eight);
    assert!(
        ran.err.contains("(no mig: 8 tenants, and the device has at most 7 instances)"),
        "{}",
        ran.err
    );
}

/// Checks that the times of kernels that were never recorded beside others are given as a range,
/// not as their times alone.
#[test]
fn unknown_contention_is_no_factor_of_one() {
    let place = place();
    let args = ["train.csv", "infer.csv", "--device", "v100", "--once", "--recipe", "mps"];
    let found = share(&place, &[&args[..], &["--contention=learnt"]].concat());
    let figures = &found["answer"]["rows"][0]["processes"];
    let widened = (0..2).filter(|&at| {
        let between = figures[at]["between-ns"].as_array().expect("an interval");
        between[0].as_u64() < between[1].as_u64()
    });
    assert!(widened.count() > 0, "{figures}");
    let trust = found["answer"]["verdict"]["trust"].to_string();
    assert!(trust.contains("unknown for 100.0% of kernel time"), "{trust}");
}

/// Checks that a way is named by its parameters too, in every verb, with one answer; and that no
/// search leaves out a way that was named so.
#[test]
fn a_way_is_named_by_its_parameters_in_every_verb() {
    let place = place();
    let pair =
        ["train.csv", "infer.csv", "--requests=infer=1000/s", "--until=20ms", "--device=h100"];
    let ways = ["partition-35-65", "partition-70-30", "mig-3g.40gb+4g.40gb", "time-slice"];
    let options = ways.map(|way| format!("--recipe={way}"));
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let found = share(&place, &[&pair[..], &options].concat());
    let mut sorted = names(&found);
    sorted.sort_unstable();
    assert_eq!(sorted, ["mig-3g.40gb+4g.40gb", "partition-35-65", "partition-70-30", "time-slice"]);
    let words = [&["replay", "--format=json", "--no-files"], &pair[..], &options].concat();
    let ran = place.raddle(&words);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let replayed: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let figures = |value: &Value, way: &str| {
        let rows = value["answer"]["rows"].as_array().expect("a list");
        let row = rows.iter().find(|row| row["recipe"] == way).expect("it is compared");
        [0, 1].map(|at| row["processes"][at]["decisive-ns"].clone())
    };
    for way in ways {
        assert_eq!(figures(&found, way), figures(&replayed, way), "{way}");
    }
    let swept = place.raddle(
        &[
            &["sweep", "--vary=load.infer=500/s,900/s", "--out=s.jsonl"],
            &pair[..2],
            &pair[3..],
            &options[2..3],
        ]
        .concat(),
    );
    assert_eq!(swept.code, 0, "{}", swept.err);
    let set = [&["replay", "--no-files", "--set=allocate.of=2"], &pair[..], &options[..1]].concat();
    let set = place.raddle(&set);
    assert!(set.code == 2 && set.err.contains("has its parameters in its name"), "{}", set.err);
}

/// Checks that the load up to which goals hold is told where ways of sharing are compared.
#[test]
fn the_load_that_holds_a_goal_is_told_of_ways_too() {
    let place = place();
    let pair =
        ["train.csv", "infer.csv", "--requests=infer=500/s", "--until=60ms", "--device=h100"];
    let goal = ["--goal=infer p99 20ms", "--recipe=partition-50-50", "--recipe=time-slice"];
    let found = share(&place, &[&pair[..], &goal].concat());
    let limit = &found["load-limit"];
    assert!(limit["met-percent"].as_u64().is_some_and(|met| met >= 100), "{limit}");
    let best = &found["answer"]["verdict"]["recipe"];
    assert!(best.is_null() || limit["recipe"] == *best, "{limit} {best}");
    let ran = place.raddle(&[&["share", "--no-files"], &pair[..], &goal].concat());
    assert!(ran.out.contains("What if: "), "{}", ran.out);
}
