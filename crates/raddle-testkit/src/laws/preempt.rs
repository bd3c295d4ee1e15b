//! Does a preemption policy keep its law?

use proptest::collection::vec;
use proptest::prelude::*;
use raddle_policy::{
    LaunchId, Preempt, Preemption, ProcessId, ProcessState, Tick, VictimLaunch, VictimView,
};

use super::Breach;
use super::breach::upheld;
use super::strategy::{any_launch, any_process, any_shape};

/// A process that loses the turn, with its launches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revocation {
    /// The process.
    pub process: ProcessState,
    /// Its submitted launches, at least one.
    pub launches: Vec<VictimLaunch>,
    /// When it loses the turn.
    pub now: Tick,
}

/// One to six revocations, in the order of time.
pub fn victims() -> impl Strategy<Value = Vec<Revocation>> {
    vec(victim(), 1..=6).prop_map(|mut victims| {
        let mut now = Tick::ZERO;
        for victim in &mut victims {
            now = Tick(now.0 + 1 + victim.now.0);
            victim.now = now;
        }
        victims
    })
}

fn victim() -> impl Strategy<Value = Revocation> {
    let owner = (0u16..4).prop_map(ProcessId);
    let process = owner.prop_flat_map(any_process);
    let launches = any_shape()
        .prop_flat_map(|shape| vec((any_launch(shape, 1, false), 0u64..=100, 0u64..100), 1..=5));
    (process, launches, 0u64..10_000).prop_map(|(process, launches, now)| {
        let launches = (0..).zip(launches).map(|(id, (mut launch, percent, submitted))| {
            launch.id = LaunchId(id);
            launch.process = process.id;
            let unstarted = launch.workgroups * percent / 100;
            VictimLaunch {
                launch,
                unstarted,
                resident_waves: (launch.workgroups - unstarted) * u64::from(launch.demand.waves),
                submitted: Tick(submitted),
            }
        });
        Revocation { launches: launches.collect(), process, now: Tick(now) }
    })
}

/// Asks once a revocation and checks law 1 of [`Preempt`].
///
/// # Panics
/// Where it is broken, with its number.
#[track_caller]
pub fn check_preempt<P: Preempt + Clone>(make: impl Fn() -> P, victims: &[Revocation]) {
    upheld(examine_preempt(make, victims));
}

/// As [`check_preempt`], for callers that want the breach.
///
/// # Errors
/// Where law 1 is broken.
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
        let view = VictimView { process, launches };
        let mut twin = policy.clone();
        let (how, again) = (policy.preempt(&view, *now), twin.preempt(&view, *now));
        Breach::unless(how == again, "Preempt", 1, || {
            format!("at t={now} one clone answers {how:?}, another {again:?}")
        })?;
        answers.push(how);
    }
    Ok(answers)
}
