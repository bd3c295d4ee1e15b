//! Which launches and wishes reach a controller in a schedule, and how late do reports come?

use raddle_policy::{Idempotence, Preemption};
use raddle_preempt::{Abilities, ControllerConfig, Declared, ResetScope};

use crate::random_numbers::Random;

/// A launch of a program in a schedule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    pub(crate) process: usize,
    pub(crate) stream: usize,
    pub(crate) at: u64,
    /// Number of workgroups; the next fields are how many run at a time, and the ticks of each such
    /// round.
    pub(crate) groups: u64,
    pub(crate) wide: u64,
    pub(crate) ticks: u64,
    pub(crate) idempotent: Idempotence,
    pub(crate) tests_flag: bool,
}

impl Job {
    /// Returns the number of rounds in which the workgroups run, one round after the other.
    pub(crate) fn rounds(&self) -> u64 {
        self.groups.div_ceil(self.wide)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Wish {
    Preempt(Preemption, Option<usize>),
    Resume,
    /// The program is over: nothing more is captured, and the process leaves as soon as it may.
    /// Launches that wait in its queues are dropped then.
    Leave,
}

/// A program, which is a process from its joining to its leaving. The controller gives the ids, so
/// a program that joins late may get the id of one that has left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program {
    pub(crate) level: u8,
    pub(crate) streams: usize,
    /// The tick at which the program joins; if it follows another one, not before that has left.
    /// The times of its jobs and wishes count from then.
    pub(crate) joins: u64,
    pub(crate) follows: Option<usize>,
    pub(crate) leaves: bool,
}

impl Program {
    /// The only program of a schedule: it is there from the beginning and never leaves.
    pub(crate) const ONLY: Self =
        Self { level: 0, streams: 1, joins: 0, follows: None, leaves: false };
}

/// The largest delays of a simulated runtime, in ticks; each delay is drawn anew up to its bound.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Late {
    /// Most ticks from a store to the flag, up or down, until launches see it.
    pub(crate) flag: u64,
    /// Most ticks from the command to reset until running launches are killed.
    pub(crate) reset: u64,
    /// Most ticks from the command to submit until the call has returned and the launch is in the
    /// runtime.
    pub(crate) submit: u64,
    /// Most ticks from the start or end of a launch until the host hears of it.
    pub(crate) report: u64,
    /// Share of submit calls that the runtime refuses, in percent; only where calls return at once.
    pub(crate) refused: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) declared: Declared,
    pub(crate) options: ControllerConfig,
    pub(crate) processes: Vec<Program>,
    pub(crate) exit: u64,
    pub(crate) reset: u64,
    pub(crate) save: u64,
    pub(crate) late: Late,
}

#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    pub(crate) setup: Setup,
    /// The jobs of all processes, in the order of their times within each process.
    pub(crate) jobs: Vec<Job>,
    pub(crate) wishes: Vec<(u64, usize, Wish)>,
    /// The seed of the random delays of reports.
    pub(crate) seed: u64,
}

/// Returns the runtime, settings and program of the digest's worked runs.
pub(crate) fn digest_setup() -> Setup {
    let abilities = Abilities::NONE.with(Preemption::Flag, true).with(Preemption::Reset, true);
    Setup {
        declared: Declared {
            abilities,
            latched: true,
            withdraws: false,
            scope: ResetScope::Process,
        },
        options: ControllerConfig::default(),
        processes: vec![Program::ONLY],
        exit: 1,
        reset: 2,
        save: 0,
        late: Late::default(),
    }
}

/// Draws a schedule as check 11 of the digest asks: random launches of 1 to 12 ticks, 80 %
/// idempotent, and 1 to 3 pairs of preempt and resume.
pub(crate) fn of_the_digest(seed: u64) -> Schedule {
    let mut random = Random(seed);
    let setup = digest_setup();
    let mut at = 0;
    let mut jobs = Vec::new();
    for _ in 0..1 + random.to(23) {
        let idempotent =
            if random.percent(80) { Idempotence::Idempotent } else { Idempotence::Not };
        let ticks = 1 + random.to(11);
        jobs.push(Job {
            process: 0,
            stream: 0,
            at,
            groups: 1,
            wide: 1,
            ticks,
            idempotent,
            tests_flag: true,
        });
        at += random.one(&[0, 0, 0, 2, 7]);
    }
    let mut wishes = Vec::new();
    let mut now = 0;
    for _ in 0..1 + random.to(2) {
        now += random.to(40);
        wishes.push((now, 0, Wish::Preempt(Preemption::Reset, None)));
        now += random.to(30);
        wishes.push((now, 0, Wish::Resume));
    }
    Schedule { setup, jobs, wishes, seed }
}

/// Draws a schedule without restriction: several processes and streams that come and go, any
/// method, any ability, all reports late.
pub(crate) fn anything(seed: u64) -> Schedule {
    let random = &mut Random(seed);
    let setup = setup(random);
    let mut jobs = Vec::new();
    let mut wishes = Vec::new();
    let all = setup.processes.len();
    for (process, &program) in setup.processes.iter().enumerate() {
        let mut at = 0;
        let killable = random.one(&[100, 90, 60]);
        for _ in 0..random.to(13) {
            at += random.one(&[0, 0, 0, 1, 5, 15]);
            jobs.push(job(random, (process, program), at, killable));
        }
        let mut now = random.to(30);
        for _ in 0..random.to(3) {
            wishes.push((now, process, preempt(random, all)));
            if random.percent(20) {
                now += random.to(3);
                wishes.push((now, process, Wish::Resume));
                wishes.push((now, process, preempt(random, all)));
            }
            now += random.one(&[0, 1, 10, 40]);
            wishes.push((now, process, Wish::Resume));
            now += random.one(&[0, 1, 3, 20]);
        }
        // The program leaves in the middle of its work, or right after one of its launches was
        // captured.
        if program.leaves {
            let any = random.to(60);
            let when = random.one(&[at, any, now]);
            wishes.push((when, process, Wish::Leave));
        }
    }
    jobs.sort_by_key(|job| job.at);
    wishes.sort_by_key(|(at, ..)| *at);
    Schedule { setup, jobs, wishes, seed }
}

fn job(random: &mut Random, (process, program): (usize, Program), at: u64, killable: u64) -> Job {
    Job {
        process,
        stream: random.to(program.streams as u64 - 1) as usize,
        at,
        groups: random.one(&[1, 1, 2, 3]),
        wide: 1,
        ticks: 1 + random.to(7),
        idempotent: if random.percent(killable) {
            Idempotence::Idempotent
        } else {
            random.one(&[Idempotence::Not, Idempotence::Unknown])
        },
        tests_flag: random.percent(95),
    }
}

fn preempt(random: &mut Random, processes: usize) -> Wish {
    let way = random.one(&[
        Preemption::Reset,
        Preemption::Reset,
        Preemption::Reset,
        Preemption::Flag,
        Preemption::Flag,
        Preemption::Wait,
        Preemption::Drain,
        Preemption::Switch,
    ]);
    let by = random.to(processes as u64 - 1) as usize;
    Wish::Preempt(way, random.percent(20).then_some(by))
}

/// Draws one to five programs: at most two from the start; later ones join in the middle of a run,
/// or in the tick in which another one leaves.
fn programs(random: &mut Random) -> Vec<Program> {
    let mut all: Vec<Program> = Vec::new();
    for at in 0..1 + random.to(4) {
        let late = at >= 2;
        let leader = late.then(|| random.to(at - 1) as usize);
        all.push(Program {
            level: random.to(2) as u8,
            streams: 1 + random.to(2) as usize,
            joins: if late { random.to(40) } else { 0 },
            follows: leader.filter(|&leader| all[leader].leaves),
            leaves: random.percent(60),
        });
    }
    all
}

fn setup(random: &mut Random) -> Setup {
    let abilities = random.abilities(50);
    let scope = random.one(&[ResetScope::Process, ResetScope::Device]);
    let most_kills = random.one(&[None, None, Some(1), Some(2)]);
    let processes = programs(random);
    let submit = random.one(&[0, 0, 2]);
    Setup {
        declared: Declared {
            abilities,
            latched: random.percent(60),
            withdraws: random.percent(50),
            scope,
        },
        processes,
        options: ControllerConfig::default()
            .with_window(random.one(&[1, 2, 3, 8, 8]))
            .with_most_waiting(None)
            .with_most_kills(most_kills),
        exit: random.one(&[1, 1, 3]),
        reset: random.to(4),
        save: random.to(4),
        late: Late {
            flag: random.one(&[0, 1, 4]),
            reset: random.one(&[0, 3]),
            submit,
            report: random.one(&[0, 0, 1, 4]),
            refused: if submit == 0 { random.one(&[0, 10]) } else { 0 },
        },
    }
}
