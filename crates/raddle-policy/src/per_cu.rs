//! Which neighbouring compute units have equal values?
//!
//! Each compute unit has a value. Neighbours with equal values are one run, and the value of a run
//! is kept once: a change of the whole device takes as long as a change of one compute unit.

use alloc::vec;
use alloc::vec::Vec;
use core::iter;
use core::ops::Range;

const BITS: usize = u64::BITS as usize;

/// A table with one value for each compute unit, by index. Neighbouring units with equal values are
/// stored as one run, so that changing many units is cheap.
///
/// ```
/// use raddle_policy::PerCu;
///
/// let mut free = PerCu::new(80, 16);
/// free.change(10..30, |_, free| *free -= 4);
/// free.change(20..80, |_, free| *free -= 1);
/// let runs: Vec<_> = free.runs(0..80).map(|(units, &free)| (units, free)).collect();
/// assert_eq!(runs, [(0..10, 16), (10..20, 12), (20..30, 11), (30..80, 15)]);
/// assert_eq!((free.get(25), free.get(80)), (Some(&11), None));
/// ```
#[derive(Debug, Default)]
#[doc(hidden)]
pub struct PerCu<T> {
    /// The values by compute unit; within a run of equal values only the value of the first unit is
    /// up to date.
    values: Vec<T>,
    /// A bit for each compute unit, set if a run of equal values begins at it.
    begins: Vec<u64>,
}

impl<T: Clone> Clone for PerCu<T> {
    fn clone(&self) -> Self {
        Self { values: self.values.clone(), begins: self.begins.clone() }
    }

    /// Makes this table a copy of `source`, in the memory that the table has already if that is
    /// large enough.
    fn clone_from(&mut self, source: &Self) {
        self.values.clone_from(&source.values);
        self.begins.clone_from(&source.begins);
    }
}

impl<T: Clone + PartialEq> PerCu<T> {
    /// Returns a table of `len` compute units that all have this value.
    #[must_use]
    pub fn new(len: usize, value: T) -> Self {
        let mut begins = vec![0; len.div_ceil(BITS)];
        if let Some(first) = begins.first_mut() {
            *first = 1;
        }
        Self { values: vec![value; len], begins }
    }

    /// Returns the number of compute units.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns whether there is no compute unit.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the value of a compute unit; `None` if there is no such unit.
    #[inline]
    #[must_use]
    pub fn get(&self, cu: usize) -> Option<&T> {
        (cu < self.len()).then(|| &self.values[self.begin_of(cu)])
    }

    /// Returns the runs of equal values within a range of compute units, ascending: (range of
    /// units, value). Units that do not exist are left out.
    #[inline]
    pub fn runs(&self, units: Range<usize>) -> impl Iterator<Item = (Range<usize>, &T)> + Clone {
        let end = units.end.min(self.len());
        let mut from = units.start;
        let mut value = self.get(from);
        iter::from_fn(move || {
            let this = value.filter(|_| from < end)?;
            let run = from..self.end_of(from).min(end);
            from = run.end;
            // Where a run ends the next one begins.
            value = self.values.get(from);
            Some((run, this))
        })
    }

    /// Changes the values of a range of compute units: `to` is called once for each run of equal
    /// values. Units that do not exist are left out.
    #[inline]
    pub fn change(&mut self, units: Range<usize>, mut to: impl FnMut(Range<usize>, &mut T)) {
        let (start, end) = (units.start, units.end.min(self.len()));
        if start >= end {
            return;
        }
        self.split(end);
        self.split(start);
        let mut before = start.checked_sub(1).map(|cu| self.begin_of(cu));
        let mut at = start;
        while at < end {
            let next = self.end_of(at);
            to(at..next, &mut self.values[at]);
            before = Some(self.join(before, at));
            at = next;
        }
        if end < self.len() {
            self.join(before, end);
        }
    }

    /// Returns the first compute unit of the run of equal values to which `cu` belongs.
    #[inline]
    fn begin_of(&self, cu: usize) -> usize {
        let mut word = cu / BITS;
        let mut below = self.begins[word] & u64::MAX >> (BITS - 1 - cu % BITS);
        // The first compute unit always begins a run, so the loop ends.
        while below == 0 {
            word -= 1;
            below = self.begins[word];
        }
        word * BITS + below.ilog2() as usize
    }

    /// Returns the first compute unit behind the run of equal values to which `cu` belongs.
    #[inline]
    fn end_of(&self, cu: usize) -> usize {
        let next = cu + 1;
        let mut word = next / BITS;
        let Some(first) = self.begins.get(word) else { return self.len() };
        let mut above = first & u64::MAX << (next % BITS);
        while above == 0 {
            word += 1;
            let Some(&bits) = self.begins.get(word) else { return self.len() };
            above = bits;
        }
        word * BITS + above.trailing_zeros() as usize
    }

    /// Makes a run of values begin at this compute unit, even if the unit before it has the same
    /// value.
    #[inline]
    fn split(&mut self, cu: usize) {
        let bit = 1 << (cu % BITS);
        if cu < self.len() && self.begins[cu / BITS] & bit == 0 {
            self.values[cu] = self.values[self.begin_of(cu)].clone();
            self.begins[cu / BITS] |= bit;
        }
    }

    /// Joins the run that begins at `cu` with the run before it if their values are equal. `before`
    /// is the first compute unit of the run before; `None` where there is no such run. Returns the
    /// compute unit at which the joined run begins; `cu` where the values differ.
    #[inline]
    fn join(&mut self, before: Option<usize>, cu: usize) -> usize {
        let before = before.filter(|&before| self.values[before] == self.values[cu]);
        if before.is_some() {
            self.begins[cu / BITS] &= !(1 << (cu % BITS));
        }
        before.unwrap_or(cu)
    }
}

/// Two tables are equal if each compute unit has the same value in both.
impl<T: Clone + PartialEq> PartialEq for PerCu<T> {
    fn eq(&self, other: &Self) -> bool {
        // Neighbouring runs never have equal values, so equal tables have equal runs.
        self.len() == other.len()
            && self.begins == other.begins
            && self.runs(0..self.len()).eq(other.runs(0..other.len()))
    }
}

impl<T: Clone + Eq> Eq for PerCu<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_what_a_list_of_all_values_says() {
        for len in [1, 2, 63, 64, 65, 80, 130, 304] {
            let mut state = len as u64;
            let mut draw = move |below: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) as usize % below
            };
            let (mut ours, mut naive) = (PerCu::new(len, 0), vec![0; len]);
            for step in 0..600 {
                let (a, b) = (draw(len + 2), draw(len + 2));
                let units = a.min(b)..if step % 3 == 0 { a.min(b) + 1 } else { a.max(b) };
                let (to, add) = (draw(3), draw(2) == 0);
                let new = |old: usize| if add { (old + to) % 3 } else { to };
                let mut seen = Vec::new();
                ours.change(units.clone(), |run, value| {
                    seen.extend(run.map(|cu| (cu, *value)));
                    *value = new(*value);
                });
                let there = units.start.min(len)..units.end.min(len);
                assert!(seen.into_iter().eq(there.clone().map(|cu| (cu, naive[cu]))), "{units:?}");
                there.for_each(|cu| naive[cu] = new(naive[cu]));
                assert!((0..len).all(|cu| ours.get(cu) == Some(&naive[cu])), "{units:?}");
                assert_eq!(ours.get(len), None);
                let part = a.min(b)..a.max(b);
                let told =
                    ours.runs(part.clone()).flat_map(|(run, &it)| run.map(move |cu| (cu, it)));
                let part = part.start.min(len)..part.end.min(len);
                assert!(told.eq(part.map(|cu| (cu, naive[cu]))), "{naive:?}");
                // Each run is as long as it can be.
                let runs = 1 + naive.windows(2).filter(|two| two[0] != two[1]).count();
                assert_eq!(ours.runs(0..len).count(), runs, "{naive:?}");
                let mut again = PerCu::new(len, 7);
                (0..len).for_each(|cu| again.change(cu..cu + 1, |_, it| *it = naive[cu]));
                assert_eq!(again, ours);
            }
        }
    }

    #[test]
    fn none_has_no_runs() {
        let mut none = PerCu::new(0, 1);
        none.change(0..3, |_, _| unreachable!("there is none"));
        assert_eq!((none.get(0), none.runs(0..3).count()), (None, 0));
    }
}
