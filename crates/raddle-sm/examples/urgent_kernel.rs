//! How does an urgent kernel get onto SMs that are full, if nothing is ever stopped?
//!
//! `cargo run -p raddle-sm --example urgent_kernel`
//!
//! Two SMs of 8 warp slots are filled by a kernel of rank 9. Then a kernel of rank 1 comes, and warps of the first
//! kernel end one by one. Each line is a decision of the global controller, or the start of a warp on an SM.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::collections::VecDeque;

use raddle_sm::raddle_policy::{CuId, LaunchId};
use raddle_sm::{BlockWarpConfig, Controllers, Error, Kernel, Resources, Started};

/// Lets the global controller and those of the SMs go on until none has anything to do; the warps
/// that start are added to `running`.
fn settle(gpu: &mut Controllers, running: &mut VecDeque<Started>) -> Result<(), Error> {
    while let Some(decision) = gpu.decide() {
        println!(
            "  {} block(s) of {} from block {} on go to SM {} by the route {:?}",
            decision.count(),
            decision.kernel(),
            decision.first(),
            decision.sm().0,
            decision.route()
        );
    }
    for sm in [CuId(0), CuId(1)] {
        while let Some(started) = gpu.serve(sm)? {
            println!(
                "    SM {} starts {} warp(s) of {}, block {}, from warp {} on",
                sm.0,
                started.count(),
                started.kernel(),
                started.block(),
                started.first()
            );
            running.push_back(started);
        }
    }
    Ok(())
}

fn main() -> Result<(), Error> {
    let each = Resources { registers: 64, warps: 8, shared: 16 };
    let mut gpu = Controllers::new(2, each, BlockWarpConfig::default())?;
    let mut running = VecDeque::new();
    let low = Kernel {
        id: LaunchId(0),
        rank: 9,
        blocks: 6,
        warps: 4,
        registers: 4,
        shared: 2,
        barrier: false,
    };
    println!("{} of rank 9 comes with 6 blocks of 4 warps", low.id);
    gpu.arrive(&low)?;
    settle(&mut gpu, &mut running)?;
    let urgent = Kernel { id: LaunchId(1), rank: 1, blocks: 1, ..low };
    println!("{} of rank 1 comes with 1 block of 4 warps", urgent.id);
    gpu.arrive(&urgent)?;
    settle(&mut gpu, &mut running)?;
    let oldest = running.front().copied().filter(|started| started.kernel() == low.id);
    for (ended, oldest) in oldest.into_iter().flat_map(|it| (1..=it.count()).map(move |n| (n, it)))
    {
        println!(
            "warp {ended} of {} in block {} of {} ends",
            oldest.count(),
            oldest.block(),
            low.id
        );
        gpu.ended(oldest.handle())?;
        settle(&mut gpu, &mut running)?;
    }
    println!("nothing was stopped for {}", urgent.id);
    Ok(())
}
