//! At which times do the requests of a task (one client or model of a load) arrive?

use super::ArrivalTask;
use super::amount::Rate;
use super::random::SplitMix64;

/// Arrival process of a task: requests come evenly, at random, at listed times or after others.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArrivalProcess {
    /// Even arrivals: request k arrives at k / rate, rounded to the nearest nanosecond, so that no
    /// error adds up; request 0 arrives at time 0.
    Periodic {
        /// Rate at which requests arrive, in requests a second.
        rate: Rate,
    },
    /// Random arrivals, independent of each other: the time between two requests is exponential.
    Poisson {
        /// Mean rate at which requests arrive, in requests a second.
        rate: Rate,
    },
    /// Requests arrive at these times, in nanoseconds from the start of the load, ascending; equal
    /// times are allowed.
    Trace(Vec<u64>),
    /// A closed loop: the next request arrives when the request before it has ended.
    Continuous,
    /// One request arrives when a request of each of the tasks in `after` has ended.
    Dependent {
        /// Names of other tasks of the file: each request of this task waits for one request of
        /// each of them.
        after: Vec<String>,
    },
}

impl ArrivalProcess {
    /// Returns the name of the arrival process in results, the word that DISB uses for it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Periodic { .. } => "periodic",
            Self::Poisson { .. } => "poisson",
            Self::Trace(_) => "trace",
            Self::Continuous => "continuous",
            Self::Dependent { .. } => "dependent",
        }
    }
}

/// Number of nanoseconds in 10^9 seconds, the unit of time in which [`Rate`] counts requests.
const GIGA_SECOND: u128 = 1_000_000_000_000_000_000;

impl ArrivalTask {
    /// Returns the times at which requests of the task arrive, in nanoseconds from the start of the
    /// load, in rising order; equal seeds give equal times on every machine. `None` where the times
    /// depend on when other requests end. The times of a periodic or Poisson process end only with
    /// the range of `u64`, so take a limited number.
    ///
    /// ```
    /// use raddle_trace::arrivals::{ArrivalProcess, ArrivalTask, Rate};
    /// let rate = Rate::per_giga_second(3_000_000_000).expect("three a second");
    /// let process = ArrivalProcess::Periodic { rate };
    /// let task = ArrivalTask { name: "a".into(), priority: None, process, number: 0 };
    /// let times: Vec<u64> = task.times(0).into_iter().flatten().take(4).collect();
    /// assert_eq!(times, [0, 333_333_333, 666_666_667, 1_000_000_000]);
    /// ```
    #[must_use]
    pub fn times(&self, seed: u64) -> Option<Box<dyn Iterator<Item = u64> + '_>> {
        let mut random = SplitMix64::new(seed, self.number);
        Some(match &self.process {
            ArrivalProcess::Periodic { rate } | ArrivalProcess::Poisson { rate }
                if rate.in_giga_second() == 0 =>
            {
                Box::new(core::iter::empty())
            }
            ArrivalProcess::Trace(times) => Box::new(times.iter().copied()),
            ArrivalProcess::Periodic { rate } => {
                let rate = u128::from(rate.in_giga_second());
                let at = move |k: u64| (u128::from(k) * GIGA_SECOND + rate / 2) / rate;
                Box::new((0..).map_while(move |k| u64::try_from(at(k)).ok()))
            }
            ArrivalProcess::Poisson { rate } => {
                let rate = u128::from(rate.in_giga_second());
                // The sum is kept times 2^32, so that rounding errors do not add up.
                let mut at = 0;
                Box::new(core::iter::from_fn(move || {
                    at += u128::from(random.exponential()) * GIGA_SECOND / rate;
                    u64::try_from((at + (1 << 31)) >> 32).ok()
                }))
            }
            ArrivalProcess::Continuous | ArrivalProcess::Dependent { .. } => return None,
        })
    }
}

/// Adds to each arrival time a random number of nanoseconds below `width_ns`, and sorts the times
/// again. This spreads requests that have equal times because the clock of their trace has coarse
/// steps. Equal seeds and tasks give equal times.
pub fn jitter(times: &mut [u64], width_ns: u64, seed: u64, task: &ArrivalTask) {
    if width_ns == 0 {
        return;
    }
    // The inverted seed gives other numbers than those that made the times.
    let mut random = SplitMix64::new(!seed, task.number);
    for at in &mut *times {
        *at = at.saturating_add(random.below(width_ns));
    }
    times.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(process: ArrivalProcess, number: u32) -> ArrivalTask {
        ArrivalTask { name: "t".to_owned(), priority: None, process, number }
    }

    fn rate(text: &str) -> Rate {
        serde_json::from_str(text).expect(text)
    }

    fn some(task: &ArrivalTask, seed: u64, count: usize) -> Vec<u64> {
        task.times(seed).expect("it has times").take(count).collect()
    }

    #[test]
    fn even_arrivals_do_not_drift() {
        let thirds = task(ArrivalProcess::Periodic { rate: rate("30") }, 0);
        let times = some(&thirds, 9, 3_000_001);
        assert_eq!(times[..4], [0, 33_333_333, 66_666_667, 100_000_000]);
        assert_eq!(times[3_000_000], 100_000 * 1_000_000_000);
        let slow = task(ArrivalProcess::Periodic { rate: rate("0.000000001") }, 0);
        assert_eq!(slow.times(0).map(Iterator::count), Some(19), "then the clock ends");
    }

    #[test]
    fn random_arrivals_have_the_same_digits_everywhere() {
        let poisson = task(ArrivalProcess::Poisson { rate: rate("20") }, 0);
        assert_eq!(some(&poisson, 0, 5), DIGITS);
        assert_ne!(some(&poisson, 1, 5), DIGITS);
        assert_ne!(some(&task(poisson.process.clone(), 1), 0, 5), DIGITS);
    }

    /// Arrival times in nanoseconds of random (Poisson) requests at 20 per second with seed 0. They
    /// were computed outside of this crate from the same random bits, to forty decimal digits.
    const DIGITS: [u64; 5] = [21_351_155, 39_098_397, 86_548_890, 107_597_092, 119_514_491];

    #[test]
    fn random_arrivals_come_as_often_as_they_should() {
        let poisson = task(ArrivalProcess::Poisson { rate: rate("20") }, 4);
        let times = poisson.times(0).expect("it has times");
        let count = times.take_while(|&at| at < 1_000_000_000_000).count();
        // 20,000 expected, standard deviation 141.
        assert!((19_500..20_500).contains(&count), "{count}");
        assert!(some(&poisson, 0, 1000).is_sorted());
        let fast = task(ArrivalProcess::Poisson { rate: rate("1000000000") }, 0);
        let times = some(&fast, 0, 100_000);
        assert!((99_000..101_000).contains(&times[99_999]), "{}", times[99_999]);
    }

    #[test]
    fn closed_loops_have_no_times_of_their_own() {
        assert!(task(ArrivalProcess::Continuous, 0).times(0).is_none());
        assert!(task(ArrivalProcess::Dependent { after: vec![] }, 0).times(0).is_none());
        assert_eq!(some(&task(ArrivalProcess::Trace(vec![3, 3, 9]), 0), 0, 9), [3, 3, 9]);
    }

    #[test]
    fn jitter_spreads_what_came_at_once() {
        let trace = task(ArrivalProcess::Trace(vec![]), 0);
        let spread = |seed| {
            let mut times = vec![0, 0, 0, 3000, 3000, u64::MAX];
            jitter(&mut times, 3000, seed, &trace);
            times
        };
        let times = spread(5);
        assert!(times.is_sorted() && times[2] < 3000 && times[3] >= 3000 && times[4] < 6000);
        assert!(times[0] < times[1] && times[5] == u64::MAX);
        assert_eq!(times, spread(5));
        assert_ne!(times, spread(6));
        let mut same = vec![4, 2];
        jitter(&mut same, 0, 0, &trace);
        assert_eq!(same, [4, 2]);
    }
}
