//! Which search leaves room for a large request after many small ones have come and gone?
//!
//! `cargo run -p raddle-bitmap --example fragment_a_file`
//!
//! A file of 64 registers is filled by runs of 3 to 9. Every second run is released, some requests of 4 take
//! what is free, and then somebody asks for 9 in one run.
#![allow(clippy::print_stdout, reason = "an example prints")]

use raddle_bitmap::{Error, FreeMap, Polarity, RunPlan};

/// A search of a map for this many free blocks in a row.
type Search = fn(&FreeMap, u32) -> Option<RunPlan>;

const SEARCHES: [(&str, Search); 3] = [
    ("first fit", FreeMap::first_fit),
    ("best fit", FreeMap::best_fit),
    ("worst fit", FreeMap::worst_fit),
];

/// Takes and gives back blocks of a map by one search, and returns the map; shown as text, 1 is a
/// free block.
fn map_after(search: Search) -> Result<FreeMap, Error> {
    let mut map = FreeMap::new(64)?;
    let mut held = Vec::new();
    for length in [9, 3, 4, 5, 9, 3, 4, 7, 9, 3, 4, 4] {
        if let Some(plan) = search(&map, length) {
            held.push((map.commit(plan)?, length));
        }
    }
    for &(start, length) in held.iter().step_by(2) {
        map.release(start, length)?;
    }
    for _ in 0..4 {
        if let Some(plan) = search(&map, 4) {
            map.commit(plan)?;
        }
    }
    Ok(map)
}

fn main() -> Result<(), Error> {
    for (name, search) in SEARCHES {
        let map = map_after(search)?;
        println!("{name:<9}  {}  (1 = free)", map.digits(Polarity::FreeIsOne));
        match map.try_fit(9) {
            Ok(plan) => println!("           9 fit at {}", plan.start()),
            Err(refusal) => println!("           9 do not fit: {refusal}"),
        }
    }
    Ok(())
}
