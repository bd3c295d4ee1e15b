//! Does a launch path keep its three laws?

use std::format;
use std::vec::Vec;

use proptest::collection::vec;
use proptest::prelude::*;
use raddle_types::{Launch, LaunchId};

use super::Breach;
use super::strategy::{launch, shape};
use crate::{LaunchPath, Submission};

/// One to eight submissions of up to six launches of one stream; some are empty.
pub fn submissions() -> impl Strategy<Value = Vec<Vec<Launch>>> {
    let lists = shape().prop_flat_map(|shape| vec(vec(launch(shape, 1, false), 0..=6), 1..=8));
    lists.prop_map(|mut lists| {
        for (id, launch) in (0..).zip(lists.iter_mut().flatten()) {
            launch.id = LaunchId(id);
            launch.stream = raddle_types::StreamId(0);
        }
        lists
    })
}

/// Submits list after list and checks laws 1 to 3 of [`LaunchPath`].
///
/// # Panics
/// Where one is broken, with its number.
#[track_caller]
pub fn check_launch_path<P: LaunchPath + Clone>(make: impl Fn() -> P, lists: &[Vec<Launch>]) {
    if let Err(breach) = examine_launch_path(make, lists) {
        panic!("{breach}");
    }
}

/// As [`check_launch_path`], for callers that want the breach.
///
/// # Errors
/// The first law that is broken.
pub fn examine_launch_path<P: LaunchPath + Clone>(
    make: impl Fn() -> P,
    lists: &[Vec<Launch>],
) -> Result<(), Breach> {
    let one = play(&mut make(), lists)?;
    let two = play(&mut make(), lists)?;
    Breach::unless(one == two, "LaunchPath", 3, || {
        format!("one run answers {one:?}, a second {two:?}")
    })
}

fn play<P: LaunchPath + Clone>(
    policy: &mut P,
    lists: &[Vec<Launch>],
) -> Result<Vec<Submission>, Breach> {
    let mut answers: Vec<Submission> = Vec::new();
    let empty = Vec::new();
    for list in core::iter::once(&empty).chain(lists) {
        let mut twin = policy.clone();
        let (cost, again) = (policy.submit(list), twin.submit(list));
        let free = cost == Submission::default();
        Breach::unless(cost == again, "LaunchPath", 3, || {
            format!("one clone answers {cost:?}, another {again:?}")
        })?;
        Breach::unless(!list.is_empty() || free, "LaunchPath", 1, || {
            format!("no launches cost {cost:?}")
        })?;
        let sent = answers.iter().any(|before| before.packets > 0);
        Breach::unless(list.is_empty() || sent || cost.packets > 0, "LaunchPath", 2, || {
            format!("{} launches take no packet", list.len())
        })?;
        answers.push(cost);
    }
    Ok(answers)
}
