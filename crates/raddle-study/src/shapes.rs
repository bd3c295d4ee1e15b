//! What is asked where a profile does not say the shapes of its kernels?

use std::sync::Arc;

use raddle_trace::{BarrierRule, GraphCaptures, ImportConfig, Profile, ProfileFormat};

use serde::{Deserialize, Serialize};

use crate::error::StudyError;
use crate::files::Files;
use crate::units::{count, counted, percent};

/// What is said of kernels without shapes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct ShapeRules {
    /// Take profiles of which more than a tenth of the kernel time has no shape: such a kernel fills
    /// the wave slots of the device while it lasts
    pub partial: bool,
    /// Shapes for kernels without one: the trace that vLLM or SGLang wrote while it captured its
    /// graphs, or a profile of the same kernels that has shapes; may be repeated
    pub shapes_from: Vec<String>,
}

impl ShapeRules {
    /// How profiles are read, with the shapes of the files that are named.
    ///
    /// # Errors
    /// When one cannot be read, or gives no shape.
    pub fn options(
        &self,
        barriers: BarrierRule,
        files: &dyn Files,
    ) -> Result<ImportConfig, StudyError> {
        let files = self.shapes_from.iter().map(|file| files.captures(file));
        let files = files.collect::<Result<Vec<_>, _>>()?;
        let captures = files.into_iter().reduce(GraphCaptures::and).map(Arc::new);
        Ok(ImportConfig { barriers, captures, ..ImportConfig::default() })
    }

    /// Whether enough is known of these profiles.
    ///
    /// # Errors
    /// When more than a tenth of the kernel time of one has no shape, and nobody said that this will
    /// do; and when the files with shapes do nothing.
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
}

/// How much lacks, and what helps.
fn without_shapes(given: &str, profile: &Profile) -> String {
    let unknown = profile.unknown_time();
    let kernels = profile.report.kernels;
    let (mut lacks, mut helps) = (Vec::new(), Vec::new());
    if unknown.opaque > 0 {
        let of = counted(kernels, "kernel", "kernels");
        lacks.push(format!("{} of {of} are opaque", count(unknown.opaque)));
        helps.push(help(profile));
    }
    if unknown.left_out > 0 {
        let of = counted(kernels.saturating_add(unknown.left_out), "kernel", "kernels");
        lacks.push(format!("{} of {of} are malformed and were left out", count(unknown.left_out)));
        helps.push("give the file as the profiler wrote it");
    }
    format!(
        "{} of the kernel time of {} has no shape ({}), so a replay would say little of the recorded run: {} (docs/profiles.md); --partial takes it as it is",
        percent(unknown.share()),
        given,
        lacks.join(", "),
        helps.join("; "),
    )
}

/// What gives opaque kernels of such a file a shape.
fn help(profile: &Profile) -> &'static str {
    match profile.format {
        ProfileFormat::Kineto => {
            "give the trace of the graphs' capture, or a profile of the same kernels with shapes, as --shapes-from FILE; or record with rocprofv3 (--kernel-trace --hip-trace --output-format json), or with graphs switched off and a warm-up step before the recording"
        }
        ProfileFormat::Rpd => "give the database that it was made of, `raddle inspect FILE.rpd`",
        ProfileFormat::NsysSqlite => "record with `nsys profile --cuda-graph-trace=node`",
        _ => "record grids and workgroup sizes too",
    }
}
