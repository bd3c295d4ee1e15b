//! How does a search circuit output the longest free run, whether a request fits, and the lowest
//! start for it?
//!
//! The request is decoded to one wire for each amount that the search tests, which picks the digits
//! of that amount (seed 000, a43: the ones of SA_(m-1) are the places where m free blocks start). A
//! tree of gates finds the lowest 1 among them. Picking takes about as many gates as the search.

use std::collections::BTreeMap;

use super::finder::Finder;
use super::wires::{Column, Gate, Part, Wires, range};

/// Returns the number of binary digits that a number from 0 to `most` needs, at least 1.
pub(super) fn digits(most: u32) -> u32 {
    (u32::BITS - most.leading_zeros()).max(1)
}

/// Returns the widths in wires of two outputs of a search circuit: (`longest`, the length of the
/// longest free run; `start`, the lowest start of a run).
pub(super) fn widths(columns: &[Column]) -> [u32; 2] {
    let longest = columns.last().map_or(0, |column| column.amount);
    let places = columns.first().map_or(0, |column| column.starts.width());
    [digits(longest), digits(places.saturating_sub(1))]
}

impl Finder {
    /// Writes three outputs of a search circuit: `longest` (length of the longest free run), `fits`
    /// (1 if a request fits) and `start` (its lowest start). The input `want` is the request in
    /// blocks, up to `most`. All four names end in `suffix`.
    ///
    /// `columns` are the run lengths that the search tests. `tested`, the sequence under test, has
    /// one digit for each of them: 1 if such a run is free.
    pub(super) fn read_out(&mut self, columns: &[Column], tested: &Wires, most: u32, suffix: &str) {
        let asked = self.asked(columns, most, suffix);
        self.body.line(format_args!("wire {}pick{suffix};", range(0, columns.len() as u32)));
        let mut picks = Wires::new(format!("pick{suffix}"), 0, columns.len() as u32, 0);
        let mut least = 1;
        for (at, column) in (0..).zip(columns) {
            let to = picks.part(at, 1).to_string();
            let lines = asked.part(least, column.amount + 1 - least);
            picks.level = self.body.reduce(&to, Gate::Or, &[lines], false).max(picks.level);
            least = column.amount + 1;
        }
        self.longest(columns, tested, suffix);
        let met = self.start(columns, &picks, tested, suffix);
        // A wish of nothing fits.
        let all = [asked.part(0, 1), met.whole()];
        self.body.reduce(&format!("fits{suffix}"), Gate::Or, &all, false);
    }

    /// Writes the decoder of a request, a number from 0 to `most`. It has one wire for each number
    /// up to the largest amount of `columns`, and only the wire of the requested number is 1. Names
    /// of wires end in `suffix`.
    fn asked(&mut self, columns: &[Column], most: u32, suffix: &str) -> Wires {
        let (want, wide) = (format!("want{suffix}"), digits(most));
        let largest = columns.last().map_or(0, |column| column.amount);
        let wish = Wires::new(&*want, 0, wide, 0);
        let not = Wires::new(format!("not_{want}"), 0, wide, 0);
        self.body.line(format_args!("wire {}{} = ~{want};", range(0, wide), not.name));
        self.body.gates.inverters += u64::from(wide);
        let mut asked = not.part(wide - 1, 1);
        let mut lines = (largest >> (wide - 1)) + 1;
        let mut made = Wires::new(format!("asked_1{suffix}"), 0, lines, 0);
        let first = if lines == 1 { vec![asked] } else { vec![asked, wish.part(wide - 1, 1)] };
        let text = super::wires::joined(&first);
        self.body.line(format_args!("wire {}{} = {text};", range(0, lines), made.name));
        for digit in 2..=wide {
            lines = (largest >> (wide - digit)) + 1;
            let next = Wires::new(format!("asked_{digit}{suffix}"), 0, lines, made.level + 1);
            self.body.declare(&next);
            for line in 0..lines {
                let own = if line % 2 == 1 { &wish } else { &not };
                asked = own.part(wide - digit, 1);
                let (to, above) = (next.part(line, 1), made.part(line / 2, 1));
                self.body.line(format_args!("assign {to} = {above} & {asked};"));
                self.body.count(Gate::And, 1, next.level);
            }
            made = next;
        }
        made
    }

    /// Writes the output `longest` in binary: the largest amount of `columns` of which a run is
    /// free. `tested`, the sequence under test, has a 1 for each amount with a free run. Names of
    /// wires end in `suffix`.
    fn longest(&mut self, columns: &[Column], tested: &Wires, suffix: &str) {
        let many = columns.len() as u32;
        let last = Wires::new(format!("last{suffix}"), 0, many, tested.level + 1);
        self.body.declare(&last);
        let (top, end) = (last.part(many - 1, 1), tested.part(many - 1, 1));
        self.body.line(format_args!("assign {top} = {end};"));
        if many > 1 {
            let (low, next) = (tested.part(0, many - 1), tested.part(1, many - 1));
            let to = last.part(0, many - 1);
            self.body.line(format_args!("assign {to} = {low} & ~{next};"));
            self.body.gates.inverters += u64::from(many - 1);
            self.body.count(Gate::And, many - 1, last.level);
        }
        let wide = digits(columns.last().map_or(0, |column| column.amount));
        let longest = Wires::new(format!("longest{suffix}"), 0, wide, 0);
        let mut made: BTreeMap<String, Part> = BTreeMap::new();
        for digit in 0..wide {
            let with = (0..).zip(columns).filter(|(_, it)| it.amount >> digit & 1 == 1);
            let parts = with.map(|(at, _)| last.part(at, 1)).collect();
            let value = self.any(parts, &mut made, suffix);
            let value = value.map_or_else(|| "1'b0".to_owned(), |value| value.to_string());
            self.body.line(format_args!("assign {} = {value};", longest.part(digit, 1)));
        }
    }

    /// Writes a tree of OR gates over the wires `parts` and returns its output, `None` for no
    /// wires. Equal gates are written only once; `made` has those written so far. Names of wires
    /// end in `suffix`.
    fn any(
        &mut self,
        mut parts: Vec<Part>,
        made: &mut BTreeMap<String, Part>,
        suffix: &str,
    ) -> Option<Part> {
        while parts.len() > 1 {
            let mut next = Vec::with_capacity(parts.len().div_ceil(2));
            for pair in parts.chunks(2) {
                let [low, high] = pair else {
                    next.extend(pair.iter().cloned());
                    continue;
                };
                let value = format!("{low} | {high}");
                if let Some(known) = made.get(&value) {
                    next.push(known.clone());
                    continue;
                }
                let level = low.level().max(high.level()) + 1;
                let gate = Wires::new(format!("or_{}{suffix}", made.len()), 0, 1, level);
                self.body.line(format_args!("wire {} = {value};", gate.name));
                self.body.count(Gate::Or, 1, level);
                made.insert(value, gate.whole());
                next.push(gate.whole());
            }
            parts = next;
        }
        parts.pop()
    }

    /// Writes the output `start`: the lowest start of a free run of the amount whose wire in
    /// `picks` is 1; 0 where there is no such run. Returns the wire that is 1 where there is one.
    /// Names of wires end in `suffix`.
    fn start(&mut self, columns: &[Column], picks: &Wires, tested: &Wires, suffix: &str) -> Wires {
        let to = format!("start{suffix}");
        let places = columns.first().map_or(0, |column| column.starts.width());
        if places <= 1 {
            self.body.line(format_args!("assign {to} = 1'b0;"));
            let name = (&*format!("met{suffix}"), 0);
            return self.body.both(name, Gate::And, &[picks.part(0, 1)], &[tested.part(0, 1)]);
        }
        let not = if self.inverts() { "~" } else { "" };
        self.body.gates.inverters += if self.inverts() { u64::from(picks.width) } else { 0 };
        let mut picked: Vec<Wires> = Vec::with_capacity(columns.len());
        for (at, Column { amount, starts }) in (0..).zip(columns) {
            let (width, gate, pick) = (starts.width(), self.combining(), picks.part(at, 1));
            let level = starts.level().max(picks.level) + 1;
            let wires = Wires::new(format!("of_{amount}{suffix}"), 0, width, level);
            self.body.line(format_args!(
                "wire {}{} = {{{width}{{{not}{pick}}}}} {} {starts};",
                range(0, width),
                wires.name,
                gate.sign()
            ));
            self.body.count(gate, width, level);
            picked.push(wires);
        }
        let mut hits = self.merged(picked, suffix);
        if self.inverts() {
            let name = format!("hits{suffix}");
            self.body.line(format_args!("wire {}{name} = ~{};", range(0, places), hits.name));
            self.body.gates.inverters += u64::from(places);
            hits.name = name;
        }
        let found = self.lowest(&hits.whole(), suffix, 0);
        self.body.line(format_args!("assign {to} = {};", found.at.unwrap_or_default()));
        Wires::new(found.any, 0, 1, found.level)
    }

    /// Writes gates that merge the sequences `picked`, one for each amount, into one sequence with
    /// a digit for each start, and returns it. `picked` begins with the smallest amount, which has
    /// the most starts.
    fn merged(&mut self, mut picked: Vec<Wires>, suffix: &str) -> Wires {
        let gate = self.combining().other();
        let mut made = 0;
        while picked.len() > 1 {
            let mut next = Vec::with_capacity(picked.len().div_ceil(2));
            for pair in picked.chunks(2) {
                let [wide, narrow] = pair else {
                    next.extend(pair.iter().cloned());
                    continue;
                };
                let (name, sign) = (format!("merged_{made}{suffix}"), gate.sign());
                made += 1;
                let level = wide.level.max(narrow.level) + 1;
                let both = format!("{} {sign} {}", wide.part(0, narrow.width), narrow.name);
                let value = match wide.width - narrow.width {
                    0 => both,
                    rest => format!("{{{}, {both}}}", wide.part(narrow.width, rest)),
                };
                self.body.line(format_args!("wire {}{name} = {value};", range(0, wide.width)));
                self.body.count(gate, narrow.width, level);
                next.push(Wires::new(name, 0, wide.width, level));
            }
            picked = next;
        }
        // The caller has at least one column.
        picked.pop().unwrap_or_else(|| Wires::new("1'b0", 0, 1, 0))
    }

    /// Writes the search for the lowest 1 in the wires `hits`: a wire that is 1 where there is a 1,
    /// and the index of the lowest 1 in binary. `from` is the index of the first of the wires; it
    /// becomes a part of the names, which end in `suffix`.
    fn lowest(&mut self, hits: &Part, suffix: &str, from: u32) -> Lowest {
        let width = hits.width();
        if width == 1 {
            return Lowest { any: hits.to_string(), at: None, digits: 0, level: hits.level() };
        }
        let half = 1 << (digits(width - 1) - 1);
        let low = self.lowest(&hits.within(0, half), suffix, from);
        let high = self.lowest(&hits.within(half, width - half), suffix, from + half);
        let name = format!("{from}_{width}{suffix}");
        let level = low.level.max(high.level) + 1;
        self.body.line(format_args!("wire none_{name} = ~{};", low.any));
        self.body.gates.inverters += 1;
        self.body.line(format_args!("wire any_{name} = {} | {};", low.any, high.any));
        self.body.count(Gate::Or, 1, level);
        let mut value = format!("{} & none_{name}", high.any);
        self.body.count(Gate::And, 1, level);
        if let Some(low) = &low.at {
            let shared = high.digits;
            let rest = digits(half - 1) - shared;
            let mut lower = low.clone();
            if let Some(high) = &high.at {
                let own = if rest == 0 { low.clone() } else { format!("{low}[{}:0]", shared - 1) };
                let own = if shared == 1 && rest > 0 { format!("{low}[0]") } else { own };
                lower = format!("{own} | ({{{shared}{{none_{name}}}}} & {high})");
                self.body.count(Gate::And, shared, level);
                self.body.count(Gate::Or, shared, level + 1);
                if rest > 0 {
                    let (top, end) = (shared + rest - 1, shared);
                    let above = if rest == 1 {
                        format!("{low}[{end}]")
                    } else {
                        format!("{low}[{top}:{end}]")
                    };
                    lower = format!("{above}, {lower}");
                }
            }
            value = format!("{{{value}, {lower}}}");
        }
        let wide = digits(width - 1);
        self.body.line(format_args!("wire {}at_{name} = {value};", range(0, wide)));
        Lowest {
            any: format!("any_{name}"),
            at: Some(format!("at_{name}")),
            digits: wide,
            level: level + 1,
        }
    }
}

/// Result of the search for the lowest 1 among some wires, as names of wires.
struct Lowest {
    /// Name of the wire that is 1 if any of the searched wires is 1.
    any: String,
    /// Wires with the index of the lowest 1, in binary; `None` where there is only a single wire to
    /// search.
    at: Option<String>,
    digits: u32,
    level: u32,
}
