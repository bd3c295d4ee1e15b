//! How are the searches for free runs of seed 000 (E4 to E7) written as circuits?
//!
//! The sequence SA_i has one digit for each window, a run of i + 1 blocks that is tested. Digit p
//! stands for the window that begins at block p where sequences shift to the left, and that ends
//! there where they shift to the right. The seed makes SA_i from SA_(i-1); by doublings a window of
//! w blocks is made of two of ceil(w / 2), which takes as many gates and far fewer levels of gates.

use raddle_bitmap::circuit::{Jump, Setup, Shift};
use raddle_bitmap::{Grouped, Polarity, Sampled, Shared};

use super::wires::{Body, Column, Gate, Part, Wires};

/// A border between two neighbouring slots of a search circuit that searches several maps side by
/// side. A slot is the part of the circuit for one map. No window (run of blocks that is tested)
/// may reach across the border.
#[derive(Clone, Copy, Debug)]
pub(super) struct Border {
    /// First block of the circuit's input that lies behind the border.
    pub(super) at: u32,
    /// Widths in blocks of two slots (parts of the circuit for one map each), as (widest slot that
    /// ends at the border, widest slot that begins there).
    pub(super) widest: [u32; 2],
}

/// A search circuit while its Verilog is being written: the statements so far, and the form of the
/// circuit (digit of a free block, direction of shifts, and from which shorter windows of blocks a
/// longer one is made).
#[derive(Debug)]
pub(super) struct Finder {
    pub(super) body: Body,
    pub(super) setup: Setup,
    pub(super) doublings: bool,
}

impl Finder {
    pub(super) fn new(setup: Setup, doublings: bool) -> Self {
        Self { body: Body::default(), setup, doublings }
    }

    /// Returns the kind of gate that combines two sequences of digits, digit by digit: AND where 1
    /// stands for a free block, else OR. Gates of the other kind reduce a sequence to one digit.
    pub(super) const fn combining(&self) -> Gate {
        match self.setup.polarity {
            Polarity::FreeIsOne => Gate::And,
            Polarity::FreeIsZero => Gate::Or,
        }
    }

    pub(super) const fn inverts(&self) -> bool {
        matches!(self.setup.polarity, Polarity::FreeIsZero)
    }

    /// Returns the position, in the sequence SA_i, of the digit for the window that begins at block
    /// `start`. SA_i has one digit for each window (tested run) of i + 1 blocks.
    pub(super) const fn window(&self, start: u32, i: u32) -> u32 {
        match self.setup.shift {
            Shift::Left => start,
            Shift::Right => start + i,
        }
    }

    /// Returns the position of the digit of a window (tested run of blocks) in a sequence with one
    /// digit for each window. The window begins `by` blocks behind the window whose digit is at
    /// `low`.
    const fn partner(&self, low: u32, by: u32) -> u32 {
        match self.setup.shift {
            Shift::Left => low + by,
            Shift::Right => low - by,
        }
    }

    /// Writes the sequences SA_0 to SA_(n-1) for the n blocks `first`. Digit p of SA_i tells if the
    /// window (tested run) of i + 1 blocks at p is free. A window that reaches across one of
    /// `borders` counts as occupied.
    fn windows(&mut self, name: &str, first: &Wires, borders: &[Border]) -> Vec<Wires> {
        let mut all = vec![first.clone()];
        let mut edges: Vec<Option<Wires>> = vec![None; borders.len()];
        for i in 1..first.width {
            let half = (i + 1).div_ceil(2);
            let (from, other, by) = match self.doublings {
                true => (half - 1, half - 1, i + 1 - half),
                false => (i - 1, 0, i),
            };
            let [from, other] = [from, other].map(|at| all[at as usize].clone());
            let (low, width) = (self.window(0, i), first.width - i);
            let shifted = other.part(self.partner(low, by), width);
            let mut right: Vec<Part> = Vec::new();
            let mut behind = 0;
            for (number, at) in self.masked(borders, i, first.width) {
                let edge = match &edges[number] {
                    Some(edge) if !self.doublings => edge.clone(),
                    _ => self.edge((number, i), &shifted.within(at, 1), borders.len()),
                };
                if at > behind {
                    right.push(shifted.within(behind, at - behind));
                }
                right.push(edge.whole());
                edges[number] = Some(edge);
                behind = at + 1;
            }
            if behind < width {
                right.push(shifted.within(behind, width - behind));
            }
            let (name, gate) = (format!("{name}_{i}"), self.combining());
            all.push(self.body.both((&name, low), gate, &[from.part(low, width)], &right));
        }
        all
    }

    /// Lists the borders that windows of the sequence SA_i (tested runs of i + 1 blocks) must not
    /// cross, as (number of the border, start of the window that counts as occupied there),
    /// ascending. `width` is the number of blocks of the whole circuit.
    fn masked(&self, borders: &[Border], i: u32, width: u32) -> Vec<(usize, u32)> {
        let start = |border: &Border| match (self.doublings, self.setup.shift) {
            // Halves that overlap keep apart what either of them keeps apart.
            (true, _) => {
                let half = i.div_ceil(2);
                let meets = i % 2 == 1 && half <= border.widest[0] && border.at + half <= width;
                meets.then(|| border.at - half)
            }
            (false, Shift::Left) => (i <= border.widest[0]).then(|| border.at - i),
            (false, Shift::Right) => (i <= border.widest[1]).then(|| border.at - 1),
        };
        let starts = borders.iter().enumerate();
        starts.filter_map(|(number, border)| Some((number, start(border)?))).collect()
    }

    /// Writes a gate that makes the digit `masked` (the bit of one block or window) count as
    /// occupied while the border with the number `number`, of `borders` borders between the maps
    /// searched side by side, is closed (forbids runs across it). A window of the sequence SA_i
    /// (tested run of i + 1 blocks) that is made from the digit then cannot cross the border.
    /// Returns the output of the gate.
    fn edge(&mut self, (number, i): (usize, u32), masked: &Part, borders: usize) -> Wires {
        let name = match self.doublings {
            true => format!("edge_{number}_{i}"),
            false => format!("edge_{number}"),
        };
        let control = Wires::new(self.control(), 0, borders as u32, 0);
        let (gate, masked) = (self.combining(), masked.clone());
        self.body.both((&name, 0), gate, &[masked], &[control.part(number as u32, 1)])
    }

    /// Returns the name of the input with one wire for each border between maps searched side by
    /// side: `open` where a 1 lets windows (tested runs of blocks) cross the border, `closed` where
    /// a 1 keeps them from crossing.
    pub(super) const fn control(&self) -> &'static str {
        if self.inverts() { "closed" } else { "open" }
    }

    /// Writes the sequence under test, named `to`. It has one digit for each window length, which
    /// is 1 if any window (tested run of blocks) of that length is free. Returns its wires.
    fn under_test(&mut self, to: &str, windows: &[Wires]) -> Wires {
        let mut level = 0;
        for (i, wires) in windows.iter().enumerate() {
            let to = if windows.len() == 1 { to.to_owned() } else { format!("{to}[{i}]") };
            let (gate, not) = (self.combining().other(), self.inverts());
            level = level.max(self.body.reduce(&to, gate, &[wires.whole()], not));
        }
        Wires::new(to, 0, windows.len() as u32, level)
    }

    /// Writes the Verilog of the full search, which finds free runs of every length, over the wires
    /// of a map.
    ///
    /// Returns (wires that say where a run of each length is free; the sequence under test, which
    /// has one digit for each length: 1 if a run of that length is free anywhere).
    pub(super) fn full(&mut self, map: &Wires) -> (Vec<Column>, Wires) {
        let windows = self.windows("sa", map, &[]);
        let tested = self.under_test("sar", &windows);
        let amounts = 1..=map.width;
        let columns = amounts.zip(&windows).map(|(amount, it)| Column::new(amount, it.whole()));
        (columns.collect(), tested)
    }

    /// Writes the Verilog of the grouped search over the wires of a map. It finds only runs of
    /// whole groups of blocks, and counts starts in groups.
    ///
    /// Returns (wires that say where a run of each length is free; the sequence under test, which
    /// has one digit for each length: 1 if a run of that length is free anywhere).
    pub(super) fn grouped(&mut self, map: &Wires, search: &Grouped) -> (Vec<Column>, Wires) {
        let size = search.size();
        let mut groups = Wires::new("f_0", 0, search.groups(), 0);
        self.body.declare(&groups);
        for group in 0..search.groups() {
            let to = if search.groups() == 1 { "f_0".to_owned() } else { format!("f_0[{group}]") };
            let (gate, blocks) = (self.combining(), map.part(group * size, size));
            groups.level = self.body.reduce(&to, gate, &[blocks], false);
        }
        let windows = self.windows("fa", &groups, &[]);
        let tested = self.under_test("gar", &windows);
        let amounts = (1..=search.groups()).map(|groups| groups * size);
        let columns = amounts.zip(&windows).map(|(amount, it)| Column::new(amount, it.whole()));
        (columns.collect(), tested)
    }

    /// Writes the Verilog of the sampled search, which tests certain run lengths only, over the
    /// wires of a map.
    ///
    /// Returns (wires that say where a run of each tested length is free; the sequence under test,
    /// which has one digit for each tested length: 1 if a run of that length is free anywhere).
    pub(super) fn sampled(&mut self, map: &Wires, search: &Sampled) -> (Vec<Column>, Wires) {
        let mut at = map.clone();
        let mut samples = Vec::new();
        if search.amounts().first() == Some(&1) {
            samples.push(at.clone());
        }
        for jump in Jump::all(search) {
            let (low, width) = (self.window(0, jump.to), map.width - jump.to);
            let shifted = at.part(self.partner(low, jump.to - jump.from), width);
            let (name, gate) = (format!("sa_{}", jump.to), self.combining());
            at = self.body.both((&name, low), gate, &[at.part(low, width)], &[shifted]);
            if jump.sampled {
                samples.push(at.clone());
            }
        }
        let tested = self.under_test("sar", &samples);
        let columns = search.amounts().iter().zip(&samples);
        (columns.map(|(&amount, it)| Column::new(amount, it.whole())).collect(), tested)
    }

    /// Writes the search circuit that several resources share in turn. Each slot is the part of the
    /// circuit for one resource's map.
    ///
    /// Returns for each slot, in the order of the slots' numbers, (wires that say where a run of
    /// each length is free; the sequence under test, which has one digit for each length: 1 if a
    /// run of that length is free anywhere).
    pub(super) fn shared(&mut self, state: &Wires, search: &Shared) -> Vec<(Vec<Column>, Wires)> {
        let slots = slots(search);
        let windows = self.windows("da", state, &borders(search));
        let mut levels = vec![0; slots.len()];
        let segments = segments(&slots);
        for (i, wires) in (0_u32..).zip(&windows) {
            let reduced = self.segments(i, wires, &segments);
            for (number, &(start, end)) in slots.iter().enumerate() {
                let within = segments.iter().zip(&reduced);
                let within = within.filter(|((from, to), _)| start <= *from && *to <= end);
                let parts: Vec<Part> =
                    within.filter_map(|(_, wires)| Some(wires.as_ref()?.whole())).collect();
                let to = match state.width {
                    1 => format!("dqr_{number}"),
                    _ => format!("dqr_{number}[{i}]"),
                };
                levels[number] = self.body.reduce(&to, Gate::Or, &parts, false).max(levels[number]);
            }
        }
        let columns = |start: u32, end: u32| {
            let windows = (0..end - start).zip(&windows);
            let starts = windows.map(|(i, it)| it.part(self.window(start, i), end - start - i));
            (1..).zip(starts).map(|(amount, starts)| Column::new(amount, starts)).collect()
        };
        let tested =
            |number: usize| Wires::new(format!("dqr_{number}"), 0, state.width, levels[number]);
        let all = slots.iter().enumerate();
        all.map(|(number, &(start, end))| (columns(start, end), tested(number))).collect()
    }

    /// Writes one wire for each segment, a range `from..to` of blocks. The wire is 1 if a free
    /// window of the sequence SA_i (tested run of i + 1 blocks) begins in the segment; `None` where
    /// no window can begin there.
    fn segments(&mut self, i: u32, wires: &Wires, segments: &[(u32, u32)]) -> Vec<Option<Wires>> {
        let mut reduced = Vec::with_capacity(segments.len());
        for (number, &(from, to)) in segments.iter().enumerate() {
            let low = from.max(wires.low);
            let width = to.min(wires.low + wires.width).saturating_sub(low);
            if width == 0 {
                reduced.push(None);
                continue;
            }
            let mut any = Wires::new(format!("any_{i}_{number}"), 0, 1, 0);
            self.body.declare(&any);
            let (gate, not) = (self.combining().other(), self.inverts());
            any.level = self.body.reduce(&any.name, gate, &[wires.part(low, width)], not);
            reduced.push(Some(any));
        }
        reduced
    }
}

/// Lists the slots of all periods (uses of a shared circuit) as (start, end) in blocks, ascending
/// and each once. A slot is the part of the circuit for one map; its index in the list is its
/// number.
pub(super) fn slots(search: &Shared) -> Vec<(u32, u32)> {
    let all = (0..search.periods()).flat_map(|period| search.slots(period));
    let mut all: Vec<(u32, u32)> = all.map(|slot| (slot.start(), slot.end())).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Divides the blocks at every start and end of a slot (part of a shared circuit for one map), and
/// returns the segments that lie within a slot, as (start, end).
fn segments(slots: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut cuts: Vec<u32> = slots.iter().flat_map(|&(start, end)| [start, end]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let pairs = cuts.windows(2).map(|pair| (pair[0], pair[1]));
    let within =
        |&(from, to): &(u32, u32)| slots.iter().any(|&(start, end)| start <= from && to <= end);
    pairs.filter(within).collect()
}

/// Lists, ascending, the borders at which two slots (parts of a shared circuit for one map each)
/// meet in a period (use of the circuit). Windows, the tested runs of blocks, must not cross a
/// border.
pub(super) fn borders(search: &Shared) -> Vec<Border> {
    let mut all: Vec<Border> = Vec::new();
    for period in 0..search.periods() {
        let pairs = search.slots(period).windows(2);
        for pair in pairs.filter(|pair| pair[0].end() == pair[1].start()) {
            let widths = [pair[0].width(), pair[1].width()];
            match all.iter_mut().find(|border| border.at == pair[1].start()) {
                Some(border) => {
                    border.widest = [0, 1].map(|side| border.widest[side].max(widths[side]));
                }
                None => all.push(Border { at: pair[1].start(), widest: widths }),
            }
        }
    }
    all.sort_unstable_by_key(|border| border.at);
    all
}
