//! What does one circuit report that searches the maps of several resources in turn (a shared
//! finder)?
//!
//! `{"shared":{"width":12,"periods":[[{"type":"s","bits":"01110"},{"type":"l","bits":"0111"}]],
//! "layout":{"slots":[[5,7]]}}}` is answered with the longest run of each type of resource, for
//! each use of the circuit (period).

use std::collections::BTreeSet;
use std::ops::Range;

use raddle_bitmap::circuit::Setup;
use raddle_bitmap::{Error, ErrorKind, FreeMap, Kind as Type, Layout, Shared, View};
use raddle_read::FaultKind;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::{ShiftWord, map, one, setup};
use crate::fault::{Fault, check, fault, given, read_at, within};
use crate::json;

#[derive(Deserialize)]
pub(super) struct AskedRound {
    #[serde(deserialize_with = "within::<_, _, 1, 0xffff_ffff>")]
    width: u32,
    periods: Vec<Vec<AskedType>>,
    #[serde(default, deserialize_with = "given")]
    layout: Option<Value>,
    #[serde(default = "one", deserialize_with = "within::<_, _, 0, 1>")]
    free: u8,
    #[serde(default)]
    shift: ShiftWord,
}

#[derive(Deserialize)]
struct AskedType {
    #[serde(rename = "type")]
    name: String,
    bits: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum LayoutWord {
    Packed,
    Halves,
}

/// Layout of a circuit that searches several maps side by side, as a question spells it. For each
/// period (one use of the circuit) it has the widths in blocks of the slots, the parts of the
/// circuit for one map each.
#[derive(Deserialize)]
struct LayoutBySlots {
    slots: Vec<Vec<u64>>,
}

/// A circuit that searches several free maps in turn, with the maps that it searches until every
/// map was searched once (a round).
#[derive(Debug)]
pub(super) struct SharedRound {
    pub(super) finder: Shared,
    /// For each period (one use of the circuit) the types of resource that are searched in it, in
    /// the order of the question, as (name, map of free blocks).
    pub(super) periods: Vec<Vec<(String, FreeMap)>>,
    pub(super) form: Setup,
}

#[derive(Serialize)]
struct RoundAnswer<'r> {
    periods: Vec<PeriodAnswer<'r>>,
}

#[derive(Serialize)]
struct PeriodAnswer<'r> {
    period: usize,
    longest: LongestByType<'r>,
}

/// Length in blocks of the longest free run of each type of resource, as (name of the type,
/// length), written as a JSON object in the order of the question.
struct LongestByType<'r>(Vec<(&'r str, u32)>);

impl Serialize for LongestByType<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

impl AskedRound {
    pub(super) fn round(self) -> Result<SharedRound, Fault> {
        let form = setup(self.free, self.shift);
        let periods = states(self.periods, form)?;
        let layout = self.layout.map_or(Ok(Layout::Packed), |it| layout(&it, self.width))?;
        let mut ids = 0..;
        let mut type_of = |(_, state): &(String, FreeMap)| Type {
            id: ids.next().unwrap_or_default(),
            blocks: state.blocks(),
        };
        let types: Vec<Vec<Type>> =
            periods.iter().map(|period| period.iter().map(&mut type_of).collect()).collect();
        let finder = Shared::new(self.width, self.width, &types, &layout);
        let finder = finder.map_err(|error| located(&error, &types, &layout))?;
        Ok(SharedRound { finder, periods, form })
    }
}

/// Reads for each period (one use of the circuit) the types of resource that are searched in it, as
/// (name, map of free blocks); a name that occurs twice is a fault.
fn states(periods: Vec<Vec<AskedType>>, form: Setup) -> Result<Vec<Vec<(String, FreeMap)>>, Fault> {
    let mut names = BTreeSet::new();
    let mut state = |AskedType { name, bits }, at: &str| {
        if !names.insert(name.clone()) {
            let message = format!("type `{name}` is named twice in the round");
            return Err(Fault::new(FaultKind::Inconsistent, &format!("{at}/type"), message));
        }
        Ok((name, map(&bits, &format!("{at}/bits"), form.polarity)?))
    };
    let mut all = Vec::with_capacity(periods.len());
    for (period, types) in periods.into_iter().enumerate() {
        let types = types.into_iter().enumerate();
        let types = types.map(|(n, it)| state(it, &format!("/shared/periods/{period}/{n}")));
        all.push(types.collect::<Result<_, _>>()?);
    }
    Ok(all)
}

/// Reads how the slots (ranges for one map each) are laid out within `width` blocks: `"packed"`
/// (one behind the other), `"halves"` (one map in each half), or `{"slots":[[5,7],..]}` (for each period, the number of
/// blocks of each slot). Any other text is a fault.
fn layout(value: &Value, width: u32) -> Result<Layout, Fault> {
    if value.is_string() {
        return Ok(match read_at(value, "/shared/layout")? {
            LayoutWord::Packed => Layout::Packed,
            LayoutWord::Halves => Layout::Halves,
        });
    }
    let LayoutBySlots { slots } = read_at(value, "/shared/layout")?;
    let mut borders = Vec::with_capacity(slots.len());
    for (period, slots) in slots.iter().enumerate() {
        let (mut ranges, mut start): (Vec<Range<u32>>, u32) = (Vec::new(), 0);
        for (n, &slot) in slots.iter().enumerate() {
            let at = format!("/shared/layout/slots/{period}/{n}");
            check(slot, &(1..=u64::from(width)), &at)?;
            let end = u64::from(start) + slot;
            let fits = u32::try_from(end).ok().filter(|&end| end <= width);
            let end = fits.ok_or_else(|| {
                let message = format!("the slots up to here are {end} wide, the finder is {width}");
                Fault::new(FaultKind::Inconsistent, &at, message)
            })?;
            ranges.push(start..end);
            start = end;
        }
        borders.push(ranges);
    }
    Ok(Layout::Borders(borders))
}

impl SharedRound {
    /// Returns the maps that the shared circuit searches in one period (one use of the circuit), in
    /// the order of their slots (ranges of the circuit's width).
    pub(super) fn views(&self, period: usize) -> Vec<View<'_>> {
        self.periods[period].iter().map(|(_, state)| state.view()).collect()
    }

    pub(super) fn answer(&self) -> Result<String, Fault> {
        let mut periods = Vec::with_capacity(self.periods.len());
        for (index, types) in self.periods.iter().enumerate() {
            let found = self.finder.find(index, &self.views(index));
            let found = found.map_err(fault(FaultKind::Inconsistent, ""))?;
            let names = types.iter().map(|(name, _)| name.as_str());
            periods.push(PeriodAnswer {
                period: index + 1,
                longest: LongestByType(names.zip(found).collect()),
            });
        }
        Ok(json(&RoundAnswer { periods }))
    }
}

/// Converts an error of a circuit that searches several maps in turn to a fault at the place in the
/// question that is wrong.
fn located(error: &Error, types: &[Vec<Type>], layout: &Layout) -> Fault {
    let periods = "/shared/periods";
    let slots = "/shared/layout/slots";
    let borders = match layout {
        Layout::Borders(borders) => Some(borders),
        _ => None,
    };
    let count = error.period().is_none() && error.kind() == ErrorKind::Inconsistent;
    let empty = error.period().is_some() && error.kind() == ErrorKind::OutOfRange;
    let kind = if empty || count && types.is_empty() {
        FaultKind::OutOfRange
    } else {
        FaultKind::Inconsistent
    };
    let at = match (error.period(), error.slot()) {
        (Some(period), Some(slot)) => format!("{periods}/{period}/{slot}/bits"),
        (Some(period), None) => {
            let given = borders.and_then(|all| all.get(period));
            let other = given.is_some_and(|given| given.len() != types[period].len());
            format!("{}/{period}", if other { slots } else { periods })
        }
        (None, _) if count && !types.is_empty() => slots.to_owned(),
        (None, _) => periods.to_owned(),
    };
    Fault::new(kind, &at, error.to_string())
}
