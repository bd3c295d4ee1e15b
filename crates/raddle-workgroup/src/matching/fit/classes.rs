//! To which class (workgroups of equal demand) does a demand belong, and on which compute units
//! does the class fit?
//!
//! A class that questions ask for is kept up to date: before the next question, it is decided anew
//! for each compute unit that has changed whether the class fits there. A class that no question
//! asks for any more is dropped, and decided anew for all compute units at the next question for
//! it.

use raddle_policy::{Demand, Launch, WaveSpan};

use super::class::{CLASSES, Class, bit, same};
use super::open::{OpenCus, OpenSets};
use super::{Matcher, WHOLE};

impl Matcher {
    /// Begins a question to the policy. Indices of demand classes (workgroups of equal demand) that
    /// were returned before are not valid any more.
    #[inline]
    pub(crate) const fn begin(&mut self) {
        self.questions += 1;
    }

    /// Returns the index of the class of a demand (all workgroups of that demand), and adds the
    /// class if it is new. The class with the index `guess` is tried first, which saves a search.
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

    /// Searches all demand classes (workgroups of equal demand) for that of a demand, and adds a
    /// class if the demand has none. Returns the index of the class.
    #[cold]
    #[inline(never)]
    fn seek(&mut self, demand: &Demand) -> usize {
        let known = self.classes.iter().position(|class| same(&class.demand, demand));
        let at = known.unwrap_or_else(|| self.add(demand));
        self.classes[at].asked = self.questions;
        at
    }

    /// Returns the index of a demand class (workgroups of equal demand): that of a launch's
    /// workgroups where `wave` is [`WHOLE`], else that of a single wave of them. The class with the
    /// index `guess` is tried first.
    #[inline(always)]
    pub(crate) fn class_of(&mut self, launch: &Launch, wave: u16, guess: usize) -> usize {
        if wave == WHOLE { self.class(&launch.demand, guess) } else { self.of_wave(launch, guess) }
    }

    #[cold]
    fn of_wave(&mut self, launch: &Launch, guess: usize) -> usize {
        let alone = WaveSpan::Cut { first: 0, count: 1 };
        self.class(&Demand { waves: 1, ..launch.demand.of(alone) }, guess)
    }

    /// Adds the class of a demand; if the list of classes is full, in place of an old one. Returns
    /// the index of the class.
    fn add(&mut self, demand: &Demand) -> usize {
        let mut class = Class::new(demand, self.simds, self.shape.sgpr != u16::MAX);
        class.never = self.lacks_on(None, &class);
        // A class stays if a workgroup of it is on the device, or if this question has named it.
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

    /// Brings the set of compute units on which one more workgroup of a demand class (workgroups of
    /// equal demand) fits up to date, and returns it.
    #[inline(always)]
    pub(crate) fn open(&mut self, class: usize) -> OpenCus<'_> {
        self.tell();
        if self.kept & bit(class) == 0 {
            self.keep(class);
        }
        OpenSets::of(&self.open, class)
    }

    /// Decides for every compute unit whether a workgroup of the demand class (workgroups of equal
    /// demand) fits on it, and stores the set of these units. The set is then kept up to date,
    /// unless the class wants more than the lists in `thresholds` reach: it is decided anew at
    /// every call.
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

    /// Stops keeping up to date on which compute units a demand class (workgroups of equal demand)
    /// fits, if no question has asked for the class since the last call. The method is called after
    /// more changes of units than there are units. By then, deciding a class anew costs less than
    /// keeping it up to date.
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
