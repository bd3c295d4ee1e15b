//! Under which key, and as which text, are times that were fitted to a profile kept between runs?
//!
//! The fit follows from the content of the profile, the device that it was recorded on, and the
//! options of the fit; all of them are in the key, which is no secret and names no file.

use std::hash::{DefaultHasher, Hash, Hasher};

use raddle_device::Device;
use raddle_policy::Ticks;
use raddle_sim::LaunchLatency;
use raddle_trace::Profile;
use serde::{Deserialize, Serialize};

use crate::fidelity::ModelError;
use crate::fitted::{FitRules, Fitted};
use crate::profiles::Loaded;

/// Version of the text form in which the fit of the simulator's model to a profile is stored.
const VERSION: u32 = 3;

/// Fit of the simulation model to one profile (times of workgroups, launch latency), as a file
/// stores it for later commands. Fractions are stored as the bits of floating-point numbers, so
/// that they are read back exactly.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct KeptFit {
    raddle_fit: u32,
    /// Time that one workgroup of each op (launch, copy or fill) lasts on the device of the
    /// recording, in ns, in the order of the ops. `None` where no kernels ran side by side, as no
    /// time had to be fitted then.
    workgroups: Option<Vec<u64>>,
    launch_ns: u64,
    handover_ns: u64,
    uncalibrated: Option<u64>,
    /// Errors of a replay with this fit, as (error of the busy time, error of the makespan,
    /// fraction of the waits that are as recorded). Each is a fraction, stored as its bits. `None`
    /// where they were not computed.
    error: Option<(u64, u64, Option<u64>)>,
}

/// Pair of 64-bit hashes of the same values, so that no two profiles get an equal key by chance.
struct Hashes([DefaultHasher; 2]);

impl Hasher for Hashes {
    fn write(&mut self, bytes: &[u8]) {
        self.0.iter_mut().for_each(|hash| hash.write(bytes));
    }

    fn finish(&self) -> u64 {
        self.0[0].finish()
    }
}

/// Returns the name under which the fit of a profile is stored: 32 hexadecimal digits. They depend
/// on the profile, the device `own` of the recording, the rules of the fit, and raddle's version.
pub(crate) fn key(loaded: &Loaded, own: &Device, rules: FitRules) -> String {
    let mut hashes = Hashes([DefaultHasher::new(), DefaultHasher::new()]);
    hashes.0[1].write_u8(1);
    // The levels of the ops decide which one goes first where streams meet, so they are part of the
    // key.
    let level = loaded.levels(&[]);
    let levels: Vec<u8> = loaded.profile.ops.iter().map(|op| level(op).0).collect();
    // A field that is left out has no part in a fit: the name, and what an import tells of the file.
    let Profile {
        name: _,
        format,
        device,
        kernels,
        streams,
        ops,
        span_ns,
        resolution_ns,
        between_ns,
        memory_bytes: _,
        host_waits,
        stream_waits,
        works,
        collectives,
        diagnostics: _,
        report: _,
    } = &*loaded.profile;
    (kernels, streams, ops, levels).hash(&mut hashes);
    (span_ns, resolution_ns, between_ns, host_waits, stream_waits).hash(&mut hashes);
    (works, collectives).hash(&mut hashes);
    let version = env!("CARGO_PKG_VERSION");
    format!("{VERSION} {version} {format:?} {device:?} {own:?} {rules:?}").hash(&mut hashes);
    let [one, other] = hashes.0.map(|hash| hash.finish());
    format!("{one:016x}{other:016x}")
}

/// Returns the text in which the fit of a profile, and the errors of a replay with it, are stored
/// for later commands.
pub(crate) fn text(fitted: &Fitted, error: Option<&ModelError>) -> Vec<u8> {
    let kept = KeptFit {
        raddle_fit: VERSION,
        workgroups: fitted.workgroups.as_deref().map(<[u64]>::to_vec),
        launch_ns: fitted.latency.launch.0,
        handover_ns: fitted.latency.handover.0,
        uncalibrated: fitted.uncalibrated.map(f64::to_bits),
        error: error
            .map(|it| (it.busy.to_bits(), it.makespan.to_bits(), it.within.map(f64::to_bits))),
    };
    serde_json::to_vec(&kept).expect("numbers and lists of them can be written as JSON")
}

/// Reads the stored fit of a profile with `ops` ops (launches, copies and fills). Returns (fit,
/// errors of a replay with it); `None` where the text is no fit of a profile with that number of
/// ops.
pub(crate) fn read(text: &[u8], ops: usize) -> Option<(Fitted, Option<ModelError>)> {
    let kept: KeptFit = serde_json::from_slice(text).ok()?;
    let fits = kept.workgroups.as_ref().is_none_or(|times| times.len() == ops);
    if kept.raddle_fit != VERSION || !fits {
        return None;
    }
    let uncalibrated = kept.uncalibrated.map(f64::from_bits);
    let latency =
        LaunchLatency { launch: Ticks(kept.launch_ns), handover: Ticks(kept.handover_ns) };
    let fitted = Fitted { workgroups: kept.workgroups.map(Into::into), latency, uncalibrated };
    let error = kept.error.map(|(busy, makespan, within)| ModelError {
        busy: f64::from_bits(busy),
        uncalibrated,
        makespan: f64::from_bits(makespan),
        within: within.map(f64::from_bits),
    });
    Some((fitted, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fit_comes_back_as_it_was() {
        let fitted = Fitted {
            workgroups: Some(vec![1, u64::MAX].into()),
            latency: LaunchLatency { launch: Ticks(5), handover: Ticks(7) },
            uncalibrated: Some(0.1 + 0.2),
        };
        let error = ModelError {
            busy: -0.0,
            uncalibrated: fitted.uncalibrated,
            makespan: 1.0 / 3.0,
            within: None,
        };
        let kept = text(&fitted, Some(&error));
        assert_eq!(read(&kept, 2), Some((fitted, Some(error))));
    }

    #[test]
    fn a_text_of_something_else_is_no_fit() {
        let kept = text(&Fitted { workgroups: Some(vec![1].into()), ..Fitted::default() }, None);
        assert_eq!(read(&kept, 2), None, "a fit of one op for a profile of two");
        assert_eq!(read(&kept[..kept.len() - 1], 1), None, "a file that was cut");
        let newer =
            String::from_utf8(kept).unwrap().replace("\"raddle-fit\":3", "\"raddle-fit\":4");
        assert_eq!(read(newer.as_bytes(), 1), None, "a version that is not known");
    }
}
