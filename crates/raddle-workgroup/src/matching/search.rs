//! Which search method finds the longest free run of granules of each resource (seed 000, E4 to
//! E7)?
//!
//! Units: granules.

use alloc::vec::Vec;

use raddle_policy::Resource;

/// The search by which the simulated hardware reports, for each resource, the length in granules of
/// the longest free run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum SearchRule {
    /// The search reports the longest free run (E4 in `docs/policies/matching.md`).
    #[default]
    Full,
    /// The search reports whole groups of granules only (E5 in `docs/policies/matching.md`). Each
    /// resource has either a number of groups or a size of a group, which must divide its number of
    /// granules. A resource with neither has the full search.
    Grouped {
        /// The number of groups of each resource (called Z in patent 000); `None` where
        /// all resources are listed in `size`.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        groups: Option<ByResource<u32>>,
        /// The number of granules in a group, for each resource (N / Z in patent 000,
        /// which prefers 4); `None` where all resources are listed in `groups`.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        size: Option<ByResource<u32>>,
    },
    /// The search reports the largest of a few lengths that fits into a free run (E6 in
    /// `docs/policies/matching.md`). Without `amounts` and `excluding`, these are the lengths 1, 2,
    /// 3, 4, 6, 8, 12, ...
    Sampled {
        /// The lengths in granules, ascending, for each resource; lengths beyond the number of
        /// granules of a resource are left out. An empty list stands for the lengths 1, 2, 3, 4, 6,
        /// 8, 12, ..; `None` where no resource has a list.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        amounts: Option<ByResource<Vec<u32>>>,
        /// The lengths in granules to leave out, for each resource, as workgroups hardly ever want
        /// them (patent 000, label f31); every other length counts. `None` where no
        /// resource leaves lengths out.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        excluding: Option<ByResource<Excluded>>,
    },
    /// The search reports the longest free run, by one circuit that searches the resources in turn
    /// (E7 in `docs/policies/matching.md`).
    Shared {
        /// The width in granules of the circuit that searches the resources in turn (called E in
        /// patent 000): no resource has more granules.
        width: u32,
    },
}

impl SearchRule {
    /// Returns the grouped search with this number of groups of every resource.
    #[must_use]
    pub const fn groups(groups: u32) -> Self {
        Self::Grouped { groups: Some(ByResource::All(groups)), size: None }
    }

    /// Returns the grouped search with groups of this many granules of every resource.
    #[must_use]
    pub const fn size(size: u32) -> Self {
        Self::Grouped { groups: None, size: Some(ByResource::All(size)) }
    }

    /// Returns the sampled search with these lengths, in granules, for every resource.
    #[must_use]
    pub const fn amounts(amounts: Vec<u32>) -> Self {
        Self::Sampled { amounts: Some(ByResource::All(amounts)), excluding: None }
    }
}

/// One value for every resource, or one for each named resource; a resource that is not named has
/// the full search, which reports the longest free run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(untagged))]
#[doc(hidden)]
pub enum ByResource<T> {
    /// One value that holds for every resource.
    All(T),
    /// One value for each resource that is named.
    Each(EachResource<T>),
}

/// A value for each resource of which a workgroup takes one run of granules; `None` where the
/// resource is not named.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[doc(hidden)]
pub struct EachResource<T> {
    /// The value for the vector registers of a SIMD; `None` where they have the full search, which
    /// reports the longest free run.
    #[cfg_attr(
        feature = "serde",
        serde(default = "none", skip_serializing_if = "Option::is_none")
    )]
    pub vgpr: Option<T>,
    /// The value for scalar registers; `None` where they have the full search, which reports the
    /// longest free run.
    #[cfg_attr(
        feature = "serde",
        serde(default = "none", skip_serializing_if = "Option::is_none")
    )]
    pub sgpr: Option<T>,
    /// The value for LDS (shared memory); `None` where it has the full search, which reports the
    /// longest free run.
    #[cfg_attr(
        feature = "serde",
        serde(default = "none", skip_serializing_if = "Option::is_none")
    )]
    pub lds: Option<T>,
}

#[cfg(feature = "serde")]
const fn none<T>() -> Option<T> {
    None
}

impl<T> ByResource<T> {
    /// Returns the value that applies to a resource; `None` where none does.
    #[must_use]
    pub const fn of(&self, resource: Resource) -> Option<&T> {
        match (self, resource) {
            (Self::All(value), _) => Some(value),
            (Self::Each(each), Resource::Vgpr) => each.vgpr.as_ref(),
            (Self::Each(each), Resource::Sgpr) => each.sgpr.as_ref(),
            (Self::Each(each), Resource::Lds) => each.lds.as_ref(),
            (Self::Each(_), _) => None,
        }
    }
}

/// The lengths of free runs that a sampled search leaves out (patent 000, label f31).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(untagged))]
#[doc(hidden)]
pub enum Excluded {
    /// A list of lengths in granules, in any order.
    Amounts(Vec<u32>),
    /// All lengths that are primes, written as `"primes"`.
    Primes(Primes),
}

/// The word that stands, in a recipe, for all primes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[doc(hidden)]
pub enum Primes {
    /// The word `primes`, which stands for 2, 3, 5, 7, 11, ..
    Primes,
}

#[cfg(feature = "serde")]
mod read {
    use core::fmt;
    use core::marker::PhantomData;

    use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
    use serde::de::{Error, IntoDeserializer, MapAccess, SeqAccess, Visitor};
    use serde::{Deserialize, Deserializer};

    use super::{ByResource, Excluded, Primes};

    /// A visitor that reads a table as one value for each resource, and any other input as one
    /// value for all. It decides by the form of the input instead of trying both, so that an error
    /// message can say where in the table the mistake is.
    struct ValueOrTable<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for ValueOrTable<T> {
        type Value = ByResource<T>;

        fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
            to.write_str("one value for all resources, or a table of vgpr, sgpr and lds")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            Deserialize::deserialize(MapAccessDeserializer::new(map)).map(ByResource::Each)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
            T::deserialize(SeqAccessDeserializer::new(seq)).map(ByResource::All)
        }

        fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
            T::deserialize(value.into_deserializer()).map(ByResource::All)
        }

        fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
            T::deserialize(value.into_deserializer()).map(ByResource::All)
        }

        fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
            T::deserialize(value.into_deserializer()).map(ByResource::All)
        }
    }

    impl<'de, T: Deserialize<'de>> Deserialize<'de> for ByResource<T> {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            from.deserialize_any(ValueOrTable(PhantomData))
        }
    }

    struct ListOrWord;

    impl<'de> Visitor<'de> for ListOrWord {
        type Value = Excluded;

        fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
            to.write_str("a list of amounts, or \"primes\"")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
            Deserialize::deserialize(SeqAccessDeserializer::new(seq)).map(Excluded::Amounts)
        }

        fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
            Primes::deserialize(value.into_deserializer()).map(Excluded::Primes)
        }
    }

    impl<'de> Deserialize<'de> for Excluded {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            from.deserialize_any(ListOrWord)
        }
    }
}
