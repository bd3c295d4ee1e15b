//! What does each part decide, at a glance? Ties and borders everywhere: each table changes when a
//! comparison is off by one.

use std::fmt::Write;

use raddle_workgroup::balance::{Kind, Pointer, Table};
use raddle_workgroup::order::{Lowest, Marks, Order, Windows};
use raddle_workgroup::place::{History, LeastPower, Mix, MostFree, Weights};
use raddle_workgroup::split::{Failures, Outcome, Step};

fn list(values: impl IntoIterator<Item = impl ToString>) -> String {
    let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    if values.is_empty() { "-".to_owned() } else { values.join(" ") }
}

#[test]
fn windows() {
    let windows = Windows::new(&[3, 2, 1]).unwrap();
    let mut table = String::from("now  order  best of {1, 2}  tied of levels 1 0 1 2\n");
    for now in 0..8 {
        let mut tied = Vec::new();
        let best = windows.best([(0, 1), (1, 2)], now, &mut tied).unwrap();
        let heads = [(0, 1), (1, 0), (2, 1), (3, 2)];
        windows.best(heads, now, &mut tied).unwrap();
        let (order, best) = (list(windows.order(now)), list(best));
        writeln!(table, "{now:>3}  {order}  {best:<14}  {}", list(tied)).unwrap();
    }
    insta::assert_snapshot!("windows", table);
}

#[test]
fn marks() {
    let mut marks = Marks::new(2, 4).unwrap();
    let mut table = String::from("level  tied   chosen  marks 0  marks 1\n");
    for (level, tied) in [
        (0, &[1, 2][..]),
        (0, &[2]),
        (0, &[1, 2]),
        (0, &[0, 1, 2]),
        (0, &[0, 1, 2]),
        (1, &[0, 1, 2]),
        (0, &[1, 2]),
        (0, &[0, 3]),
        (0, &[0, 3]),
        (1, &[0, 1]),
        (1, &[0, 1]),
        (0, &[]),
    ] {
        let chosen = list(marks.choose(level, tied, &mut Lowest).unwrap());
        let [zero, one] = [0, 1].map(|level| list(marks.of_level(level)));
        writeln!(table, "{level:>5}  {:<5}  {chosen:<6}  {zero:<7}  {one}", list(tied)).unwrap();
    }
    insta::assert_snapshot!("marks", table);
}

#[test]
fn split() {
    let mut table = String::from("threshold  outcomes    counted      steps\n");
    for outcomes in ["ffffffffff", "ffsfffffff", "fffsffffsf"] {
        for threshold in [0, 1, 3, 9] {
            let mut failures = Failures::new(threshold);
            let rounds = outcomes.chars().map(|round| match round {
                'f' => failures.round(Outcome::Fail),
                _ => failures.round(Outcome::Fit),
            });
            let (counts, steps): (Vec<String>, String) = rounds
                .map(|(count, step)| {
                    let letter = match step {
                        Step::Retry => 'r',
                        Step::Split => 'S',
                        Step::Dispatch => 'd',
                    };
                    (format!("{count:x}"), letter)
                })
                .unzip();
            writeln!(table, "{threshold:>9}  {outcomes}  {}   {steps}", counts.concat()).unwrap();
        }
    }
    insta::assert_snapshot!("split", table);
}

#[test]
fn balance() {
    let table = Table::new(3, 3).unwrap();
    let mut text =
        String::from("waves  tail turned, target, at, totals  head turned, target, at, totals\n");
    let kinds = [Kind::Tail, Kind::Head];
    let mut pointers = kinds.map(|kind| Pointer::new(table, kind, 0).unwrap());
    let mut totals = [[0; 3]; 2];
    for waves in [1, 1, 2, 3, 4, 5, 9, 8, 7, 2, 2, 1] {
        write!(text, "{waves:>5}").unwrap();
        for (pointer, totals) in pointers.iter_mut().zip(&mut totals) {
            let (turn, target) = (pointer.turn(), pointer.target(waves).unwrap());
            let entries: Vec<u64> = target.entries().collect();
            pointer.dispatch(target).unwrap();
            totals.iter_mut().zip(&entries).for_each(|(total, entry)| *total += entry);
            let (at, totals) = (pointer.at(), list(*totals));
            let cell = format!("{turn}  {}  {at}  {totals}", list(entries));
            write!(text, "  {cell:<31}").unwrap();
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    insta::assert_snapshot!("balance", text);
}

#[test]
fn place() {
    let rules = [[1, 1], [1, 2], [3, 1]].map(|each| Weights::new(&each).unwrap());
    let shares = [(1, 1), (1, 2), (3, 1)].map(|(a, b)| Mix::new(a, b).unwrap());
    let mut text = String::from(
        "weights, shares  rows               scores       most  least  mix (reversed)\n",
    );
    for rows in [
        [[1, 1], [2, 0], [0, 2], [1, 1]],
        [[2, 1], [1, 2], [0, 0], [3, 0]],
        [[0, 0], [0, 0], [1, 0], [1, 0]],
        [[4, 4], [4, 4], [2, 2], [4, 4]],
    ] {
        for (weights, mix) in rules.iter().zip(&shares) {
            let scores = rows.map(|row| weights.score(&row).unwrap());
            let reversed: Vec<u64> = scores.iter().rev().copied().collect();
            let picks = [
                MostFree::new(weights.clone()).pick(rows),
                LeastPower::new(weights.clone()).pick(rows),
                mix.pick(&scores, &scores),
                mix.pick(&scores, &reversed),
            ];
            let [most, least, same, mixed] = picks.map(|pick| list(pick.unwrap()));
            let each = list(weights.as_slice());
            let rows = list(rows.map(|row| list(row).replace(' ', ":")));
            let scores = list(scores);
            writeln!(
                text,
                "{each:<15}  {rows:<17}  {scores:<11}  {most:<4}  {least:<5}  {same} ({mixed})"
            )
            .unwrap();
        }
    }
    insta::assert_snapshot!("place", text);
}

#[test]
fn history() {
    let mut history = History::new(3, 2).unwrap();
    let mut text = String::from("cycle  issued  counted before it\n");
    for (cycle, issued) in [
        (0, [1, 0]),
        (0, [1, 1]),
        (1, [0, 0]),
        (2, [4, 0]),
        (3, [0, 8]),
        (4, [0, 0]),
        (5, [1, 1]),
        (6, [0, 0]),
        (8, [2, 0]),
        (9, [0, 0]),
        (11, [0, 0]),
        (12, [0, 0]),
    ] {
        history.issue(cycle, &issued).unwrap();
        let counts = list(history.counts(cycle).unwrap());
        writeln!(text, "{cycle:>5}  {:<6}  {counts}", list(issued)).unwrap();
    }
    insta::assert_snapshot!("history", text);
}
