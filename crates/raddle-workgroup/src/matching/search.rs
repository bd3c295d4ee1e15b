//! Which search finds the free runs of each resource (seed 000, E4 to E7)?
//!
//! Units: granules.

use alloc::vec::Vec;

use raddle_policy::Resource;

/// The search that decides how long a free run is reported of each resource that lies in one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum SearchRule {
    /// The longest run (E4).
    #[default]
    Full,
    /// Whole groups (E5): by their number or by their size, one of the two for a resource. Both
    /// divide the granules of the resource.
    Grouped {
        /// The number of groups (the seed's Z).
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        groups: Option<ByResource<u32>>,
        /// Granules of a group (N / Z); the seed prefers 4.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        size: Option<ByResource<u32>>,
    },
    /// The largest of some amounts for which a run is long enough (E6); without a key the amounts
    /// 1, 2, 3, 4, 6, 8, 12, ...
    Sampled {
        /// The amounts, ascending; an amount beyond a resource is left out for that resource. An
        /// empty list stands for the amounts 1, 2, 3, 4, 6, 8, 12, ...
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        amounts: Option<ByResource<Vec<u32>>>,
        /// The amounts to leave out, as they are hardly ever wanted (f31); every other one counts.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        excluding: Option<ByResource<Excluded>>,
    },
    /// The longest run, by one finder that serves the resources in turn (E7).
    Shared {
        /// The number of positions of the finder (the seed's E): no resource has more granules.
        width: u32,
    },
}

impl SearchRule {
    /// Makes the grouped search with this number of groups of every resource.
    #[must_use]
    pub const fn groups(groups: u32) -> Self {
        Self::Grouped { groups: Some(ByResource::All(groups)), size: None }
    }

    /// Makes the grouped search with groups of this many granules of every resource.
    #[must_use]
    pub const fn size(size: u32) -> Self {
        Self::Grouped { groups: None, size: Some(ByResource::All(size)) }
    }

    /// Makes the sampled search with these amounts of every resource.
    #[must_use]
    pub const fn amounts(amounts: Vec<u32>) -> Self {
        Self::Sampled { amounts: Some(ByResource::All(amounts)), excluding: None }
    }
}

/// One value for every resource, or one for each named resource: a resource that is not named has
/// the full search.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(untagged))]
pub enum ByResource<T> {
    /// One value for every resource.
    All(T),
    /// A value for each named resource.
    Each(EachResource<T>),
}

/// A value for each resource that lies in one run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct EachResource<T> {
    /// Vector registers of a SIMD.
    #[cfg_attr(
        feature = "serde",
        serde(default = "none", skip_serializing_if = "Option::is_none")
    )]
    pub vgpr: Option<T>,
    /// Scalar registers.
    #[cfg_attr(
        feature = "serde",
        serde(default = "none", skip_serializing_if = "Option::is_none")
    )]
    pub sgpr: Option<T>,
    /// LDS.
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
    /// Returns the value of a resource; `None` where it has none.
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

/// Amounts that are left out (f31).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(untagged))]
pub enum Excluded {
    /// A list of amounts, in any order.
    Amounts(Vec<u32>),
    /// All amounts that are primes: `"primes"`.
    Primes(Primes),
}

/// The word for all primes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Primes {
    /// The word `primes`: 2, 3, 5, 7, 11, ..
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

    /// A visitor that reads a table as values by resource, and anything else as one value. The form
    /// of the input decides, instead of trying both, so that errors name the place where they lie.
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
