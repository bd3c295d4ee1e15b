//! Does the page of weighted slices show what the rules do?
//!
//! Both tables are written by `cargo xtask bless -p raddle-timeslice`; a person reads the diff.

use std::fmt::Write as _;

use raddle_golden::slices::Exclusive;
use raddle_policy::{Tick, Ticks};
use raddle_timeslice::{SliceConfig, SliceRule};

use crate::{gpu, jain_of, ran};

const PAGE: &str = "docs/policies/weighted-slices.md";
const RULES: [SliceRule; 5] =
    [SliceRule::Claim, SliceRule::Equal, SliceRule::Mean, SliceRule::Inverse, SliceRule::MinOne];

/// Figures of a run that the page shows; times are in milliseconds.
#[derive(Default)]
struct Seen {
    longest_slice: u64,
    longest_wait: u64,
    slices: u64,
}

/// Runs a GPU from the tick `now` to `until`, and collects the page's figures; all tasks are there
/// from the start.
fn watch(gpu: &mut Exclusive, now: u64, until: u64) -> Seen {
    let (mut seen, mut ends) = (Seen::default(), vec![now; gpu.tasks().len()]);
    gpu.advance(Tick(until), &mut |stretch| {
        let last = &mut ends[stretch.id.0 as usize];
        seen.longest_slice = seen.longest_slice.max(stretch.to.since(stretch.from).0);
        seen.longest_wait = seen.longest_wait.max(stretch.from.0 - *last);
        seen.slices += 1;
        *last = stretch.to.0;
    });
    seen
}

/// Writes milliseconds as seconds of two decimals, rounded to the nearest.
fn seconds(ms: u64) -> String {
    format!("{}.{:02}", (ms + 5) / 1000, (ms + 5) % 1000 / 10)
}

/// Writes a number with commas between groups of three digits: 12345 as 12,345.
fn grouped(count: u64) -> String {
    match count / 1000 {
        0 => count.to_string(),
        thousands => format!("{},{:03}", grouped(thousands), count % 1000),
    }
}

#[test]
fn what_each_rule_does_to_shares() {
    let mut table = String::from(
        "| rule | Jain of run time | shares, % | longest slice, s | longest wait, s | slices |\n\
         |---|---|---|---|---|---|\n",
    );
    let rows = RULES.iter().map(|&rule| (rule, None));
    for (rule, longest) in
        rows.chain([(SliceRule::MinOne, Some(400)), (SliceRule::MinOne, Some(100))])
    {
        let settings = SliceConfig::new(Ticks(40), 4, rule).with_longest(longest.map(Ticks));
        let old = [300_000, 150_000, 60_000, 3_000].map(|ran| (0, ran));
        let mut gpu = gpu(&settings, 600_000, &old);
        let seen = watch(&mut gpu, 600_000, 600_000 + 3_600_000);
        let ran = ran(&gpu);
        let all: u64 = ran.iter().sum();
        let share = |ran: &u64| format!("{:.1}", *ran as f64 * 100.0 / all as f64);
        let shares: Vec<String> = ran.iter().map(share).collect();
        let within = longest.map_or_else(String::new, |ms| format!(", none over 0.{} s", ms / 100));
        writeln!(
            table,
            "| `{}`{within} | {:.4} | {} | {} | {} | {} |",
            rule.name(),
            jain_of(&ran),
            shares.join(", "),
            seconds(seen.longest_slice),
            seconds(seen.longest_wait),
            grouped(seen.slices),
        )
        .unwrap();
    }
    raddle_testkit::page_holds(PAGE, "shares", &table);
}

#[test]
fn what_a_newcomer_gets() {
    let mut table = String::from(
        "| rule | newcomer's share, % | longest wait, s | slices |\n|---|---|---|---|\n",
    );
    let (now, end) = (3_600_000, 4_200_000);
    for rule in RULES {
        let old = (0, 600_000);
        let tasks = [old, old, old, (now - 10_000, 0)];
        let settings = SliceConfig::new(Ticks(40), 4, rule);
        let seen = watch(&mut gpu(&settings, now, &tasks), now, end);
        // The newcomer's share in the last fifth comes from the same run, stopped there.
        let mut again = gpu(&settings, now, &tasks);
        again.advance(Tick(end - 120_000), &mut |_| {});
        let before = ran(&again)[3];
        again.advance(Tick(end), &mut |_| {});
        writeln!(
            table,
            "| `{}` | {:.1} | {} | {} |",
            rule.name(),
            (ran(&again)[3] - before) as f64 * 100.0 / 120_000.0,
            seconds(seen.longest_wait),
            grouped(seen.slices),
        )
        .unwrap();
    }
    raddle_testkit::page_holds(PAGE, "newcomer", &table);
}
