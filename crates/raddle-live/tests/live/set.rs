//! Do other policies decide while programs run, and does a policy that fails keep nobody from running?

use std::time::{Duration, Instant};

use raddle_dispatch::{Recipe, Registry};
use raddle_live::{DaemonConfig, Inquiry, Link, LiveError, replay_with};
use raddle_policy::{SettingError, turn_fn};

use crate::daemon::{Served, until};
use crate::fake::Faults;
use crate::rig::{Rig, host};

/// Programs that are busy until they have launched so much.
const JOBS: u32 = 30_000;

/// Returns policies that fail: one names nobody, one names a program twice, one takes its time, and one
/// cannot be made.
fn registry() -> Registry {
    let nobody = || turn_fn(|_, _, _| None);
    let twice = || {
        turn_fn(|all, _, may_issue| {
            may_issue.extend(all.iter().take(1).flat_map(|it| [it.id, it.id]));
            None
        })
    };
    let slow = || {
        turn_fn(|all, _, may_issue| {
            let since = Instant::now();
            while since.elapsed() < Duration::from_millis(200) {}
            may_issue.extend(all.iter().map(|it| it.id));
            None
        })
    };
    Registry::bundled()
        .turn_named("nobody", move |_, _| Ok(Box::new(nobody())))
        .turn_named("twice", move |_, _| Ok(Box::new(twice())))
        .turn_named("slow", move |_, _| Ok(Box::new(slow())))
        .turn_named("wrong", |_, _| Err(SettingError::new("size", "there is no such size")))
}

fn recipe(turn: &str) -> Recipe {
    let text = format!("raddle = 1\n[turn]\n{turn}\n[preempt]\npolicy = 'reset'\n");
    registry().recipe("set", &text).unwrap()
}

/// Two programs run, while `meanwhile` is done. Nothing of theirs is lost, and the log replays.
fn beside(meanwhile: impl FnOnce(&Served)) -> Vec<String> {
    let options = DaemonConfig { registry: registry(), ..DaemonConfig::default() };
    let mut served = Served::new(options);
    let rigs = [Rig::new(1), Rig::new(2)];
    let links: Vec<Link> = rigs.iter().map(|rig| served.link(rig, None)).collect();
    until("both join", || served.status().programs.len() == 2);
    std::thread::scope(|scope| {
        for rig in &rigs {
            scope.spawn(|| host(&rig.client, rig.client.open().unwrap(), JOBS));
        }
        meanwhile(&served);
    });
    drop(links);
    for rig in rigs {
        let card = rig.stop();
        assert_eq!((card.faults, card.count), (Faults::default(), u64::from(JOBS)));
    }
    served.stop();
    let found = replay_with(&registry(), served.log.bytes().as_slice()).unwrap();
    // Each program joins and leaves; how often the turn passes between depends on the machine.
    assert!(found.is_whole && found.difference.is_none() && found.answers >= 4, "{found:?}");
    std::mem::take(&mut *served.said.lock().unwrap())
}

#[test]
fn recipes_are_swapped_while_programs_run() {
    let turns = [
        "policy = 'round-robin'\nslice-us = 300",
        "policy = 'highest-level'",
        "policy = 'vruntime'\nslice-us = 500",
        "policy = 'everyone'",
        "policy = 'weighted-slices'\nrule = 'mean'\nt0-us = 200",
    ];
    let said = beside(|served| {
        for turn in turns.iter().cycle().take(40) {
            let mut daemon = Inquiry::connect(&served.socket()).unwrap();
            assert_eq!(daemon.set(&recipe(turn)).unwrap(), 2);
            let status = daemon.status().unwrap();
            assert!(turn.contains(&status.policies.0), "{status:?}");
            std::thread::sleep(Duration::from_millis(3));
        }
    });
    assert_eq!(said, Vec::<String>::new());
}

/// The log of a daemon with policies from outside is read with them alone.
#[test]
fn a_policy_that_fails_gives_way_to_everyone() {
    for (turn, why) in [
        ("nobody", "law 2: processes are runnable and none may issue"),
        ("twice", "law 1: it names a process that is not runnable, or one twice"),
        ("slow", "a decision took it too long"),
    ] {
        let said = beside(|served| {
            let mut daemon = Inquiry::connect(&served.socket()).unwrap();
            daemon.set(&recipe(&format!("policy = '{turn}'"))).unwrap();
            let mut status = daemon.status().unwrap();
            until("it falls back", || {
                status = daemon.status().unwrap();
                status.fell_back.is_some()
            });
            assert_eq!(status.policies, ("everyone".to_owned(), "never".to_owned()));
            let told = status.fell_back.unwrap_or_default();
            assert_eq!(told, format!("{turn} and reset failed: {why}"));
            // A recipe that works takes its place.
            daemon.set(&recipe("policy = 'highest-level'")).unwrap();
            assert_eq!(daemon.status().unwrap().fell_back, None);
        });
        assert!(said.len() == 1 && said[0].contains("Everyone has the turn"), "{said:?}");
    }
}

#[test]
fn a_recipe_that_cannot_run_live_is_refused_and_changes_nothing() {
    let said = beside(|served| {
        let mut daemon = Inquiry::connect(&served.socket()).unwrap();
        let mut refused = |recipe: &Recipe, what: &str| {
            let told = daemon.set(recipe).unwrap_err();
            assert!(matches!(told, LiveError::Refused { .. }), "{told}");
            assert!(told.to_string().contains(what), "{told}");
        };
        let other =
            Registry::bundled().turn_named("unknown", |_, _| Ok(Box::new(turn_fn(|_, _, _| None))));
        let unknown = other.recipe("set", "raddle = 1\n[turn]\npolicy = 'unknown'").unwrap();
        refused(&unknown, "`unknown`");
        refused(&recipe("policy = 'wrong'"), "there is no such size");
        let cheapest = "raddle = 1\n[turn]\npolicy = 'highest-level'\n[preempt]\npolicy = 'cheapest'\nbound-us = 50";
        refused(&registry().recipe("set", cheapest).unwrap(), "costs");
        let matching = "raddle = 1\n[allocate]\npolicy = 'matching'";
        refused(&registry().recipe("set", matching).unwrap(), "its allocate policy `matching`");
        let status = daemon.status().unwrap();
        assert_eq!((status.policies.0.as_str(), status.fell_back), ("highest-level", None));
    });
    assert_eq!(said, Vec::<String>::new());
}
