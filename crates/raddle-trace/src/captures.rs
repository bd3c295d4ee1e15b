//! Which grid and workgroup does a kernel of a graph have, by the launches that were recorded while
//! the graph was captured?
//!
//! A graph launch does not record the shapes (grid and workgroup) of its kernels, but the capture
//! of the graph does. A capture fits a graph launch that runs each of the capture's kernels equally
//! often, and whose batch size, padded, is the capture's; then the k-th launch of a kernel has the
//! shape of the k-th in the capture. Where no capture fits, or several that differ, a kernel gets
//! the shape that most captured launches of its name have, those for the batch size first, or else
//! most launches of its name that ran.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use raddle_policy::Dim3;

/// Grid and workgroup size of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KernelShape {
    /// Grid of the kernel, in workgroups.
    pub(crate) grid: Dim3,
    /// Number of workgroups in the grid; 0 where a workgroup has no work-items.
    pub(crate) workgroups: u64,
    /// Number of work-items in a workgroup.
    pub(crate) threads: u32,
    /// True if the grid, counted in work-items, is no whole number of workgroups.
    pub(crate) uneven: bool,
}

/// Shape (grid and workgroup) of a kernel in a captured graph, with the dynamic shared memory of
/// its launch in bytes, `None` if unknown.
pub(crate) type Launched = (KernelShape, Option<u32>);

/// Launches of one kernel, grouped by equal shape (grid and workgroup) and equal shared memory in
/// bytes (`None` if unknown).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AlikeLaunches(BTreeMap<([u32; 4], Option<u32>), EqualLaunches>);

/// Launches of one kernel with equal grid, workgroup and shared memory: their number, and the first
/// of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct EqualLaunches {
    count: u64,
    /// Index, among all ops of the profile, of the first launch of the group.
    first: usize,
    launched: Launched,
}

impl AlikeLaunches {
    pub(crate) fn add(&mut self, at: usize, (shape, lds): Launched) {
        // A kernel that gets this shape has no grid of its own that could be uneven.
        let shape = KernelShape { uneven: false, ..shape };
        let grid = shape.grid;
        let key = ([grid.x, grid.y, grid.z, shape.threads], lds);
        let new = EqualLaunches { count: 0, first: at, launched: (shape, lds) };
        self.0.entry(key).or_insert(new).count += 1;
    }

    /// Returns the shape (grid and workgroup) and shared memory that most of these launches have;
    /// of equally frequent ones, those that came first. `None` where there are no launches.
    pub(crate) fn commonest(&self) -> Option<Launched> {
        let most = |alike: &&EqualLaunches| (alike.count, Reverse(alike.first));
        self.0.values().max_by_key(most).map(|alike| alike.launched)
    }
}

/// Known shapes (grid and workgroup) of kernels, from two sources: launches that a host recorded
/// into a CUDA or HIP graph (a capture), and kernels that ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphCaptures {
    pub(crate) captures: Vec<GraphCapture>,
    /// Launches of kernels that ran, by the kernel's name.
    pub(crate) ran: BTreeMap<String, AlikeLaunches>,
}

/// The launches that were recorded while one graph was captured, by the kernel's name; the launches
/// of each kernel are in the order of the calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GraphCapture {
    pub(crate) batch: Option<u64>,
    pub(crate) launches: BTreeMap<String, Vec<Launched>>,
}

/// Way in which the shape (grid and workgroup) of a kernel in a launched graph was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// By order: the k-th launch of a kernel's name in the graph has the grid and workgroup of the
    /// k-th launch of that name in the capture.
    InOrder,
    /// By name: the launch has the grid and workgroup that most captured launches of the kernel's
    /// name have.
    ByName,
}

impl GraphCaptures {
    /// Merges two collections of known shapes (grid and workgroup). Of a kernel that ran in both,
    /// only the launches in `self` count.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.captures.extend(other.captures);
        for (name, launches) in other.ran {
            self.ran.entry(name).or_insert(launches);
        }
        self
    }

    /// Finds the capture (recording of a graph) that a graph launch came from. `here` has for each
    /// kernel of the graph, by name, how often the graph launches it. A capture fits if the graph
    /// launches each of the capture's kernels equally often.
    ///
    /// Of several that fit, only those with the most launches count. Of these, the one is returned
    /// whose batch size is the least that is at least `batch` (`None` if unknown). `None` is
    /// returned where no capture fits, or where the batch size does not decide between several that
    /// differ.
    fn capture(&self, here: &BTreeMap<&str, usize>, batch: Option<u64>) -> Option<&GraphCapture> {
        let fits = |capture: &&GraphCapture| {
            let mut launches = capture.launches.iter();
            launches.all(|(name, all)| here.get(name.as_str()) == Some(&all.len()))
        };
        let mut fitting: Vec<&GraphCapture> = self.captures.iter().filter(fits).collect();
        let most = fitting.iter().map(|capture| capture.count()).max()?;
        fitting.retain(|capture| capture.count() == most);
        let size = padded(batch, &fitting);
        let of_size = |capture: &&GraphCapture| size.is_none() || capture.batch == size;
        let first = fitting.iter().copied().find(of_size)?;
        let alike = || fitting.iter().all(|capture| capture.launches == first.launches);
        (size.is_some() || alike()).then_some(first)
    }

    /// Returns the shape (grid and workgroup) that most known launches of the kernel `name` have.
    /// Launches in captures for the batch size to which `batch` is padded come first, then those in
    /// all captures, then kernels that ran. `None` where no launch of it is known.
    fn by_name(&self, name: &str, batch: Option<u64>) -> Option<Launched> {
        let all: Vec<&GraphCapture> = self.captures.iter().collect();
        let size = padded(batch, &all);
        let most = |of: &dyn Fn(&GraphCapture) -> bool| {
            let mut launches = AlikeLaunches::default();
            let these = self.captures.iter().filter(|capture| of(capture));
            let these = these.filter_map(|capture| capture.launches.get(name)).flatten();
            these.enumerate().for_each(|(at, &launched)| launches.add(at, launched));
            launches.commonest()
        };
        let ran = || self.ran.get(name)?.commonest();
        size.and_then(|_| most(&|capture| capture.batch == size))
            .or_else(|| most(&|_| true))
            .or_else(ran)
    }

    /// Returns the shape (grid and workgroup) of each kernel of one graph launch, with the way in
    /// which it was found, or `None` where it is unknown. `names` are the kernels' names in the
    /// order in which they ran, and `batch` is the batch size of the launch, `None` if unknown.
    pub(crate) fn shapes(
        &self,
        names: &[&str],
        batch: Option<u64>,
    ) -> Vec<Option<(Launched, Found)>> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        names.iter().for_each(|&name| *counts.entry(name).or_default() += 1);
        let capture = self.capture(&counts, batch);
        let mut nth: BTreeMap<&str, usize> = BTreeMap::new();
        let mut named: BTreeMap<&str, Option<Launched>> = BTreeMap::new();
        let mut one = |name| {
            let at = nth.entry(name).or_default();
            *at += 1;
            let captured = capture.and_then(|capture| capture.launches.get(name)?.get(*at - 1));
            if let Some(&launched) = captured {
                return Some((launched, Found::InOrder));
            }
            let launched = *named.entry(name).or_insert_with(|| self.by_name(name, batch));
            Some((launched?, Found::ByName))
        };
        names.iter().map(|&name| one(name)).collect()
    }
}

impl GraphCapture {
    fn count(&self) -> usize {
        self.launches.values().map(Vec::len).sum()
    }
}

/// Returns the batch size of the captured graph that a program launches for a batch of size
/// `batch`: the least one in `captures` that is at least `batch`. `None` where `batch` is unknown
/// or larger than all of them.
fn padded(batch: Option<u64>, captures: &[&GraphCapture]) -> Option<u64> {
    let batch = batch?;
    captures.iter().filter_map(|capture| capture.batch).filter(|&size| size >= batch).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(x: u32) -> Launched {
        let grid = Dim3::new(x, 1, 1);
        (KernelShape { grid, workgroups: x.into(), threads: 64, uneven: false }, Some(0))
    }

    fn capture(batch: Option<u64>, launches: &[(&str, u32)]) -> GraphCapture {
        let mut capture = GraphCapture { batch, ..GraphCapture::default() };
        for &(name, x) in launches {
            capture.launches.entry(name.to_owned()).or_default().push(shape(x));
        }
        capture
    }

    /// Returns for each kernel of a graph the x extent of the grid that it gets: negative where its
    /// shape was found by name, 0 where none was found.
    fn found(captures: &[GraphCapture], names: &[&str], batch: Option<u64>) -> Vec<i64> {
        let mut ran = AlikeLaunches::default();
        ran.add(0, shape(77));
        let ran = BTreeMap::from([("ran".to_owned(), ran)]);
        let captures = GraphCaptures { captures: captures.to_vec(), ran };
        let signed = |found: Option<(Launched, Found)>| match found {
            Some(((shape, _), Found::InOrder)) => i64::from(shape.grid.x),
            Some(((shape, _), Found::ByName)) => -i64::from(shape.grid.x),
            None => 0,
        };
        captures.shapes(names, batch).into_iter().map(signed).collect()
    }

    #[test]
    fn the_capture_of_the_batch_size_or_the_next_larger_one_gives_shapes_in_order() {
        let two = |size: u32| {
            capture(Some(size.into()), &[("a", size), ("b", 10 * size), ("a", 100 * size)])
        };
        let captures = [two(8), two(4), two(16)];
        // Among streams, kernels of other names may change places.
        for names in [["a", "b", "a"], ["b", "a", "a"]] {
            let of = |batch| {
                let mut shapes = found(&captures, &names, batch);
                shapes.sort_unstable();
                shapes
            };
            assert_eq!(of(Some(4)), [4, 40, 400]);
            assert_eq!(of(Some(5)), [8, 80, 800], "padded");
            assert_eq!(of(Some(17)), [-80, -8, -8], "none is that large: the first of equals");
            assert_eq!(of(None), [-80, -8, -8], "three that differ");
        }
        assert_eq!(found(&captures[..1], &["a", "b", "a"], None), [8, 80, 800], "only one");
        assert_eq!(found(&[two(8), two(8)], &["a", "b", "a"], None), [8, 80, 800], "all alike");
    }

    #[test]
    fn what_no_capture_launches_is_found_by_name_or_not_at_all() {
        let captures = [
            capture(Some(1), &[("a", 1), ("a", 2)]),
            capture(Some(2), &[("a", 5), ("a", 5), ("c", 9)]),
        ];
        let of = |names: &[&str], batch| found(&captures, names, batch);
        assert_eq!(of(&["a", "copy", "a", "ran"], Some(1)), [1, 0, 2, -77], "more than captured");
        assert_eq!(of(&["a"], Some(1)), [-1], "less: of the batch size, the first of equals");
        assert_eq!(of(&["a", "a", "a"], Some(9)), [-5; 3], "of all sizes, the commonest");
        assert_eq!(of(&["c", "a", "a"], None), [9, 5, 5], "the capture with the most launches");
        assert!(of(&[], None).is_empty());
    }
}
