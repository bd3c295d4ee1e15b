//! Are timelines written whole, whatever they hold?

use proptest::prelude::*;
use raddle_policy::Preemption;
use raddle_report::timeline::write_perfetto;
use raddle_sim::Doing;
use raddle_study::timeline::{
    Away, DrawnLaunch, DrawnProcess, DrawnRequest, DrawnWait, Ending, Grain, Measure, Slice,
    Timeline, TrackCounter,
};

fn time() -> impl Strategy<Value = u64> {
    prop_oneof![6 => 0u64..50, 1 => any::<u64>()]
}

fn place() -> impl Strategy<Value = u32> {
    prop_oneof![9 => 0u32..4, 1 => any::<u32>()]
}

fn launch() -> impl Strategy<Value = DrawnLaunch> {
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
            DrawnLaunch {
                process,
                stream,
                kernel,
                is_copy,
                refused,
                arrival_ns,
                ready_ns,
                started_ns,
                ended_ns,
                ..DrawnLaunch::default()
            }
        },
    )
}

fn slice() -> impl Strategy<Value = Slice> {
    (time(), time(), place(), place(), 0u16..4).prop_map(|(start_ns, end_ns, launch, slot, cu)| {
        Slice { start_ns, end_ns, workgroups: 1, launch, slot, cu, ending: Ending::Killed }
    })
}

/// Draws any timeline, also with indices that lead nowhere, times that fall, and lists out of
/// order.
fn timeline() -> impl Strategy<Value = Timeline> {
    let away = (place(), time(), time()).prop_map(|(launch, start_ns, end_ns)| Away {
        launch,
        how: Preemption::Switch,
        start_ns,
        end_ns,
    });
    let samples = prop::collection::vec((time(), any::<u64>()), 0..4);
    let counter = (prop::option::of(0u16..4), samples)
        .prop_map(|(process, samples)| TrackCounter { process, measure: Measure::Waves, samples });
    let wait = (0u16..4, time(), time()).prop_map(|(process, start_ns, end_ns)| DrawnWait {
        process,
        cause: Doing::Dependency,
        start_ns,
        end_ns,
    });
    let request =
        (0u16..4, 0u32..3, time(), time()).prop_map(|(process, number, start_ns, end_ns)| {
            DrawnRequest { process, number, start_ns, end_ns }
        });
    let grain = prop_oneof![Just(Grain::Slot), Just(Grain::Cu), Just(Grain::Launch)];
    (
        prop::collection::vec(launch(), 0..6),
        prop::collection::vec(slice(), 0..8),
        prop::collection::vec(away, 0..4),
        prop::collection::vec(counter, 0..3),
        grain,
        ".{0,9}",
        (prop::collection::vec(wait, 0..4), prop::collection::vec(request, 0..4)),
    )
        .prop_map(|(launches, slices, aways, counters, grain, name, (waits, requests))| {
            Timeline {
                device: name.clone(),
                cus: 3,
                wave_slots: 0,
                end_ns: 40,
                grain,
                processes: vec![
                    DrawnProcess {
                        name: name.clone(),
                        streams: vec![name.clone(), name.clone()]
                    };
                    2
                ],
                kernels: vec![name; 2],
                launches,
                requests,
                turns: Vec::new(),
                waits,
                slices,
                aways,
                aways_left_out: false,
                cut_ns: None,
                counters,
                counter_step_ns: 1,
            }
        })
}

/// Counts the packets in a Perfetto file, by the packet lengths that stand in it.
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

/// Writes a timeline as a Perfetto file. Returns the file, and the pairs (events written, all
/// events) that the progress callback got.
fn written(timeline: &Timeline) -> (Vec<u8>, Vec<(u64, u64)>) {
    let (mut file, mut seen) = (Vec::new(), Vec::new());
    let mut watch = |done, of| seen.push((done, of));
    write_perfetto(timeline, &mut file, &mut watch).expect("memory takes it");
    (file, seen)
}

proptest! {
    #[test]
    fn any_timeline_is_written_whole(timeline in timeline()) {
        let (file, seen) = written(&timeline);
        let events = seen[0].1 as usize;
        // A file has one packet for each event, one for the names, and one for each track: groups
        // of tracks, counters, and at least the lanes of all that is drawn.
        let groups = 1 + timeline.processes.len();
        let units = if timeline.grain < Grain::Launch { usize::from(timeline.cus) } else { 0 };
        let known = |c: &&TrackCounter| {
            c.process.is_none_or(|process| process < 2) && !c.samples.is_empty()
        };
        let counters = timeline.counters.iter().filter(known).count();
        let least = 1 + groups + units + counters + events;
        let others = timeline.requests.len() + timeline.waits.len();
        let lanes = timeline.launches.len() * 2 + timeline.slices.len() + others + 5;
        let packets = packets(&file);
        prop_assert!((least..=least + lanes).contains(&packets), "{packets}, at least {least}");
        prop_assert_eq!(seen.last(), Some(&(events as u64, events as u64)));
    }
}

/// Writer that takes as many bytes as its number says and then fails, like a full disk.
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

fn slices(count: u64) -> Timeline {
    let slice = |at: u64| Slice {
        start_ns: at,
        end_ns: at + 1,
        workgroups: 1,
        launch: 0,
        slot: 0,
        cu: 0,
        ending: Ending::Ended,
    };
    Timeline { cus: 1, slices: (0..count).map(slice).collect(), ..Timeline::default() }
}

#[test]
fn a_full_disk_is_an_error() {
    for room in [0, 100_000] {
        assert!(write_perfetto(&slices(9000), Full(room), &mut |_, _| ()).is_err());
    }
}

#[test]
fn an_empty_timeline_names_its_device() {
    assert_eq!(packets(&written(&Timeline::default()).0), 2);
}

#[test]
fn a_watch_gets_the_events_written_and_their_total() {
    let (_, seen) = written(&slices(20_000));
    assert_eq!(seen, [(0, 40_000), (16_384, 40_000), (32_768, 40_000), (40_000, 40_000)]);
}
