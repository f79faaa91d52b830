//! Values of a TOML file with their places: every error states line, column, and what is valid.

use crate::error::{IoError, Place, Result};
use crate::source::Source;
use crate::text::{did_you_mean, quoted};
use crate::toml_value::Value;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The text that values are from.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a> {
    pub(crate) source: &'a Source,
    pub(crate) text: &'a str,
}

/// A value and what it is called in messages (`strength of the topic "sport"`).
#[derive(Clone)]
pub(crate) struct Item<'a> {
    file: Text<'a>,
    what: String,
    at: usize,
    value: &'a DeValue<'a>,
}

/// A table of which every key is known.
pub(crate) struct Keys<'a> {
    entries: Vec<(&'a str, Item<'a>)>,
    /// The table itself, for faults of what it lacks.
    pub(crate) whole: Item<'a>,
}

impl<'a> Text<'a> {
    /// The source as text.
    pub(crate) fn new(source: &'a Source) -> Result<Self> {
        match std::str::from_utf8(source.text_bytes()) {
            Ok(text) => Ok(Text { source, text }),
            Err(error) => {
                let place = Place::Byte(error.valid_up_to() as u64);
                Err(source.malformed(place, "a guidance file must be UTF-8 text"))
            }
        }
    }

    /// Parses the whole text.
    pub(crate) fn parse(self) -> Result<Spanned<DeTable<'a>>> {
        DeTable::parse(self.text).map_err(|error| {
            let place = error.span().map_or(Place::Whole, |span| self.place(span.start));
            self.source.malformed(place, format!("this is not valid TOML: {}", error.message()))
        })
    }

    /// Line and column of an offset.
    fn place(self, offset: usize) -> Place {
        let mut end = offset.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &self.text[..end];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Place::Character {
            line: before.matches('\n').count() as u64 + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }

    /// The entries of the top, in the order of the file.
    pub(crate) fn top(self, table: &'a DeTable<'a>, valid: &[&str]) -> Result<Vec<(&'a str, Item<'a>)>> {
        let entries = entries(self, table, "");
        known(self, &entries, "the file", valid)?;
        Ok(entries.into_iter().map(|(key, _, item)| (key, item)).collect())
    }
}

/// Key, its offset, and the value, in the order of the file.
fn entries<'a>(file: Text<'a>, table: &'a DeTable<'a>, of: &str) -> Vec<(&'a str, usize, Item<'a>)> {
    let mut all: Vec<_> = table
        .iter()
        .map(|(key, value)| {
            let name = key.get_ref().as_ref();
            let what = if of.is_empty() { name.to_string() } else { format!("{name} of {of}") };
            let item = Item { file, what, at: value.span().start, value: value.get_ref() };
            (name, key.span().start, item)
        })
        .collect();
    // The parser sorts by name, but the order of topics is the file's.
    all.sort_by_key(|(_, at, _)| *at);
    all
}

/// Refuses keys that mean nothing.
fn known(file: Text<'_>, entries: &[(&str, usize, Item<'_>)], of: &str, valid: &[&str]) -> Result<()> {
    let Some((key, at, _)) = entries.iter().find(|(key, ..)| !valid.contains(key)) else { return Ok(()) };
    let near = did_you_mean(key, valid);
    let message = format!("{of} has no key {}{near} valid: {}", quoted(key.as_bytes()), valid.join(", "));
    Err(file.source.malformed(file.place(*at), message))
}

impl<'a> Item<'a> {
    /// A fault here.
    pub(crate) fn fault(&self, message: impl Into<String>) -> IoError {
        self.file.source.malformed(self.file.place(self.at), message)
    }

    /// The file, and where in it this is.
    pub(crate) fn place(&self) -> (&Path, Place) {
        (&self.file.source.path, self.file.place(self.at))
    }

    /// What it is called.
    pub(crate) fn what(&self) -> &str {
        &self.what
    }

    /// The same under another name.
    pub(crate) fn called(mut self, what: impl Into<String>) -> Self {
        self.what = what.into();
        self
    }

    fn wrong_type(&self, wanted: &str) -> IoError {
        let article = |kind: &str| match kind {
            "array" => "a list".to_string(),
            "integer" => "an integer".to_string(),
            kind => format!("a {kind}"),
        };
        self.fault(format!("{} must be {wanted}, but it is {}", self.what, article(self.value.type_str())))
    }

    pub(crate) fn refuse<T>(&self, wanted: &str) -> Result<T> {
        Err(self.wrong_type(wanted))
    }

    /// The text, if it is one.
    pub(crate) fn as_text(&self) -> Option<&'a str> {
        self.value.as_str()
    }

    pub(crate) fn text(&self, wanted: &str) -> Result<&'a str> {
        match self.as_text() {
            Some(text) if !text.trim().is_empty() => Ok(text),
            Some(_) => Err(self.fault(format!("{} is empty; it must be {wanted}", self.what))),
            None => self.refuse(wanted),
        }
    }

    /// A number, whole or not; `None` when it isn't one.
    pub(crate) fn as_number(&self) -> Option<f64> {
        match self.value {
            DeValue::Integer(number) => {
                i64::from_str_radix(number.as_str(), number.radix()).ok().map(|n| n as f64)
            }
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => None,
        }
    }

    /// A number in a range that `valid` describes.
    pub(crate) fn number(&self, valid: &str, inside: impl Fn(f64) -> bool) -> Result<f64> {
        match self.as_number() {
            Some(number) if inside(number) => Ok(number),
            Some(number) => Err(self.fault(format!("{} is {number}; it must be {valid}", self.what))),
            None => self.refuse(valid),
        }
    }

    /// A whole number of `least` or more, if it is a whole number.
    pub(crate) fn as_whole(&self, least: i64) -> Option<usize> {
        let DeValue::Integer(number) = self.value else { return None };
        let number = i64::from_str_radix(number.as_str(), number.radix()).ok()?;
        usize::try_from(number).ok().filter(|_| number >= least)
    }

    /// The entries of a list, if it is one.
    pub(crate) fn as_list(&self) -> Option<Vec<Item<'a>>> {
        let item = |value: &'a Spanned<DeValue<'a>>| Item {
            file: self.file,
            what: format!("an entry of {}", self.what),
            at: value.span().start,
            value: value.get_ref(),
        };
        self.value.as_array().map(|list| list.iter().map(item).collect())
    }

    /// Keys with their values in the order of the file, if it is a table; any key is allowed.
    pub(crate) fn as_entries(&self) -> Option<Vec<(&'a str, Item<'a>)>> {
        let table = self.value.as_table()?;
        Some(entries(self.file, table, &self.what).into_iter().map(|(key, _, item)| (key, item)).collect())
    }

    /// Its value, without its place.
    pub(crate) fn value(&self) -> Value {
        if let Some(list) = self.as_list() {
            return Value::List(list.iter().map(Item::value).collect());
        }
        if let Some(entries) = self.as_entries() {
            return Value::Table(entries.iter().map(|(key, item)| (key.to_string(), item.value())).collect());
        }
        match (self.value, self.as_number()) {
            (DeValue::Boolean(flag), _) => Value::Flag(*flag),
            (DeValue::Integer(number), _) => match i64::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => Value::Whole(number),
                Err(_) => number.as_str().into(),
            },
            (_, Some(number)) => Value::Number(number),
            (DeValue::String(text), None) => text.as_ref().into(),
            (other, None) => other.type_str().into(),
        }
    }

    /// A table with these keys only, if it is a table.
    pub(crate) fn as_keys(&self, valid: &[&str]) -> Result<Option<Keys<'a>>> {
        let Some(table) = self.value.as_table() else { return Ok(None) };
        let entries = entries(self.file, table, &self.what);
        known(self.file, &entries, &self.what, valid)?;
        let entries = entries.into_iter().map(|(key, _, item)| (key, item)).collect();
        Ok(Some(Keys { entries, whole: self.clone() }))
    }
}

impl<'a> Keys<'a> {
    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Item<'a>> {
        self.entries.iter().find(|(known, _)| *known == key).map(|(_, item)| item)
    }

    /// The value of a key that must be there.
    pub(crate) fn need(&self, key: &str, wanted: &str) -> Result<&Item<'a>> {
        self.get(key).ok_or_else(|| self.whole.fault(format!("{} lacks {key}, {wanted}", self.whole.what())))
    }
}
