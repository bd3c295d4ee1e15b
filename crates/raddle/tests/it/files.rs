//! Is nobody's file lost, whatever writes: new, ours, or refused, before the work and at its end?

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::{Place, infer, table, train};

const PRECIOUS: &str = "precious\n";

fn place() -> Place {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    place.file("power.csv", "kernel,move,load,store,matrix,compare,jump,ns,mw\nidle,0,0,0,0,0,0,1000000000,70000\nmoves,4000000000,0,0,0,0,0,1000000,310800\n");
    place
}

/// Verbs that write a file or a folder: (arguments, the path that they write).
const WRITERS: [(&[&str], &str); 10] = [
    (&["recipes", "--show=greedy", "--save=x.toml"], "x.toml"),
    (&["devices", "--show=v100", "--save=x.toml"], "x.toml"),
    (&["calibrate", "energy", "power.csv", "--save=x.toml"], "x.toml"),
    (&["tune", "train.csv", "infer.csv", "--vary=window=4,8", "--save=x.toml"], "x.toml"),
    (&["sweep", "train.csv", "--recipe=greedy", "--out=x.jsonl"], "x.jsonl"),
    (&["sweep", "train.csv", "--recipe=greedy", "--out=x.jsonl"], "x.html"),
    (&["search-study", "train.csv", "--out=x.jsonl"], "x.html"),
    (&["replay", "train.csv", "--recipe=greedy", "--out=x"], "x"),
    (&["share", "train.csv", "infer.csv", "--out=x"], "x"),
    (&["check", "x", "train=train.csv"], "x/check.html"),
];

#[test]
fn what_somebody_else_wrote_stays_whatever_verb_writes() {
    for (args, path) in WRITERS {
        let place = place();
        if args[0] == "check" {
            let done = place.raddle(&["replay", "train.csv", "--recipe=greedy", "--out=x", "-q"]);
            assert_eq!(done.code, 0, "{done:?}");
        }
        place.file(path, PRECIOUS);
        let before = place.tree(".");
        let ran = place.raddle(args);
        assert_eq!(ran.code, 1, "{args:?}: {ran:?}");
        assert!(ran.err.contains("stays as it is"), "{args:?}: {}", ran.err);
        let mut after = place.tree(".");
        // Files that the same verb writes beside the path may be there, and are whole.
        after.retain(|name, _| before.contains_key(name));
        assert_eq!(before, after, "{args:?}");
        assert!(!place.names(".").iter().any(|name| name.starts_with(".raddle")), "{args:?}");
    }
}

#[test]
fn what_raddle_wrote_is_replaced_and_recipes_are_not() {
    for (args, path) in WRITERS {
        let place = place();
        if args[0] == "check" {
            place.raddle(&["replay", "train.csv", "--recipe=greedy", "--out=x", "-q"]);
        }
        let first = place.raddle(args);
        assert_eq!(first.code, 0, "{args:?}: {first:?}");
        assert!(place.path().join(path).exists(), "{args:?}");
        let kept = ["recipes", "devices", "calibrate"].contains(&args[0]);
        let again = place.raddle(args);
        assert_eq!(again.code, i32::from(kept), "{args:?}: {again:?}");
    }
}

#[test]
fn an_empty_file_and_a_missing_folder_are_as_good_as_nothing() {
    let place = place();
    place.file("mine.toml", "");
    assert_eq!(place.raddle(&["recipes", "--show=greedy", "--save=mine.toml"]).code, 0);
    assert_eq!(place.raddle(&["recipes", "--show=greedy", "--save=a/b/mine.toml"]).code, 0);
    assert_eq!(
        fs::read(place.path().join("mine.toml")).unwrap(),
        fs::read(place.path().join("a/b/mine.toml")).unwrap()
    );
}

#[test]
fn what_fails_leaves_no_file() {
    let place = place();
    let ran = place.raddle(&["sweep", "train.csv", "--vary=devise=h100", "--out=rows.jsonl"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(!place.path().join("rows.jsonl").exists());
    let ran = place.raddle(&["tune", "gone.csv", "--vary=window=4,8", "--save=t/t.toml"]);
    assert!(ran.code == 1 && !place.path().join("t").exists(), "{ran:?}");
    let ran = place.raddle(&["sweep", "train.csv", "--recipe=greedy", "--out=page.html"]);
    assert!(ran.code == 2 && !place.path().join("page.html").exists(), "{ran:?}");
    for engine in [&["--engine=slurm"][..], &[]] {
        let args =
            [&["sweep", "train.csv", "gone.csv*2", "--vary=share.train=1,2", "--dry-run"], engine];
        let ran = place.raddle(&args.concat());
        assert!(ran.code == 1 && ran.err.contains("gone.csv cannot be read"), "{ran:?}");
    }
}

#[test]
#[cfg(unix)]
fn a_link_that_leads_nowhere_is_told_and_stays() {
    for (args, path) in WRITERS.iter().filter(|(args, _)| args[0] != "check") {
        let place = place();
        let link = place.path().join(path);
        std::os::unix::fs::symlink("/nonexistent/scratch", &link).unwrap();
        let ran = place.raddle(args);
        assert_eq!(ran.code, 1, "{args:?}: {ran:?}");
        assert!(ran.err.contains("a link to /nonexistent/scratch"), "{args:?}: {}", ran.err);
        assert_eq!(fs::read_link(&link).unwrap(), Path::new("/nonexistent/scratch"));
    }
}

/// Checks that nothing is written beside a path that is neither file nor folder, such as
/// `/dev/null`.
#[test]
#[cfg(unix)]
fn nothing_is_written_beside_what_is_no_file() {
    for (args, path) in WRITERS.iter().filter(|(args, _)| args[0] != "check") {
        let place = place();
        let _socket = std::os::unix::net::UnixListener::bind(place.path().join(path)).unwrap();
        let before = place.names(".");
        let ran = place.raddle(args);
        assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{args:?}: {ran:?}");
        assert_eq!(place.names("."), before, "{args:?}");
        assert!(ran.err.contains("neither a file nor a folder"), "{args:?}: {}", ran.err);
    }
}

/// Checks that every option that names a file to write refuses a device, a folder and a file of
/// others alike, before the work begins.
#[test]
#[cfg(target_os = "linux")]
fn one_rule_refuses_what_cannot_be_written_whatever_option_names_it() {
    let writers: [&[&str]; 9] = [
        &["recipes", "--show=greedy", "--save"],
        &["devices", "--show=v100", "--save"],
        &["calibrate", "energy", "power.csv", "--save"],
        &["tune", "train.csv", "infer.csv", "--vary=window=4,8", "--save"],
        &["sweep", "train.csv", "--recipe=greedy", "--out"],
        &["search-study", "train.csv", "--device=v100", "--out"],
        &["replay", "train.csv", "--recipe=greedy", "--out"],
        &["share", "train.csv", "infer.csv", "--out"],
        &["circuit", "full", "--blocks=8", "--out"],
    ];
    let place = place();
    place.file("foreign", PRECIOUS);
    fs::create_dir(place.path().join("folder")).unwrap();
    place.file("folder/foreign", PRECIOUS);
    let before = place.tree(".");
    for writer in writers {
        for (path, why) in [
            (
                "/dev/full",
                "is there already and stays as it is (it is neither a file nor a folder)",
            ),
            (
                "/dev/null",
                "is there already and stays as it is (it is neither a file nor a folder)",
            ),
            ("foreign", "foreign is there already and stays as it is ("),
            ("folder", "folder is there already and stays as it is ("),
            ("foreign/x", "foreign/x is there already and stays as it is (foreign is no folder)"),
            // Nobody may make a folder there, not even the user who may do everything.
            ("/proc/x", "/proc/x cannot be written ("),
        ] {
            let ran = place.raddle(&[writer, &[path]].concat());
            assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{writer:?} {path}: {ran:?}");
            assert!(ran.err.contains(why), "{writer:?} {path}: {}", ran.err);
            assert_eq!(place.tree("."), before, "{writer:?} {path}");
        }
    }
}

/// Checks that a page which another program puts at the path while a sweep runs stays; the rows and
/// the new page are there, and the answer is printed.
#[test]
fn a_page_that_comes_while_a_sweep_runs_stays() {
    let place = place();
    let args = [
        "sweep",
        "train.csv",
        "infer.csv",
        "--requests=infer=2000/s",
        "--until=100ms",
        "--recipe=greedy",
        "--seeds=30",
        "--out=mine.jsonl",
    ];
    let child = Command::new(env!("CARGO_BIN_EXE_raddle"))
        .args(args)
        .current_dir(place.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let begun = (0..20_000).any(|_| {
        std::thread::sleep(Duration::from_millis(1));
        fs::metadata(place.path().join("mine.jsonl")).is_ok_and(|rows| rows.len() > 0)
    });
    place.file("mine.html", PRECIOUS);
    let ended = child.wait_with_output().unwrap();
    let (out, told) = (String::from_utf8(ended.stdout), String::from_utf8(ended.stderr));
    let (out, told) = (out.unwrap(), told.unwrap());
    assert!(begun && ended.status.code() == Some(1), "{told}");
    assert!(told.contains("mine.html is there already") && told.contains("mine-2.html"), "{told}");
    assert!(out.contains("30 of 30 cases"), "{out}");
    assert_eq!(fs::read_to_string(place.path().join("mine.html")).unwrap(), PRECIOUS);
    assert!(place.path().join("mine-2.html").exists() && !making(&place));
    let rows = fs::read_to_string(place.path().join("mine.jsonl")).unwrap();
    assert_eq!(rows.lines().count(), 30);
}

/// Checks that the path of a result is checked before the work: a missing profile is not even
/// looked for.
#[test]
fn a_place_that_is_taken_is_told_before_a_profile_is_read() {
    let place = place();
    place.file("taken", PRECIOUS);
    for args in [
        &["replay", "gone.csv", "--out=taken"][..],
        &["replay", "gone.csv", "--out=taken/a/b"],
        &["share", "gone.csv", "--out=taken"],
        &["sweep", "gone.csv", "--out=taken"],
        &["search-study", "gone.csv", "--device=v100", "--out=taken"],
        &["tune", "gone.csv", "--vary=window=4", "--save=taken"],
        &["calibrate", "energy", "gone.csv", "--save=taken"],
        &["calibrate", "device", "--from=gone.jsonl", "--save=taken"],
        &["circuit", "full", "--blocks=8", "--out=taken"],
    ] {
        let ran = place.raddle(args);
        assert_eq!(ran.code, 1, "{args:?}: {ran:?}");
        assert!(ran.err.contains("stays as it is"), "{args:?}: {}", ran.err);
        assert_eq!(fs::read_to_string(place.path().join("taken")).unwrap(), PRECIOUS);
    }
}

/// Starts a replay that takes a while and writes the folder `mine`.
fn slow(place: &Place) -> Child {
    let args = [
        "replay",
        "train.csv",
        "infer.csv",
        "--requests=infer=2000/s",
        "--until=100ms",
        "--seeds=20",
        "--out=mine",
        "-q",
    ];
    let mut child = Command::new(env!("CARGO_BIN_EXE_raddle"))
        .args(args)
        .current_dir(place.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let begun = (0..20_000).any(|_| {
        std::thread::sleep(Duration::from_millis(1));
        let made = place.names(".").into_iter().filter(|name| name.starts_with(".raddle-"));
        // The lock of the temporary folder holds the name of what is made.
        made.map(|name| place.path().join(name).join("lock"))
            .any(|lock| fs::metadata(lock).is_ok_and(|lock| lock.len() > 0))
    });
    if !begun {
        let _ = child.kill().and_then(|()| child.wait());
    }
    assert!(begun, "it makes a folder");
    child
}

fn making(place: &Place) -> bool {
    place.names(".").iter().any(|name| name.starts_with(".raddle-"))
}

#[test]
fn what_is_put_into_the_folder_while_a_replay_runs_stays() {
    let place = place();
    assert_eq!(place.raddle(&["replay", "train.csv", "--out=mine", "-q"]).code, 0);
    let child = slow(&place);
    place.file("mine/NOTES.txt", "notes");
    fs::create_dir(place.path().join("mine/work")).unwrap();
    let ended = child.wait_with_output().unwrap();
    let told = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{told}");
    assert!(told.contains("NOTES.txt") && told.contains("mine-2"), "{told}");
    assert_eq!(fs::read_to_string(place.path().join("mine/NOTES.txt")).unwrap(), "notes");
    assert!(place.path().join("mine/work").is_dir());
    assert!(place.path().join("mine-2/summary.json").exists());
}

#[test]
fn what_a_killed_replay_left_goes_with_the_next_one() {
    let place = place();
    let mut child = slow(&place);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(making(&place), "it was killed in the middle");
    assert_eq!(place.raddle(&["replay", "train.csv", "--out=other", "-q"]).code, 0);
    assert!(!making(&place));
}

#[test]
#[cfg(feature = "kernel")]
fn kernels_are_saved_by_the_same_rule() {
    let place = Place::new();
    let ptx = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\nret;\n}\n";
    place.file("k.ptx", ptx);
    for verb in ["verdict", "instrument"] {
        let args = ["kernel", verb, "k.ptx", "--save=x"];
        place.file("x", PRECIOUS);
        let ran = place.raddle(&args);
        assert!(ran.code == 1 && ran.err.contains("stays as it is"), "{ran:?}");
        assert_eq!(fs::read_to_string(place.path().join("x")).unwrap(), PRECIOUS);
        fs::remove_file(place.path().join("x")).unwrap();
        for _ in 0..2 {
            assert_eq!(place.raddle(&args).code, 0);
        }
        fs::remove_file(place.path().join("x")).unwrap();
    }
    let ran = place.raddle(&["kernel", "instrument", "k.ptx", "--save=k.ptx"]);
    assert!(ran.code == 1 && fs::read_to_string(place.path().join("k.ptx")).unwrap() == ptx);
}

#[test]
fn only_a_log_is_printed_as_one() {
    let place = place();
    let made =
        place.raddle(&["replay", "train.csv", "--recipe=greedy", "--out=r", "--log=answers", "-q"]);
    assert_eq!(made.code, 0, "{made:?}");
    let log = place.log("r/greedy/decisions.jsonl.zst");
    assert!(log.starts_with("{\"raddle-log\":"), "{log}");
    place.file("plain.jsonl", &log);
    assert_eq!(place.log("plain.jsonl"), log);
    place.file("notes.txt", "root:secret\nsecond\n");
    place.file("other.json", "{\"raddle-log\":\"secret\"}\n");
    place.file("keys.json", "{\"raddle-log\":1,\"x\":\"root:secret\"}\n");
    place.file("live.json", "{\"raddle-log\":1,\"live\":\"client\",\"x\":\"root:secret\"}\n");
    let header = log.lines().next().unwrap();
    place.file("more.json", header.replacen('{', "{\"x\":\"root:secret\",", 1) + "\n");
    place.file("secret.bin", [0_u8, 159, 146, 150, 10]);
    place.file("empty", "");
    place.file("one-line", "secret ".repeat(1 << 18));
    place.file("packed.zst", zstd(b"secret\nsecret\n"));
    place.file(
        "live.jsonl",
        "{\"raddle-log\":1,\"live\":\"client\",\"declared\":{},\"options\":{}}\n",
    );
    for file in [
        "notes.txt",
        "other.json",
        "keys.json",
        "live.json",
        "more.json",
        "secret.bin",
        "empty",
        "one-line",
        "packed.zst",
        "r/summary.json",
        "train.csv",
    ] {
        for more in [&[][..], &["--print"], &["--check"], &["--replay"]] {
            let ran = place.raddle(&[&["log", file], more].concat());
            assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{file} {more:?}");
            assert!(
                !ran.err.contains("secret\n") && !ran.err.contains("root:"),
                "{file}: {}",
                ran.err
            );
        }
    }
    assert_eq!(place.raddle(&["log", "live.jsonl"]).code, 0);
    let ran = place.ask(&["log", "/dev/stdin"], "root:secret\n");
    assert!(ran.code == 1 && ran.out.is_empty(), "{ran:?}");
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    // A frame of one raw block, as RFC 8878 has it.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x20, bytes.len() as u8];
    frame.extend_from_slice(&((bytes.len() as u32) << 3 | 1).to_le_bytes()[..3]);
    frame.extend_from_slice(bytes);
    frame
}

#[test]
fn a_table_that_may_be_cut_in_its_last_value_is_told() {
    let place = Place::new();
    let whole = table(&["k 1 80 128 32 0 0 0 1000", "k 1 80 128 32 0 0 1500 100000"]);
    let nsys = "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n0,1000,1,80,1,1,128,1,1,16,0.000,0.000,,,,,NVIDIA V100 (0),1,,7,kernel_of_a_name\n2000,1000,2,80,1,1,128,1,1,16,0.000,0.000,,,,,NVIDIA V100 (0),1,,7,kernel_of_a_name\n";
    let rocprof = "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Kernel_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\",\"Private_Segment_Size\",\"Group_Segment_Size\",\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\"\n\"KERNEL_DISPATCH\",1,1,1,\"k\",1,1000,2000,0,0,256,1,1,147456,1,1\n\"KERNEL_DISPATCH\",1,1,1,\"k\",2,3000,4000,0,0,256,1,1,147456,1,12\n";
    for (name, text) in [("t.csv", &*whole), ("n.csv", nsys), ("r.csv", rocprof)] {
        let told = |text: &str| {
            let ran = place.raddle(&[
                "inspect",
                place.file(name, text),
                "--device=v100",
                "--format=json",
            ]);
            assert_eq!(ran.code, 0, "{name}: {}", ran.err);
            ran.out.contains("no-line-end")
        };
        assert!(!told(text), "{name}");
        for cut in [1, 2] {
            assert!(told(&text[..text.len() - cut]), "{name}, {cut}");
        }
    }
    let text = format!("{whole}# a comm");
    let ran = place.raddle(&["inspect", place.file("c.csv", text)]);
    assert!(ran.out.contains("no-line-end"), "{}", ran.out);
    let ran = place.raddle(&[
        "calibrate",
        "energy",
        place.file("p.csv", "kernel,move,ns,mw\nidle,0,1000,50\nk,100,1000,90"),
    ]);
    assert!(ran.err.contains("no line end"), "{ran:?}");
}
