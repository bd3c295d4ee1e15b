//! What do pools of 10,000 processes look like?
//!
//! For the bench, and for the test that counts at how many of them a load looks.

use raddle_policy::{Level, Ticks};

use crate::Entry;

pub(crate) const T0: Ticks = Ticks(40_000_000);

/// Numbers that look random.
fn mixed(n: u64) -> u64 {
    let mut x = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^= x >> 29;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ (x >> 32)
}

/// A pool, and how many of it are looked at at most.
pub(crate) const POOLS: [(&str, usize); 25] = [
    ("at random", 120),
    ("at random, 2 levels", 80),
    ("at random, 16 levels", 60),
    ("at random, shares 1 to 4", 130),
    ("8 urgent among the others", 8),
    ("9 urgent among the others", 9),
    ("nearly equal", 390),
    ("all equal", 230),
    ("run time a quarter of age, within 1 %", 1700),
    ("none has run", 310),
    ("none has run, one huge share", 310),
    ("none has run, shares 1 to 100", 160),
    ("one ran 1,000 times longer", 130),
    ("one is 1,000 times older", 140),
    ("all younger than t0", 80),
    ("all younger than t0, shares 1 or 1,000", 80),
    ("all younger than t0, shares 100 to 1,000", 130),
    ("newcomers among the old", 150),
    ("fair: a slice or two each", 210),
    ("half ran, half never", 300),
    ("each owed less than those before", 40),
    ("each owed more than those before", 720),
    // Where 16 bits tell too little, up to all are looked at.
    ("of a minute and of 10 days", 980),
    ("none has run, begun within 1 ms", 10_000),
    ("run time a quarter of age, exactly", 10_000),
];

/// How old a process is and how long it ran, in nanoseconds.
fn times(kind: &str, n: u64) -> (u64, u64) {
    const SECOND: u64 = 1_000_000_000;
    let (random, other) = (mixed(n), mixed(!n));
    let old = 700 * SECOND + other % (9 * SECOND);
    let any_age = SECOND / 1000 + other % (700 * SECOND);
    let young = other % T0.0;
    match kind {
        "nearly equal" => (old, 60 * SECOND + random % 1_000_000),
        "all equal" => (700 * SECOND, 60 * SECOND),
        "run time a quarter of age, within 1 %" => {
            (any_age, any_age / 40_000 * (10_000 + random % 100))
        }
        "run time a quarter of age, exactly" => (any_age / 4 * 4, any_age / 4),
        "one ran 1,000 times longer" if n == 4321 => (old, 600 * SECOND),
        "one ran 1,000 times longer" => (old, SECOND / 5 + random % (2 * SECOND / 5)),
        "one is 1,000 times older" if n == 4321 => (old, random % (600 * SECOND)),
        "one is 1,000 times older" => {
            let age = SECOND / 2 + other % (SECOND / 5);
            (age, random % age)
        }
        "newcomers among the old" if n.is_multiple_of(3) => (other % (60 * SECOND), 0),
        "fair: a slice or two each" => (old, T0.0 + random % 2 * T0.0 + random % 40_000),
        "half ran, half never" => (old, n % 2 * (60 * SECOND + random % SECOND)),
        "each owed less than those before" => (700 * SECOND, SECOND + n * SECOND / 20),
        "each owed more than those before" => (700 * SECOND, 600 * SECOND - n * SECOND / 20),
        "of a minute and of 10 days" => {
            let age = if n.is_multiple_of(2) { 60 } else { 864_000 } * SECOND + other % SECOND;
            (age, random % age)
        }
        "none has run, begun within 1 ms" => (700 * SECOND + other % (SECOND / 1000), 0),
        _ if kind.starts_with("none has run") => (old, 0),
        _ if kind.starts_with("all younger") => (young, random % (young + 1)),
        _ => (old, random % (600 * SECOND)),
    }
}

/// 10,000 processes of such a pool.
pub(crate) fn entries(kind: &str) -> impl Iterator<Item = Entry> + '_ {
    let entry = move |n: u64| {
        let (alive, ran) = times(kind, n);
        let level = match kind {
            "at random, 2 levels" => 3 + mixed(n + 1) % 2,
            "at random, 16 levels" => 3 + mixed(n + 1) % 16,
            "8 urgent among the others" => 3 + u64::from(n % 1250 != 600),
            "9 urgent among the others" => 3 + u64::from(n % 1112 != 600),
            _ => 3,
        };
        let share = match kind {
            "at random, shares 1 to 4" => 1 + mixed(n + 2) % 4,
            "none has run, one huge share" if n == 1234 => 1_000_000,
            "none has run, shares 1 to 100" => 1 + mixed(n + 2) % 100,
            "all younger than t0, shares 1 or 1,000" => 1 + mixed(n + 2) % 2 * 999,
            "all younger than t0, shares 100 to 1,000" => 100 + mixed(n + 2) % 901,
            _ => 1,
        };
        Entry { level: Level(level as u8), share, alive: Ticks(alive), ran: Ticks(ran) }
    };
    (0..10_000).map(entry)
}
