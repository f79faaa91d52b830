//! Builds the guidance of the method guided: combines the guidance file and the flags into one
//! [`Guidance`](advice::Guidance).

use std::path::Path;

use anyhow::{Result, bail};
use partwise::graphs::{NeighbourGraph, neighbour_graph};
use partwise::guidance::{self as advice, Advice, LabelRule, Topic};
use partwise::{DataMatrix, Matrix, Real};
use partwise_io::{FileItem, GuidanceFile, Origin, TopicEntry, read_guidance, read_topics};

use crate::args::{FitArgs, LabelArgs};
use crate::choices::Strength;
use crate::combined_guidance::CombinedGuidance;
use crate::flags;
use crate::guidance::{self, Given};
use crate::input::Source;

/// The guidance file of the flags, if the method takes one.
pub(crate) fn file(args: &FitArgs, source: &Source) -> Result<Option<GuidanceFile>> {
    let Some(path) = &args.guidance.guidance else { return Ok(None) };
    Ok(Some(read_guidance(path, &source.names())?))
}

/// The flags with the labels that the file names.
pub(crate) fn with_labels_of(file: Option<&GuidanceFile>, args: &LabelArgs) -> Result<LabelArgs> {
    let mut out = args.clone();
    let Some((file, (_, labels))) = file.and_then(|file| Some((file, file.labels()?))) else {
        return Ok(out);
    };
    if args.are_given() {
        bail!(
            "{} and the flags both give labels; remove --labels and --label-column, or the labels in the file",
            file.path.display()
        );
    }
    out.labels = Some(labels.path.clone());
    out.label_column.clone_from(&labels.column);
    out.labels_per_class = out.labels_per_class.or(labels.per_class);
    Ok(out)
}

/// Puts everything together. `data` are scaled.
pub(crate) fn compose<T: Real>(
    args: &FitArgs,
    file: Option<&GuidanceFile>,
    source: &Source,
    data: &dyn DataMatrix<T>,
    labels: Option<&Given>,
    known_entries: Option<Matrix<f64>>,
) -> Result<CombinedGuidance> {
    let mut composer = Composer { args, file, source, out: CombinedGuidance::default() };
    composer.topics()?;
    composer.labels(labels);
    if let Some(file) = file {
        composer.out.notes.extend(file.notes.iter().cloned());
        composer.add_file("guidance", &file.path, &file.sha256);
    }
    composer.items(data)?;
    if let Some(known) = known_entries {
        composer.push(Advice::KnownEntries(known), false);
    }
    if args.guidance.zeros_missing {
        let known = (0..data.n_samples()).map(|i| data.non_zero_features(i)).collect();
        composer.push(Advice::KnownFeatures(known), false);
    }
    if let Some(features) = &source.feature_names {
        composer.out.guidance = composer.out.guidance.with_feature_names(features.clone());
    }
    composer.finish()
}

struct Composer<'a> {
    args: &'a FitArgs,
    file: Option<&'a GuidanceFile>,
    source: &'a Source,
    out: CombinedGuidance,
}

impl Composer<'_> {
    fn push(&mut self, item: Advice, auto: bool) {
        self.out.auto_items.push(auto);
        self.out.guidance.advice_mut().push(item);
    }

    fn add_file(&mut self, kind: &'static str, path: &Path, sha256: &str) {
        self.out.files.push((kind, path.display().to_string(), sha256.to_string()));
    }

    /// A strength: as stated, else that of the flag, else that of the file, else the default; and whether it
    /// is to be searched, from the default.
    fn strength(
        &self,
        stated: Option<advice::Strength>,
        default: advice::Strength,
    ) -> (advice::Strength, bool) {
        let flag = self.args.model.strength.map(|strength| match strength {
            Strength::Auto => advice::Strength::Auto,
            Strength::Value(value) => advice::Strength::Relative(value),
        });
        let general = flag.or(self.file.and_then(|file| file.strength));
        // What is not firm by default has its own scale, and no general strength is meant for it.
        match stated.or(general.filter(|_| default == advice::Strength::FIRM)) {
            Some(advice::Strength::Auto) => (default, true),
            stated => (stated.unwrap_or(default), false),
        }
    }

    fn topics(&mut self) -> Result<()> {
        let mut entries: Vec<TopicEntry> = self.file.map_or(Vec::new(), |file| file.topics.clone());
        if let Some(path) = &self.args.guidance.topics {
            let table = read_topics(path, &self.source.names())?;
            self.add_file("topics", path, &table.sha256);
            self.out.notes.extend(table.notes);
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
            let (strength, auto) = self.strength(entry.strength, advice::Strength::FIRM);
            self.out.auto_topics.push(auto);
            self.out.guidance.topics_mut().push(Topic { strength, ..entry.topic });
        }
        Ok(())
    }

    fn labels(&mut self, given: Option<&Given>) {
        let entry = self.file.and_then(GuidanceFile::labels).map(|(item, _)| item);
        let (rule, stated) = match entry {
            Some(Advice::Labels { rule, strength, .. }) => (*rule, Some(*strength)),
            _ => (LabelRule::default(), None),
        };
        let (item, place) = match given {
            Some(Given::Classes(guidance)) => {
                let (labels, strength) = (guidance.labels.clone(), advice::Strength::FIRM);
                (Advice::Labels { labels, rule, strength }, Some((&guidance.name, &guidance.sha256)))
            }
            Some(Given::Sets { names, sets, .. }) => (guidance::sets_item(names, sets), None),
            None => return,
        };
        let default = match rule {
            LabelRule::SameCodes => advice::Strength::HELD,
            _ => item.default_strength(),
        };
        let (strength, auto) = self.strength(stated.filter(|strength| strength.is_stated()), default);
        if let Some((name, sha256)) = place {
            self.add_file("labels", Path::new(name), sha256);
        }
        self.push(item.with_strength(strength), auto);
    }

    /// The items of the file, but for its labels, and those of the flags, in the order of the kinds: for
    /// references without names go to the topics that the items before them have named.
    fn items<T: Real>(&mut self, data: &dyn DataMatrix<T>) -> Result<()> {
        let flags = &self.args.guidance;
        let names = self.source.names();
        let mut items: Vec<FileItem> = self.file.map_or(Vec::new(), |file| file.items.clone());
        items.retain(|item| item.kind.name != "labels" || item.from == Origin::Here);
        let named = [
            ("links", &flags.links),
            ("references", &flags.reference),
            ("weights of entries", &flags.entry_weights),
        ];
        for (kind, path) in named {
            items.extend(path.as_ref().map(|path| FileItem::of_file(kind, path, &names)));
        }
        items.sort_by_key(|item| Advice::KINDS.iter().position(|kind| kind.name == item.kind.name));
        for item in &items {
            self.item(item, data)?;
        }
        self.graph_of_flags(data)
    }

    fn item<T: Real>(&mut self, item: &FileItem, data: &dyn DataMatrix<T>) -> Result<()> {
        let mut found = item.read(&self.source.names(), &self.out.guidance)?;
        if let Origin::Neighbours(settings) = &item.from {
            let memory_limit = partwise_io::machine::available_memory();
            let settings = NeighbourGraph { memory_limit, ..settings.clone() };
            let graph = neighbour_graph(data, &settings)?;
            let (count, weights) = (settings.neighbours, settings.weights.name());
            found.chosen.push(guidance::graph_summary(
                &graph,
                &format!("{count} nearest neighbours, {weights} weights"),
            ));
            found.advice =
                Advice::Graph { graph, strength: found.advice.strength().unwrap_or(advice::Strength::LIGHT) };
        } else if let (Advice::Graph { graph, .. }, Origin::File(file)) = (&found.advice, &item.from) {
            let origin =
                [vec![file.path.display().to_string()], found.notes.split_off(0)].concat().join("; ");
            found.chosen.push(guidance::graph_summary(graph, &origin));
        }
        if let (Some(sha256), Origin::File(file)) = (&found.sha256, &item.from) {
            self.add_file(item.kind.name, &file.path, sha256);
        }
        self.out.notes.extend(found.notes);
        self.out.chosen.extend(found.chosen);
        let Some(own) = found.advice.strength() else {
            self.push(found.advice, false);
            return Ok(());
        };
        let (strength, auto) = self.strength(item.stated.then_some(own), found.advice.default_strength());
        self.push(found.advice.with_strength(strength), auto);
        Ok(())
    }

    fn graph_of_flags<T: Real>(&mut self, data: &dyn DataMatrix<T>) -> Result<()> {
        let flags = &self.args.guidance;
        if flags.graph.is_some() || flags.graph_neighbours.is_some() || flags.graph_weights.is_some() {
            let graph = guidance::graph(flags, self.source, data, &mut self.out.chosen)?;
            let raw = self.args.model.graph_weight.map(advice::Strength::Raw);
            self.push(Advice::Graph { graph, strength: raw.unwrap_or(advice::Strength::LIGHT) }, false);
        } else if self.args.model.graph_weight.is_some() {
            bail!("--graph-weight needs --graph or --graph-neighbours");
        }
        Ok(())
    }

    fn finish(self) -> Result<CombinedGuidance> {
        if self.out.guidance.is_empty() {
            bail!(
                "the method guided needs guidance: --guidance, --topics, --labels, --links, --reference or \
                --graph"
            );
        }
        if self.args.model.strength == Some(Strength::Auto) && !self.out.searches() {
            bail!("--strength auto has no effect: every item has its own strength, or none");
        }
        Ok(self.out)
    }
}

/// Whether the flags ask for the method that takes anything at once.
pub(crate) fn is_asked(args: &FitArgs) -> bool {
    flags::method(args) == "guided"
}
