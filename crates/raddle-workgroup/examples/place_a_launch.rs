//! Onto which compute units do the policies of the allocate slot put one launch?
//!
//! `cargo run -p raddle-workgroup --example place_a_launch`, or with another number of workgroups:
//! `cargo run -p raddle-workgroup --example place_a_launch 14`
//!
//! Of four compute units the first is nearly full and the second half full. Each row shows how many workgroups of
//! the launch each unit gets.
#![allow(clippy::print_stdout, reason = "an example prints")]

use raddle_dispatch::{Book, BookError};
use raddle_workgroup::raddle_policy::{
    Allocate, CuId, CuShape, Demand, Launch, LaunchId, Piece, ProcessId, ReadyLaunch, ReadyView,
    Round, Tick, WaveSpan,
};
use raddle_workgroup::{BaselineConfig, Greedy, Leftover, RoundRobin};

const CUS: u16 = 4;

/// Makes an account of two compute units on which another launch holds 7 of the 8 places of unit 0,
/// and 4 of unit 1.
fn book_with_others(demand: Demand) -> Result<Book, BookError> {
    let shape = CuShape {
        simds: 4,
        waves_per_simd: 8,
        vgpr_per_simd: 64,
        sgpr: 800,
        lds: 128,
        workgroups: 8,
        barriers: 8,
    };
    let mut book = Book::new(shape, CUS);
    let other = Launch::new(LaunchId(9), ProcessId(0), 11, demand);
    let pieces = [
        Piece { first: 0, stride: 1, count: 7, cu: CuId(0) },
        Piece { first: 7, stride: 1, count: 4, cu: CuId(1) },
    ];
    book.start(&other, WaveSpan::All, &pieces, &[])?;
    Ok(book)
}

fn main() -> Result<(), BookError> {
    let workgroups = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(6);
    let demand = Demand { waves: 4, vgpr: 4, sgpr: 4, lds: 8, barriers: 1 };
    let launch = Launch::new(LaunchId(0), ProcessId(0), workgroups, demand);
    let policies: [(&str, Box<dyn Allocate>); 3] = [
        ("round-robin", Box::new(RoundRobin::new(BaselineConfig::default()))),
        ("greedy", Box::new(Greedy::new(BaselineConfig::default()))),
        ("leftover", Box::new(Leftover::default())),
    ];
    println!("{workgroups} workgroups; free places: 1, 4, 8, 8");
    for (name, mut policy) in policies {
        let book = book_with_others(demand)?;
        let ready = [ReadyLaunch::new(launch, Tick::ZERO)];
        let view = ReadyView::new(&ready, book.cus());
        let mut round = Round::default();
        policy.allocate_round(&view, Tick::ZERO, &mut round);
        let on = |cu| -> u32 {
            round.pieces.iter().filter(|piece| piece.cu.0 == cu).map(|piece| piece.count).sum()
        };
        println!("  {name:<12} {:?}", (0..CUS).map(on).collect::<Vec<_>>());
    }
    Ok(())
}
