//! How long is the longest free run, where does a wish fit, and what does a shared finder report?
//!
//! Three kinds of question: `{"bits":"01101110","method":"full"}` asks for the longest run as a method
//! of seed 000 reports it, `{"bits":"0111011","want":2,"fit":"best"}` for a place, and
//! `{"shared":{..}}` for a round of a shared finder. Positions and lengths are blocks, the leftmost
//! digit is block 0.

mod shared;

use raddle_bitmap::circuit::Shift;
use raddle_bitmap::{FreeMap, Full, Grouped, Polarity, Sampled, Search};
use serde::Serialize;
use serde_json::Value;

use super::fault::{Fault, Kind};
use super::read::{Fields, integer, list, wrong_type};

pub(crate) use shared::Round;

/// One question, read.
#[derive(Debug)]
pub(crate) enum Question {
    /// The longest run, as a method reports it.
    Longest { map: FreeMap, form: Form, method: Method },
    /// Where so many blocks lie in one run.
    Fit { map: FreeMap, form: Form, want: u64, fit: Fit },
    /// A round of a shared finder.
    Shared(Box<Round>),
}

/// In which form states come and circuits shift.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    pub(crate) polarity: Polarity,
    pub(crate) shift: Shift,
}

/// How the longest run is sought.
#[derive(Clone, Debug)]
pub(crate) enum Method {
    Full,
    Grouped(Grouped),
    Sampled(Sampled),
}

/// Which of the free runs that are long enough is taken.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fit {
    First,
    Best,
    Worst,
}

#[derive(Serialize)]
struct Longest {
    longest: u32,
    sequence: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    starts: Option<Vec<u32>>,
}

#[derive(Serialize)]
struct Place {
    start: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    longest: Option<u32>,
}

/// Answers one question.
pub(crate) fn answer(fields: &Fields<'_>) -> Result<String, Fault> {
    answer_of(&question(fields)?)
}

/// The answer as JSON.
pub(crate) fn answer_of(question: &Question) -> Result<String, Fault> {
    match question {
        Question::Longest { map, method, .. } => longest(map, method),
        Question::Fit { map, want, fit, .. } => {
            let start = place(map, *want, *fit);
            let longest = start.is_none().then(|| map.longest());
            Ok(json(&Place { start, longest }))
        }
        Question::Shared(round) => round.answer(),
    }
}

fn longest(map: &FreeMap, method: &Method) -> Result<String, Fault> {
    let longest = method.search().longest(map.view()).map_err(|error| refused(&error))?;
    let digits = |ones: usize, all: usize| "1".repeat(ones) + &"0".repeat(all - ones);
    let (sequence, starts) = match method {
        Method::Full => {
            // Nothing free has no run, so no start either.
            let runs = map.runs().filter(|&(_, len)| len == longest);
            let starts = runs.map(|(start, _)| start).collect();
            (digits(longest as usize, map.blocks() as usize), Some(starts))
        }
        Method::Grouped(search) => {
            let (groups, size) = (search.groups() as usize, search.size());
            (digits((longest / size) as usize, groups), None)
        }
        Method::Sampled(search) => {
            let amounts = search.amounts();
            let met = amounts.iter().filter(|&&amount| amount <= longest).count();
            (digits(met, amounts.len()), None)
        }
    };
    Ok(json(&Longest { longest, sequence, starts }))
}

/// Where a wish lies; `None` where it fits nowhere.
pub(crate) fn place(map: &FreeMap, want: u64, fit: Fit) -> Option<u32> {
    // More than u32 is more than any map has.
    let want = u32::try_from(want).ok()?;
    let plan = match fit {
        Fit::First => map.first_fit(want),
        Fit::Best => map.best_fit(want),
        Fit::Worst => map.worst_fit(want),
    };
    plan.map(|plan| plan.start())
}

impl Method {
    pub(crate) fn search(&self) -> &dyn Search {
        match self {
            Self::Full => &Full,
            Self::Grouped(search) => search,
            Self::Sampled(search) => search,
        }
    }
}

fn json(answer: &impl Serialize) -> String {
    // Strings and integers: this cannot fail.
    serde_json::to_string(answer).unwrap_or_default()
}

/// A refusal of the crate that the reading has let through: of the whole line.
fn refused(error: &raddle_bitmap::Error) -> Fault {
    Fault::new(Kind::Inconsistent, "", error.to_string())
}

/// What a question asks for.
pub(crate) fn question(fields: &Fields<'_>) -> Result<Question, Fault> {
    if fields.get("shared").is_ok() {
        fields.only(&["shared"])?;
        return Ok(Question::Shared(Box::new(Round::read(&fields.object("shared")?)?)));
    }
    fields.only(&["bits", "free", "shift", "method", "want", "fit"])?;
    let form = Form::read(fields)?;
    let (bits, at) = fields.get("bits")?;
    let map = map(bits, &at, form.polarity)?;
    let place = fields.get("want").is_ok();
    let method = match fields.get("method") {
        Ok((value, at)) => Some(method(value, &at, map.blocks())?),
        Err(missing) if !place => return Err(missing),
        Err(_) => None,
    };
    let fit = match fields.get("fit") {
        Ok(_) => fields
            .word("fit", &[("first", Fit::First), ("best", Fit::Best), ("worst", Fit::Worst)])?,
        Err(_) => Fit::First,
    };
    match method {
        // Beside a wish, a method is accepted and changes nothing.
        _ if place => {
            let want = fields.integer("want", 0..=u64::MAX)?;
            Ok(Question::Fit { map, form, want, fit })
        }
        Some(_) if fields.get("fit").is_ok() => {
            fields.get("want")?;
            Err(Fault::new(Kind::MissingField, "", "`fit` needs a `want`"))
        }
        Some(method) => Ok(Question::Longest { map, form, method }),
        None => Err(Fault::new(Kind::MissingField, "", "`method` is missing")),
    }
}

impl Form {
    /// `free` and `shift`, each with its default.
    fn read(fields: &Fields<'_>) -> Result<Self, Fault> {
        let free = match fields.get("free") {
            Ok(_) => fields.integer("free", 0..=1)?,
            Err(_) => 1,
        };
        let shift = match fields.get("shift") {
            Ok(_) => fields.word("shift", &[("left", Shift::Left), ("right", Shift::Right)])?,
            Err(_) => Shift::Left,
        };
        let polarity = if free == 1 { Polarity::FreeIsOne } else { Polarity::FreeIsZero };
        Ok(Self { polarity, shift })
    }
}

/// A state as a string of digits.
fn map(value: &Value, at: &str, polarity: Polarity) -> Result<FreeMap, Fault> {
    let Value::String(digits) = value else {
        return Err(wrong_type(at, "a string of 0 and 1", value));
    };
    let range = |error: raddle_bitmap::Error| Fault::new(Kind::OutOfRange, at, error.to_string());
    FreeMap::from_digits(digits, polarity).map_err(range)
}

/// `"full"`, `{"grouped":{"groups":4}}` or `{"sampled":{"k":[0,1,3]}}`.
fn method(value: &Value, at: &str, blocks: u32) -> Result<Method, Fault> {
    if let Value::String(word) = value {
        let message = "`method` must be `full`, or an object with `grouped` or `sampled`";
        let full = word == "full";
        return if full {
            Ok(Method::Full)
        } else {
            Err(Fault::new(Kind::OutOfRange, at, message))
        };
    }
    let fields = Fields::of(value, at)?;
    fields.only(&["grouped", "sampled"])?;
    match (fields.get("grouped"), fields.get("sampled")) {
        (Ok(_), Ok(_)) => Err(Fault::new(
            Kind::Inconsistent,
            at,
            "`grouped` and `sampled` are two methods: give one",
        )),
        (Ok(_), Err(_)) => grouped(&fields.object("grouped")?, blocks),
        (Err(_), _) => sampled(&fields.object("sampled")?, blocks),
    }
}

fn grouped(fields: &Fields<'_>, blocks: u32) -> Result<Method, Fault> {
    fields.only(&["groups"])?;
    if blocks == 1 {
        // No number of groups is from 1 to 0.
        let (_, at) = fields.get("groups")?;
        return Err(Fault::new(Kind::OutOfRange, &at, "one block cannot be cut into groups"));
    }
    let groups = fields.integer("groups", 1..=u64::from(blocks - 1))?;
    let groups = u32::try_from(groups).unwrap_or(u32::MAX);
    let uneven = |error: raddle_bitmap::Error| {
        Fault::new(Kind::Inconsistent, &fields.pointer("groups"), error.to_string())
    };
    Ok(Method::Grouped(Grouped::new(blocks, groups).map_err(uneven)?))
}

fn sampled(fields: &Fields<'_>, blocks: u32) -> Result<Method, Fault> {
    fields.only(&["k"])?;
    let (value, at) = fields.get("k")?;
    let mut samples = Vec::new();
    for (value, at) in list(value, &at)? {
        let k = integer(value, &at, "k", 0..=u64::from(blocks - 1))?;
        let k = u32::try_from(k).unwrap_or(u32::MAX);
        if samples.last().is_some_and(|&last| k <= last) {
            return Err(Fault::new(Kind::Inconsistent, &at, "`k` must be strictly ascending"));
        }
        samples.push(k);
    }
    let empty = |error: raddle_bitmap::Error| Fault::new(Kind::OutOfRange, &at, error.to_string());
    Ok(Method::Sampled(Sampled::new(blocks, &samples).map_err(empty)?))
}

#[cfg(test)]
mod tests;
