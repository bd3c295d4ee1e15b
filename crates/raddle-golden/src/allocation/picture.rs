//! How are the free and held blocks of a compute unit drawn as a line of text?

use super::starts::{Held, runs};

/// Most characters of the picture of a resource's blocks.
const WIDE: u64 = 64;

/// Draws which blocks of a resource are free (`.`) or held (`#`), under the title `label`. A
/// character that stands for several blocks, free and held ones, is `+`. Below are the characters
/// of `marks`, each at its block (left out for `None`), and the list of free runs.
pub(super) fn picture(
    held: &mut Held,
    blocks: u64,
    label: &str,
    marks: &[(char, Option<u64>)],
) -> String {
    let free = runs(held, blocks);
    let each = blocks.div_ceil(WIDE).max(1);
    let cells = blocks.div_ceil(each);
    let cell = |at: u64| {
        let (from, to) = (at * each, ((at + 1) * each).min(blocks));
        let inside =
            free.iter().map(|&(start, len)| (start + len).min(to).saturating_sub(start.max(from)));
        match inside.sum::<u64>() {
            0 => '#',
            all if all == to - from => '.',
            _ => '+',
        }
    };
    let map: String = (0..cells).map(cell).collect();
    let mut below = vec![' '; cells as usize];
    for &(mark, at) in marks {
        let place = at.map(|at| (at / each) as usize);
        if let Some(below) = place.and_then(|at| below.get_mut(at)) {
            *below = if *below == ' ' { mark } else { '*' };
        }
    }
    let below: String = below.into_iter().collect();
    let listed: Vec<String> = free
        .iter()
        .take(12)
        .map(|&(start, len)| format!("{start}..{} ({len})", start + len))
        .collect();
    let more = if free.len() > 12 { ", .." } else { "" };
    let listed = if listed.is_empty() { "nothing".to_owned() } else { listed.join(", ") };
    format!("{label}, {each} a character\n{map}\n{}\nfree: {listed}{more}", below.trim_end())
}
