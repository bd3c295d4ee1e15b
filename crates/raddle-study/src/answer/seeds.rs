//! What is known of a recipe whose requests were drawn by several seeds?
//!
//! Every figure is the mean over the seeds, with the 95 % confidence interval of Student's t. Two
//! recipes are compared seed by seed, as both had the same requests: what counts is the interval of
//! the differences.

use super::row::{SeveralSeeds, UrgentWaits};
use super::{PolicyFigures, PolicyRow, ProcessFigures, round};

/// 97.5th percentiles of Student's t distribution for 1 to 30 degrees of freedom.
const T: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

impl PolicyRow {
    /// Averages rows of one recipe that were replayed with different random seeds of the arrivals;
    /// of the longest wait and the slowest request the largest is kept. `None` where `rows` is
    /// empty.
    #[must_use]
    pub fn over_seeds(rows: Vec<Self>) -> Option<Self> {
        let first = rows.first()?;
        if rows.len() == 1 {
            return rows.into_iter().next();
        }
        let share = |figure: fn(&Self) -> f64| {
            round(rows.iter().map(figure).sum::<f64>() / rows.len() as f64)
        };
        let processes = (0..first.processes.len()).map(|at| {
            let own: Vec<ProcessFigures> = rows.iter().map(|row| row.processes[at]).collect();
            ProcessFigures::over_seeds(&own)
        });
        Some(Self {
            recipe: first.recipe.clone(),
            out_of_reach: false,
            offered: first.offered,
            elsewhere: first.elsewhere,
            asked: first.asked,
            complete: rows.iter().all(|row| row.complete),
            processes: processes.collect(),
            by_seed_ns: (0..first.processes.len())
                .map(|at| rows.iter().filter_map(|row| row.processes[at].decisive_ns).collect())
                .collect(),
            in_order_ns: Vec::new(),
            goals_met: Vec::new(),
            goals_sure: Vec::new(),
            goals_share: Vec::new(),
            idle: share(|row| row.idle),
            idle_host: share(|row| row.idle_host),
            idle_copies: share(|row| row.idle_copies),
        })
    }
}

impl ProcessFigures {
    fn over_seeds(own: &[Self]) -> Self {
        let all =
            |figure: fn(&Self) -> Option<u64>| own.iter().map(figure).collect::<Option<Vec<u64>>>();
        let decisive: Option<Vec<u64>> = all(|it| it.decisive_ns);
        let p50: Option<Vec<u64>> = all(|it| it.p50_ns);
        let steps: Option<Vec<f64>> = own.iter().map(|it| it.steps_per_s).collect();
        Self {
            decisive_ns: decisive.as_deref().map(|values| mean(values).0),
            p50_ns: p50.as_deref().map(|values| mean(values).0),
            p90_ns: all(|it| it.p90_ns).map(|values| mean(&values).0),
            p95_ns: all(|it| it.p95_ns).map(|values| mean(&values).0),
            mean_ns: all(|it| it.mean_ns).map(|values| mean(&values).0),
            max_ns: own.iter().filter_map(|it| it.max_ns).max(),
            requests: own.iter().filter_map(|it| it.requests).min(),
            steps_per_s: steps.map(|all| round(all.iter().sum::<f64>() / all.len() as f64)),
            longest_wait_ns: own.iter().map(|it| it.longest_wait_ns).max().unwrap_or(0),
            urgent: UrgentWaits::over_seeds(own),
            sampled: None,
            between_ns: None,
            from_issue: None,
            queued_ns: None,
            cut_short: false,
            drawn: decisive.as_deref().map(|values| SeveralSeeds {
                seeds: own.len() as u32,
                decisive_within_ns: mean(values).1,
                p50_within_ns: p50.as_deref().map(|values| mean(values).1),
            }),
        }
    }
}

impl PolicyFigures {
    /// Returns how much longer a process takes under the recipe with the index `row` than under the
    /// baseline recipe, in nanoseconds: (mean over the random seeds, half width of the 95 %
    /// confidence interval of that mean). Below 0 the process takes less time. `None` for a single
    /// seed, or where the process has no figure under one of the seeds.
    pub(crate) fn paired_change(&self, row: usize, process: usize) -> Option<(f64, f64)> {
        let of = |row: usize| {
            let PolicyRow { processes, by_seed_ns, .. } = self.rows.get(row)?;
            let seeds = processes.get(process)?.drawn?.seeds as usize;
            by_seed_ns.get(process).filter(|all| all.len() == seeds)
        };
        let pairs = of(row)?.iter().zip(of(self.baseline)?);
        let differences: Vec<f64> = pairs.map(|(&own, &base)| own as f64 - base as f64).collect();
        Some(mean_within(&differences))
    }
}

impl UrgentWaits {
    /// Averages the waits of the most urgent launches of a process over several random seeds. `own`
    /// holds the figures of the process under each seed; `None` where one of them has no such
    /// waits.
    fn over_seeds(own: &[ProcessFigures]) -> Option<Self> {
        let all: Vec<Self> = own.iter().map(|it| it.urgent).collect::<Option<_>>()?;
        let p99: Vec<u64> = all.iter().map(|it| it.p99_ns).collect();
        Some(Self { level: all.first()?.level, p99_ns: mean(&p99).0 })
    }
}

/// Returns (mean of `values`, half width of the 95 % confidence interval of that mean), both in
/// nanoseconds and rounded.
fn mean(values: &[u64]) -> (u64, u64) {
    let (mean, within) = mean_within(&values.iter().map(|&value| value as f64).collect::<Vec<_>>());
    (mean.round() as u64, within.round() as u64)
}

/// Returns (mean of `values`, half width of the 95 % confidence interval of that mean by Student's
/// t). Expects at least two values.
#[must_use]
pub fn mean_within(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean) * (value - mean));
    let variance = squares.sum::<f64>() / (count - 1.0);
    // Beyond the table, its last value is used, which makes the interval a little too wide.
    let t = T[values.len().saturating_sub(2).min(T.len() - 1)];
    (mean, t * (variance / count).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_mean_is_that_of_students_t() {
        // By hand: mean 20, variance 100, 4.303 * 10 / sqrt(3) = 24.84.
        assert_eq!(mean(&[10, 20, 30]), (20, 25));
        assert_eq!(mean(&[7, 7]), (7, 0));
        // 40 values of 0 and 10 by turns: variance 25 * 40 / 39, 2.042 * 5.0637 / sqrt(40) = 1.635.
        let many: Vec<u64> = (0..40).map(|n| n % 2 * 1000).collect();
        assert_eq!(mean(&many), (500, 163));
    }
}
