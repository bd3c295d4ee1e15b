//! How are a dispatcher's questions passed to a policy's Python object, and its answers read?

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raddle_policy::{
    Allocate, Answer, CuId, Fact, Free, Launch, LaunchPath, Piece, Preempt, Preemption, ProcessId,
    ProcessState, Rank, ReadyLaunch, ReadyView, Round, Submission, Tick, Ticks, Turn, VictimView,
    WaveSpan,
};

use super::PyPolicy;
use super::views::{self, FreeView, LaunchView, ProcessView, ReadyLaunchView, VictimLaunchView};

impl PyPolicy {
    /// Passes a fact about the run, such as an event, to the method `observe` of the policy's
    /// Python object, as a dictionary with the kind of the fact as its only key.
    fn hear(&self, fact: &Fact<'_>, now: Tick) {
        if !self.listens {
            return;
        }
        self.ask((), |policy| {
            let text =
                serde_json::to_string(fact).map_err(|e| PyValueError::new_err(e.to_string()))?;
            let fact = policy.py().import("json")?.call_method1("loads", (text,))?;
            policy.call_method1("observe", (fact, now.0)).map(drop)
        });
    }

    fn place(&self, method: &str, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        let placed = self.ask(None, |policy| {
            let view = views::ReadyView::of(policy.py(), ready)?;
            let answer = policy.call_method1(method, (view, now.0))?;
            read_placement(&answer, ready, method == "allocate").map(Some)
        });
        match placed {
            Some(Placement::Start(launch, pieces)) => {
                round.pieces = pieces;
                Answer::Start { launch: launch.id, waves: WaveSpan::All }
            }
            Some(Placement::Wait(retry_at)) => {
                refuse(ready, round);
                Answer::Wait { retry_at }
            }
            None => Answer::WAIT,
        }
    }
}

/// Answer of a Python policy that places workgroups: either it starts workgroups of one launch, or
/// it waits, perhaps only until a tick.
enum Placement {
    Start(Launch, Vec<Piece>),
    Wait(Option<Tick>),
}

/// Adds to `round` (the answer to the dispatcher) the reason why each launch with workgroups to
/// start is refused: the first resource of which compute unit 0 has too little.
fn refuse(ready: &ReadyView<'_>, round: &mut Round) {
    for entry in ready.launches().iter().filter(|entry| entry.undistributed() > 0) {
        round.refuse(ready.cus().refusal(CuId(0), entry.launch()));
    }
}

/// Reads the answer of a Python policy that places workgroups. `None` or a time means to wait, for
/// a change or until that time; `(launch, unit)` or `(launch, [unit, ...])` starts the next
/// workgroups of the launch on these compute units. If `one` is true, at most one workgroup may be
/// started.
fn read_placement(
    answer: &Bound<'_, PyAny>,
    ready: &ReadyView<'_>,
    one: bool,
) -> PyResult<Placement> {
    if answer.is_none() {
        return Ok(Placement::Wait(None));
    }
    if let Ok(retry_at) = answer.extract::<u64>() {
        return Ok(Placement::Wait(Some(Tick(retry_at))));
    }
    let wanted = || {
        PyTypeError::new_err(format!(
            "an answer is None (wait), a time (wait until then) or (launch, unit), the launch one of `ready.launches`; this is {answer}"
        ))
    };
    let (entry, units) =
        answer.extract::<(Bound<'_, ReadyLaunchView>, Bound<'_, PyAny>)>().map_err(|_| wanted())?;
    let entry = entry.get().0;
    let units = match units.extract::<u16>() {
        Ok(unit) => vec![unit],
        Err(_) => units.extract::<Vec<u16>>().map_err(|_| wanted())?,
    };
    let id = entry.launch().id;
    if !ready.launches().iter().any(|known| known.launch().id == id && known.next() == entry.next())
    {
        let text =
            format!("{id} is no launch of this view as it stands: take one of `ready.launches`");
        return Err(PyValueError::new_err(text));
    }
    if units.is_empty() || one && units.len() > 1 {
        let text = format!(
            "{} units: `allocate` starts one workgroup, `allocate_round` one or more",
            units.len()
        );
        return Err(PyValueError::new_err(text));
    }
    let pieces =
        (entry.next()..).zip(units).map(|(workgroup, unit)| Piece::one(workgroup, CuId(unit)));
    Ok(Placement::Start(*entry.launch(), pieces.collect()))
}

impl Allocate for PyPolicy {
    fn allocate(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        self.place("allocate", ready, now, round)
    }

    fn allocate_round(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        let method = if self.bulk { "allocate_round" } else { "allocate" };
        self.place(method, ready, now, round)
    }

    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        self.hear(fact, now);
    }
}

impl Rank for PyPolicy {
    fn launch(&self, launch: &ReadyLaunch) -> u64 {
        self.ask(0, |policy| match policy.getattr_opt("launch")? {
            Some(method) => method.call1((ReadyLaunchView(*launch),))?.extract(),
            None => Ok(0),
        })
    }

    fn unit(&self, launch: &Launch, room: u32, free: &Free) -> u64 {
        self.ask(0, |policy| {
            let arguments = (LaunchView(*launch), room, FreeView::from(*free));
            policy.call_method1("unit", arguments)?.extract()
        })
    }
}

impl Turn for PyPolicy {
    fn turn(
        &mut self,
        processes: &[ProcessState],
        now: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick> {
        let everyone = || (processes.iter().map(|process| process.id.0).collect(), None);
        let answer = self.ask(None, |policy| {
            let views: Vec<ProcessView> = processes.iter().map(ProcessView::from).collect();
            let answer = policy.call_method1("turn", (views, now.0))?;
            let read = answer.extract::<(Vec<u16>, Option<u64>)>();
            let read = read.or_else(|_| answer.extract().map(|named| (named, None)));
            read.map(Some).map_err(|_: PyErr| {
                PyTypeError::new_err(format!(
                    "an answer is a list of ids of processes, or such a list and the time until which it holds; this is {answer}"
                ))
            })
        });
        let (named, until): (Vec<u16>, Option<u64>) = answer.unwrap_or_else(everyone);
        may_issue.extend(named.into_iter().map(ProcessId));
        until.map(Tick)
    }

    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        self.hear(fact, now);
    }
}

impl Preempt for PyPolicy {
    fn preempt(&mut self, victim: &VictimView<'_>, now: Tick) -> Option<Preemption> {
        self.ask(None, |policy| {
            let launches: Vec<VictimLaunchView> =
                victim.launches().iter().map(|&launch| VictimLaunchView(launch)).collect();
            let arguments = (ProcessView::from(victim.process()), launches, now.0);
            let answer = policy.call_method1("preempt", arguments)?;
            let word: Option<String> = answer.extract()?;
            let known = |word: &String| Preemption::ALL.into_iter().find(|it| it.name() == word);
            match word.as_ref().map(known) {
                None => Ok(None),
                Some(Some(how)) => Ok(Some(how)),
                Some(None) => Err(PyValueError::new_err(format!(
                    "an answer is None, or one of {}; this is {answer}",
                    Preemption::ALL.map(Preemption::name).join(", ")
                ))),
            }
        })
    }

    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        self.hear(fact, now);
    }
}

impl LaunchPath for PyPolicy {
    fn submit(&mut self, launch: &Launch) -> Submission {
        self.ask(Submission { packets: 1, ..Submission::default() }, |policy| {
            let answer = policy.call_method1("submit", (LaunchView(*launch),))?;
            let answer = answer.cast_into::<PyDict>()?;
            let mut amounts = [0u64; 4];
            for (key, value) in &answer {
                let key: String = key.extract()?;
                let known = ["packets", "bytes", "cost", "cleanup"];
                let at = known.iter().position(|known| *known == key).ok_or_else(|| {
                    let text = format!("an answer has {}, and not {key}", known.join(", "));
                    PyValueError::new_err(text)
                })?;
                amounts[at] = value.extract()?;
            }
            let [packets, bytes, cost, cleanup] = amounts;
            let packets = packets
                .try_into()
                .map_err(|_| PyValueError::new_err("packets: at most 4294967295"))?;
            Ok(Submission { packets, bytes, cost: Ticks(cost), cleanup: Ticks(cleanup) })
        })
    }

    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        self.hear(fact, now);
    }
}
