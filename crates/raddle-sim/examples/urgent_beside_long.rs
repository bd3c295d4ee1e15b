//! How long does an urgent launch wait beside a long one, by each way of taking work off?
//!
//! `cargo run -p raddle-sim --example urgent_beside_long`
//!
//! Two compute units are full with a launch of 8 workgroups of 1,000 ticks. At tick 300 an urgent process asks
//! for both units for 100 ticks. The transcript names every action of the dispatcher.
#![allow(clippy::print_stdout, reason = "an example prints")]

use raddle_dispatch::slots::HighestLevel;
use raddle_policy::Preemption;
use raddle_preempt::policy::ByRule;
use raddle_sim::Script;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let long =
        Script::on("2x2").launch(0).level(5).workgroups(8).waves(4).lasts(1_000).idempotent();
    let script = long.at(300).launch(1).level(0).workgroups(4).waves(4).lasts(100);
    let ways = [Preemption::Drain, Preemption::Reset, Preemption::Switch];
    let mut dispatchers = vec![("never", script.builder().build()?)];
    for way in ways {
        let policy = ByRule::fixed(way);
        let builder =
            script.builder().turn("highest-level", HighestLevel).preempt(way.name(), policy);
        dispatchers.push((way.name(), builder.build()?));
    }
    for (name, mut dispatcher) in dispatchers {
        println!("{name}\n{}", script.run(&mut dispatcher)?);
    }
    Ok(())
}
