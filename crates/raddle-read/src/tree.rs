//! How does serde read a JSON value so that an error tells the path of the wrong value?

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};

use super::{FaultKind, ReadError, kebab, listed, shown};

type Read<T> = Result<T, ReadError>;

/// JSON value that serde reads, with errors that say where in the document they are.
#[derive(Clone, Copy)]
pub(super) struct JsonTree<'v>(pub(super) &'v Value);

impl JsonTree<'_> {
    fn unfit(self, kind: FaultKind, wanted: impl Into<String>) -> ReadError {
        let found = match self.0 {
            Value::Null => "null".to_owned(),
            Value::Bool(_) | Value::Number(_) => self.0.to_string(),
            Value::String(text) => format!("the text \"{}\"", shown(text)),
            Value::Array(_) => "a list".to_owned(),
            Value::Object(_) => "an object".to_owned(),
        };
        ReadError::unfit(kind, found, wanted.into())
    }

    /// Reads a whole number from 0 to `most`, which the document may also write as a hexadecimal
    /// text `0x..`; an error where the value is no such number.
    fn whole(self, most: u64) -> Read<u64> {
        let unfit = |kind| self.unfit(kind, format!("a whole number from 0 to {most}"));
        let number = match self.0 {
            Value::Number(number) => number.as_u64().ok_or_else(|| {
                // A number beyond 64 bits is whole but too large, and a negative one is too small.
                let whole = number.is_i64() || number.as_f64().is_some_and(|x| x.abs() >= 1.8e19);
                unfit(if whole { FaultKind::OutOfRange } else { FaultKind::WrongType })
            })?,
            Value::String(text) => {
                let digits = text.strip_prefix("0x").unwrap_or_default();
                if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                    return Err(unfit(FaultKind::WrongType));
                }
                u64::from_str_radix(digits, 16).map_err(|_| unfit(FaultKind::OutOfRange))?
            }
            _ => return Err(unfit(FaultKind::WrongType)),
        };
        if number <= most { Ok(number) } else { Err(unfit(FaultKind::OutOfRange)) }
    }

    fn no_variant(self, known: &'static [&'static str]) -> ReadError {
        ReadError { known: known.to_vec(), ..self.unfit(FaultKind::WrongType, listed(known, "or")) }
    }

    fn text(&self) -> Read<&str> {
        self.0.as_str().ok_or_else(|| self.unfit(FaultKind::WrongType, "text"))
    }

    fn list(&self) -> Read<&[Value]> {
        let list = self.0.as_array().map(Vec::as_slice);
        list.ok_or_else(|| self.unfit(FaultKind::WrongType, "a list"))
    }

    fn object(&self) -> Read<&Map<String, Value>> {
        self.0.as_object().ok_or_else(|| self.unfit(FaultKind::WrongType, "an object"))
    }
}

impl<'de> Deserializer<'de> for JsonTree<'_> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(truth) => visitor.visit_bool(*truth),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(whole), _) => visitor.visit_u64(whole),
                (None, Some(whole)) => visitor.visit_i64(whole),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => visitor.visit_str(text),
            Value::Array(list) => visitor.visit_seq(ListItems { list, next: 0 }),
            Value::Object(map) => visitor.visit_map(ObjectEntries::of(map)),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        let truth = self.0.as_bool();
        visitor
            .visit_bool(truth.ok_or_else(|| self.unfit(FaultKind::WrongType, "`true` or `false`"))?)
    }

    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        visitor.visit_u64(self.whole(u8::MAX.into())?)
    }

    fn deserialize_u16<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        visitor.visit_u64(self.whole(u16::MAX.into())?)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        visitor.visit_u64(self.whole(u32::MAX.into())?)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        visitor.visit_u64(self.whole(u64::MAX)?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        visitor.visit_str(self.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        visitor.visit_str(self.text()?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Read<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        visitor.visit_seq(ListItems { list: self.list()?, next: 0 })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Read<V::Value> {
        let list = self.list()?;
        // The visitor checks the entries, and that there are enough.
        let value = visitor.visit_seq(ListItems { list, next: 0 })?;
        if list.len() > length {
            return Err(ReadError::invalid_length(list.len(), &&*format!("a list of {length}")));
        }
        Ok(value)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        visitor.visit_map(ObjectEntries::of(self.object()?))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Read<V::Value> {
        visitor.visit_map(ObjectEntries::fields(self.object()?, fields)?)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Read<V::Value> {
        match self.0 {
            Value::String(word) => visitor.visit_enum(EnumChoice { word, settings: None, known }),
            Value::Object(map) => {
                let mut entries = map.iter();
                let (Some((word, value)), None) = (entries.next(), entries.next()) else {
                    return Err(self.no_variant(known));
                };
                if !known.iter().any(|known| kebab(known) == kebab(word)) {
                    return Err(ReadError { found: word.clone(), ..self.no_variant(known) });
                }
                visitor.visit_enum(EnumChoice { word, settings: Some(value), known })
            }
            _ => Err(self.no_variant(known)),
        }
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u128 f32 f64 char bytes byte_buf unit unit_struct tuple_struct
        identifier ignored_any
    }
}

/// Entries of a JSON list that serde reads one by one.
struct ListItems<'v> {
    list: &'v [Value],
    next: usize,
}

impl<'de> SeqAccess<'de> for ListItems<'_> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Read<Option<T::Value>> {
        let Some(value) = self.list.get(self.next) else { return Ok(None) };
        let at = self.next;
        self.next += 1;
        seed.deserialize(JsonTree(value)).map(Some).map_err(|error| error.within(&at.to_string()))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.list.len() - self.next)
    }
}

/// Entries of a JSON object that serde reads one by one: (name of the key in the type that is read,
/// key as the document spells it, value).
struct ObjectEntries<'v> {
    entries: std::vec::IntoIter<(&'v str, &'v str, &'v Value)>,
    value: Option<(&'v str, &'v Value)>,
}

impl<'v> ObjectEntries<'v> {
    fn of(map: &'v Map<String, Value>) -> Self {
        let entries: Vec<_> = map.iter().map(|(key, value)| (&**key, &**key, value)).collect();
        Self { entries: entries.into_iter(), value: None }
    }

    /// Returns the entries of a JSON object in the order of `fields`, the names of the fields of
    /// the type that is read; an error where the object has any other key.
    fn fields(map: &'v Map<String, Value>, fields: &'static [&'static str]) -> Read<Self> {
        let mut entries: Vec<(usize, &str, &Value)> = Vec::with_capacity(map.len());
        for (key, value) in map {
            let name = kebab(key);
            let field = fields.iter().position(|field| kebab(field) == name);
            let Some(field) = field else {
                return Err(ReadError::unknown_field(key, fields).within(key));
            };
            if let Some((_, other, _)) = entries.iter().find(|(known, ..)| *known == field) {
                let message = format!("duplicate key `{key}` (also spelled `{other}`)");
                return Err(ReadError::new(FaultKind::Inconsistent, message).within(key));
            }
            entries.push((field, key, value));
        }
        entries.sort_unstable_by_key(|(field, ..)| *field);
        let named = entries.into_iter().map(|(field, key, value)| (fields[field], key, value));
        Ok(Self { entries: named.collect::<Vec<_>>().into_iter(), value: None })
    }
}

impl<'de> MapAccess<'de> for ObjectEntries<'_> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Read<Option<K::Value>> {
        let Some((name, key, value)) = self.entries.next() else { return Ok(None) };
        self.value = Some((key, value));
        let name: StrDeserializer<'_, ReadError> = name.into_deserializer();
        seed.deserialize(name).map(Some).map_err(|error| error.within(key))
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Read<T::Value> {
        // serde asks for a value only after its key.
        let (key, value) = self.value.take().unwrap_or(("", &Value::Null));
        seed.deserialize(JsonTree(value)).map_err(|error| error.within(key))
    }
}

/// Variant of an enum that a document chooses: its name and, where the document has it as the key
/// of an object, the value of that key.
struct EnumChoice<'v> {
    word: &'v str,
    settings: Option<&'v Value>,
    known: &'static [&'static str],
}

impl<'de> EnumAccess<'de> for EnumChoice<'_> {
    type Error = ReadError;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Read<(T::Value, Self)> {
        let name = kebab(self.word);
        let name = self.known.iter().copied().find(|known| kebab(known) == name);
        let name: StrDeserializer<'_, ReadError> = name.unwrap_or(self.word).into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl EnumChoice<'_> {
    fn settings<T>(self, read: impl FnOnce(JsonTree<'_>) -> Read<T>) -> Read<T> {
        let Some(value) = self.settings else {
            let message = format!("`{}` needs settings", kebab(self.word));
            return Err(ReadError::new(FaultKind::OutOfRange, message));
        };
        read(JsonTree(value)).map_err(|error| error.within(self.word))
    }
}

impl<'de> VariantAccess<'de> for EnumChoice<'_> {
    type Error = ReadError;

    fn unit_variant(self) -> Read<()> {
        if self.settings.is_none() {
            return Ok(());
        }
        let message = format!("`{}` has no settings: write the word alone", kebab(self.word));
        Err(ReadError::new(FaultKind::WrongType, message))
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Read<T::Value> {
        self.settings(|tree| seed.deserialize(tree))
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Read<V::Value> {
        self.settings(|tree| tree.deserialize_tuple(length, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Read<V::Value> {
        self.settings(|tree| tree.deserialize_struct("", fields, visitor))
    }
}
