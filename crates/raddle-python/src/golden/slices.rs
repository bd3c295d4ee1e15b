//! How does Python ask which process runs next, and for how long (seed 004)?

use pyo3::prelude::*;
use raddle_policy::{Level, Ticks};
use raddle_timeslice::{LoadOrder, PoolEntry, Runnable, SliceConfig, TwoStage};

use super::number::numbers;
use super::{Number, refused, word};

/// Chooser of the process that runs next and of the length of its time slice in ticks, in two
/// stages (seed 004).
#[pyclass(module = "raddle._raddle")]
pub(crate) struct Slices(TwoStage<u64>);

/// Process that can run, as (id, level with 0 the most urgent, share, alive time in ticks, run time
/// in ticks).
type Entry = (u64, u8, u64, u64, u64);

/// Process in the form of an [`Entry`], with numbers as Python gives them, which may be out of
/// range.
type Given = (Number<u64>, Number<u8>, Number<u64>, Number<u64>, Number<u64>);

/// Processes that can run, in the order in which a call from Python lists them.
struct Pool(Vec<Entry>);

impl Pool {
    fn new(given: Vec<Given>) -> PyResult<Self> {
        let entry = |(id, level, share, alive, ran): Given| {
            numbers!(id, level, share, alive, ran);
            Ok((id, level, share, alive, ran))
        };
        given.into_iter().map(entry).collect::<PyResult<_>>().map(Self)
    }
}

impl Runnable for Pool {
    type Id = u64;

    fn most_urgent(&self) -> Option<Level> {
        self.0.iter().map(|it| it.1).min().map(Level)
    }

    fn level(&self, id: u64) -> Option<Level> {
        self.0.iter().find(|it| it.0 == id).map(|it| Level(it.1))
    }

    fn entries(&self) -> impl Iterator<Item = PoolEntry> {
        self.0.iter().map(|&(_, level, share, alive, ran)| PoolEntry {
            level: Level(level),
            share,
            alive: Ticks(alive),
            ran: Ticks(ran),
        })
    }

    fn at(&self, index: usize) -> Option<u64> {
        self.0.get(index).map(|it| it.0)
    }
}

#[pymethods]
impl Slices {
    #[new]
    #[pyo3(signature = (t0, capacity, rule, *, longest = None, shares = "weight", reload = "one-pass", take_over = "slice-end", seed = None))]
    #[expect(clippy::too_many_arguments, reason = "most are keywords in Python")]
    fn new(
        t0: Number<u64>,
        capacity: Number<usize>,
        rule: &str,
        longest: Option<Number<u64>>,
        shares: &str,
        reload: &str,
        take_over: &str,
        seed: Option<Number<u64>>,
    ) -> PyResult<Self> {
        numbers!(t0, capacity, longest, seed);
        let config = SliceConfig::new(Ticks(t0), capacity, word("rule", rule)?)
            .with_longest(longest.map(Ticks))
            .with_shares(word("shares", shares)?)
            .with_reload(word("reload", reload)?)
            .with_take_over(word("take_over", take_over)?)
            .with_order(seed.map_or(LoadOrder::Fifo, |seed| LoadOrder::Random { seed }));
        TwoStage::new(&config).map(Self).map_err(refused)
    }
    fn next(&mut self, pool: Vec<Given>) -> PyResult<Option<(u64, u64)>> {
        let next = self.0.next(&Pool::new(pool)?);
        Ok(next.map(|slice| (slice.id(), slice.length().0)))
    }
    fn cuts(&self, running: Number<u8>, pool: Vec<Given>) -> PyResult<bool> {
        numbers!(running);
        Ok(self.0.cuts(Level(running), &Pool::new(pool)?))
    }
}
