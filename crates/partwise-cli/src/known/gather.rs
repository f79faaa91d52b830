//! Reads everything that the flags and the guidance file name, and turns it into items of guidance: one
//! function for each kind.

use std::path::Path;

use anyhow::{Result, bail};
use partwise::guidance::{Advice, LabelRule, Strength, Topic};
use partwise::methods::Input;
use partwise::{ComponentReference, DataMatrix, LabelTargets, Matrix, Real};
use partwise_io::guidance_file::{GraphOrigin, LabelsEntry, LinksEntry, TableEntry, WeightsEntry};
use partwise_io::{
    GuidanceFile, Matched, Named, ReadOptions, Reference, Table, TopicEntry, read_guidance, read_links,
    read_reference, read_table, read_topics, read_weights, rows_by_name, same_names, values_by_name,
    weights_by_name,
};

use super::Known;
use crate::input::Source;
use crate::labels::{KnownLabels, known_labels, targets_of};
use crate::request::{FitRequest, GraphSource, LabelSource};

impl Known {
    /// Reads all files. `data` are scaled; `known_entries` marks them where some are missing.
    pub(crate) fn gather<T: Real>(
        request: &FitRequest,
        source: &Source,
        data: &dyn DataMatrix<T>,
        known_entries: Option<Matrix<f64>>,
    ) -> Result<Self> {
        let file = match &request.known.guidance {
            Some(path) => read_guidance(path, &source.names())?,
            None => GuidanceFile::default(),
        };
        let anything = request.method.takes(Input::Guidance);
        let strength = request.strength.or(file.strength);
        let mut gathering = Gathering { request, source, anything, strength, out: Known::default() };
        gathering.all(file, data, known_entries)?;
        let mut out = gathering.out;
        if let Some(features) = source.feature_names.as_ref().filter(|_| anything) {
            out.guidance = out.guidance.with_feature_names(features.clone());
        }
        if anything && out.guidance.is_empty() {
            bail!(
                "the method {} needs guidance: --guidance, --topics, --labels, --links, --reference or \
                --graph",
                request.method.name
            );
        }
        if request.strength == Some(Strength::Auto) && !out.guidance.searches() {
            bail!("--strength auto has no effect: every item has its own strength, or none");
        }
        Ok(out)
    }
}

/// The guidance while it is put together.
struct Gathering<'a> {
    request: &'a FitRequest,
    source: &'a Source,
    /// Whether the method takes guidance of any kind.
    anything: bool,
    out: Known,
    /// The strength of items that state none, if it is not their default.
    strength: Option<Strength>,
}

impl Gathering<'_> {
    /// Every kind of guidance: what the file lists, and what the flags name.
    fn all<T: Real>(
        &mut self,
        file: GuidanceFile,
        data: &dyn DataMatrix<T>,
        known_entries: Option<Matrix<f64>>,
    ) -> Result<()> {
        let (request, source, known) = (self.request, self.source, &self.request.known);
        if known.guidance.is_some() {
            self.add_file("guidance", &file.path, &file.sha256);
        }
        if file.labels.is_some() && known.labels.are_given() {
            bail!(
                "{} and the flags both give labels; remove --labels and --label-column, or the labels in the \
                file",
                file.path.display()
            );
        }
        self.note("guidance", file.notes);
        self.topics(file.topics)?;
        self.labels(file.labels)?;
        self.label_targets()?;
        let flag = known.links.clone();
        let flag = flag.map(|path| LinksEntry { file: Some(path), ..LinksEntry::default() });
        file.links.into_iter().chain(flag).try_for_each(|entry| self.links(entry))?;
        for entry in file.graphs {
            self.graph(&of_origin(entry.origin)?, entry.strength, data)?;
        }
        if let Some(graph) = &request.graph {
            self.graph(graph, request.graph_strength, data)?;
        }
        file.memberships.iter().try_for_each(|entry| self.memberships(entry))?;
        let flag = known.reference.clone().map(|file| TableEntry { file, names: None, strength: None });
        // Last, for references without names go to the topics that the rest has named.
        file.references.into_iter().chain(flag).try_for_each(|entry| self.references(entry))?;
        let samples = (source.rows, source.samples(), "sample");
        if let Some(weights) = self.weights(file.sample_weights, samples, &file.path)? {
            self.push(Advice::SampleWeights(weights));
        }
        let by_row = source.features().map(|(names, matched)| (names, Matched { part: "row", ..matched }));
        let features = (source.columns, by_row, "feature");
        if let Some(weights) = self.weights(file.feature_weights, features, &file.path)? {
            self.push(Advice::FeatureWeights(weights));
        }
        if let Some(known) = known_entries {
            self.push(Advice::KnownEntries(known));
        }
        if known.zeros_missing {
            let known = (0..data.n_samples()).map(|i| data.non_zero_features(i)).collect();
            self.push(Advice::KnownFeatures(known));
        }
        if let Some(path) = &known.entry_weights {
            let table = self.table("entry weights", path)?;
            let values = values_by_name(table, path, source.samples(), source.features())?;
            self.push(Advice::EntryWeights(values.into_matrix::<f64>(path)?));
        }
        Ok(())
    }

    fn push(&mut self, item: Advice) {
        self.out.guidance.advice_mut().push(item);
    }

    /// An item with its strength: as stated, else that of the request or the file, else its default.
    fn push_with(&mut self, mut item: Advice, stated: Option<Strength>) {
        item.set_strength(stated.or(self.strength).unwrap_or(item.default_strength()));
        self.push(item);
    }

    fn add_file(&mut self, kind: &str, path: &Path, sha256: &str) {
        self.out.files.push([kind.into(), path.display().to_string(), sha256.into()]);
    }

    fn note(&mut self, code: &'static str, notes: impl IntoIterator<Item = String>) {
        self.out.notes.extend(notes.into_iter().map(|note| (code, note)));
    }

    fn table(&mut self, kind: &str, path: &Path) -> Result<Table> {
        let mut table = read_table(path, &ReadOptions::default())?;
        self.add_file(kind, path, &table.sha256);
        self.note("guidance", std::mem::take(&mut table.notes));
        Ok(table)
    }

    fn topics(&mut self, mut entries: Vec<TopicEntry>) -> Result<()> {
        if let Some(path) = &self.request.known.topics {
            let table = read_topics(path, &self.source.names())?;
            self.add_file("topics", path, &table.sha256);
            self.note("guidance", table.notes);
            for topic in table.topics {
                // A topic of both gets the words of both.
                match entries.iter_mut().find(|known| known.name == topic.name) {
                    Some(known) => {
                        let new = |f| !known.seeds.iter().any(|seed| seed.feature == f);
                        let seeds: Vec<_> =
                            topic.seeds.into_iter().filter(|s| new(s.feature.clone())).collect();
                        known.seeds.extend(seeds);
                        known.forbidden.extend(topic.forbidden);
                    }
                    None => entries.push(topic),
                }
            }
        }
        for entry in entries {
            self.out.guidance.topics_mut().push(Topic {
                name: entry.name,
                components: entry.components.unwrap_or(1),
                seeds: entry.seeds,
                strength: entry.strength.or(self.strength).unwrap_or(Strength::FIRM),
                forbidden: entry.forbidden,
            });
        }
        Ok(())
    }

    fn labels(&mut self, entry: Option<LabelsEntry>) -> Result<()> {
        let (request, method) = (self.request, self.request.method);
        let mut from = request.known.labels.clone();
        let (mut rule, mut stated) = (LabelRule::default(), None);
        if let Some(entry) = entry {
            (rule, stated) = (entry.rule, entry.strength);
            if rule == LabelRule::SameCodes {
                // Fixed or ignored: a strength between, meant for the rest, can't be theirs.
                stated = stated.or(Some(Strength::HELD));
            }
            let labels_per_class = from.labels_per_class.or(entry.per_class);
            from = LabelSource { labels: Some(entry.file), label_column: entry.column, labels_per_class };
        }
        let sets = [Input::Guidance, Input::LabelSets, Input::LabelTargets].map(|input| method.takes(input));
        match known_labels(&from, self.source, request.settings.seed, sets.contains(&true))? {
            None => {}
            Some(KnownLabels::Classes(classes)) => {
                self.add_file("labels", Path::new(&classes.name), &classes.sha256);
                let (labels, strength) = (classes.labels.clone(), Strength::FIRM);
                self.push_with(Advice::Labels { labels, rule, strength }, stated);
                self.out.set_classes(classes);
            }
            Some(KnownLabels::Sets(table)) => {
                let item = match method.takes(Input::LabelTargets) {
                    true => Advice::targets(targets_of(&table)),
                    false => Advice::Sets {
                        names: table.names,
                        sets: table.sets.into_iter().map(|set| (!set.is_empty()).then_some(set)).collect(),
                        strength: Strength::FIRM,
                    },
                };
                self.note("labels", table.notes);
                self.push_with(item, stated);
            }
        }
        Ok(())
    }

    /// The table of --label-targets, in which nan is not known.
    fn label_targets(&mut self) -> Result<()> {
        let Some(path) = &self.request.known.label_targets else { return Ok(()) };
        let table = read_table(path, &ReadOptions::default())?;
        self.note("labels", table.notes.iter().map(|note| format!("{}: {note}", path.display())));
        let targets = rows_by_name(table, path, self.source.rows, self.source.row_names.as_deref())?;
        let (n, labels) = targets.shape();
        let value = |i: usize, j: usize| Some(targets.get(i, j)).filter(|value| !value.is_nan());
        let targets = LabelTargets {
            targets: Matrix::from_fn(n, labels, |i, j| value(i, j).unwrap_or(0.0)),
            known: Matrix::from_fn(n, labels, |i, j| f64::from(value(i, j).is_some())),
        };
        self.push_with(Advice::targets(targets), None);
        Ok(())
    }

    fn links(&mut self, entry: LinksEntry) -> Result<()> {
        let (mut must, mut cannot) = (entry.must, entry.cannot);
        if let Some(path) = &entry.file {
            let table = read_links(path, &self.source.names())?;
            self.add_file("links", path, &table.sha256);
            must.extend(table.must);
            cannot.extend(table.cannot);
        }
        self.push_with(Advice::Links { must, cannot, strength: Strength::FIRM }, entry.strength);
        Ok(())
    }

    /// A graph has its own default strength: that of the rest would make all codes alike.
    fn graph<T: Real>(
        &mut self,
        from: &GraphSource,
        stated: Option<Strength>,
        data: &dyn DataMatrix<T>,
    ) -> Result<()> {
        let (graph, words) = from.graph(self.source, data, "")?;
        self.out.chosen.push(words);
        let item = Advice::graph(graph);
        let strength = stated.unwrap_or(item.default_strength());
        self.push(item.with_strength(strength));
        Ok(())
    }

    fn memberships(&mut self, entry: &TableEntry) -> Result<()> {
        let path = &entry.file;
        let mut table = self.table("memberships", path)?;
        let Some(names) = table.column_names.take() else {
            bail!("{}: memberships need a header with the topics of the columns", path.display());
        };
        let shares = rows_by_name(table, path, self.source.rows, self.source.row_names.as_deref())?;
        self.push_with(Advice::Memberships { names, shares, strength: Strength::FIRM }, entry.strength);
        Ok(())
    }

    fn references(&mut self, entry: TableEntry) -> Result<()> {
        let source = self.source;
        let mut read = read_reference::<f64>(&entry.file, &ReadOptions::default())?
            .aligned_to(source.columns, source.feature_names.as_deref())?;
        if self.anything {
            self.add_file("references", &entry.file, &read.sha256);
            self.note("guidance", std::mem::take(&mut read.notes));
            let names = self.names_of(entry.names, &read)?;
            let item = Advice::References { names, profiles: read.values, strength: Strength::FIRM };
            self.push_with(item, entry.strength);
            return Ok(());
        }
        self.check_order(&read)?;
        self.note("reference", std::mem::take(&mut read.notes));
        let weight = vec![self.strength.unwrap_or(Strength::FIRM).sigma(); read.values.rows()];
        let reference = ComponentReference { reference: read.values.clone(), weight };
        self.push(Advice::ComponentReference(reference));
        self.out.reference = Some(read);
        Ok(())
    }

    /// The topics of references: as stated, else by the file, else in the order of the topics.
    fn names_of(&mut self, stated: Option<Vec<String>>, read: &Reference<f64>) -> Result<Vec<String>> {
        let (rows, place) = (read.values.rows(), read.path.display());
        match (stated, &read.row_names) {
            (Some(names), _) if names.len() != rows => {
                bail!("{place}: there are {rows} references, but {} names for them", names.len())
            }
            (Some(names), Some(own)) if names != *own && same_names(&names, own) => bail!(
                "{place}: the names are those of its rows, but in another order ({}, not {}); remove names",
                own.join(", "),
                names.join(", ")
            ),
            (Some(names), _) => Ok(names),
            (None, Some(names)) => Ok(names.clone()),
            (None, None) => {
                let topics = self.out.guidance.all_topics().into_iter();
                let mut names: Vec<String> =
                    topics.flat_map(|(name, count)| vec![name; count]).take(rows).collect();
                names.extend((names.len()..rows).map(|j| format!("reference {}", j + 1)));
                self.out.chosen.push(format!(
                    "the references of {place}, which have no names, are in order {}",
                    names.join(", ")
                ));
                Ok(names)
            }
        }
    }

    /// Component j is row j of a published reference, which must not contradict the classes.
    fn check_order(&self, read: &Reference<f64>) -> Result<()> {
        let (Some(names), Some(known)) = (&read.row_names, &self.out.classes) else { return Ok(()) };
        let classes = known.labels.names();
        match (0..names.len().min(classes.len())).find(|j| names[*j] != classes[*j]) {
            None => Ok(()),
            Some(at) => bail!(
                "{}: row {at} is \"{}\", but component {at} is the class \"{}\"; put the rows in the order of the classes: {}",
                read.path.display(),
                names[at],
                classes[at],
                classes.join(", ")
            ),
        }
    }

    fn weights(
        &mut self,
        entry: Option<WeightsEntry>,
        (count, names, of): (usize, Named<'_>, &str),
        path: &Path,
    ) -> Result<Option<Vec<f64>>> {
        Ok(match entry {
            None => None,
            Some(WeightsEntry::Values(values)) => Some(values),
            Some(WeightsEntry::File(file)) => Some(read_weights(&file, count, names, of)?),
            Some(WeightsEntry::Named(named)) => {
                let features = self.source.feature_names.as_deref();
                let (weights, unknown) = weights_by_name(&named, &self.source.names(), features, path)?;
                if !unknown.is_empty() {
                    // As with seeds, such a name is ignored.
                    let unknown = unknown.join(", ");
                    let note = format!("feature_weights names {unknown}, which the data do not have");
                    self.note("guidance", [note]);
                }
                Some(weights)
            }
        })
    }
}

/// A graph of the guidance file.
fn of_origin(origin: GraphOrigin) -> Result<GraphSource> {
    Ok(match origin {
        GraphOrigin::File(path) => GraphSource::File(path),
        GraphOrigin::Neighbours(count, weights) => GraphSource::neighbours(count, weights, None, "")?,
    })
}
