//! Of which class is a demand?

use raddle_policy::{CuSet, Demand, Launch};

use super::class::{CLASSES, Class, Share, bit, same};
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
            class.used = self.questions;
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
        self.classes[at].used = self.questions;
        at
    }

    /// The class of a launch's workgroups, or of one wave of them alone.
    #[inline(always)]
    pub(crate) fn class_of(&mut self, launch: &Launch, wave: u16, guess: usize) -> usize {
        if wave == WHOLE { self.class(&launch.demand, guess) } else { self.of_wave(launch, guess) }
    }

    #[cold]
    fn of_wave(&mut self, launch: &Launch, guess: usize) -> usize {
        self.class(&Demand { waves: 1, ..launch.demand }, guess)
    }

    fn add(&mut self, demand: &Demand) -> usize {
        let limits = self.shape.sgpr != u16::MAX;
        let share = Share::new(demand, self.simds, limits);
        let mut class = Class::new(*demand, share);
        class.never = self.lacks_on(None, &class);
        if class.never.is_none() {
            class.open = CuSet::full(self.units.len());
        }
        // One that the question at hand has named stays.
        let idle =
            |at: &usize| self.classes[*at].resident == 0 && self.classes[*at].used < self.questions;
        let full = self.classes.len() >= CLASSES;
        let idle = (0..self.classes.len()).filter(|at| full && idle(at));
        match idle.min_by_key(|&at| self.classes[at].used) {
            Some(at) => {
                self.classes[at] = class;
                for unit in &mut self.units {
                    unit.sure &= !bit(at);
                    unit.closed &= !bit(at);
                }
                at
            }
            None => {
                self.classes.push(class);
                self.classes.len() - 1
            }
        }
    }
}
