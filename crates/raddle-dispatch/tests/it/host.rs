//! Does the loop `run` drive a host, and does the dispatcher refuse a host that reports what is not
//! so?

use raddle_dispatch::{Dispatcher, Recipe, run};
use raddle_policy::CuId;
use raddle_testkit::{PlayedEnd, SMALL_CU, check_host};

const CUS: u16 = 3;

fn checked(recipe: &Recipe) {
    check_host(|host| {
        let mut dispatcher =
            recipe.builder(SMALL_CU, CUS).expect("a recipe").build().expect("it builds");
        let free = |of: &dyn Dispatcher| (0..CUS).map(|cu| of.free(CuId(cu))).collect::<Vec<_>>();
        let before = free(&dispatcher);
        let end = run(&mut dispatcher, host)?;
        let empty = free(&dispatcher) == before;
        Ok(PlayedEnd { owes: !end.owed().is_empty(), empty })
    });
}

const TURNS: [&str; 2] = ["policy = 'highest-level'", "policy = 'round-robin'\nslice-us = 1"];

#[test]
fn hosts_that_break_their_contract_are_refused_or_told() {
    for turn in TURNS {
        for allocate in ["leftover", "greedy", "matching"] {
            for preempt in ["never", "wait", "drain", "flag", "reset", "switch"] {
                let text = format!(
                    "raddle = 1\n[turn]\n{turn}\n[allocate]\npolicy = '{allocate}'\n\
                     [preempt]\npolicy = '{preempt}'\n"
                );
                checked(&Recipe::parse("host", &text).expect("a recipe"));
            }
        }
    }
}
