//! What do recordings teach of contention, and how well does one half foretell the other?

use raddle_sim::{
    Calibration, Charge, ContentionTable, HeldOut, NeighbourClass, WaitRule, Workload,
};
use serde::{Deserialize, Serialize};

use crate::devices::{self, Chosen};
use crate::error::StudyError;
use crate::files::Files;
use crate::fitted::FitRules;
use crate::parallel;
use crate::profiles::Loaded;
use crate::result::of_files;
use crate::runs::Charges;
use crate::self_replay;
use crate::study::{ContentionRule, Study};
use crate::units::{counted, percent};
use crate::watcher::Watcher;

/// The version of the table in JSON.
const VERSION: u32 = 1;

/// The rules of the fit by which each recording is taken: the lengths of workgroups alone are of use.
const RULES: FitRules = FitRules { waits: WaitRule::Inferred, latency: false, queues: None };

/// The contention that was learnt from recordings, in JSON and for people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ContentionFound {
    /// The version of this form.
    pub raddle_contention: u32,
    /// The recordings that the table was learnt from.
    pub recordings: Vec<ContentionSource>,
    /// The table that was learnt.
    #[serde(flatten)]
    pub table: ContentionTable,
    /// The facts about the recordings that can overturn the table, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overturning: Vec<String>,
}

/// A recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ContentionSource {
    /// The name of the recording.
    pub name: String,
    /// The device of the recording.
    pub device: String,
    /// The number of replays that took out what neighbours held of the device; 0: nothing ran side
    /// by side.
    pub passes: u32,
    /// The accuracy with which the first half of the recording foretells its second.
    pub held_out: HeldOut,
}

/// Learns from these recordings, each on its own device; `device` stands in for a recording that
/// names none.
///
/// # Errors
/// When the device of a recording is unknown, or nothing of the recording can run there.
pub fn learn(
    profiles: &[Loaded],
    device: Option<&str>,
    files: &dyn Files,
    watcher: &dyn Watcher,
) -> Result<ContentionFound, StudyError> {
    let taken = parallel::map(profiles, |loaded| {
        let own = devices::target(device, std::slice::from_ref(loaded), files)?;
        let (fitted, _) = self_replay::fit(loaded, &own.device, RULES, watcher)?;
        Ok((own, fitted.workgroups))
    })?;
    let recordings = || profiles.iter().zip(&taken);
    let table =
        ContentionTable::learn(recordings().map(|(loaded, (own, workgroups))| {
            (&*loaded.profile, &own.device, workgroups.as_deref())
        }));
    let sources = recordings().map(|(loaded, (own, workgroups))| ContentionSource {
        name: loaded.name.clone(),
        device: own.facts().to_string(),
        passes: workgroups.as_ref().map_or(0, |_| Calibration::PASSES as u32),
        held_out: HeldOut::of(&loaded.profile, &own.device, workgroups.as_deref()),
    });
    let overturning = of_files(profiles.iter().map(|of| (&*of.name, &*of.profile)));
    let recordings = sources.collect();
    Ok(ContentionFound { raddle_contention: VERSION, recordings, table, overturning })
}

impl Study {
    /// Charges processes what neighbours cost, if the study asks for it; see [`charge`].
    pub(crate) fn charge(
        &self,
        profiles: &[Loaded],
        target: &Chosen,
        workload: &mut Workload,
    ) -> Option<(Vec<Charges>, String)> {
        if profiles.len() < 2 {
            return None;
        }
        match self.contention {
            ContentionRule::None => None,
            ContentionRule::Learnt => Some(charge(profiles, target, workload)),
            ContentionRule::Demand => Some(self.demand(profiles, target, workload)),
        }
    }
}

/// Charges processes what their fitted profiles teach together about contention. Returns the least
/// and the most that the charges may be, and in words what the charges rest on.
fn charge(profiles: &[Loaded], target: &Chosen, workload: &mut Workload) -> (Vec<Charges>, String) {
    let devices: Vec<Chosen> = profiles
        .iter()
        .map(|loaded| devices::own(&loaded.profile).unwrap_or_else(|_| target.clone()))
        .collect();
    let mut seen: Vec<&str> = Vec::new();
    let mut recordings = Vec::new();
    for (loaded, own) in profiles.iter().zip(&devices) {
        // Processes of one file teach once.
        if !seen.contains(&&*loaded.given) {
            seen.push(&loaded.given);
            let workgroups = loaded.fitted.workgroups.as_deref();
            recordings.push((&*loaded.profile, &own.device, workgroups));
        }
    }
    let table = ContentionTable::learn(recordings);
    let charges = |charge: Charge| -> Charges {
        let of = |loaded: &Loaded| table.charges(&loaded.profile, charge, profiles.len());
        Charges { learnt: profiles.iter().map(of).collect(), demand: Vec::new() }
    };
    charges(Charge::Expected).give(workload);
    let bounds = vec![charges(Charge::Least), charges(Charge::Most)];
    (bounds, told(profiles, &table))
}

/// Returns in words what charges rest on: how much was observed, and for how much kernel time
/// nothing is known.
fn told(profiles: &[Loaded], table: &ContentionTable) -> String {
    let learnt = counted(table.beside, "launch", "launches");
    let (mut known, mut all) = (0u128, 0u128);
    for (at, loaded) in profiles.iter().enumerate() {
        let others = profiles.iter().enumerate().filter(|(other, _)| *other != at);
        let mut classes: Vec<NeighbourClass> = others
            .flat_map(|(_, other)| &other.profile.kernels)
            .map(|name| NeighbourClass::of(name))
            .collect();
        classes.sort_unstable();
        classes.dedup();
        for op in &loaded.profile.ops {
            let Some(name) = loaded.profile.kernels.get(op.kernel as usize) else { continue };
            let ns = u128::from(op.duration_ns);
            let observed = classes.iter().all(|&class| table.factor(name, class).is_some());
            all += ns;
            known += if observed { ns } else { 0 };
        }
    }
    let unknown = if all == 0 { 0.0 } else { (all - known) as f64 / all as f64 };
    format!(
        "contention beside other processes: learnt from {learnt} beside a neighbour; unknown for {} of kernel time, which is charged nothing, and as interval up to {} times as long",
        percent(unknown),
        profiles.len()
    )
}
