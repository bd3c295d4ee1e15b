//! Does a client with real threads, one of which is slow, keep order and lose nothing?

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use raddle_live::{Client, ClientConfig, PROCESS, Until};
use raddle_policy::{Preemption, StreamId};
use raddle_preempt::{CapturedWork, Runtime, SubmitCall};

use crate::fake::{Faults, Random, declared};
use crate::rig::{Rig, host};

#[test]
fn two_hosts_a_storm_and_late_callbacks_lose_nothing() {
    const JOBS: u32 = 4_000;
    let rig = Rig::new(7);
    let streams = [rig.client.open().unwrap(), rig.client.open().unwrap()];
    thread::scope(|scope| {
        let hosts = streams.map(|stream| {
            let client = rig.client.clone();
            scope.spawn(move || host(&client, stream, JOBS))
        });
        let mut random = Random(3);
        while !hosts.iter().all(thread::ScopedJoinHandle::is_finished) {
            let ways = [Preemption::Wait, Preemption::Flag, Preemption::Reset];
            rig.client.preempt(ways[random.to(2) as usize]);
            thread::sleep(Duration::from_micros(random.to(300)));
            rig.client.resume();
            thread::sleep(Duration::from_micros(random.to(300)));
        }
    });
    let counts = rig.client.counts();
    let card = rig.stop();
    assert_eq!(card.faults, Faults::default());
    assert_eq!(card.count, 2 * u64::from(JOBS));
    assert_eq!((counts.driver.finished(), counts.unasked, counts.given_up), (card.count, 0, 0));
    // The number of kills is up to the machine; `src/schedules.rs` kills for sure.
    assert!(card.exits > 0, "{} killed", card.kills);
}

#[test]
fn the_calling_thread_submits_where_nothing_is_preempted() {
    struct Says(Arc<Mutex<Vec<thread::ThreadId>>>);
    impl Runtime<u32> for Says {
        fn declared(&self) -> raddle_preempt::Declared {
            declared()
        }
        fn submit(&mut self, _: raddle_preempt::LaunchHandle, _: StreamId, _: u32) -> SubmitCall {
            self.0.lock().unwrap().push(thread::current().id());
            SubmitCall::Returned
        }
    }
    let calls = Arc::new(Mutex::new(Vec::new()));
    let says = Says(Arc::clone(&calls));
    let client = Client::start(declared(), ClientConfig::default(), |_| says).unwrap();
    let stream = client.open().unwrap();
    for payload in 0..12 {
        assert!(client.capture(stream, CapturedWork::opaque(payload)).unwrap().order().is_some());
    }
    assert_eq!(*calls.lock().unwrap(), vec![thread::current().id(); 8], "as the window has room");
    let counts = client.counts();
    assert_eq!((counts.in_flight, counts.waiting), (8, 4));
    assert!(client.stop(Duration::from_secs(10)));
    // The client submits nothing any more, and no wait lasts for ever.
    client.wait(Until::All(raddle_preempt::CaptureOrder(11)));
}

#[test]
fn payloads_are_dropped_by_no_callback_and_not_kept() {
    struct Idle;
    impl Runtime<Arc<()>> for Idle {
        fn declared(&self) -> raddle_preempt::Declared {
            declared()
        }
        fn submit(
            &mut self,
            _: raddle_preempt::LaunchHandle,
            _: StreamId,
            _: Arc<()>,
        ) -> SubmitCall {
            SubmitCall::Returned
        }
    }
    let client = Client::start(declared(), ClientConfig::default(), |_| Idle).unwrap();
    let stream = client.open().unwrap();
    let payload = Arc::new(());
    let _ = client.capture(stream, CapturedWork::opaque(Arc::clone(&payload))).unwrap();
    assert_eq!(Arc::strong_count(&payload), 2);
    let flying: Vec<_> = client.ask(|it| it.flying(PROCESS).unwrap().collect());
    client.reporter().report(raddle_preempt::Report::Finished(flying[0].0)).unwrap();
    for _ in 0..10_000 {
        if Arc::strong_count(&payload) == 1 {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
    panic!("the worker keeps what has ended");
}
