//! Which computed values are certainly equal?
//!
//! Values are numbered: equal operations on equal values have one number. A pointer is an origin or
//! another value, plus a sum of counted terms, plus a number of bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use smallvec::SmallVec;

use crate::ir::{BlockId, Origin, Reg};

/// The number of a value.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(crate) struct Value(u32);

/// A part of the memory of a work-item: variable, offset, length.
pub(crate) type Cell = (u32, i64, u32);

/// What a value is.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(crate) enum Meaning {
    Int(i64),
    Origin(Origin),
    /// `base + bytes + sum of count * term`, terms sorted, counts not 0.
    Sum {
        base: Option<Value>,
        terms: Vec<(Value, i64)>,
        bytes: i64,
    },
    Operation(u32, Vec<Value>),
    /// What memory that the kernel does not write holds there.
    Held(Value, u32),
    /// Bytes of a value: from which on, how many.
    Part(Value, i64, u32),
    /// Unknown, set by instruction `.1` of block `.0`.
    Set(BlockId, usize),
    /// Unknown, as control comes to this block from several sides.
    Joined(BlockId, Reg),
    JoinedCell(BlockId, Cell),
    /// A counter of a loop, whatever round it is in: how deep loops nest there, which counter.
    Counter(usize, usize),
    /// All places of a loop that counts like this: how it is left, the address, the condition, and the
    /// first and the following value of each counter.
    Row(Vec<Value>),
}

/// A pointer taken apart: everything but the constant, and the constant.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Address {
    pub(crate) moving: Value,
    pub(crate) bytes: i64,
}

#[derive(Debug, Default)]
pub(crate) struct Values {
    /// Values by the hash of what they are.
    numbers: BTreeMap<u64, SmallVec<[Value; 1]>>,
    meanings: Vec<Meaning>,
    /// Where pointers can lead, by value.
    origins: Vec<BTreeSet<Origin>>,
    /// Whether a known pointer was found to lead to more than before.
    grown: bool,
}

impl Values {
    pub(crate) fn number(&mut self, meaning: Meaning) -> Value {
        let mut hasher = DefaultHasher::new();
        meaning.hash(&mut hasher);
        let same = self.numbers.entry(hasher.finish()).or_default();
        if let Some(&value) = same.iter().find(|value| self.meanings[value.0 as usize] == meaning) {
            // What it is computed from may lead to more than when it was first met.
            self.grown |= self.inherits(value);
            return value;
        }
        let value = Value(u32::try_from(self.meanings.len()).unwrap_or(u32::MAX));
        same.push(value);
        self.meanings.push(meaning);
        self.origins.push(BTreeSet::new());
        self.inherits(value);
        value
    }

    /// A value leads where that leads what it is computed from; whether any of it is new.
    fn inherits(&mut self, value: Value) -> bool {
        let parts: SmallVec<[(Value, bool); 4]> = match self.meaning(value) {
            &Meaning::Origin(origin) => return self.leads(value, [origin]),
            Meaning::Operation(_, of) => of.iter().map(|&of| (of, true)).collect(),
            // The base need not be the pointer: a number can be taken for one, and the difference of
            // two pointers leads from one to the other. A multiple is no pointer, so it may as well be
            // a number from memory.
            Meaning::Sum { base, terms, .. } => {
                let terms = terms.iter().map(|&(term, count)| (term, count == 1));
                base.iter().map(|&base| (base, true)).chain(terms).collect()
            }
            _ => return false,
        };
        let mut new = false;
        for (part, whole) in parts {
            let of = self.origins(part).iter().copied();
            let of: SmallVec<[Origin; 2]> =
                of.filter(|of| whole || *of != Origin::Unknown).collect();
            new |= self.leads(value, of);
        }
        new
    }

    /// Whether a known pointer was found to lead to more since this was last asked.
    pub(crate) fn take_grown(&mut self) -> bool {
        std::mem::take(&mut self.grown)
    }

    pub(crate) fn int(&mut self, int: i64) -> Value {
        self.number(Meaning::Int(int))
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = Value> {
        (0..).map(Value).take(self.meanings.len())
    }

    pub(crate) fn meaning(&self, value: Value) -> &Meaning {
        &self.meanings[value.0 as usize]
    }

    /// Where a pointer may lead: nothing where it is no pointer.
    pub(crate) fn origins(&self, value: Value) -> &BTreeSet<Origin> {
        &self.origins[value.0 as usize]
    }

    /// A value may also lead there; whether that is new.
    pub(crate) fn leads(
        &mut self,
        value: Value,
        origins: impl IntoIterator<Item = Origin>,
    ) -> bool {
        let known = &mut self.origins[value.0 as usize];
        let before = known.len();
        known.extend(origins);
        known.len() > before
    }

    /// `base + bytes + sum of count * term`.
    pub(crate) fn sum(
        &mut self,
        base: Option<Value>,
        bytes: i64,
        terms: impl IntoIterator<Item = (Value, i64)>,
    ) -> Value {
        let mut total: BTreeMap<Value, i64> = BTreeMap::new();
        let mut constant = bytes;
        let mut root = None;
        let mut pending: Vec<(Value, i64)> = terms.into_iter().collect();
        pending.extend(base.map(|base| (base, 1)));
        while let Some((value, count)) = pending.pop() {
            match self.meaning(value).clone() {
                Meaning::Int(int) => {
                    constant = constant.wrapping_add(int.wrapping_mul(count));
                }
                Meaning::Sum { base, terms, bytes } => {
                    constant = constant.wrapping_add(bytes.wrapping_mul(count));
                    pending.extend(base.map(|base| (base, count)));
                    pending.extend(
                        terms.into_iter().map(|(term, each)| (term, each.wrapping_mul(count))),
                    );
                }
                Meaning::Origin(_) if count == 1 && root.is_none() => root = Some(value),
                _ => {
                    let entry = total.entry(value).or_insert(0);
                    *entry = entry.wrapping_add(count);
                }
            }
        }
        total.retain(|_, count| *count != 0);
        let terms: Vec<(Value, i64)> = total.into_iter().collect();
        match (root, terms.as_slice(), constant) {
            (Some(root), [], 0) => root,
            (None, [], constant) => self.int(constant),
            (None, [(only, 1)], 0) => *only,
            _ => self.number(Meaning::Sum { base: root, terms, bytes: constant }),
        }
    }

    /// A pointer without its constant, and the constant.
    pub(crate) fn address(&mut self, pointer: Value) -> Address {
        match self.meaning(pointer).clone() {
            Meaning::Sum { base, terms, bytes } => {
                Address { moving: self.sum(base, 0, terms), bytes }
            }
            Meaning::Int(bytes) => Address { moving: self.int(0), bytes },
            _ => Address { moving: pointer, bytes: 0 },
        }
    }

    /// The one origin of a pointer and the counts of its terms, where it has just one.
    pub(crate) fn strides(&self, moving: Value) -> Option<(Origin, Vec<i64>)> {
        match self.meaning(moving) {
            Meaning::Origin(origin) => Some((*origin, Vec::new())),
            Meaning::Sum { base: Some(base), terms, .. } => match self.meaning(*base) {
                Meaning::Origin(origin)
                    if terms.iter().all(|(term, _)| self.origins(*term).is_empty()) =>
                {
                    Some((*origin, terms.iter().map(|(_, count)| *count).collect()))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether `value` is computed from `of`.
    pub(crate) fn depends(&self, value: Value, of: Value) -> bool {
        let mut pending = vec![value];
        let mut seen = BTreeSet::new();
        while let Some(value) = pending.pop() {
            if value == of {
                return true;
            }
            if !seen.insert(value) {
                continue;
            }
            match self.meaning(value) {
                Meaning::Operation(_, of) => pending.extend(of),
                Meaning::Part(of, ..) => pending.push(*of),
                Meaning::Sum { base, terms, .. } => {
                    pending.extend(base);
                    pending.extend(terms.iter().map(|(term, _)| *term));
                }
                _ => {}
            }
        }
        false
    }
}
