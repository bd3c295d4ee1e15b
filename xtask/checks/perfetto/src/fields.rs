//! How are the fields of a message read by the names that the definitions give them?

use std::borrow::Cow;

use prost_reflect::{DynamicMessage, ReflectMessage, Value};

use crate::fault::What;

/// Message of which fields are read by name; a name that the definitions lack is a mistake of this
/// check.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'m>(pub(crate) &'m DynamicMessage);

impl<'m> Fields<'m> {
    fn value(self, name: &str) -> Option<&'m Value> {
        let field = self.0.descriptor().get_field_by_name(name);
        let field = field.expect("the definitions have every field that is asked for");
        if !field.is_list() && !self.0.has_field(&field) {
            return None;
        }
        match self.0.get_field(&field) {
            Cow::Borrowed(value) => Some(value),
            // An empty list.
            Cow::Owned(_) => None,
        }
    }

    /// Returns the number in the field `name`; `None` where there is none, or it is negative.
    pub(crate) fn number(self, name: &str) -> Option<u64> {
        match *self.value(name)? {
            Value::U64(number) => Some(number),
            Value::U32(number) => Some(u64::from(number)),
            Value::I64(number) => u64::try_from(number).ok(),
            Value::I32(number) | Value::EnumNumber(number) => u64::try_from(number).ok(),
            _ => None,
        }
    }

    pub(crate) fn text(self, name: &str) -> Option<&'m str> {
        match self.value(name)? {
            Value::String(text) => Some(text),
            Value::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }

    pub(crate) fn message(self, name: &str) -> Option<Fields<'m>> {
        self.value(name)?.as_message().map(Fields)
    }

    pub(crate) fn list(self, name: &str) -> &'m [Value] {
        self.value(name).and_then(Value::as_list).unwrap_or_default()
    }

    pub(crate) fn messages(self, name: &str) -> impl Iterator<Item = Fields<'m>> {
        self.list(name).iter().filter_map(Value::as_message).map(Fields)
    }

    pub(crate) fn numbers(self, name: &str) -> impl Iterator<Item = u64> {
        self.list(name).iter().filter_map(Value::as_u64)
    }

    /// Checks that the definitions have every field of the message, at any depth; the error names
    /// one that they lack.
    pub(crate) fn all_known(self) -> Result<(), What> {
        if let Some(unknown) = self.0.unknown_fields().next() {
            let message = self.0.descriptor();
            return Err(What::Unknown(format!("{} {}", message.name(), unknown.number())));
        }
        for (_, value) in self.0.fields() {
            let one = std::slice::from_ref(value);
            let messages = value.as_list().unwrap_or(one).iter().filter_map(Value::as_message);
            for message in messages {
                Fields(message).all_known()?;
            }
        }
        Ok(())
    }
}
