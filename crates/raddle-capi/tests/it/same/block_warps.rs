//! Do the controllers of seed 003 answer as those of `raddle-sm`?

use std::collections::BTreeMap;
use std::ptr::null;

use proptest::prelude::*;
use raddle_capi::*;
use raddle_policy::{CuId, LaunchId};
use raddle_sm::{BlockWarpConfig, Choose, Controllers, Handle, Kernel, Resources};

use crate::call::{Owned, last_error, told};

#[derive(Clone, Debug)]
enum Step {
    Arrive(RaddleKernel),
    Decide,
    Serve { sm: u16 },
    Ended { kernel: u32, block: u64 },
}

fn step() -> impl Strategy<Value = Step> {
    let kernel = (0..12_u32, 0..3_u64, 0..4_u64, 0..10_u64, 0..5_u64, 0..9_u64, 0..2_u32);
    prop_oneof![
        2 => kernel.prop_map(|(id, rank, blocks, warps, registers, shared, barrier)| {
            Step::Arrive(RaddleKernel { id, barrier, rank, blocks, warps, registers, shared })
        }),
        3 => Just(Step::Decide),
        4 => (0..4_u16).prop_map(|sm| Step::Serve { sm }),
        6 => (0..12_u32, 0..4_u64).prop_map(|(kernel, block)| Step::Ended { kernel, block }),
    ]
}

/// Carries out a step on the Rust controllers and returns their answer in words. `blocks` has the
/// handle of each block that runs.
fn expected(
    model: &mut Controllers,
    blocks: &mut BTreeMap<(u32, u64), Handle>,
    step: &Step,
) -> String {
    match *step {
        Step::Arrive(RaddleKernel { id, barrier, rank, blocks, warps, registers, shared }) => {
            let (id, barrier) = (LaunchId(id), barrier == 1);
            match model.arrive(&Kernel { id, rank, blocks, warps, registers, shared, barrier }) {
                Ok(None) => "entered".to_owned(),
                Ok(Some(it)) => {
                    format!("lacks {} {} {}", it.resource as u32, it.wanted, it.available)
                }
                Err(error) => error.to_string(),
            }
        }
        Step::Decide => model.decide().map_or("nothing".to_owned(), |it| {
            format!(
                "{} {} {} {} {} {}",
                it.route() as u32,
                it.kernel().0,
                it.sm().0,
                it.first(),
                it.count(),
                it.n1()
            )
        }),
        Step::Serve { sm } => match model.serve(CuId(sm)) {
            Ok(None) => "nothing".to_owned(),
            Ok(Some(it)) => {
                blocks.insert((it.kernel().0, it.block()), it.handle());
                format!(
                    "{} {} {} {} {}",
                    it.kernel().0,
                    it.block(),
                    it.first(),
                    it.count(),
                    u32::from(it.last())
                )
            }
            Err(error) => error.to_string(),
        },
        Step::Ended { kernel, block } => match blocks.get(&(kernel, block)) {
            None => {
                format!("no warp of block {block} of kernel {kernel} runs: report each end once")
            }
            Some(handle) => match model.ended(*handle) {
                Err(error) => error.to_string(),
                Ok(it) => {
                    if it.block_done() {
                        blocks.remove(&(kernel, block));
                    }
                    format!(
                        "{} {} {}",
                        it.sm().0,
                        u32::from(it.block_done()),
                        u32::from(it.kernel_done())
                    )
                }
            },
        },
    }
}

fn given(it: *mut RaddleBlockWarp, step: &Step) -> String {
    let words = |status, text: String| match status {
        RaddleStatus::Ok | RaddleStatus::Refused => text,
        RaddleStatus::Empty => "nothing".to_owned(),
        _ => last_error(),
    };
    // SAFETY: values and places of ours.
    unsafe {
        match *step {
            Step::Arrive(kernel) => {
                let (status, lack) =
                    told(|lack| raddle_block_warp_arrive(it, &raw const kernel, lack));
                let RaddleLack { resource, wanted, available } = lack;
                let text = match status {
                    RaddleStatus::Ok => "entered".to_owned(),
                    _ => format!("lacks {resource} {wanted} {available}"),
                };
                words(status, text)
            }
            Step::Decide => {
                let (status, made) = told(|made| raddle_block_warp_decide(it, made));
                let RaddleDistribution { route, kernel, sm, first, count, n1 } = made;
                words(status, format!("{route} {kernel} {sm} {first} {count} {n1}"))
            }
            Step::Serve { sm } => {
                let (status, made) = told(|made| raddle_block_warp_serve(it, sm, made));
                let RaddleStarted { kernel, last, block, first, count } = made;
                words(status, format!("{kernel} {block} {first} {count} {last}"))
            }
            Step::Ended { kernel, block } => {
                let (status, end) = told(|end| raddle_block_warp_ended(it, kernel, block, end));
                let RaddleWarpEnd { sm, block_done, kernel_done } = end;
                words(status, format!("{sm} {block_done} {kernel_done}"))
            }
        }
    }
}

proptest! {
    #[test]
    fn block_warps(flags in prop::option::of(0..32_u32), steps in prop::collection::vec(step(), 1..120)) {
        let flag = |at: u32| flags.unwrap_or_default() >> at & 1;
        let config = RaddleBlockWarpConfig {
            strict: flag(0),
            most_free: flag(1),
            fall_through: flag(2),
            backfill: flag(3),
            whole_blocks_for_barriers: flag(4),
        };
        let readings = flags.map_or(BlockWarpConfig::default(), |_| BlockWarpConfig { strict: flag(0) == 1, choose: if flag(1) == 1 { Choose::MostFree } else { Choose::Lowest }, fall_through: flag(2) == 1, backfill: flag(3) == 1, whole_blocks_for_barriers: flag(4) == 1 });
        let each = Resources { registers: 24, warps: 8, shared: 8 };
        let each_given = RaddleSmResources { registers: 24, warps: 8, shared: 8 };
        let mut model = Controllers::new(3, each, readings).unwrap();
        let config = if flags.is_some() { &raw const config } else { null() };
        // SAFETY: values and places of ours.
        let ours = Owned::new(|it| unsafe { raddle_block_warp_new(3, &raw const each_given, config, it) });
        let mut blocks = BTreeMap::new();
        for step in &steps {
            prop_assert_eq!(given(ours.0, step), expected(&mut model, &mut blocks, step), "{:?}", step);
        }
        for row in model.sms() {
            // SAFETY: a place of ours.
            let (_, left) = told(|left| unsafe { raddle_block_warp_remaining(ours.0, row.sm().0, left) });
            let Resources { registers, warps, shared } = row.remaining();
            prop_assert_eq!(left, RaddleSmResources { registers, warps, shared });
        }
    }
}
