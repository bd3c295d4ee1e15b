//! What happens, tick by tick, when kernels arrive and their warps take given times?
//!
//! Inside one tick: warps end, in the order in which they started; then the controllers of their
//! SMs, the lowest first; then kernels arrive, in list order; then the global controller decides
//! until it cannot, and after each decision the controller of the SM runs at once. The warps of a
//! block with a barrier run from the moment when its last warp has started.
//!
//! ```
//! use raddle_golden::sm::run::{Job, WarpStep, run};
//! use raddle_sm::{Kernel, BlockWarpConfig, Resources};
//! use raddle_policy::{LaunchId, Tick};
//!
//! // C10 of the digest: F leaves, L holds the shared memory that H waits for, H holds L's warp slots.
//! let kernel = |arrive, rank, warps, ticks, shared| Job {
//!     kernel: Kernel {
//!         id: LaunchId(0), rank, blocks: 1, warps, registers: 4, shared, barrier: false,
//!     },
//!     arrive: Tick(arrive),
//!     ticks: vec![ticks; warps as usize],
//! };
//! let jobs = [kernel(0, 9, 4, 5, 0), kernel(0, 9, 8, 10, 12), kernel(2, 1, 2, 10, 8)];
//! let each = Resources { registers: 64, warps: 8, shared: 16 };
//! let mut routes = Vec::new();
//! let mut watch = |_: Tick, step: &WarpStep, _: &_| {
//!     if let WarpStep::Decided(it) = step {
//!         routes.push(it.route().name());
//!     }
//! };
//! let outcome = run(1, each, BlockWarpConfig::default(), &jobs, &mut watch)?;
//! assert_eq!(outcome.ends, [Some(Tick(5)), Some(Tick(15)), Some(Tick(25))]);
//! assert_eq!(routes, ["whole", "first", "second"]);
//!
//! // By the letter of the claims, only the highest block of an SM may start warps: both wait for ever.
//! let literal = BlockWarpConfig { backfill: false, ..BlockWarpConfig::default() };
//! let outcome = run(1, each, literal, &jobs, &mut |_, _, _| {})?;
//! assert_eq!(outcome.stuck, [LaunchId(1), LaunchId(2)]);
//! # Ok::<(), raddle_golden::ModelError>(())
//! ```

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use raddle_policy::{CuId, LaunchId, Refusal, Tick};

use raddle_sm::{
    BlockWarpConfig, Controllers, Decision, Ended, Handle, Kernel, Resources, Started,
};

use crate::ModelError;

/// A kernel of a run on SMs (compute units), with the tick at which it arrives and the run times of
/// its warps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Kernel of the job. Its id in a run is its position in the list of jobs; the id given here is
    /// ignored.
    pub kernel: Kernel,
    /// Tick at which the kernel of the job arrives.
    pub arrive: Tick,
    /// Ticks that each warp runs, block by block; a warp without an entry runs for 1 tick.
    pub ticks: Vec<u64>,
}

/// One event of a run of kernels on SMs (compute units).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarpStep {
    /// A kernel arrived that can never fit, and was refused.
    Refused(Refusal),
    /// A kernel arrived, and waits until its blocks (workgroups) are given to SMs.
    Arrived(LaunchId),
    /// The global controller gave blocks (workgroups) of a kernel to an SM.
    Decided(Decision),
    /// The controller of an SM started warps of a block (workgroup).
    Started(Started),
    /// A warp of a block (workgroup) ended.
    WarpEnded {
        /// Kernel that the warp belongs to.
        kernel: LaunchId,
        /// Number of the warp's block in its kernel.
        block: u64,
        /// Number of the warp in its block.
        warp: u64,
        /// Effects of the end of the warp: whether its block, and its kernel, have ended too.
        ended: Ended,
    },
    /// The controller of this SM can start no further warp.
    Served(CuId),
}

/// Outcome of a run of kernels on SMs: when each kernel ended, and which were refused or are stuck.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WarpOutcome {
    /// Tick at which each job (kernel of the run) ended; `None` for jobs that were refused or are
    /// stuck.
    pub ends: Vec<Option<Tick>>,
    /// Refusals of the kernels that can never fit an SM.
    pub refused: Vec<Refusal>,
    /// Kernels that had not ended when nothing more could happen, in the order of arrival.
    pub stuck: Vec<LaunchId>,
}

/// A warp that runs, with the tick `at` of its end. Warps end in the order of that tick, then of
/// their start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct DueWarp {
    at: u64,
    start: u64,
    kernel: u32,
    block: u64,
    warp: u64,
    handle: Handle,
}

struct WarpPlay<'a> {
    controllers: Controllers,
    jobs: &'a [Job],
    now: u64,
    starts: u64,
    due: BinaryHeap<Reverse<DueWarp>>,
    /// Warps of blocks (workgroups) with a barrier, by (kernel, block), that have started and wait
    /// until all warps of their block have started.
    gathered: BTreeMap<(LaunchId, u64), Vec<DueWarp>>,
    outcome: WarpOutcome,
    watch: &'a mut dyn FnMut(Tick, &WarpStep, &Controllers),
}

/// Runs the jobs to their end. `watch` is called with every step of the run, and with the
/// controllers' tables as they are after the step.
///
/// # Errors
/// A malformed device or kernel, or a time beyond u64.
pub fn run(
    sms: u16,
    each: Resources,
    options: BlockWarpConfig,
    jobs: &[Job],
    watch: &mut dyn FnMut(Tick, &WarpStep, &Controllers),
) -> Result<WarpOutcome, ModelError> {
    let controllers = Controllers::new(sms, each, options)?;
    let outcome = WarpOutcome { ends: vec![None; jobs.len()], ..WarpOutcome::default() };
    let mut run = WarpPlay {
        controllers,
        jobs,
        now: 0,
        starts: 0,
        due: BinaryHeap::new(),
        gathered: BTreeMap::new(),
        outcome,
        watch,
    };
    // The number of jobs is at most that of launch ids, which are u32.
    let mut arrivals: Vec<u32> = (0..jobs.len() as u32).collect();
    arrivals.sort_by_key(|&job| jobs[job as usize].arrive);
    let mut next = 0;
    loop {
        let arrival = arrivals.get(next).map(|&job| jobs[job as usize].arrive.0);
        let ending = run.due.peek().map(|Reverse(due)| due.at);
        let Some(now) = arrival.into_iter().chain(ending).min() else { break };
        run.now = now;
        run.end_warps()?;
        while let Some(&job) = arrivals.get(next)
            && jobs[job as usize].arrive.0 == now
        {
            next += 1;
            run.arrive(job)?;
        }
        while let Some(decision) = run.controllers.decide() {
            run.tell(WarpStep::Decided(decision));
            run.serve(decision.sm())?;
        }
    }
    let WarpPlay { controllers, mut outcome, .. } = run;
    outcome.stuck = controllers.kernels().into_iter().map(|row| row.kernel()).collect();
    Ok(outcome)
}

impl WarpPlay<'_> {
    fn tell(&mut self, step: WarpStep) {
        (self.watch)(Tick(self.now), &step, &self.controllers);
    }

    fn arrive(&mut self, job: u32) -> Result<(), ModelError> {
        let id = LaunchId(job);
        let kernel = Kernel { id, ..self.jobs[job as usize].kernel };
        match self.controllers.arrive(&kernel)? {
            Some(refusal) => {
                self.outcome.refused.push(refusal);
                self.tell(WarpStep::Refused(refusal));
            }
            None => self.tell(WarpStep::Arrived(id)),
        }
        Ok(())
    }

    fn end_warps(&mut self) -> Result<(), ModelError> {
        let mut touched = BTreeSet::new();
        while let Some(&Reverse(due)) = self.due.peek()
            && due.at == self.now
        {
            self.due.pop();
            let ended = self.controllers.ended(due.handle)?;
            touched.insert(ended.sm());
            if ended.kernel_done() {
                self.outcome.ends[due.kernel as usize] = Some(Tick(self.now));
            }
            let kernel = LaunchId(due.kernel);
            self.tell(WarpStep::WarpEnded { kernel, block: due.block, warp: due.warp, ended });
        }
        for sm in touched {
            self.serve(sm)?;
        }
        Ok(())
    }

    /// Lets the controller of one SM start warps until it can start no further one. Returns an
    /// error where the controller fails, or a time is beyond 64 bits.
    fn serve(&mut self, sm: CuId) -> Result<(), ModelError> {
        while let Some(started) = self.controllers.serve(sm)? {
            self.tell(WarpStep::Started(started));
            self.schedule(&started)?;
        }
        self.tell(WarpStep::Served(sm));
        Ok(())
    }

    fn schedule(&mut self, started: &Started) -> Result<(), ModelError> {
        let job = &self.jobs[started.kernel().index()];
        let block = (started.kernel(), started.block());
        for warp in started.first()..started.first() + started.count() {
            let at = started.block() * job.kernel.warps + warp;
            let ticks = job.ticks.get(at as usize).copied().unwrap_or(1);
            let due = DueWarp {
                at: ticks,
                start: self.starts,
                kernel: started.kernel().0,
                block: started.block(),
                warp,
                handle: started.handle(),
            };
            self.starts += 1;
            if job.kernel.barrier {
                self.gathered.entry(block).or_default().push(due);
            } else {
                self.let_run(due)?;
            }
        }
        if started.last() {
            for due in self.gathered.remove(&block).unwrap_or_default() {
                self.let_run(due)?;
            }
        }
        Ok(())
    }

    /// Lets a warp run from now on. `due.at` is the number of ticks for which it runs; the warp is
    /// stored with the tick at which it ends. Returns an error where that tick is beyond 64 bits.
    fn let_run(&mut self, due: DueWarp) -> Result<(), ModelError> {
        let time = ModelError::WarpTime { kernel: LaunchId(due.kernel) };
        let at = self.now.checked_add(due.at).ok_or(time)?;
        self.due.push(Reverse(DueWarp { at, ..due }));
        Ok(())
    }
}
