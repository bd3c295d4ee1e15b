//! How long does a low kernel wait behind an endless stream of important ones, and what bounds it?

use raddle_sm::Options;

use crate::naive::Kernel;
use crate::ours::{self, kernel};
use crate::worked::TOTAL;

/// When the low kernel, which arrived at 11, starts and ends; the stream ends at `last` or later.
fn low(sms: u16, kernels: &[Kernel], options: Options) -> (u64, u64) {
    let story = ours::play(sms, TOTAL, options, kernels).unwrap();
    let id = kernels.len() - 1;
    let begins = format!(" start k{id}.");
    let line = story.log.iter().find(|line| line.contains(&begins)).expect("it starts");
    let start = line.split(' ').next().unwrap().parse::<u64>().unwrap();
    (start - 11, story.ends[id].unwrap() - 11)
}

/// Important kernels every `every` ticks until `until`, then a low one of 2 warps that runs 10.
fn stream(every: u64, until: u64, blocks: u64, warps: u64, shared: u64) -> Vec<Kernel> {
    let important = |at: u64| kernel((at * every, 9), (blocks, warps, 10), (4, shared));
    let mut kernels: Vec<Kernel> = (0..until / every).map(important).collect();
    kernels.push(kernel((11, 1), (1, 2, 10), (4, 0)));
    kernels
}

fn table() -> String {
    let mut table = String::from(
        "stream                                    options          starts/ends after, of a stream of 500, 1000, 2000\n",
    );
    for (name, sms, of) in [
        ("fills the SM, twice what it can do", 1, (5, 8, 0)),
        ("fills the SM, as much as it can do", 1, (10, 8, 0)),
        ("fills the SM, two thirds of the time", 1, (15, 8, 0)),
        ("6 of 8 warps, twice what it can do", 1, (5, 6, 0)),
        ("4 of 8 warps, all shared memory", 1, (5, 4, 16)),
    ] {
        let (every, warps, shared) = of;
        for (option, options) in [
            ("default", Options::default()),
            ("fall-through", Options { fall_through: true, ..Options::default() }),
        ] {
            let waits = [500, 1000, 2000].map(|until| {
                let (start, end) = low(sms, &stream(every, until, 1, warps, shared), options);
                format!("{start}/{end}")
            });
            let waits = waits.join(" ");
            table += &format!("{name:<41} {option:<16} {waits}\n");
        }
    }
    table
}

/// Of a stream of 500, 1,000 and 2,000 ticks: what grows with it is starvation, what does not is
/// bounded.
#[test]
fn an_endless_important_stream() {
    insta::assert_snapshot!("starvation", table());
}
