//! Of which class is a demand, and where does it fit?
//!
//! A class that is asked for is kept: where compute units have changed it is told anew, before the next
//! question, whether it fits there. One that nobody asks for any more is dropped, and built anew when somebody does.

use raddle_policy::{Demand, Launch, WaveSpan};

use super::class::{CLASSES, Class, bit, same};
use super::open::{OpenCus, OpenSets};
use super::{Matcher, WHOLE};

impl Matcher {
    /// A question begins: classes stand until the next one does.
    #[inline]
    pub(crate) const fn begin(&mut self) {
        self.questions += 1;
    }

    /// The class of a demand, to ask with; `guess` is looked at first.
    #[inline(always)]
    pub(crate) fn class(&mut self, demand: &Demand, guess: usize) -> usize {
        if let Some(class) = self.classes.get_mut(guess)
            && same(&class.demand, demand)
        {
            class.asked = self.questions;
            return guess;
        }
        self.seek(demand)
    }

    /// The class of a demand, wherever it is among them.
    #[cold]
    #[inline(never)]
    fn seek(&mut self, demand: &Demand) -> usize {
        let known = self.classes.iter().position(|class| same(&class.demand, demand));
        let at = known.unwrap_or_else(|| self.add(demand));
        self.classes[at].asked = self.questions;
        at
    }

    /// The class of a launch's workgroups, or of one wave of them alone.
    #[inline(always)]
    pub(crate) fn class_of(&mut self, launch: &Launch, wave: u16, guess: usize) -> usize {
        if wave == WHOLE { self.class(&launch.demand, guess) } else { self.of_wave(launch, guess) }
    }

    #[cold]
    fn of_wave(&mut self, launch: &Launch, guess: usize) -> usize {
        let alone = WaveSpan::Cut { first: 0, count: 1 };
        self.class(&Demand { waves: 1, ..launch.demand.of(alone) }, guess)
    }

    fn add(&mut self, demand: &Demand) -> usize {
        let mut class = Class::new(demand, self.simds, self.shape.sgpr != u16::MAX);
        class.never = self.lacks_on(None, &class);
        // One that the question at hand has named stays.
        let idle = |at: &usize| {
            self.classes[*at].resident == 0 && self.classes[*at].asked < self.questions
        };
        let full = self.classes.len() >= CLASSES;
        let idle = (0..self.classes.len()).filter(|at| full && idle(at));
        let oldest = idle.min_by_key(|&at| self.classes[at].asked);
        let at = oldest.unwrap_or(self.classes.len());
        let wanted = if class.never.is_none() { Some(class.wanted(0)) } else { None };
        let is_apart = bit(at) != 0 && self.thresholds.enter(bit(at), wanted);
        self.kept &= !bit(at);
        self.apart = self.apart & !bit(at) | if is_apart { bit(at) } else { 0 };
        if oldest.is_some() {
            self.classes[at] = class;
        } else {
            self.classes.push(class);
            OpenSets::grow(&mut self.open, self.classes.len(), self.units.len());
        }
        at
    }

    /// The compute units that take one more workgroup of a class.
    #[inline(always)]
    pub(crate) fn open(&mut self, class: usize) -> OpenCus<'_> {
        self.tell();
        if self.kept & bit(class) == 0 {
            self.keep(class);
        }
        OpenSets::of(&self.open, class)
    }

    /// Tells for every compute unit whether the class fits there. Those that have no bit are told each
    /// time.
    #[cold]
    #[inline(never)]
    fn keep(&mut self, class: usize) {
        let bit = bit(class) & self.apart;
        let never = self.classes[class].never.is_some();
        for at in 0..self.units.len() {
            let fits = match bit {
                0 => !never && self.lacks_on(Some(at), &self.classes[class]).is_none(),
                bit => self.fitting(self.simds, at) & bit != 0,
            };
            OpenSets::set(&mut self.open, class, at, fits);
        }
        self.kept |= bit;
    }

    /// After as many changes as there are compute units, which is what it takes to keep a class again:
    /// drops the classes that were not asked for since the last time.
    #[cold]
    pub(super) fn drop_classes(&mut self) {
        for (at, class) in self.classes.iter().enumerate().take(CLASSES) {
            if class.asked < self.dropped {
                self.kept &= !bit(at);
            }
        }
        (self.dropped, self.changes) = (self.questions, 0);
    }
}
