//! Do timelines of raddle hold what the public definitions of their format say?

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use perfetto_check::{Definitions, Fault, Found, What, check};
use prost::Message;
use prost_reflect::{DynamicMessage, Value};
use raddle_policy::Preemption;
use raddle_report::timeline::write_perfetto;
use raddle_study::timeline::{
    Away, Counter, DrawnLaunch, DrawnProcess, Ending, Measure, Slice, Timeline,
};

/// Environment variable with a folder whose timelines are checked, with those of its subfolders.
const FOLDER: &str = "RADDLE_TIMELINES";

/// Returns a small timeline file of raddle: two launches on two streams of one process, of which
/// the first is saved and goes on, and the second waits.
fn own() -> Vec<u8> {
    let launch = |stream, ready, started, ended| DrawnLaunch {
        process: 0,
        stream,
        kernel: stream,
        workgroups: 2,
        ready_ns: Some(ready),
        started_ns: Some(started),
        ended_ns: Some(ended),
        ..DrawnLaunch::default()
    };
    let slice = |launch, slot, (start_ns, end_ns), ending| Slice {
        start_ns,
        end_ns,
        workgroups: 1,
        launch,
        slot,
        cu: 0,
        ending,
    };
    let samples = vec![(0, 2), (30, 4), (70, 0)];
    let timeline = Timeline {
        device: "a device".to_owned(),
        cus: 2,
        end_ns: 70,
        processes: vec![DrawnProcess {
            name: "train".to_owned(),
            streams: vec!["7".to_owned(), "8".to_owned()],
        }],
        kernels: vec!["gemm".to_owned(), "ελάχιστο".to_owned()],
        launches: vec![launch(0, 0, 0, 60), launch(1, 10, 30, 70)],
        slices: vec![
            slice(0, 0, (0, 20), Ending::Saved),
            slice(0, 0, (50, 60), Ending::Ended),
            slice(1, 1, (30, 70), Ending::Ended),
        ],
        aways: vec![Away { launch: 0, how: Preemption::Switch, start_ns: 20, end_ns: 50 }],
        counters: vec![Counter { process: Some(0), measure: Measure::Waves, samples }],
        counter_step_ns: 1,
        ..Timeline::default()
    };
    let mut file = Vec::new();
    write_perfetto(&timeline, &mut file, &mut |_, _| ()).unwrap();
    file
}

fn definitions() -> &'static Definitions {
    static ONCE: LazyLock<Definitions> =
        LazyLock::new(|| Definitions::load().unwrap_or_else(|error| panic!("{error}")));
    &ONCE
}

/// Checks what holds of any timeline of raddle beyond its format.
fn check_tracks(found: &Found) {
    for (&number, track) in &found.tracks {
        // Workgroups of one slot, or of one lane, never overlap. A launch that waits or is off the
        // device says so within its own slice.
        let most = if found.level(number) >= 2 { 1 } else { 2 };
        assert!(track.deepest <= most, "{track:?}");
        assert!(!track.is_counter || track.values > 0, "{track:?}");
    }
    assert!(found.slices() > 0);
}

fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "perfetto-trace") {
            into.push(path);
        }
    }
}

#[test]
fn a_small_timeline_is_read_whole() {
    let found = check(definitions(), &own()).unwrap();
    check_tracks(&found);
    // Three slices of workgroups, two launches, one wait and one absence within them.
    assert_eq!((found.slices(), found.arrows), (7, 2));
    let below = |level| -> Vec<&str> {
        let tracks = found.tracks.iter().filter(|(id, _)| found.level(**id) == level);
        tracks.map(|(_, track)| &*track.name).collect()
    };
    assert_eq!(below(0), ["process train", "a device"]);
    assert_eq!(below(2), ["CU 0 slot 0", "CU 0 slot 1"]);
    let values: usize = found.tracks.values().map(|track| track.values).sum();
    assert_eq!(values, 3);
    let deepest: Vec<usize> = found.tracks.values().map(|track| track.deepest).collect();
    assert_eq!(deepest.iter().max(), Some(&2));
}

#[test]
fn timelines_of_a_folder_are_read_whole() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        println!("skipped: {FOLDER} names no folder of timelines");
        return;
    };
    let mut paths = Vec::new();
    files(Path::new(&folder), &mut paths);
    assert!(!paths.is_empty(), "there is no timeline below {}", folder.display());
    paths.sort();
    let definitions = definitions();
    for path in &paths {
        let found = check(definitions, &fs::read(path).unwrap());
        let found = found.unwrap_or_else(|fault| panic!("{}: {fault}", path.display()));
        check_tracks(&found);
        println!(
            "{}: {} packets, {} tracks, {} slices, {} arrows",
            path.strip_prefix(&folder).unwrap_or(path).display(),
            found.packets,
            found.tracks.len(),
            found.slices(),
            found.arrows
        );
    }
}

/// Returns the fault of the small timeline (`own`) after `change` has changed its packets.
fn changed(change: impl FnOnce(&mut Vec<Value>)) -> Fault {
    let definitions = definitions();
    let mut trace = DynamicMessage::decode(definitions.trace(), &*own()).unwrap();
    let packets = trace.get_field_by_name_mut("packet").unwrap().as_list_mut().unwrap();
    change(packets);
    check(definitions, &trace.encode_to_vec()).expect_err("it is at fault")
}

fn field<'v>(value: &'v mut Value, name: &str) -> &'v mut Value {
    value.as_message_mut().unwrap().get_field_by_name_mut(name).unwrap()
}

/// Returns the positions of the packets with events of the type `kind`: 1 begins a slice, 2 ends
/// one.
fn events(packets: &[Value], kind: i32) -> Vec<usize> {
    let of = |packet: &Value| {
        let packet = packet.as_message().unwrap();
        packet.has_field_by_name("track_event")
            && packet
                .get_field_by_name("track_event")
                .and_then(|event| event.as_message()?.get_field_by_name("type")?.as_enum_number())
                == Some(kind)
    };
    (0..packets.len()).filter(|&at| of(&packets[at])).collect()
}

fn set(packets: &mut [Value], at: usize, name: &str, value: Value) {
    let event = field(&mut packets[at], "track_event").as_message_mut().unwrap();
    event.set_field_by_name(name, value);
}

#[test]
fn slices_that_do_not_pair_are_found() {
    let fault = changed(|packets| {
        let end = *events(packets, 2).last().unwrap();
        packets.remove(end);
    });
    assert!(matches!(fault.what, What::NeverEnds(_)), "{fault}");
    let fault = changed(|packets| {
        let begin = events(packets, 1)[0];
        packets.remove(begin);
    });
    assert!(matches!(fault.what, What::NothingOpen(_) | What::Arrow(_)), "{fault}");
    // The end of another track.
    let fault = changed(|packets| {
        let end = events(packets, 2)[0];
        set(packets, end, "track_uuid", Value::U64(1));
    });
    assert_eq!(fault.what, What::NothingOpen(1));
}

#[test]
fn times_tracks_names_and_arrows_that_lead_nowhere_are_found() {
    let fault = changed(|packets| {
        let end = *events(packets, 2).last().unwrap();
        *field(&mut packets[end], "timestamp") = Value::U64(1);
    });
    assert_eq!(fault.what, What::TimeFalls);
    let fault = changed(|packets| {
        let begin = events(packets, 1)[0];
        set(packets, begin, "track_uuid", Value::U64(999));
    });
    assert_eq!(fault.what, What::NoTrack(999));
    let fault = changed(|packets| {
        let begin = events(packets, 1)[0];
        set(packets, begin, "name_iid", Value::U64(999));
    });
    assert_eq!(fault.what, What::NoName("event_names", 999));
    let fault = changed(|packets| {
        let track = packets
            .iter_mut()
            .find(|packet| packet.as_message().unwrap().has_field_by_name("track_descriptor"));
        let track = field(track.unwrap(), "track_descriptor").as_message_mut().unwrap();
        track.set_field_by_name("parent_uuid", Value::U64(999));
    });
    assert_eq!(fault.what, What::NoTrack(999));
    let fault = changed(|packets| {
        let begin = *events(packets, 1).last().unwrap();
        set(packets, begin, "flow_ids", Value::List(vec![Value::U64(999)]));
    });
    assert_eq!(fault.what, What::ArrowNeverEnds(999));
    let fault = changed(|packets| {
        let begin = events(packets, 1)[0];
        set(packets, begin, "terminating_flow_ids", Value::List(vec![Value::U64(999)]));
    });
    assert_eq!(fault.what, What::Arrow(999));
}

#[test]
fn fields_that_the_definitions_lack_are_found() {
    let definitions = definitions();
    // A packet {10: 1, 60: {1: 900, 2: "t", 900: 1}}.
    let descriptor = b"\x08\x84\x07\x12\x01t\xa0\x38\x01";
    let mut packet = vec![0x50, 1, 0xe2, 0x03, descriptor.len() as u8];
    packet.extend_from_slice(descriptor);
    let mut file = own();
    let packets = check(definitions, &file).unwrap().packets;
    file.extend_from_slice(&[0x0a, packet.len() as u8]);
    file.extend_from_slice(&packet);
    let what = What::Unknown("TrackDescriptor 900".to_owned());
    assert_eq!(check(definitions, &file), Err(Fault { packet: packets, what }));
    // A packet that gives the number of its writer twice.
    let mut file = own();
    file.extend_from_slice(b"\x0a\x09\x50\x01\x50\x01\xe2\x03\x02\x08\x01");
    let what = What::Unknown("written again, it has another length".to_owned());
    assert_eq!(check(definitions, &file), Err(Fault { packet: packets, what }));
}

#[test]
fn a_file_that_is_cut_off_is_found() {
    let (definitions, file) = (definitions(), own());
    let whole = check(definitions, &file).unwrap();
    for length in (0..file.len()).step_by(7).chain([file.len() - 1]) {
        // Between packets, what is lost shows as slices and arrows that never end.
        let found = check(definitions, &file[..length]);
        assert!(found.map_or(true, |found| found.slices() < whole.slices()), "{length}");
    }
}
