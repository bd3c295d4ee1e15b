//! How long is the longest free run, where does a request fit, and what does one circuit report
//! that searches several maps in turn?
//!
//! Three kinds of question: `{"bits":"01101110","method":"full"}` asks for the longest run as a
//! method of seed 000 reports it, `{"bits":"0111011","want":2,"fit":"best"}` for the start of a
//! request, and `{"shared":{..}}` for a round of a shared circuit. Positions and lengths are
//! blocks, the leftmost digit is block 0.

mod cost;
mod explain;
pub mod miss;
mod shared;

use raddle_bitmap::circuit::{Setup, Shift};
use raddle_bitmap::{FreeMap, Full, Grouped, Polarity, Sampled, Search};
use raddle_read::FaultKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::explanation::Story;
use crate::fault::{Fault, check, check_all, fault, given, has, read_at, within};
use crate::{Topic, json};
use shared::AskedRound;

pub(crate) const TOPIC: Topic = Topic {
    name: "bitmap",
    example: r#"{"bits":"01101110","free":1,"shift":"left","method":"full"}"#,
    solve,
};

/// Topic (kind of question) of the golden models that compares variants of the search for free runs
/// by their costs and their misses, the requests that they refuse although these fit. The tables of
/// its result are in the explanation.
pub const COST: Topic = Topic {
    name: "bitmap",
    // The seed's own numbers.
    example: r#"{"blocks":128,"want":4}"#,
    solve: cost::solve,
};

#[derive(Deserialize)]
struct AskedMap {
    bits: String,
    #[serde(default = "one", deserialize_with = "within::<_, _, 0, 1>")]
    free: u8,
    #[serde(default)]
    shift: ShiftWord,
    #[serde(default, deserialize_with = "given")]
    method: Option<Value>,
    #[serde(default, deserialize_with = "given")]
    want: Option<u64>,
    #[serde(default, deserialize_with = "given")]
    fit: Option<FitWord>,
    #[serde(default, deserialize_with = "given")]
    after: Option<u64>,
}

const fn one() -> u8 {
    1
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ShiftWord {
    #[default]
    Left,
    Right,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum MethodWord {
    Full,
}

#[derive(Deserialize)]
struct MethodByKey {
    #[serde(default, deserialize_with = "given")]
    grouped: Option<AskedGroups>,
    #[serde(default, deserialize_with = "given")]
    sampled: Option<AskedSamples>,
}

#[derive(Deserialize)]
struct AskedGroups {
    groups: u64,
}

#[derive(Deserialize)]
struct AskedSamples {
    k: Vec<u64>,
}

#[derive(Deserialize)]
struct AskedShared {
    shared: AskedRound,
}

/// Returns the form of the search circuits that a question asks for: the digit that stands for a
/// free block, and the direction in which sequences of digits are shifted.
const fn setup(free: u8, shift: ShiftWord) -> Setup {
    let polarity = if free == 1 { Polarity::FreeIsOne } else { Polarity::FreeIsZero };
    let shift = match shift {
        ShiftWord::Left => Shift::Left,
        ShiftWord::Right => Shift::Right,
    };
    Setup { polarity, shift }
}

/// Method by which a circuit searches the longest run of free blocks.
#[derive(Clone, Debug)]
enum SearchMethod {
    Full,
    Grouped(Grouped),
    Sampled(Sampled),
}

/// Rule that picks one of the free runs of blocks that are long enough.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FitWord {
    #[default]
    First,
    Best,
    Worst,
    Next,
}

#[derive(Serialize)]
struct LongestAnswer {
    longest: u32,
    sequence: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    starts: Option<Vec<u32>>,
}

#[derive(Serialize)]
struct FitAnswer {
    start: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    longest: Option<u32>,
}

fn solve(value: &Value, story: &mut Story) -> Result<String, Fault> {
    if has(value, "shared") {
        let AskedShared { shared } = read_at(value, "")?;
        let round = shared.round()?;
        if story.is_told() {
            explain::shared(&round, story).map_err(fault(FaultKind::OutOfRange, ""))?;
        }
        return round.answer();
    }
    let AskedMap { bits, free, shift, method, want, fit, after } = read_at(value, "")?;
    let form = setup(free, shift);
    let map = map(&bits, "/bits", form.polarity)?;
    // A method beside a wish is checked and changes nothing.
    let method = method.map(|method| search_method(&method, map.blocks())).transpose()?;
    let missing = |message| Err(Fault::new(FaultKind::MissingField, "", message));
    match (want, method) {
        (Some(want), _) => {
            let fit = fit.unwrap_or_default();
            if after.is_some() && !matches!(fit, FitWord::Next) {
                let text = "`after` is for `fit` `next`: leave it out";
                return Err(Fault::new(FaultKind::Inconsistent, "/after", text));
            }
            let after = after.unwrap_or(0);
            let start = place(&map, want, fit, after);
            if story.is_told() {
                explain::fit((&map, form), (want, fit, after), start, story);
            }
            let longest = start.is_none().then(|| map.longest());
            Ok(json(&FitAnswer { start, longest }))
        }
        (None, _) if fit.is_some() => missing("`fit` needs a `want`"),
        (None, Some(method)) => {
            if story.is_told() {
                let told = explain::longest(&map, form, &method, story);
                told.map_err(fault(FaultKind::OutOfRange, ""))?;
            }
            longest(&map, &method)
        }
        (None, None) => missing("`method` is missing"),
    }
}

/// Reads a map of free blocks from a string of digits; `at` is the string's place in the question,
/// which a fault names.
fn map(digits: &str, at: &str, polarity: Polarity) -> Result<FreeMap, Fault> {
    FreeMap::from_digits(digits, polarity).map_err(fault(FaultKind::OutOfRange, at))
}

/// Reads a search method for maps of `blocks` blocks: `"full"`, `{"grouped":{"groups":4}}` or
/// `{"sampled":{"k":[0,1,3]}}`. Returns a fault where the method does not fit such maps.
fn search_method(value: &Value, blocks: u32) -> Result<SearchMethod, Fault> {
    if value.is_string() {
        return read_at(value, "/method").map(|MethodWord::Full| SearchMethod::Full);
    }
    if has(value, "grouped") && has(value, "sampled") {
        let message = "`grouped` and `sampled` are two methods: give one";
        return Err(Fault::new(FaultKind::Inconsistent, "/method", message));
    }
    let MethodByKey { grouped, sampled } = read_at(value, "/method")?;
    if let Some(asked) = grouped {
        return asked.search(blocks).map(SearchMethod::Grouped);
    }
    let missing =
        || Fault::new(FaultKind::MissingField, "/method", "`grouped` or `sampled` is missing");
    sampled.ok_or_else(missing)?.search(blocks).map(SearchMethod::Sampled)
}

impl AskedGroups {
    fn search(&self, blocks: u32) -> Result<Grouped, Fault> {
        let at = "/method/grouped/groups";
        check(self.groups, &(1..=u64::from(blocks - 1)), at)?;
        // The groups are fewer than the blocks, so their number fits the type.
        Grouped::new(blocks, self.groups as u32).map_err(fault(FaultKind::Inconsistent, at))
    }
}

impl AskedSamples {
    fn search(&self, blocks: u32) -> Result<Sampled, Fault> {
        let (k, at) = (&self.k, "/method/sampled/k");
        check_all(k, &(0..=u64::from(blocks - 1)), at)?;
        if let Some(n) = k.windows(2).position(|pair| pair[1] <= pair[0]) {
            let at = format!("{at}/{}", n + 1);
            let message = "`k` must be strictly ascending";
            return Err(Fault::new(FaultKind::Inconsistent, &at, message));
        }
        // Every sample is below the number of blocks, so it fits the type.
        let samples: Vec<u32> = k.iter().map(|&k| k as u32).collect();
        Sampled::new(blocks, &samples).map_err(fault(FaultKind::OutOfRange, at))
    }
}

fn longest(map: &FreeMap, method: &SearchMethod) -> Result<String, Fault> {
    let search: &dyn Search = match method {
        SearchMethod::Full => &Full,
        SearchMethod::Grouped(search) => search,
        SearchMethod::Sampled(search) => search,
    };
    let longest = search.longest(map.view()).map_err(fault(FaultKind::Inconsistent, ""))?;
    let (ones, all) = match method {
        SearchMethod::Full => (longest as usize, map.blocks() as usize),
        SearchMethod::Grouped(search) => {
            ((longest / search.size()) as usize, search.groups() as usize)
        }
        SearchMethod::Sampled(search) => {
            let amounts = search.amounts();
            (amounts.iter().filter(|&&amount| amount <= longest).count(), amounts.len())
        }
    };
    // A map without free blocks has no runs, so it has no starts either.
    let starts = matches!(method, SearchMethod::Full)
        .then(|| map.runs().filter(|&(_, len)| len == longest).map(|(start, _)| start).collect());
    let sequence = "1".repeat(ones) + &"0".repeat(all - ones);
    Ok(json(&LongestAnswer { longest, sequence, starts }))
}

/// Returns the first block of a free run for a request of `want` blocks, chosen by the rule `fit`;
/// `None` where no run is long enough. `after` is the block from which next fit searches.
fn place(map: &FreeMap, want: u64, fit: FitWord, after: u64) -> Option<u32> {
    // A wish beyond u32 is larger than any map.
    let want = u32::try_from(want).ok()?;
    let plan = match fit {
        FitWord::First => map.first_fit(want),
        FitWord::Best => map.best_fit(want),
        FitWord::Worst => map.worst_fit(want),
        // Behind the last block there is none, as behind a block beyond u32.
        FitWord::Next => map.next_fit(u32::try_from(after).unwrap_or(u32::MAX), want),
    };
    plan.map(|plan| plan.start())
}
