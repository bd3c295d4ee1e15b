//! Are timelines written whole, whatever they hold?

use proptest::prelude::*;
use raddle_trace::timeline::{
    Away, Counter, Ending, Grain, Launch, Line, Measure, Off, Process, Slice, Stretch, Timeline,
    write_chrome, write_chrome_watched, write_perfetto, write_perfetto_watched,
};
use serde_json::Value;

fn time() -> impl Strategy<Value = u64> {
    prop_oneof![6 => 0u64..50, 1 => any::<u64>()]
}

fn place() -> impl Strategy<Value = u32> {
    prop_oneof![9 => 0u32..4, 1 => any::<u32>()]
}

fn launch() -> impl Strategy<Value = Launch> {
    let times =
        (time(), prop::option::of(time()), prop::option::of(time()), prop::option::of(time()));
    (0u16..4, place(), place(), any::<bool>(), any::<bool>(), times).prop_map(
        |(
            process,
            stream,
            kernel,
            is_copy,
            refused,
            (arrival_ns, ready_ns, started_ns, ended_ns),
        )| {
            Launch {
                process,
                stream,
                kernel,
                is_copy,
                refused,
                arrival_ns,
                ready_ns,
                started_ns,
                ended_ns,
                ..Launch::default()
            }
        },
    )
}

fn slice() -> impl Strategy<Value = Slice> {
    (time(), time(), place(), place(), 0u16..4).prop_map(|(start_ns, end_ns, launch, slot, cu)| {
        Slice { start_ns, end_ns, workgroups: 1, launch, slot, cu, ending: Ending::Killed }
    })
}

fn stretch() -> impl Strategy<Value = Stretch> {
    let line = prop_oneof![
        Just(Line::Copies),
        (0u16..4, place()).prop_map(|(process, stream)| Line::Stream { process, stream })
    ];
    (line, time(), time()).prop_map(|(line, start_ns, end_ns)| Stretch {
        line,
        start_ns,
        end_ns,
        launches: 2,
    })
}

/// Any timeline at all: positions that lead nowhere, times that fall, lists out of order.
fn timeline() -> impl Strategy<Value = Timeline> {
    let away = (place(), time(), time()).prop_map(|(launch, start_ns, end_ns)| Away {
        launch,
        how: Off::Saved,
        start_ns,
        end_ns,
    });
    let samples = prop::collection::vec((time(), any::<u64>()), 0..4);
    let counter = (prop::option::of(0u16..4), samples).prop_map(|(process, samples)| Counter {
        process,
        measure: Measure::Waves,
        samples,
    });
    let grain = prop_oneof![Just(Grain::Slot), Just(Grain::Cu), Just(Grain::Launch)];
    (
        prop::collection::vec(launch(), 0..6),
        prop::collection::vec(slice(), 0..8),
        prop::collection::vec(away, 0..4),
        prop::collection::vec(stretch(), 0..4),
        prop::collection::vec(counter, 0..3),
        grain,
        ".{0,9}",
    )
        .prop_map(|(launches, slices, aways, stretches, counters, grain, name)| Timeline {
            device: name.clone(),
            cus: 3,
            end_ns: 40,
            grain,
            processes: vec![
                Process {
                    name: name.clone(),
                    streams: vec![name.clone(), name.clone()]
                };
                2
            ],
            kernels: vec![name; 2],
            launches,
            slices,
            aways,
            aways_left_out: false,
            stretches,
            counters,
            counter_step_ns: 1,
        })
}

/// How many packets a Perfetto file holds, by the lengths that it gives.
fn packets(mut bytes: &[u8]) -> usize {
    let mut count = 0;
    while let Some((&key, rest)) = bytes.split_first() {
        assert_eq!(key, 0x0a, "a packet");
        let digits = 1 + rest.iter().take_while(|&&byte| byte >= 0x80).count();
        let digit = |(at, &byte): (usize, &u8)| usize::from(byte & 0x7f) << (7 * at);
        let length: usize = rest[..digits].iter().enumerate().map(digit).sum();
        bytes = &rest[digits + length..];
        count += 1;
    }
    count
}

proptest! {
    #[test]
    fn any_timeline_is_written_whole(timeline in timeline()) {
        let (mut perfetto, mut chrome) = (Vec::new(), Vec::new());
        write_perfetto(&timeline, &mut perfetto).unwrap();
        write_chrome(&timeline, &mut chrome).unwrap();
        let chrome: Value = serde_json::from_slice(&chrome).unwrap();
        let events = chrome["traceEvents"].as_array().unwrap();
        let of = |phase: &str| events.iter().filter(|event| event["ph"] == phase).count();
        prop_assert_eq!(of("s"), of("f"));
        // Two packets a slice, one a sample, one a track; one of names.
        let tracks = events.iter().filter(|event| event["name"] == "thread_name").count();
        let drawn = packets(&perfetto) - 2 * of("X") - of("C") - tracks;
        let groups = 1 + timeline.processes.len();
        let units = if timeline.grain < Grain::Launch { usize::from(timeline.cus) } else { 0 };
        let known = |c: &&Counter| c.process.is_none_or(|process| process < 2);
        let counters = timeline.counters.iter().filter(known).count();
        prop_assert_eq!(drawn, 1 + groups + units + counters);
    }
}

/// A writer that takes a few bytes and fails.
struct Full(usize);

impl std::io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_an_error() {
    let slice = |at: u64| Slice {
        start_ns: at,
        end_ns: at + 1,
        workgroups: 1,
        launch: 0,
        slot: 0,
        cu: 0,
        ending: Ending::Ended,
    };
    let slices = (0..9000).map(slice).collect();
    let timeline = Timeline { cus: 1, slices, ..Timeline::default() };
    for room in [0, 100_000] {
        assert!(write_perfetto(&timeline, Full(room)).is_err());
        assert!(write_chrome(&timeline, Full(room)).is_err());
    }
}

#[test]
fn nothing_at_all_is_a_timeline_too() {
    let (mut perfetto, mut chrome) = (Vec::new(), Vec::new());
    write_perfetto(&Timeline::default(), &mut perfetto).unwrap();
    write_chrome(&Timeline::default(), &mut chrome).unwrap();
    assert_eq!(packets(&perfetto), 2, "names, and the device");
    let chrome: Value = serde_json::from_slice(&chrome).unwrap();
    assert_eq!(chrome["displayTimeUnit"], "ns");
}

#[test]
fn a_watch_is_told_how_much_is_written_and_of_how_much() {
    let slice = |at: u64| Slice {
        start_ns: at,
        end_ns: at + 1,
        workgroups: 1,
        launch: 0,
        slot: 0,
        cu: 0,
        ending: Ending::Ended,
    };
    let slices: Vec<Slice> = (0..20_000).map(slice).collect();
    let timeline = Timeline { cus: 1, slices, ..Timeline::default() };
    let (mut perfetto, mut chrome) = (Vec::new(), Vec::new());
    let mut file = Vec::new();
    write_perfetto_watched(&timeline, &mut file, &mut |done, of| perfetto.push((done, of)))
        .unwrap();
    assert_eq!(perfetto, [(0, 40_000), (16_384, 40_000), (32_768, 40_000), (40_000, 40_000)]);
    let mut plain = Vec::new();
    write_perfetto(&timeline, &mut plain).unwrap();
    assert!(file == plain, "it writes the same");
    write_chrome_watched(&timeline, Vec::new(), &mut |done, of| chrome.push((done, of))).unwrap();
    assert_eq!(chrome, [(0, 20_000), (16_384, 20_000), (20_000, 20_000)]);
}
