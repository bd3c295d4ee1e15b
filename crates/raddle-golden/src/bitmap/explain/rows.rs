//! Which of many sequences of digits does an explanation show, and how are they lined up?

use raddle_bitmap::circuit::Bits;

use crate::explanation::Story;

/// Most digits of a sequence that an explanation writes on one line.
pub(super) const WIDEST: usize = 128;
/// Largest number of sequences of digits that an explanation shows completely; of more, it shows
/// some.
const ALL: usize = 10;

/// Adds sequences of digits to the explanation, one a line, as `S_3  01110000`. Of more than ten it
/// shows only the first three, those with the indices from `turn` - 1 to `turn` + 1, and the last.
/// Sequences that are too wide for a line are only counted.
pub(super) fn rows(name: &str, sequences: &[Bits], turn: usize, story: &mut Story) {
    let (count, width) = (sequences.len(), sequences.first().map_or(0, |it| it.iter().len()));
    if width > WIDEST {
        story.note(format!("{count} sequences of {width} digits; up to {WIDEST} are shown"));
        return;
    }
    let last = count.saturating_sub(1);
    let shown = |n: &usize| {
        last < ALL || *n < 3 || *n == last || (*n + 1 >= turn && *n <= turn.saturating_add(1))
    };
    let label = name.len() + 1 + last.to_string().len();
    let mut expected = 0;
    for n in (0..count).filter(shown) {
        if n > expected {
            story.note("...");
        }
        expected = n + 1;
        story.note(format!("{:label$}  {}", format!("{name}_{n}"), sequences[n]));
    }
}

/// Formats a sequence of digits with its name as one line, or states its length if it is too wide.
pub(super) fn row(name: &str, sequence: &Bits) -> String {
    if sequence.iter().len() > WIDEST {
        return format!("{name} has {} digits", sequence.iter().len());
    }
    format!("{name} = {sequence}")
}
