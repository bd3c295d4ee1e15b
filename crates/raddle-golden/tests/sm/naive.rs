//! A second model, straight from the digest: plain lists, every SM and every kernel looked at each
//! time.
//!
//! The model shares nothing with the crate but the words of the log.

use raddle_sm::{BlockWarpConfig, Choose};

#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) arrive: u64,
    pub(crate) priority: u64,
    pub(crate) blocks: u64,
    pub(crate) warps: u64,
    pub(crate) registers: u64,
    pub(crate) shared: u64,
    pub(crate) barrier: bool,
    pub(crate) ticks: Vec<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Story {
    pub(crate) log: Vec<String>,
    pub(crate) ends: Vec<Option<u64>>,
    pub(crate) refused: Vec<String>,
    pub(crate) stuck: Vec<usize>,
    /// Tables after every decision: undistributed blocks by kernel, then registers, warps, shared
    /// memory and top priority by SM.
    pub(crate) tables: Vec<String>,
}

struct Block {
    kernel: usize,
    number: u64,
    sm: usize,
    reserved: bool,
    started: u64,
    ended: u64,
}

struct Warp {
    block: usize,
    number: u64,
    /// Tick at which the warp ends; `None` while its block gathers at the barrier.
    ends: Option<u64>,
    over: bool,
}

struct Model<'a> {
    kernels: &'a [Kernel],
    options: BlockWarpConfig,
    /// Free registers, warps and shared memory of each SM.
    free: Vec<[u64; 3]>,
    left: Vec<u64>,
    present: Vec<bool>,
    blocks: Vec<Block>,
    warps: Vec<Warp>,
    now: u64,
    story: Story,
}

pub(crate) fn play(
    sms: u16,
    total: [u64; 3],
    options: BlockWarpConfig,
    kernels: &[Kernel],
) -> Story {
    let mut model = Model {
        kernels,
        options,
        free: vec![total; usize::from(sms)],
        left: kernels.iter().map(|it| it.blocks).collect(),
        present: vec![false; kernels.len()],
        blocks: Vec::new(),
        warps: Vec::new(),
        now: 0,
        story: Story { ends: vec![None; kernels.len()], ..Story::default() },
    };
    let mut arrived = vec![false; kernels.len()];
    let mut refused = vec![false; kernels.len()];
    while let Some(now) = model.next_tick(&arrived) {
        model.now = now;
        model.end_warps();
        for (i, kernel) in kernels.iter().enumerate() {
            if !arrived[i] && kernel.arrive == now {
                arrived[i] = true;
                let wants = [kernel.warps, kernel.warps * kernel.registers, kernel.shared];
                let has = [total[1], total[0], total[2]];
                let lacking = (0..3).find(|&at| wants[at] > has[at]);
                if let Some(at) = lacking {
                    let name = ["warps", "registers", "shared"][at];
                    let line = format!("k{i} {name} {} of {}", wants[at], has[at]);
                    model.story.refused.push(line);
                    refused[i] = true;
                } else {
                    model.present[i] = true;
                }
            }
        }
        while model.decide() {}
    }
    let mut order: Vec<usize> = (0..kernels.len()).collect();
    order.sort_by_key(|&i| kernels[i].arrive);
    order.retain(|&i| !refused[i] && model.story.ends[i].is_none());
    model.story.stuck = order;
    if model.story.stuck.is_empty() {
        assert!(model.free.iter().all(|free| *free == total), "everything is given back");
    }
    model.story
}

impl Model<'_> {
    fn next_tick(&self, arrived: &[bool]) -> Option<u64> {
        let pending = (0..arrived.len()).filter(|&i| !arrived[i]).map(|i| self.kernels[i].arrive);
        let ending = self.warps.iter().filter(|warp| !warp.over).filter_map(|warp| warp.ends);
        pending.chain(ending).min()
    }

    fn end_warps(&mut self) {
        let mut touched = vec![false; self.free.len()];
        for at in 0..self.warps.len() {
            if self.warps[at].over || self.warps[at].ends != Some(self.now) {
                continue;
            }
            self.warps[at].over = true;
            let number = self.warps[at].number;
            let block = &mut self.blocks[self.warps[at].block];
            let (sm, k) = (block.sm, block.kernel);
            let kernel = &self.kernels[k];
            touched[sm] = true;
            block.ended += 1;
            self.free[sm][0] += kernel.registers;
            self.free[sm][1] += 1;
            let line = format!("{} end k{k}.{}.w{number} sm{sm}", self.now, block.number);
            self.story.log.push(line);
            if block.ended == kernel.warps {
                self.free[sm][2] += kernel.shared;
                let done = |it: &Block| it.kernel == k && it.ended == kernel.warps;
                if self.blocks.iter().filter(|&it| done(it)).count() as u64 == kernel.blocks {
                    self.story.ends[k] = Some(self.now);
                }
            }
        }
        for (sm, _) in touched.iter().enumerate().filter(|(_, touched)| **touched) {
            self.serve(sm);
        }
    }

    fn top(&self, sm: usize) -> Option<u64> {
        let here = self.blocks.iter().filter(|it| it.sm == sm);
        let unfinished = here.filter(|it| it.ended < self.kernels[it.kernel].warps);
        unfinished.map(|it| self.kernels[it.kernel].priority).max()
    }

    fn whole_only(&self, k: usize) -> bool {
        self.kernels[k].barrier && self.options.whole_blocks_for_barriers
    }

    /// Counts the further whole blocks of a kernel that an SM holds (the seed's N1), by giving
    /// blocks one after the other.
    fn n1(&self, sm: usize, k: usize) -> u64 {
        let (kernel, mut free, mut n) = (&self.kernels[k], self.free[sm], 0);
        let need = [kernel.registers * kernel.warps, kernel.warps, kernel.shared];
        while (0..3).all(|at| free[at] >= need[at]) {
            for at in 0..3 {
                free[at] -= need[at];
            }
            n += 1;
        }
        n
    }

    /// Returns how many warps of a new block of a kernel could start on an SM.
    fn warps_now(&self, sm: usize, k: usize) -> u64 {
        let (kernel, free) = (&self.kernels[k], self.free[sm]);
        let mut n = 0;
        while free[1] > n && free[0] >= kernel.registers * (n + 1) && free[2] >= kernel.shared {
            n += 1;
        }
        n
    }

    fn is_first(&self, sm: usize, k: usize) -> bool {
        let (kernel, free) = (&self.kernels[k], self.free[sm]);
        if self.options.strict {
            return free[0] > kernel.registers && free[1] > 1 && free[2] > kernel.shared;
        }
        free[0] >= kernel.registers && free[1] >= 1 && free[2] >= kernel.shared
    }

    /// Picks the SM with the largest value, ties to the lowest; under `Lowest` the first of all.
    fn pick<V: Ord>(&self, fits: Vec<(usize, V)>) -> Option<usize> {
        if self.options.choose == Choose::Lowest {
            return fits.first().map(|(sm, _)| *sm);
        }
        let mut best: Option<&(usize, V)> = None;
        for entry in &fits {
            if best.is_none_or(|best| entry.1 > best.1) {
                best = Some(entry);
            }
        }
        best.map(|(sm, _)| *sm)
    }

    fn decide(&mut self) -> bool {
        let mut order: Vec<usize> = (0..self.kernels.len()).collect();
        order.retain(|&k| self.present[k] && self.left[k] > 0);
        order.sort_by_key(|&k| {
            (std::cmp::Reverse(self.kernels[k].priority), self.kernels[k].arrive, k)
        });
        if !self.options.fall_through {
            order.truncate(1);
        }
        for k in order {
            let sms = 0..self.free.len();
            let whole = sms.clone().map(|sm| (sm, self.n1(sm, k))).filter(|it| it.1 > 0).collect();
            if let Some(sm) = self.pick(whole) {
                let count = self.n1(sm, k).min(self.left[k]);
                self.give(k, sm, count, "whole");
                return true;
            }
            if !self.whole_only(k) {
                let first = sms.clone().filter(|&sm| self.is_first(sm, k));
                let first = first.map(|sm| (sm, self.warps_now(sm, k))).collect();
                if let Some(sm) = self.pick(first) {
                    self.give(k, sm, 1, "first");
                    return true;
                }
            }
            let lower = |top: Option<u64>| top.is_none_or(|top| top < self.kernels[k].priority);
            let second = sms.clone().map(|sm| (sm, self.top(sm))).filter(|it| lower(it.1));
            let second = second.map(|(sm, top)| (sm, std::cmp::Reverse(top))).collect();
            if let Some(sm) = self.pick(second) {
                self.give(k, sm, 1, "second");
                return true;
            }
        }
        false
    }

    fn give(&mut self, k: usize, sm: usize, count: u64, route: &str) {
        let kernel = &self.kernels[k];
        let first = kernel.blocks - self.left[k];
        self.left[k] -= count;
        for number in first..first + count {
            let reserved = route == "whole";
            if reserved {
                self.free[sm][0] -= kernel.registers * kernel.warps;
                self.free[sm][1] -= kernel.warps;
                self.free[sm][2] -= kernel.shared;
            }
            let block = Block { kernel: k, number, sm, reserved, started: 0, ended: 0 };
            self.blocks.push(block);
        }
        self.story.log.push(format!("{} {route} k{k} {first}+{count} sm{sm}", self.now));
        self.serve(sm);
        self.table();
    }

    fn serve(&mut self, sm: usize) {
        loop {
            let mut waiting: Vec<usize> = (0..self.blocks.len()).collect();
            waiting.retain(|&at| {
                let block = &self.blocks[at];
                block.sm == sm && block.started < self.kernels[block.kernel].warps
            });
            // Stable: the order of distribution stays.
            waiting.sort_by_key(|&at| {
                std::cmp::Reverse(self.kernels[self.blocks[at].kernel].priority)
            });
            if !self.options.backfill {
                waiting.truncate(1);
            }
            let Some(at) = waiting.into_iter().find(|&at| self.can_start(at)) else { return };
            let k = self.blocks[at].kernel;
            let whole = self.whole_only(k);
            self.start(at);
            while whole && self.blocks[at].started < self.kernels[k].warps {
                self.start(at);
            }
        }
    }

    fn can_start(&self, at: usize) -> bool {
        let block = &self.blocks[at];
        if block.reserved {
            return true;
        }
        if self.whole_only(block.kernel) {
            return self.n1(block.sm, block.kernel) > 0;
        }
        let (kernel, free) = (&self.kernels[block.kernel], self.free[block.sm]);
        let shared = if block.started == 0 { kernel.shared } else { 0 };
        free[0] >= kernel.registers && free[1] >= 1 && free[2] >= shared
    }

    fn start(&mut self, at: usize) {
        let block = &mut self.blocks[at];
        let (k, number, sm) = (block.kernel, block.started, block.sm);
        let kernel = &self.kernels[k];
        if !block.reserved {
            self.free[sm][0] -= kernel.registers;
            self.free[sm][1] -= 1;
            self.free[sm][2] -= if number == 0 { kernel.shared } else { 0 };
        }
        block.started += 1;
        let all = block.started == kernel.warps;
        let line = format!("{} start k{k}.{}.w{number} sm{sm}", self.now, block.number);
        self.story.log.push(line);
        let ticks = |number: u64| kernel.ticks[(block.number * kernel.warps + number) as usize];
        let ends = (!kernel.barrier).then(|| self.now + ticks(number));
        self.warps.push(Warp { block: at, number, ends, over: false });
        if kernel.barrier && all {
            for warp in self.warps.iter_mut().filter(|warp| warp.block == at) {
                warp.ends = Some(self.now + ticks(warp.number));
            }
        }
    }

    fn table(&mut self) {
        let unfinished = (0..self.kernels.len())
            .filter(|&k| self.present[k] && self.story.ends[k].is_none())
            .map(|k| format!("k{k}:{}", self.left[k]));
        let sms = (0..self.free.len()).map(|sm| {
            let ([registers, warps, shared], top) = (self.free[sm], self.top(sm));
            format!("{registers}/{warps}/{shared}/{}", shown(top))
        });
        self.story.tables.push(unfinished.chain(sms).collect::<Vec<_>>().join(" "));
    }
}

pub(crate) fn shown(top: Option<u64>) -> String {
    top.map_or("-".to_owned(), |top| top.to_string())
}
