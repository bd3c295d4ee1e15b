//! Which open figures of a device bring replays nearest to both programs measured together?

use raddle_device::Device;
use serde::Serialize;

use super::figures::{OPEN, OpenFigure};
use super::predict::{PairPredictor, WayError};
use crate::error::StudyError;

/// The rounds after which a fit ends, if a round still changes a figure.
const ROUNDS: usize = 3;

/// Figures of a device, fitted to a pair of programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PairFit {
    /// The version of this form.
    pub raddle_pair_fit: u32,
    /// The device, with the fitted figures.
    pub device: Device,
    /// The figures that some way tells.
    pub fitted: Vec<FittedFigure>,
    /// Keys of figures that no way tells: they stay as they are.
    pub untold: Vec<&'static str>,
    /// The errors of replays before the fit.
    pub before: Vec<WayError>,
    /// The errors of replays after the fit to all ways.
    pub after: Vec<WayError>,
    /// For each recipe, the errors of its ways after a fit to all others; empty with one recipe.
    pub held_out: Vec<HeldOutWay>,
}

/// A figure that was fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FittedFigure {
    /// The key of the device file.
    pub key: &'static str,
    /// The value before.
    pub before: u64,
    /// The value that fits best.
    pub value: u64,
    /// The next values that were tried and fit worse by more than a tenth; the least or the most that
    /// was tried, where there is none.
    pub between: [u64; 2],
}

/// The errors of ways that a fit did not see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct HeldOutWay {
    /// The recipe whose ways were held out.
    pub recipe: &'static str,
    /// The errors of replays by the fit to all others.
    pub errors: Vec<WayError>,
}

/// The values that were tried, each with its cost.
type Tried = Vec<(u64, u64)>;

impl PairFit {
    /// Fits a device, and holds out the ways of each recipe in turn.
    ///
    /// # Errors
    /// When a replay cannot be made.
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
        Ok(Self { raddle_pair_fit: 1, device: best, fitted, untold, before, after, held_out })
    }
}

/// Returns the errors on the only device.
fn one(errors: Vec<Vec<WayError>>) -> Vec<WayError> {
    errors.into_iter().next().unwrap_or_default()
}

/// Returns what the values that were tried tell of a figure; `None` where all fit equally well.
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

/// Fits the figures one after the other, until a round changes none. Returns the device, and for each
/// figure the costs of its values beside the best of the others.
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
