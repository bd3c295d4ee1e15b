//! Turn policy: whose turn is it, if the process is drawn by lot?

use raddle_policy::{ProcessId, ProcessState, Tick, Ticks, Turn};

/// Turn policy that draws by lot, once a slice, the process that has the turn, with as many tickets
/// for each process as its share. Equal seeds draw equal processes.
///
/// The policy draws only among the processes of the most urgent level where raddle's policy
/// `HighestLevel` stands before it:
///
/// ```
/// use outside_policy::Lottery;
/// use raddle_dispatch::slots::HighestLevel;
/// use raddle_policy::{Preemption, Ticks, Turn, preempt_fn};
/// use raddle_sim::Script;
///
/// let turn = HighestLevel.then(Lottery::new(7, Ticks(50)));
/// let script = Script::on("1x1").join(0, 3).join(1, 1);
/// let script = script.launch(0).level(5).workgroups(40).launch(1).level(5).workgroups(40).at(60).launch(2);
/// let drain = preempt_fn(|_, _| Some(Preemption::Drain));
/// let builder = script.builder().turn("urgent-then-drawn", turn).preempt("drain", drain);
/// let mut dispatcher = builder.build()?;
/// let transcript = script.run(&mut dispatcher)?.to_string();
/// // The urgent one starts before the others are done.
/// let at = |launch: &str| transcript.find(&format!("{launch}  start"));
/// assert!(at("k2").is_some() && at("k2") < transcript.rfind("k0  start"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Lottery {
    state: u64,
    slice: Ticks,
}

impl Lottery {
    /// Returns a policy that draws a process by the random seed `seed`, once in each slice; `slice`
    /// is its length, 1 tick (ns) or more.
    #[must_use]
    pub const fn new(seed: u64, slice: Ticks) -> Self {
        Self { state: seed | 1, slice }
    }

    /// Returns the next number of a xorshift random generator, by which a process is drawn.
    const fn draw(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }
}

impl Turn for Lottery {
    fn turn(
        &mut self,
        processes: &[ProcessState],
        now: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick> {
        let tickets: u64 = processes.iter().map(|process| u64::from(process.share)).sum();
        if tickets == 0 {
            return None;
        }
        let mut drawn = self.draw() % tickets;
        let winner = processes.iter().find(|process| {
            let left = drawn.checked_sub(process.share.into());
            drawn = left.unwrap_or(drawn);
            left.is_none()
        });
        may_issue.extend(winner.map(|process| process.id));
        // A process that is alone keeps the turn.
        (processes.len() > 1).then_some(now + self.slice)
    }
}
