//! What does a round of a shared finder report?
//!
//! `{"shared":{"width":12,"periods":[[{"type":"s","bits":"01110"},{"type":"l","bits":"0111"}]],
//! "layout":{"slots":[[5,7]]}}}` is answered with the longest run of each type, period by period.

use raddle_bitmap::{Error, FreeMap, Kind as Type, Layout, Shared, View};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::{Form, json, map, refused};
use crate::golden::fault::{Fault, Kind};
use crate::golden::read::{Fields, integer, list, wrong_type};

/// A finder and the states of one round.
#[derive(Debug)]
pub(crate) struct Round {
    pub(crate) finder: Shared,
    /// By period: names and states of the types, in order.
    pub(crate) periods: Vec<Vec<(String, FreeMap)>>,
    pub(crate) form: Form,
}

#[derive(Serialize)]
struct Answer<'r> {
    periods: Vec<Period<'r>>,
}

#[derive(Serialize)]
struct Period<'r> {
    period: usize,
    longest: InOrder<'r>,
}

/// An object whose keys stand in the order of the question.
struct InOrder<'r>(Vec<(&'r str, u32)>);

impl Serialize for InOrder<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, longest) in &self.0 {
            map.serialize_entry(name, longest)?;
        }
        map.end()
    }
}

impl Round {
    /// The states of a period, in the order of its slots.
    pub(crate) fn views(&self, period: usize) -> Vec<View<'_>> {
        self.periods[period].iter().map(|(_, state)| state.view()).collect()
    }

    pub(super) fn answer(&self) -> Result<String, Fault> {
        let mut periods = Vec::with_capacity(self.periods.len());
        for (index, types) in self.periods.iter().enumerate() {
            let found = self.finder.find(index, &self.views(index));
            let found = found.map_err(|error| refused(&error))?;
            let names = types.iter().map(|(name, _)| name.as_str());
            periods
                .push(Period { period: index + 1, longest: InOrder(names.zip(found).collect()) });
        }
        Ok(json(&Answer { periods }))
    }

    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, Fault> {
        fields.only(&["width", "periods", "layout", "free", "shift"])?;
        let width = fields.integer("width", 1..=u64::from(u32::MAX))?;
        let width = u32::try_from(width).unwrap_or(u32::MAX);
        let form = Form::read(fields)?;
        let periods = states(fields, form)?;
        let layout = layout(fields, width)?;
        let mut ids = 0..;
        let mut type_of = |(_, state): &(String, FreeMap)| Type {
            id: ids.next().unwrap_or_default(),
            blocks: state.blocks(),
        };
        let types: Vec<Vec<Type>> =
            periods.iter().map(|period| period.iter().map(&mut type_of).collect()).collect();
        let finder = Shared::new(width, width, &types, &layout);
        let finder = finder.map_err(|error| located(&error, fields, &layout))?;
        Ok(Self { finder, periods, form })
    }
}

/// Names and states, each name once.
fn states(fields: &Fields<'_>, form: Form) -> Result<Vec<Vec<(String, FreeMap)>>, Fault> {
    let (value, at) = fields.get("periods")?;
    let mut periods: Vec<Vec<(String, FreeMap)>> = Vec::new();
    for (value, at) in list(value, &at)? {
        periods.push(Vec::new());
        for (value, at) in list(value, &at)? {
            let fields = Fields::of(value, &at)?;
            fields.only(&["type", "bits"])?;
            let (name, at) = fields.get("type")?;
            let Value::String(name) = name else {
                return Err(wrong_type(&at, "a name", name));
            };
            if periods.iter().flatten().any(|(known, _)| known == name) {
                let message = format!("type `{name}` is named twice in the round");
                return Err(Fault::new(Kind::Inconsistent, &at, message));
            }
            let (bits, at) = fields.get("bits")?;
            let state = map(bits, &at, form.polarity)?;
            periods
                .last_mut()
                .into_iter()
                .for_each(|last| last.push((name.clone(), state.clone())));
        }
    }
    Ok(periods)
}

/// `"packed"`, `"halves"` or `{"slots":[[5,7],..]}`, widths of slots one behind the other.
fn layout(fields: &Fields<'_>, width: u32) -> Result<Layout, Fault> {
    let Ok((value, at)) = fields.get("layout") else {
        return Ok(Layout::Packed);
    };
    if value.is_string() {
        let halves = fields.word("layout", &[("packed", false), ("halves", true)])?;
        return Ok(if halves { Layout::Halves } else { Layout::Packed });
    }
    let fields = Fields::of(value, &at)?;
    fields.only(&["slots"])?;
    let (value, at) = fields.get("slots")?;
    let mut borders = Vec::new();
    for (value, at) in list(value, &at)? {
        let (mut ranges, mut start) = (Vec::new(), 0);
        for (value, at) in list(value, &at)? {
            let slot = integer(value, &at, "slots", 1..=u64::from(width))?;
            let end = u64::from(start) + slot;
            let end = u32::try_from(end).ok().filter(|&end| end <= width).ok_or_else(|| {
                let message = format!("the slots up to here are {end} wide, the finder is {width}");
                Fault::new(Kind::Inconsistent, &at, message)
            })?;
            ranges.push(start..end);
            start = end;
        }
        borders.push(ranges);
    }
    Ok(Layout::Borders(borders))
}

/// A refusal of the finder, at its place in the question.
fn located(error: &Error, fields: &Fields<'_>, layout: &Layout) -> Fault {
    let periods = fields.pointer("periods");
    let slots = format!("{}/slots", fields.pointer("layout"));
    let given = matches!(layout, Layout::Borders(_));
    let (kind, at) = match *error {
        Error::PeriodCount { periods: 0, .. } => (Kind::OutOfRange, periods),
        Error::PeriodCount { .. } => (Kind::Inconsistent, slots),
        Error::EmptyPeriod { period } => (Kind::OutOfRange, format!("{periods}/{period}")),
        Error::SlotCount { period, .. } if given => {
            (Kind::Inconsistent, format!("{slots}/{period}"))
        }
        Error::SlotCount { period, .. } | Error::SumAboveBound { period, .. } => {
            (Kind::Inconsistent, format!("{periods}/{period}"))
        }
        Error::SlotTooNarrow { period, at, .. } => {
            (Kind::Inconsistent, format!("{periods}/{period}/{at}/bits"))
        }
        _ => (Kind::Inconsistent, fields.pointer("periods")),
    };
    Fault::new(kind, &at, error.to_string())
}
