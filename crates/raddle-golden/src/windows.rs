//! In which order do levels stand at a count of cycles (seed 000, E2)?
//!
//! `{"windows":[8,4,3,1],"count":12}` is answered with `{"order":[3,1,2,4]}`: levels count from 1,
//! the best one first. Lengths and counts are cycles. The steps have the names of the seed.

use raddle_dispatch::read::FaultKind;
use raddle_workgroup::order::Windows;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::explanation::{counted, few, listed, step};
use crate::fault::{Fault, check_all, fault, read_at};
use crate::{Explained, Topic, json};

pub(crate) const TOPIC: Topic = Topic {
    name: "windows",
    example: r#"{"windows":[8,4,3,1],"count":12}"#,
    answer: |value| question(value).map(|(windows, count)| answer_of(&windows, count)),
    explain,
};

#[derive(Deserialize)]
struct WindowsQuestion {
    windows: Vec<u64>,
    count: u64,
}

#[derive(Serialize)]
struct WindowsAnswer {
    order: Vec<usize>,
}

fn question(value: &Value) -> Result<(Windows, u64), Fault> {
    let WindowsQuestion { windows, count } = read_at(value, "")?;
    check_all(&windows, &(1..=u64::MAX), "/windows")?;
    let windows = Windows::new(&windows).map_err(fault(FaultKind::OutOfRange, "/windows"))?;
    Ok((windows, count))
}

fn answer_of(windows: &Windows, count: u64) -> String {
    json(&WindowsAnswer { order: windows.order(count).map(|level| level + 1).collect() })
}

fn explain(value: &Value) -> Result<Explained, Fault> {
    let (windows, count) = question(value)?;
    let all: Vec<_> = (0..).map_while(|level| windows.window(level)).collect();
    let line = |(level, window): (usize, &std::ops::Range<u128>)| {
        let (start, end) = (window.start, window.end);
        format!("P{}: {} long, cycles {start} to {}", level + 1, end - start, end - 1)
    };
    let levels = counted(all.len() as u64, "level", "levels");
    let turn = all.last().map_or(0, |window| window.end);
    let (counter, top) = (windows.counter(count), windows.top(count) + 1);
    let order = listed(windows.order(count).map(|level| format!("P{}", level + 1)), " ");
    let steps = vec![
        step(
            format!("b1, b2: {levels}, one window each, {turn} cycles in a turn"),
            few(all.iter().enumerate().map(line).collect()),
        ),
        step(
            "b3: the window that contains the counter",
            vec![
                format!("at {count} the counter is {counter}: it begins again with each turn"),
                format!("{counter} lies in the window of P{top}, so P{top} is the best"),
            ],
        ),
        step(
            "b44: the order",
            vec![
                format!("{order}: the other levels keep their order"),
                "the target is chosen from the first level in this order that has a candidate"
                    .to_owned(),
            ],
        ),
    ];
    Ok((steps, answer_of(&windows, count)))
}
