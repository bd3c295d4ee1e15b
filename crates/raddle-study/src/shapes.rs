//! How are kernels treated whose profile does not state their shapes (grid and needed resources)?

use std::fmt::Write as _;
use std::sync::Arc;

use raddle_device::Device;
use raddle_sim::Workload;
use raddle_trace::{BarrierRule, GraphCaptures, ImportConfig, OpKind, Profile};

use serde::{Deserialize, Serialize};

use crate::devices;
use crate::error::StudyError;
use crate::files::Files;
use crate::launches::why_left_out;
use crate::profiles::Loaded;
use crate::units::{count, counted, percent, share};

/// Rules of the user for kernels whose profile does not state their shape (grid and needed
/// resources).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct ShapeRules {
    /// True if a profile is accepted even where more than a tenth of its kernel time has no shape,
    /// or can never run on the device. A kernel without a shape fills all wave slots of the device
    /// while it lasts; a kernel that can never run takes no time.
    pub partial: bool,
    /// Files from which kernels without a shape get one: traces that vLLM or SGLang wrote while it
    /// captured its graphs, or other profiles of the same kernels.
    pub shapes_from: Vec<String>,
}

impl ShapeRules {
    /// Returns the options by which profiles are read, with the shapes from the named files.
    ///
    /// # Errors
    /// When a file cannot be read, or gives no shape.
    pub fn options(
        &self,
        barriers: BarrierRule,
        files: &dyn Files,
    ) -> Result<ImportConfig, StudyError> {
        let files = self.shapes_from.iter().map(|file| files.captures(file));
        let files = files.collect::<Result<Vec<_>, _>>()?;
        let captures = files.into_iter().reduce(GraphCaptures::and).map(Arc::new);
        Ok(ImportConfig { barriers, captures, op_shapes: true, ..ImportConfig::default() })
    }

    /// Checks that the shapes of enough kernels of these profiles are known; each profile comes
    /// with its path.
    ///
    /// # Errors
    /// When kernels without a shape take more than a tenth of the kernel time of a profile and
    /// `partial` is not set, or when the files of `shapes_from` give no kernel a shape.
    pub fn check(&self, profiles: &[(&str, &Profile)]) -> Result<(), StudyError> {
        let idle = |(_, profile): &(&str, &Profile)| {
            let report = &profile.report;
            report.met("shape-in-order") + report.met("shape-by-name") == 0
        };
        if !self.shapes_from.is_empty() && profiles.iter().all(idle) {
            let text = "--shapes-from gives no kernel a shape: all have one, the file is not of the \
                        PyTorch profiler, or no kernel without one has a name that the files know";
            return Err(StudyError::Refused(text.to_owned()));
        }
        let much = |(_, profile): &&(&str, &Profile)| profile.unknown_time().is_much();
        match profiles.iter().find(much) {
            Some(&(given, profile)) if !self.partial => {
                Err(StudyError::Refused(without_shapes(given, profile)))
            }
            _ => Ok(()),
        }
    }

    /// Checks that enough of these profiles can run on a device.
    ///
    /// # Errors
    /// When more than a tenth of the kernel time of a profile can never run there, and `partial` is
    /// not set.
    pub(crate) fn check_runs(
        &self,
        profiles: &[Loaded],
        workload: &Workload,
        target: &Device,
    ) -> Result<(), StudyError> {
        if self.partial {
            return Ok(());
        }
        let mut lost = vec![LostTime::default(); profiles.len()];
        for (process, launch, why) in workload.never_run(target) {
            let op = profiles.get(process).and_then(|loaded| loaded.profile.ops.get(launch));
            let Some((of, op)) = lost.get_mut(process).zip(op) else { continue };
            of.launches += 1;
            of.ns += u128::from(op.duration_ns);
            of.first.get_or_insert(why);
        }
        let much = profiles.iter().zip(lost).find_map(|(loaded, lost)| {
            let kernels = loaded.profile.ops.iter().filter(|op| op.kind == OpKind::Kernel);
            let all: u128 = kernels.map(|op| u128::from(op.duration_ns)).sum();
            (lost.ns * MUCH > all).then(|| lost.told(loaded, all, target))
        });
        much.map_or(Ok(()), |told| Err(StudyError::Refused(told)))
    }
}

/// Divisor of a profile's kernel time: the profile is refused where kernels that cannot run on the
/// device take more than a tenth of that time.
pub(crate) const MUCH: u128 = 10;

/// Launches of a profile that can never run on a device: their number, and the sum of their
/// recorded durations in ns.
#[derive(Clone, Debug, Default)]
struct LostTime {
    launches: u64,
    ns: u128,
    /// Reason for the first launch that cannot run on the device; `None` if all launches can.
    first: Option<String>,
}

impl LostTime {
    /// Writes the error that too much of the kernel time of a profile can never run on a device,
    /// with advice; `all` is the kernel time in ns.
    fn told(&self, loaded: &Loaded, all: u128, target: &Device) -> String {
        let own = devices::own(&loaded.profile).map(|own| own.device);
        let elsewhere = own.ok().filter(|own| own.id != target.id).map(|own| own.product);
        let helps = match elsewhere {
            Some(own) => format!(
                "its kernels were made for {own}: record the program on {}, or name another device with --device",
                target.product
            ),
            None => "give the file as the profiler wrote it, or a larger device with --device"
                .to_owned(),
        };
        format!(
            "{} of the kernel time of {} can never run on {} ({}; the first: {}), so a replay would say little of the recorded run: {helps}; --partial replays the rest",
            percent(share(self.ns, all)),
            loaded.given,
            target.product,
            counted(self.launches, "launch", "launches"),
            self.first.as_deref().unwrap_or_default()
        )
    }
}

/// Writes the error that kernels without a shape take too much of the kernel time of a profile,
/// with advice.
fn without_shapes(given: &str, profile: &Profile) -> String {
    let unknown = profile.unknown_time();
    let kernels = profile.report.kernels;
    let (mut reasons, mut helps) = (Vec::new(), Vec::new());
    let impossible = profile.report.met("impossible-threads");
    if unknown.opaque > 0 {
        let of = counted(kernels, "kernel", "kernels");
        let mut told = format!("{} of {of} are opaque", count(unknown.opaque));
        if impossible > 0 {
            let threads = "for blocks of more threads than any device takes (1,024)";
            let _ = write!(told, ", {} of them {threads}", count(impossible));
            helps
                .push("look where the file was written or changed, as no profiler saw such blocks");
        }
        reasons.push(told);
        if impossible < unknown.opaque {
            helps.push(profile.format.shape_advice());
        }
    }
    if unknown.left_out > 0 {
        let of = count(kernels.saturating_add(unknown.left_out));
        let why = why_left_out(unknown.left_out, unknown.timeless);
        reasons.push(format!("{why}, of {of}"));
        if unknown.timeless > 0 {
            helps.push(
                "record again, as the file has times before its begin or far from all others",
            );
        }
        if unknown.timeless < unknown.left_out {
            helps.push("give the file as the profiler wrote it");
        }
    }
    let lacks = match (unknown.opaque, unknown.left_out) {
        (_, 0) => "has no shape",
        (0, _) => "was left out",
        _ => "has no shape or was left out",
    };
    format!(
        "{} of the kernel time of {} {lacks} ({}), so a replay would say little of the recorded run: {} (docs/profiles.md); --partial takes it as it is",
        percent(unknown.share()),
        given,
        reasons.join(", "),
        helps.join("; "),
    )
}
