//! What does a launch cost on its way from host to agent, in ordinary and in condensed packets?
//!
//! The loop of six kernels, with new arguments in each iteration. The queue is a ring of packets, small
//! enough for the first cache or as large as a common runtime's. Goals: 20 ns a launch for
//! encoding, 10 ns for decoding.

use std::hint::black_box;

use divan::Bencher;
use divan::counter::ItemsCount;
use raddle_packet::{
    Agent, AqlFormat, AqlPacket, Encoder, FirstPolicy, HALF_WORDS, KernelDispatch, LaunchImage,
    NEAR,
};

/// Numbers of packets in the measured queues.
const QUEUES: [usize; 2] = [64, 1 << 14];

fn main() {
    divan::main();
}

/// Returns the launches that fill a queue of `packets` ordinary packets: a loop over six kernels.
fn stream(format: &AqlFormat, packets: usize) -> Vec<LaunchImage> {
    let launch = |at: usize| {
        let (iteration, kernel) = (at as u64 / 6, at as u64 % 6);
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
        fields.launch(format).expect("every field fits")
    };
    (0..packets / 6 * 6).map(launch).collect()
}

/// Makes an encoder and an agent whose tables have the six kernels of the loop stored already.
fn condensing(launches: &[LaunchImage]) -> (Encoder<FirstPolicy>, Agent) {
    let mut encoder = Encoder::new(AqlFormat::default(), FirstPolicy { near: NEAR });
    let mut agent = Agent::new(AqlFormat::default());
    let mut decoded = [LaunchImage::default(); HALF_WORDS];
    let mut send = |packet: &AqlPacket| {
        agent.receive(packet, &mut decoded).expect("what was sent is good");
    };
    launches[..6].iter().for_each(|launch| encoder.launch(launch, &mut send));
    encoder.flush(&mut send);
    (encoder, agent)
}

#[divan::bench(args = QUEUES)]
fn encode_ordinary(bencher: Bencher<'_, '_>, packets: usize) {
    let (format, mut queue) = (AqlFormat::default(), Vec::<AqlPacket>::with_capacity(packets));
    let launches = stream(&format, packets);
    bencher.counter(ItemsCount::new(launches.len())).bench_local(|| {
        queue.clear();
        queue.extend(black_box(&launches).iter().map(|launch| launch.dispatch(&format)));
    });
}

#[divan::bench(args = QUEUES)]
fn encode_condensed(bencher: Bencher<'_, '_>, packets: usize) {
    let mut queue = Vec::<AqlPacket>::with_capacity(packets);
    let launches = stream(&AqlFormat::default(), packets);
    let (mut encoder, _) = condensing(&launches);
    bencher.counter(ItemsCount::new(launches.len())).bench_local(|| {
        queue.clear();
        for launch in black_box(&launches) {
            encoder.launch(launch, &mut |packet| queue.push(*packet));
        }
        encoder.flush(&mut |packet| queue.push(*packet));
    });
}

/// Measures decoding a whole queue of `launches` launches into the list where a scheduler would
/// read them.
fn decode(bencher: Bencher<'_, '_>, agent: &mut Agent, queue: &[AqlPacket], launches: usize) {
    let mut decoded = [LaunchImage::default(); HALF_WORDS];
    bencher.counter(ItemsCount::new(launches)).bench_local(|| {
        for packet in black_box(queue) {
            black_box(agent.receive(packet, &mut decoded).expect("what was sent is good"));
        }
    });
}

#[divan::bench(args = QUEUES)]
fn decode_ordinary(bencher: Bencher<'_, '_>, packets: usize) {
    let format = AqlFormat::default();
    let launches = stream(&format, packets);
    let queue: Vec<AqlPacket> = launches.iter().map(|launch| launch.dispatch(&format)).collect();
    let mut agent = Agent::new(format);
    decode(bencher, &mut agent, &queue, launches.len());
}

#[divan::bench(args = QUEUES)]
fn decode_condensed(bencher: Bencher<'_, '_>, packets: usize) {
    let launches = stream(&AqlFormat::default(), packets);
    let (mut encoder, mut agent) = condensing(&launches);
    let mut queue = Vec::<AqlPacket>::new();
    for launch in &launches {
        encoder.launch(launch, &mut |packet| queue.push(*packet));
    }
    encoder.flush(&mut |packet| queue.push(*packet));
    decode(bencher, &mut agent, &queue, launches.len());
}
