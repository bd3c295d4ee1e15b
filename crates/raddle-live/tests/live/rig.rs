//! A client over a card that runs on a thread of its own, and a thread of the program.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use raddle_live::{Client, ClientConfig, Until};
use raddle_policy::{Idempotence, StreamId};
use raddle_preempt::{Capture, CaptureOrder, CapturedWork};

use crate::fake::{Card, Fake, Job, Random, declared};

/// Returns whether this test has the machine for itself, as in `cargo xtask soak live`. Times are
/// judged there alone.
pub(crate) fn measured() -> bool {
    std::env::var_os("RADDLE_MEASURE").is_some()
}

pub(crate) fn within(taken: Duration, bound: Duration) {
    assert!(!measured() || taken < bound, "it took {taken:?}");
}

/// Client, its card (a device that is simulated by the test), and a thread on which the card runs.
pub(crate) struct Rig {
    pub(crate) client: Client<Job>,
    pub(crate) card: Arc<Mutex<Card>>,
    over: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Rig {
    pub(crate) fn new(seed: u64) -> Self {
        Self::logged(seed, None)
    }

    pub(crate) fn logged(seed: u64, log: Option<Box<dyn Write + Send>>) -> Self {
        let options = ClientConfig::default();
        let window = options.controller.window() as usize;
        let card = Arc::new(Mutex::new(Card::new(window, seed)));
        let on = Arc::clone(&card);
        let client = Client::logged(declared(), options, log, |reporter| Fake {
            card: on,
            reporter,
            claims: true,
        });
        let client = client.unwrap();
        let over = Arc::new(AtomicBool::new(false));
        let (reporter, on, ends) = (client.reporter(), Arc::clone(&card), Arc::clone(&over));
        let thread = thread::spawn(move || {
            while !ends.load(Ordering::Relaxed) {
                let step = on.lock().unwrap().step();
                match step {
                    None => thread::yield_now(),
                    Some(None) => {}
                    Some(Some(report)) => {
                        let heard = reporter.report(report);
                        on.lock().unwrap().faults.refused += u64::from(heard.is_err());
                    }
                }
            }
        });
        Self { client, card, over, thread: Some(thread) }
    }

    pub(crate) fn stop(mut self) -> Card {
        assert!(self.client.stop(Duration::from_secs(10)), "the worker ends");
        self.over.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
        let seed = Card::new(1, 0);
        std::mem::replace(&mut *self.card.lock().unwrap(), seed)
    }
}

/// Runs one thread of the program: it fills its stream in order, and now and then waits for it.
pub(crate) fn host(client: &Client<Job>, stream: StreamId, jobs: u32) {
    let mut random = Random(u64::from(stream.0));
    for number in 0..jobs {
        let idempotent = random.to(4) > 0;
        let verdict = if idempotent { Idempotence::Idempotent } else { Idempotence::Not };
        let job = Job { number, stream: stream.0, verdict };
        let captured = client.capture(stream, CapturedWork::kernel(job, verdict)).unwrap();
        let Capture::Taken(order) = captured else { panic!("there is no bound") };
        if random.to(30) == 0 || number + 1 == jobs {
            let until = Until::Stream(stream, order);
            assert!(client.wait_for(until, Duration::from_secs(60)), "it hangs");
            assert!(client.reached(until));
        }
    }
}

/// Captures one launch with the number `number` at the end of a stream, and returns its order.
pub(crate) fn capture(client: &Client<Job>, stream: StreamId, number: u32) -> CaptureOrder {
    let verdict = if number.is_multiple_of(5) { Idempotence::Not } else { Idempotence::Idempotent };
    let job = Job { number, stream: stream.0, verdict };
    let captured = client.capture(stream, CapturedWork::kernel(job, verdict)).unwrap();
    captured.order().unwrap()
}

/// Captures `jobs` launches, numbered from `from`, and waits until they have ended.
pub(crate) fn host_from(client: &Client<Job>, stream: StreamId, from: u32, jobs: u32) {
    let mut last = None;
    for number in from..from + jobs {
        last = Some(capture(client, stream, number));
    }
    let until = Until::Stream(stream, last.unwrap());
    assert!(client.wait_for(until, Duration::from_secs(60)), "it hangs");
}

/// Log that is kept in memory: one thread writes it, and others read it.
#[derive(Clone, Default)]
pub(crate) struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
