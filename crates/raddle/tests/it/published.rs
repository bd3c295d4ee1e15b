//! Does `raddle share` foretell what others measured of two programs on a device under time slices?
//!
//! Figures of a Quadro GV100 (the chip of a V100) from the results of XSched's artifacts
//! (XpuOS/xsched-artifacts e5ed108, Apache-2.0). Kernels are not published, so that a program is some
//! kernels that fill the device for as long as it took alone: under time slices nothing else matters.

use std::fmt::Write as _;

use serde_json::Value;

use crate::common::Place;

/// A program: its name, how long it takes alone in ns, and the kernels into which that time is cut.
type Program = (&'static str, u64, u64);

/// ResNet-152 by TensorRT, the median of 1,000 requests alone (`fig7/raw/fp_sa_gv100.cdf`).
const RESNET: Program = ("resnet", 6_487_050, 8);
/// The same in a loop, by its throughput alone (`fig7/raw/up_sa_gv100.thpt`, 155.709 a second).
const LOOP: Program = ("loop", 6_422_000, 8);
/// 512 rounds of Black-Scholes, five times a second (`fig11/raw/scifin_sa_pjob_gv100.json`).
const OPTIONS: Program = ("options", 76_130_000, 8);
/// 1,000 iterations of an Euler solver in a loop (`fig11/raw/scifin_sa_ojob_gv100.json`).
const EULER: Program = ("euler", 327_700_000, 20);

/// A measured figure: what it is, its key in a row of the answer, by which process, in ms, and how
/// far a replay may be off.
struct Measured {
    what: &'static str,
    key: &'static str,
    process: usize,
    ms: f64,
    within: f64,
}

fn table((name, ns, kernels): Program) -> String {
    let each = ns / kernels;
    let row = |at: u64| format!("{name},0,160,1,1,1024,1,1,32,0,0,{},{each}\n", at * each);
    let rows: String = (0..kernels).map(row).collect();
    format!(
        "# device = v100\nname,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,vgprs_per_thread,\
         lds_bytes,arrival_ns,start_ns,duration_ns\n{rows}"
    )
}

/// Returns the processes of the first row of `raddle share` of two programs: today's time slices.
/// `starts_ms` are the times at which the first one's requests arrive; empty for a loop.
fn today(pair: [Program; 2], starts_ms: &[u64]) -> Vec<Value> {
    let place = Place::new();
    let files = pair.map(|program| format!("{}.csv", program.0));
    for (file, program) in files.iter().zip(pair) {
        place.file(file, table(program));
    }
    let mut words = vec!["share", &files[0], &files[1], "--recipe=time-slice", "--recipe=mps"];
    let load = serde_json::json!({"type": "trace", "trace": starts_ms});
    let load = serde_json::json!({"tasks": [{"id": "load", "load": load}]}).to_string();
    place.file("load.json", load);
    let arrivals = format!("--arrivals={}=load.json", pair[0].0);
    if !starts_ms.is_empty() {
        words.extend([&*arrivals, "--until=10s"]);
    }
    words.extend(["--no-files", "--format=json"]);
    let ran = place.raddle(&words);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let found: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let rows = found["answer"]["rows"].as_array().expect("a list");
    let row = rows.iter().find(|row| row["recipe"] == "time-slice").expect("it was asked for");
    row["processes"].as_array().expect("a list").clone()
}

/// The turn and the switch of the device come from the first three figures, so that the other three
/// judge them.
#[test]
fn two_programs_take_turns_as_on_a_gv100() {
    // Gaps of 17 to 48 ms, as the client drew them; the seed is of no importance.
    let mut state = 7_u64;
    let random = (0..300).scan(0, |at, _| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let now = *at;
        *at += 17 + (state >> 33) % 32;
        Some(now)
    });
    let random: Vec<u64> = random.collect();
    let even: Vec<u64> = (0..50).map(|at| at * 200).collect();
    let figure = |what, key, process, ms, within| Measured { what, key, process, ms, within };
    let cases = [
        (
            [RESNET, LOOP],
            random,
            vec![
                figure("request beside a loop, p50", "p50-ns", 0, 13.05, 0.1),
                figure("request beside a loop, p99", "decisive-ns", 0, 14.10, 0.15),
            ],
        ),
        (
            [LOOP, ("other", LOOP.1, LOOP.2)],
            Vec::new(),
            vec![figure("two loops, step", "decisive-ns", 1, 14.18, 0.08)],
        ),
        (
            [OPTIONS, EULER],
            even,
            vec![
                figure("options beside a solver, p50", "p50-ns", 0, 168.0, 0.1),
                figure("options beside a solver, p99", "decisive-ns", 0, 170.6, 0.15),
                figure("solver beside options, step", "decisive-ns", 1, 597.8, 0.08),
            ],
        ),
    ];
    let (mut missed, mut told) = (0, String::new());
    for (pair, starts_ms, figures) in cases {
        let found = today(pair, &starts_ms);
        for Measured { what, key, process, ms, within } in figures {
            let own = &found[process];
            let now = own[key].as_f64().expect("a time") / 1e6;
            let off = now / ms - 1.0;
            missed += u32::from(off.abs() > within);
            let bounds = [0, 1].map(|at| own["between-ns"][at].as_f64().unwrap_or(f64::NAN) / 1e6);
            let bounds = format!("{:.1} to {:.1}", bounds[0], bounds[1]);
            let bounds = if key == "decisive-ns" { bounds } else { String::new() };
            writeln!(told, "| {what} | {ms:.1} | {now:.1} | {:+.0} % | {bounds} |", off * 100.0)
                .expect("a text takes every line");
        }
    }
    println!("{told}");
    assert_eq!(missed, 0, "{told}");
    raddle_testkit::page_holds(
        "docs/judged.md",
        "gv100",
        &format!(
            "| figure, ms | measured | replayed | off | interval |\n|---|---|---|---|---|\n{told}"
        ),
    );
}
