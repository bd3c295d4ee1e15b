//! Which state does a log of `matching` leave a device in before each answer, and does the golden
//! model give that answer?
//!
//! Units: granules, ticks; picoseconds within a round.

mod asked;

use std::collections::{BTreeMap, VecDeque};

use raddle_dispatch::log::spelled_out;
use raddle_policy::{CuShape, Launch, LaunchId, ProcessId, StreamId};
use serde_json::{Value, json};

use crate::questions::golden;

/// A launch on the device that has workgroups left to start.
struct Job {
    launch: Launch,
    next: u64,
    /// Number of waves of the next workgroup that have started before the others, as it was cut.
    cut: u64,
}

/// Waves of a workgroup that are on a compute unit.
#[derive(Clone)]
struct Part {
    cu: usize,
    /// For each SIMD (number of waves, first granule of their registers).
    simds: Vec<(u64, u64)>,
    sgpr: u64,
    lds: u64,
    waves: u64,
    barriers: u64,
}

/// Map of one resource: which granules are free, and the end of the granules that were taken last.
#[derive(Clone)]
struct Map {
    free: Vec<bool>,
    after: u64,
}

/// Free resources of a compute unit.
struct Unit {
    simds: Vec<(u64, Map)>,
    sgpr: Map,
    lds: Map,
    barriers: u64,
    workgroups: u64,
    pointer: u64,
    /// Waves that draw power, or did, as (launch, tick from which on, tick of the end, number of
    /// waves).
    activity: Vec<(LaunchId, u64, Option<u64>, u64)>,
}

/// Head (first workgroup) of a channel, as a question to the golden model names it.
#[derive(Clone, Copy)]
struct Head {
    launch: Launch,
    workgroup: u64,
    cut: Option<u64>,
}

/// Name of a wave of a cut workgroup, or of all waves of one, as (launch, workgroup, wave; `None`
/// for all).
type Name = (LaunchId, u64, Option<u64>);

/// State of a device as a log leaves it, and the number of answers that were asked of the golden
/// model.
pub(crate) struct State {
    of: String,
    shape: CuShape,
    settings: Value,
    units: Vec<Unit>,
    jobs: Vec<Job>,
    launches: BTreeMap<LaunchId, Launch>,
    streams: Vec<(ProcessId, StreamId)>,
    held: BTreeMap<Name, Part>,
    marks: Value,
    cursor: usize,
    draws: u64,
    /// Picoseconds that a decision (round) takes.
    round: u64,
    over: Option<u64>,
    /// Ends of workgroups that a search circuit, which serves the resources in turn, has not seen
    /// yet.
    late: VecDeque<(u64, Name)>,
    since: BTreeMap<usize, (LaunchId, u64, u64)>,
    failures: u64,
    waiting: Option<u64>,
    counted: Option<(u64, u64)>,
    facts: u64,
    cut: Vec<(LaunchId, u64)>,
    pub(crate) starts: u64,
    pub(crate) waits: u64,
    pub(crate) cuts: u64,
    /// Number of decisions (rounds) whose end was asked for.
    pub(crate) rounds: u64,
}

impl Map {
    fn new(granules: u64) -> Self {
        Self { free: vec![true; granules as usize], after: 0 }
    }

    fn asked(&self) -> Value {
        let digit = |free: &bool| if *free { '1' } else { '0' };
        json!({"free": self.free.iter().map(digit).collect::<String>(), "after": self.after})
    }

    /// Records that an answer has taken the granules `start..start + len`, so that next fit goes on
    /// behind them.
    fn gave(&mut self, start: u64, len: u64) {
        if len > 0 {
            self.after = start + len;
        }
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

fn set(map: &mut Map, start: u64, len: u64, free: bool) {
    let run = &mut map.free[start as usize..(start + len) as usize];
    assert!(run.iter().all(|it| *it != free), "taken once, and given back once");
    run.fill(free);
}

/// Lists the workgroups and compute units that a line of the log names.
fn pieces(line: &Value) -> Vec<(u64, usize)> {
    let mut all = Vec::new();
    for run in line["pieces"].as_array().expect("a list") {
        let at = |at: usize| run.get(at).map_or(1, number);
        for unit in 0..at(4) {
            for of_unit in 0..at(2) {
                let first = at(0) + at(5) * unit;
                all.push((first + at(1) * of_unit, (at(3) + unit) as usize));
            }
        }
    }
    all
}

impl State {
    /// Follows a log line by line, and asks the golden model for each of its answers, at most
    /// `most` of them.
    pub(crate) fn follow(log: &str, of: &str, most: u64) -> Self {
        let lines = spelled_out(log.as_bytes());
        let mut lines = lines.map(|line| -> Value {
            serde_json::from_str(&line.expect("it follows")).expect("it is JSON")
        });
        let header = lines.next().expect("a header");
        let mut state = Self::new(&header, of);
        for line in lines {
            if state.starts + state.waits + state.rounds >= most {
                break;
            }
            let now = line["t"].as_u64().unwrap_or_default();
            match (line["event"].as_str(), line["answer"].as_str()) {
                (Some("launch-ready"), _) => {
                    let launch: Launch =
                        serde_json::from_value(line["launch"].clone()).expect("a launch");
                    state.launches.insert(launch.id, launch);
                }
                (Some("waves-ended"), _) => state.ended(&line, now),
                (_, Some("submit")) => {
                    assert_eq!(line["cost"], 0);
                    let launch = state.launches[&id(&line)];
                    state.jobs.push(Job { launch, next: 0, cut: 0 });
                }
                (_, Some("refuse")) => {
                    let refused = id(&line);
                    state.jobs.retain(|job| job.launch.id != refused);
                }
                (_, Some("start")) => state.start(&line, now),
                (_, Some("wait")) => state.wait(&line, now),
                _ => {}
            }
        }
        state
    }

    fn new(header: &Value, of: &str) -> Self {
        let shape: CuShape = serde_json::from_value(header["shape"].clone()).expect("a shape");
        let sgpr = if shape.sgpr == u16::MAX { 0 } else { shape.sgpr };
        let unit = |_| Unit {
            simds: vec![
                (shape.waves_per_simd.into(), Map::new(shape.vgpr_per_simd.into()));
                shape.simds.into()
            ],
            sgpr: Map::new(sgpr.into()),
            lds: Map::new(shape.lds.into()),
            barriers: shape.barriers.into(),
            workgroups: shape.workgroups.into(),
            pointer: 0,
            activity: Vec::new(),
        };
        let mut state = Self {
            of: of.to_owned(),
            shape,
            settings: header["recipe"]["allocate"].clone(),
            units: (0..number(&header["cus"])).map(unit).collect(),
            jobs: Vec::new(),
            launches: BTreeMap::new(),
            streams: Vec::new(),
            held: BTreeMap::new(),
            marks: json!({}),
            cursor: 0,
            draws: 0,
            round: 0,
            over: None,
            late: VecDeque::new(),
            since: BTreeMap::new(),
            failures: 0,
            waiting: None,
            counted: None,
            facts: 0,
            cut: Vec::new(),
            starts: 0,
            waits: 0,
            cuts: 0,
            rounds: 0,
        };
        if let Some(mhz) = state.settings["decision"]["clock-mhz"].as_u64() {
            let clocks = number(&golden(&state.question(&[], 0))["decision"]["clocks"]);
            state.round = (clocks * 1_000_000).div_ceil(mhz);
        }
        state
    }

    fn of_setting(&self, key: &str) -> Option<&Value> {
        self.settings.get(key).filter(|value| !value.is_null())
    }

    /// Finds the head (first workgroup) of every channel: that of its first launch in the order of
    /// submissions.
    fn heads(&mut self, now: u64) -> Vec<Option<Head>> {
        let fold = self.settings["channels"].as_u64();
        let mut heads: Vec<Option<Head>> = Vec::new();
        for job in self.jobs.iter().filter(|job| job.next < job.launch.workgroups) {
            let stream = (job.launch.process, job.launch.stream);
            let known = self.streams.iter().position(|it| *it == stream);
            let at = known.unwrap_or_else(|| {
                self.streams.push(stream);
                self.streams.len() - 1
            });
            let channel = fold.map_or(at, |fold| at % fold as usize);
            heads.resize(heads.len().max(channel + 1), None);
            let cut = job.cut > 0 || self.cut.contains(&(job.launch.id, job.next));
            let cut = cut.then_some(job.cut);
            heads[channel].get_or_insert(Head { launch: job.launch, workgroup: job.next, cut });
        }
        for (channel, head) in heads.iter().enumerate() {
            let Some(head) = head else { continue };
            let name = (head.launch.id, head.workgroup);
            let since = self.since.entry(channel).or_insert((name.0, name.1, now));
            if (since.0, since.1) != name {
                *since = (name.0, name.1, now);
            }
        }
        // Marks may name channels that have no head now.
        heads.resize(heads.len().max(self.streams.len()), None);
        heads
    }

    /// Records the decisions (rounds) in which nothing fitted that passed in the meantime, and
    /// returns whether this one counts.
    fn counts(&mut self, now: u64) -> bool {
        let Some(split) = self.of_setting("split") else { return false };
        let retry = split["retry-ns"].as_u64();
        let retry = retry.or(split["retry-us"].as_u64().map(|us| us * 1000)).unwrap_or(10);
        let threshold = number(&split["threshold"]);
        if self.counted == Some((self.facts, now)) {
            return false;
        }
        self.counted = Some((self.facts, now));
        if let Some(since) = self.waiting.take().filter(|since| *since < now) {
            self.failures = (self.failures + (now - since - 1) / retry).min(threshold);
        }
        true
    }

    fn see(&mut self, now: u64) {
        while let Some((_, name)) = self.late.pop_front_if(|late| late.0 <= now) {
            self.release(name);
        }
    }

    fn wait(&mut self, line: &Value, now: u64) {
        let retry_at = line["retry-at"].as_u64().or(line["retry_at"].as_u64());
        if self.round > 0 {
            let ps = now * 1000;
            let goes_on = self.over.filter(|over| over + 1000 > ps);
            let over = goes_on.unwrap_or(ps + self.round);
            if over.div_ceil(1000) > now {
                if goes_on.is_none() {
                    // A round begins: the question tells when it is over.
                    let mut question = self.question(&[], 0);
                    (question["now"], question["marks"]) = (now.into(), json!({}));
                    assert_eq!(
                        golden(&question)["decision"]["t"].as_u64(),
                        retry_at,
                        "{}",
                        self.of
                    );
                    self.rounds += 1;
                }
                assert_eq!(retry_at, Some(over.div_ceil(1000)), "{}", self.of);
                self.over = Some(over);
                return;
            }
            self.over = None;
        }
        self.see(now);
        let heads = self.heads(now);
        if heads.iter().all(Option::is_none) {
            return;
        }
        let answer = if self.of_setting("split").is_none() || self.counts(now) {
            golden(&self.question(&heads, now))
        } else {
            return;
        };
        let context = format!("{line}\n{answer}\n{}", self.of);
        assert!(answer["target"].is_null(), "{context}");
        let split = &answer["split"];
        let unseen = self.late.front().map(|late| late.0);
        assert_eq!(
            split["retry-at"].as_u64().into_iter().chain(unseen).min(),
            retry_at,
            "{context}"
        );
        if self.of_setting("split").is_some() {
            self.waiting = split["retry-at"].as_u64().map(|_| now);
            self.failures = if split["action"] == "split" { 0 } else { number(&split["g"]) };
            self.note_cut(split, &heads);
        }
        self.waits += 1;
    }

    fn note_cut(&mut self, split: &Value, heads: &[Option<Head>]) {
        if let Some(channel) = split["channel"].as_u64() {
            let head = heads[channel as usize].expect("it was cut");
            self.cut.push((head.launch.id, head.workgroup));
            self.cuts += 1;
        }
    }

    fn start(&mut self, line: &Value, now: u64) {
        let all = pieces(line);
        let places = line["places"].as_array().expect("a log in full has addresses");
        let each = places.len() / all.len();
        for ((workgroup, cu), places) in all.into_iter().zip(places.chunks(each)) {
            self.see(now);
            let heads = self.heads(now);
            self.counts(now);
            let answer = golden(&self.question(&heads, now));
            let context = format!("{line}\n{answer}\n{}", self.of);
            let channel = number(&answer["target"]["channel"]) as usize;
            let head = heads[channel].expect("a head");
            assert_eq!((head.launch.id, head.workgroup), (id(line), workgroup), "{context}");
            assert_eq!(answer["target"]["cu"], cu, "{context}");
            self.note_cut(&answer["split"], &heads);
            let cut = line["cut"][0].as_u64();
            let starts_cut = head.cut.or((answer["split"]["action"] == "split").then_some(0));
            assert_eq!(cut, starts_cut, "{context}");
            if self.round > 0 {
                assert_eq!(answer["decision"]["t"], now, "{context}");
                let over = self.over.filter(|over| over + 1000 > now * 1000);
                self.over = Some(over.unwrap_or(now * 1000 + self.round) + self.round);
            }
            let part = self.lies(&answer["target"], head, (cu, places), &context);
            self.chosen(&answer, &heads, head);
            self.take((head.launch.id, workgroup, cut), part, now);
            self.starts += 1;
        }
    }

    /// Compares the addresses of the waves in the log with those of the golden model's answer, and
    /// returns where they are.
    fn lies(&self, target: &Value, head: Head, (cu, places): (usize, &[Value]), of: &str) -> Part {
        let demand = head.launch.demand;
        let start = |starts: &Value, name: &str| starts[name].as_u64().unwrap_or(0);
        let shared = &target["shared-starts"];
        let shared = if shared.is_null() { &target["shared_starts"] } else { shared };
        let simds = target["starts"].as_array().expect("a list");
        let mut lie: Vec<_> = simds.iter().map(|simd| (0, start(simd, "vgpr"))).collect();
        for (wave, place) in (0..).zip(places) {
            let at = number(&place[0]) as usize;
            let vgpr = lie[at].1 + lie[at].0 * u64::from(demand.vgpr);
            assert_eq!(number(&place[1]), vgpr, "{of}");
            lie[at].0 += 1;
            let sgpr = if self.shape.sgpr == u16::MAX { 0 } else { wave * u64::from(demand.sgpr) };
            assert_eq!(number(&place[2]), start(shared, "sgpr") + sgpr, "{of}");
            assert_eq!(number(&place[3]), start(shared, "lds"), "{of}");
        }
        let waves = places.len() as u64;
        let barriers = if waves < u64::from(demand.waves) { 0 } else { demand.barriers.into() };
        let (sgpr, lds) = (start(shared, "sgpr"), start(shared, "lds"));
        Part { cu, simds: lie, sgpr, lds, waves, barriers }
    }

    /// Keeps the state that the golden model's answer leaves: channels chosen lately, SIMD of the
    /// next surplus wave, and whether a random number was drawn.
    fn chosen(&mut self, answer: &Value, heads: &[Option<Head>], head: Head) {
        let of_head = |it: &Value| heads[number(&it["channel"]) as usize].expect("a head");
        let level = self.level(head);
        let candidates = answer["candidates"].as_array().expect("a list");
        let tied = candidates.iter().filter(|it| self.level(of_head(it)) == level);
        let tied: Vec<u64> = tied.map(|it| number(&it["channel"])).collect();
        let marked = self.marks[level.to_string()].as_array().cloned().unwrap_or_default();
        let open = tied.iter().filter(|it| !marked.contains(&Value::from(**it))).count();
        let choices = if open == 0 { tied.len() } else { open };
        self.draws += u64::from(tied.len() > 1 && choices > 1);
        self.marks = answer["marks"].clone();
        let target = &answer["target"];
        let cu = number(&target["cu"]) as usize;
        if let Some(at) = target["pointer"]["at"].as_u64() {
            self.units[cu].pointer = at;
        }
        self.cursor = (cu + 1) % self.units.len();
    }

    fn take(&mut self, name: Name, part: Part, now: u64) {
        self.hand(&name, &part, false);
        let demand = self.launches[&name.0].demand;
        let unit = &mut self.units[part.cu];
        for ((_, map), &(waves, start)) in unit.simds.iter_mut().zip(&part.simds) {
            map.gave(start, waves * u64::from(demand.vgpr));
        }
        unit.sgpr.gave(part.sgpr, part.waves * u64::from(demand.sgpr));
        unit.lds.gave(part.lds, demand.lds.into());
        self.units[part.cu].activity.push((name.0, now, None, part.waves));
        self.held.insert(name, part);
        (self.failures, self.waiting) = (0, None);
        self.facts += 1;
        let job = self.jobs.iter_mut().find(|job| job.launch.id == name.0).expect("it is there");
        let whole = u64::from(job.launch.demand.waves);
        match name.2 {
            Some(first) if first + 1 < whole => job.cut = first + 1,
            _ => {
                (job.next, job.cut) = (name.1 + 1, 0);
                self.cut.retain(|it| *it != (name.0, name.1));
            }
        }
    }

    fn hand(&mut self, name: &Name, part: &Part, free: bool) {
        let demand = self.launches[&name.0].demand;
        let unit = &mut self.units[part.cu];
        let by = |of: &mut u64, amount: u64| if free { *of += amount } else { *of -= amount };
        for ((slots, map), &(waves, start)) in unit.simds.iter_mut().zip(&part.simds) {
            by(slots, waves);
            set(map, start, waves * u64::from(demand.vgpr), free);
        }
        if !unit.sgpr.free.is_empty() {
            set(&mut unit.sgpr, part.sgpr, part.waves * u64::from(demand.sgpr), free);
        }
        set(&mut unit.lds, part.lds, demand.lds.into(), free);
        by(&mut unit.workgroups, 1);
        by(&mut unit.barriers, part.barriers);
    }

    fn release(&mut self, name: Name) {
        let part = self.held.remove(&name).expect("it lies there");
        self.hand(&name, &part, true);
    }

    fn ended(&mut self, line: &Value, now: u64) {
        let cut = line["cut"][0].as_u64();
        self.facts += 1;
        for (workgroup, cu) in pieces(line) {
            let name = (id(line), workgroup, cut);
            let waves = self.held[&name].waves;
            let drawn = self.units[cu].activity.iter_mut();
            let mut drawn = drawn.filter(|it| it.0 == name.0 && it.2.is_none() && it.3 == waves);
            drawn.next().expect("it ran").2 = Some(now);
            if self.round > 0 && self.settings["search"].get("shared").is_some() {
                let begins = (now * 1000).div_ceil(self.round) * self.round;
                self.late.push_back(((begins + self.round).div_ceil(1000), name));
            } else {
                self.release(name);
            }
        }
    }
}

fn id(line: &Value) -> LaunchId {
    LaunchId(number(&line["launch"]) as u32)
}
