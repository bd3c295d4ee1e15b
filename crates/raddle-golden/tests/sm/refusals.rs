//! Is what can never fit refused on arrival (check 13), and what is malformed an error?

use raddle_golden::ModelError;
use raddle_golden::sm::run::run;
use raddle_policy::{CuId, LaunchId, Resource, Tick};
use raddle_sm::{BlockWarpConfig, Controllers, Kernel, Resources};

use crate::ours::{self, kernel, resources};
use crate::worked::TOTAL;

fn gpu() -> Controllers {
    Controllers::new(2, resources(TOTAL), BlockWarpConfig::default()).unwrap()
}

fn one(warps: u64, registers: u64, shared: u64) -> Kernel {
    let (id, barrier) = (LaunchId(3), false);
    Kernel { id, rank: 1, blocks: 1, warps, registers, shared, barrier }
}

#[test]
fn check_13_the_first_resource_that_lacks_is_named_with_the_excess() {
    for (kernel, resource, wanted, available, missing) in [
        (one(9, 99, 99), Resource::Waves, 9, 8, 1),
        (one(8, 9, 99), Resource::Vgpr, 72, 64, 8),
        (one(1, 0, 20), Resource::Lds, 20, 16, 4),
        (one(u64::MAX, u64::MAX, 0), Resource::Waves, u64::MAX, 8, u64::MAX - 8),
    ] {
        let mut gpu = gpu();
        let refusal = gpu.arrive(&kernel).unwrap().expect("refused");
        assert_eq!((refusal.launch, refusal.cu), (LaunchId(3), None));
        assert_eq!(
            (refusal.resource, refusal.wanted, refusal.available),
            (resource, wanted, available)
        );
        assert_eq!(refusal.missing(), missing);
        assert!(gpu.kernels().is_empty() && gpu.decide().is_none());
    }
    for exact in [one(8, 8, 16), one(8, 0, 0)] {
        assert_eq!(gpu().arrive(&exact).unwrap(), None, "exactly an SM");
    }
}

/// Checks that kernels go on beside three that can never fit, as if those were not there.
#[test]
fn check_13_the_others_continue() {
    let impossible = kernel((0, 9), (3, 1, 5), (4, 20));
    let other = kernel((1, 1), (4, 4, 5), (4, 2));
    let story =
        ours::play(2, TOTAL, BlockWarpConfig::default(), &[impossible, other.clone()]).unwrap();
    assert_eq!(story.refused, ["k0 shared 20 of 16"]);
    assert_eq!((story.ends, story.stuck), (vec![None, Some(6)], vec![]));
    let alone = ours::play(2, TOTAL, BlockWarpConfig::default(), &[other]).unwrap();
    assert_eq!(alone.ends, [Some(6)]);
}

#[test]
fn what_is_malformed_is_an_error_and_changes_nothing() {
    let error = Controllers::new(0, resources(TOTAL), BlockWarpConfig::default()).unwrap_err();
    assert_eq!(error.to_string(), "a device without SMs can run nothing: give at least 1");
    let mut gpu = gpu();
    let id = LaunchId(3);
    let kernel = one(1, 1, 1);
    assert_eq!(
        gpu.arrive(&Kernel { blocks: 0, ..kernel }).map_err(|error| error.to_string()),
        Err(format!("{id} has no block: give at least 1"))
    );
    assert_eq!(
        gpu.arrive(&Kernel { warps: 0, ..kernel }).map_err(|error| error.to_string()),
        Err(format!("the blocks of {id} have no warp: give at least 1"))
    );
    let beyond = Kernel { warps: 8, registers: u64::MAX, ..kernel };
    assert_eq!(
        gpu.arrive(&beyond).map_err(|error| error.to_string()),
        Err(format!("a block of {id} needs more registers than 64 bits count: give fewer"))
    );
    assert_eq!(
        gpu.serve(CuId(2)).map_err(|error| error.to_string()),
        Err("cu2 is not there: name one of the device".to_owned())
    );
    assert_eq!(gpu.arrive(&kernel), Ok(None));
    assert_eq!(
        gpu.arrive(&kernel).map_err(|error| error.to_string()),
        Err(format!("{id} has not finished: give each kernel an id of its own"))
    );
    assert_eq!(gpu.kernels().len(), 1);
}

#[test]
fn a_warp_ends_within_time() {
    let play = |ticks: Vec<u64>, arrive| {
        let mut it = kernel((arrive, 1), (1, 2, 1), (1, 0));
        it.ticks = ticks;
        let jobs = ours::jobs(&[it]);
        run(1, resources(TOTAL), BlockWarpConfig::default(), &jobs, &mut |_, _, _| {})
            .map(|it| it.ends)
    };
    let kernel = LaunchId(0);
    assert_eq!(play(vec![1, 2], u64::MAX - 1), Err(ModelError::WarpTime { kernel }));
    assert_eq!(play(vec![3], 0), Ok(vec![Some(Tick(3))]), "a warp without takes 1");
    assert!(play(vec![1, 1], u64::MAX - 1).is_ok());
}

#[test]
fn the_largest_numbers_there_are_go_in_and_come_out() {
    let each = Resources { registers: u64::MAX, warps: u64::MAX, shared: u64::MAX };
    let mut gpu = Controllers::new(1, each, BlockWarpConfig::default()).unwrap();
    let huge = Kernel { blocks: 1, rank: u64::MAX, ..one(u64::MAX, 1, u64::MAX) };
    assert_eq!(gpu.arrive(&huge), Ok(None));
    assert_eq!(gpu.arrive(&Kernel { id: LaunchId(0), rank: u64::MAX, ..huge }), Ok(None));
    assert_eq!(gpu.decide().map(|it| it.n1()), Some(1));
    assert_eq!(gpu.serve(CuId(0)).unwrap().map(|it| it.count()), Some(u64::MAX));
    assert_eq!(gpu.decide(), None, "an equal rank does not queue");
    assert_eq!(gpu.sms()[0].remaining().shared, 0);
}
