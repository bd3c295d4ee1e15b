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
    Agent, AqlFormat, AqlPacket, Encoder, FirstPolicy, HALF_WORDS, KernelDispatch, LaunchImage,
    NEAR, PacketError,
};

const RUNS: usize = 41;

/// A ring of packets in the memory that host and agent share.
struct Queue {
    packets: Vec<AqlPacket>,
    next: usize,
}

impl Queue {
    fn new(packets: usize) -> Self {
        Self { packets: vec![[0; 64]; packets], next: 0 }
    }

    fn put(&mut self, packet: &AqlPacket) {
        let mask = self.packets.len() - 1;
        self.packets[self.next & mask] = *packet;
        self.next += 1;
    }
}

/// What is decoded goes where a scheduler would look for it: a few launches, again and again.
struct Sink {
    launches: [LaunchImage; HALF_WORDS],
}

/// Launches of the loop, iteration after iteration.
fn stream(
    format: &AqlFormat,
    iterations: u64,
    first: u64,
) -> Result<Vec<LaunchImage>, PacketError> {
    let mut launches = Vec::new();
    for iteration in first..first + iterations {
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
fn drain(agent: &mut Agent, queue: &Queue, packets: usize, sink: &mut Sink) {
    for packet in queue.packets.iter().take(packets) {
        black_box(agent.receive(packet, &mut sink.launches).expect("what was sent is good"));
    }
}

/// One way of sending: what each step took, in nanoseconds a launch.
#[derive(Default)]
struct Times {
    sent: Vec<f64>,
    decoded: Vec<f64>,
    both: Vec<f64>,
}

/// The fastest run and the median.
type Two = (f64, f64);

impl Times {
    fn push(&mut self, sent: f64, decoded: f64) {
        self.sent.push(sent);
        self.decoded.push(decoded);
        self.both.push(sent + decoded);
    }

    fn row(&mut self, what: &str) -> [Two; 2] {
        let [sent, decoded, both] =
            [&mut self.sent, &mut self.decoded, &mut self.both].map(|times| {
                times.sort_by(f64::total_cmp);
                (times[0], times[RUNS / 2])
            });
        print!("{what:<44}");
        for (fastest, median) in [sent, decoded, both] {
            print!(" {fastest:>8.2} {median:>8.2}");
        }
        println!();
        [decoded, both]
    }
}

/// Nanoseconds a launch, over some rounds.
fn time(rounds: usize, launches: usize, mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..rounds {
        work();
    }
    start.elapsed().as_nanos() as f64 / (rounds * launches) as f64
}

/// Packets that the host has ready, copied into the queue and out of it: no more than memory.
fn copied(packed: &[AqlPacket], queue: &mut Queue, rounds: usize, times: &mut Times) {
    let mut out = vec![[0; 64]; 64];
    let sent = time(rounds, packed.len(), || {
        queue.next = 0;
        black_box(packed).iter().for_each(|packet| queue.put(packet));
    });
    let decoded = time(rounds, packed.len(), || {
        let packets = black_box(&queue.packets).iter().take(packed.len());
        packets.enumerate().for_each(|(n, packet)| out[n % 64] = *packet);
        black_box(&mut out);
    });
    times.push(sent, decoded);
}

fn ordinary(
    (format, launches): (&AqlFormat, &[LaunchImage]),
    (queue, sink): (&mut Queue, &mut Sink),
    rounds: usize,
    times: &mut Times,
) -> Result<usize, PacketError> {
    let mut agent = Agent::new(*format);
    let sent = time(rounds, launches.len(), || {
        queue.next = 0;
        black_box(launches).iter().for_each(|launch| queue.put(&launch.dispatch(format)));
    });
    let decoded = time(rounds, launches.len(), || {
        drain(&mut agent, black_box(queue), queue.next, sink);
    });
    times.push(sent, decoded);
    Ok(64 * queue.next)
}

fn condensed(
    (format, launches): (&AqlFormat, &[LaunchImage]),
    (queue, sink): (&mut Queue, &mut Sink),
    rounds: usize,
    times: &mut Times,
) -> Result<usize, PacketError> {
    let mut agent = Agent::new(*format);
    let mut encoder = Encoder::new(*format, FirstPolicy { near: NEAR });
    // An iteration with other arguments fills the table.
    for launch in &stream(format, 1, 1 << 20)? {
        encoder.launch(launch, &mut |packet| drop(agent.receive(packet, &mut sink.launches)));
    }
    let sent = time(rounds, launches.len(), || {
        queue.next = 0;
        for launch in black_box(launches) {
            encoder.launch(launch, &mut |packet| queue.put(packet));
        }
        encoder.flush(&mut |packet| queue.put(packet));
    });
    let decoded = time(rounds, launches.len(), || {
        drain(&mut agent, black_box(queue), queue.next, sink);
    });
    times.push(sent, decoded);
    Ok(64 * queue.next)
}

fn measure(packets: usize) -> Result<(), PacketError> {
    let format = AqlFormat::default();
    // As many launches as fill the queue with ordinary packets; rounds make up for short queues.
    let launches = stream(&format, packets as u64 / 6, 0)?;
    let packed: Vec<AqlPacket> = launches.iter().map(|launch| launch.dispatch(&format)).collect();
    let rounds = (1 << 16) / packets;
    let (mut queue, mut sink) =
        (Queue::new(packets), Sink { launches: [LaunchImage::default(); HALF_WORDS] });
    // The first touch of memory costs what no later one does.
    packed.iter().for_each(|packet| queue.put(packet));
    let mut times = [(); 3].map(|()| Times::default());
    let mut bytes = (0, 0);
    for _ in 0..RUNS {
        let [plain, one, many] = &mut times;
        copied(&packed, &mut queue, rounds, plain);
        let stream = (&format, &launches[..]);
        bytes.0 = ordinary(stream, (&mut queue, &mut sink), rounds, one)?;
        bytes.1 = condensed(stream, (&mut queue, &mut sink), rounds, many)?;
    }
    let name = format!("{} KiB of queue", packets / 16);
    let [plain, one, many] = &mut times;
    plain.row(&format!("{name}: packets copied, not decoded"));
    let one = one.row(&format!("{name}: ordinary packets"));
    let many = many.row(&format!("{name}: condensed packets"));
    for (what, (one, many)) in ["queue to launch", "both"].iter().zip(one.into_iter().zip(many)) {
        let (fastest, median) = (one.0 / many.0, one.1 / many.1);
        println!("    {what}: {fastest:.2} times less (fastest), {median:.2} (median)");
    }
    println!("    bytes: {:.2} times fewer", bytes.0 as f64 / bytes.1 as f64);
    Ok(())
}

fn main() -> Result<(), PacketError> {
    println!(
        "{:<44} {:>17} {:>17} {:>17}",
        "ns a launch", "to the queue", "queue to launch", "both"
    );
    let heads = ["fastest", "median"].map(|head| format!("{head:>8}")).join(" ");
    println!("{:<44} {heads} {heads} {heads}", "");
    for packets in [64, 1 << 14, 1 << 16] {
        measure(packets)?;
    }
    Ok(())
}
