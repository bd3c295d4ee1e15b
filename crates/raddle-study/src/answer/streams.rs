//! How long do the most urgent streams of a process wait under each recipe?
//!
//! A process whose streams have several priorities may end at the same time under every recipe, and
//! its most urgent streams wait a hundred times longer under one of them.

use super::PolicyFigures;
use super::either::SMALL;
use super::words::from_to;

/// Difference of two waits, in nanoseconds, below which they count as equal: about as long as a
/// launch takes to start.
const SAME_NS: u64 = 10_000;

impl PolicyFigures {
    /// Compares the waits of the most urgent streams under the recipe with the index `row` with
    /// those under the baseline recipe. Returns the product, over all processes, of one wait over
    /// the other: less is better. Returns 1 where no process has streams of several urgency levels.
    pub(super) fn urgent_rank(&self, row: usize) -> f64 {
        let parts = (0..self.processes.len()).filter_map(|process| {
            let of = |row| Some((self.urgent(row, process)? + SAME_NS) as f64);
            Some(of(row)? / of(self.baseline)?)
        });
        parts.product()
    }

    /// Says how the waits of the most urgent streams change from the recipe with the index `from`
    /// to the one with the index `row`: "the most urgent launches of serve (level 0) wait 9.5 ->
    /// 0.5 ms (p99)". `None` where no wait changes by at least 1 % and 10 us.
    pub(super) fn urgent_change(&self, row: usize, from: usize) -> Option<String> {
        let of = |process: usize| {
            let own = self.rows[row].processes[process].urgent?;
            let (now, before) = (own.p99_ns, self.urgent(from, process)?);
            let difference = now.abs_diff(before);
            let counts =
                difference >= SAME_NS && difference as f64 >= SMALL * now.max(before) as f64;
            let name = &self.processes[process].name;
            counts.then(|| {
                let level = own.level;
                format!("of {name} (level {level}) wait {} (p99)", from_to(before, now))
            })
        };
        let told: Vec<String> = (0..self.processes.len()).filter_map(of).collect();
        (!told.is_empty()).then(|| format!("the most urgent launches {}", told.join(" and ")))
    }

    /// Returns (index of the recipe under which the most urgent streams wait least, words for how
    /// their wait changes to it from the recipe with the index `than`). Recipes under which
    /// something never ended are left out; `None` where the wait does not change.
    pub(super) fn least_urgent_wait(&self, than: usize) -> Option<(usize, String)> {
        let ended = (0..self.rows.len()).filter(|&row| self.rows[row].complete);
        let least = ended.min_by(|&a, &b| self.urgent_rank(a).total_cmp(&self.urgent_rank(b)))?;
        Some((least, self.urgent_change(least, than)?))
    }

    fn urgent(&self, row: usize, process: usize) -> Option<u64> {
        self.rows[row].processes[process].urgent.map(|own| own.p99_ns)
    }
}

/// Chooses a recipe by the waits of the most urgent streams, where every process takes the same
/// time under all recipes. Returns (index of the chosen recipe, reason in words); `best` is chosen
/// if it is better, else the baseline recipe. `None` where the waits do not differ either.
pub(super) fn by_streams(figures: &PolicyFigures, best: usize) -> Option<(usize, String)> {
    let base = figures.baseline;
    let name = |row: usize| &figures.rows[row].recipe;
    let same = "every process takes the same time to within 1 %";
    let better = figures.urgent_change(best, base).filter(|_| figures.urgent_rank(best) < 1.0);
    if let Some(waits) = better {
        return Some((best, format!("{}: {waits}; {same}.", figures.rows[best].begin())));
    }
    let rows = (0..figures.rows.len()).filter(|&row| figures.rows[row].complete);
    let changed = |row| Some((row, figures.urgent_change(row, base)?));
    let (other, waits) = rows.filter_map(changed).next()?;
    Some((base, format!("Stay with {}: {same}, but under {} {waits}.", name(base), name(other))))
}

/// Says how the waits of the most urgent streams change under the recipe with the index `named`,
/// which the verdict names. Where that is the baseline recipe, says under which other recipe they
/// wait least. `None` where the waits do not differ.
pub(super) fn streams_told(figures: &PolicyFigures, named: usize) -> Option<String> {
    let (row, waits) = match figures.urgent_change(named, figures.baseline) {
        Some(waits) => (named, waits),
        None => figures.least_urgent_wait(named).filter(|_| named == figures.baseline)?,
    };
    Some(format!("Under {} {waits}.", figures.rows[row].recipe))
}
