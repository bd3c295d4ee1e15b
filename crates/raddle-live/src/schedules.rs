//! Does a client lose, double, overtake or wrongly kill any launch, in whatever order its threads
//! run?
//!
//! Random schedules without threads: each step of host, scheduler, worker and device is a call that
//! takes the client's lock once, and the next step is drawn at random.

#[path = "../tests/live/fake.rs"]
mod fake;

use raddle_policy::{Idempotence, Preemption, StreamId};
use raddle_preempt::{CapturedWork, Command, ControllerConfig, Runtime, Task};

use self::fake::{Card, Fake, Faults, Job, Random, declared};
use crate::client::board::Board;
use crate::client::core::Core;
use crate::client::{ClientConfig, PROCESS, Reporter, Until};
use crate::sync::{Arc, Mutex};

/// Most steps of one random schedule (sequence of calls by host, worker and device) in the test.
/// That is ten times the length of the longest schedule that was seen to end.
const MOST_STEPS: u32 = 20_000;

/// Counts of the faults and events that occurred in all random schedules of the test together.
#[derive(Debug, Default)]
struct Met {
    faults: Faults,
    hangs: u64,
    exits: u64,
    kills: u64,
    launches: u64,
}

struct RandomSchedule {
    board: Arc<Board<Job>>,
    card: Arc<Mutex<Card>>,
    runtime: Fake,
    /// Task that some thread of the schedule will carry out next; that thread has the GPU runtime
    /// locked. `None` where no thread has it locked.
    in_hand: Option<Task<Job>>,
    random: Random,
    streams: Vec<StreamId>,
    jobs: Vec<Job>,
    captured: usize,
    wishes: u64,
    last: Option<raddle_preempt::CaptureOrder>,
}

impl RandomSchedule {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let window = 1 + random.to(2) as u32;
        let most_kills = Some(1 + random.to(1) as u32);
        let controller = ControllerConfig::default()
            .with_window(window)
            .with_most_kills(most_kills)
            .with_most_waiting(None);
        let options = ClientConfig { controller, ..ClientConfig::default() };
        let board = Arc::new(Board::new(declared(), options, None).unwrap());
        let card = Arc::new(Mutex::new(Card::new(window as usize, random.to(u64::MAX - 1))));
        let reporter = Reporter(Arc::clone(&board));
        let runtime = Fake { card: Arc::clone(&card), reporter, claims: random.to(1) == 0 };
        let streams: Vec<StreamId> =
            (0..=random.to(1)).map(|_| board.host(Core::open).unwrap()).collect();
        let jobs = (0..=1 + random.to(6) as u32).map(|number| {
            let stream = streams[random.to(streams.len() as u64 - 1) as usize].0;
            let idempotent = random.to(3) > 0;
            let verdict = if idempotent { Idempotence::Idempotent } else { Idempotence::Not };
            Job { number, stream, verdict }
        });
        let jobs = jobs.collect();
        let wishes = 2 + random.to(4);
        let (in_hand, captured, last) = (None, 0, None);
        Self { board, card, runtime, in_hand, random, streams, jobs, captured, wishes, last }
    }

    fn capture(&mut self) {
        let job = self.jobs[self.captured];
        self.captured += 1;
        let work = CapturedWork::kernel(job, job.verdict);
        let (stream, free) = (StreamId(job.stream), self.in_hand.is_none());
        assert!(self.streams.contains(&stream));
        let (captured, task) = self.board.host(|core| {
            let captured = core.captured(stream, work).unwrap();
            (captured, free.then(|| core.take()).flatten())
        });
        self.last = captured.order();
        self.in_hand = self.in_hand.take().or(task);
    }

    fn wish(&mut self) {
        self.wishes -= 1;
        let ways = [Preemption::Wait, Preemption::Flag, Preemption::Reset, Preemption::Reset];
        match self.random.to(9) {
            // The last wish lets everything end.
            _ if self.wishes == 0 => self.board.host(Core::resume),
            0..=4 => {
                let way = ways[self.random.to(3) as usize];
                self.preempt(way);
            }
            5 => drop(self.board.host(|core| core.escalate(Preemption::Reset))),
            6 => self.board.host(Core::pause),
            _ => self.board.host(Core::resume),
        }
    }

    /// Begins a preemption by the method `way`, and takes its first task if no thread has the GPU
    /// runtime locked.
    fn preempt(&mut self, way: Preemption) {
        let free = self.in_hand.is_none();
        let (_, task) =
            self.board.preempt(None, way, |core| free.then(|| core.take_leaving()).flatten());
        self.in_hand = self.in_hand.take().or(task);
    }

    fn work(&mut self) {
        match self.in_hand.take() {
            None => self.in_hand = self.board.take(),
            Some(task) => {
                self.board.carry_out(task, &mut self.runtime as &mut (dyn Runtime<Job> + Send));
            }
        }
    }

    fn happen(&mut self) {
        let step = self.card.lock().unwrap().step();
        if let Some(Some(report)) = step {
            let heard = self.board.report(report);
            self.card.lock().unwrap().faults.refused += u64::from(heard.is_err());
        }
    }

    fn has_ended(&self) -> bool {
        let reached = |order| self.board.reached(Until::All(order));
        self.captured == self.jobs.len() && self.wishes == 0 && self.last.is_none_or(reached)
    }

    fn play(mut self, met: &mut Met) {
        let mut steps = 0;
        while !self.has_ended() && steps < MOST_STEPS {
            steps += 1;
            match self.random.to(9) {
                0 if self.captured < self.jobs.len() => self.capture(),
                1 if self.wishes > 0 && (self.wishes > 1 || steps > 40) => self.wish(),
                2..=6 => self.work(),
                _ => self.happen(),
            }
        }
        let card = self.card.lock().unwrap();
        met.hangs += u64::from(steps == MOST_STEPS);
        let Faults { order, doubled, window, wrongly_killed, refused, .. } = card.faults;
        met.faults.order += order;
        met.faults.doubled += doubled;
        met.faults.window += window;
        met.faults.wrongly_killed += wrongly_killed;
        met.faults.refused += refused;
        met.faults.lost += self.jobs.len() as u64 - card.count;
        (met.exits, met.kills) = (met.exits + card.exits, met.kills + card.kills);
        met.launches += self.jobs.len() as u64;
        assert_eq!(self.board.host(|core| core.counts()).unasked, 0, "nothing leaves by itself");
    }
}

#[test]
fn random_schedules_lose_double_overtake_and_wrongly_kill_nothing() {
    let schedules =
        std::env::var("RADDLE_SCHEDULES").map_or(20_000, |count| count.parse().unwrap());
    let mut met = Met::default();
    for seed in 0..schedules {
        RandomSchedule::new(seed).play(&mut met);
        assert_eq!((met.faults, met.hangs), (Faults::default(), 0), "seed {seed}");
    }
    assert!(met.exits > schedules / 10 && met.kills > schedules / 20, "{met:?}");
    println!("{schedules} schedules: {met:?}");
}

#[test]
fn a_preemption_that_does_not_end_is_given_up_once() {
    let options = ClientConfig { give_up: std::time::Duration::ZERO, ..ClientConfig::default() };
    let board: Board<Job> = Board::new(declared(), options, None).unwrap();
    assert_eq!(board.host(|core| core.until_given_up(0)), None);
    assert_eq!(board.host(|core| core.counts().given_up), 0);
    assert!(board.preempt(None, Preemption::Flag, |_| ()).0);
    assert_eq!(board.host(|core| (core.until_given_up(0), core.until_given_up(0))), (None, None));
    assert_eq!(board.host(|core| core.counts().given_up), 1);
    // The preemption goes on, and ends.
    let command = |task: Option<Task<Job>>| task.map(|task| task.command());
    assert!(matches!(command(board.take()), Some(Command::Raise { .. })));
    board.report(raddle_preempt::Report::Raised(PROCESS)).unwrap();
    assert!(matches!(command(board.take()), Some(Command::Drained { .. })));
    assert_eq!(board.host(|core| core.counts().driver.drained()), 1);
}
