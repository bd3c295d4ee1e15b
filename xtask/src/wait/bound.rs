//! How fast could the recipe `leftover` replay a launch table, if raddle did nothing else?
//!
//! A simulator of `leftover` alone, without checks, log or figures: four streams on a V100, whose
//! 80 compute units hold eight of the table's workgroups each.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::fmt::Write;
use std::path::Path;

use anyhow::Result;

const STREAMS: u64 = 4;
const UNITS: usize = 80;
const ROOM: u8 = 8;

/// Launch table: a number of launches of equally many workgroups, dealt to four streams in turn.
#[derive(Clone, Copy)]
pub(super) struct Table {
    pub(super) launches: u64,
    pub(super) workgroups: u64,
}

/// Workgroups of one launch that start in one tick: (index of the launch, [(compute unit, number of
/// workgroups that start there)]).
type Front = (usize, Vec<(u8, u8)>);

impl Table {
    /// Returns, for the launch with the index `number`, (time at which its host issues it, its
    /// duration alone on the device), in ns.
    const fn times(number: u64) -> (u64, u64) {
        (number * 2_500, 6_000 + number * 7_919 % 13 * 500)
    }

    /// Writes the launch table to a file in the form that raddle imports.
    pub(super) fn write(self, file: &Path) -> Result<()> {
        let mut text = "# device = v100\nname,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,vgprs_per_thread,lds_bytes,arrival_ns,start_ns,duration_ns\n".to_owned();
        let mut ends = [0; STREAMS as usize];
        for number in 0..self.launches {
            let (at, lasts) = Self::times(number);
            let (stream, end) = (number % STREAMS, &mut ends[(number % STREAMS) as usize]);
            let start = (*end).max(at + 5_000);
            *end = start + lasts + 1_000;
            let (kernel, grid) = (number % 17, self.workgroups);
            writeln!(text, "k{kernel},{stream},{grid},1,1,256,1,1,32,0,{at},{start},{lasts}")?;
        }
        super::write(file, &text)
    }

    /// Simulates the launches. Returns (number of starts of workgroups, end of the last one in ns).
    pub(super) fn leftover(self) -> (u64, u64) {
        let rounds = self.workgroups.div_ceil(UNITS as u64 * u64::from(ROOM));
        let lasts = |launch: usize| Self::times(launch as u64).1 / rounds;
        let mut left = vec![(self.workgroups, self.workgroups); self.launches as usize];
        let (mut free, mut ready) = ([ROOM; UNITS], VecDeque::<usize>::new());
        // (ns, 0 for an issue and 1 for an end, launch or front).
        let mut queue: BinaryHeap<Reverse<(u64, u8, usize)>> = (0..(STREAMS as usize)
            .min(left.len()))
            .map(|it| Reverse((Self::times(it as u64).0, 0, it)))
            .collect();
        let (mut fronts, mut spare) = (Vec::<Front>::new(), Vec::new());
        let (mut starts, mut now) = (0, 0);
        while let Some(&Reverse((at, ..))) = queue.peek() {
            now = at;
            while let Some(Reverse((_, kind, number))) = queue.pop_if_at(now) {
                if kind == 0 {
                    ready.push_back(number);
                    continue;
                }
                let (launch, units) = &fronts[number];
                let ended = &mut left[*launch].1;
                for &(unit, count) in units {
                    free[usize::from(unit)] += count;
                    *ended -= u64::from(count);
                }
                let next = launch + STREAMS as usize;
                if *ended == 0 && next < left.len() {
                    queue.push(Reverse((now.max(Self::times(next as u64).0), 0, next)));
                }
                spare.push(number);
            }
            while let Some(&launch) = ready.front() {
                let slot = spare.pop().unwrap_or_else(|| {
                    fronts.push((0, Vec::new()));
                    fronts.len() - 1
                });
                let (of, units) = &mut fronts[slot];
                *of = launch;
                units.clear();
                deal(&mut free, &mut left[launch].0, units);
                if units.is_empty() {
                    spare.push(slot);
                    break;
                }
                starts += 1;
                queue.push(Reverse((now + lasts(launch), 1, slot)));
                if left[launch].0 > 0 {
                    break;
                }
                ready.pop_front();
            }
        }
        (starts, now)
    }
}

/// Deals the `left` workgroups to compute units, each to one with most room. `free` is the room of
/// each unit in workgroups; (unit, number that it gets) is added to `units`.
fn deal(free: &mut [u8; UNITS], left: &mut u64, units: &mut Vec<(u8, u8)>) {
    let before = *free;
    for level in (1..=ROOM).rev() {
        for room in free.iter_mut().filter(|room| **room == level) {
            if *left == 0 {
                break;
            }
            *room -= 1;
            *left -= 1;
        }
    }
    let taken = (0u8..).zip(before.iter().zip(free.iter()));
    units.extend(taken.map(|(unit, (before, free))| (unit, before - free)).filter(|it| it.1 > 0));
}

/// Queue of events, each as (time in ns, kind, index); one is taken only if its time is `now`.
trait Queue {
    fn pop_if_at(&mut self, now: u64) -> Option<Reverse<(u64, u8, usize)>>;
}

impl Queue for BinaryHeap<Reverse<(u64, u8, usize)>> {
    fn pop_if_at(&mut self, now: u64) -> Option<Reverse<(u64, u8, usize)>> {
        if self.peek().is_some_and(|Reverse((at, ..))| *at == now) { self.pop() } else { None }
    }
}
