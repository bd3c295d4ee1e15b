//! Does an allocate policy keep the eleven laws (numbered rules) of its trait?

use raddle_policy::{
    Allocate, Answer, CuId, Cus, Fact, LaunchId, Place, ReadyView, Round, Tick, WaveSpan,
};

use super::breach::upheld;
use super::one_by_one::OneByOne;
use super::refills::RefillCheck;
use super::render::told;
use super::spot::breach;
use super::{Breach, Deed, RunLine, Scenario, ScenarioRun, World};

/// Plays a scenario with a policy that `make` makes, and checks laws 1 to 4 and 6 to 11 of
/// [`Allocate`], with bulk answers (many workgroups at once) and without.
///
/// # Panics
/// Where a law is broken, with its number.
#[track_caller]
pub fn check_allocate<P: Allocate + Clone>(make: impl Fn() -> P, scenario: &Scenario) {
    check_allocate_except(&[], make, scenario);
}

/// Plays a scenario with a policy that `make` makes, and checks laws 1 to 4 and 6 to 11 of
/// [`Allocate`] without those whose numbers are in `except`. Only laws 3, 4, 7 and 10 can be left
/// out: law 4, for example, where a policy documents that a question without success changes its
/// later answers.
///
/// # Panics
/// Where another law is broken, with its number.
#[track_caller]
pub fn check_allocate_except<P: Allocate + Clone>(
    except: &[u8],
    make: impl Fn() -> P,
    scenario: &Scenario,
) {
    upheld(examine_allocate(except, make, scenario));
}

/// Plays a scenario twice, once with a policy that `make` makes and once with another that may
/// start only one workgroup in an answer. Checks law 5 of [`Allocate`]: both must place the
/// workgroups equally.
///
/// # Panics
/// Where law 5 is broken, or law 1, 2 or 6 to 9, with its number.
#[track_caller]
pub fn check_bulk<P: Allocate>(make: impl Fn() -> P, scenario: &Scenario) {
    upheld(examine_bulk(make, scenario));
}

/// Checks laws as [`check_allocate_except`] does, but returns the broken law instead of panicking.
///
/// # Errors
/// The first law that is broken.
pub fn examine_allocate<P: Allocate + Clone>(
    except: &[u8],
    make: impl Fn() -> P,
    scenario: &Scenario,
) -> Result<(), Breach> {
    examine_questions(except, &make, scenario)?;
    examine_questions(except, || OneByOne(make()), scenario)
}

fn examine_questions<P: Allocate + Clone>(
    except: &[u8],
    make: impl Fn() -> P,
    scenario: &Scenario,
) -> Result<(), Breach> {
    let heed = |law: u8| !except.contains(&law);
    if heed(7) {
        empty_view(&mut make(), &Cus::new(scenario.shape, 0))?;
    }
    let plain = watched(&make, false, except, scenario)?;
    if heed(3) {
        let again = watched(&make, false, except, scenario)?;
        same_lines(&plain, &again).map_err(|what| breach(3, format!("in a second run, {what}")))?;
    }
    if heed(4) {
        let nagged = watched(&make, true, except, scenario)?;
        same_lines(&plain, &nagged)
            .map_err(|what| breach(4, format!("when asked again at each wait, {what}")))?;
    }
    match plain.stopped {
        Some((at, launch)) if heed(10) => {
            Err(breach(10, format!("the device is empty, and {launch} waits for ever at t={at}")))
        }
        _ => Ok(()),
    }
}

fn empty_view(policy: &mut dyn Allocate, cus: &Cus) -> Result<(), Breach> {
    let view = ReadyView::new(&[], cus);
    let mut round = Round::default();
    match policy.allocate_round(&view, Tick::ZERO, &mut round) {
        Answer::Wait { .. } => Ok(()),
        answer => Err(breach(7, format!("an empty view is answered with {answer:?}"))),
    }
}

fn watched<P: Allocate + Clone>(
    make: impl Fn() -> P,
    nagged: bool,
    except: &[u8],
    scenario: &Scenario,
) -> Result<ScenarioRun, Breach> {
    let mut policy = Watched {
        policy: make(),
        nagged,
        waits: 0,
        laws: [3, 4, 7].map(|law| !except.contains(&law)),
        found: None,
        refills: RefillCheck::default(),
    };
    let run = World::play(scenario, &mut policy);
    policy.found.map_or(run, Err)
}

/// Wrapper of a policy under test. It compares each answer of the policy with the answer of a
/// clone, and may ask the policy again after the answer that it waits.
struct Watched<P> {
    policy: P,
    /// True if the policy is asked again each time that it answers that it waits; the new answer
    /// must be equal.
    nagged: bool,
    /// Number of times that the policy has answered that it waits.
    waits: u32,
    /// For each of the laws 3, 4 and 7 of [`Allocate`], true if the law is checked.
    laws: [bool; 3],
    /// First law that the policy broke; `None` where it broke none. The wrapper cannot stop the
    /// scenario, so it stores the broken law until the end.
    found: Option<Breach>,
    refills: RefillCheck<P>,
}

impl<P: Allocate + Clone> Watched<P> {
    fn note(&mut self, kept: bool, law: u8, what: impl FnOnce() -> String) {
        if !kept && self.found.is_none() {
            self.found = Some(breach(law, what()));
        }
    }

    fn nag(&mut self, ready: &ReadyView<'_>, now: Tick, first: (Answer, &Round)) {
        self.waits += 1;
        // One to three times, so that answers that change in a circle are seen too.
        for _ in 0..=self.waits % 3 {
            let mut round = Round::default();
            let answer = self.policy.allocate_round(ready, now, &mut round);
            let kept = (answer, &round.refusals) == (first.0, &first.1.refusals);
            self.note(kept, 4, || {
                let (before, after) = (told(first.0, first.1), told(answer, &round));
                format!("asked again at once at t={now}: first {before}, then {after}")
            });
        }
    }
}

impl<P: Allocate + Clone> Allocate for Watched<P> {
    fn allocate(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        self.allocate_round(ready, now, round)
    }

    fn allocate_round(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        let [same, patient, empty] = self.laws;
        let mut twin = self.policy.clone();
        let mut other = round.clone();
        let answer = self.policy.allocate_round(ready, now, round);
        if same {
            let again = twin.allocate_round(ready, now, &mut other);
            self.note(again == answer && other == *round, 3, || {
                let (one, two) = (told(answer, round), told(again, &other));
                format!("at t={now} one clone answers {one}, another {two}")
            });
        }
        if !self.policy.minds_refills()
            && let Some(what) = self.refills.asked(ready, now, (answer, round))
        {
            self.note(false, 11, || what);
        }
        if matches!(answer, Answer::Wait { .. }) {
            if patient && self.nagged {
                self.nag(ready, now, (answer, round));
            }
            if empty && self.found.is_none() {
                self.found = empty_view(&mut self.policy.clone(), ready.cus()).err();
            }
        }
        answer
    }

    fn may_stop(&self) -> Option<&'static str> {
        self.policy.may_stop()
    }

    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        self.refills.observe(&self.policy, fact, now);
        self.policy.observe(fact, now);
    }
}

/// Compares the histories of two runs of one scenario; the error describes the first difference in
/// words.
fn same_lines(one: &ScenarioRun, two: &ScenarioRun) -> Result<(), String> {
    let differs = one.lines.iter().zip(&two.lines).find(|(one, two)| one != two);
    match differs {
        Some((one, two)) => Err(format!(
            "t={} differs: first {:?} {:?}, then {:?} {:?}",
            one.at, one.deed, one.refusals, two.deed, two.refusals
        )),
        None if one.lines.len() != two.lines.len() => Err(String::from("one run is longer")),
        None => Ok(()),
    }
}

/// Checks law 5 of [`Allocate`] as [`check_bulk`] does, but returns the broken law instead of
/// panicking.
///
/// # Errors
/// The first law that is broken, mostly law 5.
pub fn examine_bulk<P: Allocate>(make: impl Fn() -> P, scenario: &Scenario) -> Result<(), Breach> {
    let single = World::play(scenario, &mut OneByOne(make()))?;
    for line in &single.lines {
        if let Deed::Started { launch, pieces, .. } = &line.deed {
            let workgroups: u64 = pieces.iter().map(|it| u64::from(it.count)).sum();
            Breach::unless(workgroups == 1, "Allocate", 5, || {
                format!("`allocate` places {workgroups} workgroups of {launch} in one answer")
            })?;
        }
    }
    let bulk = World::play(scenario, &mut make())?;
    let (bulk, single) = (placements(&bulk), placements(&single));
    let differs = bulk.iter().zip(&single).find(|(bulk, single)| bulk != single);
    match differs {
        Some((bulk, single)) => {
            let (bulk, single) = (spotted(bulk), spotted(single));
            Err(breach(5, format!("in bulk {bulk}, one by one {single}")))
        }
        None => Breach::unless(bulk.len() == single.len(), "Allocate", 5, || {
            let (bulk, single) = (bulk.len(), single.len());
            format!("in bulk {bulk} placements, one by one {single}")
        }),
    }
}

/// Start or assignment of a workgroup, or of some of its waves, in the history of a scenario; or
/// the decision that a launch can never run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Placement<'r> {
    /// Waves of a workgroup started, with one address for each wave; without addresses the list is
    /// empty.
    Started {
        waves: WaveSpan,
        places: &'r [Place],
    },
    Assigned,
    Never,
}

/// Placement in the history of a scenario, as (tick, launch, place, placement). The place is
/// (workgroup, compute unit), or `None` where the launch can never run.
type Spotted<'r> = (Tick, LaunchId, Option<(u64, CuId)>, Placement<'r>);

/// Returns every placement in the history of a scenario, in order of time. Workgroups that one
/// answer starts are in the order of their numbers.
fn placements(run: &ScenarioRun) -> Vec<Spotted<'_>> {
    let mut all = Vec::new();
    run.lines.iter().for_each(|line| placed(line, &mut all));
    all
}

fn placed<'r>(RunLine { at, deed, .. }: &'r RunLine, all: &mut Vec<Spotted<'r>>) {
    match deed {
        Deed::Started { launch, waves, pieces, places } => {
            let begin = all.len();
            let count: usize = pieces.iter().map(|piece| piece.count as usize).sum();
            let mut chunks = places.chunks((places.len() / count.max(1)).max(1));
            for piece in pieces {
                for workgroup in piece.workgroups() {
                    let places = chunks.next().unwrap_or_default();
                    let mut push = |waves, places| {
                        let started = Placement::Started { waves, places };
                        all.push((*at, *launch, Some((workgroup, piece.cu)), started));
                    };
                    let WaveSpan::Range { first, count } = *waves else {
                        push(*waves, places);
                        continue;
                    };
                    for (at, first) in (first..first + count).enumerate() {
                        let place = places.get(at..=at).unwrap_or_default();
                        push(WaveSpan::Range { first, count: 1 }, place);
                    }
                }
            }
            // An answer lists its pieces by compute unit; one by one the workgroups ascend.
            all[begin..].sort_by_key(|&(_, _, spot, _)| spot.map(|(workgroup, _)| workgroup));
        }
        Deed::Assigned { launch, workgroup, cu } => {
            all.push((*at, *launch, Some((*workgroup, *cu)), Placement::Assigned));
        }
        Deed::Never { refusal } => all.push((*at, refusal.launch, None, Placement::Never)),
        Deed::Waited { .. } | Deed::Ended { .. } => {}
    }
}

/// Describes a placement in the history of a scenario in words, for an error.
fn spotted(&(at, launch, spot, placement): &Spotted<'_>) -> String {
    let (workgroup, cu) = spot.unwrap_or_default();
    match placement {
        Placement::Started { waves: WaveSpan::All, places } => {
            format!("t={at} {launch} w{workgroup}@{cu} at {places:?}")
        }
        Placement::Started { waves, places } => {
            format!("t={at} {launch} w{workgroup}@{cu} {waves:?} at {places:?}")
        }
        Placement::Assigned => format!("t={at} {launch} w{workgroup} assigned to {cu}"),
        Placement::Never => format!("t={at} {launch} never fits"),
    }
}
