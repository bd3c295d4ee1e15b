//! Is a fit of launch latency judged on what it has not seen: another half, another file?

use serde_json::Value;

use crate::common::{Place, drawn, table};

/// Returns a launch table of kernels of 50 us, one each 200 us; the number in `latencies` is the
/// time in microseconds from its launch to its begin.
fn begun_after(latencies: &[u64]) -> String {
    let rows = (0..).zip(latencies).map(|(at, latency)| {
        let issued = at * 200_000;
        format!("k 1 80 128 32 0 {issued} {} 50000", issued + latency * 1000)
    });
    let rows: Vec<String> = rows.collect();
    table(&rows.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn a_fit_is_judged_on_what_it_has_not_seen() {
    let place = Place::new();
    place.file("quick.csv", begun_after(&[10; 8]));
    place.file("slow.csv", begun_after(&[30; 8]));
    place.file("both.csv", begun_after(&[10, 10, 10, 10, 30, 30, 30, 30]));
    let replayed = |words: &[&str]| {
        let ran = place.raddle(&[&["inspect", "--self-replay", "--format=json"], words].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        let found: Value = serde_json::from_str(&ran.out).expect("it is JSON");
        found["profiles"][0]["self-replay"].clone()
    };
    let own = replayed(&["quick.csv"]);
    assert_eq!(
        (own["launch-ns"].as_u64(), own["waits"]["within"].as_f64()),
        (Some(10_000), Some(1.0))
    );
    assert_eq!((&own["in-sample"], own["halves"]["first"].as_f64()), (&Value::Null, Some(1.0)));
    assert_eq!(
        (own["waits"]["short"].as_u64(), own["waits"]["short-within"].as_f64()),
        (Some(8), Some(1.0))
    );
    assert_eq!(own["busy"]["overlap"].as_f64(), Some(0.0));
    let other = replayed(&["quick.csv", "--fit-from", "slow.csv"]);
    assert_eq!(other["launch-ns"].as_u64(), Some(30_000));
    assert_eq!(
        (other["waits"]["within"].as_f64(), other["in-sample"].as_f64()),
        (Some(0.0), Some(1.0))
    );
    let halves = &replayed(&["both.csv"])["halves"];
    let figures = ["kernels", "own", "first"].map(|key| halves[key].as_f64());
    assert_eq!(figures, [Some(4.0), Some(1.0), Some(0.0)]);
    let told =
        place.raddle(&["inspect", "--self-replay", "quick.csv", "--fit-from", "slow.csv"]).out;
    assert!(told.contains("that of the file of --fit-from"), "{told}");
    let refused = place.raddle(&["inspect", "quick.csv", "--fit-from", "slow.csv"]);
    assert_eq!(refused.code, 2, "it needs --self-replay");
}

/// Checks that the gaps between nodes of a graph, which the device makes, stay as recorded.
#[test]
fn gaps_between_the_nodes_of_a_graph_stay() {
    let place = Place::new();
    let device = r#"{"id":0,"name":"Tesla V100-SXM2-16GB","computeMajor":7,"computeMinor":0,"maxThreadsPerMultiprocessor":2048,"regsPerMultiprocessor":65536,"warpSize":32,"sharedMemPerMultiprocessor":98304,"numSms":80}"#;
    let mut events = Vec::new();
    for (graph, issued) in [(1, 1_000), (2, 9_000)] {
        events.push(format!(
            r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":1,"tid":1,"ts":{issued},"dur":5,"args":{{"correlation":{graph}}}}}"#
        ));
        // The node after 30 us waits for something that no file tells.
        for (at, begun) in [(0, 20), (1, 71), (2, 124), (3, 204)] {
            let start = issued + begun;
            events.push(format!(
                r#"{{"ph":"X","cat":"kernel","name":"k{at}","pid":0,"tid":7,"ts":{start},"dur":50,"args":{{"device":0,"context":1,"stream":7,"correlation":{graph},"registers per thread":32,"shared memory":0,"grid":[80,1,1],"block":[128,1,1]}}}}"#
            ));
        }
    }
    let events = events.join(",");
    place.file(
        "graphs.json",
        format!(r#"{{"deviceProperties":[{device}],"traceEvents":[{events}]}}"#),
    );
    let ran = place.raddle(&["inspect", "--self-replay", "--format=json", "graphs.json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let found: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let found = &found["profiles"][0]["self-replay"];
    assert_eq!(found["launch-ns"].as_u64(), Some(20_000));
    assert_eq!(found["waits"]["error-p95-ns"].as_u64(), Some(0));
    assert_eq!(found["busy"]["difference"].as_f64(), Some(0.0));
}

/// Simulates a device that lets pending workgroups of the more urgent stream go first, in rounds
/// over the whole device, and returns the recording that a profiler would write of it.
fn recorded_with_priorities(seed: u32) -> String {
    let mut draw = drawn(seed);
    let low: Vec<(u64, u64)> = (0..40).map(|_| (draw(1, 8), draw(50, 900) * 1000)).collect();
    let mut since = 0;
    let mut high: Vec<(u64, u64)> = (0..50)
        .map(|_| {
            since += draw(100, 4_000) * 1000;
            (since, draw(20, 300) * 1000)
        })
        .collect();
    high.reverse();
    let mut rows = String::new();
    let mut now = 0;
    let mut row = |name: &str, stream: u32, rounds: u64, times: [u64; 3], priority: i32| {
        let [issued, start, lasts] = times;
        rows += &format!(
            "{name},{stream},{},1,1,1024,1,1,64,0,{issued},{start},{lasts},{priority}\n",
            132 * rounds
        );
    };
    let mut urgent = |now: &mut u64| {
        while let Some(&(issued, lasts)) = high.last().filter(|(issued, _)| issued <= now) {
            row("high", 2, 1, [issued, *now, lasts], -5);
            *now += lasts;
            high.pop();
        }
    };
    let mut lows = String::new();
    for (at, &(rounds, each)) in (0..).zip(&low) {
        urgent(&mut now);
        let start = now;
        for round in 0..rounds {
            if round > 0 {
                urgent(&mut now);
            }
            now += each;
        }
        lows += &format!(
            "low,1,{},1,1,1024,1,1,64,0,{},{start},{},0\n",
            132 * rounds,
            at * 10_000,
            now - start
        );
    }
    format!(
        "# raddle launch table 1\n# device = h100\nname,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,vgprs_per_thread,lds_bytes,arrival_ns,start_ns,duration_ns,priority\n{lows}{rows}"
    )
}

/// Checks that the time which a more urgent stream takes from a kernel is counted once: it lies in
/// that kernel's recorded duration, so a replay must not add it again.
#[test]
fn time_that_a_more_urgent_stream_took_is_counted_once() {
    let place = Place::new();
    for seed in 1..4 {
        place.file("both.csv", recorded_with_priorities(seed));
        let ran = place.raddle(&["inspect", "both.csv", "--self-replay", "--format=json"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let found: Value = serde_json::from_str(&ran.out).expect("it is JSON");
        let own = &found["profiles"][0]["self-replay"];
        let busy = own["busy"]["difference"].as_f64().expect("a share");
        let before = own["before"]["busy"].as_f64().expect("a share");
        assert!(busy.abs() < 0.02 && before > 0.03, "seed {seed}: {before} -> {busy}");
    }
}
