//! Is every wrong call that can be known answered by an error, and changes nothing?

use std::ptr::{null, null_mut, without_provenance_mut};

use proptest::prelude::*;
use raddle_capi::*;

use super::call::{Owned, last_error, told};

fn map(blocks: u32) -> Owned<RaddleFreeMap> {
    // SAFETY: a place of ours.
    Owned::new(|map| unsafe { raddle_free_map_new(blocks, map) })
}

#[test]
fn null_pointers_are_named() {
    let map = map(8);
    // SAFETY: null is answered, and nothing is written.
    unsafe {
        assert_eq!(raddle_free_map_find(map.0, 0, 1, null_mut()), RaddleStatus::Null);
        assert_eq!(last_error(), "`start` is null: give it an address");
        assert_eq!(raddle_free_map_find(null(), 0, 1, &mut 0), RaddleStatus::Null);
        assert_eq!(last_error(), "the handle is null: make one first");
        let made = raddle_free_map_from_words(null(), 1, 64, &mut null_mut());
        assert_eq!(
            (made, &*last_error()),
            (RaddleStatus::Null, "`words` is null: give it an address")
        );
        let read = raddle_free_map_words(map.0, null_mut(), 1, &mut 0);
        assert_eq!(read, RaddleStatus::Null);
        // A list without elements needs no address.
        assert_eq!(raddle_free_map_words(map.0, null_mut(), 0, &mut 0), RaddleStatus::Room);
    }
}

#[test]
fn misaligned_pointers_and_impossible_lengths_are_refused() {
    let map = map(8);
    let mut buffer = [0_u64; 2];
    let odd = without_provenance_mut::<u32>(buffer.as_mut_ptr().addr() + 1);
    // SAFETY: what is misaligned or too long is not read.
    unsafe {
        assert_eq!(raddle_free_map_find(map.0, 0, 1, odd), RaddleStatus::Argument);
        assert!(last_error().starts_with("`start` is not aligned to 4 bytes"), "{}", last_error());
        for count in [usize::MAX, usize::MAX / 8, isize::MAX as usize / 8 + 1] {
            let made = raddle_free_map_from_words(buffer.as_ptr(), count, 64, &mut null_mut());
            assert_eq!(made, RaddleStatus::Argument, "{count}");
            assert!(last_error().contains("cannot have"), "{}", last_error());
        }
    }
}

#[test]
fn a_freed_handle_names_nothing_whatever_is_made_later() {
    let stale: Vec<*mut RaddleFreeMap> = (1..100).map(|blocks| map(blocks).0).collect();
    let kept: Vec<Owned<RaddleFreeMap>> = (1..100).map(map).collect();
    for old in stale {
        assert_eq!(raddle_free_map_grow(old, 1), RaddleStatus::Handle);
        assert_eq!(raddle_free(old.cast()), RaddleStatus::Handle);
    }
    for (blocks, map) in (1..100).zip(&kept) {
        // SAFETY: a place of ours.
        let (status, free) = told(|free| unsafe { raddle_free_map_count(map.0, free) });
        assert_eq!((status, free.blocks, free.free), (RaddleStatus::Ok, blocks, blocks));
    }
}

#[test]
fn one_handle_is_used_by_one_thread_at_a_time() {
    let map = map(64);
    let address = map.0.addr();
    let (mut done, mut busy) = (0, 0);
    std::thread::scope(|scope| {
        let grow = || {
            let handle = without_provenance_mut::<RaddleFreeMap>(address);
            let statuses = (0..20_000).map(|_| raddle_free_map_grow(handle, 1));
            let (done, busy): (Vec<_>, Vec<_>) = statuses.partition(|it| *it == RaddleStatus::Ok);
            assert!(busy.iter().all(|it| *it == RaddleStatus::Busy));
            (done.len() as u32, busy.len())
        };
        let threads = [scope.spawn(grow), scope.spawn(grow)];
        for thread in threads {
            let (more, refused) = thread.join().unwrap();
            (done, busy) = (done + more, busy + refused);
        }
    });
    // SAFETY: a place of ours.
    let (_, free) = told(|free| unsafe { raddle_free_map_count(map.0, free) });
    assert_eq!(free.blocks, 64 + done, "{busy} calls were refused");
}

#[test]
fn threads_make_use_and_free_handles_at_once() {
    let shared = map(64);
    let address = shared.0.addr();
    std::thread::scope(|scope| {
        for thread in 0..4_u32 {
            scope.spawn(move || {
                for round in 0..2_000 {
                    let blocks = 1 + thread * 7 + round % 5;
                    let own = map(blocks);
                    // Only one of all threads frees the shared handle.
                    if (thread, round) == (3, 1_000) {
                        let handle = without_provenance_mut(address);
                        while raddle_free(handle) == RaddleStatus::Busy {}
                    }
                    let status = raddle_free_map_grow(without_provenance_mut(address), 1);
                    let known = [RaddleStatus::Ok, RaddleStatus::Busy, RaddleStatus::Handle];
                    assert!(known.contains(&status), "{status:?}");
                    // SAFETY: a place of ours.
                    let (status, free) = told(|free| unsafe { raddle_free_map_count(own.0, free) });
                    assert_eq!((status, free.blocks), (RaddleStatus::Ok, blocks));
                }
            });
        }
    });
    assert_eq!(raddle_free_map_grow(shared.0, 1), RaddleStatus::Handle);
    std::mem::forget(shared);
}

#[test]
fn a_handle_of_another_kind_is_refused() {
    let map = map(8);
    // SAFETY: handles and a place of ours.
    unsafe {
        let status = raddle_search_longest(map.0.cast(), map.0, &mut 0);
        assert_eq!(status, RaddleStatus::Handle);
        let search = Owned::new(|search| raddle_search_full(search));
        // In this call itself, too.
        assert_eq!(raddle_search_longest(search.0, search.0.cast(), &mut 0), RaddleStatus::Busy);
        assert_eq!(raddle_search_longest(search.0, map.0, &mut 0), RaddleStatus::Ok);
    }
}

proptest! {
    /// Checks that an arbitrary number is refused as a handle, be it an address or the number of a
    /// handle that was never made.
    #[test]
    fn any_number_is_refused_as_a_handle(number in any::<usize>(), shift in 0_u32..64) {
        let number = number >> shift;
        for number in [number & !(1 << 63), number | 0b11 << 62] {
            let status = raddle_free_map_grow(without_provenance_mut(number), 0);
            let expected = if number == 0 { RaddleStatus::Null } else { RaddleStatus::Handle };
            prop_assert_eq!(status, expected, "{:#x}", number);
        }
    }
}

/// No daemon serves the socket of a test.
#[test]
fn hints_are_known_and_need_a_daemon() {
    assert_eq!(raddle_live_hint(7, 0), RaddleStatus::Argument);
    assert_eq!(raddle_live_hint(RaddleLiveHint::Level as u32, 256), RaddleStatus::Argument);
    assert_eq!(
        raddle_live_hint(RaddleLiveHint::Deadline as u32, 20_000_000),
        RaddleStatus::Invalid
    );
}
