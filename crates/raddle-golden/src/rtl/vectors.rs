//! How are the lines made that a test bench of a search circuit reads: random maps and requests,
//! with the answers of `raddle-bitmap`?

use std::io::{self, Write};

use raddle_bitmap::{FreeMap, Full, Kind, Need, Polarity, Search, Shared};

use super::draw::{Draw, write_lines};
use super::finder::{borders, slots};
use super::{RtlSearch, RtlSpec};

/// Writes `lines` lines of inputs and expected outputs for the test bench of a search, with random
/// numbers from the seed `seed`; returns an error where they cannot be made or written.
pub(super) fn of_search(
    spec: &RtlSpec,
    lines: u64,
    seed: u64,
    to: &mut dyn Write,
) -> io::Result<()> {
    write_lines(lines, seed, to, |draw| match &spec.search {
        RtlSearch::Full(blocks) => alone(spec, &Full, *blocks, *blocks, draw),
        RtlSearch::Grouped(search) => alone(spec, search, search.blocks(), search.groups(), draw),
        RtlSearch::Sampled(search) => {
            alone(spec, search, search.blocks(), search.amounts().len() as u32, draw)
        }
        RtlSearch::Shared(search) => in_turn(spec, search, draw),
    })
}

/// Returns binary digits, the lowest first, as a hexadecimal number.
pub(super) fn hex(digits: &[bool]) -> String {
    let nibble = |four: &[bool]| {
        let value = four.iter().rev().fold(0, |value, &digit| value * 2 + u32::from(digit));
        char::from_digit(value, 16).unwrap_or('0')
    };
    let chunks: Vec<&[bool]> = digits.chunks(4).collect();
    chunks.into_iter().rev().map(nibble).collect()
}

fn free_map(free: &[bool]) -> Result<FreeMap, raddle_bitmap::Error> {
    let digits: String = free.iter().map(|&free| if free { '1' } else { '0' }).collect();
    FreeMap::from_digits(&digits, Polarity::FreeIsOne)
}

fn with_polarity(spec: &RtlSpec, free: &[bool]) -> String {
    let digits: Vec<bool> = free.iter().map(|&free| spec.setup.polarity.digit(free)).collect();
    hex(&digits)
}

/// Returns the expected sequence under test (one digit for each length of a run: 1 if such a run is
/// free) of `places` digits, of which the first `many` are 1, as a hexadecimal number.
fn ones(many: u32, places: u32) -> String {
    hex(&(0..places).map(|place| place < many).collect::<Vec<bool>>())
}

/// Returns the expected start for a request of `want` blocks, counted in the search's cells (blocks
/// or groups of blocks); `None` where the request does not fit.
fn answer(
    search: &dyn Search,
    free: &[bool],
    want: u32,
) -> Result<Option<u32>, raddle_bitmap::Error> {
    let Some(Need { cell, run }) = search.need(want) else { return Ok(None) };
    let cells: Vec<bool> =
        free.chunks(cell as usize).map(|cell| cell.iter().all(|&it| it)).collect();
    Ok(free_map(&cells)?.first_fit(run).map(|plan| plan.start()))
}

/// Returns the text of the expected outputs `longest`, `fits` (0 where `start` is `None`) and
/// `start`, with spaces between them.
fn read(longest: u32, start: Option<u32>) -> String {
    format!("{longest:x} {:x} {:x}", u8::from(start.is_some()), start.unwrap_or(0))
}

/// Returns a line of inputs and expected outputs for a search that has a map of `blocks` blocks to
/// itself. Its sequence under test (one digit for each length of a run: 1 if such a run is free)
/// has `digits` digits. Returns an error where the search does not suit the map.
fn alone(
    spec: &RtlSpec,
    search: &dyn Search,
    blocks: u32,
    digits: u32,
    draw: &mut Draw,
) -> Result<String, raddle_bitmap::Error> {
    let free = draw.map(blocks);
    let longest = search.longest(free_map(&free)?.view())?;
    let tested = match &spec.search {
        RtlSearch::Grouped(search) => longest / search.size(),
        RtlSearch::Sampled(search) => {
            search.amounts().iter().filter(|&&amount| amount <= longest).count() as u32
        }
        _ => longest,
    };
    let (map, tested) = (with_polarity(spec, &free), ones(tested, digits));
    if !spec.read_out {
        return Ok(format!("{map} {tested}"));
    }
    let want = draw.want(longest, blocks);
    let start = answer(search, &free, want)?;
    Ok(format!("{map} {want:x} {tested} {}", read(longest, start)))
}

/// Returns a line of inputs and expected outputs for one use of a circuit that searches several
/// maps in turn; returns an error where the search does not suit the maps.
fn in_turn(
    spec: &RtlSpec,
    search: &Shared,
    draw: &mut Draw,
) -> Result<String, raddle_bitmap::Error> {
    let period = search.slots(draw.below(search.periods() as u32) as usize);
    let mut state = vec![false; search.width() as usize];
    let mut maps = Vec::new();
    for slot in period {
        let Kind { blocks, .. } = slot.kind();
        let free = draw.map(blocks);
        state[slot.start() as usize..][..blocks as usize].copy_from_slice(&free);
        maps.push(free);
    }
    let holds = |at: u32| period.windows(2).any(|two| two[0].end() == at && two[1].start() == at);
    let open: Vec<bool> =
        borders(search).iter().map(|border| spec.setup.polarity.digit(!holds(border.at))).collect();
    let mut inputs = with_polarity(spec, &state);
    if !open.is_empty() {
        inputs += &format!(" {}", hex(&open));
    }
    let (mut outputs, mut active) = (String::new(), Vec::new());
    for (start, end) in slots(search) {
        let at = period.iter().position(|slot| (slot.start(), slot.end()) == (start, end));
        let free = at.map_or(&[false][..], |at| &maps[at]);
        let longest = free_map(free)?.longest();
        outputs += &format!(" {}", ones(longest, search.width()));
        if spec.read_out {
            let want = draw.want(longest, end - start);
            inputs += &format!(" {want:x}");
            outputs += &format!(" {}", read(longest, answer(&Full, free, want)?));
        }
        active.push(at.is_some());
    }
    Ok(format!("{inputs}{outputs} {}", hex(&active)))
}
