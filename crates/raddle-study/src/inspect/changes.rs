//! What differs between two recordings of one program?

use std::collections::BTreeMap;

use raddle_sim::percentile;
use raddle_trace::{Op, OpKind, Profile, repetitions};
use serde::Serialize;

use super::concurrency::Concurrency;
use super::idle::RecordedIdle;
use super::kernels::family;
use crate::devices::{own, own_or_guess};
use crate::launches::kernels;
use crate::result::of_files;
use crate::units::{count, plain, share};

/// Number of characters to which a warning shortens the name of a profile.
const NAME: usize = 40;
/// Divisor for the difference of two numbers of launches: 5 stands for a fifth of the larger one.
/// Recordings that differ by more than that are taken to hold unequal amounts of work.
const UNEQUAL: u64 = 5;

/// Comparison of two recordings of the same program. Times are nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProfileChanges {
    /// Names of both profiles; the second one is compared with the first.
    pub profiles: [String; 2],
    /// Figures of each of the two recordings as a whole, such as its length and its number of
    /// launches.
    pub totals: [RecordedTotals; 2],
    /// Families of kernels (similar names), sorted by how much their total time changed, the
    /// largest change first.
    pub families: Vec<FamilyChange>,
    /// Facts about the files that may make the comparison wrong, one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overturning: Vec<String>,
}

/// Figures of one recording as a whole, such as its length and its number of launches.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RecordedTotals {
    /// Words for the device of the recording; `None` where neither the file nor the names of
    /// kernels tell it.
    pub device: Option<String>,
    /// Number of times that the recording repeats the same launches in the same order, as steps or
    /// requests do; 1 where it does not repeat as a whole.
    pub repetitions: u64,
    /// Length of the recording, from its first begin to its last end, in ns.
    pub span_ns: u64,
    /// Time of the recording in which at least one kernel ran, in ns.
    pub busy_ns: u64,
    /// Time of the recording in which no kernel ran, and why.
    pub idle: RecordedIdle,
    /// Sum of the durations of all kernels, in ns; kernels that overlap are each counted in full.
    pub kernel_ns: u64,
    /// Number of kernel launches in the recording.
    pub launches: u64,
    /// Sum of the durations of all copies and fills, in ns; those that overlap are each counted in
    /// full.
    pub copy_ns: u64,
    /// Number of copies and fills in the recording.
    pub copies: u64,
}

/// Launches of one family of kernels (similar names), in each of two recordings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FamilyChange {
    /// Name that the kernels of the family share, as [`family`](super::family) returns it.
    pub family: String,
    /// Number and durations of the family's launches in each of the two recordings; `None` where a
    /// recording has no launch of the family.
    pub launches: [Option<FamilyTimes>; 2],
}

/// Number and durations of the launches of one kernel family (similar names) in one recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FamilyTimes {
    /// Number of launches of the kernel family.
    pub launches: u64,
    /// Sum of the durations of the family's launches, in ns.
    pub total_ns: u64,
    /// Median of the durations of the family's launches, in ns.
    pub median_ns: u64,
}

impl FamilyChange {
    /// Returns the sum of the durations of the family's launches in each recording, in ns; 0 where
    /// a recording has none.
    #[must_use]
    pub fn totals(&self) -> [u64; 2] {
        self.launches.map(|times| times.map_or(0, |times| times.total_ns))
    }
}

impl ProfileChanges {
    /// Compares the recording `second` with the recording `first`, each given with its name.
    #[must_use]
    pub fn of(first: (&str, &Profile), second: (&str, &Profile)) -> Self {
        let both = [first.1, second.1];
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
            totals: both.map(RecordedTotals::of),
            families,
            overturning: [unlike([first, second]), of_files([first, second])].concat(),
        }
    }

    /// Returns the fraction of all kernel time, 0 to 1, that is in kernel families which both
    /// recordings have. All kernel time is that of both recordings together.
    #[must_use]
    pub fn common(&self) -> f64 {
        let sum = |all: &mut dyn Iterator<Item = &FamilyChange>| {
            all.flat_map(FamilyChange::totals).map(u128::from).sum::<u128>()
        };
        let in_both = |it: &&FamilyChange| it.launches.iter().all(Option::is_some);
        let both = sum(&mut self.families.iter().filter(in_both));
        share(both, sum(&mut self.families.iter()))
    }

    /// Returns the kernel families that one of the recordings alone has, as [of the first, of the
    /// second]; `None` where a recording has no family of its own. Kernels of the second may do the
    /// work of kernels of the first under other names, as those of another device or library do.
    #[must_use]
    pub fn of_one_alone(&self) -> Option<[LoneFamilies<'_>; 2]> {
        let of = |at: usize| {
            let alone = self.families.iter().filter(|it| it.launches[1 - at].is_none());
            let largest = alone.clone().max_by_key(|it| it.totals()[at])?;
            let total_ns = alone.map(|it| it.totals()[at]).fold(0, u64::saturating_add);
            Some(LoneFamilies { total_ns, largest: &largest.family })
        };
        Some([of(0)?, of(1)?])
    }
}

/// Kernel families (kernels with similar names) that one of two recordings alone has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoneFamilies<'c> {
    /// Sum of the durations of all launches of families that one recording alone has, in ns.
    pub total_ns: u64,
    /// Name of the family, among those that one recording alone has, with the longest total time.
    pub largest: &'c str,
}

/// Returns the reasons, one line each, why times of two recordings cannot be compared directly:
/// they are of different devices, or hold unequal amounts of work. Each recording is given with its
/// name.
fn unlike(both: [(&str, &Profile); 2]) -> Vec<String> {
    let mut told = Vec::new();
    let [a, b] = both.map(|(name, _)| plain(name, NAME));
    let so = "so times are not comparable as they are";
    if let [Ok(one), Ok(other)] = both.map(|(_, profile)| own(profile))
        && !one.device.is_same_kind(&other.device)
    {
        let [one, other] = [one, other].map(|of| of.facts());
        told.push(format!("{a} is of {one}, {b} of {other}, {so}"));
    }
    let repeated = both.map(|(_, profile)| repetitions(profile) as u64);
    let launches = both.map(|(_, profile)| kernels(profile).count() as u64);
    let [least, most] = [launches[0].min(launches[1]), launches[0].max(launches[1])];
    let (numbers, what) = match repeated {
        // Where one repeats nothing, the number of its steps is unknown.
        [one, other] if one > 1 && other > 1 && one != other => (repeated, "equal repetitions"),
        [one, other] if one > 1 && other > 1 => return told,
        _ if (most - least).saturating_mul(UNEQUAL) > most => (launches, "launches"),
        _ => return told,
    };
    let [one, other] = numbers.map(count);
    told.push(format!("{a} holds {one} {what}, {b} {other}: if they are of unequally many steps, compare medians, not sums"));
    told
}

impl RecordedTotals {
    fn of(profile: &Profile) -> Self {
        let copies = || profile.ops.iter().filter(|op| op.kind != OpKind::Kernel);
        let sum = |all: u64, op: &Op| op.duration_ns.saturating_add(all);
        Self {
            device: own_or_guess(profile).ok().map(|chosen| chosen.facts().to_string()),
            repetitions: repetitions(profile) as u64,
            span_ns: profile.span_ns,
            busy_ns: Concurrency::of(profile).busy_ns,
            idle: RecordedIdle::of(profile),
            kernel_ns: kernels(profile).fold(0, sum),
            launches: kernels(profile).count() as u64,
            copy_ns: copies().fold(0, sum),
            copies: copies().count() as u64,
        }
    }
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

    use super::super::RecordedCause;
    use super::*;

    fn table(rows: &str) -> Profile {
        let head = "name,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,arrival_ns,start_ns,\
                    duration_ns\n";
        read("t.csv", format!("{head}{rows}").as_bytes(), &ImportConfig::default())
            .expect("a launch table")
    }

    #[test]
    fn unequal_recordings_are_told() {
        let of = |device: &str, steps: usize| {
            let head = format!(
                "# device = {device}\nname,stream,grid_x,grid_y,grid_z,block_x,\
                                block_y,block_z,arrival_ns,start_ns,duration_ns\n"
            );
            let rows: String = (0..steps * 2)
                .map(|at| format!("k{},1,8,1,1,64,1,1,{at}00,{at}00,90\n", at % 2))
                .collect();
            read("t.csv", (head + &rows).as_bytes(), &ImportConfig::default()).expect("a table")
        };
        let told = |first: &Profile, second: &Profile| {
            ProfileChanges::of(("a", first), ("b", second)).overturning
        };
        let base = of("v100", 10);
        assert_eq!(told(&base, &of("v100", 10)), [""; 0]);
        let more = told(&base, &of("v100", 12));
        assert_eq!(more.len(), 1, "{more:?}");
        assert!(more[0].starts_with("a holds 10 equal repetitions, b 12: "), "{more:?}");
        let other = told(&base, &of("h100", 10));
        assert!(other.len() == 1 && other[0].contains("V100 (v100, "), "{other:?}");
        assert!(other[0].contains("times are not comparable as they are"), "{other:?}");
        // Without steps that repeat, the launches tell.
        let once = of("v100", 1);
        let launches = told(&base, &once);
        assert!(launches[0].starts_with("a holds 20 launches, b 2: "), "{launches:?}");
        let totals = ProfileChanges::of(("a", &base), ("b", &once)).totals;
        assert_eq!(totals.each_ref().map(|it| it.repetitions), [10, 1]);
        assert!(totals[0].device.as_ref().is_some_and(|device| device.contains("v100")));
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
        let both = |of: fn(&RecordedTotals) -> u64| changes.totals.each_ref().map(of);
        assert_eq!(both(|it| it.span_ns), [160, 350]);
        assert_eq!(both(|it| it.busy_ns), [150, 280]);
        assert_eq!(both(|it| it.idle.caused_by(RecordedCause::Host)), [0, 50]);
        assert_eq!(both(|it| it.launches), [2, 4]);
        assert_eq!(changes.of_one_alone(), None, "the first has no family of its own");
        let older = table("gemm<64>,1,8,1,1,64,1,1,0,10,100\nold,1,8,1,1,64,1,1,20,110,50\n");
        let [one, other] = ProfileChanges::of(("a", &older), ("b", &second))
            .of_one_alone()
            .expect("both have families of their own")
            .map(|it| (it.total_ns, it.largest.to_owned()));
        assert_eq!((one, other), ((50, "old".to_owned()), (190, "add".to_owned())));
        assert!((changes.common() - 420.0 / 430.0).abs() < 0.001, "{}", changes.common());
    }
}
