//! Can firmware without an allocator decode and encode packets?
//!
//! A static library for C: the compiler refuses one that needs an allocator and has none. It is
//! built, never run.
#![no_std]

use core::panic::PanicInfo;

use raddle_packet::{
    Agent, AnyReplacement, AqlPacket, Encoder, FirstPolicy, HALF_WORDS, LaunchImage, NEAR,
    PacketView, Replacement,
};

// Sizes that the README of raddle-packet gives for firmware to reserve.
const _: () = {
    assert!(size_of::<Agent>() == 656 && size_of::<[LaunchImage; HALF_WORDS]>() == 1984);
    assert!(size_of::<Encoder<FirstPolicy>>() == 784);
    assert!(size_of::<Encoder<AnyReplacement>>() == 1440);
};

/// Agent (packet processor) of one queue, with room for the launches of one packet.
pub struct Queue {
    agent: Agent,
    launches: [LaunchImage; HALF_WORDS],
}

/// Decodes a packet. Returns the number of launches that it stands for, or -1 where it is
/// malformed.
pub extern "C" fn receive(queue: &mut Queue, packet: &AqlPacket) -> i32 {
    if PacketView::new(packet, queue.agent.format()).fault().is_some() {
        return -1;
    }
    let received = queue.agent.receive(packet, &mut queue.launches);
    received.map_or(-1, |received| received.launches().len() as i32)
}

/// Packs the launches that the queue holds into packets again. Returns the number of packets.
pub extern "C" fn resend(queue: &mut Queue) -> i32 {
    let policy = Replacement::Frequency.policy(NEAR);
    let mut encoder = Encoder::new(*queue.agent.format(), policy);
    let mut packets = 0;
    let mut send = |_: &AqlPacket| packets += 1;
    queue.launches.iter().for_each(|launch| encoder.launch(launch, &mut send));
    encoder.flush(&mut send);
    packets
}

#[panic_handler]
fn halt(_: &PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}
