//! Can firmware without an allocator decode and encode packets?
//!
//! A static library for C: the compiler refuses one that needs an allocator and has none. It is
//! built, never run.
#![no_std]

use core::panic::PanicInfo;

use raddle_packet::{
    AQL_BYTES, AQL_ENTRIES, Agent, Encoder, First, Format, Frequency, Launch, MostRecent, Rule,
    View,
};

/// An encoder by this rule.
type By<K> = Encoder<AQL_BYTES, AQL_ENTRIES, K>;

// What the README of the crate says that firmware has to reserve on such a machine.
#[cfg(target_pointer_width = "32")]
const _: () = {
    assert!(size_of::<Format<AQL_BYTES>>() == 1024);
    assert!(size_of::<Agent<AQL_BYTES, AQL_ENTRIES>>() == 1584 && size_of::<Queue>() == 3568);
    assert!(size_of::<By<First>>() == 1904 && size_of::<By<MostRecent<AQL_ENTRIES>>>() == 1984);
    assert!(size_of::<By<Frequency<AQL_ENTRIES>>>() == 2560);
};

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
