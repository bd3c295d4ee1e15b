//! Do packets have the bytes of those of `raddle-packet`, and stand for the launches that went in?

use std::ptr::null;

use proptest::prelude::*;
use raddle_capi::*;
use raddle_packet::{
    AqlConfig, AqlFormat, BarrierPacket, Encoder, KernelDispatch, PacketTypes, PartOrder,
    Replacement,
};

use crate::call::{Owned, last_error, told};

const EMPTY: RaddlePacket = RaddlePacket { bytes: [0; 64] };

fn dispatch(
    kernel: u64,
    arguments: u64,
    grid: u32,
    scopes: u8,
    private: u32,
) -> RaddleKernelDispatch {
    RaddleKernelDispatch {
        kernel_object: 0x1000 * kernel,
        kernarg_address: arguments,
        completion_signal: kernel ^ arguments,
        grid_size_x: grid,
        grid_size_y: 2,
        grid_size_z: 3,
        private_segment_size: private,
        group_segment_size: 5,
        setup: 6,
        workgroup_size_x: 7,
        workgroup_size_y: 8,
        workgroup_size_z: 9,
        synch_scopes: scopes,
    }
}

fn meant(it: &RaddleKernelDispatch) -> KernelDispatch {
    KernelDispatch {
        kernel_object: it.kernel_object,
        kernarg_address: it.kernarg_address,
        completion_signal: it.completion_signal,
        grid_size_x: it.grid_size_x,
        grid_size_y: it.grid_size_y,
        grid_size_z: it.grid_size_z,
        private_segment_size: it.private_segment_size,
        group_segment_size: it.group_segment_size,
        setup: it.setup,
        workgroup_size_x: it.workgroup_size_x,
        workgroup_size_y: it.workgroup_size_y,
        workgroup_size_z: it.workgroup_size_z,
        synch_scopes: it.synch_scopes,
    }
}

/// Gives a packet to an agent; returns the status, the kind of the packet and its launches.
fn received(
    agent: *mut RaddleAgent,
    packet: &RaddlePacket,
) -> (RaddleStatus, u32, Vec<RaddleKernelDispatch>) {
    let mut list = [RaddleKernelDispatch::default(); RADDLE_LAUNCHES_OF_PACKET];
    let (mut kind, mut count) = (9, 0);
    // SAFETY: values and places of ours.
    let status = unsafe {
        let (list, room) = (list.as_mut_ptr(), list.len());
        raddle_agent_receive(agent, packet, &raw mut kind, list, room, &raw mut count)
    };
    (status, kind, list[..count].to_vec())
}

proptest! {
    #[test]
    fn packets(
        replacement in 0..3_u32, bits in 0..8_u8, entries in 1..9_u16,
        launches in prop::collection::vec((0..12_u64, 0..4_u64, 0..4_u32, 0..3_u8, 0..2_u32), 1..80),
    ) {
        let [half_words_high_first, header_bits_high_first, narrow_private] = [0, 1, 2].map(|bit| bits >> bit & 1);
        let config = RaddleAqlConfig {
            dispatch: 2, reference: 7, condensed: 6, half_words_high_first, header_bits_high_first, narrow_private,
            barrier_and: 3, barrier_or: -1, entries,
        };
        let format = AqlFormat::new(&AqlConfig::default().with_types(PacketTypes { dispatch: 2, reference: 7, condensed: 6, barrier_and: Some(3), barrier_or: None }).with_half_words(if bits & 1 == 0 { PartOrder::LowFirst } else { PartOrder::HighFirst }).with_header_bits(if bits & 2 == 0 { PartOrder::LowFirst } else { PartOrder::HighFirst }).with_narrow_private(bits & 4 != 0).with_entries(entries)).unwrap();
        let policy = [Replacement::First, Replacement::MostRecent, Replacement::Frequency][replacement as usize];
        let mut model = Encoder::new(format, policy.policy(9));
        // SAFETY: values and places of ours.
        let encoder = Owned::new(|it| unsafe { raddle_encoder_new(&raw const config, replacement, 9, it) });
        // SAFETY: as above.
        let agent = Owned::new(|it| unsafe { raddle_agent_new(&raw const config, it) });
        let (mut expected, mut sent) = (Vec::new(), Vec::new());
        let mut list = [EMPTY; RADDLE_PACKETS_AT_ONCE];
        let barrier = RaddlePacket { bytes: BarrierPacket::default().emit(&format).unwrap() };
        for (at, &(kernel, arguments, grid, scopes, private)) in launches.iter().enumerate() {
            let launch = dispatch(kernel, arguments, grid, scopes, private);
            model.launch(&meant(&launch).launch(&format).unwrap(), &mut |packet| expected.push(*packet));
            let (to, room) = (list.as_mut_ptr(), list.len());
            // SAFETY: as above.
            let (status, count) = told(|count| unsafe {
                raddle_encoder_launch(encoder.0, &raw const launch, to, room, count)
            });
            prop_assert_eq!(status, RaddleStatus::Ok);
            sent.extend_from_slice(&list[..count]);
            if at % 20 == 19 {
                model.barrier(&barrier.bytes, &mut |packet| expected.push(*packet));
                let to = list.as_mut_ptr();
                // SAFETY: as above.
                let (_, count) = told(|count| unsafe {
                    raddle_encoder_barrier(encoder.0, &raw const barrier, to, room, count)
                });
                sent.extend_from_slice(&list[..count]);
            }
        }
        model.flush(&mut |packet| expected.push(*packet));
        // SAFETY: as above.
        let (_, count) = told(|count| unsafe { raddle_encoder_flush(encoder.0, list.as_mut_ptr(), 2, count) });
        sent.extend_from_slice(&list[..count]);
        prop_assert_eq!(sent.iter().map(|it| it.bytes).collect::<Vec<_>>(), expected);
        let mut back = Vec::new();
        for packet in &sent {
            let (status, kind, launches) = received(agent.0, packet);
            prop_assert_eq!((status, kind), (RaddleStatus::Ok, u32::from(packet.bytes[0] == 3)));
            back.extend(launches);
        }
        let launches = launches.iter().map(|&(kernel, arguments, grid, scopes, private)| {
            dispatch(kernel, arguments, grid, scopes, private)
        });
        prop_assert_eq!(back, launches.collect::<Vec<_>>());
    }

    #[test]
    fn any_bytes_are_received_or_refused(bytes in prop::collection::vec(any::<u8>(), 64), kind in 0..9_u8) {
        // SAFETY: a place of ours.
        let agent = Owned::new(|it| unsafe { raddle_agent_new(null(), it) });
        let mut packet = RaddlePacket { bytes: bytes.try_into().unwrap() };
        packet.bytes[0] = kind;
        let (status, ..) = received(agent.0, &packet);
        prop_assert!(matches!(status, RaddleStatus::Ok | RaddleStatus::Invalid));
    }
}

#[test]
fn too_little_room_changes_nothing() {
    // SAFETY: values and places of ours.
    unsafe {
        let encoder = Owned::new(|it| raddle_encoder_new(null(), 0, 9, it));
        let (launch, mut list) = (dispatch(1, 2, 3, 0, 0), [EMPTY; 2]);
        let call = |list: &mut [RaddlePacket], room| {
            let to = list.as_mut_ptr();
            told(|count| raddle_encoder_launch(encoder.0, &raw const launch, to, room, count))
        };
        assert_eq!(call(&mut list, 1), (RaddleStatus::Room, 0));
        assert_eq!(last_error(), "`packets` has room for 1, 2 are needed: give more");
        assert_eq!(call(&mut list, 2), (RaddleStatus::Ok, 1), "a reference packet, once");
        let wide = RaddleAqlConfig {
            dispatch: 2,
            reference: 7,
            condensed: 7,
            half_words_high_first: 0,
            header_bits_high_first: 0,
            narrow_private: 0,
            barrier_and: 3,
            barrier_or: 256,
            entries: 8,
        };
        let mut none = std::ptr::null_mut();
        assert_eq!(raddle_agent_new(&raw const wide, &raw mut none), RaddleStatus::Argument);
        let shared = RaddleAqlConfig { barrier_or: -1, ..wide };
        assert_eq!(raddle_agent_new(&raw const shared, &raw mut none), RaddleStatus::Invalid);
    }
}
