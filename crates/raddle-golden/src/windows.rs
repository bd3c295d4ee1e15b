//! Which level is the best at a given cycle, and in which order do the others follow (seed 000,
//! E2)?
//!
//! `{"windows":[8,4,3,1],"count":12}` is answered with `{"order":[3,1,2,4]}`: levels count from 1,
//! the best one first. Lengths and counts are cycles. The steps have the names of the seed.

use raddle_read::FaultKind;
use raddle_workgroup::order::Windows;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::explanation::{Story, counted, listed};
use crate::fault::{Fault, check_all, fault, read_at};
use crate::{Topic, json};

pub(crate) const TOPIC: Topic =
    Topic { name: "windows", example: r#"{"windows":[8,4,3,1],"count":12}"#, solve };

#[derive(Deserialize)]
struct WindowsQuestion {
    windows: Vec<u64>,
    count: u64,
}

#[derive(Serialize)]
struct WindowsAnswer {
    order: Vec<usize>,
}

fn solve(value: &Value, story: &mut Story) -> Result<String, Fault> {
    let WindowsQuestion { windows, count } = read_at(value, "")?;
    check_all(&windows, &(1..=u64::MAX), "/windows")?;
    let windows = Windows::new(&windows).map_err(fault(FaultKind::OutOfRange, "/windows"))?;
    if story.shows() {
        tell(&windows, count, story);
    }
    Ok(json(&WindowsAnswer { order: windows.order(count).map(|level| level + 1).collect() }))
}

fn tell(windows: &Windows, count: u64, story: &mut Story) {
    let all: Vec<_> = (0..).map_while(|level| windows.window(level)).collect();
    let (levels, turn) = (all.len() as u64, all.last().map_or(0, |window| window.end));
    let levels = counted(levels, "level", "levels");
    story.step(format!("b1, b2: {levels}, one window each, {turn} cycles in a turn"));
    for (level, window) in (1..).zip(&all) {
        let (start, end) = (window.start, window.end);
        let cycles = match end - start {
            1 => format!("cycle {start}"),
            _ => format!("cycles {start} to {}", end - 1),
        };
        story.line(format!("P{level}: {} long, {cycles}", end - start));
    }
    let (counter, top) = (windows.counter(count), windows.top(count) + 1);
    story.step("b3: the window that contains the counter");
    story.note(format!("at {count} the counter is {counter}: it begins again with each turn"));
    story.note(format!("{counter} lies in the window of P{top}, so P{top} is the best"));
    let order = listed(windows.order(count).map(|level| format!("P{}", level + 1)), " ");
    story.step("b44: the order");
    story.note(format!("{order}: the other levels keep their order"));
    story.note("the target is chosen from the first level in this order that has a candidate");
}
