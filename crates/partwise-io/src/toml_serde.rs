//! Reads fields of a TOML file through serde. Serde forgets where a value stood, so the place of a fault is
//! found by reading without single fields.

use serde::de::Deserialize;

use crate::error::Result;
use crate::toml_text::Item;
use crate::toml_value::Value;

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
