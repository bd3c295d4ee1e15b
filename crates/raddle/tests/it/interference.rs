//! Does a replay by default options foretell kernels beside each other on one device?
//!
//! The rows of `peers/measured/interference.csv` beside the sample profiles: single kernels of a
//! known resource, alone and beside another one. Each becomes two profiles of one launch.

use std::fmt::Write as _;

use raddle_testkit::beside;
use serde_json::Value;

use crate::common::Place;

/// Measured row: what was measured, workgroups and threads of its kernel, and the times in ms alone
/// and until both kernels are done.
struct Measured {
    what: String,
    shape: [u32; 2],
    alone_ms: f64,
    beside_ms: f64,
}

/// Predicted time in ms until both kernels are done, with its interval.
struct Foretold {
    beside_ms: f64,
    interval_ms: [f64; 2],
}

fn rows(text: &str) -> Vec<Measured> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |at: usize| cells[at].parse::<f64>().expect("a number");
        Measured {
            what: format!("{} {} {}x{}", cells[0], cells[3], cells[1], cells[2]),
            shape: [1, 2].map(|at| number(at) as u32),
            alone_ms: number(4),
            beside_ms: number(5),
        }
    };
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.skip(1).map(row).collect()
}

/// Returns which resource each of the two kernels of a row needs most, as a person who knows them
/// says it.
fn needs(what: &str) -> [&'static str; 2] {
    match what {
        _ if what.starts_with("copy + compute") => ["memory", "compute"],
        _ if what.starts_with("pipe") => ["compute"; 2],
        _ if what.starts_with("WG slots") => ["latency"; 2],
        _ => ["memory"; 2],
    }
}

fn foretold(row: &Measured) -> Foretold {
    let place = Place::new();
    let table = |name: &str| {
        let [workgroups, threads] = row.shape;
        let ns = (row.alone_ms * 1e6) as u64;
        format!(
            "# raddle launch table 1\n# device = v100\nname,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,\
             vgprs_per_thread,lds_bytes,arrival_ns,start_ns,duration_ns\n\
             {name},0,{workgroups},1,1,{threads},1,1,16,0,0,0,{ns}\n"
        )
    };
    let classes = needs(&row.what);
    let mut words = vec!["share", "one.csv", "other.csv", "--recipe=mps", "--once", "--no-files"];
    let options = [
        format!("--kernel-class=one_k={}", classes[0]),
        format!("--kernel-class=other_k={}", classes[1]),
    ];
    words.extend(options.iter().map(String::as_str));
    words.push("--format=json");
    place.file("one.csv", table("one_k"));
    place.file("other.csv", table("other_k"));
    let ran = place.raddle(&words);
    assert_eq!(ran.code, 0, "{}: {}{}", row.what, ran.out, ran.err);
    let found: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let rows = found["answer"]["rows"].as_array().expect("a list");
    let mps = rows.iter().find(|it| it["recipe"] == "mps").expect("it was asked for");
    let both = mps["processes"].as_array().expect("a list");
    let most =
        |of: &dyn Fn(&Value) -> u64| both.iter().map(of).max().unwrap_or_default() as f64 / 1e6;
    let own = |it: &Value| it["decisive-ns"].as_u64().expect("a time");
    let bound =
        |at: usize| most(&|it: &Value| it["between-ns"][at].as_u64().unwrap_or_else(|| own(it)));
    Foretold { beside_ms: most(&own), interval_ms: [bound(0), bound(1)] }
}

/// Checks that of 11 rows at least 6 are predicted within a tenth and 8 within a fifth, and that
/// all but the one whose caches thrash (6 times as long) lie in their intervals.
#[test]
fn kernels_of_one_resource_beside_each_other() {
    let Some(folder) = beside("peers/measured") else { return };
    let file = folder.join("interference.csv");
    let text = std::fs::read_to_string(file).expect("it can be read");
    let (mut tenth, mut fifth, mut outside, mut told) = (0, 0, Vec::new(), String::new());
    for row in rows(&text) {
        let Foretold { beside_ms, interval_ms: [least, most] } = foretold(&row);
        let off = beside_ms / row.beside_ms - 1.0;
        tenth += u32::from(off.abs() <= 0.1);
        fifth += u32::from(off.abs() <= 0.2);
        let inside = (least..=most).contains(&row.beside_ms);
        if !inside {
            outside.push(row.what.clone());
        }
        let Measured { what, alone_ms, beside_ms: measured, .. } = row;
        writeln!(
            told,
            "{what}: {alone_ms} alone, {measured} beside, {beside_ms:.1} foretold ({:+.0} %), {least:.1} to {most:.1}",
            off * 100.0
        )
        .expect("a text takes every line");
    }
    println!("{told}within 10 %: {tenth}, within 20 %: {fifth}, outside: {outside:?}");
    assert!(tenth >= 6 && fifth >= 8, "{told}");
    assert!(outside.len() <= 1, "{told}{outside:?}");
}
