//! What happens in the full, the grouped and the sampled search?

use raddle_bitmap::circuit::{Bits, FullTrace, GroupedTrace, SampledTrace, Setup, Shift};
use raddle_bitmap::{Error, FreeMap, Grouped, Polarity, Sampled};

use super::rows::{row, rows};
use crate::bitmap::MapForm;
use crate::explanation::{ExplainedStep, counted, listed, step};

/// Words for a form.
pub(super) struct Words {
    /// The digit of a free block, and that of an occupied one.
    pub(super) free: char,
    pub(super) occupied: char,
    /// What combines two sequences, and what reduces one.
    pub(super) combine: &'static str,
    pub(super) reduce: &'static str,
    pub(super) shift: &'static str,
}

impl Words {
    pub(super) const fn of(form: MapForm) -> Self {
        let shift = match form.shift {
            Shift::Left => "left",
            Shift::Right => "right",
        };
        match form.polarity {
            Polarity::FreeIsOne => Self {
                free: '1',
                occupied: '0',
                combine: "AND",
                reduce: "an OR of its digits",
                shift,
            },
            Polarity::FreeIsZero => Self {
                free: '0',
                occupied: '1',
                combine: "OR",
                reduce: "the inverted AND of its digits",
                shift,
            },
        }
    }
}

pub(super) fn setup(form: MapForm) -> Setup {
    Setup { polarity: form.polarity, shift: form.shift }
}

/// d1 to d4.
pub(super) fn full(map: &FreeMap, form: MapForm) -> Result<Vec<ExplainedStep>, Error> {
    let (trace, words) = (FullTrace::new(map.view(), setup(form))?, Words::of(form));
    let longest = trace.answer();
    let mut steps = vec![
        read("d1", &trace.s()[0], &words),
        shifted("d2", "S", trace.s(), longest, &words),
        combined("d3", ["SA", "S", "i"], trace.sa(), longest, &words),
    ];
    let mut lines = vec![
        format!("d41: SAR_i is {} (d42: in this order)", words.reduce),
        row("SAR", trace.sar()),
    ];
    lines.extend(scan("SAR", "d432, d433", longest, 1, "the longest free run"));
    lines.push("d431: a table of all sequences gives the same answer".to_owned());
    steps.push(step("d4: reduce, and read the sequence", lines));
    Ok(steps)
}

/// e1 to e3.
pub(super) fn grouped(
    map: &FreeMap,
    form: MapForm,
    search: &Grouped,
) -> Result<Vec<ExplainedStep>, Error> {
    let trace = GroupedTrace::new(map.view(), search, setup(form))?;
    let words = Words::of(form);
    let (size, answer) = (search.size(), trace.answer());
    let rows_of_groups = answer / size;
    let groups = vec![
        format!("U: {}", listed(trace.u(), " ")),
        format!(
            "a group is free ({}) where all its blocks are: the {} of its digits",
            words.free, words.combine
        ),
        row("F_0", &trace.f()[0]),
    ];
    let groups_of = counted(search.groups(), "group", "groups");
    let title = format!("e2: {groups_of} of {size} blocks, one digit each");
    let mut steps = vec![read("e1", trace.s0(), &words), step(title, groups)];
    steps.push(shifted("e31", "F", trace.f(), rows_of_groups, &words));
    steps.push(combined("e32", ["FA", "F", "j"], trace.fa(), rows_of_groups, &words));
    let mut lines = vec![format!("e331: FAR_j is {}", words.reduce), row("FAR", trace.far())];
    lines.extend(scan("FAR", "e3331, e3332", rows_of_groups, size, "x"));
    lines.push(format!(
        "the longest run is {}: {} of it cannot be seen in whole groups",
        map.longest(),
        map.longest() - answer
    ));
    steps.push(step("e33: reduce, and read the sequence", lines));
    Ok(steps)
}

/// f1 to f4.
pub(super) fn sampled(
    map: &FreeMap,
    form: MapForm,
    search: &Sampled,
) -> Result<Vec<ExplainedStep>, Error> {
    let trace = SampledTrace::new(map.view(), search, setup(form))?;
    let words = Words::of(form);
    let answer = trace.answer();
    let mut lines = vec![format!(
        "SA_k is S_0 to S_k combined by {}: a jump from j to k combines SA_j with itself, shifted by k - j",
        words.combine
    )];
    if search.amounts().first() == Some(&1) {
        lines.push(row("SA_0 = S_0", &trace.sa()[0]));
    }
    for (jump, made) in trace.jumps() {
        let by = jump.to - jump.from;
        let why = if jump.sampled { "" } else { ", a step on the way" };
        let name = format!("SA_{} from SA_{}, shifted by {by}{why},", jump.to, jump.from);
        lines.push(row(&name, made));
    }
    let k: Vec<String> = search.k().map(|k| k.to_string()).collect();
    let jumps = counted(trace.jumps().len() as u64, "jump", "jumps");
    let title = format!("f3: samples k = {}, made in {jumps}", k.join(", "));
    let mut steps = vec![
        read("f1", &trace.s()[0], &words),
        shifted("f2", "S", trace.s(), answer, &words),
        step(title, lines),
    ];
    let mut lines = vec![format!("f41: SAR_k is {}", words.reduce), row("SAR", trace.sar())];
    lines.push(match answer.checked_sub(1) {
        Some(k) => format!(
            "f432, f433: the last 1 is that of k = {k}, so the answer is {k} + 1 = {answer}"
        ),
        None => "f432: there is no 1, so the answer is 0".to_owned(),
    });
    lines.push(format!("the longest run is {}", map.longest()));
    steps.push(step("f4: reduce, and read the sequence", lines));
    Ok(steps)
}

fn read(label: &str, s0: &Bits, words: &Words) -> ExplainedStep {
    let blocks = counted(s0.len() as u64, "block", "blocks");
    let title = format!("{label}: the state of {blocks}, {} = free", words.free);
    step(title, vec![row("S_0", s0)])
}

fn shifted(label: &str, name: &str, all: &[Bits], turn: u32, words: &Words) -> ExplainedStep {
    let title = format!(
        "{label}: {name}_0 shifted {}, the places vacated occupied ({})",
        words.shift, words.occupied
    );
    step(title, rows(name, all, turn as usize))
}

fn combined(
    label: &str,
    names: [&str; 3],
    all: &[Bits],
    turn: u32,
    words: &Words,
) -> ExplainedStep {
    let [name, of, n] = names;
    let side = if words.shift == "left" { "begins" } else { "ends" };
    let title = format!(
        "{label}: {name}_{n} = {name}_({n}-1) {} {of}_{n}; {} where a free row of {n} + 1 {side}",
        words.combine, words.free
    );
    step(title, rows(name, all, turn as usize))
}

/// How the last 1 of a sequence becomes an answer.
fn scan(name: &str, labels: &str, ones: u32, unit: u32, what: &str) -> Vec<String> {
    let Some(last) = ones.checked_sub(1) else {
        return vec![format!("{labels}: {name} has no 1, so {what} is 0")];
    };
    let times = if unit == 1 { String::new() } else { format!(" groups of {unit} blocks") };
    let all = ones * unit;
    let sum = if unit == 1 {
        format!("{last} + 1 = {all}")
    } else {
        format!("{last} + 1{times}: {all} blocks")
    };
    vec![format!(
        "{labels}: from its end backwards the first 1 is {name}_{last}, so {what} is {sum}"
    )]
}
