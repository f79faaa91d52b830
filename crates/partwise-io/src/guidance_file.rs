//! `guidance.toml`: everything that is known, in one file. Files that it names are relative to its folder.
//!
//! ```toml
//! strength = 0.9                  # of everything that states none: 0 (ignored) to 1 (held exactly), or "auto"
//! labels = "labels.csv"           # or { file, column, rule = "components" | "same-codes" | "view", per_class, strength }
//! memberships = "shares.csv"      # one column a topic, one row a sample (by name where both have names); nan = not known
//! references = "last_month.csv"   # one row a component; or { file, names, strength }
//! links = "links.csv"             # or { file, must = [[0, 1]], cannot = [["ann", "bob"]], strength }
//! graph = "edges.csv"             # or { file, strength }, or { neighbours = 5, weights = "binary", strength }
//! sample_weights = [1, 1, 0.5]    # or a file with one number a line
//!
//! [[topics]]                      # component j is the topic j
//! name = "sport"
//! components = 1
//! seeds = ["ball", { word = "goal", weight = 2 }]
//! forbidden = ["senate"]
//! strength = 0.9
//! ```
//!
//! Topics also come as `topics = { sport = ["ball"], law = ["court"] }`, as lists without names `[["ball", "goal"], ["court"]]`, and as a
//! flat list `["ball", "court"]`, in which each word seeds a topic of its own. A strength may be `{ raw = m }`, a paper's own weight.

use crate::error::Result;
use crate::formats::DECODED_LIMIT;
use crate::names::DataNames;
use crate::source::Source;
use crate::text::nearest;
use crate::toml_text::{Item, Keys, Text};
use crate::topics::TopicEntry;
use partwise::guidance::{Feature, LabelRule, Seed, Strength};
use std::path::{Path, PathBuf};

/// A strength as a file gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stated {
    /// This one.
    Strength(Strength),
    /// The least that is followed, to be searched.
    Auto,
}

/// Labels of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelsEntry {
    /// The file.
    pub file: PathBuf,
    /// The column that holds them.
    pub column: Option<String>,
    /// What they say.
    pub rule: LabelRule,
    /// How many of each class guide; all when absent.
    pub per_class: Option<usize>,
    /// How strongly.
    pub strength: Option<Stated>,
}

/// Memberships, or reference components, of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct TableEntry {
    /// The file.
    pub file: PathBuf,
    /// The topic of each reference, where the file is not to say it.
    pub names: Option<Vec<String>>,
    /// How strongly.
    pub strength: Option<Stated>,
}

/// Pairs of samples.
#[derive(Clone, Debug, PartialEq)]
pub struct LinksEntry {
    /// A file of pairs.
    pub file: Option<PathBuf>,
    /// Pairs that belong together, of the guidance file itself.
    pub must: Vec<(usize, usize)>,
    /// Pairs that belong apart.
    pub cannot: Vec<(usize, usize)>,
    /// How strongly.
    pub strength: Option<Stated>,
}

/// A graph over the samples.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphEntry {
    /// Where it is from.
    pub origin: GraphOrigin,
    /// How strongly.
    pub strength: Option<Stated>,
}

/// Where a graph is from.
#[derive(Clone, Debug, PartialEq)]
pub enum GraphOrigin {
    /// An edge list or a symmetric matrix.
    File(PathBuf),
    /// Nearest neighbours in the data, with weights of this kind ([`GRAPH_WEIGHTS`]).
    Neighbours(usize, &'static str),
}

/// The kinds of weights of neighbours.
pub const GRAPH_WEIGHTS: [&str; 4] = ["binary", "self-tuning", "cosine", "dot"];

/// The weights of samples.
#[derive(Clone, Debug, PartialEq)]
pub enum WeightsEntry {
    /// A file with one number a line.
    File(PathBuf),
    /// The weights (n).
    Values(Vec<f64>),
}

/// Everything that the file says; see the module.
#[derive(Clone, Debug, PartialEq)]
pub struct GuidanceFile {
    /// The file.
    pub path: PathBuf,
    /// The strength of everything that states none.
    pub strength: Option<Stated>,
    /// Topics, in the order of the file.
    pub topics: Vec<TopicEntry>,
    /// Labels.
    pub labels: Option<LabelsEntry>,
    /// Soft memberships.
    pub memberships: Vec<TableEntry>,
    /// Reference components.
    pub references: Vec<TableEntry>,
    /// Pairs.
    pub links: Vec<LinksEntry>,
    /// Graphs.
    pub graphs: Vec<GraphEntry>,
    /// Weights of the samples.
    pub sample_weights: Option<WeightsEntry>,
    /// Policies that were applied, as sentences for a report.
    pub notes: Vec<String>,
    /// SHA-256 of the file's bytes as stored.
    pub sha256: String,
}

const TOP: [&str; 8] =
    ["strength", "topics", "labels", "memberships", "references", "links", "graph", "sample_weights"];
const TOPIC: [&str; 5] = ["name", "components", "seeds", "strength", "forbidden"];
const WORDS: &str = "a list of words, as in [\"ball\", { word = \"goal\", weight = 2 }]";
const FILE: &str = "the name of a file";

/// Reads a guidance file for data with these names. The files that it names are not read.
///
/// # Errors
/// When the file can't be read or isn't TOML; an unknown key (with the nearest one and all that are valid), a wrong type, a number out of
/// its range, a sample or feature that isn't there: each with line and column.
pub fn read_guidance(path: &Path, names: &DataNames<'_>) -> Result<GuidanceFile> {
    guidance_of(&Source::open(path, DECODED_LIMIT)?, names)
}

/// As [`read_guidance`] for bytes that are already here.
///
/// # Errors
/// As [`read_guidance`].
pub fn guidance_of(source: &Source, names: &DataNames<'_>) -> Result<GuidanceFile> {
    let text = Text::new(source)?;
    let document = text.parse()?;
    let mut reader =
        Reader { folder: source.path.parent().unwrap_or(Path::new("")), names, notes: Vec::new() };
    let mut out = GuidanceFile {
        path: source.path.clone(),
        strength: None,
        topics: Vec::new(),
        labels: None,
        memberships: Vec::new(),
        references: Vec::new(),
        links: Vec::new(),
        graphs: Vec::new(),
        sample_weights: None,
        notes: Vec::new(),
        sha256: source.sha256.clone(),
    };
    for (key, item) in text.top(document.get_ref(), &TOP)? {
        match key {
            "strength" => out.strength = Some(strength(&item, Allowed { raw: false, held: true })?),
            "topics" => out.topics = reader.topics(&item)?,
            "labels" => out.labels = Some(reader.labels(&item)?),
            "memberships" => out.memberships = each(&item, |item| reader.table(item, &["file", "strength"]))?,
            "references" => {
                out.references = each(&item, |item| reader.table(item, &["file", "names", "strength"]))?;
            }
            "links" => out.links = each(&item, |item| reader.links(item))?,
            "graph" => out.graphs = each(&item, |item| reader.graph(item))?,
            _ => out.sample_weights = Some(reader.weights(&item)?),
        }
    }
    out.notes = reader.notes;
    Ok(out)
}

/// One value, or each of a list.
fn each<'a, T>(item: &Item<'a>, mut read: impl FnMut(&Item<'a>) -> Result<T>) -> Result<Vec<T>> {
    match item.as_list() {
        Some(list) => list.iter().map(read).collect(),
        None => Ok(vec![read(item)?]),
    }
}

/// Which strengths an item can have.
#[derive(Clone, Copy)]
struct Allowed {
    raw: bool,
    held: bool,
}

fn strength(item: &Item<'_>, allowed: Allowed) -> Result<Stated> {
    let range = match allowed.held {
        true => "a number from 0 (ignored) to 1 (held exactly)",
        false => "a number from 0 (ignored) to below 1",
    };
    let valid = match allowed.raw {
        true => format!("{range}, \"auto\", or {{ raw = m }} with m of 0 or more"),
        false => format!("{range}, or \"auto\""),
    };
    if item.as_text() == Some("auto") {
        return Ok(Stated::Auto);
    }
    if let (true, Some(keys)) = (allowed.raw, item.as_keys(&["raw"])?) {
        let raw = keys.need("raw", "a paper's own weight")?;
        let weight = raw.number("a finite number of 0 or more", |m| m >= 0.0 && m.is_finite())?;
        return Ok(Stated::Strength(Strength::Raw(weight)));
    }
    let inside = |s: f64| (0.0..=1.0).contains(&s) && (allowed.held || s < 1.0);
    Ok(Stated::Strength(Strength::Relative(item.number(&valid, inside)?)))
}

/// The strength among the keys of an item.
fn strength_of(keys: &Keys<'_>, allowed: Allowed) -> Result<Option<Stated>> {
    keys.get("strength").map(|item| strength(item, allowed)).transpose()
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

struct Reader<'r> {
    folder: &'r Path,
    names: &'r DataNames<'r>,
    notes: Vec<String>,
}

impl Reader<'_> {
    fn file(&self, item: &Item<'_>) -> Result<PathBuf> {
        Ok(self.folder.join(item.text(FILE)?))
    }

    /// The file among the keys of an item.
    fn file_of(&self, keys: &Keys<'_>) -> Result<PathBuf> {
        self.file(keys.need("file", FILE)?)
    }

    fn labels(&self, item: &Item<'_>) -> Result<LabelsEntry> {
        let valid = ["file", "column", "rule", "per_class", "strength"];
        let Some(keys) = item.as_keys(&valid)? else {
            let wanted = "the name of a file, or a table with file, column, rule, per_class, strength";
            let file = self.folder.join(item.text(wanted)?);
            let rule = LabelRule::default();
            return Ok(LabelsEntry { file, column: None, rule, per_class: None, strength: None });
        };
        let rule = match keys.get("rule").map(|rule| choice(rule, &["components", "same-codes", "view"])) {
            None => LabelRule::default(),
            Some(rule) => match rule? {
                "same-codes" => LabelRule::SameCodes,
                "view" => LabelRule::View,
                _ => LabelRule::Components,
            },
        };
        let per_class = match keys.get("per_class") {
            None => None,
            Some(count) => Some(self.whole(count, 1, "a whole number of 1 or more")?),
        };
        let column = keys.get("column").map(|column| column.text("the name of a column")).transpose()?;
        let same = rule == LabelRule::SameCodes;
        let stated = strength_of(&keys, Allowed { raw: !same, held: true })?;
        let whole = |s: &Stated| [0.0, 1.0].map(|v| Stated::Strength(Strength::Relative(v))).contains(s);
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

    fn whole(&self, item: &Item<'_>, least: i64, valid: &str) -> Result<usize> {
        match (item.as_whole(least), item.as_number()) {
            (Some(number), _) => Ok(number),
            (None, Some(number)) => {
                Err(item.fault(format!("{} is {number}; it must be {valid}", item.what())))
            }
            (None, None) => item.refuse(valid),
        }
    }

    fn table(&self, item: &Item<'_>, valid: &[&'static str]) -> Result<TableEntry> {
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

    fn links(&self, item: &Item<'_>) -> Result<LinksEntry> {
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
        let text = match (item.as_text(), item.as_whole(0)) {
            (Some(text), _) => text.to_string(),
            // A number means a number, whatever samples are named.
            (None, Some(at)) if at < self.names.n_samples() => return Ok(at),
            (None, Some(at)) => at.to_string(),
            (None, None) => return item.refuse("a number from 0, or a name"),
        };
        self.names.sample(&text).map_err(|message| item.fault(message))
    }

    fn graph(&self, item: &Item<'_>) -> Result<GraphEntry> {
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

    fn weights(&self, item: &Item<'_>) -> Result<WeightsEntry> {
        let Some(list) = item.as_list() else {
            return Ok(WeightsEntry::File(
                self.folder.join(item.text("a list of numbers, or the name of a file")?),
            ));
        };
        if list.len() != self.names.n_samples() {
            let (found, n) = (list.len(), self.names.n_samples());
            return Err(item.fault(format!(
                "sample_weights has {found} numbers for {n} samples; one for each is needed"
            )));
        }
        let weight =
            |item: &Item<'_>| item.number("a finite number of 0 or more", |w| w >= 0.0 && w.is_finite());
        Ok(WeightsEntry::Values(list.iter().map(weight).collect::<Result<_>>()?))
    }

    fn topics(&mut self, item: &Item<'_>) -> Result<Vec<TopicEntry>> {
        let wanted = "a list of topics, or a table of words by the name of the topic";
        if let Some(entries) = item.as_entries() {
            return entries.iter().map(|(name, item)| self.named_topic(name, item)).collect();
        }
        let Some(list) = item.as_list() else { return item.refuse(wanted) };
        let texts = list.iter().filter(|entry| entry.as_text().is_some()).count();
        if texts > 0 && texts < list.len() {
            let odd = list.iter().find(|entry| entry.as_text().is_none()).unwrap_or(item);
            return Err(odd.fault(
                "topics mixes words with other entries; use one kind: tables, lists of words, or words",
            ));
        }
        if texts > 0 {
            self.notes.push(format!(
                "topics is a flat list: each of its {texts} words seeds a topic of its own, named by the word"
            ));
        }
        let mut topics: Vec<TopicEntry> = Vec::new();
        for (at, entry) in list.iter().enumerate() {
            let topic = match (entry.as_text(), entry.as_list()) {
                (Some(word), _) => self.named_topic(word, entry)?,
                (None, Some(_)) => self.named_topic(&format!("topic {}", at + 1), entry)?,
                (None, None) => self.topic(None, entry)?,
            };
            if topics.iter().any(|other| other.name == topic.name) {
                return Err(entry.fault(format!("two topics are named \"{}\"", topic.name)));
            }
            topics.push(topic);
        }
        Ok(topics)
    }

    /// A topic whose name is known: its words, or a table.
    fn named_topic(&mut self, name: &str, item: &Item<'_>) -> Result<TopicEntry> {
        let item = item.clone().called(format!("the topic \"{name}\""));
        if item.as_entries().is_some() {
            return self.topic(Some(name), &item);
        }
        if name.trim().is_empty() {
            return Err(item.fault("a topic has no name"));
        }
        Ok(TopicEntry { name: name.into(), seeds: self.seeds(&item)?, ..TopicEntry::default() })
    }

    fn topic(&mut self, name: Option<&str>, item: &Item<'_>) -> Result<TopicEntry> {
        let item = if name.is_some() { item.clone() } else { item.clone().called("a topic") };
        let valid = if name.is_some() { &TOPIC[1..] } else { &TOPIC[..] };
        let Some(keys) = item.as_keys(valid)? else {
            return item.refuse("a table with name, seeds, ..., a list of words, or a word");
        };
        let name = match name {
            Some(name) => name.to_string(),
            None => keys.need("name", "the name of the topic")?.text("the name of the topic")?.to_string(),
        };
        let components = match keys.get("components") {
            None => None,
            Some(count) => Some(self.whole(count, 1, "a whole number of 1 or more")?),
        };
        let forbidden = match keys.get("forbidden") {
            None => Vec::new(),
            Some(words) => self.seeds(words)?.into_iter().map(|seed| seed.feature).collect(),
        };
        Ok(TopicEntry {
            components,
            seeds: keys.get("seeds").map_or(Ok(Vec::new()), |seeds| self.seeds(seeds))?,
            strength: strength_of(&keys, Allowed { raw: false, held: true })?,
            forbidden,
            name,
        })
    }

    /// Words: one, a list, lists in a list, or weights by word. A word that comes again counts once.
    fn seeds(&mut self, item: &Item<'_>) -> Result<Vec<Seed>> {
        let mut seeds: Vec<Seed> = Vec::new();
        self.add_seeds(item, 0, &mut seeds)?;
        Ok(seeds)
    }

    fn add_seeds(&mut self, item: &Item<'_>, depth: usize, seeds: &mut Vec<Seed>) -> Result<()> {
        let weight_of =
            |item: &Item<'_>| item.number("a finite number above 0", |w| w > 0.0 && w.is_finite());
        if let Some(list) = item.as_list().filter(|_| depth < 2) {
            if depth == 1 {
                self.notes.push(format!("{}: lists in the list were joined", item.what()));
            }
            return list.iter().try_for_each(|entry| self.add_seeds(entry, depth + 1, seeds));
        }
        if depth == 0
            && let Some(entries) = item.as_entries()
        {
            for (word, weight) in entries {
                let feature = self.names.feature(word).map_err(|message| weight.fault(message))?;
                push(seeds, Seed { feature, weight: weight_of(&weight)? });
            }
            return Ok(());
        }
        if let Some(keys) = item.as_keys(&["word", "weight"])? {
            let feature = self.feature(keys.need("word", "the word itself")?)?;
            let weight = keys.get("weight").map_or(Ok(1.0), weight_of)?;
            push(seeds, Seed { feature, weight });
            return Ok(());
        }
        if depth == 0 && item.as_text().is_none() {
            return item.refuse(WORDS);
        }
        push(seeds, Seed { feature: self.feature(item)?, weight: 1.0 });
        Ok(())
    }

    fn feature(&self, item: &Item<'_>) -> Result<Feature> {
        let found = match (item.as_text(), item.as_whole(0)) {
            (Some(text), _) if text.trim().is_empty() => Err(format!("{} is empty", item.what())),
            (Some(text), _) => self.names.feature(text),
            (None, Some(column)) => self.names.column(column as u64),
            (None, None) => {
                return item.refuse("a word, the number of a feature from 0, or { word, weight }");
            }
        };
        found.map_err(|message| item.fault(message))
    }
}

fn push(seeds: &mut Vec<Seed>, seed: Seed) {
    if !seeds.iter().any(|other| other.feature == seed.feature) {
        seeds.push(seed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<GuidanceFile> {
        let samples: Vec<String> = ["ann", "bob", "cid"].map(String::from).to_vec();
        let features: Vec<String> = ["ball", "goal", "court", "senate"].map(String::from).to_vec();
        let source = Source::from_bytes(Path::new("home/guidance.toml"), text.as_bytes().to_vec(), 1 << 20)?;
        guidance_of(&source, &DataNames::new(3, Some(&samples), 4, Some(&features)))
    }

    fn words(topic: &TopicEntry) -> Vec<(String, f64)> {
        let text = |feature: &Feature| match feature {
            Feature::Name(name) => name.clone(),
            Feature::Index(column) => column.to_string(),
        };
        topic.seeds.iter().map(|seed| (text(&seed.feature), seed.weight)).collect()
    }

    #[test]
    fn everything_is_read_in_the_order_of_the_file() {
        let file = read(
            r#"strength = "auto"
labels = { file = "labels.csv", column = "who", rule = "view", per_class = 2, strength = { raw = 3 } }
memberships = ["a.csv", { file = "b.csv", strength = 0.5 }]
references = { file = "/old.csv", names = ["law"], strength = 0 }
links = { must = [[0, "bob"]], cannot = [["ann", 2]], strength = 1 }
graph = [{ neighbours = 2 }, "edges.csv"]
sample_weights = [1, 0.5, 0]

[[topics]]
name = "sport"
components = 2
seeds = ["ball", { word = "goal", weight = 2 }, "ball"]
forbidden = ["senate", 2]

[[topics]]
name = "law"
strength = 0.25
"#,
        )
        .unwrap();
        assert_eq!(file.strength, Some(Stated::Auto));
        let labels = file.labels.unwrap();
        assert_eq!((labels.file, labels.column), (PathBuf::from("home/labels.csv"), Some("who".into())));
        assert_eq!((labels.rule, labels.per_class), (LabelRule::View, Some(2)));
        assert_eq!(labels.strength, Some(Stated::Strength(Strength::Raw(3.0))));
        assert_eq!(file.memberships[0].file, Path::new("home/a.csv"));
        assert_eq!(file.memberships[1].strength, Some(Stated::Strength(Strength::Relative(0.5))));
        assert_eq!(file.references[0].file, Path::new("/old.csv"));
        assert_eq!(file.references[0].names, Some(vec!["law".to_string()]));
        assert_eq!((&file.links[0].must, &file.links[0].cannot), (&vec![(0, 1)], &vec![(0, 2)]));
        assert_eq!(file.links[0].strength, Some(Stated::Strength(Strength::HELD)));
        assert_eq!(file.graphs[0].origin, GraphOrigin::Neighbours(2, "binary"));
        assert_eq!(file.graphs[1].origin, GraphOrigin::File("home/edges.csv".into()));
        assert_eq!(file.sample_weights, Some(WeightsEntry::Values(vec![1.0, 0.5, 0.0])));
        let [sport, law] = &file.topics[..] else { panic!("{:?}", file.topics) };
        assert_eq!((sport.name.as_str(), sport.components), ("sport", Some(2)));
        assert_eq!(words(sport), [("ball".to_string(), 1.0), ("goal".into(), 2.0)]);
        assert_eq!(sport.forbidden, [Feature::from("senate"), Feature::from(2)]);
        assert_eq!((law.name.as_str(), law.seeds.len()), ("law", 0));
    }

    #[test]
    fn topics_come_in_any_shape_that_people_write() {
        let names = |file: &GuidanceFile| file.topics.iter().map(|t| t.name.clone()).collect::<Vec<_>>();
        let dict =
            read("[topics]\nsport = [\"ball\", \"goal\"]\nlaw = { seeds = \"court\", strength = 1 }\n")
                .unwrap();
        // Not sorted by name: the order is the file's.
        assert_eq!(names(&dict), ["sport", "law"]);
        assert_eq!(words(&dict.topics[1]), [("court".to_string(), 1.0)]);
        let nested = read("topics = [[\"ball\", \"goal\"], [\"court\"]]").unwrap();
        assert_eq!(names(&nested), ["topic 1", "topic 2"]);
        assert_eq!(words(&nested.topics[0]), words(&dict.topics[0]));
        let flat = read("topics = [\"ball\", \"court\"]").unwrap();
        assert_eq!(names(&flat), ["ball", "court"]);
        assert!(flat.notes[0].contains("flat list"), "{:?}", flat.notes);
        let weights = read("[[topics]]\nname = \"a\"\nseeds = { goal = 2, ball = 1 }").unwrap();
        assert_eq!(words(&weights.topics[0]), [("goal".to_string(), 2.0), ("ball".into(), 1.0)]);
        let joined = read("[[topics]]\nname = \"a\"\nseeds = [[\"goal\"], [\"ball\"]]").unwrap();
        assert_eq!((words(&joined.topics[0]).len(), joined.notes.len()), (2, 2));
        assert!(read("[[topics]]\nname = \"a\"\nseeds = []").unwrap().topics[0].seeds.is_empty());
    }

    #[test]
    fn faults_say_line_column_and_what_is_valid() {
        for (text, parts) in [
            (
                "\n  lables = \"x\"",
                &[
                    "home/guidance.toml",
                    "line 2, column 3",
                    "did you mean \"labels\"?",
                    "valid: strength, topics",
                ][..],
            ),
            ("colour = 1", &["line 1, column 1", "no key \"colour\"; valid: strength"]),
            (
                "[[topics]]\nname = \"a\"\nseed = [\"b\"]",
                &["line 3, column 1", "did you mean \"seeds\"?", "valid: name, components"],
            ),
            ("[[topics]]\nseeds = [\"b\"]", &["line 1", "lacks name"]),
            ("[[topics]]\nname = \"a\"\n[[topics]]\nname = \"a\"", &["line 3", "two topics are named \"a\""]),
            ("[[topics]]\nname = \"a\"\ncomponents = 0", &["line 3, column 14", "is 0", "1 or more"]),
            (
                "[[topics]]\nname = \"a\"\nseeds = 3.5",
                &["line 3, column 9", "a list of words", "it is a float"],
            ),
            ("[[topics]]\nname = \"a\"\nseeds = [true]", &["line 3, column 10", "it is a boolean"]),
            ("[[topics]]\nname = \"a\"\nseeds = [7]", &["line 3, column 10", "no feature 7", "0..4"]),
            (
                "[[topics]]\nname = \"a\"\nseeds = [{word = \"b\", weight = -1}]",
                &["line 3, column 32", "is -1", "above 0"],
            ),
            (
                "[[topics]]\nname = \"a\"\nstrength = {raw = 1}",
                &["line 3, column 12", "0 (ignored) to 1", "\"auto\""],
            ),
            ("topics = [\"a\", [\"b\"]]", &["line 1, column 16", "mixes"]),
            ("topics = 3", &["line 1, column 10", "it is an integer"]),
            ("strength = 1.5", &["line 1, column 12", "strength is 1.5", "0 (ignored) to 1 (held exactly)"]),
            ("strength = \"strong\"", &["line 1", "\"auto\""]),
            ("strength = nan", &["line 1", "NaN"]),
            ("labels = { file = \"a\", rule = \"vew\" }", &["line 1, column 31", "did you mean \"view\"?"]),
            (
                "labels = { file = \"a\", rule = \"same-codes\", strength = 0.5 }",
                &["held (strength 1) or ignored"],
            ),
            ("labels = { column = \"a\" }", &["lacks file"]),
            ("labels = 3", &["line 1, column 10", "the name of a file"]),
            ("links = { must = [[0, 3]] }", &["line 1, column 23", "no sample 3", "0..3"]),
            ("links = { must = [[\"ann\", \"bop\"]] }", &["did you mean \"bob\"?"]),
            ("links = { must = [[1, 1]] }", &["linked with itself"]),
            ("links = { must = [0, 1] }", &["a pair of two samples"]),
            ("links = {}", &["needs file, must or cannot"]),
            ("graph = { neighbours = 3 }", &["from 1 to 2"]),
            ("graph = { file = \"a\", strength = 1 }", &["line 1, column 34", "below 1"]),
            ("graph = { strength = 0.1 }", &["needs one of file, neighbours"]),
            ("sample_weights = [1, 2]", &["2 numbers for 3 samples"]),
            ("sample_weights = [1, 2, -1]", &["line 1, column 25", "0 or more"]),
            ("labels = \"a\"\nlabels = \"b\"", &["line 2", "not valid TOML"]),
            ("labels = \"a", &["line 1", "not valid TOML"]),
        ] {
            let message = read(text).unwrap_err().to_string();
            for part in parts {
                assert!(message.contains(part), "{text:?}: \"{part}\" is not in: {message}");
            }
        }
    }
}
