//! The story of a run of the crate, in the words of the naive twin.

use raddle_golden::ModelError;
use raddle_golden::sm::run::{Job, WarpStep, run};
use raddle_policy::{LaunchId, Resource, Tick};
use raddle_sm::{BlockWarpConfig, Controllers, Kernel, Resources};

use crate::naive::{self, Story, shown};

pub(crate) fn jobs(kernels: &[naive::Kernel]) -> Vec<Job> {
    kernels.iter().map(job).collect()
}

/// Makes a kernel of `blocks` blocks of `warps` warps, each `ticks` ticks long, with `registers`
/// registers a warp and no barrier.
pub(crate) fn kernel(
    (arrive, priority): (u64, u64),
    (blocks, warps, ticks): (u64, u64, u64),
    (registers, shared): (u64, u64),
) -> naive::Kernel {
    let ticks = vec![ticks; (blocks * warps) as usize];
    let barrier = false;
    naive::Kernel { arrive, priority, blocks, warps, registers, shared, barrier, ticks }
}

/// Converts a priority of these tests, where larger is more urgent, to a rank, or a rank to a
/// priority.
pub(crate) fn reversed(priority: u64) -> u64 {
    99 - priority
}

fn job(it: &naive::Kernel) -> Job {
    let kernel = Kernel {
        id: LaunchId(0),
        rank: reversed(it.priority),
        blocks: it.blocks,
        warps: it.warps,
        registers: it.registers,
        shared: it.shared,
        barrier: it.barrier,
    };
    Job { kernel, arrive: Tick(it.arrive), ticks: it.ticks.clone() }
}

pub(crate) fn resources([registers, warps, shared]: [u64; 3]) -> Resources {
    Resources { registers, warps, shared }
}

/// Writes the controllers' tables: unfinished kernels with their undistributed blocks, then
/// registers/warps/shared/top priority by SM.
pub(crate) fn tables(controllers: &Controllers) -> String {
    let mut kernels: Vec<_> = controllers.kernels();
    kernels.sort_by_key(|row| row.kernel());
    let kernels = kernels.iter().map(|row| format!("{}:{}", row.kernel(), row.undistributed()));
    let sms = controllers.sms().into_iter().map(|row| {
        let left = row.remaining();
        format!(
            "{}/{}/{}/{}",
            left.registers,
            left.warps,
            left.shared,
            shown(row.top().map(reversed))
        )
    });
    kernels.chain(sms).collect::<Vec<_>>().join(" ")
}

/// Plays the jobs on SMs, and returns the log, the ends and the stuck kernels of the run; every
/// table is checked on the way.
pub(crate) fn play(
    sms: u16,
    total: [u64; 3],
    options: BlockWarpConfig,
    kernels: &[naive::Kernel],
) -> Result<Story, ModelError> {
    let jobs = jobs(kernels);
    let mut story = Story::default();
    let mut decided = false;
    let mut last = None;
    let outcome =
        run(sms, resources(total), options, &jobs, &mut |Tick(now), step, tables_now| {
            check_tables(tables_now, total);
            match step {
                WarpStep::Decided(it) => {
                    let route = it.route().name();
                    let what =
                        format!("{now} {route} {} {}+{}", it.kernel(), it.first(), it.count());
                    story.log.push(format!("{what} sm{}", it.sm().0));
                    decided = true;
                }
                WarpStep::Started(it) => {
                    for warp in it.first()..it.first() + it.count() {
                        let what = format!("{now} start {}.{}.w{warp}", it.kernel(), it.block());
                        story.log.push(format!("{what} sm{}", it.sm().0));
                    }
                }
                WarpStep::WarpEnded { kernel, block, warp, ended } => {
                    let what = format!("{now} end {kernel}.{block}.w{warp}");
                    story.log.push(format!("{what} sm{}", ended.sm().0));
                }
                WarpStep::Served(_) => {
                    if std::mem::take(&mut decided) {
                        story.tables.push(tables(tables_now));
                    }
                }
                WarpStep::Refused(_) | WarpStep::Arrived(_) => {}
            }
            last = Some(tables_now.clone());
        })?;
    story.ends = outcome.ends.iter().map(|end| end.map(|Tick(at)| at)).collect();
    story.stuck = outcome.stuck.iter().map(|kernel| kernel.index()).collect();
    let name = |resource| match resource {
        Resource::Waves => "warps",
        Resource::Vgpr => "registers",
        _ => "shared",
    };
    let refused = outcome
        .refused
        .iter()
        .map(|it| format!("{} {} {} of {}", it.launch, name(it.resource), it.wanted, it.available));
    story.refused = refused.collect();
    if let Some(last) = last.filter(|_| story.stuck.is_empty()) {
        assert_eq!(last.kernels(), [], "the kernel table is empty at the end");
        for row in last.sms() {
            assert_eq!(
                (row.remaining(), row.top()),
                (resources(total), None),
                "as at the beginning"
            );
            assert_eq!(last.blocks(row.sm()), []);
        }
    }
    Ok(story)
}

/// Checks the tables in every step: no amount is above its total (below 0 it would wrap to far
/// above), and top priorities are those of the block tables.
fn check_tables(controllers: &Controllers, total: [u64; 3]) {
    for row in controllers.sms() {
        let left = row.remaining();
        let whole = resources(total);
        assert!(left.registers <= whole.registers, "{row:?}");
        assert!(left.warps <= whole.warps && left.shared <= whole.shared, "{row:?}");
        let top = controllers.blocks(row.sm()).iter().map(|block| block.rank()).min();
        assert_eq!(row.top(), top, "{row:?}");
    }
}
