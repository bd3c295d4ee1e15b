//! Do the numbered checks of the digest hold? (7, 8 and 9 are in `worked`; 9, 12 and 14 in `mixes`.)

use raddle_policy::{CuId, LaunchId};
use raddle_sm::{BlockWarpConfig, Controllers, Decision, Kernel, Route};

use crate::ours::{self, kernel, resources, reversed};
use crate::worked::TOTAL;

fn options() -> BlockWarpConfig {
    BlockWarpConfig::default()
}

/// Makes a kernel of 4 registers a warp.
fn small(id: u32, priority: u64, blocks: u64, warps: u64, shared: u64) -> Kernel {
    Kernel {
        id: LaunchId(id),
        rank: reversed(priority),
        blocks,
        warps,
        registers: 4,
        shared,
        barrier: false,
    }
}

fn decide(controllers: &mut Controllers) -> Option<Decision> {
    let decision = controllers.decide()?;
    while controllers.serve(decision.sm()).unwrap().is_some() {}
    Some(decision)
}

fn arrive(controllers: &mut Controllers, kernel: &Kernel) {
    assert_eq!(controllers.arrive(kernel).unwrap(), None);
}

#[test]
fn check_1_the_target_is_the_highest_with_undistributed_blocks() {
    let mut gpu = Controllers::new(2, resources(TOTAL), options()).unwrap();
    arrive(&mut gpu, &small(0, 1, 1, 1, 0));
    arrive(&mut gpu, &small(1, 7, 1, 1, 0));
    arrive(&mut gpu, &small(2, 7, 1, 1, 0));
    let order: Vec<_> = std::iter::from_fn(|| decide(&mut gpu)).map(|it| it.kernel().0).collect();
    // A kernel with none left is skipped although it is the highest; ties by arrival (C7).
    assert_eq!(order, [1, 2, 0]);
    assert_eq!(gpu.kernels().len(), 3, "they run still");
}

#[test]
fn check_2_whole_blocks_are_min_of_n1_and_undistributed() {
    for (blocks, count) in [(1, 1), (2, 2), (3, 2)] {
        let mut gpu = Controllers::new(1, resources(TOTAL), options()).unwrap();
        // By warps 2, by registers 64 / 16 = 4, by shared memory 8.
        arrive(&mut gpu, &small(0, 1, blocks, 4, 2));
        let decision = decide(&mut gpu).unwrap();
        assert_eq!((decision.route(), decision.n1(), decision.count()), (Route::Whole, 2, count));
    }
    for (warps, registers, shared, n1) in [(1, 33, 0, 1), (1, 32, 0, 2), (1, 4, 6, 2), (8, 0, 0, 1)]
    {
        let mut gpu = Controllers::new(1, resources(TOTAL), options()).unwrap();
        arrive(&mut gpu, &Kernel { registers, ..small(0, 1, 9, warps, shared) });
        assert_eq!(decide(&mut gpu).unwrap().n1(), n1, "{warps} {registers} {shared}");
    }
}

#[test]
fn check_3_whole_before_first_before_second() {
    let mut gpu = Controllers::new(3, resources(TOTAL), options()).unwrap();
    // SM 0 keeps 2 warps, SM 1 none, SM 2 all: each route has an SM.
    arrive(&mut gpu, &small(0, 1, 1, 6, 0));
    decide(&mut gpu).unwrap();
    arrive(&mut gpu, &small(1, 1, 1, 8, 0));
    decide(&mut gpu).unwrap();
    arrive(&mut gpu, &small(2, 2, 4, 8, 0));
    let routes: Vec<_> = std::iter::from_fn(|| decide(&mut gpu)).collect();
    let routes: Vec<_> = routes.iter().map(|it| (it.route(), it.sm().0)).collect();
    // C4: each SM takes one queued block of a level, then has it as its top.
    assert_eq!(routes, [(Route::Whole, 2), (Route::First, 0), (Route::Second, 1)]);
    assert_eq!(gpu.kernels()[2].undistributed(), 1);
}

#[test]
fn check_3_a_kernel_with_barriers_skips_the_first_sm() {
    for (whole, route, running) in [(true, Route::Second, 0), (false, Route::First, 2)] {
        let options = BlockWarpConfig { whole_blocks_for_barriers: whole, ..options() };
        let mut gpu = Controllers::new(1, resources(TOTAL), options).unwrap();
        arrive(&mut gpu, &small(0, 1, 1, 6, 0));
        decide(&mut gpu).unwrap();
        arrive(&mut gpu, &Kernel { barrier: true, ..small(1, 2, 1, 4, 0) });
        assert_eq!(decide(&mut gpu).unwrap().route(), route);
        assert_eq!(gpu.blocks(CuId(0))[1].running(), running);
    }
}

/// Returns whether an SM with these amounts (registers, warps, shared memory) left is a first SM
/// for a kernel: one that can start a warp of it. A block that is not less urgent holds the rest of
/// the SM, so that it is no second SM.
fn is_first(left: [u64; 3], kernel: &Kernel, strict: bool) -> bool {
    let options = BlockWarpConfig { strict, ..options() };
    let total = left.map(|amount| amount + 20);
    let mut gpu = Controllers::new(1, resources(total), options).unwrap();
    arrive(&mut gpu, &Kernel { registers: 1, ..small(9, 9, 1, 20, 20) });
    decide(&mut gpu).unwrap();
    assert_eq!(gpu.sms()[0].remaining(), resources(left));
    arrive(&mut gpu, kernel);
    decide(&mut gpu).is_some_and(|it| it.route() == Route::First)
}

#[test]
fn check_4_the_first_sm_test_strict_and_not() {
    let two = small(0, 1, 1, 2, 2);
    let three = small(0, 1, 1, 3, 2);
    for (what, left, kernel, strict) in [
        ("1 free warp, exactly 1 warp of registers", [4, 1, 16], two, false),
        ("2 free warps, 2 warps of registers", [8, 2, 16], three, true),
        ("all shared memory that is left", [12, 2, 2], three, false),
        ("none wanted, none left", [12, 2, 0], Kernel { shared: 0, ..three }, false),
        ("1 free warp, more of all else", [12, 1, 16], two, false),
        ("2 free warps, exactly 1 warp of registers", [4, 2, 16], three, false),
    ] {
        assert!(is_first(left, &kernel, false), "{what}, at least");
        assert_eq!(is_first(left, &kernel, true), strict, "{what}, strict");
    }
    for left in [[3, 2, 16], [12, 0, 16], [12, 2, 1]] {
        assert!(!is_first(left, &three, false), "less than one warp: {left:?}");
    }
}

#[test]
fn check_5_a_second_sm_is_strictly_lower() {
    for (priority, chosen) in [(0, false), (1, false), (2, true)] {
        let mut gpu = Controllers::new(1, resources(TOTAL), options()).unwrap();
        arrive(&mut gpu, &small(0, 1, 1, 8, 0));
        decide(&mut gpu).unwrap();
        arrive(&mut gpu, &small(1, priority, 1, 8, 0));
        let decision = decide(&mut gpu);
        assert_eq!(decision.map(|it| it.route()), chosen.then_some(Route::Second), "{priority}");
    }
}

#[test]
fn check_6_tables_after_each_distribution() {
    let mut gpu = Controllers::new(1, resources(TOTAL), options()).unwrap();
    for (id, priority, top) in [(0, 2, 2), (1, 1, 2), (2, 5, 5)] {
        arrive(&mut gpu, &small(id, priority, 1, 2, 1));
        let before = gpu.sms()[0].remaining();
        assert_eq!(gpu.kernels()[id as usize].undistributed(), 1);
        assert_eq!(decide(&mut gpu).unwrap().count(), 1);
        let after = gpu.sms()[0];
        assert_eq!(after.top().map(reversed), Some(top), "max(old, priority)");
        assert_eq!(gpu.kernels()[id as usize].undistributed(), 0);
        assert_eq!(before.warps - after.remaining().warps, 2);
        assert_eq!(before.registers - after.remaining().registers, 8);
        assert_eq!(before.shared - after.remaining().shared, 1);
    }
}

#[test]
fn check_10_the_top_falls_to_the_highest_that_is_left() {
    let mut gpu = Controllers::new(1, resources(TOTAL), options()).unwrap();
    let mut handles = Vec::new();
    for (id, priority) in [(0, 3), (1, 1), (2, 3), (3, 2)] {
        arrive(&mut gpu, &small(id, priority, 1, 1, 0));
        let decision = gpu.decide().unwrap();
        handles.push(gpu.serve(decision.sm()).unwrap().unwrap().handle());
    }
    for (at, top) in [(0, Some(3)), (2, Some(2)), (3, Some(1)), (1, None)] {
        assert!(gpu.ended(handles[at]).unwrap().block_done());
        assert_eq!(gpu.sms()[0].top().map(reversed), top);
    }
    assert!(gpu.kernels().is_empty());
    assert!(gpu.ended(handles[0]).is_err(), "a warp ends once");
}

#[test]
fn check_11_one_queued_block_a_level_and_sm() {
    let mut gpu = Controllers::new(2, resources(TOTAL), options()).unwrap();
    arrive(&mut gpu, &small(0, 1, 2, 8, 0));
    while decide(&mut gpu).is_some() {}
    arrive(&mut gpu, &small(1, 2, 10, 8, 0));
    while decide(&mut gpu).is_some() {}
    assert_eq!(gpu.kernels()[1].undistributed(), 8);
    for sm in [CuId(0), CuId(1)] {
        let queued = gpu.blocks(sm).iter().filter(|block| block.waiting() > 0).count();
        assert_eq!(queued, 1);
    }
}

/// Returns when three kernels F, L and H (priorities 1, 1 and 9) end that arrive at ticks 0, 0 and
/// 2 on one SM of 64 registers, 8 warps and 16 shared memory: check 12 in the digest of design
/// document 003 (our summary with checks).
fn ends(
    f: (u64, u64),
    l: (u64, bool),
    h: (u64, u64, bool),
    options: BlockWarpConfig,
) -> Vec<Option<u64>> {
    let (l_shared, l_barrier) = l;
    let (h_warps, h_shared, h_barrier) = h;
    let mut kernels = vec![
        kernel((0, 1), (1, f.0, f.1), (4, 0)),
        kernel((0, 1), (1, 8, 10), (4, l_shared)),
        kernel((2, 9), (1, h_warps, 10), (4, h_shared)),
    ];
    (kernels[1].barrier, kernels[2].barrier) = (l_barrier, h_barrier);
    let story = ours::play(1, TOTAL, options, &kernels).unwrap();
    assert_eq!(story.stuck.len(), story.ends.iter().filter(|end| end.is_none()).count());
    story.ends
}

#[test]
fn check_12_barriers_do_not_deadlock_whole_blocks() {
    let c11 = |options| ends((4, 5), (0, true), (8, 0, true), options);
    assert_eq!(c11(options()), [Some(5), Some(25), Some(15)]);
    let split = BlockWarpConfig { whole_blocks_for_barriers: false, ..options() };
    for backfill in [false, true] {
        assert_eq!(c11(BlockWarpConfig { backfill, ..split }), [Some(5), None, None], "a deadlock");
    }
}

#[test]
fn check_12_backfill_ends_the_wait_for_shared_memory() {
    let c10 = |barrier, options| ends((4, 5), (12, barrier), (2, 8, false), options);
    assert_eq!(c10(false, options()), [Some(5), Some(15), Some(25)]);
    let literal = BlockWarpConfig { backfill: false, ..options() };
    assert_eq!(c10(false, literal), [Some(5), None, None], "a deadlock");
    // With a barrier in L, started whole: H finds room at once.
    assert_eq!(c10(true, options()), [Some(5), Some(22), Some(12)]);
}

#[test]
fn check_14_all_tables_are_back_at_the_end() {
    // `ours::play` compares every table with its first value once all kernels have ended.
    let kernels = crate::worked::kernels();
    let story = ours::play(2, TOTAL, options(), &kernels).unwrap();
    assert_eq!((story.stuck.len(), story.ends.len()), (0, 3));
}
