//! Can firmware without an allocator decode and encode packets?
//!
//! A static library for C: the compiler refuses one that needs an allocator and has none. It is
//! built, never run.
#![no_std]

use core::panic::PanicInfo;

use raddle_packet::{AQL_BYTES, AQL_ENTRIES, Agent, Encoder, Launch, Rule, View};

/// What a queue of an agent has.
pub struct Queue {
    agent: Agent<AQL_BYTES, AQL_ENTRIES>,
    launches: [Launch<AQL_BYTES>; 31],
}

/// Decodes a packet; how many launches it stands for, or -1.
pub extern "C" fn receive(queue: &mut Queue, packet: &[u8; AQL_BYTES]) -> i32 {
    if View::new(packet, queue.agent.format()).fault().is_some() {
        return -1;
    }
    queue.agent.receive_into(packet, &mut queue.launches).map_or(-1, |count| count as i32)
}

/// Packs what was launched again; how many packets that takes.
pub extern "C" fn resend(queue: &mut Queue) -> i32 {
    let keep = Rule::Frequency.keeper::<AQL_ENTRIES>(raddle_packet::NEAR);
    let Ok(mut encoder) = Encoder::<AQL_BYTES, AQL_ENTRIES, _>::new(*queue.agent.format(), keep)
    else {
        return -1;
    };
    let mut packets = 0;
    let mut send = |_: &[u8; AQL_BYTES]| packets += 1;
    encoder.launches(&queue.launches, &mut send);
    encoder.flush(&mut send);
    packets
}

#[panic_handler]
fn halt(_: &PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}
