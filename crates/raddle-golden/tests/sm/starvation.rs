//! How long does a low kernel wait behind an endless stream of important ones, and what bounds it?

use raddle_sm::BlockWarpConfig;

use crate::naive::Kernel;
use crate::ours::{self, kernel};
use crate::worked::TOTAL;

/// Returns the ticks from the arrival of the last kernel, which is less urgent and comes at tick
/// 11, to its start and to its end.
fn low(sms: u16, kernels: &[Kernel], options: BlockWarpConfig) -> (u64, u64) {
    let story = ours::play(sms, TOTAL, options, kernels).unwrap();
    let id = kernels.len() - 1;
    let begins = format!(" start k{id}.");
    let line = story.log.iter().find(|line| line.contains(&begins)).expect("it starts");
    let start = line.split(' ').next().unwrap().parse::<u64>().unwrap();
    (start - 11, story.ends[id].unwrap() - 11)
}

/// Makes a stream of urgent kernels, one each `every` ticks until `until`, then a less urgent one
/// of 2 warps that runs 10 ticks.
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
            ("default", BlockWarpConfig::default()),
            ("fall-through", BlockWarpConfig { fall_through: true, ..BlockWarpConfig::default() }),
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

/// Plays less urgent kernels of 4 warps and 10 ticks, one each 5 ticks until `until`, with an
/// urgent one at tick 6. Returns how long after that the urgent one's first and last wave start, if
/// they do.
fn important(until: u64, shared: u64, options: BlockWarpConfig, kernel_of: &Kernel) -> String {
    let low = |at: u64| kernel((at * 5, 1), (1, 4, 10), (4, shared));
    let mut kernels: Vec<Kernel> = (0..until / 5).map(low).collect();
    kernels.push(kernel_of.clone());
    let story = ours::play(1, TOTAL, options, &kernels).unwrap();
    let begins = format!(" start k{}.", kernels.len() - 1);
    let at = |line: &String| line.split(' ').next().unwrap().parse::<u64>().unwrap();
    let starts: Vec<u64> = story.log.iter().filter(|line| line.contains(&begins)).map(at).collect();
    match starts[..] {
        [] => String::from("never"),
        [only] => format!("{0}/{0}", only - 6),
        [first, .., last] => format!("{}/{}", first - 6, last - 6),
    }
}

fn inversion() -> String {
    let mut table = String::from(
        "important kernel                 option                       first/last wave after, of a low stream of 100, 500, 2000\n",
    );
    let barriers_in_part =
        BlockWarpConfig { whole_blocks_for_barriers: false, ..BlockWarpConfig::default() };
    let no_backfill = BlockWarpConfig { backfill: false, ..BlockWarpConfig::default() };
    for (name, low_shared, kernel_of) in [
        ("8 of 8 warps", 0, kernel((6, 9), (1, 8, 10), (4, 0))),
        (
            "8 of 8 warps, a barrier",
            0,
            Kernel { barrier: true, ..kernel((6, 9), (1, 8, 10), (4, 0)) },
        ),
        ("2 warps, all shared memory", 8, kernel((6, 9), (1, 2, 10), (4, 16))),
    ] {
        for (option, options) in [
            ("default", BlockWarpConfig::default()),
            ("whole-blocks-for-barriers off", barriers_in_part),
            ("backfill off", no_backfill),
        ] {
            let waits =
                [100, 500, 2000].map(|until| important(until, low_shared, options, &kernel_of));
            table += &format!("{name:<32} {option:<28} {}\n", waits.join(" "));
        }
    }
    table
}

/// Checks an urgent kernel whose queued block holds nothing until it starts, and which has nothing
/// left to distribute; so less urgent kernels go on taking the room that the block waits for.
#[test]
fn an_important_kernel_behind_an_endless_low_stream() {
    insta::assert_snapshot!("inversion", inversion());
}

/// Compares streams of 500, 1,000 and 2,000 ticks: a wait that grows with the stream is starvation,
/// one that does not is bounded.
#[test]
fn an_endless_important_stream() {
    insta::assert_snapshot!("starvation", table());
}
