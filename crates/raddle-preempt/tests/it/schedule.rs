//! What is done to a controller: launches, wishes, and a runtime that is late now and then?

use raddle_preempt::{Abilities, Declared, Options, Scope, Way};
use raddle_types::Idempotence;

/// A launch of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    pub(crate) process: usize,
    pub(crate) stream: usize,
    pub(crate) at: u64,
    /// Rounds of workgroups, one after the other, and the ticks of each.
    pub(crate) rounds: u64,
    pub(crate) ticks: u64,
    pub(crate) idempotent: Idempotence,
    pub(crate) tests_flag: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Wish {
    Preempt(Way, Option<usize>),
    Resume,
}

/// How late things are, in ticks at most; each time drawn anew.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Late {
    /// From a store to the flag until launches see it; the same to lower it.
    pub(crate) flag: u64,
    /// From the reset's command until it hits.
    pub(crate) reset: u64,
    /// From a submit command until the call returns and the launch is in the runtime.
    pub(crate) submit: u64,
    /// From the start or end of a launch until the host hears of it.
    pub(crate) report: u64,
    /// Submit calls that the runtime refuses, in percent; only where calls return at once.
    pub(crate) refused: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) declared: Declared,
    pub(crate) options: Options,
    /// Level and streams of each process.
    pub(crate) processes: Vec<(u8, usize)>,
    pub(crate) exit: u64,
    pub(crate) reset: u64,
    pub(crate) save: u64,
    pub(crate) late: Late,
}

#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    pub(crate) setup: Setup,
    /// By time.
    pub(crate) jobs: Vec<Job>,
    pub(crate) wishes: Vec<(u64, usize, Wish)>,
    /// What is late by how much is drawn from this.
    pub(crate) seed: u64,
}

/// splitmix64: deterministic.
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to `most`.
    pub(crate) fn to(&mut self, most: u64) -> u64 {
        self.draw() % (most + 1)
    }

    pub(crate) fn percent(&mut self, share: u64) -> bool {
        self.to(99) < share
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.to(of.len() as u64 - 1) as usize]
    }
}

/// The GPU of the digest's worked runs.
pub(crate) fn digest_setup() -> Setup {
    let abilities = Abilities { can_flag: true, can_reset: true, ..Abilities::NONE };
    Setup {
        declared: Declared { abilities, latched: true, scope: Scope::Process },
        options: Options::default(),
        processes: vec![(0, 1)],
        exit: 1,
        reset: 2,
        save: 0,
        late: Late::default(),
    }
}

/// Check 11 of the digest: random launches, durations 1 to 12, 80 % idempotent, 1 to 3 pairs.
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
            rounds: 1,
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
        wishes.push((now, 0, Wish::Preempt(Way::Reset, None)));
        now += random.to(30);
        wishes.push((now, 0, Wish::Resume));
    }
    Schedule { setup, jobs, wishes, seed }
}

/// Anything: several processes and streams, every way, every ability, everything late.
pub(crate) fn anything(seed: u64) -> Schedule {
    let random = &mut Random(seed);
    let setup = setup(random);
    let mut jobs = Vec::new();
    let mut wishes = Vec::new();
    for (process, &(_, streams)) in setup.processes.iter().enumerate() {
        let mut at = 0;
        let killable = random.one(&[100, 90, 60]);
        for _ in 0..random.to(13) {
            at += random.one(&[0, 0, 0, 1, 5, 15]);
            jobs.push(Job {
                process,
                stream: random.to(streams as u64 - 1) as usize,
                at,
                rounds: random.one(&[1, 1, 2, 3]),
                ticks: 1 + random.to(7),
                idempotent: if random.percent(killable) {
                    Idempotence::Idempotent
                } else {
                    random.one(&[Idempotence::Not, Idempotence::Unknown])
                },
                tests_flag: random.percent(95),
            });
        }
        let mut now = random.to(30);
        for _ in 0..random.to(3) {
            wishes.push((now, process, preempt(random, setup.processes.len())));
            if random.percent(20) {
                now += random.to(3);
                wishes.push((now, process, Wish::Resume));
                wishes.push((now, process, preempt(random, setup.processes.len())));
            }
            now += random.one(&[0, 1, 10, 40]);
            wishes.push((now, process, Wish::Resume));
            now += random.one(&[0, 1, 3, 20]);
        }
    }
    jobs.sort_by_key(|job| job.at);
    wishes.sort_by_key(|(at, ..)| *at);
    Schedule { setup, jobs, wishes, seed }
}

fn preempt(random: &mut Random, processes: usize) -> Wish {
    let way = random.one(&[
        Way::Reset,
        Way::Reset,
        Way::Reset,
        Way::Flag,
        Way::Flag,
        Way::Wait,
        Way::Drain,
        Way::Switch,
    ]);
    let by = random.to(processes as u64 - 1) as usize;
    Wish::Preempt(way, random.percent(20).then_some(by))
}

fn setup(random: &mut Random) -> Setup {
    let can_flag = random.percent(90);
    let abilities = Abilities {
        can_flag,
        can_drain: random.percent(50),
        can_reset: can_flag && random.percent(80),
        can_switch: random.percent(50),
    };
    let scope = random.one(&[Scope::Process, Scope::Device]);
    let most_kills = random.one(&[None, None, Some(1), Some(2)]);
    let processes = 0..1 + random.to(2);
    let processes = processes.map(|_| (random.to(2) as u8, 1 + random.to(2) as usize)).collect();
    let submit = random.one(&[0, 0, 2]);
    Setup {
        declared: Declared { abilities, latched: random.percent(60), scope },
        processes,
        options: Options { window: random.one(&[1, 2, 3, 8, 8]), most_kills },
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
