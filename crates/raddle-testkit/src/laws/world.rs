//! What happens when a policy answers for a whole scenario?
//!
//! A deterministic device without durations: a policy is asked until it waits, its answers are
//! carried out and reported to it as facts, then some workgroups end, launches are taken off and
//! come back, and so on, until everything has ended or nothing moves. Laws 1, 2 and 6 to 9 of
//! [`Allocate`] are checked on the way. Time is in ticks.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use raddle_policy::{
    Allocate, Answer, CuId, Fact, Launch, LaunchId, Piece, Place, ProcessId, ReadyLaunch,
    ReadyView, Refusal, Round, Tick, Ticks, WaveSpan,
};

use super::account::WorldAccount;
use super::addresses::Addresses;
use super::off::OffLaunch;
use super::spot::{Spot, breach};
use super::{Breach, Scenario};

/// Time between two steps of a scenario, in ticks; workgroups end at each step.
pub const STEP: Ticks = Ticks(1000);

/// Largest number of times within one step that a policy is asked again because its answer named a
/// tick (`retry_at`) at which to ask.
const WAKES: u32 = 8;
/// Largest number of steps in a row for which the device may stay empty after the last submission.
/// Then the scenario ends, even if the policy wants to be asked again later.
const IDLE: u32 = 600;

/// Event in the history of a scenario, with its tick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunLine {
    /// Tick at which the event happened.
    pub at: Tick,
    /// Event itself: the policy's answer that was carried out, or workgroups that ended.
    pub deed: Deed,
    /// Refusals (reasons why workgroups were not placed) that came with the policy's answer.
    pub refusals: Vec<Refusal>,
}

/// Event in the history of a scenario: an answer of the policy that was carried out, or workgroups
/// that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variant says what its fields are")]
pub enum Deed {
    /// Workgroups started, or some of their waves.
    Started { launch: LaunchId, waves: WaveSpan, pieces: Vec<Piece>, places: Vec<Place> },
    /// A workgroup was assigned to a compute unit, before its waves start.
    Assigned { launch: LaunchId, workgroup: u64, cu: CuId },
    /// The policy answered that it starts nothing now.
    Waited {
        /// Tick at which the policy wants to be asked again; `None` where it names none.
        retry_at: Option<Tick>,
    },
    /// The policy decided that a launch can never run.
    Never { refusal: Refusal },
    /// Workgroups ended, or some of their waves.
    Ended { launch: LaunchId, waves: WaveSpan, pieces: Vec<Piece> },
}

/// History of a scenario that was played with a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScenarioRun {
    /// Events of the scenario, in the order in which they happened.
    pub lines: Vec<RunLine>,
    /// Launches of which some workgroup never started, although their workgroups fit an empty
    /// compute unit.
    pub unstarted: Vec<LaunchId>,
    /// Evidence that the policy lets launches wait for ever, which law 10 of the trait `Allocate`
    /// forbids: (tick at which the scenario ended with an empty device, a launch that still waited
    /// then). `None` where no launch waited, or where the policy admits that workgroups may wait
    /// for ever.
    pub stopped: Option<(Tick, LaunchId)>,
    /// Launches that were never submitted, as no empty compute unit has room for their workgroups.
    pub left_out: Vec<LaunchId>,
}

/// Simulated device of a test that plays a scenario, with its launches and their progress.
#[derive(Debug)]
pub struct World<'s> {
    pub(super) scenario: &'s Scenario,
    pub(super) now: Tick,
    submitted: usize,
    submissions: usize,
    pub(super) account: WorldAccount,
    pub(super) addresses: Addresses,
    pub(super) ready: Vec<ReadyLaunch>,
    pub(super) progress: BTreeMap<LaunchId, LaunchProgress>,
    pub(super) resident: BTreeMap<Spot, CuId>,
    /// Launches that were asked to leave the device, each with its stage: leaving, off, or coming
    /// back.
    pub(super) off: BTreeMap<LaunchId, OffLaunch>,
    pub(super) run: ScenarioRun,
}

#[derive(Debug)]
pub(super) struct LaunchProgress {
    pub(super) launch: Launch,
    /// Position of the launch in the order of submission, from 0.
    pub(super) submission: usize,
    /// Further ranges of workgroup numbers, ascending, which the policy sees once it has started
    /// all workgroups of the present range. Empty unless the launch was saved.
    pub(super) behind: VecDeque<Range<u64>>,
    /// Workgroups, by number, that are assigned to a compute unit and of which not all waves have
    /// started: (compute unit, number of waves that have started).
    pub(super) bound: BTreeMap<u64, (CuId, u16)>,
    pub(super) waves_ended: BTreeMap<u64, u16>,
    pub(super) ended: u64,
}

impl<'s> World<'s> {
    /// Plays the scenario with a policy to its end, and returns the history.
    ///
    /// # Errors
    /// At the first answer that breaks law 1, 2 or 6 to 9 of the trait `Allocate`.
    pub fn play(scenario: &'s Scenario, policy: &mut dyn Allocate) -> Result<ScenarioRun, Breach> {
        let mut world = Self {
            scenario,
            now: Tick::ZERO,
            submitted: 0,
            submissions: 0,
            account: WorldAccount::new(scenario.shape, scenario.cus),
            addresses: Addresses::default(),
            ready: Vec::new(),
            progress: BTreeMap::new(),
            resident: BTreeMap::new(),
            off: BTreeMap::new(),
            run: ScenarioRun::default(),
        };
        world.join(policy);
        let mut idle = 0;
        for step in 0.. {
            world.submit(policy);
            let retry_at = world.until_next_step(policy)?;
            if !world.resident.is_empty() {
                idle = 0;
                world.end_some(step, policy);
            } else if world.submitted == scenario.launches.len() {
                idle += 1;
                if retry_at.is_none() && world.off.is_empty() || idle > IDLE {
                    break;
                }
            }
            world.move_off(step, policy);
        }
        let waiting = world.ready.first().filter(|_| world.off.is_empty());
        let waiting = waiting.map(|entry| (world.now, entry.launch().id));
        world.run.stopped = waiting.filter(|_| policy.may_stop().is_none());
        world.leave(policy)?;
        world.run.unstarted = world.ready.iter().map(|entry| entry.launch().id).collect();
        Ok(world.run)
    }

    fn join(&self, policy: &mut dyn Allocate) {
        for (process, &share) in (0..).map(ProcessId).zip(&self.scenario.processes) {
            policy.observe(&Fact::ProcessJoined { process, share }, self.now);
        }
    }

    fn submit(&mut self, policy: &mut dyn Allocate) {
        let batch = usize::from(self.scenario.batch.max(1));
        for launch in self.scenario.launches.iter().skip(self.submitted).take(batch) {
            self.submitted += 1;
            if self.account.cus.never(launch).is_some() {
                self.run.left_out.push(launch.id);
                continue;
            }
            self.submit_one(launch, policy);
        }
    }

    /// Submits a launch to the simulated device, for the first time or after the launch was killed.
    pub(super) fn submit_one(&mut self, launch: &Launch, policy: &mut dyn Allocate) {
        self.ready.push(ReadyLaunch::new(*launch, self.now));
        let progress = LaunchProgress {
            launch: *launch,
            submission: self.submissions,
            behind: VecDeque::new(),
            bound: BTreeMap::new(),
            waves_ended: BTreeMap::new(),
            ended: 0,
        };
        self.submissions += 1;
        self.progress.insert(launch.id, progress);
        policy.observe(&Fact::Submitted { launch }, self.now);
    }

    /// Asks the policy now, and again at each tick before the next step at which it wants to be
    /// woken. Returns the tick at which it wants to be asked next; `None` where it names none. The
    /// error is the law that an answer breaks.
    fn until_next_step(&mut self, policy: &mut dyn Allocate) -> Result<Option<Tick>, Breach> {
        let next = self.now + STEP;
        let mut retry_at = self.ask(policy)?;
        for _ in 0..WAKES {
            let Some(at) = retry_at.filter(|&at| at < next) else {
                break;
            };
            self.now = at;
            retry_at = self.ask(policy)?;
        }
        self.now = next;
        Ok(retry_at)
    }

    /// Asks the policy and carries out its answers until it answers that it waits. Returns the tick
    /// at which it wants to be asked again; `None` where it names none. The error is the law that
    /// an answer breaks.
    pub(super) fn ask(&mut self, policy: &mut dyn Allocate) -> Result<Option<Tick>, Breach> {
        let mut round = Round::default();
        loop {
            round.clear();
            let view = ReadyView::new(&self.ready, &self.account.cus);
            let answer = policy.allocate_round(&view, self.now, &mut round);
            if self.ready.is_empty() && !matches!(answer, Answer::Wait { .. }) {
                return Err(breach(7, "an empty view is not answered with Wait"));
            }
            self.check_refusals(answer, &round)?;
            let deed = match answer {
                Answer::Start { launch, waves } => {
                    for (launch, waves, pieces, places) in round.starts(launch, waves) {
                        let deed = self.start(policy, launch, waves, pieces, places)?;
                        self.run.lines.push(RunLine { at: self.now, deed, refusals: Vec::new() });
                    }
                    // Refusals belong to the whole answer, so they stand at its last start.
                    if let Some(line) = self.run.lines.last_mut() {
                        line.refusals.clone_from(&round.refusals);
                    }
                    continue;
                }
                Answer::Assign { launch, workgroup, cu } => {
                    self.assign(policy, launch, workgroup, cu)?
                }
                Answer::Wait { retry_at: Some(at) } if at <= self.now => {
                    let what = format!("at t={} it wants to be asked again at t={at}", self.now);
                    return Err(breach(9, what));
                }
                Answer::Wait { retry_at } => Deed::Waited { retry_at },
                Answer::Never { refusal } => {
                    self.ready.retain(|it| it.launch().id != refusal.launch);
                    Deed::Never { refusal }
                }
            };
            self.run.lines.push(RunLine { at: self.now, deed, refusals: round.refusals.clone() });
            if let Answer::Wait { retry_at } = answer {
                self.account.cus.watch();
                return Ok(retry_at);
            }
        }
    }

    fn check_refusals(&self, answer: Answer, round: &Round) -> Result<(), Breach> {
        let never = match answer {
            Answer::Never { refusal } => Some(refusal),
            _ => None,
        };
        for refusal in round.refusals.iter().chain(&never) {
            if self.position(refusal.launch).is_none() {
                let what = format!("a refusal names {}, not in the view", refusal.launch);
                return Err(breach(6, what));
            }
            if refusal.wanted <= refusal.available {
                return Err(breach(6, format!("a refusal where nothing lacks: {refusal}")));
            }
            if refusal.cu.is_some_and(|cu| cu.0 >= self.scenario.cus) {
                return Err(breach(6, format!("a refusal names no compute unit: {refusal}")));
            }
        }
        for (i, refusal) in round.refusals.iter().enumerate() {
            let earlier = &round.refusals[..i];
            if earlier.iter().any(|it| it.launch == refusal.launch) {
                return Err(breach(6, format!("{} is refused twice", refusal.launch)));
            }
        }
        Ok(())
    }

    pub(super) fn position(&self, id: LaunchId) -> Option<usize> {
        self.ready.iter().position(|entry| entry.launch().id == id)
    }
}
