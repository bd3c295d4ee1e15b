//! Does a dispatcher stay correct beside a host that reports events late, twice, too early, or
//! never?
//!
//! [`check_host`] plays a small device that does each of these in turn, under a dispatcher that the
//! caller runs.
//!
//! The device has room for whatever it is told to start. Two processes have three launches each;
//! the launches of the second process are urgent, and come while those of the first run.

use std::collections::{BTreeMap, BTreeSet};

use raddle_policy::{
    Event, FlagCut, Host, HostError, Launch, LaunchId, Piece, Place, Preemption, ProcessId,
    StreamId, Tell, Tick, WaveSpan,
};

use crate::launch;

/// Number of ticks for which a workgroup runs on the simulated device of [`PlayedHost`].
const RUNS: u64 = 300;
/// Number of ticks that each of these takes on the simulated device of [`PlayedHost`]: to take a
/// launch off the device, to bring it back, and to raise the flag on which submitted launches of a
/// process exit.
const LEAVES: u64 = 7;
/// Number of launches of each process on the simulated device of [`PlayedHost`].
const LAUNCHES: u32 = 3;
/// Number of workgroups of each launch on the simulated device of [`PlayedHost`].
const WORKGROUPS: u64 = 40;

/// Fault by which a host (the program that drives a dispatcher) breaks its contract with the
/// dispatcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mischief {
    /// The host has no fault: it keeps its contract.
    None,
    /// The host reports ends of workgroups long after they ended, also those of killed workgroups.
    Late,
    /// The host reports each event twice.
    Twice,
    /// The host reports the end of workgroups, and other events of a launch, before any workgroup
    /// starts.
    Early,
    /// The host refuses when the dispatcher asks it for the third time to start workgroups.
    Refuses,
    /// The host leaves out the report with this number; reports are counted from 0.
    Forgets(u32),
}

/// State of the dispatcher after the last event on the simulated device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayedEnd {
    /// True if the dispatcher, or the loop that drives it, still waits for reports of the host.
    pub owes: bool,
    /// True if, by the dispatcher's count, every compute unit is as free as before the first
    /// launch.
    pub empty: bool,
}

/// Event that will happen on the simulated device.
#[derive(Clone, Debug)]
enum Happening {
    Joins(ProcessId),
    Ready(Launch),
    Ends(LaunchId, WaveSpan, Vec<Piece>),
    TakenOff(LaunchId, Preemption),
    Restored(LaunchId),
    Raised(ProcessId),
    ResetOver(ProcessId),
}

/// Small simulated device, with a host that reports its events to a dispatcher; the host may break
/// its contract by one kind of fault ([`Mischief`]).
#[derive(Debug)]
pub struct PlayedHost {
    mischief: Mischief,
    now: Tick,
    /// Future events, by (tick, order in which they were entered).
    coming: BTreeMap<(u64, u64), Happening>,
    number: u64,
    /// Workgroups of each launch that have started and not ended, as (tick at which they end, waves
    /// of each workgroup, pieces). A piece is equal workgroups on one compute unit.
    running: BTreeMap<LaunchId, Vec<(u64, WaveSpan, Vec<Piece>)>>,
    saved: BTreeSet<LaunchId>,
    /// Launches that are being drained: they leave the device when the last of their running
    /// workgroups has ended.
    draining: BTreeSet<LaunchId>,
    /// Number of workgroups of each launch that have ended; workgroups whose waves started in
    /// several parts are not counted.
    ended: BTreeMap<LaunchId, u64>,
    starts: u32,
    reports: u32,
    refused: u32,
    mischiefs: u32,
}

impl PlayedHost {
    fn new(mischief: Mischief) -> Self {
        let mut host = Self {
            mischief,
            now: Tick(0),
            coming: BTreeMap::new(),
            number: 0,
            running: BTreeMap::new(),
            saved: BTreeSet::new(),
            draining: BTreeSet::new(),
            ended: BTreeMap::new(),
            starts: 0,
            reports: 0,
            refused: 0,
            mischiefs: 0,
        };
        for process in 0..2_u16 {
            let at = u64::from(process) * 250;
            host.comes(at, Happening::Joins(ProcessId(process)));
            for n in 0..LAUNCHES {
                let id = u32::from(process) * LAUNCHES + n;
                let level = if process == 0 { 5 } else { 0 };
                let made = launch(id).process(process).stream(n).workgroups(WORKGROUPS);
                host.comes(at + u64::from(n) * 90, Happening::Ready(made.level(level).build()));
            }
        }
        host
    }

    fn comes(&mut self, at: u64, what: Happening) {
        self.coming.insert((at, self.number), what);
        self.number += 1;
    }

    fn soon(&mut self, what: Happening) {
        self.comes(self.now.0 + LEAVES, what);
    }

    /// Returns whether all workgroups of every launch have ended, each of them once.
    fn is_done(&self) -> bool {
        (0..2 * LAUNCHES).all(|id| self.has_ended(LaunchId(id)))
    }

    fn has_ended(&self, launch: LaunchId) -> bool {
        self.ended.get(&launch) == Some(&WORKGROUPS)
    }

    /// Reports an event to the dispatcher; twice, or not at all, where the host has that fault. The
    /// error is the dispatcher's answer to the first report; a refused second report is counted.
    fn tell(&mut self, tell: &mut Tell<'_>, event: &Event<'_>) -> Result<(), HostError> {
        let asked = !matches!(event, Event::ProcessJoined { .. } | Event::LaunchReady { .. });
        let report = self.reports;
        self.reports += u32::from(asked);
        if asked && self.mischief == Mischief::Forgets(report) {
            self.mischiefs += 1;
            return Ok(());
        }
        tell(event)?;
        if self.mischief == Mischief::Twice {
            self.mischiefs += 1;
            self.refused += u32::from(tell(event).is_err());
        }
        Ok(())
    }

    fn happens(&mut self, tell: &mut Tell<'_>, what: Happening) -> Result<(), HostError> {
        match what {
            Happening::Joins(process) => {
                self.tell(tell, &Event::ProcessJoined { process, share: 1 })
            }
            Happening::Ready(launch) => self.tell(tell, &Event::LaunchReady { launch }),
            Happening::Ends(launch, waves, pieces) => self.ends(tell, launch, waves, &pieces),
            Happening::TakenOff(launch, how) => self.leaves(tell, launch, how),
            Happening::Restored(launch) => {
                self.saved.remove(&launch);
                self.tell(tell, &Event::Restored { launch })?;
                for (_, waves, pieces) in self.running.get(&launch).cloned().unwrap_or_default() {
                    self.comes(self.now.0 + RUNS, Happening::Ends(launch, waves, pieces));
                }
                Ok(())
            }
            Happening::Raised(process) => self.tell(tell, &Event::Raised { process }),
            Happening::ResetOver(process) => self.tell(tell, &Event::ResetOver { process }),
        }
    }

    /// Reports the end of workgroups, unless they were killed or saved meanwhile. A host with the
    /// fault `Late` also reports the end of killed workgroups. The error is that with which the
    /// dispatcher answers the report.
    fn ends(
        &mut self,
        tell: &mut Tell<'_>,
        launch: LaunchId,
        waves: WaveSpan,
        pieces: &[Piece],
    ) -> Result<(), HostError> {
        let own = self.running.entry(launch).or_default();
        let found = own.iter().position(|(_, span, own)| *span == waves && own == pieces);
        let event = Event::WavesEnded { launch, waves, pieces };
        if self.saved.contains(&launch) {
            return Ok(());
        }
        let Some(found) = found else {
            if self.mischief == Mischief::Late {
                self.mischiefs += 1;
                self.refused += u32::from(tell(&event).is_err());
            }
            return Ok(());
        };
        own.remove(found);
        let left = own.len();
        if waves == WaveSpan::All {
            let count: u64 = pieces.iter().map(|piece| u64::from(piece.count)).sum();
            *self.ended.entry(launch).or_default() += count;
        }
        self.tell(tell, &event)?;
        if left == 0 && self.draining.remove(&launch) {
            self.soon(Happening::TakenOff(launch, Preemption::Drain));
        }
        Ok(())
    }

    fn leaves(
        &mut self,
        tell: &mut Tell<'_>,
        launch: LaunchId,
        how: Preemption,
    ) -> Result<(), HostError> {
        if how.begins_again() && !self.has_ended(launch) {
            self.running.remove(&launch);
            self.ended.insert(launch, 0);
        }
        if how.saves() {
            self.saved.insert(launch);
        }
        // The end of its last workgroup was the last report of a launch.
        if self.has_ended(launch) {
            return Ok(());
        }
        let done = self.ended.get(&launch).copied().unwrap_or(0);
        self.tell(tell, &Event::TakenOff { launch, how, done })
    }
}

impl Host for PlayedHost {
    fn wait(&mut self, wake: Option<Tick>) -> Result<Option<Tick>, HostError> {
        let next = self.coming.first_key_value().map(|((at, _), _)| Tick(*at));
        let at = match (next, wake) {
            (Some(next), Some(wake)) => Some(next.min(wake)),
            (next, wake) => next.or(wake),
        };
        self.now = at.unwrap_or(self.now).max(self.now);
        // A wake that comes for ever ends too.
        Ok(at.map(|_| self.now).filter(|now| now.0 < 1 << 20))
    }

    fn report(&mut self, tell: &mut Tell<'_>) -> Result<(), HostError> {
        while let Some(next) = self.coming.first_entry().filter(|next| next.key().0 <= self.now.0) {
            let what = next.remove();
            self.happens(tell, what)?;
        }
        if self.mischief == Mischief::Early && self.starts == 0 {
            let launch = LaunchId(0);
            let pieces = [Piece::one(0, raddle_policy::CuId(0))];
            let early = [
                Event::WavesEnded { launch, waves: WaveSpan::All, pieces: &pieces },
                Event::TakenOff { launch, how: Preemption::Drain, done: 0 },
                Event::Restored { launch },
                Event::Raised { process: ProcessId(0) },
                Event::ResetOver { process: ProcessId(0) },
            ];
            for event in &early {
                self.mischiefs += 1;
                self.refused += u32::from(tell(event).is_err());
            }
        }
        Ok(())
    }

    fn start(
        &mut self,
        launch: LaunchId,
        waves: WaveSpan,
        pieces: &[Piece],
        _places: &[Place],
    ) -> Result<(), HostError> {
        self.starts += 1;
        if self.mischief == Mischief::Refuses && self.starts == 3 {
            self.mischiefs += 1;
            return Err(HostError::unable("start a third time"));
        }
        for piece in pieces {
            let late = if self.mischief == Mischief::Late { 3 * LEAVES } else { 0 };
            let end = self.now.0 + RUNS + late;
            let own = self.running.entry(launch).or_default();
            own.push((end, waves, vec![*piece]));
            self.comes(end, Happening::Ends(launch, waves, vec![*piece]));
        }
        Ok(())
    }

    fn take_off(&mut self, launch: LaunchId, how: Preemption) -> Result<(), HostError> {
        let runs = self.running.get(&launch).is_some_and(|own| !own.is_empty());
        if how.drains() && runs {
            self.draining.insert(launch);
        } else {
            self.soon(Happening::TakenOff(launch, how));
        }
        Ok(())
    }

    fn restore(&mut self, launch: LaunchId) -> Result<(), HostError> {
        self.soon(Happening::Restored(launch));
        Ok(())
    }

    fn raise(
        &mut self,
        process: ProcessId,
        _cuts: &[(StreamId, FlagCut)],
    ) -> Result<(), HostError> {
        self.soon(Happening::Raised(process));
        Ok(())
    }

    fn lower(&mut self, _process: ProcessId) -> Result<(), HostError> {
        Ok(())
    }

    fn reset(&mut self, process: ProcessId) -> Result<(), HostError> {
        self.soon(Happening::ResetOver(process));
        Ok(())
    }
}

/// Checks a dispatcher against a host that keeps its contract, and then against one with each fault
/// ([`Mischief`]). `run` makes a new dispatcher, runs it with the host until nothing more can
/// happen, and returns its state at the end.
///
/// # Panics
/// Where the dispatcher leaves work undone or resources taken although the host keeps its contract.
/// Also where it accepts a report that is false or comes twice, does not notice that a report is
/// missing, or goes on after a refused start.
pub fn check_host(mut run: impl FnMut(&mut PlayedHost) -> Result<PlayedEnd, HostError>) {
    let mut play = |mischief| {
        let mut host = PlayedHost::new(mischief);
        let end = run(&mut host);
        // A late host is no other than a slow one, unless work is killed.
        let must = !matches!(mischief, Mischief::None | Mischief::Late);
        assert!(!must || host.mischiefs > 0, "{mischief:?} was never played");
        (host, end)
    };
    for mischief in [Mischief::None, Mischief::Late, Mischief::Twice, Mischief::Early] {
        let (host, end) = play(mischief);
        let end = match end {
            Ok(end) => end,
            // A dispatcher that counts workgroups takes the second end of one for the end of another,
            // and refuses the last end that is left: it is told, and the run is over.
            Err(_) if mischief != Mischief::None => continue,
            Err(error) => panic!("a host that keeps its contract is refused: {error}"),
        };
        assert!(host.is_done(), "{mischief:?}: not all work has ended: {:?}", host.ended);
        assert_eq!(end, PlayedEnd { owes: false, empty: true }, "{mischief:?}");
        let broken = if mischief == Mischief::None { 0 } else { host.mischiefs };
        assert_eq!(host.refused, broken, "{mischief:?}: a report was taken that cannot be true");
    }
    let (host, end) = play(Mischief::Refuses);
    assert!(end.is_err() && host.starts == 3, "it goes on after a start that was refused");
    let all = play(Mischief::None).0.reports;
    for report in 0..all {
        let (host, end) = play(Mischief::Forgets(report));
        // The end of a launch tells that it was restored, so nothing is missing then.
        let whole = |end: PlayedEnd| end.owes || end.empty && host.is_done();
        assert!(end.map_or(true, whole), "report {report} never came, and nobody says so");
    }
}
