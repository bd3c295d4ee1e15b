//! What do recordings teach of contention, and how well does the first half of a recording foretell
//! the second?

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

/// Version of the JSON format of the contention table (how much neighbours slow a kernel down).
const VERSION: u32 = 1;

/// Rules by which a replay is fitted to each recording. Of the fit, only the time that a workgroup
/// lasts is used.
const RULES: FitRules = FitRules { waits: WaitRule::Inferred, latency: false, queues: None };

/// Contention between processes that was learnt from recordings, as it is written in JSON and shown
/// to people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ContentionFound {
    /// Version of the JSON format in which this table of contention is written.
    pub raddle_contention: u32,
    /// Recordings from which the table of contention was learnt.
    pub recordings: Vec<ContentionSource>,
    /// Table of how much longer kernels take while kernels of other processes run beside them.
    #[serde(flatten)]
    pub table: ContentionTable,
    /// Facts about the recordings that may make the table wrong, one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overturning: Vec<String>,
}

/// Recording from which contention was learnt: how much neighbours slow kernels down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ContentionSource {
    /// Name of the recording from which contention was learnt.
    pub name: String,
    /// Words for the device on which the recording was made.
    pub device: String,
    /// Number of replays by which the fit found how long workgroups last while no neighbour shares
    /// their compute units; 0 where there was nothing to fit.
    pub passes: u32,
    /// Accuracy with which the table learnt from the first half of the recording predicts the times
    /// of its second half.
    pub held_out: HeldOut,
}

/// Learns from these recordings how much processes slow each other's kernels down. Each recording
/// is fitted on `device`, or with `None` on the device that it was made on.
///
/// # Errors
/// When the device of a recording is unknown, or no part of the recording can run on its device.
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
    /// Adds to the processes of `workload` the time that contention with neighbours costs their
    /// kernels, by the study's rule for contention. Returns (lower and upper bound of these costs,
    /// words for the data on which they rest); `None` where the study adds no costs, or has only
    /// one profile.
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

/// Adds to the processes of `workload` the time that contention with neighbours costs their
/// kernels, as learnt from their recordings. Returns (lower and upper bound of these costs, words
/// for the data on which they rest).
fn charge(profiles: &[Loaded], target: &Chosen, workload: &mut Workload) -> (Vec<Charges>, String) {
    let devices: Vec<Chosen> = profiles
        .iter()
        .map(|loaded| devices::own(&loaded.profile).unwrap_or_else(|_| target.clone()))
        .collect();
    let mut seen: Vec<&str> = Vec::new();
    let mut recordings = Vec::new();
    for (loaded, own) in profiles.iter().zip(&devices) {
        // Processes of one file teach once, as they share one recording.
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

/// Returns words for the data on which the costs of contention rest: the number of launches that
/// were observed beside a neighbour, and the part of the kernel time for which nothing is known.
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
