//! How do the counters of a timeline, such as resident waves, change, within a bounded number of
//! samples?
//!
//! Every change is a sample until there are too many. From then on a sample is the highest value in
//! a span whose length is a power of two of nanoseconds; the span doubles until the samples are few
//! enough.

use super::model::{Measure, TrackCounter};

/// Counters over the time of a simulation: resident waves and ready launches of each process, and
/// resident waves of all processes together.
#[derive(Debug)]
pub(super) struct CounterSet {
    series: Vec<CounterSeries>,
    processes: usize,
    most: usize,
    samples: usize,
    step: u64,
}

/// Values over time of one counter, such as the resident waves of a process.
#[derive(Clone, Debug, Default)]
struct CounterSeries {
    /// Samples of the counter in order of time: (time in ns, value that is shown from then on).
    samples: Vec<(u64, u64)>,
    /// Value of the counter at the present simulated time.
    value: u64,
}

impl CounterSeries {
    /// Sets the value that the counter has from the time `now`, in ns, on. It adds a sample; if
    /// `now` lies within the span of the last sample, it raises that one instead. `step` is the
    /// span of a sample in ns.
    fn set(&mut self, now: u64, value: u64, step: u64) {
        let span = now & !(step - 1);
        self.catch_up(span, step);
        let before = std::mem::replace(&mut self.value, value);
        // The value before the change counts for this span too, unless the change falls on the
        // begin of the span.
        let shown = if now == span { value } else { value.max(before) };
        match self.samples.last_mut() {
            Some((at, old)) if *at == span && step == 1 => *old = value,
            Some((at, old)) if *at == span => *old = shown.max(*old),
            // A sample is added even where its value is unchanged, as a later change in its span
            // may raise it.
            _ => self.samples.push((span, shown)),
        }
    }

    /// Adds a sample with the present value, if the span of the last sample ends before `until`, in
    /// ns. Otherwise the drawing would go on showing the older value. `step` is the span of a
    /// sample in ns.
    fn catch_up(&mut self, until: u64, step: u64) {
        if let Some(&(at, shown)) = self.samples.last() {
            let next = at.saturating_add(step);
            if next < until && shown != self.value {
                self.samples.push((next, self.value));
            }
        }
    }
}

impl CounterSet {
    pub(super) fn new(processes: usize, most: usize) -> Self {
        // There is a series of waves and one of launches for each process and, with several
        // processes, one of the waves of all.
        let series = 2 * processes + usize::from(processes > 1);
        Self {
            series: vec![CounterSeries::default(); series],
            processes,
            most,
            samples: 0,
            step: 1,
        }
    }

    /// Sets, from the time `now` in ns on, the number of resident waves and of ready launches of
    /// each process. Returns whether any number changed.
    pub(super) fn take(&mut self, now: u64, waves: &[u64], launches: &[u64]) -> bool {
        let mut changed = false;
        let all = waves.iter().sum();
        let values = waves.iter().chain(launches).chain(std::iter::once(&all));
        for (series, &value) in self.series.iter_mut().zip(values) {
            if series.value != value {
                let before = series.samples.len();
                series.set(now, value, self.step);
                self.samples += series.samples.len() - before;
                changed = true;
            }
        }
        while changed && self.samples > self.most && self.step < 1 << 62 {
            self.coarsen();
        }
        changed
    }

    /// Doubles the span of time that a sample stands for, and joins samples, so that they take less
    /// memory.
    fn coarsen(&mut self) {
        self.step *= 2;
        for series in &mut self.series {
            let mut coarse = CounterSeries::default();
            for (at, value) in std::mem::take(&mut series.samples) {
                coarse.set(at, value, self.step);
            }
            coarse.value = series.value;
            *series = coarse;
        }
        self.samples = self.series.iter().map(|series| series.samples.len()).sum();
    }

    /// Returns (span of a sample in ns, counters): the counters of all processes together, then
    /// those of each process.
    pub(super) fn finish(mut self) -> (u64, Vec<TrackCounter>) {
        let processes = self.processes;
        let mut counters = Vec::new();
        for (at, mut series) in self.series.drain(..).enumerate() {
            series.catch_up(u64::MAX, self.step);
            series.samples.dedup_by(|next, kept| next.1 == kept.1);
            let (process, measure) = match at {
                _ if at < processes => (Some(at as u16), Measure::Waves),
                _ if at < 2 * processes => (Some((at - processes) as u16), Measure::Launches),
                _ => (None, Measure::Waves),
            };
            counters.push(TrackCounter { process, measure, samples: series.samples });
        }
        counters.sort_by_key(|counter| (counter.process, counter.measure));
        (self.step, counters)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the value that a counter shows at the time `at`.
    fn shown(samples: &[(u64, u64)], at: u64) -> u64 {
        samples.iter().take_while(|sample| sample.0 <= at).last().map_or(0, |sample| sample.1)
    }

    fn counted(most: usize, changes: &[(u64, u64)]) -> (u64, Vec<(u64, u64)>) {
        let mut counts = CounterSet::new(1, most);
        for &(at, value) in changes {
            counts.take(at, &[value], &[0]);
        }
        let (step, counters) = counts.finish();
        (step, counters.into_iter().next().expect("waves").samples)
    }

    #[test]
    fn every_change_is_kept_where_there_is_room() {
        let changes = [(0, 3), (5, 0), (5, 7), (9, 7), (9, 0)];
        assert_eq!(counted(9, &changes), (1, vec![(0, 3), (5, 7), (9, 0)]));
    }

    proptest! {
        #[test]
        fn a_coarse_sample_is_the_highest_value_of_its_span(
            gaps in prop::collection::vec((1u64..40, 0u64..9), 1..60),
            most in 3usize..70,
        ) {
            let mut now = 0;
            let changes: Vec<(u64, u64)> =
                gaps.iter().map(|&(gap, value)| { now += gap; (now, value) }).collect();
            let (step, samples) = counted(most, &changes);
            prop_assert!(samples.len() <= most + 1, "{} samples", samples.len());
            prop_assert!(samples.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 != w[1].1));
            for span in (0..now + step).step_by(step as usize) {
                let highest = (span..span + step).map(|at| shown(&changes, at)).max();
                prop_assert_eq!(Some(shown(&samples, span)), highest, "at {} of {}", span, step);
            }
        }
    }
}
