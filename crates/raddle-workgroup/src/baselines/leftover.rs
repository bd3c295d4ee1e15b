//! Policy `leftover`: each launch takes what the launches before it left over.
//!
//! Launches are served in arrival order, or the most urgent first; the next is served only when all
//! workgroups of the one before are placed. A workgroup goes to the compute unit on which most
//! further ones fit, ties to the lowest.

use core::ops::Range;

use raddle_policy::{Allocate, Answer, CuId, Cus, ReadyLaunch, ReadyView, Round, Tick};

use super::rounds::{Dealer, Passes};
use super::waiting::{Refused, start, waiting};

/// The rule by which the policy [`Leftover`] chooses the launch that it serves first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub(crate) enum LeftoverOrder {
    /// The launch that was submitted first is served first.
    #[default]
    Arrival,
    /// The most urgent launch is served first; of equally urgent ones, the one that was submitted
    /// first. Like priorities of streams, the order stops no workgroup that has started.
    Level,
}

/// The settings of the policy [`Leftover`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct LeftoverConfig {
    /// The rule that chooses the launch that is served first.
    order: LeftoverOrder,
}

impl LeftoverConfig {
    /// Returns settings by which the most urgent launch is served first, of equally urgent ones the
    /// one that was submitted first. By default launches are served in the order of their
    /// submission.
    #[must_use]
    pub const fn by_level() -> Self {
        Self { order: LeftoverOrder::Level }
    }
}

/// A policy under which each launch takes the resources that the launches before it left over.
#[derive(Clone, Debug, Default)]
pub struct Leftover {
    config: LeftoverConfig,
    dealer: Dealer,
    refused: Refused,
}

impl Leftover {
    /// Returns a policy with this order of launches; [`Leftover::default`] serves launches in the
    /// order of their submission.
    #[must_use]
    pub fn new(config: LeftoverConfig) -> Self {
        Self { config, ..Self::default() }
    }

    fn place(&mut self, ready: &ReadyView<'_>, bulk: bool, round: &mut Round) -> Answer {
        let cus = ready.cus();
        // A question without a launch counts too: once it is answered, the view forgets what was freed.
        self.refused.begin(cus);
        let first = match self.config.order {
            LeftoverOrder::Arrival => waiting(ready).next(),
            LeftoverOrder::Level => most_urgent(waiting(ready)),
        };
        let Some(entry) = first else {
            self.refused.wait();
            return Answer::WAIT;
        };
        let demand = &entry.launch().demand;
        // Compute units are numbered by u16.
        let all = 0..cus.len() as u16;
        if let Some(may_fit) = self.refused.look(demand, cus)
            && place_within(&mut self.dealer, cus, may_fit.of(all), entry, bulk, round)
        {
            return start(entry.launch().id);
        }
        self.refused.refuse(demand);
        self.refused.wait();
        round.refuse(cus.refusal(CuId(0), entry.launch()));
        Answer::WAIT
    }
}

/// Returns the launch that was submitted first among the most urgent ones; `None` where none waits.
/// The search stops at the first launch of level 0, as none is more urgent.
fn most_urgent<'e>(waiting: impl Iterator<Item = &'e ReadyLaunch>) -> Option<&'e ReadyLaunch> {
    let mut first: Option<&ReadyLaunch> = None;
    for entry in waiting {
        if first.is_none_or(|first| entry.launch().level.0 < first.launch().level.0) {
            first = Some(entry);
        }
        if entry.launch().level.0 == 0 {
            break;
        }
    }
    first
}

/// Places workgroups of the launch `entry` on these compute units, each on the unit that has room
/// for most of them: with `bulk` as many as fit, else one. Returns whether at least one fits.
pub(super) fn place_within(
    dealer: &mut Dealer,
    cus: &Cus,
    units: impl Iterator<Item = Range<u16>>,
    entry: &ReadyLaunch,
    bulk: bool,
    round: &mut Round,
) -> bool {
    let limit = if bulk { entry.undistributed() } else { 1 };
    dealer.measure(cus, units, &entry.launch().demand, u64::MAX);
    let last = dealer.deal(Passes::Down, entry.next(), limit, &mut round.pieces);
    last.is_some()
}

impl Allocate for Leftover {
    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        self.place(ready, false, round)
    }

    fn allocate_round(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        self.place(ready, true, round)
    }

    fn reads_the_view(&self) -> bool {
        true
    }

    fn minds_refills(&self) -> bool {
        false
    }
}
