//! Do replays by the default command, launch latency fitted, give back what queues of a device did?
//!
//! The properties of `raddle-sim/tests/it/device_parts.rs`: each recording is that of a simple queue,
//! and the fit must not take the time in a queue for launch latency.

use serde_json::Value;

use crate::common::{Place, drawn};
use crate::queued_streams::recorded;

/// Header line of a launch table with kinds of ops (kernel, copy, fill).
const HEAD: &str = "name,kind,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,\
                    vgprs_per_thread,lds_bytes,arrival_ns,start_ns,duration_ns\n";

/// Limits of a check: (largest error of the makespan as a fraction, least fraction of waits within
/// the goal).
type Bar = (f64, f64);

/// Limits for recordings without launch latency, so that a replay without any is exact.
const EXACT: Bar = (0.0001, 1.0);
/// Limits for recordings with a launch latency, which has to be found first.
const CLOSE: Bar = (0.01, 0.9);

/// Replays a recording, and checks its makespan, its own account of errors and its launch latency
/// against `bar`.
fn check(text: &str, bar: Bar, what: &str) {
    check_with(&[], text, bar, what);
}

/// Replays a recording with more options, and checks it as [`check`] does.
fn check_with(options: &[&str], text: &str, bar: Bar, what: &str) {
    let place = Place::new();
    place.file("recorded.csv", text);
    let words = ["replay", "recorded.csv", "--no-files", "--recipe=streams", "--format=json"];
    let ran = place.raddle(&[&words[..], options].concat());
    assert_eq!(ran.code, 0, "{what}: {}{}", ran.out, ran.err);
    let found: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let replayed = found["recipes"][0]["summary"]["makespan-ns"].as_f64().expect("a time");
    let own = &found["profiles"][0];
    let off = replayed / own["span-ns"].as_f64().expect("a time") - 1.0;
    let within = own["self-replay"]["within"].as_f64();
    assert!(off.abs() <= bar.0, "{what}: {:+.2} % off: {own}", off * 100.0);
    assert!(within.is_none_or(|within| within >= bar.1), "{what}: {own}");
    let latency = ["launch-ns", "handover-ns"].map(|key| own[key].as_u64());
    assert!(bar == CLOSE || latency == [Some(0); 2], "{what}: {own}");
}

/// Checks that the wait of streams beyond the number of hardware queues, for streams that share
/// their queue, is not taken for launch latency.
#[test]
fn time_in_a_hardware_queue_is_no_launch_latency() {
    let rounds: Vec<(usize, u64, u64)> = (0..80).map(|at| (at % 8, 1_000, 1_000_000)).collect();
    check(&recorded("mi300x", None, &rounds, (0, 0)), EXACT, "eight streams, ten launches each");
    for seed in 1..9 {
        let mut draw = drawn(seed);
        let all: Vec<(usize, u64, u64)> = (0..60)
            .map(|_| (draw(0, 19) as usize, draw(1, 40) * 1_000, draw(1, 60) * 10_000))
            .collect();
        for device in ["mi300x", "h100"] {
            let what = format!("{device}, seed {seed}");
            check(&recorded(device, None, &all, (0, 0)), EXACT, &what);
            let latency = (draw(4, 20) * 1_000, draw(1, 5) * 1_000);
            check(&recorded(device, None, &all, latency), CLOSE, &format!("{what}: {latency:?}"));
        }
    }
}

/// Checks that waits in a hardware queue are not taken for launch latency where the recorded
/// process had another number of queues than its device has by default, and the replay gets that
/// number.
#[test]
fn time_in_a_wanted_number_of_queues_is_no_launch_latency() {
    for seed in 1..9 {
        let mut draw = drawn(seed);
        let all: Vec<(usize, u64, u64)> = (0..60)
            .map(|_| (draw(0, 11) as usize, draw(1, 40) * 1_000, draw(1, 60) * 10_000))
            .collect();
        for (device, most) in [("mi300x", 6), ("h100", 10)] {
            let queues = draw(1, most) as u16;
            let what = format!("{device}, {queues} queues, seed {seed}");
            let option = format!("--queues={queues}");
            let text = recorded(device, Some(queues), &all, (0, 0));
            check_with(&[&option], &text, EXACT, &what);
            let latency = (draw(4, 20) * 1_000, draw(1, 5) * 1_000);
            let text = recorded(device, Some(queues), &all, latency);
            check_with(&[&option], &text, CLOSE, &format!("{what}: {latency:?}"));
        }
    }
}

/// Checks that waits at a copy engine are not taken for launch latency: copies of one direction
/// wait for each other, and kernels for the copies of their streams.
#[test]
fn time_at_a_copy_engine_is_no_launch_latency() {
    for seed in 1..9 {
        let mut draw = drawn(seed);
        let streams = draw(2, 5) as usize;
        let mut left: Vec<Vec<(usize, u64, u64)>> = (0..streams)
            .map(|_| {
                let mut issued = 0;
                let mut op = || {
                    issued += draw(1, 300) * 1_009;
                    (draw(0, 2) as usize, issued, draw(50, 3_000) * 1_013)
                };
                (0..12).map(|_| op()).collect()
            })
            .collect();
        left.iter_mut().for_each(|own| own.reverse());
        let (mut free, mut engines, mut rows) = (vec![0; streams], [0; 2], Vec::new());
        // Of the next ops of the streams the one that is ready first comes first.
        while let Some((ready, stream)) = left
            .iter()
            .zip(&free)
            .enumerate()
            .filter_map(|(stream, (own, &free))| Some((own.last()?.1.max(free), stream)))
            .min()
        {
            let (to, issued, lasts) = left[stream].pop().expect("it is the next one");
            let start = engines.get(to).map_or(ready, |&engine: &u64| ready.max(engine));
            free[stream] = start + lasts;
            if let Some(engine) = engines.get_mut(to) {
                *engine = start + lasts;
            }
            let (name, kind, groups) = [
                ("[CUDA memcpy HtoD]", "copy", 0),
                ("[CUDA memcpy DtoH]", "copy", 0),
                ("k", "kernel", 1),
            ][to];
            let threads = 64 * groups;
            let row = format!(
                "{name},{kind},{stream},{groups},{groups},{groups},{threads},{groups},{groups},{},0,{issued},{start},{lasts}\n",
                16 * groups
            );
            rows.push((start, row));
        }
        rows.sort();
        let rows: String = rows.into_iter().map(|(_, row)| row).collect();
        let text = format!("# raddle launch table 1\n# device = h100\n{HEAD}{rows}");
        check(&text, EXACT, &format!("seed {seed}"));
    }
}

/// Checks that waits for room are not taken for launch latency: kernels that fill the device wait
/// for each other, whatever their streams.
#[test]
fn time_without_room_is_no_launch_latency() {
    for seed in 1..9 {
        let mut draw = drawn(seed);
        let streams = draw(2, 6) as usize;
        let (mut issued, mut free, mut rows) = (0, 0, String::new());
        for at in 0..60 {
            issued += draw(1, 200) * 1_000;
            let (start, lasts) = (free.max(issued), draw(20, 900) * 1_000);
            free = start + lasts;
            rows += &format!(
                "k,kernel,{},132,1,1,1024,1,1,64,0,{issued},{start},{lasts}\n",
                at % streams
            );
        }
        let text = format!("# raddle launch table 1\n# device = h100\n{HEAD}{rows}");
        check(&text, EXACT, &format!("seed {seed}"));
    }
}

/// Simulates two streams on a device with room for 132 workgroups, where room that becomes free
/// goes to the second stream first. A kernel is given as (time of issue, workgroups, time of one
/// workgroup). Returns (start, end) of each kernel; all times are in ns.
fn urgent_second(streams: &[Vec<(u64, u64, u64)>; 2]) -> [Vec<(u64, u64)>; 2] {
    let mut found = [Vec::new(), Vec::new()];
    let (mut free, mut now) = (132, 0);
    // The ends of workgroups that run: time, stream, number. By stream, those that wait, and when
    // the first one started.
    let mut running: Vec<(u64, usize, u64)> = Vec::new();
    let mut waiting = [0, 1].map(|at: usize| streams[at][0].1);
    let mut began = [None; 2];
    loop {
        for at in [1, 0] {
            let Some(&(issued, _, lasts)) = streams[at].get(found[at].len()) else { continue };
            let groups = free.min(waiting[at]);
            if issued <= now && groups > 0 {
                (free, waiting[at]) = (free - groups, waiting[at] - groups);
                began[at].get_or_insert(now);
                running.push((now + lasts, at, groups));
            }
        }
        let ends = running.iter().map(|it| it.0);
        let issues = [0, 1].map(|at: usize| streams[at].get(found[at].len()).map(|it| it.0));
        let Some(next) = ends.chain(issues.into_iter().flatten().filter(|&at| at > now)).min()
        else {
            return found;
        };
        now = next;
        let (ended, left): (Vec<_>, Vec<_>) = running.into_iter().partition(|it| it.0 <= now);
        running = left;
        free += ended.iter().map(|it| it.2).sum::<u64>();
        for at in [0, 1] {
            let runs = waiting[at] > 0 || running.iter().any(|it| it.1 == at);
            if let Some(start) = began[at].filter(|_| !runs) {
                found[at].push((start, now));
                began[at] = None;
                waiting[at] = streams[at].get(found[at].len()).map_or(0, |it| it.1);
            }
        }
    }
}

/// Checks that the time which a more urgent stream takes from kernels is taken neither for launch
/// latency nor for longer workgroups.
#[test]
fn time_behind_a_more_urgent_stream_is_no_launch_latency() {
    for seed in 1..25 {
        let mut draw = drawn(seed);
        let low: Vec<(u64, u64, u64)> = (0..draw(8, 20))
            .map(|at| {
                let partly = draw(0, 1) * draw(0, 131);
                (at * 3_000, draw(2, 8) * 132 - partly, draw(20, 300) * 1_000)
            })
            .collect();
        let whole: u64 = low.iter().map(|it| it.1.div_ceil(132) * it.2).sum();
        let mut urgent: Vec<(u64, u64, u64)> = (0..1 + seed % 3)
            .map(|_| (draw(0, whole / 1_000) * 800, draw(1, 264), draw(20, 300) * 1_000))
            .collect();
        urgent.sort_unstable();
        let streams = [low, urgent];
        let times = urgent_second(&streams);
        let rows = [0, 1].map(|at: usize| {
            let row = |(it, &(start, end)): (&(u64, u64, u64), &(u64, u64))| {
                let (level, lasts) = (-(at as i64), end - start);
                let text = format!(
                    "k{at},kernel,{at},{level},{},1,1,1024,1,1,64,0,{},{start},{lasts}\n",
                    it.1, it.0
                );
                (start, text)
            };
            streams[at].iter().zip(&times[at]).map(row).collect::<Vec<_>>()
        });
        let mut rows = rows.concat();
        rows.sort();
        let rows: String = rows.into_iter().map(|(_, row)| row).collect();
        let head = HEAD.replace("stream,", "stream,priority,");
        let text = format!("# raddle launch table 1\n# device = h100\n{head}{rows}");
        check(&text, EXACT, &format!("seed {seed}"));
    }
}

/// Checks that gaps stay and no latency is fitted where the recording has no launch times.
#[test]
fn recorded_gaps_are_no_launch_latency() {
    for seed in 1..5 {
        let mut draw = drawn(seed);
        let (mut now, mut rows) = (0, String::new());
        for _ in 0..60 {
            let lasts = draw(20, 900) * 1_000;
            rows += &format!("k,kernel,0,132,1,1,1024,1,1,64,0,,{now},{lasts}\n");
            now += lasts + draw(0, 40) * 1_000;
        }
        let text = format!("# raddle launch table 1\n# device = h100\n{HEAD}{rows}");
        check(&text, EXACT, &format!("seed {seed}"));
    }
}

/// Checks that a copy inside a device counts as work of the device, and one to another device as
/// work of a link.
#[test]
fn copies_are_told_by_where_they_go() {
    let place = Place::new();
    let row = |name: &str, at: u64| {
        format!("{name},copy,{at},0,0,0,0,0,0,0,0,{},{},1000000\n", at * 1000, at * 1000)
    };
    let replayed = |name: &str| {
        let kernel = "k,kernel,0,1,1,1,64,1,1,16,0,0,0,1000\n";
        place.file(
            "copies.csv",
            format!("# raddle launch table 1\n# device = h100\n{HEAD}{kernel}{}", row(name, 1)),
        );
        let words = ["replay", "copies.csv", "--no-files", "--recipe=streams"];
        let ran = place.raddle(&[&words[..], &["--format=json"]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        let found: Value = serde_json::from_str(&ran.out).expect("it is JSON");
        let time = found["recipes"][0]["summary"]["device-time"].clone();
        let elsewhere = found["profiles"][0]["copies-elsewhere"].clone();
        let all = ran.out.contains("copying-inside-ns");
        assert_eq!(all, name.contains("DtoD"), "{name}: told where it is");
        let told = place.raddle(&["inspect", "copies.csv"]).out + &found["overturning"].to_string();
        (time, elsewhere, told)
    };
    for (name, key, words) in [
        ("Memcpy DtoD (Device -> Device)", "inside", "1 copy (1 in the device)"),
        ("Memcpy PtoP (Device -> Device)", "to-peers", "1 copy (1 from or to another device)"),
        ("[CUDA memcpy Host-to-Host]", "in-host", "1 copy (1 in the host)"),
        ("somewhere", "unknown", "1 copy (1 of unknown direction)"),
        ("Memcpy HtoD (Pinned -> Device)", "", "1 copy,"),
    ] {
        let (time, elsewhere, told) = replayed(name);
        assert_eq!(elsewhere[key].as_u64().unwrap_or(0), u64::from(!key.is_empty()), "{name}");
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(words), "{name}: {told}");
        assert_eq!(told.contains("copies of unknown direction"), key == "unknown", "{name}");
        let busy = time["copying-inside-ns"].as_u64().unwrap_or(0);
        assert_eq!(busy, if key == "inside" { 1_000_000 } else { 0 }, "{name}: {time}");
        let waits = time["idle-copies-ns"].as_u64().expect("a time");
        assert_eq!(waits >= 900_000, key != "inside", "{name}: {time}");
    }
}
