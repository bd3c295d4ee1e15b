//! Does every implementation answer what plain loops answer?
//!
//! One suite, stamped out for a map alone and for a map of a bank, in several sizes. A further
//! implementation of any search becomes a [`Subject`] and one line of `suite!` below.

use proptest::prelude::*;
use raddle_bitmap::{Bank, FreeMap, Polarity};

use crate::naive::{Naive, best_fit, worst_fit};

/// An implementation of free maps under test, with the questions that the suite asks of it.
pub(crate) trait Subject: Clone + std::fmt::Debug + PartialEq {
    /// Most blocks that the implementation is tried with.
    const MOST: usize;
    fn of(free: &[bool]) -> Self;
    fn free(&self) -> Vec<bool>;
    fn longest(&self) -> u32;
    fn first(&self, from: u32, want: u32) -> Option<u32>;
    fn best(&self, want: u32) -> Option<u32>;
    fn worst(&self, want: u32) -> Option<u32>;
    fn take(&mut self, start: u32, len: u32) -> Result<u32, String>;
    fn release(&mut self, start: u32, len: u32) -> Result<(), String>;
}

impl Subject for FreeMap {
    const MOST: usize = 1500;

    fn of(free: &[bool]) -> Self {
        let digits: String = free.iter().map(|&free| if free { '0' } else { '1' }).collect();
        Self::from_digits(&digits, Polarity::FreeIsZero).expect("1 to MOST digits")
    }

    fn free(&self) -> Vec<bool> {
        assert!(!self.is_free(self.blocks()) && !self.is_free(u32::MAX));
        let free: Vec<bool> = (0..self.blocks()).map(|block| self.is_free(block)).collect();
        let count = free.iter().filter(|&&free| free).count();
        assert_eq!(self.free_blocks() as usize, count);
        assert_eq!(self.view().free_blocks() as usize, count);
        free
    }

    fn longest(&self) -> u32 {
        let runs: Vec<(u32, u32)> = self.runs().collect();
        assert!(runs.iter().all(|&(start, len)| self.view().all_free(start, len)));
        assert!(runs.windows(2).all(|two| two[0].0 + two[0].1 < two[1].0), "runs touch: {runs:?}");
        let fragmentation = self.fragmentation();
        assert_eq!(fragmentation.runs() as usize, runs.len());
        assert_eq!(fragmentation.free(), self.free_blocks());
        assert_eq!(fragmentation.longest(), self.view().longest());
        self.longest()
    }

    fn first(&self, from: u32, want: u32) -> Option<u32> {
        let plan = self.first_fit_from(from, want)?;
        assert_eq!(plan.len(), want);
        Some(plan.start())
    }

    fn best(&self, want: u32) -> Option<u32> {
        self.best_fit(want).map(|plan| plan.start())
    }

    fn worst(&self, want: u32) -> Option<u32> {
        self.worst_fit(want).map(|plan| plan.start())
    }

    fn take(&mut self, start: u32, len: u32) -> Result<u32, String> {
        let mut at_once = self.clone();
        let taken = at_once.take(start, len).map(|()| start).map_err(|error| error.to_string());
        // A plan of another map is one of another map, whatever lies there.
        if let Some(plan) = Self::new(self.blocks()).expect("as many blocks").fit_at(start, len) {
            assert_eq!(
                self.commit(plan).map_err(|error| error.to_string()),
                Err(format!(
                    "a plan for {len} blocks from {start} is of another map: commit it where it was made"
                ))
            );
        }
        let Some(plan) = self.fit_at(start, len) else { return taken };
        let committed = self.commit(plan).map_err(|error| error.to_string());
        assert_eq!((taken, &at_once), (committed.clone(), &*self), "in one step and in two");
        committed
    }

    fn release(&mut self, start: u32, len: u32) -> Result<(), String> {
        Self::release(self, start, len).map_err(|error| error.to_string())
    }
}

/// A map in a bank as an implementation under test: the middle one of three maps, of at most `MOST`
/// blocks; the others must stay as they are.
#[derive(Clone, Debug)]
pub(crate) struct InBank<const MOST: usize>(Bank);

/// Index of the map under test in its bank.
const MIDDLE: usize = 1;

impl<const MOST: usize> InBank<MOST> {
    /// Returns a map on its own that is equal to the map under test in the bank.
    fn alone(&self) -> FreeMap {
        let digits = self.0.view(MIDDLE).expect("it has a block").digits(Polarity::FreeIsOne);
        FreeMap::from_digits(&digits.to_string(), Polarity::FreeIsOne).expect("digits")
    }
}

impl<const MOST: usize> PartialEq for InBank<MOST> {
    fn eq(&self, other: &Self) -> bool {
        (self.alone(), self.0.longest(MIDDLE)) == (other.alone(), other.0.longest(MIDDLE))
    }
}

impl<const MOST: usize> Subject for InBank<MOST> {
    const MOST: usize = MOST;

    fn of(free: &[bool]) -> Self {
        let mut bank = Bank::new(3, free.len() as u32).expect("three maps");
        let mut start = 0;
        for run in free.chunk_by(|one, next| one == next) {
            let len = run.len() as u32;
            if !run[0] {
                let plan = bank.fit_at(MIDDLE, start, len).expect("it is free");
                bank.commit(MIDDLE, plan).expect("it is free");
            }
            start += len;
        }
        Self(bank)
    }

    fn free(&self) -> Vec<bool> {
        let free = Subject::free(&self.alone());
        assert_eq!(self.0.free_blocks(MIDDLE) as usize, free.iter().filter(|&&free| free).count());
        for other in [0, 2] {
            let all = free.len() as u32;
            assert_eq!((self.0.free_blocks(other), self.0.longest(other)), (all, all));
        }
        free
    }

    fn longest(&self) -> u32 {
        self.0.longest(MIDDLE)
    }

    fn first(&self, from: u32, want: u32) -> Option<u32> {
        self.0.first_fit_from(MIDDLE, from, want).map(|plan| plan.start())
    }

    fn best(&self, want: u32) -> Option<u32> {
        Subject::best(&self.alone(), want)
    }

    fn worst(&self, want: u32) -> Option<u32> {
        Subject::worst(&self.alone(), want)
    }

    fn take(&mut self, start: u32, len: u32) -> Result<u32, String> {
        if let Some(plan) = self.0.fit_at(MIDDLE - 1, start, len) {
            assert_eq!(
                self.0.commit(MIDDLE, plan).map_err(|error| error.to_string()),
                Err(format!(
                    "a plan for {len} blocks from {start} is of another map: commit it where it was made"
                ))
            );
        }
        let blocks = self.0.blocks();
        let within = start.checked_add(len).is_some_and(|end| end <= blocks);
        let none = if within { not_free(start, len) } else { outside(start, len, blocks) };
        let plan = self.0.fit_at(MIDDLE, start, len).ok_or(none)?;
        self.0.commit(MIDDLE, plan).map_err(|error| error.to_string())
    }

    fn release(&mut self, start: u32, len: u32) -> Result<(), String> {
        self.0.release(MIDDLE, start, len).map_err(|error| error.to_string())
    }
}

fn not_free(start: u32, len: u32) -> String {
    format!("{len} blocks from {start} are not all free any more: search again")
}

fn outside(start: u32, len: u32, blocks: u32) -> String {
    format!("{len} blocks from {start} do not lie in a map of {blocks}: use the map of the plan")
}

/// Compares all answers of a map under test with those of the oracle (a map of plain booleans).
fn same_answers<T: Subject>(subject: &T, naive: &Naive, from: u32, want: u32) {
    let first = naive.first_fit_from(from as usize, want as usize).map(|start| start as u32);
    assert_eq!(subject.first(from, want), first, "first {want} from {from} in {subject:?}");
    same_fits(subject, &naive.runs(), want);
}

fn same_fits<T: Subject>(subject: &T, runs: &[(usize, usize)], want: u32) {
    let at = |answer: Option<usize>| answer.map(|start| start as u32);
    let (best, worst) = (best_fit(runs, want as usize), worst_fit(runs, want as usize));
    assert_eq!(subject.best(want), at(best), "best {want} in {subject:?}");
    assert_eq!(subject.worst(want), at(worst), "worst {want} in {subject:?}");
}

fn same_state<T: Subject>(subject: &T, naive: &Naive) {
    assert_eq!(subject.free(), naive.0);
    assert_eq!(subject.longest() as usize, naive.longest(), "{subject:?}");
}

/// Takes blocks from the map under test and from the oracle (a map of plain booleans), or gives
/// them back; checks that an error changes nothing, and comes exactly when it must.
fn change<T: Subject>(subject: &mut T, naive: &mut Naive, start: u32, len: u32, take: bool) {
    let before = subject.clone();
    let blocks = naive.0.len() as u32;
    let possible = naive.all(start as usize, len as usize, take);
    let expected = match (start.checked_add(len).is_some_and(|end| end <= blocks), take) {
        (false, _) => Err(outside(start, len, blocks)),
        _ if possible => Ok(()),
        (_, true) => Err(not_free(start, len)),
        (_, false) => Err(format!(
            "{len} blocks from {start} are not all taken: release what was taken, once"
        )),
    };
    if take {
        assert_eq!(subject.take(start, len), expected.clone().map(|()| start), "{before:?}");
    } else {
        assert_eq!(subject.release(start, len), expected, "{before:?}");
    }
    if expected.is_ok() {
        naive.set(start as usize, len as usize, !take);
    } else {
        assert_eq!(*subject, before, "an error changes nothing");
    }
    same_state(subject, naive);
}

/// Asks every map of this many blocks for every length; with `all`, from every start too.
pub(crate) fn every_map<T: Subject>(blocks: usize, all: bool) {
    every_part::<T>((0, blocks, 0), false, all);
}

/// Asks, as `every_map` does, maps whose blocks in the middle vary; this many blocks lie before and
/// behind them, free or not.
pub(crate) fn every_part<T: Subject>(
    (before, blocks, behind): (usize, usize, usize),
    around: bool,
    all: bool,
) {
    for code in 0..1_u32 << blocks {
        let part = (0..blocks).map(|block| code >> block & 1 == 1);
        let beside = |count| std::iter::repeat_n(around, count);
        let free: Vec<bool> = beside(before).chain(part).chain(beside(behind)).collect();
        let (subject, naive) = (T::of(&free), Naive(free));
        assert_eq!(subject.longest() as usize, naive.longest(), "{subject:?}");
        let runs = naive.runs();
        for want in 0..=blocks as u32 + 1 {
            // The first run that is long enough.
            let fitting = runs.iter().find(|&&(_, len)| len >= want as usize);
            let first = if want == 0 { Some(0) } else { fitting.map(|&(start, _)| start as u32) };
            assert_eq!(subject.first(0, want), first, "first {want} in {subject:?}");
            same_fits(&subject, &runs, want);
        }
        if all {
            same_state(&subject, &naive);
            let asks = (1..=blocks as u32).flat_map(|from| [(from, 1), (from, 2), (from, from)]);
            asks.for_each(|(from, want)| same_answers(&subject, &naive, from, want));
        }
    }
}

/// Draws maps of free and taken runs in turn, with lengths around the width of a word.
fn blocks(most: usize) -> impl Strategy<Value = Vec<bool>> {
    let run = (any::<bool>(), prop_oneof![4 => 1usize..12, 1 => 50usize..80, 1 => 120usize..140]);
    prop::collection::vec(run, 1..40).prop_map(move |runs| {
        let blocks = runs.into_iter().flat_map(|(free, len)| std::iter::repeat_n(free, len));
        blocks.take(most).collect()
    })
}

pub(crate) fn answers<T: Subject>() -> impl Strategy<Value = (Vec<bool>, u32, u32)> {
    (blocks(T::MOST), 0..T::MOST as u32 + 70, 0..200_u32)
}

pub(crate) fn questions<T: Subject>((free, from, want): (Vec<bool>, u32, u32)) {
    let (subject, naive) = (T::of(&free), Naive(free));
    same_state(&subject, &naive);
    for (from, want) in [(from, want), (0, want), (0, want % 8), (from % 70, want % 66)] {
        same_answers(&subject, &naive, from, want);
    }
    let exact = naive.longest() as u32;
    same_answers(&subject, &naive, from % 7, exact);
    same_answers(&subject, &naive, 0, exact + 1);
}

type Steps = Vec<(bool, u32, u32)>;

pub(crate) fn steps<T: Subject>() -> impl Strategy<Value = (usize, Steps)> {
    let step = (any::<bool>(), 0..80_u32, 0..T::MOST as u32 + 2);
    (1..=T::MOST, prop::collection::vec(step, 1..60))
}

/// Takes what first fit finds, releases what is held, and tries blocks that no search found, on the
/// map under test and on the oracle (a map of plain booleans).
pub(crate) fn sequence<T: Subject>((blocks, steps): (usize, Steps)) {
    let mut naive = Naive(vec![true; blocks]);
    let mut subject = T::of(&naive.0);
    let mut held: Vec<(u32, u32)> = Vec::new();
    for (take, len, at) in steps {
        if take || held.is_empty() {
            same_answers(&subject, &naive, 0, len);
            if let Some(start) = subject.first(0, len) {
                change(&mut subject, &mut naive, start, len, true);
                held.push((start, len));
            }
        } else {
            let (start, len) = held.swap_remove(at as usize % held.len());
            change(&mut subject, &mut naive, start, len, false);
        }
        let (mut probe, mut probed) = (subject.clone(), naive.clone());
        change(&mut probe, &mut probed, at, len, take);
    }
}

macro_rules! suite {
    ($($name:ident: $subject:ty),* $(,)?) => {$(
        mod $name {
            use super::*;

            #[test]
            fn every_map_up_to_9_blocks() {
                for blocks in 1..=9 {
                    every_map::<$subject>(blocks, true);
                }
            }

            #[test]
            fn every_map_of_10_to_16_blocks() {
                for blocks in 10..=16 {
                    every_map::<$subject>(blocks, blocks < 12);
                }
            }

            /// Checks twelve blocks around the end of the first word, and of the last but one.
            #[test]
            fn every_part_around_the_end_of_a_word() {
                let most = <$subject as Subject>::MOST;
                let ends = std::collections::BTreeSet::from([64, (most - 1) / 64 * 64]);
                for end in ends.into_iter().filter(|&end| end > 0 && end + 6 <= most) {
                    every_part::<$subject>((end - 6, 12, 0), false, false);
                    every_part::<$subject>((end - 6, 12, 0), true, false);
                }
            }

            proptest! {
                #![proptest_config(crate::cases(64))]

                #[test]
                fn answers_about_large_maps(question in answers::<$subject>()) {
                    questions::<$subject>(question);
                }

                #[test]
                fn taking_and_releasing_in_any_order(steps in steps::<$subject>()) {
                    sequence::<$subject>(steps);
                }
            }
        }
    )*};
}

suite! {
    alone: FreeMap,
    one_word: InBank<64>,
    two_words: InBank<128>,
    three_words: InBank<180>,
    many_words: InBank<320>,
}
