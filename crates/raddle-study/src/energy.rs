//! How much energy does an instruction of each kind take in a study, and from where is that known?

use raddle_sim::EnergyModel;
use serde::{Deserialize, Serialize};

use crate::error::StudyError;
use crate::files::Files;
use crate::study::Study;
use crate::written::toml_or_json;

/// File of energy weights (energy per instruction), as `raddle calibrate energy` writes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct EnergyFile {
    /// Version of the format of the file: 1.
    pub raddle_energy: u32,
    /// Source of the weights in words, such as where they were measured or published.
    pub source: String,
    /// Energy weights of instructions, and the idle power of the device.
    pub energy: EnergyModel,
}

/// Returns words for the energy weights of instructions that a study uses; `None` where the study
/// computes no energy.
pub(crate) fn weights(study: &Study) -> Option<&'static str> {
    match (&study.energy_weights, study.energy) {
        (Some(_), _) => Some("those of --energy-weights, assumed"),
        (None, asked) => asked.then_some("assumed"),
    }
}

/// Returns the energy weights of instructions that a study uses: those of the file that it names,
/// assumed ones where it names no file, and [`EnergyModel::NONE`] where it computes no energy.
///
/// # Errors
/// When the file cannot be read, or is no file of energy weights.
pub(crate) fn model(study: &Study, files: &dyn Files) -> Result<EnergyModel, StudyError> {
    let Some(name) = &study.energy_weights else {
        return Ok(if study.energy { EnergyModel::ASSUMED } else { EnergyModel::NONE });
    };
    let refused = |cause: String| {
        StudyError::Refused(format!(
            "{name} holds no weights of energy ({cause}): `raddle calibrate energy` writes such a file"
        ))
    };
    let text = files.text(name).map_err(|error| refused(error.to_string()))?;
    let file: EnergyFile = toml_or_json(&text).map_err(refused)?;
    match file.raddle_energy {
        1 if file.energy.lds_percent <= 100 => Ok(file.energy),
        1 => Err(refused(format!("lds-percent is {}, give 100 or less", file.energy.lds_percent))),
        other => Err(refused(format!("its format is {other}, this raddle reads 1"))),
    }
}
