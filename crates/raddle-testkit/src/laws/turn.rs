//! Does a turn policy keep the laws (numbered rules) of its trait?

use raddle_policy::{Fact, Level, ProcessId, ProcessState, Tick, Ticks, Turn};

use super::Breach;
use super::breach::upheld;
use super::refills::refill;
use super::render::aligned;

/// Largest number of times that the turn policy is asked within one step. Without a limit, a policy
/// that always names a further tick would be asked for ever.
const QUESTIONS: u32 = 16;

/// Scenario for a turn policy: the processes, and which of them are runnable when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnScenario {
    /// Share of each process, a whole number: its claim to run time relative to the other
    /// processes. The index is the id of the process.
    pub shares: Vec<u32>,
    /// Steps of the scenario, one after the other.
    pub steps: Vec<TurnStep>,
}

/// Step of a scenario for a turn policy: a span of time in which the set of runnable processes does
/// not change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnStep {
    /// Bit `i` is 1 if process `i` is runnable.
    pub runnable: u32,
    /// Level of urgency of each process; 0 where the list is too short.
    pub levels: Vec<u8>,
    /// Length of the step, in ticks.
    pub lasts: Ticks,
}

impl TurnScenario {
    /// Returns a scenario made by hand for snapshots, with three processes of shares 1, 2 and 1,
    /// the last one urgent. The first is runnable alone, then with the second, then all three are,
    /// and at last the first two again.
    #[must_use]
    pub fn example() -> Self {
        let step =
            |runnable, lasts| TurnStep { runnable, levels: vec![5, 5, 0], lasts: Ticks(lasts) };
        let steps =
            vec![step(0b001, 1000), step(0b011, 4000), step(0b111, 4000), step(0b011, 2000)];
        Self { shares: vec![1, 2, 1], steps }
    }
}

/// Plays a scenario with a policy that `make` makes, and checks laws 1 to 4 and 7 of [`Turn`].
///
/// # Panics
/// Where a law is broken, with its number.
#[track_caller]
pub fn check_turn<P: Turn + Clone>(make: impl Fn() -> P, scenario: &TurnScenario) {
    upheld(examine_turn(make, scenario));
}

/// Plays a scenario with a policy that `make` makes, and returns the first of laws 1 to 4 and 7 of
/// [`Turn`] that is broken as an error instead of a panic.
///
/// # Errors
/// The first law that is broken.
pub fn examine_turn<P: Turn + Clone>(
    make: impl Fn() -> P,
    scenario: &TurnScenario,
) -> Result<(), Breach> {
    let one = play(&mut make(), scenario)?;
    let two = play(&mut make(), scenario)?;
    Breach::unless(one == two, "Turn", 4, || {
        let differs = one.iter().zip(&two).find(|(one, two)| one != two);
        format!("a second run answers otherwise: {differs:?}")
    })
}

/// Returns the answers of a turn policy in a scenario as a table for a snapshot. Each line has the
/// tick at which the policy is asked, the tick until which its answer holds, and the processes that
/// may issue work.
///
/// # Errors
/// Where the policy breaks one of laws 1 to 4 and 7 of [`Turn`].
pub fn render_turn<P: Turn + Clone>(
    policy: &mut P,
    scenario: &TurnScenario,
) -> Result<String, Breach> {
    let heading = ["t", "until", "may issue"].map(String::from);
    let rows = play(policy, scenario)?.into_iter().map(|(now, named, until)| {
        let named: Vec<String> = named.iter().map(ToString::to_string).collect();
        let until = until.map_or_else(|| "-".to_owned(), |until| until.to_string());
        let named = if named.is_empty() { "-".to_owned() } else { named.join(" ") };
        [now.to_string(), until, named]
    });
    Ok(aligned(std::iter::once(heading).chain(rows)))
}

/// Returns the bit numbers below `count` (and below 32) whose bits are 1 in `mask`.
fn members(mask: u32, count: usize) -> Vec<usize> {
    (0..count.min(32)).filter(|&i| mask >> i & 1 == 1).collect()
}

/// Answer of a turn policy: (tick at which it was asked, processes that may issue, tick until which
/// they may; `None` where the policy names none).
type Given = (Tick, Vec<ProcessId>, Option<Tick>);

fn play<P: Turn + Clone>(policy: &mut P, scenario: &TurnScenario) -> Result<Vec<Given>, Breach> {
    let mut now = Tick::ZERO;
    let mut states: Vec<ProcessState> = Vec::new();
    for (id, &share) in (0..).map(ProcessId).zip(&scenario.shares) {
        policy.observe(&Fact::ProcessJoined { process: id, share }, now);
        let mut state = ProcessState::new(id, Level(0), Tick::ZERO);
        (state.share, state.joined) = (share, now);
        states.push(state);
    }
    let mut given = Vec::new();
    for step in &scenario.steps {
        let end = now + step.lasts;
        let runnable = members(step.runnable, states.len());
        for (state, &level) in states.iter_mut().zip(&step.levels) {
            state.level = Level(level);
        }
        for question in 0..QUESTIONS {
            let view: Vec<ProcessState> = runnable.iter().map(|&i| states[i]).collect();
            let (named, until) = ask(policy, &view, now)?;
            let last = question + 1 == QUESTIONS;
            let next = until.filter(|&at| at < end && !last).unwrap_or(end);
            pass(&mut states, &runnable, &named, next.since(now));
            given.push((now, named, until));
            now = next;
            if now == end {
                break;
            }
        }
    }
    for process in states.iter().map(|state| state.id) {
        policy.observe(&Fact::ProcessLeft { process }, now);
    }
    ask(policy, &[], now)?;
    Ok(given)
}

/// Lets `span` ticks pass: adds them to the alive time of the processes in `runnable`, and to the
/// run time of those in `named`, which have the turn.
fn pass(states: &mut [ProcessState], runnable: &[usize], named: &[ProcessId], span: Ticks) {
    for (i, state) in states.iter_mut().enumerate() {
        let runs = named.contains(&state.id);
        state.resident_waves = u64::from(runs);
        if runnable.contains(&i) {
            state.alive += span;
        }
        if runs {
            state.ran += span;
        }
    }
}

fn ask<P: Turn + Clone>(
    policy: &mut P,
    view: &[ProcessState],
    now: Tick,
) -> Result<(Vec<ProcessId>, Option<Tick>), Breach> {
    let breach = |law: u8, what: String| Err(Breach::new("Turn", law, what));
    let mut twin = policy.clone();
    let (mut named, mut again) = (Vec::new(), Vec::new());
    if let Some(state) = view.first().filter(|_| !policy.minds_refills()) {
        let (mut lived, mut not) = (policy.clone(), policy.clone());
        refill(state.id, |fact| lived.observe(fact, now));
        let until = lived.turn(view, now, &mut named);
        if (not.turn(view, now, &mut again), &again) != (until, &named) {
            return breach(7, format!("at t={now} {named:?} after a refill, {again:?} without it"));
        }
        named.clear();
        again.clear();
    }
    let until = policy.turn(view, now, &mut named);
    if (twin.turn(view, now, &mut again), &again) != (until, &named) {
        return breach(4, format!("at t={now} one clone names {named:?}, another {again:?}"));
    }
    for (i, id) in named.iter().enumerate() {
        if view.iter().all(|state| state.id != *id) {
            return breach(1, format!("at t={now} {id} is named, which is not runnable"));
        }
        if named[..i].contains(id) {
            return breach(1, format!("at t={now} {id} is named twice"));
        }
    }
    if named.is_empty() && !view.is_empty() {
        return breach(2, format!("at t={now} nobody may issue, {} could", view.len()));
    }
    match until {
        Some(until) if until <= now => breach(3, format!("at t={now} the turn lasts to t={until}")),
        _ => Ok((named, until)),
    }
}
