//! Does a pool load what a plain scan of its entries loads, where its columns are hardest put?
//!
//! Pools that a random search does not find: one old process beside young ones that ran for most of
//! their lives, and ages as long as the clock can say. Pools of every make at random, while tasks come,
//! run and go: some far older, some that ran far longer, many alike, shares small and huge.

use raddle_policy::{Level, Tick, Ticks};
use raddle_timeslice::{Levels, Pool, Runnable, StageOne, Task, TaskId};

fn task(id: u32, level: u8, share: u64, (created, ran): (u64, u64)) -> Task {
    Task { id: TaskId(id), level: Level(level), share, created: Tick(created), ran: Ticks(ran) }
}

/// Which position is loaded where one fits: by the pool, and by a plain scan.
fn loaded(tasks: &[Task], now: u64, t0: u64) -> [Vec<usize>; 2] {
    let mut pool = Pool::new(Levels::default());
    for task in tasks {
        pool.add(*task, Tick(now)).expect("a task as it may be");
    }
    let mut stage = StageOne::new(Ticks(t0), 1).expect("a slice and room for one");
    let (mut quick, mut plain) = (Vec::new(), Vec::new());
    pool.load(&mut stage, &mut quick);
    stage.load(pool.entries(), &mut plain);
    [quick, plain].map(|list| list.iter().map(|loaded| loaded.index).collect())
}

#[test]
fn one_old_process_beside_young_ones() {
    let (now, ran) = ((1 << 47) + (1 << 33) - 10, 1_u64 << 32);
    let mut tasks = vec![task(0, 1, 1, (0, 0)), task(1, 1, 1, (now - ran, ran - 1))];
    tasks.extend((2..34).map(|id| task(id, 0, 1, (now - ran / 2 * 3, ran))));
    // Owed 1.9 where the others are owed 1.5.
    tasks.push(task(34, 0, 1, (now - ran / 10 * 19, ran)));
    assert_eq!(loaded(&tasks, now, 1), [[34], [34]]);
}

#[test]
fn the_longest_slice_there_can_be() {
    let tasks: Vec<Task> = (0..40).map(|id| task(id, 0, 2 + u64::from(id == 35), (0, 0))).collect();
    for t0 in [u64::MAX, u64::MAX - 1, 1 << 63] {
        assert_eq!(loaded(&tasks, 0, t0), [[35], [35]], "{t0}");
    }
}

/// Numbers at random, the same each time.
struct Random(u64);

impl Random {
    fn any(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// Below that, which is not 0.
    fn below(&mut self, count: u64) -> u64 {
        self.any() % count
    }

    /// Up to so many bits, of every length alike.
    fn up_to_bits(&mut self, bits: u64) -> u64 {
        let bits = 1 + self.below(bits);
        self.any() >> (64 - bits)
    }

    fn pick(&mut self, from: &[u64]) -> u64 {
        from[self.below(from.len() as u64) as usize]
    }
}

/// How tasks of a pool are made: bits of ages, how one runs, shares, levels; one in so many is odd.
struct Make {
    age_bits: u64,
    run: u64,
    least_share: u64,
    shares: u64,
    levels: u64,
    odd: u64,
}

impl Make {
    fn at_random(random: &mut Random) -> Self {
        Self {
            age_bits: 2 + random.below(60),
            run: random.below(6),
            least_share: random.pick(&[1, 1, 1, 100, 100_000, u64::MAX / 2]),
            shares: random.pick(&[1, 1, 3, 100, 1 << 20, u64::MAX / 2]),
            levels: random.pick(&[1, 1, 1, 2, 16]),
            odd: random.pick(&[2, 9, 100, 1 << 60]),
        }
    }

    fn task(&self, id: u32, now: u64, t0: u64, random: &mut Random) -> Task {
        let odd = random.below(self.odd) == 0;
        let bits = if odd { 63 } else { self.age_bits };
        let age = match self.run {
            // Few ages, so that many are alike.
            0 | 1 => random.below(3) << (bits - 1),
            2 => random.up_to_bits(bits),
            _ => (1 << (bits - 1)) + random.any() % (1 << (bits - 1)),
        };
        let age = age.min(now);
        let ran = match self.run {
            0 => random.below(3) * (age / 4),
            1 | 3 if !odd => random.below(2) * t0.min(age),
            4 => age / 7 + random.below(age / 1000 + 1),
            5 if !odd => random.below(t0.min(age).saturating_add(1).max(1)),
            _ => random.below(age.saturating_add(1).max(1)),
        };
        let share = self.least_share + random.below(self.shares);
        task(id, random.below(self.levels) as u8, share, (now - age, ran.min(age)))
    }
}

/// Changes the pool in some way.
fn step(pool: &mut Pool, make: &Make, t0: u64, next: &mut u32, random: &mut Random) {
    let now = pool.now().0;
    let one = random.below(pool.tasks().len().max(1) as u64) as usize;
    let one = pool.tasks().get(one).copied();
    let done = match (random.below(8), one) {
        (0 | 1, Some(task)) => pool.complete(task.id, pool.now()).map(drop),
        (2..=4, Some(task)) => {
            let free = now - task.created.0 - task.ran.0;
            let ran = random.below(free.saturating_add(1).max(1));
            let ran = if random.below(2) == 0 { ran } else { ran.min(t0) };
            pool.charge(task.id, Ticks(ran), pool.now())
        }
        (5, _) => {
            let bits = make.age_bits;
            pool.advance(Tick(now.saturating_add(random.up_to_bits(bits))))
        }
        _ => {
            *next += 1;
            pool.add(make.task(*next, now, t0, random), pool.now())
        }
    };
    done.expect("a step as it may be");
}

#[test]
fn pools_of_every_make() {
    let (mut random, mut beyond) = (Random(1), 0);
    for _ in 0..1500 {
        let make = Make::at_random(&mut random);
        let t0 = match random.below(4) {
            0 => 1,
            1 => u64::MAX >> random.below(64),
            _ => random.up_to_bits(make.age_bits).max(1),
        };
        let mut pool = Pool::new(Levels::default());
        pool.advance(Tick(random.any() >> random.below(4))).expect("the first time");
        let (mut next, now) = (random.below(400) as u32, pool.now());
        for id in 0..next {
            pool.add(make.task(id, now.0, t0, &mut random), now).expect("a task as it may be");
        }
        let capacity = 1 + random.below(20) as usize;
        let mut stage = StageOne::new(Ticks(t0), capacity).expect("a slice and room");
        let (mut quick, mut plain) = (Vec::new(), Vec::new());
        for _ in 0..12 {
            let found = pool.load(&mut stage, &mut quick);
            assert_eq!(found, stage.load(pool.entries(), &mut plain));
            assert_eq!(quick, plain, "{:?} at {}, t0 {t0}, {capacity}", pool.tasks(), pool.now());
            beyond += u32::from(found.is_some_and(|found| found.count > 4 * capacity));
            for _ in 0..random.pick(&[1, 10, 100]) {
                step(&mut pool, &make, t0, &mut next, &mut random);
            }
        }
    }
    assert!(beyond > 5000, "most had more than fits: {beyond}");
}
