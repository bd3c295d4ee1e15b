//! Which of many sequences are worth showing, and how are they lined up?

use raddle_bitmap::circuit::Bits;

/// Digits that still stand on one line.
pub(super) const WIDEST: usize = 128;
/// The most sequences that are all shown.
const ALL: usize = 10;

/// One line a sequence, `S_3  01110000`. Of many, the first ones, those around `turn`, and the
/// last; nothing of those too wide for a line.
pub(super) fn rows(name: &str, sequences: &[Bits], turn: usize) -> Vec<String> {
    let width = sequences.first().map_or(0, Bits::len);
    if width > WIDEST {
        return vec![too_wide(sequences.len(), width)];
    }
    let last = sequences.len().saturating_sub(1);
    let shown = |n: &usize| {
        last < ALL || *n < 3 || *n == last || (*n + 1 >= turn && *n <= turn.saturating_add(1))
    };
    let label = name.len() + 1 + last.to_string().len();
    let mut lines = Vec::new();
    let mut expected = 0;
    for n in (0..sequences.len()).filter(shown) {
        if n > expected {
            lines.push("...".to_owned());
        }
        expected = n + 1;
        lines.push(format!("{:label$}  {}", format!("{name}_{n}"), sequences[n]));
    }
    lines
}

/// One line for a sequence, or that it is too wide for one.
pub(super) fn row(name: &str, sequence: &Bits) -> String {
    if sequence.len() > WIDEST {
        return format!("{name} has {} digits", sequence.len());
    }
    format!("{name} = {sequence}")
}

fn too_wide(sequences: usize, width: usize) -> String {
    format!("{sequences} sequences of {width} digits; up to {WIDEST} are shown")
}
