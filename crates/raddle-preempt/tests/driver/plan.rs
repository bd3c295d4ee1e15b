//! Which acts of programs and hosts does a random plan draw, and at which ticks?

use raddle_policy::{Idempotence, Preemption};
use raddle_preempt::{ControllerConfig, Declared, ResetScope};

use crate::random_numbers::Random;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Kernel,
    Copy,
    Record,
    /// A wait for the event that the process recorded last.
    Wait,
    Graph,
    Collective,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    pub(crate) kind: Kind,
    pub(crate) ticks: u64,
    pub(crate) idempotent: Idempotence,
    /// True if the verdict whether the job may be run again is reported at its submission, not at
    /// its capture.
    pub(crate) late_verdict: bool,
    /// True if the runtime refuses the job for good; the next field, if it dies after it has begun.
    pub(crate) refused: bool,
    pub(crate) dies: bool,
}

impl Job {
    pub(crate) fn tests_flag(&self) -> bool {
        matches!(self.kind, Kind::Kernel | Kind::Graph)
    }

    pub(crate) fn may_be_killed(&self) -> bool {
        self.idempotent == Idempotence::Idempotent && self.kind != Kind::Collective
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Act {
    Capture {
        stream: usize,
        job: Job,
    },
    /// Closes a stream and opens another one, which takes its place in the program.
    Reopen {
        stream: usize,
    },
    Hold {
        stream: usize,
    },
    Release {
        stream: usize,
    },
    Preempt(Preemption),
    Escalate(Preemption),
    Pause,
    Resume,
    /// The process dies, and another process joins in its place.
    Lose,
}

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) declared: Declared,
    pub(crate) options: ControllerConfig,
    pub(crate) streams: Vec<usize>,
    pub(crate) parts: Vec<u16>,
    /// The acts of the plan as (tick, index of the program, act), in the order of ticks.
    pub(crate) acts: Vec<(u64, usize, Act)>,
    /// The largest delay, in ticks, of a flag, a reset, a submit call and a report; each is drawn
    /// anew.
    pub(crate) late: u64,
    pub(crate) claims: bool,
    pub(crate) seed: u64,
}

impl Plan {
    pub(crate) fn random(seed: u64) -> Self {
        let random = &mut Random(seed);
        let abilities = random.abilities(60);
        let scope = random.one(&[
            ResetScope::Launch,
            ResetScope::Queue,
            ResetScope::Queue,
            ResetScope::Process,
            ResetScope::Process,
            ResetScope::Partition,
            ResetScope::Device,
        ]);
        let declared = Declared {
            abilities,
            latched: random.percent(70),
            withdraws: random.percent(60),
            scope,
        };
        let options = ControllerConfig::default()
            .with_window(random.one(&[1, 2, 3, 8, 8]))
            .with_most_waiting(random.one(&[None, None, Some(3)]))
            .with_most_kills(random.one(&[None, None, Some(1), Some(1)]));
        let programs = 1 + random.to(2) as usize;
        let streams: Vec<usize> = (0..programs).map(|_| 1 + random.to(2) as usize).collect();
        let parts = (0..programs).map(|_| random.to(1) as u16).collect();
        let mut acts = Vec::new();
        for (program, &lanes) in streams.iter().enumerate() {
            acts.extend(Self::program(random, lanes).into_iter().map(|(at, it)| (at, program, it)));
        }
        acts.sort_by_key(|(at, ..)| *at);
        let late = random.one(&[0, 0, 1, 4]);
        Self { declared, options, streams, parts, acts, late, claims: random.percent(60), seed }
    }

    fn program(random: &mut Random, lanes: usize) -> Vec<(u64, Act)> {
        let mut acts = Vec::new();
        let killable = random.one(&[100, 90, 60]);
        let mut at = 0;
        for _ in 0..4 + random.to(14) {
            at += random.one(&[0, 0, 0, 1, 4, 12]);
            let stream = random.to(lanes as u64 - 1) as usize;
            acts.push((at, Act::Capture { stream, job: job(random, killable) }));
            if random.percent(3) {
                acts.push((at, Act::Reopen { stream }));
            }
            if random.percent(6) {
                acts.push((at, Act::Hold { stream }));
                acts.push((at + random.to(30), Act::Release { stream }));
            }
        }
        let mut now = random.to(25);
        for _ in 0..1 + random.to(5) {
            acts.push((now, Act::Preempt(way(random))));
            if random.percent(10) {
                acts.push((now + 1 + random.to(3), Act::Lose));
            }
            for _ in 0..random.to(2) {
                acts.push((now + random.to(8), Act::Escalate(way(random))));
            }
            now += random.one(&[0, 1, 5, 10, 40]);
            acts.push((now, Act::Resume));
            now += random.one(&[0, 1, 3, 20]);
            if random.percent(20) {
                acts.push((now, Act::Pause));
                now += random.to(10);
                acts.push((now, Act::Resume));
            }
        }
        if random.percent(25) {
            acts.push((random.to(now.max(at)), Act::Lose));
        }
        acts
    }
}

fn way(random: &mut Random) -> Preemption {
    random.one(&[
        Preemption::Reset,
        Preemption::Reset,
        Preemption::Flag,
        Preemption::Flag,
        Preemption::Wait,
        Preemption::Drain,
        Preemption::Switch,
    ])
}

fn job(random: &mut Random, killable: u64) -> Job {
    let kind = random.one(&[
        Kind::Kernel,
        Kind::Kernel,
        Kind::Kernel,
        Kind::Kernel,
        Kind::Kernel,
        Kind::Copy,
        Kind::Record,
        Kind::Wait,
        Kind::Graph,
        Kind::Collective,
    ]);
    let kind = if kind == Kind::Collective && random.percent(60) { Kind::Kernel } else { kind };
    let kernel = matches!(kind, Kind::Kernel | Kind::Graph);
    let idempotent = if kernel && random.percent(killable) {
        Idempotence::Idempotent
    } else {
        random.one(&[Idempotence::Not, Idempotence::Unknown])
    };
    Job {
        kind,
        ticks: 1 + random.to(7),
        idempotent,
        late_verdict: kernel && random.percent(30),
        refused: random.percent(2),
        dies: random.percent(2),
    }
}
