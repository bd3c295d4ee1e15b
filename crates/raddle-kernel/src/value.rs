//! Which computed values are certainly equal?
//!
//! Values are numbered: equal operations on equal values have one number. A pointer is the
//! beginning of some memory or another value, plus a sum of terms `count * value`, plus a number of
//! bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use rspirv::spirv::Op;
use smallvec::SmallVec;

use crate::ir::{BlockId, PointerOrigin, Reg};

/// Number of a value that the analysis has computed; values with one number are certainly equal.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(crate) struct Value(u32);

/// Bytes of a private variable of the work-item: (variable, offset in bytes, length in bytes).
pub(crate) type VariableCell = (u32, i64, u32);

/// Meaning of a value: how it is computed, or where it comes from.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(crate) enum Meaning {
    Int(i64),
    Origin(PointerOrigin),
    /// The sum `base + bytes + count * term + ...` over `terms`, sorted pairs (term, count) with
    /// counts other than 0.
    Sum {
        base: Option<Value>,
        terms: Vec<(Value, i64)>,
        bytes: i64,
    },
    Operation(u32, SmallVec<[Value; 4]>),
    /// Contents of memory that the kernel does not write: (pointer, number of bytes).
    Held(Value, u32),
    /// Bytes of another value: (that value, offset of the first byte, number of bytes).
    Part(Value, i64, u32),
    /// Unknown value that one instruction computes: (basic block, index of the instruction in the
    /// block).
    Set(BlockId, usize),
    /// Unknown value of a register where control comes from several basic blocks: (block,
    /// register).
    Joined(BlockId, Reg),
    JoinedCell(BlockId, VariableCell),
    /// Counter of a loop, in any of its iterations: (nesting depth of the [`Meaning::Row`] that
    /// uses it, number of the counter in the loop).
    Counter(usize, usize),
    /// All addresses that one access visits in a loop that counts. The values are (kind of the test
    /// that ends the loop, address, condition of the test), then the first and the next value of
    /// each counter.
    Row(Vec<Value>),
}

/// Address as the sum of a variable part, `moving`, and a constant number of bytes.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Address {
    pub(crate) moving: Value,
    pub(crate) bytes: i64,
}

/// Memories (arguments or variables) to which a pointer may lead, as a sorted list.
pub(crate) type Origins = SmallVec<[PointerOrigin; 1]>;

/// Largest step to which numbers are known as `step * n + rest`. It divides the number of values of
/// every integer type, so an overflow does not change the rest.
const MOST_STEP: i64 = 1 << 8;
/// Largest left shift of a number `step * n + rest` whose result is still known in that form: the
/// factor 2^7 is below the largest step, 2^8.
const MOST_SHIFT: i64 = 7;

/// Hash function for the table of values. Every bit of the hashed words influences the hash.
struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0 >> 32
    }
}

#[derive(Debug, Default)]
pub(crate) struct Values {
    /// Hash table of values; `None` is a free entry. A value is at the first free entry from the
    /// hash of its meaning on. At least half of the entries are free.
    places: Vec<Option<Value>>,
    meanings: Vec<Meaning>,
    /// Memories to which each value may lead if it is used as a pointer.
    origins: Vec<Origins>,
    /// True if a known pointer value was found to lead to more memory than was known before.
    grown: bool,
}

impl Values {
    pub(crate) fn number(&mut self, meaning: Meaning) -> Value {
        if self.places.len() <= 2 * self.meanings.len() {
            self.places = vec![None; (4 * self.places.len()).max(64)];
            for number in 0..self.meanings.len() {
                let at = self.place_of(&self.meanings[number]);
                self.places[at] = u32::try_from(number).ok().map(Value);
            }
        }
        let at = self.place_of(&meaning);
        if let Some(value) = self.places[at] {
            // The values that a known value is computed from may lead to more than at first.
            self.grown |= self.inherits(value);
            return value;
        }
        let value = Value(u32::try_from(self.meanings.len()).unwrap_or(u32::MAX));
        self.places[at] = Some(value);
        self.meanings.push(meaning);
        self.origins.push(Origins::new());
        self.inherits(value);
        value
    }

    /// Returns the index in the hash table of this store at which the value with this meaning (its
    /// operation and operands) is, or would be added.
    fn place_of(&self, meaning: &Meaning) -> usize {
        let mut hasher = Mixed(0);
        meaning.hash(&mut hasher);
        let mut at = usize::try_from(hasher.finish()).unwrap_or(0) % self.places.len();
        while self.places[at].is_some_and(|value| self.meaning(value) != meaning) {
            at = (at + 1) % self.places.len();
        }
        at
    }

    /// Updates the memories to which a pointer value may lead: adds those of the values from which
    /// the pointer is computed. Returns whether any of them is new.
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
            let of: SmallVec<[PointerOrigin; 2]> =
                of.filter(|of| whole || *of != PointerOrigin::Unknown).collect();
            new |= self.leads(value, of);
        }
        new
    }

    /// Returns whether, since the last call of this function, a known pointer value was found to
    /// lead to more memory than before.
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

    /// Returns the memory to which a pointer may lead; empty for a value that is no pointer.
    pub(crate) fn origins(&self, value: Value) -> &Origins {
        &self.origins[value.0 as usize]
    }

    /// Adds memory to which a pointer value may lead. Returns whether any of that memory is new.
    pub(crate) fn leads(
        &mut self,
        value: Value,
        origins: impl IntoIterator<Item = PointerOrigin>,
    ) -> bool {
        let known = &mut self.origins[value.0 as usize];
        let mut new = false;
        for origin in origins {
            if let Err(at) = known.binary_search(&origin) {
                known.insert(at, origin);
                new = true;
            }
        }
        new
    }

    /// Returns the value of `base + bytes + sum of count * term`; a `base` of `None` is 0, and
    /// `terms` are (term, count).
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

    /// Splits a pointer into its variable part and its constant number of bytes.
    pub(crate) fn address(&mut self, pointer: Value) -> Address {
        match self.meaning(pointer).clone() {
            Meaning::Sum { base, terms, bytes } => {
                Address { moving: self.sum(base, 0, terms), bytes }
            }
            Meaning::Int(bytes) => Address { moving: self.int(0), bytes },
            _ => Address { moving: pointer, bytes: 0 },
        }
    }

    /// Splits a pointer into (memory to which it leads, terms of its offset in that memory); a term
    /// is (value, factor). `None` where the pointer may lead to several memories, or is not such a
    /// sum.
    pub(crate) fn strides(&self, moving: Value) -> Option<(PointerOrigin, Vec<(Value, i64)>)> {
        match self.meaning(moving) {
            Meaning::Origin(origin) => Some((*origin, Vec::new())),
            Meaning::Sum { base: Some(base), terms, .. } => match self.meaning(*base) {
                Meaning::Origin(origin)
                    if terms.iter().all(|(term, _)| self.origins(*term).is_empty()) =>
                {
                    Some((*origin, terms.clone()))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns (step, rest) such that the number `value` is `rest` plus a multiple of `step`; (1,
    /// 0) where nothing is known. The step is a power of two, so an overflow does not change the
    /// rest. `depth` is the number of levels of operands that may still be visited.
    pub(crate) fn congruence(&self, value: Value, depth: u32) -> (i64, i64) {
        self.congruence_by(value, depth, &mut BTreeMap::new())
    }

    /// Returns the result of [`Self::congruence`]; `known` has the results for values that were
    /// visited before.
    fn congruence_by(
        &self,
        value: Value,
        depth: u32,
        known: &mut BTreeMap<Value, (i64, i64)>,
    ) -> (i64, i64) {
        if let Some(found) = known.get(&value) {
            return *found;
        }
        let Some(depth) = depth.checked_sub(1) else { return (1, 0) };
        let mut of = |value: Value| self.congruence_by(value, depth, known);
        let kept = |(step, rest): (i64, i64)| {
            let step = step.clamp(1, MOST_STEP);
            (step, rest.rem_euclid(step))
        };
        let added = |a: (i64, i64), b: (i64, i64)| kept((a.0.min(b.0), a.1.wrapping_add(b.1)));
        let times = |a: (i64, i64), b: (i64, i64)| {
            let parts = [a.0 * b.0, a.0 * b.1, b.0 * a.1];
            let power = |part: i64| 1_i64 << part.trailing_zeros().min(MOST_STEP.trailing_zeros());
            kept((parts.map(power).into_iter().min().unwrap_or(1), a.1 * b.1))
        };
        // Lanes of a vector carry nothing over; an operation on them has a negative type.
        let is_number = |parts: &[Value]| {
            parts.get(2).is_none_or(|&ty| matches!(self.meaning(ty), Meaning::Int(0..)))
        };
        let found = match self.meaning(value) {
            Meaning::Int(int) => kept((MOST_STEP, *int)),
            Meaning::Sum { base: None, terms, bytes } => {
                terms.iter().fold(kept((MOST_STEP, *bytes)), |sum, &(term, count)| {
                    added(sum, times(of(term), kept((MOST_STEP, count))))
                })
            }
            Meaning::Operation(operation, parts) => match (Op::from_u32(*operation), &**parts) {
                (Some(Op::IAdd), &[a, b, ..]) if is_number(parts) => added(of(a), of(b)),
                (Some(Op::ISub), &[a, b, ..]) if is_number(parts) => {
                    added(of(a), times(of(b), kept((MOST_STEP, -1))))
                }
                (Some(Op::IMul), &[a, b, ..]) if is_number(parts) => times(of(a), of(b)),
                (Some(Op::ShiftLeftLogical), &[a, by, ..]) if is_number(parts) => {
                    match self.meaning(by) {
                        Meaning::Int(by @ 0..=MOST_SHIFT) => times(of(a), (MOST_STEP, 1 << by)),
                        _ => (1, 0),
                    }
                }
                // A conversion with a mode, such as saturation, has a further part.
                (Some(Op::SConvert | Op::UConvert), &[a, _, _]) => of(a),
                _ => (1, 0),
            },
            _ => (1, 0),
        };
        known.insert(value, found);
        found
    }

    /// Returns whether `value` is computed from one of the values `of`. `looks` is the number of
    /// values that may still be visited; when it is used up, the answer is false.
    pub(crate) fn depends(&self, value: Value, of: &BTreeSet<Value>, looks: &mut usize) -> bool {
        let mut pending = vec![value];
        let mut seen = BTreeSet::new();
        while let Some(value) = pending.pop() {
            if of.contains(&value) {
                return true;
            }
            if !seen.insert(value) {
                continue;
            }
            let Some(left) = looks.checked_sub(1) else { return false };
            *looks = left;
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
