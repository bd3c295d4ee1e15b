//! Which weights of instructions explain measured power (seed 000, j10)?
//!
//! Units: instructions of waves; ns; mW; pJ. A mW for a ns is a pJ.

use raddle_sim::EnergyModel;

/// Measured power of the device while one kernel ran alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerReading {
    /// Name of the kernel that ran while the power was measured.
    pub kernel: String,
    /// Number of instructions that all waves of the kernel issued, for each kind in the order of
    /// [`KINDS`].
    pub counts: [u64; 6],
    /// Time for which the kernel ran alone while power was measured, in ns.
    pub ns: u64,
    /// Mean power of the device while the kernel ran, including idle power, in mW.
    pub mw: u64,
}

/// Energy per instruction, fitted to measured power.
#[derive(Clone, Debug, PartialEq)]
pub struct EnergyFit {
    /// Energy of one instruction of each kind in [`KINDS`], in pJ; `None` where no measured kernel
    /// issues this kind.
    pub pj: [Option<f64>; 6],
    /// Power that the device drew while no kernel ran, in mW.
    pub(crate) idle_mw: u64,
    /// Energy by the fitted weights over the measured energy, without idle power, for each measured
    /// kernel; 1 is a perfect fit. Readings of the idle device are left out.
    pub explained: Vec<f64>,
    /// Number of instructions that each measured kernel issues; `None` unless each kernel issues
    /// only one kind of instruction, and all issue equally many. Claim 4 of the patent that raddle
    /// calls seed 000 measures such kernels.
    pub calls: Option<u64>,
}

/// Reason why power readings give no energy weights of instructions.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the message says what each variant and field is")]
pub enum FitError {
    #[error("nothing was measured while idle: add a row without instructions")]
    NoIdle,
    #[error(
        "`{kernel}` drew {mw} mW, no more than the {idle_mw} mW of the idle device: measure it again, for longer"
    )]
    BelowIdle { kernel: String, mw: u64, idle_mw: u64 },
    #[error(
        "the kernels cannot tell the kinds {kinds} apart: add one that calls few of the others"
    )]
    Dependent { kinds: String },
    #[error(
        "a weight of {pj:.1} pJ for `{kind}` would explain the readings best, and none is below 0: add kernels that call it more"
    )]
    Negative { kind: &'static str, pj: f64 },
}

/// Names of the six kinds of instructions, as input columns and result keys spell them.
pub const KINDS: [&str; 6] = ["move", "load", "store", "matrix", "compare", "jump"];

impl EnergyFit {
    /// Fits the energy per instruction to power readings by least squares. Errors are taken
    /// relative to the energy of each reading, so that all kernels count alike.
    ///
    /// # Errors
    ///
    /// See [`FitError`].
    pub fn of(readings: &[PowerReading]) -> Result<Self, FitError> {
        let (idle, busy): (Vec<_>, Vec<_>) =
            readings.iter().partition(|reading| reading.counts == [0; 6]);
        let lasted: u128 = idle.iter().map(|it| u128::from(it.ns)).sum();
        let drawn: u128 = idle.iter().map(|it| u128::from(it.ns) * u128::from(it.mw)).sum();
        let idle_mw = drawn.checked_div(lasted).ok_or(FitError::NoIdle)?;
        let idle_mw = u64::try_from(idle_mw).unwrap_or(u64::MAX);
        let below = busy.iter().find(|it| it.mw <= idle_mw || it.ns == 0);
        if let Some(it) = below {
            return Err(FitError::BelowIdle { kernel: it.kernel.clone(), mw: it.mw, idle_mw });
        }
        let used: Vec<usize> =
            (0..6).filter(|&kind| busy.iter().any(|it| it.counts[kind] > 0)).collect();
        // Row of a kernel: its instructions of each kind, divided by the pJ that were measured, so
        // that all kernels weigh alike.
        let rows: Vec<Vec<f64>> = busy.iter().map(|it| row(it, idle_mw, &used)).collect();
        let found = least_squares(&rows, used.len()).ok_or_else(|| FitError::Dependent {
            kinds: used.iter().map(|&kind| KINDS[kind]).collect::<Vec<_>>().join(", "),
        })?;
        let mut pj = [None; 6];
        for (&kind, &weight) in used.iter().zip(&found) {
            if weight < 0.0 {
                return Err(FitError::Negative { kind: KINDS[kind], pj: weight });
            }
            pj[kind] = Some(weight);
        }
        let told = |row: &Vec<f64>| row.iter().zip(&found).map(|(a, b)| a * b).sum();
        let explained = rows.iter().map(told).collect();
        Ok(Self { pj, idle_mw, explained, calls: calls(&busy) })
    }

    /// Returns an energy model with the fitted energy per instruction; kinds that were not measured
    /// keep assumed values. The energy of loads and stores includes the memory's, and the idle
    /// power includes all that the device draws without work.
    #[must_use]
    pub fn model(&self) -> EnergyModel {
        let mut model = EnergyModel::of_instructions(EnergyModel::ASSUMED.pj);
        for (to, found) in model.pj.iter_mut().zip(self.pj) {
            // A weight above the range of a u32 becomes the largest u32.
            *to = found.map_or(*to, |pj| pj.round() as u32);
        }
        model.idle_mw = u32::try_from(self.idle_mw).unwrap_or(u32::MAX);
        model
    }
}

fn row(reading: &PowerReading, idle_mw: u64, used: &[usize]) -> Vec<f64> {
    let measured = (reading.mw - idle_mw) as f64 * reading.ns as f64;
    used.iter().map(|&kind| reading.counts[kind] as f64 / measured).collect()
}

/// Returns the number of instructions that each kernel issues, where every kernel issues only one
/// kind and all issue equally many; else `None`.
fn calls(busy: &[&PowerReading]) -> Option<u64> {
    let only = |it: &&PowerReading| {
        let mut called = it.counts.into_iter().filter(|&count| count > 0);
        called.next().filter(|_| called.next().is_none())
    };
    let first = busy.first().and_then(only)?;
    busy.iter().all(|it| only(it) == Some(first)).then_some(first)
}

/// Finds the vector x of `unknowns` numbers that solves the linear equations `rows x = 1` best, by
/// least squares; `None` unless exactly one solution is best.
fn least_squares(rows: &[Vec<f64>], unknowns: usize) -> Option<Vec<f64>> {
    let sum = |of: &dyn Fn(&Vec<f64>) -> f64| rows.iter().map(of).sum::<f64>();
    let mut table: Vec<Vec<f64>> = (0..unknowns)
        .map(|a| {
            let mut line: Vec<f64> = (0..unknowns).map(|b| sum(&|row| row[a] * row[b])).collect();
            line.push(sum(&|row| row[a]));
            line
        })
        .collect();
    let scale: Vec<f64> = (0..unknowns).map(|at| table[at][at]).collect();
    for at in 0..unknowns {
        let best =
            (at..unknowns).max_by(|&a, &b| table[a][at].abs().total_cmp(&table[b][at].abs()))?;
        table.swap(at, best);
        let pivot = table[at][at];
        if pivot.abs() <= 1e-9 * scale[at] {
            return None;
        }
        let line = table[at].clone();
        for (_, of) in table.iter_mut().enumerate().filter(|(other, _)| *other != at) {
            let factor = of[at] / pivot;
            of.iter_mut().zip(&line).for_each(|(to, from)| *to -= factor * from);
        }
    }
    Some((0..unknowns).map(|at| table[at][unknowns] / table[at][at]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(kernel: &str, counts: [u64; 6], ns: u64, mw: u64) -> PowerReading {
        PowerReading { kernel: kernel.to_owned(), counts, ns, mw }
    }

    #[test]
    fn weights_come_back_from_power_that_they_made() {
        let weights = [60, 400, 300, 2000];
        let kernels = [[9, 1, 0, 0], [5, 5, 0, 0], [1, 0, 8, 2], [4, 2, 1, 7], [0, 1, 1, 0]];
        let mut readings = vec![reading("idle", [0; 6], 1000, 30_000)];
        for (at, counts) in kernels.iter().enumerate() {
            let [a, b, c, d] = counts.map(|count: u64| count * 1_000_000);
            let pj: u64 = [a, b, c, d].iter().zip(weights).map(|(count, pj)| count * pj).sum();
            readings.push(reading(
                &at.to_string(),
                [a, b, c, d, 0, 0],
                100_000,
                30_000 + pj / 100_000,
            ));
        }
        let fit = EnergyFit::of(&readings).expect("it has a solution");
        assert_eq!(fit.model().pj, [60, 400, 300, 2000, 50, 30], "the last two are assumed");
        assert_eq!((fit.pj[4], fit.idle_mw, fit.calls), (None, 30_000, None));
        assert!(fit.explained.iter().all(|share| (share - 1.0).abs() < 1e-6));
    }

    #[test]
    fn tests_of_one_kind_each_say_how_often_it_was_called() {
        let mut readings = vec![reading("idle", [0; 6], 1000, 10)];
        for kind in 0..6 {
            let mut counts = [0; 6];
            counts[kind] = 1024;
            readings.push(reading(KINDS[kind], counts, 1024, 10 + 7 * (kind as u64 + 1)));
        }
        let fit = EnergyFit::of(&readings).expect("it has a solution");
        assert_eq!((fit.calls, fit.model().pj), (Some(1024), [7, 14, 21, 28, 35, 42]));
    }

    #[test]
    fn what_gives_no_weights_is_told() {
        let idle = reading("idle", [0; 6], 10, 10);
        let one = |counts| reading("k", counts, 10, 20);
        let of = |readings: &[PowerReading]| EnergyFit::of(readings).unwrap_err();
        assert_eq!(of(&[one([1, 0, 0, 0, 0, 0])]), FitError::NoIdle);
        assert!(matches!(of(&[idle.clone(), one([1, 1, 0, 0, 0, 0])]), FitError::Dependent { .. }));
        let cold = PowerReading { mw: 10, ..one([1, 0, 0, 0, 0, 0]) };
        assert!(matches!(of(&[idle.clone(), cold]), FitError::BelowIdle { .. }));
        let odd =
            [idle, one([10, 0, 0, 0, 0, 0]), PowerReading { mw: 11, ..one([10, 1, 0, 0, 0, 0]) }];
        assert!(matches!(of(&odd), FitError::Negative { .. }));
    }
}
