//! Does a launch path keep its two laws?

use proptest::collection::vec;
use proptest::prelude::*;
use raddle_policy::{Launch, LaunchId, LaunchPath, Submission};

use super::Breach;
use super::breach::upheld;
use super::strategy::{any_launch, any_shape};

/// One to 48 launches of two processes with up to three streams each, in the order of submission.
pub fn submissions() -> impl Strategy<Value = Vec<Launch>> {
    let launches = any_shape().prop_flat_map(|shape| vec(any_launch(shape, 2, false), 1..=48));
    launches.prop_map(|mut launches| {
        for (id, launch) in (0..).zip(&mut launches) {
            launch.id = LaunchId(id);
        }
        launches
    })
}

/// Submits launch after launch and checks laws 1 and 2 of [`LaunchPath`].
///
/// # Panics
/// Where one is broken, with its number.
#[track_caller]
pub fn check_launch_path<P: LaunchPath + Clone>(make: impl Fn() -> P, launches: &[Launch]) {
    upheld(examine_launch_path(make, launches));
}

/// As [`check_launch_path`], for callers that want the breach.
///
/// # Errors
/// The first law that is broken.
pub fn examine_launch_path<P: LaunchPath + Clone>(
    make: impl Fn() -> P,
    launches: &[Launch],
) -> Result<(), Breach> {
    let one = play(&mut make(), launches)?;
    let two = play(&mut make(), launches)?;
    Breach::unless(one == two, "LaunchPath", 2, || {
        format!("one run answers {one:?}, a second {two:?}")
    })
}

fn play<P: LaunchPath + Clone>(
    policy: &mut P,
    launches: &[Launch],
) -> Result<Vec<Submission>, Breach> {
    let mut answers: Vec<Submission> = Vec::new();
    for launch in launches {
        let mut twin = policy.clone();
        let (cost, again) = (policy.submit(launch), twin.submit(launch));
        Breach::unless(cost == again, "LaunchPath", 2, || {
            format!("one clone answers {cost:?}, another {again:?}")
        })?;
        Breach::unless(!answers.is_empty() || cost.packets > 0, "LaunchPath", 1, || {
            format!("{}, the first launch, takes no packet", launch.id)
        })?;
        answers.push(cost);
    }
    Ok(answers)
}
