//! May a kernel be stopped after any instruction and run again?
//!
//! In the second run each value must be the one of an undisturbed run. That holds by induction if each
//! read is of memory that no work-item of the launch writes, or of what the same work-item has written
//! before in the same run. Which arguments share memory is known at the launch only: pairs of arguments
//! of which one is written and the other read must then lie apart.

use std::collections::BTreeSet;

use crate::flow::{Access, Effects, effects};
use crate::ir::{Argument, Body, Construct, Origin};

/// May a kernel be stopped after any instruction and run again?
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Verdict {
    /// Yes, whatever its arguments.
    Idempotent,
    /// Yes, if in each of these pairs of arguments (by index, from 0) the two share no byte.
    Conditional(BTreeSet<(u32, u32)>),
    /// No.
    Not(Reason),
    /// It could not be shown, so it counts as no.
    Unknown(Reason),
}

/// What decided, and the line in the source; 0 where that is not known.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Reason {
    /// What decided.
    pub construct: Construct,
    /// The line in the source, from 1; 0 where the code does not say.
    pub line: u32,
}

pub(crate) fn judge(body: &Body) -> Verdict {
    let found = effects(body);
    let mut refusals = found.refusals.clone();
    let mut pairs = BTreeSet::new();
    for read in found.accesses.iter().filter(|access| !access.write && !access.covered) {
        for write in found.accesses.iter().filter(|access| access.write) {
            collide(body, &found, read, write, &mut refusals, &mut pairs);
        }
    }
    let certain = refusals.iter().find(|(construct, _)| is_certain(construct));
    match (certain, refusals.first()) {
        (Some((construct, line)), _) => {
            Verdict::Not(Reason { construct: construct.clone(), line: *line })
        }
        (None, Some((construct, line))) => {
            Verdict::Unknown(Reason { construct: construct.clone(), line: *line })
        }
        (None, None) if pairs.is_empty() => Verdict::Idempotent,
        (None, None) => Verdict::Conditional(pairs),
    }
}

/// A read that nothing covers, and a write: do they meet, or could they if arguments share memory?
fn collide(
    body: &Body,
    found: &Effects,
    read: &Access,
    write: &Access,
    refusals: &mut BTreeSet<(Construct, u32)>,
    pairs: &mut BTreeSet<(u32, u32)>,
) {
    for &from in &read.origins {
        for &to in &write.origins {
            match (from, to) {
                _ if from == to && apart(found, read, write) => {}
                _ if from == to => {
                    let name = name(&body.arguments, from);
                    let same = read.place.is_some() && read.place == write.place;
                    let construct = if same && depends(found, write, read) {
                        Construct::InPlace(name)
                    } else {
                        Construct::Places(name)
                    };
                    refusals.insert((construct, write.line));
                }
                (Origin::Argument(a), Origin::Argument(b)) => {
                    pairs.insert((a.min(b), a.max(b)));
                }
                // The host cannot hand over a pointer to a variable of the program.
                _ => {}
            }
        }
    }
}

/// Whether two accesses of one argument never share a byte: every step between them is a multiple of a
/// stride within which they take different bytes, such as two fields of one structure.
fn apart(found: &Effects, read: &Access, write: &Access) -> bool {
    let (Some((from, from_size)), Some((to, to_size))) = (read.place, write.place) else {
        return false;
    };
    let (Some((a, steps)), Some((b, more))) =
        (found.values.strides(from.moving), found.values.strides(to.moving))
    else {
        return false;
    };
    let stride = steps.iter().chain(&more).fold(0, |all, step| gcd(all, step.unsigned_abs()));
    if a != b {
        return false;
    }
    let (from_size, to_size) = (i128::from(from_size), i128::from(to_size));
    let distance = i128::from(to.bytes) - i128::from(from.bytes);
    if stride == 0 {
        return distance >= from_size || -distance >= to_size;
    }
    let stride = i128::from(stride);
    let ahead = distance.rem_euclid(stride);
    // The write begins behind the read within a stride, and ends before the next read begins.
    ahead >= from_size && ahead + to_size <= stride
}

/// Whether what is written is computed from what was read.
fn depends(found: &Effects, write: &Access, read: &Access) -> bool {
    match (write.value, read.value) {
        (Some(write), Some(read)) => found.values.depends(write, read),
        _ => false,
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn name(arguments: &[Argument], origin: Origin) -> String {
    match origin {
        Origin::Argument(index) => arguments
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
