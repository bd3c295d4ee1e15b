//! What does a call from C cost?
//!
//! Every call goes through the functions that C calls. A pair places one more workgroup on a compute unit that is three
//! quarters full, and gives it back; `probe_full` is refused by a full one.

#![allow(unsafe_code, reason = "the functions are those of C")]

use std::ptr::null_mut;

use divan::{Bencher, black_box};
use raddle_capi::*;
use raddle_policy::{CuId, CuShape, Demand, LaunchId};
use raddle_workgroup::{Allocator, SimdRule};

static SHAPE: RaddleCuShape = RaddleCuShape {
    simds: 4,
    waves_per_simd: 16,
    vgpr_per_simd: 64,
    sgpr: u16::MAX,
    lds: 384,
    workgroups: 32,
    barriers: 512,
};
static DEMAND: RaddleDemand = RaddleDemand { waves: 4, vgpr: 16, sgpr: 1, lds: 64, barriers: 1 };
const CUS: u16 = 80;

fn main() {
    divan::main();
}

fn allocator() -> *mut RaddleAllocator {
    let mut allocator = null_mut();
    // SAFETY: values and places of ours.
    let made = unsafe { raddle_allocator_new(&raw const SHAPE, CUS, &raw mut allocator) };
    assert_eq!(made, RaddleStatus::Ok);
    allocator
}

fn allocate(allocator: *mut RaddleAllocator, cu: u16, workgroup: u64) -> RaddleStatus {
    let mut places = [RaddlePlace::default(); 4];
    let (demand, places) = (&raw const DEMAND, places.as_mut_ptr());
    // SAFETY: values and places of ours.
    unsafe {
        raddle_allocator_allocate(allocator, cu, demand, -1, 7, workgroup, null_mut(), places, 4)
    }
}

/// Measures 240 allocations, which fill three quarters of a device. The releases between two
/// samples are not measured.
#[divan::bench(sample_count = 2_000, sample_size = 1)]
fn allocate_240(bencher: Bencher<'_, '_>) {
    let allocator = allocator();
    let full = std::cell::Cell::new(false);
    let empty = || {
        let all = if full.replace(true) { 240 } else { 0 };
        for workgroup in 0..all {
            let cu = (workgroup % 80) as u16;
            assert_eq!(raddle_allocator_release(allocator, cu, 7, workgroup), RaddleStatus::Ok);
        }
    };
    let counted = bencher.counter(divan::counter::ItemsCount::new(240_u32));
    counted.with_inputs(empty).bench_local_values(|()| {
        for workgroup in 0..240 {
            let status = allocate(black_box(allocator), (workgroup % 80) as u16, workgroup);
            assert_eq!(status, RaddleStatus::Ok);
        }
    });
    assert_eq!(raddle_free(allocator.cast()), RaddleStatus::Ok);
}

/// Measures the 240 allocations of `allocate_240` in `raddle-workgroup`, without calls from C, to
/// compare the two.
#[divan::bench(sample_count = 2_000, sample_size = 1)]
fn allocate_240_in_rust(bencher: Bencher<'_, '_>) {
    let RaddleCuShape { simds, waves_per_simd, vgpr_per_simd, sgpr, lds, workgroups, barriers } =
        SHAPE;
    let shape = CuShape { simds, waves_per_simd, vgpr_per_simd, sgpr, lds, workgroups, barriers };
    let RaddleDemand { waves, vgpr, sgpr, lds, barriers } = DEMAND;
    let demand = Demand { waves, vgpr, sgpr, lds, barriers };
    let allocator = std::cell::RefCell::new(Allocator::new(shape, CUS));
    let full = std::cell::Cell::new(false);
    let empty = || {
        let all = if full.replace(true) { 240 } else { 0 };
        for workgroup in 0..all {
            let cu = CuId((workgroup % 80) as u16);
            allocator.borrow_mut().release(cu, LaunchId(7), workgroup).expect("it lies there");
        }
    };
    let counted = bencher.counter(divan::counter::ItemsCount::new(240_u32));
    counted.with_inputs(empty).bench_local_values(|()| {
        let mut allocator = allocator.borrow_mut();
        for workgroup in 0..240 {
            let cu = CuId((workgroup % 80) as u16);
            let plan = allocator.probe(cu, black_box(&demand), SimdRule::MostRoom).expect("room");
            black_box(allocator.commit(plan, LaunchId(7), workgroup).expect("a fresh plan"));
        }
    });
}

#[divan::bench]
fn allocate_and_release(bencher: Bencher<'_, '_>) {
    let allocator = allocator();
    for workgroup in 0..3 {
        assert_eq!(allocate(allocator, 0, workgroup), RaddleStatus::Ok);
    }
    bencher.bench_local(|| {
        let status = allocate(black_box(allocator), 0, 3);
        assert_eq!((status, raddle_allocator_release(allocator, 0, 7, 3)), (status, status));
    });
    assert_eq!(raddle_free(allocator.cast()), RaddleStatus::Ok);
}

#[divan::bench]
fn probe_full(bencher: Bencher<'_, '_>) {
    let allocator = allocator();
    for workgroup in 0..4 {
        assert_eq!(allocate(allocator, 0, workgroup), RaddleStatus::Ok);
    }
    bencher.bench_local(|| {
        assert_eq!(allocate(black_box(allocator), 0, 4), RaddleStatus::Refused);
    });
    assert_eq!(raddle_free(allocator.cast()), RaddleStatus::Ok);
}

/// Measures a call that does nothing but look its handle up: a map grows by 0 blocks.
#[divan::bench]
fn grow_by_nothing(bencher: Bencher<'_, '_>) {
    let mut map = null_mut();
    // SAFETY: a place of ours.
    assert_eq!(unsafe { raddle_free_map_new(64, &raw mut map) }, RaddleStatus::Ok);
    bencher.bench_local(|| assert_eq!(raddle_free_map_grow(black_box(map), 0), RaddleStatus::Ok));
    assert_eq!(raddle_free(map.cast()), RaddleStatus::Ok);
}

#[divan::bench]
fn map_allocate_and_release(bencher: Bencher<'_, '_>) {
    let mut map = null_mut();
    // SAFETY: a place of ours.
    assert_eq!(unsafe { raddle_free_map_new(256, &raw mut map) }, RaddleStatus::Ok);
    bencher.bench_local(|| {
        let mut start = 0;
        // SAFETY: a place of ours.
        let status = unsafe { raddle_free_map_allocate(black_box(map), 0, 8, &raw mut start) };
        assert_eq!((status, raddle_free_map_release(map, start, 8)), (status, status));
    });
    assert_eq!(raddle_free(map.cast()), RaddleStatus::Ok);
}
