//! Are the traces of one job in a folder chosen, or replayed one as a process each?

use std::fs;

use crate::common::{Place, kernel, trace};

/// Makes a folder with the traces of a job of three ranks, and with other files beside them.
fn job() -> Place {
    let place = Place::new();
    fs::create_dir(place.path().join("job")).expect("a new folder");
    for rank in [0, 2, 10] {
        let text = trace("", &[&kernel(&format!("of_rank_{rank}"), 5, 3)]);
        place.file(&format!("job/rank{rank}.json"), text);
    }
    place.file("job/graph_capture_rank_0.json", "{}");
    place.file("job/notes.txt", "rank and file");
    place
}

#[test]
fn a_folder_says_which_ranks_it_has() {
    let place = job();
    for verb in ["inspect", "replay"] {
        let ran = place.raddle(&[verb, "job"]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{verb}");
        let said =
            "job holds the traces of ranks 0, 2, 10: choose one with --rank 0, or take each as";
        assert!(ran.err.contains(said), "{}", ran.err);
        let ran = place.raddle(&[verb, "job", "--rank", "3"]);
        assert!(ran.err.contains("no trace of rank 3, only of 0, 2, 10"), "{}", ran.err);
        let ran = place.raddle(&[verb, "job/rank0.json", "--rank", "0"]);
        assert!(ran.code == 2 && ran.err.contains("and no profile is one"), "{}", ran.err);
    }
}

#[test]
fn one_rank_or_all_in_order() {
    let place = job();
    let names = |args: &[&str]| {
        let ran = place.raddle(&[&["inspect", "job"], args].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        let lines = ran.out.lines().filter(|line| line.starts_with("rank"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(names(&["--rank", "10"]), ["rank10"]);
    assert_eq!(names(&["--rank", "2", "--rank", "0"]), ["rank2", "rank0"]);
    assert_eq!(names(&["--rank", "all"]), ["rank0", "rank2", "rank10"]);
    let ran = place.raddle(&["replay", "job", "--rank", "all", "--no-files", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let result: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(result["profiles"].as_array().map(Vec::len), Some(3));
}

#[test]
fn a_folder_of_one_trace_is_that_trace_and_one_without_any_is_refused() {
    let place = job();
    fs::create_dir(place.path().join("one")).unwrap();
    place.file("one/step.json", trace("", &[&kernel("k", 5, 3)]));
    assert_eq!(place.raddle(&["inspect", "one"]).code, 0);
    fs::create_dir(place.path().join("none")).unwrap();
    let ran = place.raddle(&["inspect", "none"]);
    assert!(ran.code == 1 && ran.err.contains("none is a folder without traces"), "{}", ran.err);
    place.file("one/rank_4.json", trace("", &[&kernel("k", 5, 3)]));
    place.file("one/rank4_again.json", trace("", &[&kernel("k", 5, 3)]));
    let ran = place.raddle(&["inspect", "one", "--rank", "4"]);
    assert!(ran.code == 1 && ran.err.contains("two traces of rank 4"), "{}", ran.err);
}

/// Checks that a trace that names no rank, beside those that do, is left out, and that this is
/// reported.
#[test]
fn traces_that_are_left_out_are_named() {
    let place = job();
    for verb in [&["inspect"][..], &["replay", "--no-files"]] {
        let ran = place.raddle(&[verb, &["job", "--rank=all"]].concat());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
    }
    place.file("job/other.json", trace("", &[&kernel("other", 5, 3)]));
    let told =
        "warning: job: job/other.json names no rank and is left out beside the traces of ranks";
    for verb in [&["inspect"][..], &["replay", "--no-files"]] {
        let ran = place.raddle(&[verb, &["job", "--rank=all"]].concat());
        assert!(ran.code == 0 && ran.err.contains(told), "{ran:?}");
    }
}

#[test]
fn folders_may_be_named_by_ranks_instead_of_files() {
    let place = Place::new();
    for rank in [1, 0] {
        fs::create_dir_all(place.path().join(format!("job/rank_{rank}"))).expect("a new folder");
        let text = trace("", &[&kernel(&format!("of_rank_{rank}"), 5, 3)]);
        place.file(&format!("job/rank_{rank}/step.json"), text);
    }
    let ran = place.raddle(&["inspect", "job", "--rank", "1"]);
    assert!(ran.code == 0 && ran.out.contains("of_rank_1"), "{}{}", ran.out, ran.err);
    assert!(!ran.out.contains("of_rank_0"), "{}", ran.out);
}

/// Checks that an archive is read like the folder in it, plain and compressed, and that a file in
/// it is named by the archive and its path.
#[test]
fn an_archive_of_a_job_is_read_as_it_is() {
    let place = job();
    for (archive, how) in [("job.tar", "-cf"), ("job.tgz", "-czf")] {
        let made = std::process::Command::new("tar")
            .current_dir(place.path())
            .args([how, archive, "./job"])
            .status();
        assert!(made.expect("tar is there").success());
        let ran = place.raddle(&["inspect", archive]);
        assert!(ran.code == 2 && ran.err.contains("the traces of ranks 0, 2, 10"), "{}", ran.err);
        let ran = place.raddle(&["inspect", archive, "--rank", "10"]);
        assert!(ran.code == 0 && ran.out.contains("\nrank10\n"), "{}{}", ran.out, ran.err);
        let ran = place.raddle(&["inspect", &format!("{archive}/job/rank2.json")]);
        assert!(ran.code == 0 && ran.out.contains("\nrank2\n"), "{}{}", ran.out, ran.err);
        let replayed = |profile: &str| {
            let args = ["replay", profile, "--rank", "all", "--no-files", "--format", "json"];
            let ran = place.raddle(&args);
            assert_eq!(ran.code, 0, "{}", ran.err);
            let result: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
            result["recipes"].clone()
        };
        assert_eq!(replayed(archive), replayed("job"));
        assert!(replayed(archive).is_array());
        let ran = place.raddle(&["inspect", &format!("{archive}/job/rank7.json")]);
        assert!(ran.code == 1 && ran.err.contains("cannot be read"), "{}", ran.err);
    }
    place.file("notes.txt", "nothing");
    let made = std::process::Command::new("tar")
        .current_dir(place.path())
        .args(["-cf", "notes.tar", "./notes.txt"])
        .status();
    assert!(made.expect("tar is there").success());
    let ran = place.raddle(&["inspect", "notes.tar"]);
    assert!(ran.code == 1 && ran.err.contains("is a tar archive without traces"), "{}", ran.err);
}

/// Checks that the collectives of replayed ranks end together: that of the first rank waits 100 us
/// for the second one's, and so do the kernels that follow.
#[test]
fn collectives_of_ranks_that_are_there_end_together() {
    let place = Place::new();
    fs::create_dir(place.path().join("job")).expect("a new folder");
    let (sum, gemm) = ("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "gemm");
    let early = [kernel(sum, 5, 3), kernel(gemm, 8, 50)];
    let late = [kernel(gemm, 5, 100), kernel(sum, 105, 3)];
    for (rank, [first, second]) in [early, late].iter().enumerate() {
        place.file(&format!("job/rank{rank}.json"), trace("", &[first, second]));
    }
    let makespan = |more: &[&str]| {
        let args = ["replay", "job", "--rank", "all", "--once", "--no-files", "--format", "json"];
        let recipe = ["--recipe", "leftover", "--launch-latency", "none", "--contention", "none"];
        let ran = place.raddle(&[&args, &recipe[..], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        let result: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        result["recipes"][0]["summary"]["makespan-ns"].as_u64()
    };
    assert_eq!(makespan(&[]), Some(153_000));
    assert_eq!(makespan(&["--comm", "peers"]), Some(153_000));
    assert_eq!(makespan(&["--comm", "keep"]), Some(103_000));
}
