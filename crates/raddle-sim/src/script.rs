//! What does a dispatcher do with a few launches, action by action?
//!
//! Tests compare the actions with snapshots. Times are ticks; a launch lasts as long as the script
//! says.

use std::collections::BTreeMap;
use std::fmt;

use raddle_dispatch::{
    Builder, Composed, DispatchError, Dispatcher, PreemptionTally, Standstill, TurnTally,
};
use raddle_policy::{
    Action, Actions, Activity, Barrier, CuId, CuShape, Demand, Event, Free, Hint, Idempotence,
    KernelCall, Level, Piece, ProcessId, StreamId, Tick, Ticks, WaveSpan,
};
use serde::Serialize;

use crate::plan::Costs;
use crate::workload::{ProcessPlan, Task, Work, Workload};
use crate::{EnergyModel, SimConfig, SimError, run};

/// A small simulated run written by hand: a device, and the launches and hints that come to it,
/// each at a tick.
///
/// ```
/// use raddle_sim::Script;
/// use raddle_dispatch::slots::HighestLevel;
///
/// let script = Script::on("1x2").launch(0).level(5).workgroups(2).waves(8).at(50).launch(1);
/// let mut dispatcher = script.builder().turn("highest-level", HighestLevel).build()?;
/// let transcript = script.run(&mut dispatcher)?;
/// assert_eq!(transcript.to_string().lines().nth(1), Some("  0  k0  start    w0@cu0"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Script {
    shape: CuShape,
    cus: u16,
    at: Ticks,
    /// The tick at which a process joins, and the share of the process, by process; a process that
    /// is not listed joins at tick 0.
    joined: BTreeMap<u16, (Ticks, u32)>,
    launches: Vec<(u16, Task)>,
    hints: Vec<(u16, Ticks, Option<StreamId>, Hint)>,
}

impl Script {
    /// Returns an empty script for a device such as `4x2`: four compute units of two SIMDs each. A
    /// SIMD has 4 wave slots and 16 granules of vector registers; a compute unit has 8 workgroup
    /// slots, 16 granules of LDS and 8 barriers. Any other text gives a device without compute
    /// units, for which no dispatcher can be built.
    pub fn on(device: &str) -> Self {
        let read = |(cus, simds): (&str, &str)| Some((cus.parse().ok()?, simds.parse().ok()?));
        let (cus, simds) = device.split_once('x').and_then(read).unwrap_or_default();
        let shape = CuShape {
            simds,
            waves_per_simd: 4,
            vgpr_per_simd: 16,
            sgpr: u16::MAX,
            lds: 16,
            workgroups: 8,
            barriers: 8,
        };
        Self {
            shape,
            cus,
            at: Ticks::ZERO,
            joined: BTreeMap::new(),
            launches: Vec::new(),
            hints: Vec::new(),
        }
    }

    /// Makes a process join at the present tick of the script, with a share of 1 or more, by which
    /// its weight is multiplied where the device is divided among processes. Without this call, the
    /// process joins at tick 0 with share 1.
    pub fn join(mut self, process: u16, share: u32) -> Self {
        self.joined.insert(process, (self.at, share));
        self
    }

    /// Sets the present tick of the script, at which everything happens that later calls add.
    pub const fn at(mut self, tick: u64) -> Self {
        self.at = Ticks(tick);
        self
    }

    /// Adds a launch of a process that becomes ready at the present tick of the script. It has
    /// level 0, one workgroup of one wave that lasts 100 ticks, no barrier, and a stream of its
    /// own; later calls change it.
    pub fn launch(mut self, process: u16) -> Self {
        self.joined.entry(process).or_insert((Ticks::ZERO, 1));
        let work = Work::Kernel {
            workgroups: 1,
            workgroup: Ticks(100),
            demand: Demand { waves: 1, vgpr: 1, ..Demand::default() },
            barrier: Barrier::No,
            context_bytes: 0,
        };
        let stream = StreamId(self.launches.iter().filter(|(of, _)| *of == process).count() as u32);
        let task = Task {
            stream,
            level: Level::MOST_URGENT,
            arrival: self.at,
            after: None,
            gap: None,
            idempotent: Idempotence::Unknown,
            activity: Activity::UNKNOWN,
            call: KernelCall::UNKNOWN,
            peers: None,
            work,
        };
        self.launches.push((process, task));
        self
    }

    /// Adds a hint that the program of a process gives at the present tick of the script.
    pub fn hint(mut self, process: u16, hint: Hint) -> Self {
        self.joined.entry(process).or_insert((Ticks::ZERO, 1));
        self.hints.push((process, self.at, None, hint));
        self
    }

    /// Puts the last added launch into this stream of its process, behind the launches that are in
    /// it already.
    pub fn stream(self, stream: u32) -> Self {
        self.last(|task| task.stream = StreamId(stream))
    }

    /// Sets the level of urgency of the last added launch; 0 is the most urgent.
    pub fn level(self, level: u8) -> Self {
        self.last(|task| task.level = Level(level))
    }

    /// Sets the number of workgroups of the last added launch.
    pub fn workgroups(self, count: u64) -> Self {
        self.kernel(|workgroups, _, _| *workgroups = count)
    }

    /// Sets the number of waves of each workgroup of the last added launch.
    pub fn waves(self, count: u16) -> Self {
        self.kernel(|_, _, demand| demand.waves = count)
    }

    /// Sets the resources that each workgroup of the last added launch takes, in granules (the
    /// units in which the device gives them out).
    pub fn demand(self, takes: Demand) -> Self {
        self.kernel(|_, _, demand| *demand = takes)
    }

    /// Sets the number of ticks that each workgroup of the last added launch lasts.
    pub fn lasts(self, ticks: u64) -> Self {
        self.kernel(|_, lasts, _| *lasts = Ticks(ticks))
    }

    /// Marks the last added launch as idempotent: it may be killed part-way and run again.
    pub fn idempotent(self) -> Self {
        self.last(|task| task.idempotent = Idempotence::Idempotent)
    }

    fn last(mut self, change: impl FnOnce(&mut Task)) -> Self {
        if let Some((_, task)) = self.launches.last_mut() {
            change(task);
        }
        self
    }

    fn kernel(self, change: impl FnOnce(&mut u64, &mut Ticks, &mut Demand)) -> Self {
        self.last(|task| {
            if let Work::Kernel { workgroups, workgroup, demand, .. } = &mut task.work {
                change(workgroups, workgroup, demand);
            }
        })
    }

    /// Returns the builder of a dispatcher for the device of the script, in which every policy is
    /// the default one.
    pub fn builder(&self) -> Builder {
        Composed::builder(self.shape, self.cus)
    }

    /// Runs the script under a dispatcher to its end, and returns what happened.
    ///
    /// # Errors
    /// If the dispatcher breaks a law or never stops.
    pub fn run(&self, dispatcher: &mut dyn Dispatcher) -> Result<Transcript, SimError> {
        let last = self.joined.keys().next_back().map_or(0, |&last| last + 1);
        let process = |id: u16| {
            let (start, share) = self.joined.get(&id).copied().unwrap_or((Ticks::ZERO, 1));
            let own = self.launches.iter().filter(|(of, _)| *of == id);
            let tasks = own.map(|(_, task)| Task { arrival: task.arrival - start, ..*task });
            let mut tasks: Vec<Task> = tasks.collect();
            for at in 0..tasks.len() {
                let before = tasks[..at].iter().rposition(|task| task.stream == tasks[at].stream);
                tasks[at].after = before.map(|before| before as u32);
            }
            let said = self.hints.iter().filter(|(of, ..)| *of == id);
            let hints = said.map(|&(_, at, stream, hint)| (at - start, stream, hint)).collect();
            ProcessPlan { start, share, hints, ..ProcessPlan::new(&format!("p{id}"), tasks) }
        };
        let workload = Workload { processes: (0..last).map(process).collect(), repeat: false };
        let costs = Costs { reset: Ticks(1), context_bytes_per_us: 1, ..Costs::default() };
        let energy = EnergyModel::ASSUMED;
        let options = SimConfig { shape: self.shape, cus: self.cus, costs, energy };
        let mut scribe = Scribe { dispatcher, transcript: Transcript::default() };
        run(&workload, &mut scribe, &options, &mut |_| ())?;
        Ok(scribe.transcript)
    }
}

/// The actions of a dispatcher during a script, and the ends of waves between them. Its text form
/// is a table with one line for each action or end, made for snapshot tests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Transcript {
    /// The lines of the transcript, in the order in which they happened.
    pub lines: Vec<TranscriptLine>,
}

/// One line of a transcript: an action of the dispatcher, or waves that ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TranscriptLine {
    /// The tick of the dispatcher's action, or of the end of waves.
    pub(crate) t: Tick,
    /// The launch or process that the line of the transcript is about; empty where it is about
    /// none.
    pub(crate) of: String,
    /// The name of the dispatcher's action; a name in brackets is that of an event.
    pub(crate) action: &'static str,
    /// The details of the action or event, such as workgroups and their compute units.
    pub(crate) what: String,
}

impl fmt::Display for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |line: &TranscriptLine| [line.t.to_string(), line.of.clone(), line.action.into()];
        let rows: Vec<[String; 3]> = self.lines.iter().map(row).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
        let (t, of, action) = (width(0).max(3), width(1), width(2));
        for ([a, b, c], TranscriptLine { what, .. }) in rows.iter().zip(&self.lines) {
            let line = format!("{a:>t$}  {b:<of$}  {c:<action$}  {what}");
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// A dispatcher that passes all calls on to another dispatcher and writes down its actions.
struct Scribe<'d> {
    dispatcher: &'d mut dyn Dispatcher,
    transcript: Transcript,
}

impl Scribe<'_> {
    fn line(&mut self, t: Tick, of: impl ToString, action: &'static str, what: impl ToString) {
        let (of, what) = (of.to_string(), what.to_string());
        self.transcript.lines.push(TranscriptLine { t, of, action, what });
    }

    fn note(&mut self, t: Tick, action: &Action, all: &Actions) {
        match action {
            Action::Submit { launch, via, .. } if via.cost == Ticks::ZERO => {
                self.line(t, launch, "submit", "");
            }
            Action::Submit { launch, via, .. } => {
                self.line(t, launch, "submit", format_args!("takes {}", via.cost));
            }
            Action::Start { launch, waves, pieces, .. } => {
                self.line(t, launch, "start", named(all.pieces(pieces), *waves));
            }
            Action::Assign { launch, workgroup, cu } => {
                self.line(t, launch, "assign", format_args!("w{workgroup}@{cu}"));
            }
            Action::TakeOff { launch, how } => self.line(t, launch, "take off", how.name()),
            Action::Restore { launch } => self.line(t, launch, "restore", ""),
            Action::Raise { process, .. } => self.line(t, process, "raise", ""),
            Action::Lower { process } => self.line(t, process, "lower", ""),
            Action::Reset { process } => self.line(t, process, "reset", ""),
            Action::Drained { process, how, after } => {
                self.line(t, process, "(drained)", format_args!("{} after {after}", how.name()));
            }
            Action::Refuse { refusal } => self.line(t, refusal.launch, "refuse", refusal),
            Action::WakeAt(at) => self.line(t, "", "wake", format_args!("at {at}")),
            // The enum may grow.
            other => self.line(t, "", "other", format_args!("{other:?}")),
        }
    }
}

fn named(pieces: &[Piece], waves: WaveSpan) -> String {
    let mut text: Vec<String> = pieces.iter().map(Piece::to_string).collect();
    match waves {
        WaveSpan::All => {}
        WaveSpan::Range { first, count } => text.push(format!("waves {first}+{count}")),
        WaveSpan::Cut { first, count } => text.push(format!("cut {first}+{count}")),
    }
    text.join(" ")
}

impl Dispatcher for Scribe<'_> {
    fn looks_ahead(&self) -> bool {
        self.dispatcher.looks_ahead()
    }

    fn event(&mut self, event: &Event<'_>, now: Tick) -> Result<(), DispatchError> {
        if let Event::WavesEnded { launch, waves, pieces } = event {
            self.line(now, launch, "(ended)", named(pieces, *waves));
        }
        self.dispatcher.event(event, now)
    }

    fn decide(&mut self, now: Tick, actions: &mut Actions) -> Result<(), DispatchError> {
        self.dispatcher.decide(now, actions)?;
        actions.list.iter().for_each(|action| self.note(now, action, actions));
        Ok(())
    }

    fn most_units(&self, process: ProcessId, all: u16) -> Option<u16> {
        self.dispatcher.most_units(process, all)
    }

    fn free(&self, cu: CuId) -> Option<Free> {
        self.dispatcher.free(cu)
    }

    fn turns(&self) -> TurnTally {
        self.dispatcher.turns()
    }

    fn preemptions(&self) -> PreemptionTally {
        self.dispatcher.preemptions()
    }

    fn replaced(&self) -> &[String] {
        self.dispatcher.replaced()
    }

    fn standstill(&self) -> Option<Standstill> {
        self.dispatcher.standstill()
    }

    fn finish(&mut self) -> Result<(), DispatchError> {
        self.dispatcher.finish()
    }
}
