//! Does the test kit find what breaks a law, and do the policies of this crate keep them?

mod broken_allocate;
mod broken_cut;
mod broken_others;
mod broken_refills;
mod layers;
mod pieces;
mod preemption;
mod ranked;
mod rendered;

use std::collections::BTreeSet;
use std::fmt::Debug;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use raddle_testkit::Breach;

/// Returns the numbers of the laws that `examine` finds broken for any of 150 values of the
/// strategy.
fn laws<V: Debug>(
    strategy: impl Strategy<Value = V>,
    examine: impl Fn(&V) -> Result<(), Breach>,
) -> Vec<u8> {
    let mut runner = TestRunner::deterministic();
    let tries = (0..150).map(|_| strategy.new_tree(&mut runner).expect("no filters").current());
    let found: BTreeSet<u8> =
        tries.filter_map(|value| examine(&value).err().map(|breach| breach.law)).collect();
    found.into_iter().collect()
}
