//! May a kernel be stopped after any instruction and run again?
//!
//! In the second run each value must be the one of an undisturbed run. That holds by induction if each
//! read is of memory that no work-item of the launch writes, or of what the same work-item has written
//! before in the same run. Which arguments share memory is known at the launch only: pairs of arguments
//! of which one is written and the other read must then lie apart.

use std::collections::{BTreeMap, BTreeSet};

use crate::flow::{Access, Effects, effects, where_decided, where_zero};
use crate::ir::{Argument, Body, Construct, PointerOrigin};
use crate::places::{PlacePair, Places};
use crate::value::{Address, Value};

/// Verdict on whether a kernel may be stopped after any instruction and run again.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Verdict {
    /// The kernel may be run again, whatever its arguments.
    Idempotent,
    /// The kernel may be run again at the launches for which these conditions hold.
    Conditional(Conditions),
    /// The kernel may not be run again, for this reason.
    Not(Reason),
    /// The analysis could not show, for this reason, that stopping a launch of the kernel part-way
    /// and running it again is harmless. The verdict counts as a no.
    Unknown(Reason),
}

/// Conditions on the arguments of a launch (by index among the kernel's arguments, from 0), under
/// which the kernel may be run again.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Conditions {
    /// Pairs of arguments (by index) whose memory must not overlap.
    pub apart: BTreeSet<(u32, u32)>,
    /// Numeric arguments (by index) whose bytes must all be zero.
    pub zero: BTreeSet<u32>,
    /// Reads and writes in the memory of one argument that must lie apart, as the numeric arguments
    /// and the sizes of a launch tell.
    pub places: Places,
}

impl<const N: usize> From<[(u32, u32); N]> for Conditions {
    fn from(apart: [(u32, u32); N]) -> Self {
        apart.into_iter().collect()
    }
}

impl FromIterator<(u32, u32)> for Conditions {
    fn from_iter<I: IntoIterator<Item = (u32, u32)>>(apart: I) -> Self {
        Self { apart: apart.into_iter().collect(), ..Self::default() }
    }
}

/// Reason of a verdict on a kernel: the construct that decided it, and its line in the source.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Reason {
    /// Construct in the kernel that decided the verdict.
    pub construct: Construct,
    /// Line in the source of the construct, from 1; 0 where the code does not give it.
    pub line: u32,
}

/// Returns the verdict whether a kernel may be run again. A kernel that may be run again only if
/// some numeric argument is zero, or if the arguments and sizes of a launch keep reads and writes
/// apart, gets the verdict [`Verdict::Conditional`].
pub(crate) fn judge(body: &Body) -> Verdict {
    let whole = judge_as_it_is(body, false);
    let is_refused = |verdict: &Verdict| matches!(verdict, Verdict::Not(_) | Verdict::Unknown(_));
    if !is_refused(&whole) {
        return whole;
    }
    let decided = where_decided(body);
    let body = decided.as_ref().unwrap_or(body);
    let at_launch = |placed| {
        Some(judge_as_it_is(body, placed)).filter(|found| match found {
            Verdict::Conditional(conditions) => {
                conditions.places.is_empty() || conditions.places.may_hold()
            }
            found => !is_refused(found),
        })
    };
    let zero = || {
        where_zero(body).find_map(|(index, body)| {
            let apart = match judge_as_it_is(&body, false) {
                Verdict::Idempotent => BTreeSet::new(),
                Verdict::Conditional(conditions) => conditions.apart,
                _ => return None,
            };
            let zero = [index].into();
            Some(Verdict::Conditional(Conditions { apart, zero, ..Conditions::default() }))
        })
    };
    let found = decided.as_ref().and_then(|_| at_launch(false)).or_else(zero);
    found.or_else(|| at_launch(true)).unwrap_or(whole)
}

/// Returns the verdict on a kernel with this body. With `placed`, reads and writes in the memory of
/// one argument may be a condition of the verdict.
fn judge_as_it_is(body: &Body, placed: bool) -> Verdict {
    let found = effects(body, placed);
    let mut refusals = found.refusals.clone();
    let reads = by_origin(&found, |access| !access.write && !access.covered);
    let writes = by_origin(&found, |access| access.write);
    let (mut apart, mut places) = (Vec::new(), BTreeSet::new());
    for (&from, reads) in &reads {
        for (&to, writes) in &writes {
            if from != to {
                apart.push((from, to));
                continue;
            }
            if placed && let Some(pairs) = at_launch(&found, from, reads, writes) {
                places.extend(pairs);
                continue;
            }
            for (in_place, line) in collisions(&found, reads, writes) {
                let name = name(&body.arguments, from);
                let construct = if in_place { Construct::InPlace } else { Construct::Places };
                refusals.insert((construct(name), line));
            }
        }
    }
    // A work-item that is done behind its guard does not repeat its writes, so other writes must not
    // fall on them.
    if found.accesses.iter().any(|access| access.last) {
        let all = writes.keys().flat_map(|&a| writes.keys().map(move |&b| (a, b)));
        apart.extend(all.filter(|(a, b)| a < b));
    }
    let mut pairs = BTreeSet::new();
    for (one, other) in apart {
        match (one, other) {
            (PointerOrigin::Argument(a), PointerOrigin::Argument(b)) => {
                pairs.insert((a.min(b), a.max(b)));
            }
            (PointerOrigin::Argument(_), variable) | (variable, PointerOrigin::Argument(_))
                if body.addressable.contains(&variable) =>
            {
                let argument = if variable == one { other } else { one };
                let construct = Construct::Variable(name(&body.arguments, argument));
                let line =
                    writes.get(&other).and_then(|writes| writes.first()).map_or(0, |it| it.0.line);
                refusals.insert((construct, line));
            }
            // The host cannot hand over a pointer to another variable, and variables lie apart.
            _ => {}
        }
    }
    let places = Places::new(&found.expressions, places);
    by_refusals(&refusals, Conditions { apart: pairs, zero: BTreeSet::new(), places })
}

/// Returns the verdict on a kernel with these constructs, each as (construct, line), and these
/// conditions.
fn by_refusals(refusals: &BTreeSet<(Construct, u32)>, conditions: Conditions) -> Verdict {
    let certain = refusals.iter().find(|(construct, _)| is_certain(construct));
    match (certain, refusals.first()) {
        (Some((construct, line)), _) => {
            Verdict::Not(Reason { construct: construct.clone(), line: *line })
        }
        (None, Some((construct, line))) => {
            Verdict::Unknown(Reason { construct: construct.clone(), line: *line })
        }
        (None, None) if conditions == Conditions::default() => Verdict::Idempotent,
        (None, None) => Verdict::Conditional(conditions),
    }
}

/// Access to memory, with the addresses that it may have; `None` where they are not known.
type Placed<'f> = (&'f Access, Option<Strided>);

/// Addresses that an access may have: `size` bytes in the memory `base`, at the offset `bytes` plus
/// any multiple of `step`, in bytes.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Strided {
    base: PointerOrigin,
    step: u64,
    bytes: i64,
    size: u32,
}

fn by_origin(
    found: &Effects,
    wanted: fn(&Access) -> bool,
) -> BTreeMap<PointerOrigin, Vec<Placed<'_>>> {
    let mut all: BTreeMap<PointerOrigin, Vec<Placed<'_>>> = BTreeMap::new();
    for access in found.accesses.iter().filter(|access| wanted(access)) {
        let strided = access.place.and_then(|(address, size)| {
            let (base, terms) = found.values.strides(address.moving)?;
            let (mut step, mut bytes) = (0, address.bytes);
            for (term, count) in terms {
                let (each, rest) = found.values.congruence(term, DEEPEST);
                step = gcd(step, count.checked_mul(each)?.unsigned_abs());
                bytes = bytes.checked_add(count.checked_mul(rest)?)?;
            }
            let within = i64::try_from(step).ok().and_then(|step| bytes.checked_rem_euclid(step));
            Some(Strided { base, step, bytes: within.unwrap_or(bytes), size })
        });
        for &origin in &access.origins {
            all.entry(origin).or_default().push((access, strided));
        }
    }
    all
}

/// Largest nesting depth of the operations in an address that are evaluated to tell two addresses
/// apart.
const DEEPEST: u32 = 16;

/// Largest number of values that the analysis visits to find out whether a written value is
/// computed from a value that was read at the same address. Beyond that number the answer is no.
const MOST_LOOKS: usize = 400_000;

/// Returns (in place, line of the write) for each of `writes` that may overlap one of `reads` in
/// the same memory. `in place` is true where the written value is computed from the value that was
/// read at the same address, as in `a[i] += 1`.
fn collisions(
    found: &Effects,
    reads: &[Placed<'_>],
    writes: &[Placed<'_>],
) -> BTreeSet<(bool, u32)> {
    // A kernel has thousands of accesses, but of few kinds.
    let kinds: BTreeSet<Option<Strided>> = reads.iter().map(|(_, from)| *from).collect();
    let mut read_at: BTreeMap<(Address, u32), BTreeSet<Value>> = BTreeMap::new();
    for (read, _) in reads {
        if let Some(place) = read.place {
            read_at.entry(place).or_default().extend(read.value);
        }
    }
    let meets = |from: Option<Strided>, to: Option<Strided>| {
        !from.zip(to).is_some_and(|(from, to)| apart(from, to))
    };
    let (mut met, mut known) = (BTreeSet::new(), BTreeMap::new());
    let mut looks = MOST_LOOKS;
    for &(write, to) in writes {
        let met_by = |(read, from): &Placed<'_>| read.place != write.place && meets(*from, to);
        let some = if write.last {
            // Reads of the guard that this write turns off do no harm.
            reads.iter().any(met_by)
        } else {
            *known.entry(to).or_insert_with(|| kinds.iter().any(|from| meets(*from, to)))
        };
        if some {
            let read = write.place.and_then(|place| read_at.get(&place));
            let in_place = write.value.zip(read).is_some_and(|(value, read)| {
                !write.last && found.values.depends(value, read, &mut looks)
            });
            met.insert((in_place, write.line));
        }
    }
    met
}

/// Most pairs of a read and a write in one argument's memory that are compared at each launch.
const MOST_PAIRS: usize = 64;

/// Returns the pairs of a read and a write in the memory `of` that must lie apart at a launch;
/// `None` where they can never, as an address is not known then or is the same for both, or where
/// there are too many pairs.
fn at_launch(
    found: &Effects,
    of: PointerOrigin,
    reads: &[Placed<'_>],
    writes: &[Placed<'_>],
) -> Option<BTreeSet<PlacePair>> {
    let PointerOrigin::Argument(argument) = of else { return None };
    if found.accesses.iter().any(|access| access.last) {
        return None;
    }
    let place = |access: &Access| {
        let (address, size) = access.place?;
        Some((access.expression?, address.bytes, size))
    };
    let mut pairs = BTreeSet::new();
    for (write, to) in writes {
        for (read, from) in reads {
            if from.zip(*to).is_some_and(|(from, to)| apart(from, to)) {
                continue;
            }
            let (read, write) = (place(read)?, place(write)?);
            if read.0 == write.0 || pairs.len() >= MOST_PAIRS {
                return None;
            }
            pairs.insert(PlacePair { argument, read, write });
        }
    }
    Some(pairs)
}

/// Returns whether two accesses to the same memory never overlap. The addresses of both repeat at a
/// common stride, and within it they take different bytes, such as two fields of a structure.
fn apart(from: Strided, to: Strided) -> bool {
    if from.base != to.base {
        return false;
    }
    let stride = i128::from(gcd(from.step, to.step));
    let (from_size, to_size) = (i128::from(from.size), i128::from(to.size));
    let distance = i128::from(to.bytes) - i128::from(from.bytes);
    if stride == 0 {
        return distance >= from_size || -distance >= to_size;
    }
    let ahead = distance.rem_euclid(stride);
    // The write begins behind the read within a stride, and ends before the next read begins.
    ahead >= from_size && ahead + to_size <= stride
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn name(arguments: &[Argument], origin: PointerOrigin) -> String {
    match origin {
        PointerOrigin::Argument(index) => arguments
            .get(index as usize)
            .map_or_else(|| format!("argument {index}"), |argument| argument.name.clone()),
        _ => "a variable of the program".to_owned(),
    }
}

fn is_certain(construct: &Construct) -> bool {
    matches!(
        construct,
        Construct::Atomic
            | Construct::Volatile
            | Construct::Print
            | Construct::Pipe
            | Construct::InPlace(_)
    )
}
