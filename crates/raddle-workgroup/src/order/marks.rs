//! Which of several channels of the best level goes first (seed 000, E1, steps a41
//! and a42)?
//!
//! Units: indices of levels and channels, counted from 0.

use alloc::vec::Vec;

use super::Pick;
use crate::Error;
use crate::error::Reason;

/// The marks of channels, for each level: a marked channel was chosen lately among tied channels.
///
/// Laws, with the steps of patent 000:
/// 1. A single channel is chosen, and no mark changes (step a41).
/// 2. Where some of several channels are not marked for the level, one of the unmarked ones is
///    chosen and marked (step a42).
/// 3. Where all are marked, one of them is chosen; it keeps its mark, and the others of the tie
///    lose theirs (step a42).
/// 4. The marks of other levels, and of channels outside the tie, never change.
/// 5. While the same n channels tie, each is chosen once in every n choices, counted from any
///    choice at which none or all of them were marked.
///
/// Marks belong to a level itself, not to its rank: they do not change when the order of levels
/// does.
///
/// ```
/// use raddle_workgroup::order::{Lowest, Marks};
///
/// let mut marks = Marks::new(2, 8)?;
/// let mut choose = |tied: &[usize]| marks.choose(1, tied, &mut Lowest);
/// assert_eq!(choose(&[0, 1, 2])?, Some(0));
/// assert_eq!(choose(&[0, 1, 2])?, Some(1));
/// assert_eq!(choose(&[0, 1])?, Some(0), "both are marked: 0 keeps its mark, 1 loses it");
/// assert_eq!(choose(&[0, 1, 2])?, Some(1));
/// # Ok::<(), raddle_workgroup::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marks {
    levels: usize,
    channels: usize,
    /// One bit for each pair of level and channel, ordered by level and then by channel: 1 where
    /// the channel is marked for the level (it was chosen lately among tied channels).
    marks: Vec<u64>,
}

/// Returns the index of the word that holds the mark number `at`, and the mark's bit in that word.
const fn bit(at: usize) -> (usize, u64) {
    (at / 64, 1 << (at % 64))
}

impl Marks {
    /// Returns a table without marks for `levels` levels and `channels` channels.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) for 0 levels;
    /// [`NoRoom`](crate::ErrorKind::NoRoom) for more pairs of level and channel than memory holds
    /// bits.
    pub fn new(levels: usize, channels: usize) -> Result<Self, Error> {
        if levels == 0 {
            return Err(Error(Reason::NoLevels));
        }
        let beyond = Error(Reason::TooManyChannels { levels, channels });
        let bits = channels.checked_mul(levels).ok_or(beyond)?;
        let words = bits.div_ceil(64);
        let mut marks = Vec::new();
        marks.try_reserve_exact(words).map_err(|_| beyond)?;
        marks.resize(words, 0);
        Ok(Self { levels, channels, marks })
    }

    /// Returns a copy of the marks with room for `channels` channels; marks of channels with higher
    /// numbers are lost.
    ///
    /// # Errors
    /// [`NoRoom`](crate::ErrorKind::NoRoom) for more pairs of level and channel than memory holds
    /// bits.
    pub(crate) fn widened(&self, channels: usize) -> Result<Self, Error> {
        let mut wide = Self::new(self.levels, channels)?;
        for level in 0..self.levels {
            for channel in self.of_level(level).filter(|&channel| channel < channels) {
                wide.set(level, channel, true)?;
            }
        }
        Ok(wide)
    }

    /// Chooses one of the channels in `tied` (ascending) for a level, and updates the marks; `None`
    /// for an empty list.
    ///
    /// `pick` is called only where there are two or more channels to choose from.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) for a level or channel that the table does not
    /// have; [`Inconsistent`](crate::ErrorKind::Inconsistent) where the channels do not ascend. The
    /// marks have not changed then.
    pub fn choose(
        &mut self,
        level: usize,
        tied: &[usize],
        pick: &mut impl Pick,
    ) -> Result<Option<usize>, Error> {
        self.check(level, tied)?;
        if tied.len() < 2 {
            return Ok(tied.first().copied());
        }
        let mut take = |choices: usize| if choices < 2 { 0 } else { pick.pick(choices) % choices };
        let unmarked = |channel: &usize| !self.marked(level, *channel);
        let open = tied.iter().copied().filter(unmarked);
        match open.clone().count() {
            0 => {
                let chosen = tied[take(tied.len())];
                for &channel in tied.iter().filter(|&&channel| channel != chosen) {
                    self.set(level, channel, false)?;
                }
                Ok(Some(chosen))
            }
            choices => {
                let chosen = open.clone().nth(take(choices));
                if let Some(channel) = chosen {
                    self.set(level, channel, true)?;
                }
                Ok(chosen)
            }
        }
    }

    /// Returns whether a channel is marked for a level, as it was chosen lately among tied
    /// channels; `false` where there is no such level or channel.
    #[must_use]
    pub fn marked(&self, level: usize, channel: usize) -> bool {
        self.place(level, channel).is_ok_and(|at| {
            let (word, bit) = bit(at);
            self.marks[word] & bit != 0
        })
    }

    /// Sets (`marked` true) or clears the mark of a channel for a level; the mark says that the
    /// channel was chosen lately.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) for a level or channel that the table does not
    /// have.
    pub fn set(&mut self, level: usize, channel: usize, marked: bool) -> Result<(), Error> {
        let at = self.place(level, channel)?;
        let (word, bit) = bit(at);
        if marked {
            self.marks[word] |= bit;
        } else {
            self.marks[word] &= !bit;
        }
        Ok(())
    }

    /// Returns the channels marked for a level (chosen lately among tied channels), ascending.
    pub fn of_level(&self, level: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.channels).filter(move |&channel| self.marked(level, channel))
    }

    fn check(&self, level: usize, tied: &[usize]) -> Result<(), Error> {
        // In an ascending list the last channel is the highest, so only its range is checked.
        for (at, pair) in tied.windows(2).enumerate() {
            if pair[0] >= pair[1] {
                return Err(Error(Reason::ChannelOrder { at: at + 1 }));
            }
        }
        match tied.last() {
            Some(&channel) => self.place(level, channel).map(|_| ()),
            None if level < self.levels => Ok(()),
            None => Err(Error(Reason::LevelOutside { level, levels: self.levels })),
        }
    }

    fn place(&self, level: usize, channel: usize) -> Result<usize, Error> {
        let Self { levels, channels, .. } = *self;
        if level >= levels {
            return Err(Error(Reason::LevelOutside { level, levels }));
        }
        if channel >= channels {
            return Err(Error(Reason::ChannelOutside { channel, channels }));
        }
        Ok(level * channels + channel)
    }
}
