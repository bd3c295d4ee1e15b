//! Does the ring hand over what was published, once and in the order of the reservations?

use proptest::prelude::*;
use raddle_packet::{AqlPacket, ErrorKind, PacketRing};

/// Returns a packet of type 0 that holds its index.
fn packet(index: u64) -> AqlPacket {
    let mut packet = [0; 64];
    packet[8..16].copy_from_slice(&index.to_le_bytes());
    packet
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Reserve,
    Publish(u64),
    Take,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![Just(Step::Reserve), (0..6_u64).prop_map(Step::Publish), Just(Step::Take),]
}

proptest! {
    #[test]
    fn what_is_published_is_taken_once_and_in_order(
        slots in 0..4_u32, steps in prop::collection::vec(step(), 0..200),
    ) {
        let mut memory = vec![[0xff; 64]; 1 << slots];
        let mut ring = PacketRing::new(&mut memory).unwrap();
        // By index, whether it was published: for ever, nothing is reused.
        let mut published: Vec<bool> = Vec::new();
        let mut taken = 0;
        for step in steps {
            match step {
                Step::Reserve => {
                    let full = published.len() - taken == 1 << slots;
                    let wanted = (!full).then_some(published.len() as u64);
                    prop_assert_eq!(ring.reserve(), wanted);
                    published.extend(wanted.map(|_| false));
                }
                Step::Publish(behind) => {
                    // Also those that were taken, and those that nobody has reserved.
                    let index = (taken as u64 + behind).saturating_sub(2);
                    let told = ring.publish(index, &packet(index));
                    let reserved = index >= taken as u64;
                    match published.get_mut(index as usize).filter(|done| reserved && !**done) {
                        Some(done) => {
                            *done = true;
                            prop_assert_eq!(told, Ok(()));
                        }
                        None => {
                            let text = format!(
                                "packet {index} is not to be published: reserve it first, and publish it once"
                            );
                            let error = told.expect_err("it is not to be published");
                            prop_assert_eq!((error.kind(), error.to_string()), (ErrorKind::State, text));
                        }
                    }
                }
                Step::Take => {
                    let ready = published.get(taken) == Some(&true);
                    prop_assert_eq!(ring.take(), ready.then(|| packet(taken as u64)));
                    taken += usize::from(ready);
                }
            }
            prop_assert_eq!(ring.write_index(), published.len() as u64);
            prop_assert_eq!(ring.read_index(), taken as u64);
        }
    }
}

#[test]
fn the_mark_of_an_empty_slot_is_no_packet() {
    let mut memory = [[0; 64]; 2];
    let mut ring = PacketRing::new(&mut memory).unwrap();
    let index = ring.reserve().unwrap();
    let mut empty = packet(0);
    empty[0] = 1;
    assert_eq!(
        ring.publish(index, &empty).map_err(|error| error.to_string()),
        Err("packet type 1 marks an empty slot: publish another packet".to_owned())
    );
    assert_eq!(ring.publish(index, &packet(0)), Ok(()));
}

#[test]
fn a_ring_has_a_power_of_two_of_slots() {
    for slots in [0, 3, 6] {
        let mut memory = vec![[0; 64]; slots];
        let error = PacketRing::new(&mut memory).unwrap_err();
        assert_eq!(error.to_string(), format!("a ring of {slots} slots: give a power of two"));
    }
}
