//! With which figures of a device (such as its memory bandwidth) do replays come nearest to the
//! measured times of two programs that ran side by side?

use raddle_device::Device;
use serde::Serialize;

use super::figures::{OPEN, OpenFigure};
use super::predict::{AloneError, PairPredictor, WayError};
use crate::error::StudyError;

/// Largest number of rounds of a fit; each round fits every figure of the device once.
const ROUNDS: usize = 3;

/// Result of fitting a device's figures to the measured times of two programs that ran side by side
/// under several ways of sharing the device.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PairFit {
    /// Version of the JSON format in which this result is written.
    pub raddle_pair_fit: u32,
    /// Description of the device with the values that were fitted to measurements.
    pub device: Device,
    /// Figures of the device that were fitted: those whose value changes the errors of the replays.
    pub fitted: Vec<FittedFigure>,
    /// Keys of the device's figures that stay as they were, as they change the error of no replay.
    pub untold: Vec<&'static str>,
    /// Errors of replays of each program alone, which the fit does not change. Large ones show that
    /// a profile is not that of the measured program. Empty where no program was measured alone.
    pub alone: Vec<AloneError>,
    /// Errors of replays of both programs before the fit, one entry for each way of sharing the
    /// device and each load (rate of requests).
    pub before: Vec<WayError>,
    /// Errors of replays of both programs after the fit to all measurements, one entry for each way
    /// of sharing the device and each load (rate of requests).
    pub after: Vec<WayError>,
    /// Test of the fit on measurements that it did not use. Each entry is for one recipe: the
    /// figures were fitted to the measurements under all other recipes, and then this one was
    /// replayed. Empty where only one recipe was measured.
    pub held_out: Vec<HeldOutWay>,
}

/// Figure of a device that was fitted to measurements of two programs side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FittedFigure {
    /// Key, in a device file, of the fitted value; it ends with the unit, such as `-ns`.
    pub key: &'static str,
    /// Value of the figure before the fit, in the unit that its key names.
    pub before: u64,
    /// Value of the figure with the smallest errors of replays, in the unit that its key names. Of
    /// equally good values it is the one before the fit, else the smallest.
    pub value: u64,
    /// Bounds [least, most] of the true value of the figure, in the unit that its key names. Each
    /// is the nearest tried value whose errors are larger by more than a tenth, or the outermost
    /// tried value where there is none.
    pub between: [u64; 2],
}

/// Errors of replays under one recipe, after a fit to the measurements under all others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct HeldOutWay {
    /// Name of the recipe (set of policies) whose measurements the fit did not use.
    pub recipe: &'static str,
    /// Errors of replays under the recipe, one entry for each way of sharing the device and each
    /// load (rate of requests).
    pub errors: Vec<WayError>,
}

/// Values of a figure that the fit tried: (value, sum of the errors of replays in thousandths).
type Tried = Vec<(u64, u64)>;

impl PairFit {
    /// Fits the figures of a device to measurements. Then, as a test, repeats the fit for each
    /// recipe (set of policies) without the measurements under that recipe.
    ///
    /// # Errors
    /// When a replay fails.
    pub fn of(device: &Device, predictor: &PairPredictor<'_>) -> Result<Self, StudyError> {
        let recipes = predictor.recipes();
        let before = one(predictor.errors(std::slice::from_ref(device), &recipes)?);
        let (_, tried) = fitted(device, predictor, &recipes)?;
        let (mut figures, mut untold) = (Vec::new(), Vec::new());
        // Of a figure that no way tells the device keeps what it had.
        let mut best = device.clone();
        for (figure, tried) in OPEN.iter().zip(&tried) {
            match told(figure, device, tried) {
                Some(found) => {
                    best = figure.with(&best, found.value);
                    figures.push((figure, found));
                }
                None => untold.push(figure.key),
            }
        }
        let after = one(predictor.errors(std::slice::from_ref(&best), &recipes)?);
        let alone = predictor.alone(&best);
        let mut held_out = Vec::new();
        for recipe in recipes.iter().filter(|_| recipes.len() > 1) {
            let others: Vec<&str> = recipes.iter().copied().filter(|it| it != recipe).collect();
            let (without, _) = fitted(device, predictor, &others)?;
            let errors = one(predictor.errors(&[without], &[recipe])?);
            held_out.push(HeldOutWay { recipe, errors });
        }
        for (figure, found) in &figures {
            let [least, most] = found.between;
            figure.bound(&mut best, [least, found.value, most]);
        }
        let fitted: Vec<FittedFigure> = figures.into_iter().map(|(_, found)| found).collect();
        let keys: Vec<&str> = fitted.iter().map(|it| it.key).collect();
        if !keys.is_empty() {
            let keys = keys.join(", ");
            best.source = format!("fitted to a measured pair: {keys}; else: {}", device.source);
        }
        let device = best;
        Ok(Self { raddle_pair_fit: 1, device, fitted, untold, alone, before, after, held_out })
    }
}

/// Returns the errors for the only device; `errors` has one list for each device.
fn one(errors: Vec<Vec<WayError>>) -> Vec<WayError> {
    errors.into_iter().next().unwrap_or_default()
}

/// Returns the value of a figure with the smallest errors among those tried, with its bounds.
/// `None` where all tried values have equal errors. `tried` must be in ascending order.
fn told(figure: &OpenFigure, device: &Device, tried: &Tried) -> Option<FittedFigure> {
    let least = tried.iter().map(|(_, cost)| *cost).min()?;
    if tried.iter().all(|(_, cost)| *cost == least) {
        return None;
    }
    let before = figure.of(device);
    // Of values that fit equally well the one that the device had stays, else the least.
    let is_best = |value: u64| tried.contains(&(value, least));
    let best = tried.iter().find(|(_, cost)| *cost == least).map(|(value, _)| *value)?;
    let value = if is_best(before) { before } else { best };
    // The truth may lie up to the next value that fits worse by more than a tenth.
    let is_near = |(_, cost): &(u64, u64)| cost * 10 <= least * 11;
    let (first, last) = (tried.iter().position(is_near)?, tried.iter().rposition(is_near)?);
    let between = [tried[first.saturating_sub(1)].0, tried[(last + 1).min(tried.len() - 1)].0];
    Some(FittedFigure { key: figure.key, before, value, between })
}

/// Fits the figures of a device one after the other, in rounds, until a round changes no figure.
/// Returns (device with the fitted figures; for each figure the values tried in the last round,
/// with their errors).
fn fitted(
    device: &Device,
    predictor: &PairPredictor<'_>,
    recipes: &[&str],
) -> Result<(Device, Vec<Tried>), StudyError> {
    let mut best = device.clone();
    let mut all = Vec::new();
    for _ in 0..ROUNDS {
        all.clear();
        let mut changed = false;
        for figure in &OPEN {
            let matters = |recipe: &&&str| (**recipe == "time-slice") == figure.in_turns;
            let recipes: Vec<&str> = recipes.iter().filter(matters).copied().collect();
            let values = figure.tried(device);
            let with = values.iter().map(|&value| figure.with(&best, value));
            let errors = predictor.errors(&with.collect::<Vec<_>>(), &recipes)?;
            let cost = |errors: Vec<WayError>| {
                errors.iter().filter(|error| !error.overloaded).map(WayError::cost).sum()
            };
            let tried: Tried = values.into_iter().zip(errors.into_iter().map(cost)).collect();
            let own = figure.of(&best);
            if let Some(found) = told(figure, &best, &tried).filter(|found| found.value != own) {
                best = figure.with(&best, found.value);
                changed = true;
            }
            all.push(tried);
        }
        if !changed {
            break;
        }
    }
    Ok((best, all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_told_where_values_fit_differently() {
        let h200 = raddle_device::find("h200").expect("in the table");
        let of = |tried: &[(u64, u64)]| told(&OPEN[0], &h200, &tried.to_vec());
        assert_eq!(of(&[(700, 30), (800, 30)]), None, "it does not matter");
        assert_eq!(of(&[]), None, "nothing was tried");
        let found = of(&[(700, 100), (750, 105), (800, 120), (850, 111)]).expect("it is told");
        assert_eq!((found.before, found.value, found.between), (800, 700, [700, 800]));
        let found = of(&[(700, 100), (800, 100), (850, 200)]).expect("it is told");
        assert_eq!(found.value, 800, "the device's own is as good");
    }
}
