//! How much longer does each kernel family last beside each class of neighbour, as recordings tell?

use std::collections::BTreeMap;

use raddle_device::Device;
use raddle_trace::{Op, Profile};
use serde::{Deserialize, Serialize};

use super::observed::{Shape, observed, shape};
use super::{ALONE, Charge, Contention, NeighbourClass};

/// A slowdown factor: the time of a workgroup beside neighbours, in thousandths of its time alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Factor {
    /// The median, over all observed launches, of the time beside a neighbour in thousandths of the
    /// time alone.
    pub permille: u32,
    /// The run time beside a neighbour that one launch in forty stayed below, in thousandths of the
    /// run time of the same launch alone.
    pub low: u32,
    /// The run time beside a neighbour that one launch in forty exceeded, in thousandths of the run
    /// time of the same launch alone.
    pub high: u32,
    /// The number of launches beside a neighbour that were observed for this slowdown factor.
    pub samples: u32,
}

/// A row of the contention table: the slowdown of a family of kernels (one name, any arguments)
/// beside each class of neighbour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ContentionRow {
    /// The name of the family: the kernel's name without template arguments and parameters; in a
    /// row for a whole class of kernels, the name of the class.
    pub family: String,
    /// The class of the kernels: the resource that they mostly need.
    pub class: NeighbourClass,
    /// The slowdown factor beside a neighbour that needs issue slots; `None` (`null` in JSON) where
    /// no such neighbour was observed.
    pub(crate) compute: Option<Factor>,
    /// The slowdown factor beside a neighbour that needs memory bandwidth; `None` where no such
    /// neighbour was observed.
    pub(crate) memory: Option<Factor>,
    /// The slowdown factor beside a communication kernel; `None` where no such neighbour was
    /// observed.
    pub(crate) communication: Option<Factor>,
    /// The slowdown factor beside a neighbour whose name does not tell what it needs; `None` where
    /// no such neighbour was observed.
    pub(crate) unknown: Option<Factor>,
}

/// A table, learnt from recordings, of how much neighbours slow kernels down.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ContentionTable {
    /// The rows of kernel families that were observed both with and without a neighbour, sorted by
    /// name.
    pub families: Vec<ContentionRow>,
    /// The rows of whole classes of kernels (by the resource that they need), for kernels whose
    /// family was not observed.
    pub classes: Vec<ContentionRow>,
    /// The number of observed launches that ran without a neighbour.
    pub alone: u64,
    /// The number of observed launches that ran beside a neighbour, and whose kernel also ran alone
    /// elsewhere in the recording.
    pub beside: u64,
    /// The number of observed launches that ran beside a neighbour and give no factor, as their
    /// kernel never ran alone.
    pub never_alone: u64,
}

/// The observed factors, in thousandths of the time alone: by (family of kernels, class of the
/// kernel), then by class of the neighbour.
type Samples = BTreeMap<(String, NeighbourClass), [Vec<u32>; 4]>;

impl ContentionTable {
    /// Learns a table from recordings, each given as (profile, device of the recording, time of one
    /// workgroup of each op in ns); an op is a kernel, copy or fill. The times come from
    /// [`Calibration`](crate::Calibration), which corrects for the part of the device that
    /// neighbours used; with `None`, they are derived from the recorded durations.
    #[must_use]
    pub fn learn<'p>(
        recordings: impl IntoIterator<Item = (&'p Profile, &'p Device, Option<&'p [u64]>)>,
    ) -> Self {
        let mut table = Self::default();
        let mut samples = Samples::new();
        for (profile, own, workgroups) in recordings {
            table.add(&mut samples, profile, own, workgroups);
        }
        let mut classes = Samples::new();
        for ((_, class), all) in &samples {
            let own = classes.entry((class.name().to_owned(), *class)).or_default();
            own.iter_mut().zip(all).for_each(|(own, more)| own.extend(more));
        }
        table.families = rows(samples);
        table.classes = rows(classes);
        table
    }

    fn add(
        &mut self,
        samples: &mut Samples,
        profile: &Profile,
        own: &Device,
        workgroups: Option<&[u64]>,
    ) {
        let observed = observed(profile, own, workgroups);
        let mut alone: BTreeMap<Shape, Vec<u64>> = BTreeMap::new();
        for one in observed.iter().filter(|one| one.beside.is_none()) {
            let of = shape(&profile.ops[one.op as usize]);
            alone.entry(of).or_default().push(one.workgroup_ns);
            self.alone += 1;
        }
        let alone: BTreeMap<Shape, u64> =
            alone.into_iter().map(|(of, times)| (of, median(times))).collect();
        for one in &observed {
            let (op, Some(class)) = (&profile.ops[one.op as usize], one.beside) else { continue };
            let Some(&alone) = alone.get(&shape(op)) else {
                self.never_alone += 1;
                continue;
            };
            self.beside += 1;
            let name = name(profile, op);
            let own = samples.entry((family(name), NeighbourClass::of(name))).or_default();
            own[class as usize].push(permille(one.workgroup_ns, alone));
        }
    }

    /// Returns whether the table has no factor: no kernel was observed both with and without a
    /// neighbour.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.families.is_empty()
    }

    /// Returns the slowdown factor of a kernel with this name beside a neighbour of the class
    /// `beside`: that of the kernel's family (its name without arguments), else that of the
    /// kernel's class; `None` where neither was observed.
    #[must_use]
    pub fn factor(&self, kernel: &str, beside: NeighbourClass) -> Option<Factor> {
        let family = family(kernel);
        let at = self.families.binary_search_by(|row| row.family.cmp(&family));
        let own = at.ok().and_then(|at| self.families[at].beside(beside));
        own.or_else(|| {
            let class = NeighbourClass::of(kernel);
            let row = self.classes.iter().find(|row| row.class == class)?;
            row.beside(beside)
        })
    }

    /// Returns, for each op (kernel, copy or fill) of a profile, the slowdown by kernels of other
    /// processes that a replay with `processes` processes assumes.
    #[must_use]
    pub fn charges(&self, profile: &Profile, charge: Charge, processes: usize) -> Vec<Contention> {
        let unknown = match charge {
            Charge::Most => u32::try_from(processes).unwrap_or(u32::MAX).saturating_mul(ALONE),
            _ => ALONE,
        };
        let of = |kernel: &String| Contention {
            class: NeighbourClass::of(kernel),
            permille: NeighbourClass::ALL.map(|beside| {
                let known = self.factor(kernel, beside).map(|factor| match charge {
                    Charge::Least => factor.low,
                    Charge::Expected => factor.permille,
                    Charge::Most => factor.high,
                });
                // A kernel that was faster beside another one is charged nothing: its neighbour is
                // not the cause.
                known.unwrap_or(unknown).max(ALONE)
            }),
        };
        let kernels: Vec<Contention> = profile.kernels.iter().map(of).collect();
        let charge = |op: &Op| kernels.get(op.kernel as usize).copied().unwrap_or_default();
        profile.ops.iter().map(charge).collect()
    }
}

impl ContentionRow {
    /// Returns the slowdown factor of the row's kernels beside a neighbour of this class; `None`
    /// where no such neighbour was observed.
    #[must_use]
    pub const fn beside(&self, class: NeighbourClass) -> Option<Factor> {
        match class {
            NeighbourClass::Compute => self.compute,
            NeighbourClass::Memory => self.memory,
            NeighbourClass::Communication => self.communication,
            NeighbourClass::Unknown => self.unknown,
        }
    }
}

impl Factor {
    /// Summarises observed slowdowns, in thousandths of the time alone: their median, the value
    /// that one in forty is below, and the value that one in forty is above; `None` for an empty
    /// list.
    pub(super) fn of(mut permille: Vec<u32>) -> Option<Self> {
        permille.sort_unstable();
        let last = permille.len().checked_sub(1)?;
        let at = |fortieths: usize| permille[(last * fortieths + 20) / 40];
        let samples = u32::try_from(permille.len()).unwrap_or(u32::MAX);
        Some(Self { permille: at(20), low: at(1), high: at(39), samples })
    }
}

fn rows(samples: Samples) -> Vec<ContentionRow> {
    let row = |((family, class), all): ((String, NeighbourClass), [Vec<u32>; 4])| {
        let [compute, memory, communication, unknown] = all.map(Factor::of);
        ContentionRow { family, class, compute, memory, communication, unknown }
    };
    samples.into_iter().map(row).collect()
}

/// Returns the duration `ns` in thousandths of the duration `over`.
pub(super) fn permille(ns: u64, over: u64) -> u32 {
    let over = u128::from(over.max(1));
    u32::try_from((u128::from(ns) * 1000 + over / 2) / over).unwrap_or(u32::MAX)
}

/// Returns the median of `values`, the greater of two middle values; 0 for an empty list.
pub(super) fn median(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}

pub(super) fn name<'p>(profile: &'p Profile, op: &Op) -> &'p str {
    profile.kernels.get(op.kernel as usize).map_or("", String::as_str)
}

/// Returns the family of a kernel: its name without `void`, template arguments and parameters.
fn family(kernel: &str) -> String {
    let mut depth = 0u32;
    let mut plain = String::new();
    // The parentheses of an anonymous namespace hold no parameters, so they are removed first.
    let kernel = kernel.replace("(anonymous namespace)::", "");
    for character in kernel.trim_start_matches("void ").chars() {
        match character {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 => break,
            _ if depth == 0 => plain.push(character),
            _ => {}
        }
    }
    let plain = plain.trim();
    if plain.is_empty() { kernel.clone() } else { plain.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_names_without_arguments() {
        for (kernel, expected) in [
            (
                "void at::native::vectorized_elementwise_kernel<4, at::f<int>>(int, A)",
                "at::native::vectorized_elementwise_kernel",
            ),
            (
                "void at::native::(anonymous namespace)::layer_norm<float>(long)",
                "at::native::layer_norm",
            ),
            ("volta_sgemm_128x32_nn", "volta_sgemm_128x32_nn"),
            ("<odd>", "<odd>"),
            ("", ""),
        ] {
            assert_eq!(family(kernel), expected, "{kernel}");
        }
    }

    #[test]
    fn a_factor_is_a_median_with_its_interval() {
        let all: Vec<u32> = (0..=40).map(|at| 1000 + at * 10).collect();
        let found = Factor::of(all).map(|it| (it.permille, it.low, it.high, it.samples));
        assert_eq!(found, Some((1200, 1010, 1390, 41)));
        assert_eq!(Factor::of(Vec::new()), None);
    }
}
