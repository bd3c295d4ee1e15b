//! How full was the device, and how long the queue, in the course of a run?
//!
//! Wave-slot time and launch time, summed up for each process in equal buckets of time that begin
//! at tick 0; integers only. A bucket is as wide as a power of two of nanoseconds: where the run
//! outgrows the buckets, two become one, so that their number stays bounded whatever the run's
//! length. Costs nothing between the edges of buckets but one comparison.

use raddle_policy::Tick;

/// The most buckets of a run.
const BUCKETS: u64 = 512;
/// The most buckets of all processes together, where there are so many of them; each has a few.
const ALL_BUCKETS: u64 = 1 << 15;
const FEWEST: u64 = 16;

/// What a run did over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// The width of a bucket, a power of two, in ns.
    pub bucket_ns: u64,
    /// When the last event happened; the last bucket is counted up to here only, in ns.
    pub until_ns: u64,
    /// One a process.
    pub processes: Vec<ProcessSeries>,
}

/// What one process did over time: one entry a bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessSeries {
    /// Wave-slot time used, in wave-ns.
    pub wave_ns: Vec<u128>,
    /// Time of kernel launches that were ready and had not ended, in launch-ns.
    pub launch_ns: Vec<u128>,
}

impl Series {
    /// How long a bucket lasts, in ns: all the same, but the last ends with the run.
    #[must_use]
    pub fn lasts(&self, bucket: usize) -> u64 {
        let begin = (bucket as u64).saturating_mul(self.bucket_ns);
        self.until_ns.saturating_sub(begin).min(self.bucket_ns)
    }
}

/// What a process has used up to some tick.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Used {
    pub(crate) wave_ns: u128,
    pub(crate) launch_ns: u128,
}

/// Fills the buckets as a run goes.
#[derive(Debug)]
pub(crate) struct SeriesRecorder {
    series: Series,
    most: u64,
    /// Buckets that are full.
    full: u64,
    /// Where the current bucket ends.
    edge: u64,
    /// What each process had used where the current bucket began.
    before: Vec<Used>,
}

impl SeriesRecorder {
    pub(crate) fn new(processes: usize) -> Self {
        let most = ALL_BUCKETS / (processes.max(1) as u64);
        Self {
            series: Series {
                bucket_ns: 1,
                until_ns: 0,
                processes: vec![ProcessSeries::default(); processes],
            },
            most: most.clamp(FEWEST, BUCKETS) & !1,
            full: 0,
            edge: 1,
            before: vec![Used::default(); processes],
        }
    }

    /// Whether the time up to `now` fills the current bucket.
    pub(crate) fn fills(&self, now: Tick) -> bool {
        now.0 >= self.edge
    }

    /// Fills buckets up to `now`; `used` says what a process had used up to a tick before that.
    pub(crate) fn fill(&mut self, now: Tick, used: impl Fn(usize, Tick) -> Used) {
        while now.0 / self.series.bucket_ns >= self.most {
            self.widen();
        }
        while self.full < now.0 / self.series.bucket_ns {
            self.close(Tick(self.edge), &used);
            self.full += 1;
            self.edge = self.after(self.full);
        }
    }

    /// The end of the run.
    pub(crate) fn finish(mut self, now: Tick, used: impl Fn(usize, Tick) -> Used) -> Series {
        if now.0 > self.full.saturating_mul(self.series.bucket_ns) {
            self.close(now, &used);
        }
        self.series.until_ns = now.0;
        self.series
    }

    /// Where the bucket of this number ends.
    fn after(&self, bucket: u64) -> u64 {
        bucket.saturating_add(1).saturating_mul(self.series.bucket_ns)
    }

    fn close(&mut self, at: Tick, used: &impl Fn(usize, Tick) -> Used) {
        let rows = self.series.processes.iter_mut().zip(&mut self.before);
        for (process, (row, before)) in rows.enumerate() {
            let now = used(process, at);
            row.wave_ns.push(now.wave_ns - before.wave_ns);
            row.launch_ns.push(now.launch_ns - before.launch_ns);
            *before = now;
        }
    }

    /// Makes two buckets one. The current bucket may have become the second half of one.
    fn widen(&mut self) {
        self.series.bucket_ns = self.series.bucket_ns.saturating_mul(2);
        let odd = self.full % 2 == 1;
        self.full /= 2;
        self.edge = self.after(self.full);
        for (row, before) in self.series.processes.iter_mut().zip(&mut self.before) {
            if odd {
                before.wave_ns -= row.wave_ns.pop().unwrap_or(0);
                before.launch_ns -= row.launch_ns.pop().unwrap_or(0);
            }
            halve(&mut row.wave_ns);
            halve(&mut row.launch_ns);
        }
    }
}

fn halve(values: &mut Vec<u128>) {
    let pairs = values.len() / 2;
    for at in 0..pairs {
        values[at] = values[2 * at] + values[2 * at + 1];
    }
    values.truncate(pairs);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a process has used that has `waves` waves from tick `from` to `to`.
    fn busy(waves: u64, from: u64, to: u64) -> impl Fn(usize, Tick) -> Used {
        move |_, at: Tick| {
            let used = u128::from(at.0.clamp(from, to) - from) * u128::from(waves);
            Used { wave_ns: used, launch_ns: used / u128::from(waves) }
        }
    }

    fn record(ticks: &[u64], used: impl Fn(usize, Tick) -> Used) -> Series {
        let mut recorder = SeriesRecorder::new(1);
        for &tick in ticks {
            if recorder.fills(Tick(tick)) {
                recorder.fill(Tick(tick), &used);
            }
        }
        let last = ticks.last().copied().unwrap_or(0);
        recorder.finish(Tick(last), &used)
    }

    #[test]
    fn short_runs_have_buckets_of_one_tick() {
        let series = record(&[2, 5, 6], busy(3, 2, 5));
        assert_eq!((series.bucket_ns, series.until_ns), (1, 6));
        assert_eq!(series.processes[0].wave_ns, [0, 0, 3, 3, 3, 0]);
        assert_eq!(series.processes[0].launch_ns, [0, 0, 1, 1, 1, 0]);
    }

    #[test]
    fn buckets_widen_and_lose_nothing() {
        let ends = [511, 512, 513, 1_000, 1_023, 1_024, 1_500, 123_456, 987_654_321];
        for end in ends {
            let steps = [1, 5, end / 3, end / 2, end];
            let series = record(&steps, busy(7, 1, end));
            let row = &series.processes[0];
            assert!(row.wave_ns.len() <= 512, "{end}");
            assert_eq!(row.wave_ns.iter().sum::<u128>(), 7 * u128::from(end - 1), "{end}");
            assert_eq!(row.launch_ns.iter().sum::<u128>(), u128::from(end - 1), "{end}");
            let lasts: u64 = (0..row.wave_ns.len()).map(|bucket| series.lasts(bucket)).sum();
            assert_eq!(lasts, end);
            // Full buckets but the first and the last one.
            let full = u128::from(series.bucket_ns) * 7;
            let inner = &row.wave_ns[1..row.wave_ns.len() - 1];
            assert!(inner.iter().all(|&used| used == full), "{end}: {inner:?}");
        }
    }

    #[test]
    fn it_does_not_matter_between_which_events_buckets_widen() {
        let end = 300_001;
        let used = || busy(2, 70, 299_999);
        let fine: Vec<u64> = (0..=end).step_by(37).chain([end]).collect();
        assert_eq!(record(&fine, used()), record(&[end], used()));
    }

    #[test]
    fn an_endless_run_and_an_empty_one_are_no_trouble() {
        let series = record(&[u64::MAX - 1, u64::MAX], busy(1, 0, u64::MAX));
        assert!(series.processes[0].wave_ns.len() <= 512);
        assert_eq!(series.processes[0].wave_ns.iter().sum::<u128>(), u128::from(u64::MAX));
        assert_eq!(record(&[], busy(1, 0, 1)).processes[0], ProcessSeries::default());
    }

    #[test]
    fn many_processes_have_fewer_buckets() {
        assert_eq!(SeriesRecorder::new(64).most, 512);
        assert_eq!(SeriesRecorder::new(100).most, 326);
        assert_eq!(SeriesRecorder::new(65_535).most, 16);
    }
}
