//! What does a launch cost on its way from host to agent, in ordinary and in condensed packets?
//!
//! The loop of six kernels, with new arguments in each iteration. Wall time on one thread: the
//! fastest and the median of some runs, and all rows in turn in each of them, so that what else the
//! machine does meets all alike. The queue is a ring of packets, small enough for the first cache or
//! as large as a common runtime's. Goals: 4 ns a launch for encoding and for decoding; 1.5 times
//! less than ordinary packets from queue to decoded launch; 5 times fewer bytes.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads the clock and prints"
)]

use std::hint::black_box;
use std::time::Instant;

use raddle_packet::{
    Agent, AqlOptions, Encoder, Error, First, Format, KernelDispatch, Launch, NEAR, Received,
};

const RUNS: usize = 41;
type Packet = [u8; 64];

/// A ring of packets in the memory that host and agent share.
struct Queue {
    packets: Vec<Packet>,
    next: usize,
}

impl Queue {
    fn new(packets: usize) -> Self {
        Self { packets: vec![[0; 64]; packets], next: 0 }
    }

    fn put(&mut self, packet: &Packet) {
        let mask = self.packets.len() - 1;
        self.packets[self.next & mask] = *packet;
        self.next += 1;
    }
}

/// What is decoded goes where a scheduler would look for it: a few launches, again and again.
struct Sink {
    launches: [Launch<64>; 64],
    count: usize,
}

impl Sink {
    fn take(&mut self, launch: Launch<64>) {
        self.launches[self.count % 64] = launch;
        self.count += 1;
    }
}

/// Launches of the loop, iteration after iteration.
fn stream(format: &Format<64>, iterations: u64) -> Result<Vec<Launch<64>>, Error> {
    let mut launches = Vec::new();
    for iteration in 0..iterations {
        for kernel in 0..6 {
            let fields = KernelDispatch {
                synch_scopes: 21,
                setup: 1,
                workgroup_size_x: 256,
                workgroup_size_y: 1,
                workgroup_size_z: 1,
                grid_size_x: 65536 + 256 * kernel as u32,
                grid_size_y: 1,
                grid_size_z: 1,
                group_segment_size: 1024 * kernel as u32,
                kernel_object: 0x7f00_0040_0000 + 256 * kernel,
                kernarg_address: 0x7f30_0000_0000 + 4096 * iteration + 256 * kernel,
                ..KernelDispatch::default()
            };
            launches.push(fields.launch(format)?);
        }
    }
    Ok(launches)
}

/// Decodes everything that is in the queue.
fn drain(agent: &mut Agent<64, 8>, queue: &Queue, packets: usize, sink: &mut Sink) {
    for packet in queue.packets.iter().take(packets) {
        if let Ok(Received::Launches(launches)) = agent.receive(packet) {
            launches.for_each(|launch| sink.take(launch));
        }
    }
}

/// One way of sending: what each step took, in nanoseconds a launch.
#[derive(Default)]
struct Times {
    sent: Vec<f64>,
    decoded: Vec<f64>,
}

impl Times {
    fn row(&mut self, what: &str) -> (f64, f64) {
        for times in [&mut self.sent, &mut self.decoded] {
            times.sort_by(f64::total_cmp);
        }
        let middle = RUNS / 2;
        println!(
            "{what:<44} {:>8.2} {:>8.2} {:>8.2} {:>8.2}",
            self.sent[0], self.sent[middle], self.decoded[0], self.decoded[middle]
        );
        (self.decoded[0], self.decoded[middle])
    }
}

fn nanoseconds(count: usize, work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_nanos() as f64 / count as f64
}

fn measure(packets: usize) -> Result<(), Error> {
    let format = Format::aql(&AqlOptions::default())?;
    // As many launches as fill the queue with ordinary packets; rounds make up for short queues.
    let launches = stream(&format, packets as u64 / 6)?;
    let rounds = (1 << 16) / packets;
    let count = launches.len() * rounds;
    let mut sink = Sink { launches: [Launch::default(); 64], count: 0 };
    let (mut plain, mut ordinary, mut condensed) =
        (Times::default(), Times::default(), Times::default());
    let mut bytes = (0, 0);
    for _ in 0..RUNS {
        let mut queue = Queue::new(packets);
        let packed: Vec<Packet> = launches.iter().map(|launch| launch.dispatch(&format)).collect();
        // Packets that the host has ready, copied into the queue and out of it: no more than memory.
        let (mut sent, mut decoded) = (0.0, 0.0);
        let mut out = vec![[0; 64]; 64];
        for _ in 0..rounds {
            queue.next = 0;
            sent += nanoseconds(count, || {
                black_box(&packed).iter().for_each(|packet| queue.put(packet))
            });
            black_box(&mut queue.packets);
            decoded += nanoseconds(count, || {
                for (n, packet) in queue.packets.iter().take(packed.len()).enumerate() {
                    out[n % 64] = *packet;
                }
            });
            black_box(&mut out);
        }
        plain.sent.push(sent);
        plain.decoded.push(decoded);

        let mut agent = Agent::<64, 8>::new(format)?;
        let (mut sent, mut decoded) = (0.0, 0.0);
        for _ in 0..rounds {
            queue.next = 0;
            sent += nanoseconds(count, || {
                black_box(&launches).iter().for_each(|launch| queue.put(&launch.dispatch(&format)));
            });
            black_box(&mut queue.packets);
            decoded += nanoseconds(count, || drain(&mut agent, &queue, queue.next, &mut sink));
            black_box(&mut sink.launches);
        }
        bytes.0 = 64 * queue.next;
        ordinary.sent.push(sent);
        ordinary.decoded.push(decoded);

        let mut encoder = Encoder::<64, 8, _>::new(format, First { near: NEAR })?;
        // The first iteration fills the table.
        for launch in &launches[..6] {
            encoder.launch(launch, &mut |packet| drop(agent.receive(packet)));
        }
        let (mut sent, mut decoded) = (0.0, 0.0);
        for _ in 0..rounds {
            queue.next = 0;
            sent += nanoseconds(count, || {
                for launch in black_box(&launches) {
                    encoder.launch(launch, &mut |packet| queue.put(packet));
                }
                encoder.flush(&mut |packet| queue.put(packet));
            });
            black_box(&mut queue.packets);
            decoded += nanoseconds(count, || drain(&mut agent, &queue, queue.next, &mut sink));
            black_box(&mut sink.launches);
        }
        bytes.1 = 64 * queue.next;
        condensed.sent.push(sent);
        condensed.decoded.push(decoded);
    }
    let name = format!("{} KiB of queue", packets / 16);
    plain.row(&format!("{name}: packets copied, not decoded"));
    let ordinary = ordinary.row(&format!("{name}: ordinary packets"));
    let condensed = condensed.row(&format!("{name}: condensed packets"));
    println!(
        "    queue to launch: {:.2} times less (fastest), {:.2} (median); bytes: {:.2} times fewer",
        ordinary.0 / condensed.0,
        ordinary.1 / condensed.1,
        bytes.0 as f64 / bytes.1 as f64
    );
    Ok(())
}

fn main() -> Result<(), Error> {
    println!("{:<44} {:>17} {:>17}", "ns a launch", "to the queue", "queue to launch");
    println!("{:<44} {:>8} {:>8} {:>8} {:>8}", "", "fastest", "median", "fastest", "median");
    for packets in [64, 1 << 14, 1 << 16] {
        measure(packets)?;
    }
    Ok(())
}
