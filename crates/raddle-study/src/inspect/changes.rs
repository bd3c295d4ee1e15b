//! What differs between two recordings of one program?

use std::collections::BTreeMap;

use raddle_sim::percentile;
use raddle_trace::{OpKind, Profile};
use serde::Serialize;

use super::concurrency::Concurrency;
use super::idle::{RecordedCause, RecordedIdle};
use super::kernels::family;
use crate::launches::kernels;
use crate::units::share;

/// Two recordings side by side. Times are nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProfileChanges {
    /// The names of both profiles: the one that the other is measured by, and the other.
    pub profiles: [String; 2],
    /// The figures of whole recordings.
    pub figures: Vec<RecordedFigure>,
    /// The families of kernels, by how much their time changed, most first.
    pub families: Vec<FamilyChange>,
}

/// One figure of both recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RecordedFigure {
    /// The name of the figure.
    pub name: &'static str,
    /// True for a number; false for a time in nanoseconds.
    #[serde(skip)]
    pub counts: bool,
    /// The figure in both recordings.
    pub values: [u64; 2],
}

/// The launches of one family of kernels in both recordings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FamilyChange {
    /// The name of the family, by [`family`](super::family).
    pub family: String,
    /// The launches in both recordings; absent where there are none.
    pub launches: [Option<FamilyTimes>; 2],
}

/// The times of the launches of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FamilyTimes {
    /// The number of launches.
    pub launches: u64,
    /// The sum of their times.
    pub total_ns: u64,
    /// The median of their times.
    pub median_ns: u64,
}

impl FamilyChange {
    /// Returns the sums of both recordings; 0 where there are no launches.
    #[must_use]
    pub fn totals(&self) -> [u64; 2] {
        self.launches.map(|times| times.map_or(0, |times| times.total_ns))
    }
}

impl ProfileChanges {
    /// Compares a recording with the one that it is measured by.
    #[must_use]
    pub fn of(first: (&str, &Profile), second: (&str, &Profile)) -> Self {
        let both = [first.1, second.1];
        let totals = both.map(totals);
        let figures = totals[0].iter().zip(&totals[1]);
        let figures = figures.map(|(&(name, counts, a), &(.., b))| RecordedFigure {
            name,
            counts,
            values: [a, b],
        });
        let mut families: BTreeMap<&str, [Option<FamilyTimes>; 2]> = BTreeMap::new();
        for (at, profile) in both.into_iter().enumerate() {
            for (name, times) in family_times(profile) {
                families.entry(name).or_default()[at] = Some(times);
            }
        }
        let families = families.into_iter();
        let families =
            families.map(|(name, launches)| FamilyChange { family: name.to_owned(), launches });
        let mut families: Vec<FamilyChange> = families.collect();
        families.sort_by_key(|change| {
            let [a, b] = change.totals();
            std::cmp::Reverse((a.abs_diff(b), a.max(b)))
        });
        Self {
            profiles: [first.0, second.0].map(str::to_owned),
            figures: figures.collect(),
            families,
        }
    }

    /// Returns the share of the time of all kernels that families of both recordings have.
    #[must_use]
    pub fn common(&self) -> f64 {
        let sum = |all: &mut dyn Iterator<Item = &FamilyChange>| {
            all.flat_map(FamilyChange::totals).map(u128::from).sum::<u128>()
        };
        let in_both = |it: &&FamilyChange| it.launches.iter().all(Option::is_some);
        let both = sum(&mut self.families.iter().filter(in_both));
        share(both, sum(&mut self.families.iter()))
    }

    /// Returns a figure of both recordings by its name; 0 where there is none of that name.
    #[must_use]
    pub fn figure(&self, name: &str) -> [u64; 2] {
        self.figures.iter().find(|figure| figure.name == name).map_or([0; 2], |it| it.values)
    }
}

/// Returns the figures of a recording: the name, whether it is a number, and the value.
fn totals(profile: &Profile) -> Vec<(&'static str, bool, u64)> {
    let idle = RecordedIdle::of(profile);
    let copies = profile.ops.iter().filter(|op| op.kind != OpKind::Kernel);
    let copied = copies.clone().fold(0, |sum, op| op.duration_ns.saturating_add(sum));
    let kernel_time = kernels(profile).fold(0, |sum, op| op.duration_ns.saturating_add(sum));
    let mut figures = vec![
        ("span", false, profile.span_ns),
        ("kernels ran", false, Concurrency::of(profile).busy_ns),
        ("no kernel ran", false, idle.idle_ns),
    ];
    figures.extend(RecordedCause::ALL.map(|cause| (cause.told(), false, idle.caused_by(cause))));
    figures.extend([
        ("time of all kernels", false, kernel_time),
        ("launches", true, kernels(profile).count() as u64),
        ("time of copies and fills", false, copied),
        ("copies and fills", true, copies.count() as u64),
    ]);
    figures
}

fn family_times(profile: &Profile) -> BTreeMap<&str, FamilyTimes> {
    let mut found: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for op in kernels(profile) {
        let name = profile.kernels.get(op.kernel as usize).map_or("", String::as_str);
        found.entry(family(name)).or_default().push(op.duration_ns);
    }
    let times = |(name, mut durations): (_, Vec<u64>)| {
        durations.sort_unstable();
        let total_ns = durations.iter().fold(0_u64, |sum, &ns| sum.saturating_add(ns));
        let launches = durations.len() as u64;
        (name, FamilyTimes { launches, total_ns, median_ns: percentile(&durations, 50) })
    };
    found.into_iter().map(times).collect()
}

#[cfg(test)]
mod tests {
    use raddle_trace::{ImportConfig, read};

    use super::*;

    fn table(rows: &str) -> Profile {
        let head = "name,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,arrival_ns,start_ns,\
                    duration_ns\n";
        read("t.csv", format!("{head}{rows}").as_bytes(), &ImportConfig::default())
            .expect("a launch table")
    }

    #[test]
    fn families_come_by_how_much_their_time_changed() {
        let first = table("gemm<64>,1,8,1,1,64,1,1,0,10,100\nadd_1,1,8,1,1,64,1,1,20,110,50\n");
        let second = table(
            "gemm<128>,1,8,1,1,64,1,1,0,10,90\nadd_2,1,8,1,1,64,1,1,150,160,150\n\
             add_3,1,8,1,1,64,1,1,150,310,30\nnew,1,8,1,1,64,1,1,150,340,10\n",
        );
        let changes = ProfileChanges::of(("a", &first), ("b", &second));
        let told: Vec<(&str, [u64; 2])> =
            changes.families.iter().map(|it| (&*it.family, it.totals())).collect();
        assert_eq!(told, [("add", [50, 180]), ("gemm", [100, 90]), ("new", [0, 10])]);
        assert_eq!(
            changes.families[0].launches[1].map(|it| (it.launches, it.median_ns)),
            Some((2, 30))
        );
        assert_eq!(changes.families[2].launches[0], None);
        assert_eq!(changes.figure("span"), [160, 350]);
        assert_eq!(changes.figure("kernels ran"), [150, 280]);
        assert_eq!(changes.figure("nothing was issued"), [0, 50]);
        assert_eq!(changes.figure("launches"), [2, 4]);
        assert!((changes.common() - 420.0 / 430.0).abs() < 0.001, "{}", changes.common());
    }
}
