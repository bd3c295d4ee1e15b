//! Does a preempt policy keep the laws (numbered rules) of its trait?

use raddle_policy::{Preempt, Preemption, ProcessState, Tick, VictimLaunch, VictimView};

use super::Breach;
use super::breach::upheld;
use super::refills::refill;
use super::render::aligned;
use crate::builders::{launch, process};

/// Loss of a process's right to run: the process still has submitted launches, and a preempt policy
/// is asked how to take them off the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revocation {
    /// State, at the tick `now`, of the process that loses the right to run.
    pub process: ProcessState,
    /// Submitted launches of the process that loses the right to run, at least one.
    pub launches: Vec<VictimLaunch>,
    /// Tick at which the process loses the right to run.
    pub now: Tick,
}

impl Revocation {
    /// Returns three examples, made by hand for snapshots. A process loses the right to run: first
    /// with a launch that has not started, then with one that is nearly done and may be killed,
    /// then with both launches.
    #[must_use]
    pub fn examples() -> Vec<Self> {
        let waiting = launch(0).level(5).workgroups(6).victim();
        let ending = launch(1).level(5).workgroups(8).idempotent().victim();
        let ending = ending.with_unstarted(0).with_resident_waves(2);
        let of = |at, launches: &[VictimLaunch]| Self {
            process: process(0),
            launches: launches.to_vec(),
            now: Tick(at),
        };
        vec![of(1000, &[waiting]), of(2000, &[ending]), of(3000, &[waiting, ending])]
    }
}

/// Checks that a policy that `make` makes keeps laws 1 and 2 of [`Preempt`]. For each loss of the
/// right to run, it asks the policy how to take the launches off the device.
///
/// # Panics
/// Where the law is broken, with its number.
#[track_caller]
pub fn check_preempt<P: Preempt + Clone>(make: impl Fn() -> P, victims: &[Revocation]) {
    upheld(examine_preempt(make, victims));
}

/// Checks laws 1 and 2 of [`Preempt`] as [`check_preempt`] does, but returns the broken law instead
/// of panicking.
///
/// # Errors
/// The first law that is broken.
pub fn examine_preempt<P: Preempt + Clone>(
    make: impl Fn() -> P,
    victims: &[Revocation],
) -> Result<(), Breach> {
    let one = play(&mut make(), victims)?;
    let two = play(&mut make(), victims)?;
    Breach::unless(one == two, "Preempt", 1, || {
        format!("one run answers {one:?}, a second {two:?}")
    })
}

fn play<P: Preempt + Clone>(
    policy: &mut P,
    victims: &[Revocation],
) -> Result<Vec<Option<Preemption>>, Breach> {
    let mut answers = Vec::new();
    for Revocation { process, launches, now } in victims {
        let view = VictimView::new(process, launches, &[]);
        if !policy.minds_refills() {
            let (mut lived, mut not) = (policy.clone(), policy.clone());
            refill(process.id, |fact| lived.observe(fact, *now));
            let (how, again) = (lived.preempt(&view, *now), not.preempt(&view, *now));
            Breach::unless(how == again, "Preempt", 2, || {
                format!("at t={now} {how:?} after a refill, {again:?} without it")
            })?;
        }
        let mut twin = policy.clone();
        let (how, again) = (policy.preempt(&view, *now), twin.preempt(&view, *now));
        Breach::unless(how == again, "Preempt", 1, || {
            format!("at t={now} one clone answers {how:?}, another {again:?}")
        })?;
        answers.push(how);
    }
    Ok(answers)
}

/// Returns the policy's answer to each loss of the right to run, as a table for a snapshot: the
/// method by which the work leaves the device, and for each launch the number of workgroups that
/// have not started and of waves on the device.
///
/// # Errors
/// Where the policy breaks law 1 or 2.
pub fn render_preempt<P: Preempt + Clone>(
    policy: &mut P,
    victims: &[Revocation],
) -> Result<String, Breach> {
    let answers = play(policy, victims)?;
    let heading = ["t", "victim", "answer", "unstarted + resident waves"].map(String::from);
    let rows = victims.iter().zip(answers).map(|(victim, answer)| {
        let launches = victim
            .launches
            .iter()
            .map(|it| format!("{} {}+{}", it.launch().id, it.unstarted(), it.resident_waves()));
        let launches: Vec<String> = launches.collect();
        let answer = answer.map_or("never", Preemption::name);
        [
            victim.now.to_string(),
            victim.process.id.to_string(),
            answer.to_owned(),
            launches.join(", "),
        ]
    });
    Ok(aligned(std::iter::once(heading).chain(rows)))
}
