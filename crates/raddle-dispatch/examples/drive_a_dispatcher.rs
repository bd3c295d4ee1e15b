//! What does a host tell a dispatcher, and what is it asked to do?
//!
//! `cargo run -p raddle-dispatch --example drive_a_dispatcher`
//!
//! The host here is a list of events. A long launch fills both compute units; an urgent process comes; the recipe lets
//! the resident workgroups of the long launch finish before the urgent ones start.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use raddle_dispatch::{Action, Actions, Composed, Dispatcher, Event, Recipe};
use raddle_policy::{
    CuId, CuShape, Demand, Launch, LaunchId, Level, Piece, Preemption, ProcessId, Tick, WaveSpan,
};

const RECIPE: &str = "raddle = 1\n[turn]\npolicy = 'highest-level'\n[preempt]\npolicy = 'drain'\n";

/// Passes the events of one tick to the dispatcher, asks it for a decision, and prints both.
fn step(dispatcher: &mut Composed, now: u64, events: &[Event<'_>]) -> Result<(), Box<dyn Error>> {
    println!("tick {now}");
    for event in events {
        match event {
            Event::LaunchReady { launch } => {
                let Launch { id, process, workgroups, level, .. } = launch;
                println!(
                    "  told   {id} of {process} is ready: {workgroups} workgroups, level {}",
                    level.0
                );
            }
            event => println!("  told   {event:?}"),
        }
        dispatcher.event(event, Tick(now))?;
    }
    let mut actions = Actions::default();
    dispatcher.decide(Tick(now), &mut actions)?;
    for action in &actions.list {
        match action {
            Action::Start { launch, pieces, .. } => {
                let pieces: Vec<String> =
                    actions.pieces(pieces).iter().map(Piece::to_string).collect();
                println!("  asked  start of {launch}: {}", pieces.join(" "));
            }
            action => println!("  asked  {action:?}"),
        }
    }
    Ok(())
}

fn launch(id: u32, process: u16, level: u8, workgroups: u64) -> Launch {
    let demand = Demand { waves: 1, vgpr: 1, ..Demand::default() };
    Launch::new(LaunchId(id), ProcessId(process), workgroups, demand).with_level(Level(level))
}

fn main() -> Result<(), Box<dyn Error>> {
    let shape = CuShape {
        simds: 2,
        waves_per_simd: 2,
        vgpr_per_simd: 16,
        sgpr: 64,
        lds: 16,
        workgroups: 4,
        barriers: 4,
    };
    let mut dispatcher = Recipe::parse("example", RECIPE)?.builder(shape, 2)?.build()?;
    let joined = |process| Event::ProcessJoined { process: ProcessId(process), share: 1 };
    let long = launch(0, 0, 5, 12);
    step(&mut dispatcher, 0, &[joined(0), Event::LaunchReady { launch: long }])?;
    let urgent = launch(1, 1, 0, 2);
    step(&mut dispatcher, 50, &[joined(1), Event::LaunchReady { launch: urgent }])?;
    // The two units finish what they hold: four workgroups each.
    let pieces = [0, 1].map(|cu| Piece { first: u64::from(cu), stride: 2, count: 4, cu: CuId(cu) });
    let ended = Event::WavesEnded { launch: long.id, waves: WaveSpan::All, pieces: &pieces };
    let off = Event::TakenOff { launch: long.id, how: Preemption::Drain, done: 8 };
    step(&mut dispatcher, 100, &[ended, off])
}
