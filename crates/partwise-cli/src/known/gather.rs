//! Reads everything that the flags and the guidance file name, and turns it into items of guidance: one
//! function for each kind.

use std::path::Path;

use anyhow::{Result, bail};
use partwise::guidance::{Advice, LabelRule, Strength, Topic};
use partwise::methods::Input;
use partwise::{ComponentReference, DataMatrix, LabelTargets, Matrix, Real};
use partwise_io::guidance_file::Named;
use partwise_io::{
    FileItem, GuidanceFile, Origin, ReadOptions, Reference, TopicEntry, read_guidance, read_reference,
    read_table, read_topics, rows_by_name,
};

use super::Known;
use crate::graphs::{file_in_words, in_words};
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
        let labels = file.labels().map(|(item, from)| (item.clone(), from.clone()));
        if labels.is_some() && known.labels.are_given() {
            bail!(
                "{} and the flags both give labels; remove --labels and --label-column, or the labels in the \
                file",
                file.path.display()
            );
        }
        self.note("guidance", file.notes);
        self.topics(file.topics)?;
        self.labels(labels)?;
        self.label_targets()?;
        let mut items = file.items;
        items.retain(|item| !matches!((&item.advice, &item.from), (Advice::Labels { .. }, Origin::File(_))));
        let reference = known.reference.as_ref();
        for (kind, path) in [
            ("links", known.links.as_ref()),
            ("references", reference.filter(|_| self.anything)),
            ("weights of entries", known.entry_weights.as_ref()),
        ] {
            items.extend(path.map(|path| FileItem::of_file(kind, path, &source.names())));
        }
        // In the order of the kinds: references without names go to the topics that the others have named.
        items.sort_by_key(|item| Advice::KINDS.iter().position(|kind| kind.name == item.kind.name));
        items.into_iter().try_for_each(|item| self.item(item, data))?;
        if let Some(path) = reference.filter(|_| !self.anything) {
            self.published_reference(path)?;
        }
        if let Some(graph) = &request.graph {
            let (graph, words) = graph.graph(source, data, "")?;
            self.out.chosen.push(words);
            let item = Advice::graph(graph);
            let strength = request.graph_strength.unwrap_or(item.default_strength());
            self.push(item.with_strength(strength));
        }
        if let Some(known) = known_entries {
            self.push(Advice::KnownEntries(known));
        }
        if known.zeros_missing {
            let known = (0..data.n_samples()).map(|i| data.non_zero_features(i)).collect();
            self.push(Advice::KnownFeatures(known));
        }
        Ok(())
    }

    fn push(&mut self, item: Advice) {
        self.out.guidance.advice_mut().push(item);
    }

    /// An item with its strength: as stated, else that of the request or the file, else its default.
    fn push_with(&mut self, item: Advice, stated: Option<Strength>) {
        let default = item.default_strength();
        // What is not firm by default has its own scale, and no strength of all guidance is meant for it.
        let general = self.strength.filter(|_| default == Strength::FIRM || !self.anything);
        self.push(item.with_strength(stated.or(general).unwrap_or(default)));
    }

    fn add_file(&mut self, kind: &str, path: &Path, sha256: &str) {
        self.out.files.push([kind.into(), path.display().to_string(), sha256.into()]);
    }

    fn note(&mut self, code: &'static str, notes: impl IntoIterator<Item = String>) {
        self.out.notes.extend(notes.into_iter().map(|note| (code, note)));
    }

    fn topics(&mut self, mut entries: Vec<TopicEntry>) -> Result<()> {
        if let Some(path) = &self.request.known.topics {
            let table = read_topics(path, &self.source.names())?;
            self.add_file("topics", path, &table.sha256);
            self.note("guidance", table.notes);
            for entry in table.topics {
                // A topic of both gets the words of both.
                match entries.iter_mut().find(|known| known.topic.name == entry.topic.name) {
                    Some(TopicEntry { topic: known, .. }) => {
                        let new = |f| !known.seeds.iter().any(|seed| seed.feature == f);
                        let seeds: Vec<_> =
                            entry.topic.seeds.into_iter().filter(|s| new(s.feature.clone())).collect();
                        known.seeds.extend(seeds);
                        known.forbidden.extend(entry.topic.forbidden);
                    }
                    None => entries.push(entry),
                }
            }
        }
        for entry in entries {
            let strength = entry.strength.or(self.strength).unwrap_or(Strength::FIRM);
            self.out.guidance.topics_mut().push(Topic { strength, ..entry.topic });
        }
        Ok(())
    }

    /// Labels of the flags, or of the file that the guidance file names.
    fn labels(&mut self, of_file: Option<(Advice, Named)>) -> Result<()> {
        let (request, method) = (self.request, self.request.method);
        let mut from = request.known.labels.clone();
        let (mut rule, mut stated) = (LabelRule::default(), None);
        if let Some((Advice::Labels { rule: of_all, strength, .. }, file)) = of_file {
            (rule, stated) = (of_all, Some(strength).filter(|strength| strength.is_stated()));
            let labels_per_class = from.labels_per_class.or(file.per_class);
            from = LabelSource { labels: Some(file.path), label_column: file.column, labels_per_class };
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
        let targets = LabelTargets::of_table(&rows_by_name(table, path, &self.source.names())?);
        self.push_with(Advice::targets(targets), None);
        Ok(())
    }

    /// An item of the guidance file, or of a file that a flag names.
    fn item<T: Real>(&mut self, item: FileItem, data: &dyn DataMatrix<T>) -> Result<()> {
        let mut found = item.read(&self.source.names(), &self.out.guidance)?;
        let stated = found.advice.strength().filter(|_| item.stated);
        match (item.from, &mut found.advice) {
            (Origin::Neighbours(settings), Advice::Graph { graph, .. }) => {
                let words;
                (*graph, words) = GraphSource::of_settings(settings, "").graph(self.source, data, "")?;
                found.chosen.push(words);
            }
            (Origin::File(file), advice) => {
                if let Advice::Graph { graph, .. } = advice {
                    let notes = std::mem::take(&mut found.notes);
                    found.chosen.push(in_words(graph, &file_in_words(&file.path, notes)));
                }
                self.add_file(item.kind.name, &file.path, &found.sha256.unwrap_or_default());
            }
            _ => {}
        }
        self.note("guidance", found.notes);
        self.out.chosen.extend(found.chosen);
        self.push_with(found.advice, stated);
        Ok(())
    }

    /// References of a published method.
    fn published_reference(&mut self, path: &Path) -> Result<()> {
        let mut read = read_reference::<f64>(path, &ReadOptions::default())?
            .aligned_to(self.source.columns, self.source.feature_names.as_deref())?;
        self.check_order(&read)?;
        self.note("reference", std::mem::take(&mut read.notes));
        let weight = vec![self.strength.unwrap_or(Strength::FIRM).sigma(); read.values.rows()];
        let reference = ComponentReference { reference: read.values.clone(), weight };
        self.push(Advice::ComponentReference(reference));
        self.out.reference = Some(read);
        Ok(())
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
}
