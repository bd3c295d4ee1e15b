//! What does each method report, at a glance? One table a method; ties and borders everywhere.

use std::fmt::Write;

use raddle_bitmap::{FreeMap, Full, Grouped, Kind, Layout, Sampled, Search, Shared};

use crate::map;

/// Maps with runs of every length, at the borders of groups and across them.
const MAPS: [&str; 12] = [
    "0000000000000000",
    "1111111111111111",
    "0111111011110000",
    "1110111111110111",
    "0001111111000000",
    "0111011101110111",
    "1111000011111111",
    "0111110111000000",
    "1101101101101101",
    "1010101010101010",
    "0000000000000001",
    "0111111111111110",
];

fn starts(map: &FreeMap, longest: u32) -> String {
    let runs = map.runs().filter(|&(_, len)| len == longest);
    let starts: Vec<String> = runs.map(|(start, _)| start.to_string()).collect();
    if starts.is_empty() { "-".to_owned() } else { starts.join(" ") }
}

fn table(heads: &[&str], row: impl Fn(&FreeMap) -> Vec<String>) -> String {
    let mut table = format!("{:16}", "map");
    heads.iter().for_each(|head| write!(table, "  {head:>6}").unwrap());
    for digits in MAPS {
        write!(table, "\n{digits}").unwrap();
        row(&map(digits)).iter().for_each(|cell| write!(table, "  {cell:>6}").unwrap());
    }
    table
}

fn reported(search: &dyn Search, map: &FreeMap) -> String {
    search.longest(map.view()).unwrap().to_string()
}

#[test]
fn full() {
    let fit = |plan: Option<raddle_bitmap::RunPlan>| {
        plan.map_or_else(|| "-".to_owned(), |plan| plan.start().to_string())
    };
    let heads = ["full", "first3", "best3", "worst3", "free", "runs", "lost", "starts"];
    let table = table(&heads, |map| {
        let longest = Full.longest(map.view()).unwrap();
        let lies = map.fragmentation();
        let mut row = vec![longest.to_string()];
        row.extend([map.first_fit(3), map.best_fit(3), map.worst_fit(3)].map(fit));
        row.extend([lies.free(), lies.runs()].map(|count| count.to_string()));
        row.push(format!("{}%", (lies.free() - lies.longest()) * 100 / lies.free().max(1)));
        row.push(starts(map, longest));
        row
    });
    insta::assert_snapshot!("full", table);
}

#[test]
fn grouped() {
    let searches = [8, 4, 2, 1].map(|groups| Grouped::new(16, groups).unwrap());
    let table = table(&["exact", "Z=8", "Z=4", "Z=2", "Z=1"], |map| {
        let exact = map.longest().to_string();
        [exact].into_iter().chain(searches.iter().map(|it| reported(it, map))).collect()
    });
    insta::assert_snapshot!("grouped", table);
}

#[test]
fn sampled() {
    let searches = [
        Sampled::steps(16),
        Sampled::new(16, &[0, 1, 3, 5, 7, 11, 15]),
        Sampled::without_primes(16),
        Sampled::new(16, &[2, 4, 8]),
    ];
    let searches = searches.map(Result::unwrap);
    let table = table(&["exact", "steps", "K16", "prime", "2 4 8"], |map| {
        let exact = map.longest().to_string();
        [exact].into_iter().chain(searches.iter().map(|it| reported(it, map))).collect()
    });
    insta::assert_snapshot!("sampled", table);
}

/// Writes the table for a shared finder that searches the whole map first, and then its two halves
/// together.
#[test]
fn shared() {
    let kind = |id, blocks| Kind { id, blocks };
    let periods = [vec![kind(0, 16)], vec![kind(1, 8), kind(2, 8)]];
    let search = Shared::new(16, 16, &periods, &Layout::Packed).unwrap();
    let table = table(&["whole", "left", "right"], |whole| {
        let digits = crate::digits(whole);
        let maps = [whole.clone(), map(&digits[..8]), map(&digits[8..])];
        let found = search.round(|kind| maps[kind.id as usize].view()).unwrap();
        found.iter().map(|found| found.longest().to_string()).collect()
    });
    insta::assert_snapshot!("shared", table);
}
