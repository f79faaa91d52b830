//! Reads everything that the flags and the guidance file name, and turns it into items of guidance.

use std::path::Path;

use anyhow::{Result, bail};
use partwise::guidance::{Advice, ComponentsPerClass, LabelRule, Strength, Topic};
use partwise::methods::Input;
use partwise::{ComponentReference, DataMatrix, LabelTargets, Matrix, Real};
use partwise_io::{
    FileItem, GuidanceFile, Origin, ReadOptions, Reference, TopicEntry, read_guidance, read_reference,
    read_table, read_topics, rows_by_name,
};

use super::Known;
use crate::graphs::graph_in_words;
use crate::input::Source;
use crate::labels::{KnownLabels, known_labels, targets_of};
use crate::request::{Asked, GraphSource, LabelSource};

impl Known {
    /// Reads all files. `data` are scaled; `known_entries` marks them where some are missing.
    pub(crate) fn gather<T: Real>(
        request: Asked<'_>,
        source: &Source,
        data: &dyn DataMatrix<T>,
        known_entries: Option<Matrix<f64>>,
    ) -> Result<Self> {
        let path = request.known.guidance.as_ref();
        let file = path.map(|path| read_guidance(path, &source.names())).transpose()?;
        let anything = request.method.takes(Input::Guidance);
        let strength = request.strength.or(file.as_ref().and_then(|file| file.strength));
        let in_file = file.as_ref().and_then(|file| file.labels()?.1.components_per_class);
        let out = Known::default();
        let mut gathering = Gathering { request, source, anything, strength, in_file, out };
        gathering.all(file.as_ref(), data, known_entries)?;
        gathering.components()?;
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
    request: Asked<'a>,
    source: &'a Source,
    /// Whether the method takes guidance of any kind.
    anything: bool,
    out: Known,
    /// The strength of items that state none, if it is not their default.
    strength: Option<Strength>,
    /// The components per class that the guidance file states.
    in_file: Option<ComponentsPerClass>,
}

impl Gathering<'_> {
    /// Every kind of guidance: what the file lists, and what the flags name.
    fn all<T: Real>(
        &mut self,
        file: Option<&GuidanceFile>,
        data: &dyn DataMatrix<T>,
        known_entries: Option<Matrix<f64>>,
    ) -> Result<()> {
        let (request, known) = (self.request, self.request.known);
        if let Some(file) = file {
            self.add_file("guidance", &file.path, &file.sha256);
            if file.labels().is_some() && known.labels.are_given() {
                bail!(
                    "{} and the flags both give labels; remove --labels and --label-column, or the labels in \
                    the file",
                    file.path.display()
                );
            }
            self.note("guidance", file.notes.clone());
        }
        self.topics(file.map_or(Vec::new(), |file| file.topics.clone()))?;
        self.labels(file)?;
        self.label_targets()?;
        self.items(file, data)?;
        if let Some(graph) = request.graph {
            let (graph, words) = graph.graph(self.source, data, "")?;
            self.out.chosen.push(words);
            let item = Advice::graph(graph);
            // A graph has its own default strength: that of the rest would make all codes alike.
            let strength = request.graph_strength.unwrap_or(item.default_strength());
            self.push(item.with_strength(strength));
        }
        if let Some(path) = known.reference.as_ref().filter(|_| !self.anything) {
            self.published_reference(path)?;
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

    /// The items of the file, but for its labels, and those of the flags, in the order of the kinds: for
    /// references without names go to the topics that the items before them have named.
    fn items<T: Real>(&mut self, file: Option<&GuidanceFile>, data: &dyn DataMatrix<T>) -> Result<()> {
        let (flags, names) = (self.request.known, self.source.names());
        let mut items: Vec<FileItem> = file.map_or(Vec::new(), |file| file.items.clone());
        items.retain(|item| item.kind.name != "labels" || item.from == Origin::Here);
        let named = [
            ("links", &flags.links),
            ("references", if self.anything { &flags.reference } else { &None }),
            ("weights of entries", &flags.entry_weights),
        ];
        for (kind, path) in named {
            items.extend(path.as_ref().map(|path| FileItem::of_file(kind, path, &names)));
        }
        items.sort_by_key(|item| Advice::KINDS.iter().position(|kind| kind.name == item.kind.name));
        items.iter().try_for_each(|item| self.item(item, data))
    }

    fn item<T: Real>(&mut self, item: &FileItem, data: &dyn DataMatrix<T>) -> Result<()> {
        let mut found = item.read(&self.source.names(), &self.out.guidance)?;
        if let Origin::Neighbours(settings) = &item.from {
            let from = GraphSource::of_settings(settings.clone(), "");
            let (graph, words) = from.graph(self.source, data, "")?;
            found.chosen.push(words);
            let strength = found.advice.strength().unwrap_or(found.advice.default_strength());
            found.advice = Advice::Graph { graph, strength };
        } else if let (Advice::Graph { graph, .. }, Origin::File(file)) = (&found.advice, &item.from) {
            let notes = std::mem::take(&mut found.notes);
            let origin = [vec![file.path.display().to_string()], notes].concat().join("; ");
            found.chosen.push(graph_in_words(graph, "", &origin));
        }
        if let (Some(sha256), Origin::File(file)) = (&found.sha256, &item.from) {
            self.add_file(item.kind.name, &file.path, sha256);
        }
        self.note("guidance", found.notes);
        self.out.chosen.extend(found.chosen);
        let stated = found.advice.strength().filter(|_| item.stated);
        self.push_with(found.advice, stated);
        Ok(())
    }

    fn push(&mut self, item: Advice) {
        self.out.guidance.advice_mut().push(item);
    }

    /// An item with its strength: as stated, else that of the request or the file, else its default.
    fn push_with(&mut self, mut item: Advice, stated: Option<Strength>) {
        let default = item.default_strength();
        // In guidance of any kind, what is not firm by default has a scale of its own.
        let general = self.strength.filter(|_| !self.anything || default == Strength::FIRM);
        item.set_strength(stated.or(general).unwrap_or(default));
        self.push(item);
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

    fn labels(&mut self, file: Option<&GuidanceFile>) -> Result<()> {
        let (request, method) = (self.request, self.request.method);
        let mut from = request.known.labels.clone();
        let (mut rule, mut stated) = (LabelRule::default(), None);
        if let Some((Advice::Labels { rule: own, strength, .. }, file)) = file.and_then(GuidanceFile::labels)
        {
            file.check_is_there()?;
            (rule, stated) = (*own, Some(*strength).filter(|strength| strength.is_stated()));
            let labels_per_class = from.labels_per_class.or(file.per_class);
            let (labels, label_column) = (Some(file.path.clone()), file.column.clone());
            from = LabelSource { labels, label_column, labels_per_class };
        }
        let sets = [Input::Guidance, Input::LabelSets, Input::LabelTargets].map(|input| method.takes(input));
        match known_labels(&from, self.source, request.seed, sets.contains(&true))? {
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

    /// Classes of the labels whose topics nothing else names get the components per class.
    fn components(&mut self) -> Result<()> {
        let stated = self.request.components_per_class.map(|flag| (flag, "--components-per-class"));
        let stated = stated.or(self.in_file.map(|field| (field, "components_per_class")));
        let Some((count, name)) = stated.filter(|_| self.anything) else { return Ok(()) };
        let guidance = &mut self.out.guidance;
        let Some(labels) = guidance.labels() else {
            bail!("{name} needs labels, one for each labelled sample");
        };
        if let ComponentsPerClass::Number(count) = count {
            let is_named = |class: &&String| guidance.topics().iter().any(|topic| topic.name == **class);
            let classes = labels.names().iter().filter(|class| !is_named(class));
            let wanted: Vec<(String, usize)> = classes.map(|class| (class.clone(), count)).collect();
            *guidance = std::mem::take(guidance).with_components(&wanted);
        }
        self.out.components_per_class = count;
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

    /// Reference components of a published method, all with the same weight.
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
