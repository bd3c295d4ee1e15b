//! Is each answer of `matching` what the seed's steps (E1, E2, E3, E8) give, found by trying
//! everything?

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use raddle_policy::{
    Allocate, Answer, CuShape, Fact, Launch, LaunchId, Preemption, ReadyLaunch, ReadyView, Round,
    Tick, WaveSpan,
};
use raddle_workgroup::{Balance, LevelOrder, Matching, MatchingConfig, PlaceRule, SplitRule};
use serde::Deserialize;

use super::decide::of;
use super::device::{At, Device};

/// The policy's settings, as the model reads them from their text.
#[derive(Deserialize)]
pub(super) struct CutRules {
    pub(super) order: LevelOrder,
    balance: Balance,
    pub(super) place: PlaceRule,
    pub(super) split: Option<SplitRule>,
}

impl CutRules {
    fn of(config: &MatchingConfig) -> Self {
        let text = serde_json::to_value(config).expect("settings have a text");
        serde_json::from_value(text).expect("it is the text of settings")
    }
}

/// Counts of what workgroups went through in a run, so that a test sees that every case occurs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) whole: u64,
    pub(super) parts: u64,
    /// Number of waves that had started and were killed.
    pub(super) killed: u64,
    /// Number of parts of cut workgroups that were saved.
    pub(super) saved_parts: u64,
    /// Number of workgroups and parts that found their places taken when they came back.
    pub(super) displaced: u64,
}

/// A workgroup, or a part of a cut one, on the device or saved.
struct Group {
    cu: usize,
    waves: Vec<At>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Resident,
    Saved,
    /// The workgroup came back, and its place was taken.
    Displaced,
}

/// The plain model of the policy `matching`, which gets the views and the facts that the policy
/// gets.
pub(super) struct Naive {
    pub(super) config: CutRules,
    pub(super) device: Device,
    /// (process, stream) of each channel, a queue of workgroups.
    pub(super) channels: Vec<(u16, u32)>,
    /// For each channel: (its head, the workgroup that is next there; the tick since when that is
    /// its head).
    pub(super) since: BTreeMap<usize, ((LaunchId, u64), u64)>,
    /// (level, channel) of each channel that was chosen since all channels of that level last had
    /// their turn: the others go first.
    pub(super) marks: BTreeSet<(usize, usize)>,
    /// Workgroups that were cut and of which not all parts have started.
    pub(super) cut: BTreeSet<(LaunchId, u64)>,
    pub(super) failures: u64,
    /// The tick at which a failure (no head fitted) was last counted; `None` if something has
    /// happened since.
    pub(super) counted: Option<u64>,
    /// The tick from which on each further span of `retry` ends with one more failed round (try of
    /// all heads); `None` if no workgroup may be cut.
    pub(super) waiting: Option<u64>,
    /// The index of the compute unit behind that of the last start.
    pub(super) cursor: usize,
    /// For each compute unit: (tick, power that its waves draw from then on), ascending by tick.
    pub(super) drawn: Vec<Vec<(u64, u64)>>,
    /// The workgroups and parts on the device or saved, by (launch, workgroup, first wave).
    groups: BTreeMap<(LaunchId, u64, u16), Group>,
    /// The number of waves of each launch that have started since it was last killed.
    started: BTreeMap<LaunchId, u64>,
    pub(super) tally: Tally,
}

/// The policy `matching` under test, with the plain model that checks its answers.
pub(super) struct Watched {
    pub(super) policy: Matching,
    pub(super) naive: Arc<Mutex<Naive>>,
}

impl Watched {
    fn naive(&self) -> std::sync::MutexGuard<'_, Naive> {
        self.naive.lock().expect("no panic before")
    }
}

impl Allocate for Watched {
    fn allocate(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        let answer = self.policy.allocate(ready, now, round);
        self.naive().check(ready.launches(), now.0, answer, round);
        answer
    }

    fn allocate_round(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        let answer = self.policy.allocate_round(ready, now, round);
        self.naive().check(ready.launches(), now.0, answer, round);
        answer
    }

    fn cuts(&self) -> bool {
        self.policy.cuts()
    }

    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        self.policy.observe(fact, now);
        self.naive().observe(fact, now.0);
    }
}

impl Naive {
    pub(super) fn new(config: &MatchingConfig, (shape, cus): (CuShape, u16)) -> Self {
        let config = CutRules::of(config);
        let turn = usize::from(config.balance == Balance::Tail);
        Self {
            device: Device::new(&shape, cus, turn, config.balance != Balance::Fixed),
            config,
            channels: vec![],
            since: BTreeMap::new(),
            marks: BTreeSet::new(),
            cut: BTreeSet::new(),
            failures: 0,
            counted: None,
            waiting: None,
            cursor: 0,
            drawn: vec![vec![(0, 0)]; cus.into()],
            groups: BTreeMap::new(),
            started: BTreeMap::new(),
            tally: Tally::default(),
        }
    }

    /// Returns whether all places of the device are free again.
    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.device.is_empty()
    }

    fn check(&mut self, shown: &[ReadyLaunch], now: u64, answer: Answer, round: &Round) {
        match answer {
            Answer::Start { launch, waves } => {
                self.check_starts(shown.to_vec(), now, (launch, waves), round);
            }
            Answer::Wait { retry_at } => {
                let expected = match self.decide(shown, now) {
                    Ok(head) => panic!("{} fits at {now}", head.0.entry.launch().id),
                    Err(retry_at) => retry_at,
                };
                assert_eq!(retry_at, expected.map(Tick), "nothing fits at {now}");
            }
            Answer::Never { refusal } => {
                let entry = shown.iter().find(|entry| entry.launch().id == refusal.launch);
                let launch = &entry.expect("it is shown").launch();
                assert!(self.never(launch), "{refusal}: it fits somewhere, or a part of it does");
            }
            Answer::Assign { .. } => panic!("{answer:?}"),
        }
    }

    /// Checks the workgroups of an answer one by one, in ascending order, against the model.
    fn check_starts(
        &mut self,
        mut shown: Vec<ReadyLaunch>,
        now: u64,
        (id, waves): (LaunchId, WaveSpan),
        round: &Round,
    ) {
        for (id, waves, pieces, places) in round.starts(id, waves) {
            let at = shown.iter().position(|entry| entry.launch().id == id).expect("it is shown");
            let whole = shown[at].launch().demand.waves;
            let (_, count) = waves.bounds(whole);
            let named = pieces.iter().flat_map(|piece| piece.workgroups().map(|w| (w, piece.cu)));
            let mut starts: Vec<_> = named.zip(places.chunks(count.into())).collect();
            starts.sort_by_key(|&((workgroup, _), _)| workgroup);
            for ((workgroup, cu), places) in starts {
                let given: Vec<At> = places
                    .iter()
                    .map(|at| [at.simd.into(), at.vgpr.into(), at.sgpr.into(), at.lds as usize])
                    .collect();
                let start = (id, waves, workgroup, cu.index(), given);
                assert_eq!(start, self.start(&shown, now), "at {now}");
                let entry = &mut shown[at];
                *entry = match waves {
                    WaveSpan::Cut { .. } if entry.cut() + count < whole => {
                        entry.with_cut(entry.cut() + count)
                    }
                    _ => entry.with_cut(0).with_next(entry.next() + 1),
                };
            }
            shown.retain(|entry| entry.undistributed() > 0);
        }
    }

    /// Returns the next start by the model: (launch, waves, workgroup, compute unit, places of the
    /// waves).
    fn start(
        &mut self,
        shown: &[ReadyLaunch],
        now: u64,
    ) -> (LaunchId, WaveSpan, u64, usize, Vec<At>) {
        let (head, fit) = self.decide(shown, now).unwrap_or_else(|_| panic!("{now}: nothing fits"));
        (self.failures, self.counted, self.waiting) = (0, None, None);
        let (cu, places) = self.place(&fit, now);
        self.cursor = cu + 1;
        let entry = head.entry;
        let (launch, next, cut) = (entry.launch(), entry.next(), entry.cut());
        self.device.start(cu, &head.demand, places);
        let more = rate(&self.config.place, launch) * places.len() as u64;
        draws(&mut self.drawn[cu], now, |power| power + more);
        *self.started.entry(launch.id).or_default() += places.len() as u64;
        let group = Group { cu, waves: places.clone(), state: State::Resident };
        self.groups.insert((launch.id, next, cut), group);
        if cut + 1 == launch.demand.waves {
            self.cut.remove(&(launch.id, next));
        }
        let waves = if head.part {
            self.tally.parts += 1;
            WaveSpan::Cut { first: cut, count: 1 }
        } else {
            self.tally.whole += 1;
            WaveSpan::All
        };
        (launch.id, waves, next, cu, places.clone())
    }

    fn observe(&mut self, fact: &Fact<'_>, now: u64) {
        self.counted = None;
        match *fact {
            Fact::Ended { launch, waves, pieces } => {
                let (first, count) = waves.bounds(launch.demand.waves);
                let all = pieces.iter().flat_map(|piece| piece.workgroups().map(|w| (w, piece.cu)));
                for (workgroup, cu) in all {
                    let group = self.groups.remove(&(launch.id, workgroup, first));
                    let group = group.expect("it is resident");
                    assert_eq!((group.cu, group.waves.len()), (cu.index(), count.into()));
                    self.leaves(launch, &group, now);
                }
            }
            Fact::TakenOff { launch, how: how @ (Preemption::Reset | Preemption::Switch) } => {
                let is_saved = how == Preemption::Switch;
                for (key, mut group) in self.take(launch.id) {
                    self.leaves(launch, &group, now);
                    if is_saved {
                        group.state = State::Saved;
                        let is_part = group.waves.len() < launch.demand.waves.into();
                        self.tally.saved_parts += u64::from(is_part);
                        self.groups.insert(key, group);
                    }
                }
                if !is_saved {
                    self.tally.killed += self.started.remove(&launch.id).unwrap_or(0);
                    self.cut.retain(|&(id, _)| id != launch.id);
                }
            }
            Fact::Returning { launch } => {
                for (key, mut group) in self.take(launch.id) {
                    if group.state == State::Saved {
                        let more = rate(&self.config.place, launch) * group.waves.len() as u64;
                        draws(&mut self.drawn[group.cu], now, |power| power + more);
                        let is_part = group.waves.len() < launch.demand.waves.into();
                        let fits = self.device.back(group.cu, &of(launch, is_part), &group.waves);
                        group.state = if fits { State::Resident } else { State::Displaced };
                        self.tally.displaced += u64::from(!fits);
                    }
                    self.groups.insert(key, group);
                }
            }
            _ => {}
        }
    }

    fn take(&mut self, launch: LaunchId) -> Vec<((LaunchId, u64, u16), Group)> {
        let groups = std::mem::take(&mut self.groups).into_iter();
        let (taken, left): (Vec<_>, Vec<_>) = groups.partition(|((id, ..), _)| *id == launch);
        self.groups = left.into_iter().collect();
        taken
    }

    /// Removes a workgroup or part that ends, is killed or is saved.
    fn leaves(&mut self, launch: &Launch, group: &Group, now: u64) {
        match group.state {
            State::Resident => {
                let is_part = group.waves.len() < launch.demand.waves.into();
                self.device.give(group.cu, &of(launch, is_part), &group.waves);
            }
            State::Displaced => self.device.displaced_left(group.cu),
            State::Saved => panic!("{}: what was saved does not run", launch.id),
        }
        let less = rate(&self.config.place, launch) * group.waves.len() as u64;
        draws(&mut self.drawn[group.cu], now, |power| power - less);
    }
}

/// Returns the power that a wave of the launch draws, by the weights of instructions in the recipe.
fn rate(place: &PlaceRule, launch: &Launch) -> u64 {
    let (PlaceRule::LeastPower(power) | PlaceRule::Mix { power, .. }) = place else { return 0 };
    let rates = launch.activity.0.iter().zip(power.weights());
    rates.map(|(&rate, weight)| u64::from(rate) * weight).sum()
}

/// Notes that a compute unit draws another power from the tick `now` on.
fn draws(drawn: &mut Vec<(u64, u64)>, now: u64, power: impl FnOnce(u64) -> u64) {
    let latest = drawn.last().expect("it began with nothing").1;
    drawn.push((now, power(latest)));
}
