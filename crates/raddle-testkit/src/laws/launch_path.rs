//! Does a launch path policy keep the laws (numbered rules) of its trait?

use raddle_policy::{Launch, LaunchPath, Submission, Tick};

use super::Breach;
use super::breach::upheld;
use super::refills::refill;
use super::render::aligned;

/// Submits the launches one after the other to a policy that `make` makes, and checks laws 1 to 3
/// of [`LaunchPath`].
///
/// # Panics
/// Where a law is broken, with its number.
#[track_caller]
pub fn check_launch_path<P: LaunchPath + Clone>(make: impl Fn() -> P, launches: &[Launch]) {
    upheld(examine_launch_path(make, launches));
}

/// Submits the launches one after the other to a policy that `make` makes, and returns the first of
/// laws 1 to 3 of [`LaunchPath`] that is broken as an error instead of a panic.
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
        if !policy.minds_refills() {
            let (mut lived, mut not) = (policy.clone(), policy.clone());
            refill(launch.process, |fact| lived.observe(fact, Tick::ZERO));
            let (cost, again) = (lived.submit(launch), not.submit(launch));
            Breach::unless(cost == again, "LaunchPath", 3, || {
                format!("{}: {cost:?} after a refill, {again:?} without it", launch.id)
            })?;
        }
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

/// Returns the packets and bytes that the launches take, submitted one after the other, and their
/// costs in ticks, as a table for a snapshot.
///
/// # Errors
/// Where the path breaks one of laws 1 to 3.
pub fn render_launch_path<P: LaunchPath + Clone>(
    path: &mut P,
    launches: &[Launch],
) -> Result<String, Breach> {
    let answers = play(path, launches)?;
    let heading = ["launch", "packets", "bytes", "cost", "cleanup"].map(String::from);
    let rows = launches.iter().zip(answers).map(|(launch, via)| {
        let Submission { packets, bytes, cost, cleanup } = via;
        [
            launch.id.to_string(),
            packets.to_string(),
            bytes.to_string(),
            cost.to_string(),
            cleanup.to_string(),
        ]
    });
    Ok(aligned(std::iter::once(heading).chain(rows)))
}
