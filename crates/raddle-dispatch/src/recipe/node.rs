//! How is a value made into a recipe so that what is wrong with it is known, and not only told?
//!
//! What serde says of a fault is kept as data: which words there are, what is wanted. The slots of a
//! recipe are tagged by their policy, so serde takes them whole and enums never get here.

use std::fmt;

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Error, Expected, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;

/// What is wrong with a value, without where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Another kind of value, or one beyond its range; what is wanted, in serde's words.
    Unfit(String),
    /// As many elements; what is wanted, in serde's words.
    Length(usize, String),
    /// A key that there is not; the keys that there are.
    Key(String, &'static [&'static str]),
    /// A word that there is not; the words that there are.
    Word(String, &'static [&'static str]),
    /// A key that has to be there.
    Missing(&'static str),
    /// Something else, in the words of who says so.
    Other(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never shown as it is: `tell` finds the words, and where.
        write!(f, "{self:?}")
    }
}

impl std::error::Error for Fault {}

impl Error for Fault {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Self::Other(text.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Self::Unfit(wanted.to_string())
    }

    fn invalid_value(_: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Self::Unfit(wanted.to_string())
    }

    fn invalid_length(length: usize, wanted: &dyn Expected) -> Self {
        Self::Length(length, wanted.to_string())
    }

    fn unknown_variant(given: &str, known: &'static [&'static str]) -> Self {
        Self::Word(given.to_owned(), known)
    }

    fn unknown_field(given: &str, known: &'static [&'static str]) -> Self {
        Self::Key(given.to_owned(), known)
    }

    fn missing_field(name: &'static str) -> Self {
        Self::Missing(name)
    }
}

/// A value that is read.
pub(super) struct Node(pub(super) Value);

impl<'de> IntoDeserializer<'de, Fault> for Node {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Node {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(truth) => visitor.visit_bool(truth),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(whole), _) => visitor.visit_u64(whole),
                (None, Some(whole)) => visitor.visit_i64(whole),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => {
                visitor.visit_seq(SeqDeserializer::new(items.into_iter().map(Node)))
            }
            Value::Object(map) => {
                let entries = map.into_iter().map(|(key, value)| (key, Node(value)));
                visitor.visit_map(MapDeserializer::new(entries))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
