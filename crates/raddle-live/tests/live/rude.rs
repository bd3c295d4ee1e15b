//! Does a daemon stand connections that break every rule?

use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use raddle_live::{DaemonConfig, RefusedClient};
use raddle_policy::StreamId;

use crate::daemon::{Served, until};
use crate::fake::{Faults, Random};
use crate::rig::{Rig, measured};

/// Returns how many random messages the test sends: 5,000, or as many as the variable
/// `RADDLE_MESSAGES` says.
fn messages() -> u64 {
    std::env::var("RADDLE_MESSAGES").map_or(5_000, |count| count.parse().unwrap())
}

fn frame(text: &[u8]) -> Vec<u8> {
    let length = u32::try_from(text.len()).unwrap().to_le_bytes();
    [&[1][..], &length, text].concat()
}

/// Returns the resident memory of this process, in KiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().split(' ').next().unwrap().parse().unwrap()
}

/// Makes a message that nobody should send: bytes, or words of the protocol in the wrong places.
fn rude(random: &mut Random) -> Vec<u8> {
    let words = [
        r#"{"say":"join","token":null}"#,
        r#"{"say":"join","token":"0"}"#,
        r#"{"say":"runnable","in-flight":3}"#,
        r#"{"say":"runnable","in_flight":18446744073709551615}"#,
        r#"{"say":"idle"}"#,
        r#"{"say":"drained","order":7}"#,
        r#"{"say":"status"}"#,
        r#"{"say":"resume","pid":1}"#,
        r#"{"say":"grant","level":0}"#,
        r#"{"say":"grant","level":256}"#,
        r#"{"say":"nothing"}"#,
        "[[[[[[[[[[[[[[[[",
        "{}",
    ];
    let mut bytes = frame(words[random.to(words.len() as u64 - 1) as usize].as_bytes());
    match random.to(5) {
        0 => bytes.iter_mut().for_each(|byte| *byte = random.to(255) as u8),
        1 => bytes.truncate(random.to(bytes.len() as u64) as usize),
        2 => {
            let at = random.to(bytes.len() as u64 - 1) as usize;
            bytes[at] ^= 1 << random.to(7);
        }
        3 => bytes = frame(&vec![b' '; random.to(5_000) as usize]),
        _ => {}
    }
    bytes
}

#[test]
fn random_messages_are_dropped_and_the_others_go_on() {
    let served = Served::new(DaemonConfig { most_a_second: 1000, ..DaemonConfig::default() });
    let rig = Rig::new(9);
    let _link = served.link(&rig, None);
    until("it joins", || served.status().programs.len() == 1);
    let stream = rig.client.open().unwrap();
    let (mut random, mut number, mut sent) = (Random(11), 0, 0);
    let mut rude_one = UnixStream::connect(served.socket()).unwrap();
    let (mut before, mut slowest) = (0, Duration::ZERO);
    while sent < messages() {
        if rude_one.write_all(&rude(&mut random)).is_err() || random.to(20) == 0 {
            rude_one = UnixStream::connect(served.socket()).unwrap();
        }
        sent += 1;
        if sent % 1_000 == 0 {
            // A program that behaves.
            let since = Instant::now();
            crate::rig::host_from(&rig.client, stream, number, 20);
            slowest = slowest.max(since.elapsed());
            number += 20;
        }
        if sent == messages() / 4 {
            before = resident();
        }
    }
    drop(rude_one);
    let grown = resident().saturating_sub(before);
    assert!(grown < 4 << 10, "memory grew by {grown} KiB");
    let status = served.status();
    assert_eq!(status.programs.len(), 1, "{status:?}");
    assert!(status.refused[&RefusedClient::BadMessage] > sent / 100, "{status:?}");
    println!("{sent} messages, {slowest:?} for 20 launches at most, {:?}", status.refused);
    assert_eq!(rig.stop().faults, Faults::default());
    let said = served.said.lock().unwrap();
    let bad = said.iter().filter(|line| line.contains("a bad message"));
    assert_eq!(bad.count(), 1, "one line for each kind: {said:?}");
}

#[test]
fn who_is_too_many_too_fast_too_long_silent_or_deaf_is_dropped() {
    let served = Served::new(DaemonConfig { most_connections: 40, ..DaemonConfig::default() });
    let many: Vec<UnixStream> =
        (0..1_000).map(|_| UnixStream::connect(served.socket()).unwrap()).collect();
    // As they say nothing, they go.
    until("there is room again", || {
        raddle_live::Inquiry::connect(&served.socket()).is_ok_and(|mut it| it.status().is_ok())
    });
    drop(many);
    let mut fast = UnixStream::connect(served.socket()).unwrap();
    let status = frame(br#"{"say":"status"}"#);
    fast.set_nonblocking(true).unwrap();
    until(
        "it is too fast or does not read",
        || matches!(fast.write(&status), Err(error) if error.kind() != std::io::ErrorKind::WouldBlock),
    );
    let mut long = UnixStream::connect(served.socket()).unwrap();
    long.write_all(&[1, 1, 16, 0, 0]).unwrap();
    assert_eq!(long.read(&mut [0]).unwrap(), 0, "a length of 4,097 is refused before it comes");
    let mut fast = UnixStream::connect(served.socket()).unwrap();
    let join = frame(br#"{"say":"join","token":null}"#);
    fast.write_all(&join).unwrap();
    let idle = frame(br#"{"say":"idle"}"#).repeat(100);
    until("it is too fast", || fast.write_all(&idle).is_err());
    until("all are counted", || {
        let refused = served.status().refused;
        let all = [RefusedClient::TooMany, RefusedClient::Silent, RefusedClient::TooLong];
        all.iter().all(|why| refused.contains_key(why))
            && refused.contains_key(&RefusedClient::TooFast)
    });
    assert!(served.status().refused[&RefusedClient::TooMany] >= 960);
}

/// Runs bursts of 20 launches, each after a pause in which the program has no work, and returns the
/// 99th percentile of the times that a burst took, in microseconds.
fn slow_bursts(rig: &Rig, stream: StreamId, number: &mut u32) -> u128 {
    let count = if measured() { 400 } else { 30 };
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..count {
        // The pause is so long that the daemon hears that the program is idle.
        thread::sleep(Duration::from_millis(6));
        let since = Instant::now();
        crate::rig::host_from(&rig.client, stream, *number, 20);
        times.push(since.elapsed());
        *number += 20;
    }
    times.sort_unstable();
    times[times.len() * 99 / 100].as_micros()
}

#[test]
fn others_are_as_fast_beside_a_thousand_connections_and_one_that_does_not_read() {
    let served = Served::new(DaemonConfig::default());
    let rig = Rig::new(12);
    let _link = served.link(&rig, None);
    until("it joins", || served.status().programs.len() == 1);
    let stream = rig.client.open().unwrap();
    let turns = if measured() { 9 } else { 3 };
    let (mut number, mut alone, mut beside) = (0, vec![0; turns], vec![0; turns]);
    let over = AtomicBool::new(false);
    for turn in 0..turns {
        alone[turn] = slow_bursts(&rig, stream, &mut number);
        over.store(false, Ordering::Relaxed);
        beside[turn] = thread::scope(|scope| {
            // A thousand connections come, and stay until they have said nothing for too long.
            scope.spawn(|| {
                let path = served.socket();
                while !over.load(Ordering::Relaxed) {
                    let all: Vec<_> = (0..1_000).map(|_| UnixStream::connect(&path)).collect();
                    thread::sleep(Duration::from_millis(1_100));
                    drop(all);
                }
            });
            // This client asks as often as it may, and never reads.
            scope.spawn(|| {
                let status = frame(br#"{"say":"status"}"#);
                let mut deaf = UnixStream::connect(served.socket()).unwrap();
                deaf.set_nonblocking(true).unwrap();
                while !over.load(Ordering::Relaxed) {
                    let written = deaf.write(&status).map_err(|error| error.kind());
                    if matches!(written, Err(kind) if kind != std::io::ErrorKind::WouldBlock) {
                        deaf = UnixStream::connect(served.socket()).unwrap();
                        deaf.set_nonblocking(true).unwrap();
                    }
                    thread::sleep(Duration::from_micros(1_100));
                }
            });
            let told = slow_bursts(&rig, stream, &mut number);
            over.store(true, Ordering::Relaxed);
            told
        });
    }
    [&mut alone, &mut beside].into_iter().for_each(|all| all.sort_unstable());
    until("there is room again", || {
        raddle_live::Inquiry::connect(&served.socket()).is_ok_and(|mut it| it.status().is_ok())
    });
    let refused = served.status().refused;
    println!(
        "{{\"others-p99-us\": {{\"alone\": {alone:?}, \"beside\": {beside:?}}}, \"refused\": {refused:?}}}"
    );
    assert!(refused[&RefusedClient::TooMany] > 700, "{refused:?}");
    assert!(!measured() || beside[4] * 10 <= alone[4] * 11);
    assert_eq!(rig.stop().faults, Faults::default());
}

#[test]
fn the_socket_is_its_users_alone() {
    let served = Served::new(DaemonConfig::default());
    let rights = std::fs::metadata(served.socket()).unwrap();
    assert_eq!(rights.mode() & 0o777, 0o600);
    if !rustix::process::geteuid().is_root() {
        println!("skipped: only root can be another user");
        return;
    }
    // Even where the file's rights would let him in.
    std::fs::set_permissions(served.socket(), std::fs::Permissions::from_mode(0o666)).unwrap();
    let folder = served.socket();
    let folder = folder.parent().unwrap();
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = served.socket();
    let read = thread::spawn(move || {
        // Of this thread alone.
        rustix::thread::set_thread_uid(rustix::process::Uid::from_raw(65_534)).unwrap();
        let mut stream = UnixStream::connect(path).unwrap();
        let _ = stream.write_all(&frame(br#"{"say":"status"}"#));
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream.read(&mut [0; 16]).unwrap_or(0)
    });
    assert_eq!(read.join().unwrap(), 0, "it is told nothing");
    assert_eq!(served.status().refused[&RefusedClient::OtherUser], 1);
}
