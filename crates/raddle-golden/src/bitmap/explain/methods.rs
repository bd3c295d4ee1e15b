//! What happens step by step in the full, the grouped and the sampled search for the longest free
//! run?

use raddle_bitmap::circuit::{Bits, FullTrace, GroupedTrace, SampledTrace, Setup, Shift};
use raddle_bitmap::{Error, FreeMap, Grouped, Polarity, Sampled};

use super::rows::{row, rows};
use crate::bitmap::SearchMethod;
use crate::explanation::{Story, counted, listed};

/// Words and digits for the explanation of a search, which depend on whether the circuit writes a
/// free block as 1 or as 0.
#[derive(Clone, Copy)]
pub(super) struct ExplainWords {
    pub(super) free: char,
    pub(super) occupied: char,
    /// Name of the logic operation that combines two sequences of digits, digit by digit.
    pub(super) combine: &'static str,
    /// Name of the logic operation that reduces a sequence of digits to one digit.
    pub(super) reduce: &'static str,
    pub(super) shift: &'static str,
}

impl ExplainWords {
    pub(super) const fn of(form: Setup) -> Self {
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

/// Explains the steps of a search for the longest free run: d1 to d4 of the patent (full),
/// e1 to e3 (grouped) or f1 to f4 (sampled).
pub(in crate::bitmap) fn tell(
    map: &FreeMap,
    form: Setup,
    method: &SearchMethod,
    story: &mut Story,
) -> Result<(), Error> {
    let mut teller = MethodTeller { words: ExplainWords::of(form), story };
    match method {
        SearchMethod::Full => teller.full(&FullTrace::new(map.view(), form)?),
        SearchMethod::Grouped(search) => {
            teller.grouped(map, search, &GroupedTrace::new(map.view(), search, form)?);
        }
        SearchMethod::Sampled(search) => {
            teller.sampled(map, search, &SampledTrace::new(map.view(), search, form)?);
        }
    }
    Ok(())
}

struct MethodTeller<'s> {
    words: ExplainWords,
    story: &'s mut Story,
}

impl MethodTeller<'_> {
    fn full(&mut self, trace: &FullTrace) {
        let longest = trace.answer();
        self.read("d1", &trace.s()[0]);
        self.shifted("d2", "S", trace.s(), longest);
        self.combined("d3", ["SA", "S", "i"], trace.sa(), longest);
        self.story.step("d4: reduce, and read the sequence");
        self.story.note(format!("d41: SAR_i is {} (d42: in this order)", self.words.reduce));
        self.story.note(row("SAR", trace.sar()));
        let sum = |last| format!("{last} + 1 = {longest}");
        self.scan(["SAR", "d432, d433", "the longest free run"], longest, sum);
        self.story.note("d431: a table of all sequences gives the same answer");
    }

    fn grouped(&mut self, map: &FreeMap, search: &Grouped, trace: &GroupedTrace) {
        let (size, answer) = (search.size(), trace.answer());
        let rows_of_groups = answer / size;
        self.read("e1", trace.s0());
        let groups = counted(search.groups(), "group", "groups");
        self.story.step(format!("e2: {groups} of {size} blocks, one digit each"));
        self.story.note(format!("U: {}", listed(trace.u(), " ")));
        let ExplainWords { free, combine, .. } = self.words;
        self.story.note(format!(
            "a group is free ({free}) where all its blocks are: the {combine} of its digits"
        ));
        self.story.note(row("F_0", &trace.f()[0]));
        self.shifted("e31", "F", trace.f(), rows_of_groups);
        self.combined("e32", ["FA", "F", "j"], trace.fa(), rows_of_groups);
        self.story.step("e33: reduce, and read the sequence");
        self.story.note(format!("e331: FAR_j is {}", self.words.reduce));
        self.story.note(row("FAR", trace.far()));
        let sum = |last| format!("{last} + 1 groups of {size} blocks: {answer} blocks");
        self.scan(["FAR", "e3331, e3332", "x"], rows_of_groups, sum);
        let longest = map.longest();
        self.story.note(format!(
            "the longest run is {longest}: {} of it cannot be seen in whole groups",
            longest - answer
        ));
    }

    fn sampled(&mut self, map: &FreeMap, search: &Sampled, trace: &SampledTrace) {
        let answer = trace.answer();
        self.read("f1", &trace.s()[0]);
        self.shifted("f2", "S", trace.s(), answer);
        let k: Vec<String> = search.k().map(|k| k.to_string()).collect();
        let jumps = counted(trace.jumps().len() as u64, "jump", "jumps");
        self.story.step(format!("f3: samples k = {}, made in {jumps}", k.join(", ")));
        self.story.note(format!(
            "SA_k is S_0 to S_k combined by {}: a jump from j to k combines SA_j with itself, shifted by k - j",
            self.words.combine
        ));
        if search.amounts().first() == Some(&1) {
            self.story.note(row("SA_0 = S_0", &trace.sa()[0]));
        }
        for (jump, made) in trace.jumps() {
            let by = jump.to - jump.from;
            let why = if jump.sampled { "" } else { ", a step on the way" };
            let name = format!("SA_{} from SA_{}, shifted by {by}{why},", jump.to, jump.from);
            self.story.note(row(&name, made));
        }
        self.story.step("f4: reduce, and read the sequence");
        self.story.note(format!("f41: SAR_k is {}", self.words.reduce));
        self.story.note(row("SAR", trace.sar()));
        self.story.note(match answer.checked_sub(1) {
            Some(k) => format!(
                "f432, f433: the last 1 is that of k = {k}, so the answer is {k} + 1 = {answer}"
            ),
            None => "f432: there is no 1, so the answer is 0".to_owned(),
        });
        self.story.note(format!("the longest run is {}", map.longest()));
    }

    fn read(&mut self, label: &str, s0: &Bits) {
        let blocks = counted(s0.iter().len() as u64, "block", "blocks");
        self.story.step(format!("{label}: the state of {blocks}, {} = free", self.words.free));
        self.story.note(row("S_0", s0));
    }

    fn shifted(&mut self, label: &str, name: &str, all: &[Bits], turn: u32) {
        let ExplainWords { shift, occupied, .. } = self.words;
        self.story.step(format!(
            "{label}: {name}_0 shifted {shift}, the places vacated occupied ({occupied})"
        ));
        rows(name, all, turn as usize, self.story);
    }

    fn combined(&mut self, label: &str, [name, of, n]: [&str; 3], all: &[Bits], turn: u32) {
        let ExplainWords { free, combine, shift, .. } = self.words;
        let side = if shift == "left" { "begins" } else { "ends" };
        self.story.step(format!(
            "{label}: {name}_{n} = {name}_({n}-1) {combine} {of}_{n}; {free} where a free row of {n} + 1 {side}"
        ));
        rows(name, all, turn as usize, self.story);
    }

    /// Explains how the run length that a search reports, named `what`, follows from the last 1 in
    /// the sequence of digits `name`; `labels` names the steps. The first `ones` digits of the
    /// sequence are 1, and `sum` returns the run length, as text, for the index of the last of
    /// them.
    fn scan(&mut self, [name, labels, what]: [&str; 3], ones: u32, sum: impl Fn(u32) -> String) {
        self.story.note(match ones.checked_sub(1) {
            None => format!("{labels}: {name} has no 1, so {what} is 0"),
            Some(last) => format!(
                "{labels}: from its end backwards the first 1 is {name}_{last}, so {what} is {}",
                sum(last)
            ),
        });
    }
}
