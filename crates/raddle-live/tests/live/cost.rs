//! What does a launch cost that goes through a client? Measured where `RADDLE_MEASURE` is set, as the
//! machine must be idle for it; JSON on the standard output.

use std::hint::black_box;
use std::time::{Duration, Instant};

use raddle_live::{Client, ClientConfig, PROCESS, Until};
use raddle_policy::StreamId;
use raddle_preempt::{
    CapturedWork, ControllerConfig, Declared, LaunchHandle, Report, Runtime, SubmitCall,
};

use crate::fake::declared;

/// Runtime without a device, which sends each launch on a channel: the test reports its end at
/// once, or never.
struct Instantly {
    ended: std::sync::mpsc::Sender<LaunchHandle>,
}

impl Runtime<u32> for Instantly {
    fn declared(&self) -> Declared {
        declared()
    }

    fn submit(&mut self, handle: LaunchHandle, _: StreamId, _: u32) -> SubmitCall {
        self.ended.send(handle).unwrap();
        SubmitCall::Returned
    }
}

/// Returns the nanoseconds of each time, sorted from the shortest.
fn sorted(mut times: Vec<Duration>) -> Vec<u128> {
    times.sort_unstable();
    times.iter().map(Duration::as_nanos).collect()
}

#[test]
fn a_launch_costs_little() {
    const LAUNCHES: u32 = 100_000;
    if !crate::rig::measured() {
        println!("skipped: RADDLE_MEASURE is not set");
        return;
    }
    let controller = ControllerConfig::default().with_window(4096);
    let options = ClientConfig { controller, ..ClientConfig::default() };
    let (ended, ends) = std::sync::mpsc::channel();
    let client = Client::start(declared(), options, |_| Instantly { ended }).unwrap();
    let reporter = client.reporter();
    let stream = client.open().unwrap();
    let capture = |number| client.capture(stream, CapturedWork::opaque(number)).unwrap();
    let mut passing = Vec::new();
    for round in 0..LAUNCHES / 4000 {
        let since = Instant::now();
        for number in 0..4000 {
            let _ = black_box(capture(round * 4000 + number));
        }
        passing.push(since.elapsed() / 4000);
        ends.try_iter().for_each(|handle| reporter.report(Report::Finished(handle)).unwrap());
    }
    // A launch that must wait.
    client.pause();
    let since = Instant::now();
    let last = (0..LAUNCHES).map(capture).fold(None, |_, captured| captured.order());
    let deferred = since.elapsed() / LAUNCHES;
    // From the first that may go to the last that has ended.
    let (since, until) = (Instant::now(), Until::Stream(stream, last.unwrap()));
    client.resume();
    while !client.reached(until) {
        ends.try_iter().for_each(|handle| reporter.report(Report::Finished(handle)).unwrap());
    }
    let through = since.elapsed() / LAUNCHES;
    assert_eq!(client.ask(|it| it.in_flight(PROCESS).unwrap()), 0);
    let passing = sorted(passing);
    println!(
        "{{\"passing-ns\":{},\"deferred-ns\":{},\"through-ns\":{}}}",
        passing[passing.len() / 2],
        deferred.as_nanos(),
        through.as_nanos()
    );
}
