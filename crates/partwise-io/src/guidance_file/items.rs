//! Strengths, and everything in the file but its topics.

use std::path::PathBuf;

use partwise::guidance::{LabelRule, Strength};

use super::{
    GRAPH_WEIGHTS, GraphEntry, GraphOrigin, LabelsEntry, LinksEntry, Reader, TableEntry, WeightsEntry,
};
use crate::error::Result;
use crate::text::nearest;
use crate::toml_text::{Item, Keys};

const FILE: &str = "the name of a file";

/// Which strengths an item can have.
#[derive(Clone, Copy)]
pub(super) struct Allowed {
    pub(super) raw: bool,
    pub(super) held: bool,
}

pub(super) fn strength(item: &Item<'_>, allowed: Allowed) -> Result<Strength> {
    let range = match allowed.held {
        true => "a number from 0 (ignored) to 1 (held exactly)",
        false => "a number from 0 (ignored) to below 1",
    };
    let valid = match allowed.raw {
        true => format!("{range}, \"auto\", or {{ raw = m }} with m of 0 or more"),
        false => format!("{range}, or \"auto\""),
    };
    if item.as_text() == Some("auto") {
        return Ok(Strength::Auto);
    }
    if let (true, Some(keys)) = (allowed.raw, item.as_keys(&["raw"])?) {
        let raw = keys.need("raw", "a paper's own weight")?;
        let weight = raw.number("a finite number of 0 or more", |m| m >= 0.0 && m.is_finite())?;
        return Ok(Strength::Raw(weight));
    }
    let inside = |s: f64| (0.0..=1.0).contains(&s) && (allowed.held || s < 1.0);
    Ok(Strength::Relative(item.number(&valid, inside)?))
}

/// The strength among the keys of an item.
pub(super) fn strength_of(keys: &Keys<'_>, allowed: Allowed) -> Result<Option<Strength>> {
    keys.get("strength").map(|item| strength(item, allowed)).transpose()
}

fn weight(item: &Item<'_>) -> Result<f64> {
    item.number("a finite number of 0 or more", |w| w >= 0.0 && w.is_finite())
}

/// One of several words.
fn choice<'v>(item: &Item<'_>, valid: &[&'v str]) -> Result<&'v str> {
    let wanted = format!("one of {}", valid.join(", "));
    let text = item.text(&wanted)?;
    valid.iter().find(|name| **name == text).copied().ok_or_else(|| {
        let near = nearest(text, valid).map_or(";".into(), |name| format!(", did you mean \"{name}\"?"));
        item.fault(format!("{} is \"{text}\"{near} valid: {}", item.what(), valid.join(", ")))
    })
}

impl Reader<'_> {
    fn file(&self, item: &Item<'_>) -> Result<PathBuf> {
        Ok(self.folder.join(item.text(FILE)?))
    }

    /// The file among the keys of an item.
    fn file_of(&self, keys: &Keys<'_>) -> Result<PathBuf> {
        self.file(keys.need("file", FILE)?)
    }

    pub(super) fn labels(&self, item: &Item<'_>) -> Result<LabelsEntry> {
        let valid = ["file", "column", "rule", "per_class", "strength"];
        let Some(keys) = item.as_keys(&valid)? else {
            let wanted = "the name of a file, or a table with file, column, rule, per_class, strength";
            let file = self.folder.join(item.text(wanted)?);
            let rule = LabelRule::default();
            return Ok(LabelsEntry { file, column: None, rule, per_class: None, strength: None });
        };
        let rule = match keys.get("rule") {
            None => LabelRule::default(),
            Some(rule) => {
                let name = choice(rule, &LabelRule::ALL.map(LabelRule::name))?;
                LabelRule::from_name(name).unwrap_or_default()
            }
        };
        let per_class = match keys.get("per_class") {
            None => None,
            Some(count) => Some(self.whole(count, 1, "a whole number of 1 or more")?),
        };
        let column = keys.get("column").map(|column| column.text("the name of a column")).transpose()?;
        let same = rule == LabelRule::SameCodes;
        let stated = strength_of(&keys, Allowed { raw: !same, held: true })?;
        let whole = |s: &Strength| [0.0, 1.0].map(Strength::Relative).contains(s);
        if let (true, Some(at), Some(stated)) = (same, keys.get("strength"), &stated)
            && !whole(stated)
        {
            return Err(at.fault("labels with the rule same-codes are held (strength 1) or ignored (0); samples share their codes or don't"));
        }
        Ok(LabelsEntry {
            file: self.file_of(&keys)?,
            column: column.map(str::to_string),
            rule,
            per_class,
            strength: stated,
        })
    }

    pub(super) fn whole(&self, item: &Item<'_>, least: i64, valid: &str) -> Result<usize> {
        match (item.as_whole(least), item.as_number()) {
            (Some(number), _) => Ok(number),
            (None, Some(number)) => {
                Err(item.fault(format!("{} is {number}; it must be {valid}", item.what())))
            }
            (None, None) => item.refuse(valid),
        }
    }

    pub(super) fn table(&self, item: &Item<'_>, valid: &[&'static str]) -> Result<TableEntry> {
        let Some(keys) = item.as_keys(valid)? else {
            let file = self.folder.join(item.text("the name of a file, or a table with file and strength")?);
            return Ok(TableEntry { file, names: None, strength: None });
        };
        let names = match keys.get("names") {
            None => None,
            Some(names) => {
                let Some(list) = names.as_list() else { return names.refuse("a list of names of topics") };
                let name = |item: &Item<'_>| item.text("the name of a topic").map(str::to_string);
                Some(list.iter().map(name).collect::<Result<_>>()?)
            }
        };
        let strength = strength_of(&keys, Allowed { raw: true, held: true })?;
        Ok(TableEntry { file: self.file_of(&keys)?, names, strength })
    }

    pub(super) fn links(&self, item: &Item<'_>) -> Result<LinksEntry> {
        let Some(keys) = item.as_keys(&["file", "must", "cannot", "strength"])? else {
            let file = self
                .folder
                .join(item.text("the name of a file, or a table with file, must, cannot, strength")?);
            return Ok(LinksEntry { file: Some(file), must: Vec::new(), cannot: Vec::new(), strength: None });
        };
        let pairs = |key: &str| keys.get(key).map_or(Ok(Vec::new()), |item| self.pairs(item));
        let out = LinksEntry {
            file: keys.get("file").map(|file| self.file(file)).transpose()?,
            must: pairs("must")?,
            cannot: pairs("cannot")?,
            strength: strength_of(&keys, Allowed { raw: false, held: true })?,
        };
        if out.file.is_none() && keys.get("must").is_none() && keys.get("cannot").is_none() {
            return Err(keys.whole.fault(format!("{} needs file, must or cannot", keys.whole.what())));
        }
        Ok(out)
    }

    fn pairs(&self, item: &Item<'_>) -> Result<Vec<(usize, usize)>> {
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
            Ok((a, b))
        };
        list.iter().map(pair).collect()
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

    pub(super) fn graph(&self, item: &Item<'_>) -> Result<GraphEntry> {
        let Some(keys) = item.as_keys(&["file", "neighbours", "weights", "strength"])? else {
            let wanted = "the name of a file, or a table with file or neighbours, and strength";
            let origin = GraphOrigin::File(self.folder.join(item.text(wanted)?));
            return Ok(GraphEntry { origin, strength: None });
        };
        let origin = match (keys.get("file"), keys.get("neighbours")) {
            (Some(file), None) => {
                if let Some(weights) = keys.get("weights") {
                    return Err(weights.fault("a graph of a file has its own weights; leave weights out"));
                }
                GraphOrigin::File(self.file(file)?)
            }
            (None, Some(count)) => {
                let valid = format!("a whole number from 1 to {}", self.names.n_samples().saturating_sub(1));
                let count = match self.whole(count, 1, &valid)? {
                    number if number < self.names.n_samples() => number,
                    number => {
                        return Err(count.fault(format!("{} is {number}; it must be {valid}", count.what())));
                    }
                };
                let weights =
                    keys.get("weights").map(|weights| choice(weights, &GRAPH_WEIGHTS)).transpose()?;
                GraphOrigin::Neighbours(count, weights.unwrap_or("binary"))
            }
            _ => {
                return Err(keys.whole.fault(format!("{} needs one of file, neighbours", keys.whole.what())));
            }
        };
        Ok(GraphEntry { origin, strength: strength_of(&keys, Allowed { raw: true, held: false })? })
    }

    /// One number for each of `count` samples or features, or a file with them.
    pub(super) fn weights(&self, item: &Item<'_>, count: usize, of: &str) -> Result<WeightsEntry> {
        let Some(list) = item.as_list() else {
            let by_name =
                if of == "features" { ", a table of numbers by the name of the feature," } else { "," };
            let wanted = format!("a list of numbers{by_name} or the name of a file");
            return Ok(WeightsEntry::File(self.folder.join(item.text(&wanted)?)));
        };
        if list.len() != count {
            return Err(item.fault(format!(
                "{} has {} numbers for {count} {of}; one for each is needed",
                item.what(),
                list.len()
            )));
        }
        Ok(WeightsEntry::Values(list.iter().map(weight).collect::<Result<_>>()?))
    }

    pub(super) fn feature_weights(&self, item: &Item<'_>) -> Result<WeightsEntry> {
        let Some(entries) = item.as_entries() else {
            return self.weights(item, self.names.n_features(), "features");
        };
        let named = |(name, item): &(&str, Item<'_>)| {
            let feature = self.names.feature(name).map_err(|message| item.fault(message))?;
            Ok((feature, weight(item)?))
        };
        Ok(WeightsEntry::Named(entries.iter().map(named).collect::<Result<_>>()?))
    }
}
