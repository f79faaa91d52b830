//! Values of a TOML file as serde reads them. Serde forgets where a value stood, so [`read`] finds the place
//! of a fault by reading without single fields.

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{self, Deserialize, Deserializer, IntoDeserializer, Visitor};
use std::fmt;

use crate::error::Result;
use crate::text::did_you_mean;
use crate::toml_text::Item;

/// A value without its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Flag(bool),
    Whole(i64),
    Number(f64),
    Text(String),
    List(Vec<Value>),
    Table(Vec<(String, Value)>),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.into())
    }
}

/// A field of what is read, and where it is written in the file, if it is.
#[derive(Clone)]
pub(crate) struct Field<'a> {
    pub(crate) name: &'static str,
    pub(crate) value: Value,
    pub(crate) place: Option<Item<'a>>,
}

/// Reads fields by the schema of a type; `whole` is what they are the fields of.
///
/// # Errors
/// What serde refuses, with the place of the field, and of its entry if it is a list.
pub(crate) fn read<T: for<'de> Deserialize<'de>>(fields: &[Field<'_>], whole: &Item<'_>) -> Result<T> {
    let table = |fields: &mut dyn Iterator<Item = &Field<'_>>| {
        Value::Table(fields.map(|field| (field.name.to_string(), field.value.clone())).collect())
    };
    let fault = match T::deserialize(table(&mut fields.iter())) {
        Ok(found) => return Ok(found),
        Err(fault) => fault,
    };
    // The field without which the fault is another one.
    for field in fields {
        let Some(place) = &field.place else { continue };
        let others = table(&mut fields.iter().filter(|other| other.name != field.name));
        if T::deserialize(others).err().as_ref() == Some(&fault) {
            continue;
        }
        let (Value::List(values), Some(entries)) = (&field.value, place.as_list()) else {
            return Err(place.fault(format!("{}: {fault}", place.what())));
        };
        // The first entry with which the list has the fault.
        let has_fault = |end: &usize| {
            let shorter = Field { value: Value::List(values[..*end].to_vec()), ..field.clone() };
            let others = fields.iter().filter(|other| other.name != field.name);
            T::deserialize(table(&mut others.chain([&shorter]))).err().as_ref() == Some(&fault)
        };
        let ends: Vec<usize> = (1..=values.len().min(entries.len())).collect();
        let place = entries.get(ends.partition_point(|end| !has_fault(end))).unwrap_or(place);
        return Err(place.fault(format!("{}: {fault}", place.what())));
    }
    Err(whole.fault(format!("{}: {fault}", whole.what())))
}

/// What serde refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault(String);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Fault(message.to_string())
    }

    fn unknown_variant(given: &str, valid: &'static [&'static str]) -> Self {
        let near = did_you_mean(given, valid);
        Fault(format!("\"{given}\" is not known{near} valid: {}", valid.join(", ")))
    }
}

impl<'de> IntoDeserializer<'de, Fault> for Value {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Value {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> std::result::Result<V::Value, Fault> {
        match self {
            Value::Flag(flag) => visitor.visit_bool(flag),
            Value::Whole(number) => visitor.visit_i64(number),
            Value::Number(number) => visitor.visit_f64(number),
            Value::Text(text) => visitor.visit_string(text),
            Value::List(list) => visitor.visit_seq(SeqDeserializer::new(list.into_iter())),
            Value::Table(table) => visitor.visit_map(MapDeserializer::new(table.into_iter())),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> std::result::Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> std::result::Result<V::Value, Fault> {
        match self {
            Value::Text(text) => text.into_deserializer().deserialize_enum(name, variants, visitor),
            other => other.deserialize_any(visitor),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
