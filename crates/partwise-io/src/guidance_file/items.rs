//! Items of the file: what only files have (a file's name for a table, names for numbers, short forms) is
//! resolved here; the rest is the schema of the library.

use std::path::Path;

use partwise::graphs::NeighbourGraph;
use partwise::guidance::{Advice, Axis, ComponentsPerClass, ItemTable, Kind};
use serde::Deserialize;

use super::{FileItem, Named, Origin, Reader};
use crate::error::Result;
use crate::names::DataNames;
use crate::toml_serde::{Field, read};
use crate::toml_text::{Item, Keys};
use crate::toml_value::Value;

const FILE: &str = "the name of a file";

/// The keys that only files have: those that say where the numbers are, and those that say how to take them.
fn own_keys(kind: &Kind) -> (&'static [&'static str], &'static [&'static str]) {
    match kind.name {
        "labels" => (&["file"], &["column", "per_class", "components_per_class"]),
        "graph" => (&["file", "neighbours"], &["weights", "width"]),
        "links" => (&["file"], &[]),
        _ if kind.table.is_some() => (&["file"], &[]),
        _ => (&[], &[]),
    }
}

/// A whole number of 1 or more, or "auto".
fn components_per_class(item: &Item<'_>) -> Result<ComponentsPerClass> {
    const VALID: &str = "a whole number of 1 or more, or \"auto\"";
    match item.text(VALID) {
        Ok(text) => ComponentsPerClass::from_text(text).map_err(|error| item.fault(error.to_string())),
        Err(_) => whole(item, VALID).map(ComponentsPerClass::Number),
    }
}

/// A finite number of 0 or more.
fn weight(item: &Item<'_>) -> Result<f64> {
    item.number("a finite number of 0 or more", |w| w >= 0.0 && w.is_finite())
}

impl Reader<'_> {
    /// The items of a key: one, or each of a list.
    pub(super) fn items(&mut self, kind: &'static Kind, item: &Item<'_>) -> Result<Vec<FileItem>> {
        if let Some(table) = kind.table.filter(|table| table.rows == Axis::Single) {
            return Ok(vec![self.list_of_weights(kind, table, item)?]);
        }
        match item.as_list() {
            Some(list) => list.iter().map(|item| self.item(kind, item)).collect(),
            None => Ok(vec![self.item(kind, item)?]),
        }
    }

    fn item(&self, kind: &'static Kind, item: &Item<'_>) -> Result<FileItem> {
        let (sources, further) = own_keys(kind);
        let said = kind
            .fields
            .iter()
            .filter(|field| **field != "n_samples")
            .chain(kind.table.as_ref().map(|t| &t.field));
        let says: Vec<&'static str> = sources.iter().chain(said).copied().collect();
        let valid: Vec<&'static str> = says.iter().chain(further).chain(kind.manner).copied().collect();
        let Some(keys) = item.as_keys(&valid)? else {
            let wanted = match sources.is_empty() {
                true => format!("a table with {}", valid.join(", ")),
                false => format!("the name of a file, or a table with {}", valid.join(", ")),
            };
            let file = self.named(item, item.text(&wanted)?);
            let advice = read(&fields(kind, self.names, None), item)?;
            return Ok(FileItem { advice, kind, stated: false, from: Origin::File(file) });
        };
        if !says.iter().any(|key| keys.get(key).is_some()) {
            return Err(item.fault(format!("{} needs one of {}", item.what(), says.join(", "))));
        }
        let from = self.origin(&keys)?;
        if let (Origin::Here, Some(key)) = (&from, further.iter().find_map(|key| keys.get(key))) {
            return Err(key.fault(format!("{} needs {} beside it", key.what(), sources.join(" or "))));
        }
        let mut fields = fields(kind, self.names, Some(&keys));
        for field in fields.iter_mut().filter(|field| matches!(field.name, "must" | "cannot")) {
            field.value =
                field.place.as_ref().map_or(Ok(Value::List(Vec::new())), |item| self.pairs(item))?;
        }
        let mut advice: Advice = read(&fields, item)?;
        if from == Origin::Here {
            advice = advice.with_table(None).map_err(|error| item.fault(error.to_string()))?;
        }
        let strength = keys.get("strength");
        if let Some(place) = strength {
            advice.check_strength().map_err(|error| place.fault(error.to_string()))?;
        }
        Ok(FileItem { advice, kind, stated: strength.is_some(), from })
    }

    fn origin(&self, keys: &Keys<'_>) -> Result<Origin> {
        let (file, neighbours) = (keys.get("file"), keys.get("neighbours"));
        match (file, neighbours) {
            (Some(file), None) => {
                if let Some(weights) = keys.get("weights") {
                    return Err(weights.fault("a graph of a file has its own weights; leave weights out"));
                }
                let column = keys.get("column").map(|column| column.text("the name of a column"));
                let per_class =
                    keys.get("per_class").map(|count| whole(count, "a whole number of 1 or more"));
                let components = keys.get("components_per_class").map(components_per_class);
                Ok(Origin::File(Named {
                    column: column.transpose()?.map(str::to_string),
                    per_class: per_class.transpose()?,
                    components_per_class: components.transpose()?,
                    ..self.named(file, file.text(FILE)?)
                }))
            }
            (None, Some(count)) => {
                let valid = format!("a whole number from 1 to {}", self.names.n_samples().saturating_sub(1));
                let neighbours = whole(count, &valid)?;
                if neighbours >= self.names.n_samples() {
                    return Err(count.fault(format!("{} is {neighbours}; it must be {valid}", count.what())));
                }
                let weights = keys.get("weights");
                let name = weights.map_or(Ok("binary"), |weights| weights.text("a kind of weights"))?;
                let width = keys.get("width").map(weight).transpose()?;
                let graph = NeighbourGraph::named(neighbours, name, width);
                let place = weights.unwrap_or(count);
                Ok(Origin::Neighbours(graph.map_err(|error| place.fault(error.to_string()))?))
            }
            (Some(_), Some(both)) => {
                Err(both.fault("a graph is of a file or of neighbours; leave one of the two out"))
            }
            (None, None) => Ok(Origin::Here),
        }
    }

    /// Pairs of samples, by number or name.
    fn pairs(&self, item: &Item<'_>) -> Result<Value> {
        let wanted = "a list of pairs of samples, as in [[0, 1], [\"ann\", \"bob\"]]";
        let Some(list) = item.as_list() else { return item.refuse(wanted) };
        let pair = |item: &Item<'_>| {
            let item = item.clone().called("a link");
            let ends = item.as_list().unwrap_or_default();
            let [a, b] = &ends[..] else { return item.refuse("a pair of two samples") };
            let (a, b) = (self.sample(a)?, self.sample(b)?);
            if a == b {
                return Err(item.fault(format!("sample {a} is linked with itself")));
            }
            Ok(Value::List(vec![Value::Whole(a as i64), Value::Whole(b as i64)]))
        };
        Ok(Value::List(list.iter().map(pair).collect::<Result<_>>()?))
    }

    fn sample(&self, item: &Item<'_>) -> Result<usize> {
        let item = item.clone().called("a sample");
        let found = match (item.as_text(), item.as_whole(0)) {
            (Some(text), _) => self.names.sample(text),
            (None, Some(at)) => self.names.sample_number(at as u64),
            (None, None) => return item.refuse("a number from 0, or a name"),
        };
        found.map_err(|message| item.fault(message))
    }

    /// One number for each sample or feature: a list, a file, or numbers by name, all others 1.
    fn list_of_weights(
        &mut self,
        kind: &'static Kind,
        table: ItemTable,
        item: &Item<'_>,
    ) -> Result<FileItem> {
        let (count, of) = match table.columns {
            Axis::Samples => (self.names.n_samples(), "sample"),
            _ => (self.names.n_features(), "feature"),
        };
        let mut from = Origin::Here;
        let mut weights = vec![1.0; count];
        if let Some(list) = item.as_list() {
            if list.len() != count {
                let message = format!(
                    "{} has {} numbers for {count} {of}s; one for each is needed",
                    item.what(),
                    list.len()
                );
                return Err(item.fault(message));
            }
            weights = list.iter().map(weight).collect::<Result<_>>()?;
        } else if let Some(entries) = item.as_entries() {
            let mut unknown = Vec::new();
            for (name, item) in &entries {
                match self.names.place(table.columns, name).map_err(|message| item.fault(message))? {
                    Some(at) => weights[at] = weight(item)?,
                    None => {
                        weight(item)?;
                        unknown.push(*name);
                    }
                }
            }
            if !unknown.is_empty() {
                self.notes.push(format!(
                    "{} names {}, which the data do not have",
                    item.what(),
                    unknown.join(", ")
                ));
            }
        } else {
            let wanted = format!(
                "a list of numbers, a table of numbers by the name of the {of}, or the name of a file"
            );
            from = Origin::File(self.named(item, item.text(&wanted)?));
            weights = Vec::new();
        }
        let values = Value::List(weights.into_iter().map(Value::Number).collect());
        let field = |name, value| Field { name, value, place: None };
        let advice = read(&[field("kind", kind.name.into()), field(table.field, values)], item)?;
        Ok(FileItem { advice, kind, stated: false, from })
    }
}

pub(super) fn whole(item: &Item<'_>, valid: &str) -> Result<usize> {
    match (item.as_whole(1), item.as_number()) {
        (Some(number), _) => Ok(number),
        (None, Some(number)) => Err(item.fault(format!("{} is {number}; it must be {valid}", item.what()))),
        (None, None) => item.refuse(valid),
    }
}

impl FileItem {
    /// The item of a kind whose table is in a file.
    ///
    /// # Panics
    /// When no kind with a file has this name.
    pub fn of_file(kind: &str, path: &Path, names: &DataNames<'_>) -> Self {
        let kind = Advice::KINDS.iter().find(|known| known.name == kind && !own_keys(known).0.is_empty());
        let kind = kind.expect("a kind of the library that a file may give");
        let fields = fields(kind, names, None);
        let fields = fields.into_iter().map(|field| (field.name.to_string(), field.value)).collect();
        let advice = Advice::deserialize(Value::Table(fields)).expect("nothing is given but the kind");
        let file = Named::new(path.into(), None);
        FileItem { advice, kind, stated: false, from: Origin::File(file) }
    }
}

/// The fields of an item, as far as `keys` give them. What its file is to give is empty so far.
fn fields<'a>(kind: &'static Kind, names: &DataNames<'_>, keys: Option<&Keys<'a>>) -> Vec<Field<'a>> {
    let sources = own_keys(kind).0;
    let bare = keys.is_none_or(|keys| sources.iter().any(|key| keys.get(key).is_some()));
    let mut fields = vec![Field { name: "kind", value: kind.name.into(), place: None }];
    let table = kind.table.map(|table| table.field);
    for name in kind.fields.iter().copied().chain(table).chain(kind.manner.iter().copied()) {
        let given = keys.and_then(|keys| keys.get(name));
        let value = match given {
            Some(item) => item.value(),
            None if name == "n_samples" => Value::Whole(names.n_samples() as i64),
            None if bare && kind.fields.contains(&name) => Value::List(Vec::new()),
            None => continue,
        };
        fields.push(Field { name, value, place: given.cloned() });
    }
    fields
}
