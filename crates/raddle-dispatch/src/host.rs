//! How does a device run under a dispatcher, if it has no event loop of its own?
//!
//! A [`Host`] stands for the device: it reports events and carries out actions. [`run`] is the
//! loop.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::fmt;

use raddle_policy::{
    Action, Actions, Event, Host, HostError, LaunchId, Piece, ProcessId, Tick, WaveSpan,
};

use crate::{DispatchError, Dispatcher, Standstill};

/// A report that an action has asked of a host (the device's side of [`run`]) and that it has not
/// yet made. It prints the event and what it is about, as "`TakenOff` of k3".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Owed(Debt);

impl fmt::Display for Owed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Debt::WavesEnded(launch) => write!(f, "`WavesEnded` of {launch}"),
            Debt::CopyEnded(copy) => write!(f, "`CopyEnded` of {copy}"),
            Debt::TakenOff(launch) => write!(f, "`TakenOff` of {launch}"),
            Debt::Restored(launch) => write!(f, "`Restored` of {launch}"),
            Debt::Raised(process) => write!(f, "`Raised` of {process}"),
            Debt::ResetOver(process) => write!(f, "`ResetOver` of {process}"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Debt {
    /// The host still has to report the end of workgroups of this launch.
    WavesEnded(LaunchId),
    /// The host still has to report the end of this copy.
    CopyEnded(LaunchId),
    /// The host still has to report that this launch is off the device.
    TakenOff(LaunchId),
    /// The host still has to report that this launch is back on the device.
    Restored(LaunchId),
    /// The host still has to report that launches of this process see its raised preemption flag.
    Raised(ProcessId),
    /// The host still has to report that the reset of this process is over.
    ResetOver(ProcessId),
}

/// The state of a host's run when no further event will come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostRun {
    pub(crate) owed: Vec<Owed>,
    pub(crate) standstill: Option<Standstill>,
}

impl HostRun {
    /// Returns the reports that actions asked for and that the host never made, those of one event
    /// together.
    #[must_use]
    pub fn owed(&self) -> &[Owed] {
        &self.owed
    }

    /// Returns the reason why no work continues, if launches are left although the host made every
    /// report; else `None`.
    #[must_use]
    pub const fn standstill(&self) -> Option<Standstill> {
        self.standstill
    }
}

/// Runs a host under a dispatcher until no further event will come. For each tick, it passes all
/// events to the dispatcher, asks for one decision, and has the host carry out the actions in
/// order.
///
/// ```
/// use raddle_dispatch::{Composed, Event, Host, HostError, Tell, run};
/// use raddle_policy::{Demand, Launch, LaunchId, Piece, Place, ProcessId, Tick, WaveSpan};
///
/// /// A device on which every workgroup takes 100 ticks, and one launch.
/// #[derive(Default)]
/// struct Device {
///     now: Tick,
///     begun: bool,
///     running: Vec<Piece>,
/// }
///
/// impl Host for Device {
///     fn wait(&mut self, _wake: Option<Tick>) -> Result<Option<Tick>, HostError> {
///         if self.begun && self.running.is_empty() {
///             return Ok(None);
///         }
///         self.now.0 += if self.begun { 100 } else { 0 };
///         Ok(Some(self.now))
///     }
///
///     fn report(&mut self, tell: &mut Tell<'_>) -> Result<(), HostError> {
///         if !std::mem::replace(&mut self.begun, true) {
///             let demand = Demand { waves: 1, vgpr: 1, ..Demand::default() };
///             tell(&Event::ProcessJoined { process: ProcessId(0), share: 1 })?;
///             let launch = Launch::new(LaunchId(0), ProcessId(0), 12, demand);
///             return tell(&Event::LaunchReady { launch });
///         }
///         let (launch, waves) = (LaunchId(0), WaveSpan::All);
///         let pieces = std::mem::take(&mut self.running);
///         tell(&Event::WavesEnded { launch, waves, pieces: &pieces })
///     }
///
///     fn start(
///         &mut self,
///         _: LaunchId,
///         _: WaveSpan,
///         pieces: &[Piece],
///         _: &[Place],
///     ) -> Result<(), HostError> {
///         self.running.extend(pieces);
///         Ok(())
///     }
/// }
///
/// # let shape = raddle_policy::CuShape { simds: 2, waves_per_simd: 2, vgpr_per_simd: 16,
/// #     sgpr: u16::MAX, lds: 16, workgroups: 4, barriers: 4 };
/// let mut device = Device::default();
/// let end = run(&mut Composed::builder(shape, 2).build()?, &mut device)?;
/// // Two units hold four workgroups each.
/// assert_eq!((device.now, end.owed().len(), end.standstill()), (Tick(200), 0, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the host, the device or the dispatcher cannot go on.
pub fn run<D, H>(dispatcher: &mut D, host: &mut H) -> Result<HostRun, HostError>
where
    D: Dispatcher + ?Sized,
    H: Host + ?Sized,
{
    let (mut actions, mut owed, mut wakes) = (Actions::default(), Debts::default(), Vec::new());
    while let Some(now) = host.wait(wakes.first().copied())? {
        host.report(&mut |event| {
            dispatcher.event(event, now).map_err(refused)?;
            owed.reported(event);
            Ok(())
        })?;
        let due = wakes.partition_point(|&wake: &Tick| wake <= now);
        if wakes.drain(..due).next().is_some() {
            dispatcher.event(&Event::Woke, now).map_err(refused)?;
        }
        actions.clear();
        dispatcher.decide(now, &mut actions).map_err(refused)?;
        for action in &actions.list {
            owed.asked(action, &actions);
            if let Action::WakeAt(at) = action {
                let place = wakes.partition_point(|wake| wake < at);
                wakes.insert(place, *at);
            } else {
                carry_out(host, action, &actions)?;
            }
        }
    }
    dispatcher.finish().map_err(refused)?;
    let owed = owed.left();
    let standstill = owed.is_empty().then(|| dispatcher.standstill()).flatten();
    Ok(HostRun { owed, standstill })
}

fn refused(error: DispatchError) -> HostError {
    HostError::refused(error)
}

fn carry_out<H: Host + ?Sized>(
    host: &mut H,
    action: &Action,
    all: &Actions,
) -> Result<(), HostError> {
    match action {
        Action::Submit { launch, sequence, via } => host.submit(*launch, *sequence, *via),
        Action::Start { launch, waves, pieces, places } => {
            host.start(*launch, *waves, all.pieces(pieces), all.places(places))
        }
        Action::StartCopy { copy } => host.start_copy(*copy),
        Action::Assign { launch, workgroup, cu } => host.assign(*launch, *workgroup, *cu),
        Action::TakeOff { launch, how } => host.take_off(*launch, *how),
        Action::Restore { launch } => host.restore(*launch),
        Action::Raise { process, cuts } => host.raise(*process, all.cuts(cuts)),
        Action::Lower { process } => host.lower(*process),
        Action::Reset { process } => host.reset(*process),
        Action::Drained { process, how, after } => host.drained(*process, *how, *after),
        Action::Refuse { refusal } => host.refuse(refusal),
        _ => Ok(()),
    }
}

/// The reports that actions have asked for and that the host has not made, each with the number of
/// times it is missing.
#[derive(Default)]
struct Debts {
    reports: BTreeMap<Debt, u64>,
    launches: BTreeMap<LaunchId, Waves>,
}

/// The numbers of waves of one launch: in a workgroup, in all, started and ended. While more have
/// started than ended, the host must still report ends.
#[derive(Clone, Copy)]
struct Waves {
    of_workgroup: u16,
    all: u64,
    started: u64,
    ended: u64,
}

impl Waves {
    /// Returns the number of waves of `span` in all workgroups of `pieces` (each is equal
    /// workgroups on one compute unit).
    fn of(self, span: WaveSpan, pieces: &[Piece]) -> u64 {
        let (_, each) = span.bounds(self.of_workgroup);
        pieces.iter().map(|piece| u64::from(piece.count) * u64::from(each)).sum()
    }
}

impl Debts {
    fn asked(&mut self, action: &Action, all: &Actions) {
        let owed = match action {
            Action::Start { launch, waves, pieces, .. } => {
                if let Some(own) = self.launches.get_mut(launch) {
                    own.started += own.of(*waves, all.pieces(pieces));
                }
                return;
            }
            Action::Refuse { refusal } => {
                self.launches.remove(&refusal.launch);
                return;
            }
            Action::StartCopy { copy } => Debt::CopyEnded(*copy),
            Action::TakeOff { launch, .. } => Debt::TakenOff(*launch),
            Action::Restore { launch } => Debt::Restored(*launch),
            Action::Raise { process, .. } => Debt::Raised(*process),
            Action::Reset { process } => Debt::ResetOver(*process),
            _ => return,
        };
        *self.reports.entry(owed).or_default() += 1;
    }

    /// Removes the report that an event brings from the list of missing reports, after the
    /// dispatcher has taken the event.
    fn reported(&mut self, event: &Event<'_>) {
        match event {
            Event::LaunchReady { launch } => {
                let of_workgroup = launch.demand.waves;
                let all = launch.workgroups.saturating_mul(of_workgroup.into());
                let waves = Waves { of_workgroup, all, started: 0, ended: 0 };
                self.launches.insert(launch.id, waves);
            }
            Event::WavesEnded { launch, waves, pieces } => {
                let Some(own) = self.launches.get_mut(launch) else { return };
                own.ended += own.of(*waves, pieces);
                // A launch that has ended leaves no more, and does not come back.
                if own.ended >= own.all {
                    self.launches.remove(launch);
                    self.reports.remove(&Debt::TakenOff(*launch));
                    self.reports.remove(&Debt::Restored(*launch));
                }
            }
            Event::CopyEnded { copy } => self.paid(Debt::CopyEnded(*copy)),
            Event::TakenOff { launch, how, .. } => {
                let killed = self.launches.get_mut(launch).filter(|_| how.begins_again());
                if let Some(own) = killed {
                    (own.started, own.ended) = (0, 0);
                }
                self.paid(Debt::TakenOff(*launch));
            }
            Event::Restored { launch } => self.paid(Debt::Restored(*launch)),
            Event::Raised { process } => self.paid(Debt::Raised(*process)),
            Event::ResetOver { process } => self.paid(Debt::ResetOver(*process)),
            _ => {}
        }
    }

    fn paid(&mut self, owed: Debt) {
        if let Some(left) = self.reports.get_mut(&owed) {
            *left = left.saturating_sub(1);
            if *left == 0 {
                self.reports.remove(&owed);
            }
        }
    }

    fn left(self) -> Vec<Owed> {
        let running = self.launches.into_iter().filter(|(_, own)| own.started > own.ended);
        let ended = running.map(|(launch, _)| Debt::WavesEnded(launch));
        let mut all: Vec<Debt> = ended.chain(self.reports.into_keys()).collect();
        all.sort_unstable();
        all.into_iter().map(Owed).collect()
    }
}
