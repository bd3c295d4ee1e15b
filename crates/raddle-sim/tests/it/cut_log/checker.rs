//! Does a log of `matching` with `split` tell of a lawful run? Read line by line, and decided again.
//!
//! Reads a log in full detail and knows nothing but its lines: which launches there are, who holds
//! what, who waits since when, how often in a row nothing fitted. Each start and each wait must be
//! what the seed's steps (E1, E2, E3, E8) give, found here by trying everything.

use std::collections::{BTreeMap, BTreeSet};

use raddle_dispatch::log::LogHeader;
use raddle_policy::Launch;
use raddle_workgroup::{Balance, MatchingConfig, PlaceRule, SplitRule};
use serde_json::Value;

use super::device::{At, Device};

/// What a log told of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) whole: u64,
    pub(super) parts: u64,
    /// Waves that had started and were killed, in whole workgroups or parts.
    pub(super) killed: u64,
    /// Parts that were saved, and of these those that found their places taken.
    pub(super) saved_parts: u64,
    pub(super) displaced: u64,
    pub(super) refused: u64,
}

/// A workgroup, or a part of one, on the device or saved.
struct Group {
    cu: usize,
    waves: Vec<At>,
    lies: Lies,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lies {
    Here,
    Saved,
    /// Came back, and its place was taken.
    Displaced,
}

pub(super) struct Known {
    pub(super) launch: Launch,
    ready: bool,
    /// The number of its submission, while it is submitted.
    pub(super) submitted: Option<u64>,
    /// From being taken off until it is back.
    away: Option<String>,
    refused: bool,
    pub(super) next: u64,
    /// Waves of `next` that have started as parts.
    pub(super) cut: u16,
    started: BTreeSet<(u64, u16)>,
    ended: BTreeSet<(u64, u16)>,
    /// By workgroup and first wave.
    groups: BTreeMap<(u64, u16), Group>,
}

pub(super) struct Checker {
    pub(super) config: MatchingConfig,
    pub(super) split: SplitRule,
    pub(super) device: Device,
    pub(super) launches: BTreeMap<u32, Known>,
    pub(super) submissions: u64,
    /// Process and stream of each channel.
    pub(super) channels: Vec<(u16, u32)>,
    /// The head that each channel was last seen with, and since when.
    pub(super) since: BTreeMap<usize, ((u32, u64), u64)>,
    pub(super) marks: BTreeSet<(usize, usize)>,
    /// Workgroups that are to be cut, or are being.
    pub(super) cut: BTreeSet<(u32, u64)>,
    pub(super) failures: u64,
    /// When a failure was last counted; nothing if a fact was heard since.
    pub(super) counted: Option<u64>,
    /// The compute unit behind that of the last start.
    pub(super) cursor: usize,
    /// What the waves of each compute unit draw, and since when; all that was.
    pub(super) drawn: Vec<Vec<(u64, u64)>>,
    pub(super) tally: Tally,
}

/// Checks a whole log and tells what it tells of.
pub(super) fn check(log: &str) -> Tally {
    let mut lines = log.lines();
    let header: LogHeader =
        serde_json::from_str(lines.next().expect("a header")).expect("a header");
    let config: &MatchingConfig = header.recipe.allocate.settings().expect("matching");
    let config = config.clone();
    let turn = usize::from(config.balance == Balance::Tail);
    let turns = config.balance != Balance::Fixed;
    let mut checker = Checker {
        split: config.split.expect("it cuts"),
        device: Device::new(&header.shape, header.cus, turn, turns),
        launches: BTreeMap::new(),
        submissions: 0,
        channels: vec![],
        since: BTreeMap::new(),
        marks: BTreeSet::new(),
        cut: BTreeSet::new(),
        failures: 0,
        counted: None,
        cursor: 0,
        drawn: vec![vec![(0, 0)]; header.cus.into()],
        tally: Tally::default(),
        config,
    };
    let (mut events, mut answers) = (0, 0);
    for line in lines {
        let line: Value = serde_json::from_str(line).expect("JSON");
        if let Some(event) = line["event"].as_str() {
            events += 1;
            checker.event(event, &line);
        } else if let Some(answer) = line["answer"].as_str() {
            answers += 1;
            checker.answer(answer, &line);
        } else {
            assert_eq!((&line["events"], &line["answers"]), (&events.into(), &answers.into()));
            checker.finish();
            return checker.tally;
        }
    }
    panic!("the log breaks off");
}

/// What a wave draws, as the recipe weighs instructions.
fn rate(place: &PlaceRule, launch: &Launch) -> u64 {
    let (PlaceRule::LeastPower(power) | PlaceRule::Mix { power, .. }) = place else { return 0 };
    launch
        .activity
        .0
        .iter()
        .zip(power.weights)
        .map(|(&rate, weight)| u64::from(rate) * weight)
        .sum()
}

/// From now on a compute unit draws otherwise.
fn draws(drawn: &mut Vec<(u64, u64)>, line: &Value, power: impl FnOnce(u64) -> u64) {
    let latest = drawn.last().expect("it began with nothing").1;
    drawn.push((number(&line["t"]), power(latest)));
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

impl Checker {
    fn of(&mut self, line: &Value) -> &mut Known {
        let id = number(&line["launch"]) as u32;
        self.launches.get_mut(&id).expect("it was told of before")
    }

    fn event(&mut self, event: &str, line: &Value) {
        // Neither is a fact: what becomes ready is one when it is submitted, if it is not yet.
        if !matches!(event, "launch-issued" | "launch-ready" | "woke") {
            self.counted = None;
        }
        match event {
            "launch-issued" | "launch-ready" => {
                let launch: Launch = serde_json::from_value(line["launch"].clone()).expect("one");
                let known = self.launches.entry(launch.id.0).or_insert_with(|| Known {
                    launch,
                    ready: false,
                    submitted: None,
                    away: None,
                    refused: false,
                    next: 0,
                    cut: 0,
                    started: BTreeSet::new(),
                    ended: BTreeSet::new(),
                    groups: BTreeMap::new(),
                });
                assert!(!known.ready && known.launch == launch, "ready once");
                known.ready = event == "launch-ready";
            }
            "waves-ended" => self.ended(line),
            "taken-off" => self.taken_off(line),
            "restored" => self.of(line).away = None,
            _ => {}
        }
    }

    fn ended(&mut self, line: &Value) {
        let (device, id) = (&mut self.device, number(&line["launch"]) as u32);
        let known = self.launches.get_mut(&id).expect("it was told of before");
        assert!(!matches!(known.away.as_deref(), Some("kill" | "save")), "{line}: it does not run");
        let (whole, demand) = (known.launch.demand, known.launch.demand);
        assert_eq!(line["waves"], Value::Null, "no waves but parts");
        let (first, count) = match line["cut"].as_array() {
            Some(cut) => (number(&cut[0]) as u16, number(&cut[1]) as u16),
            None => (0, whole.waves),
        };
        assert!(line["cut"].is_null() || count == 1, "a part is one wave");
        for (workgroup, cu) in pieces(&line["pieces"]) {
            let group = known.groups.remove(&(workgroup, first)).expect("it lies there");
            assert_eq!((group.cu, group.waves.len()), (cu, usize::from(count)), "{line}");
            match group.lies {
                Lies::Here => device.give(cu, &demand, &group.waves),
                Lies::Displaced => device.displaced_left(cu),
                Lies::Saved => panic!("{line}: what was saved does not run"),
            }
            let less = rate(&self.config.place, &known.launch) * u64::from(count);
            draws(&mut self.drawn[cu], line, |power| power - less);
            for wave in first..first + count {
                assert!(known.ended.insert((workgroup, wave)), "each wave ends once");
            }
        }
        if known.ended.len() as u64 == known.launch.workgroups * u64::from(whole.waves) {
            known.submitted = None;
            self.cut.retain(|&(launch, _)| launch != id);
        }
    }

    fn taken_off(&mut self, line: &Value) {
        let (device, id) = (&mut self.device, number(&line["launch"]) as u32);
        let known = self.launches.get_mut(&id).expect("it was told of before");
        let how = line["how"].as_str().expect("a word");
        assert_eq!(known.away.as_deref(), Some(how), "as it was asked for");
        let demand = known.launch.demand;
        let each = rate(&self.config.place, &known.launch);
        let drawn = &mut self.drawn;
        let mut lift = |group: &mut Group| {
            let less = each * group.waves.len() as u64;
            draws(&mut drawn[group.cu], line, |power| power - less);
            match group.lies {
                Lies::Here => device.give(group.cu, &demand, &group.waves),
                _ => device.displaced_left(group.cu),
            }
            group.lies = Lies::Saved;
        };
        match how {
            "kill" => {
                known.groups.values_mut().for_each(lift);
                self.tally.killed += known.started.len() as u64;
                known.groups.clear();
                known.started.clear();
                known.ended.clear();
                (known.next, known.cut, known.submitted) = (0, 0, None);
                self.cut.retain(|&(launch, _)| launch != id);
            }
            "flag" => {
                assert!(known.started.is_empty(), "{line}: what has started runs to its end");
                known.submitted = None;
            }
            "save" => {
                for group in known.groups.values_mut() {
                    lift(group);
                    self.tally.saved_parts += u64::from(group.waves.len() == 1 && demand.waves > 1);
                }
            }
            _ => assert_eq!(how, "drain"),
        }
    }

    fn answer(&mut self, answer: &str, line: &Value) {
        if matches!(answer, "submit" | "take-off" | "restore") {
            self.counted = None;
        }
        match answer {
            "submit" => {
                self.submissions += 1;
                let submission = self.submissions;
                let known = self.of(line);
                assert!(!known.refused && known.submitted.replace(submission).is_none());
                known.away = None;
            }
            "take-off" => {
                let how = line["how"].as_str().map(str::to_owned);
                let known = self.of(line);
                assert!(known.submitted.is_some() && known.away.is_none());
                known.away = how;
            }
            "restore" => self.returning(line),
            "start" => self.start(line),
            "wait" => {
                let now = number(&line["t"]);
                let found = self.decide(now);
                assert!(found.is_none(), "{line}: launch {} fits", found.expect("it does").0.id);
                let could = self.heads(now).iter().any(|head| self.may_cut(head.id));
                let retry = could.then(|| now + self.split.retry_us * 1_000);
                assert_eq!(line["retry-at"].as_u64(), retry, "{line}");
            }
            "refuse" => {
                let id = number(&line["launch"]) as u32;
                assert!(self.never(id), "{line}: it fits somewhere, or a part of it does");
                let known = self.of(line);
                assert!(known.started.is_empty(), "{line}: it has started");
                let heard = known.submitted.is_some();
                (known.refused, known.submitted) = (true, None);
                if heard {
                    self.counted = None;
                }
                self.tally.refused += 1;
            }
            _ => assert!(matches!(answer, "turn" | "preempt" | "wake-at"), "{line}"),
        }
    }

    fn returning(&mut self, line: &Value) {
        let (device, id) = (&mut self.device, number(&line["launch"]) as u32);
        let known = self.launches.get_mut(&id).expect("it was told of before");
        let demand = known.launch.demand;
        assert!(known.away.is_some());
        for group in known.groups.values_mut().filter(|group| group.lies == Lies::Saved) {
            let more = rate(&self.config.place, &known.launch) * group.waves.len() as u64;
            draws(&mut self.drawn[group.cu], line, |power| power + more);
            let there = device.back(group.cu, &demand, &group.waves);
            group.lies = if there { Lies::Here } else { Lies::Displaced };
            self.tally.displaced += u64::from(!there);
        }
    }

    fn start(&mut self, line: &Value) {
        let now = number(&line["t"]);
        let (head, fit) = self.decide(now).unwrap_or_else(|| panic!("{line}: nothing fits"));
        (self.failures, self.counted) = (0, None);
        let (expected, waves) = self.place(&fit, now);
        self.cursor = expected + 1;
        let known = self.launches.get_mut(&head.id).expect("it has a head");
        let first = known.cut;
        assert_eq!((number(&line["launch"]) as u32, &line["waves"]), (head.id, &Value::Null));
        let cut = if head.part { serde_json::json!([first, 1]) } else { Value::Null };
        assert_eq!(line["cut"], cut, "{line}");
        let pieces = pieces(&line["pieces"]);
        let [(workgroup, cu)] = pieces[..] else { panic!("{line}: one a line") };
        assert_eq!(workgroup, known.next, "in order");
        assert_eq!((cu, &line["places"]), (expected, &serde_json::json!(waves)), "{line}");
        for wave in first..first + waves.len() as u16 {
            assert!(known.started.insert((workgroup, wave)), "{line}: each wave starts once");
        }
        self.device.start(cu, &head.demand, waves);
        let more = rate(&self.config.place, &known.launch) * waves.len() as u64;
        draws(&mut self.drawn[cu], line, |power| power + more);
        let group = Group { cu, waves: waves.clone(), lies: Lies::Here };
        known.groups.insert((workgroup, first), group);
        if head.part {
            self.tally.parts += 1;
            known.cut += 1;
        } else {
            self.tally.whole += 1;
        }
        if !head.part || known.cut == known.launch.demand.waves {
            self.cut.remove(&(head.id, workgroup));
            (known.next, known.cut) = (workgroup + 1, 0);
        }
    }

    /// Everything that was not refused ran, each wave once, and gave everything back.
    fn finish(&self) {
        for Known { launch, refused, started, ended, groups, .. } in self.launches.values() {
            let waves = launch.workgroups * u64::from(launch.demand.waves);
            let ran = if *refused { 0 } else { waves as usize };
            assert_eq!((started.len(), ended.len(), groups.len()), (ran, ran, 0), "{launch:?}");
        }
        assert!(self.device.is_empty(), "all is given back");
    }
}

impl Known {
    pub(super) fn is_shown(&self) -> bool {
        let left = self.next < self.launch.workgroups;
        self.ready && self.submitted.is_some() && self.away.is_none() && left
    }
}

/// Workgroups and compute units of runs `[first, stride, count, cu, cus, step]`.
fn pieces(runs: &Value) -> Vec<(u64, usize)> {
    let mut all = vec![];
    for run in runs.as_array().expect("runs") {
        let field = |at: usize| run.get(at).map_or(1, number);
        for cu in 0..field(4) {
            for place in 0..field(2) {
                let workgroup = field(0) + cu * field(5) + place * field(1);
                all.push((workgroup, (field(3) + cu) as usize));
            }
        }
    }
    all
}
