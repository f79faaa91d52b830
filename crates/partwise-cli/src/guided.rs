//! Builds the guidance of the method guided: combines the guidance file and the flags into one
//! [`Guidance`](advice::Guidance).

use std::path::Path;

use anyhow::{Context, Result, bail};
use partwise::graphs::{Closeness, NeighbourGraph, Weights, neighbour_graph};
use partwise::guidance::{self as advice, Advice, Feature, LabelRule, Topic};
use partwise::{DataMatrix, Matrix, Real};
use partwise_io::guidance_file::{GraphOrigin, TableEntry, WeightsEntry};
use partwise_io::{
    GuidanceFile, Matched, ReadOptions, Table, TopicEntry, read_guidance, read_lines, read_links,
    read_reference, read_table, read_topics,
};

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
    let Some((file, labels)) = file.and_then(|file| Some((file, file.labels.as_ref()?))) else {
        return Ok(out);
    };
    if args.are_given() {
        bail!(
            "{} and the flags both give labels; remove --labels and --label-column, or the labels in the file",
            file.path.display()
        );
    }
    out.labels = Some(labels.file.clone());
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
    composer.links()?;
    composer.graphs(data)?;
    if let Some(file) = file {
        composer.out.notes.extend(file.notes.iter().cloned());
        composer.add_file("guidance", &file.path, &file.sha256);
        for entry in &file.memberships {
            composer.memberships(entry)?;
        }
    }
    let flag = args.guidance.reference.as_ref();
    let flag = flag.map(|path| TableEntry { file: path.clone(), names: None, strength: None });
    let listed = file.map_or(&[][..], |file| &file.references);
    // Last, for references without names go to the topics that the rest has named.
    for entry in listed.iter().chain(&flag) {
        composer.references(entry)?;
    }
    composer.sample_weights()?;
    composer.feature_weights()?;
    if let Some(known) = known_entries {
        composer.push(Advice::KnownEntries(known), false);
    }
    if args.guidance.zeros_missing {
        let known = (0..data.n_samples()).map(|i| data.non_zero_features(i)).collect();
        composer.push(Advice::KnownFeatures(known), false);
    }
    if let Some(path) = &args.guidance.entry_weights {
        let table = read_table(path, &ReadOptions::default())?;
        composer.add_file("entry weights", path, &table.sha256);
        composer.out.notes.extend(table.notes.iter().cloned());
        let features = source.feature_names.as_deref().map(|names| (names, Matched::FEATURES));
        let values = guidance::values_by_name(
            table,
            path,
            source.row_names.as_deref().map(|names| (names, Matched::SAMPLES)),
            features,
        )?;
        composer.push(Advice::EntryWeights(values.into_matrix::<f64>(path)?), false);
    }
    if let Some(features) = &source.feature_names {
        composer.out.guidance = composer.out.guidance.with_feature_names(features.clone());
    }
    composer.finish()
}

/// One number a line for each of `count` samples or features; or a table of their names and weights, matched
/// by name.
fn weights_of_file(
    path: &Path,
    count: usize,
    names: Option<&[String]>,
    matched: Matched,
) -> Result<Vec<f64>> {
    let lines = read_lines(path)?;
    let of = matched.of;
    if lines.iter().any(|line| line.contains([',', ';', '\t'])) {
        let table = read_table(path, &ReadOptions::default())?;
        let (rows, columns) = table.values.shape();
        if columns != 1 || table.row_names.is_none() || rows != count {
            bail!(
                "{}: weights are one number per line, or a table with a row for each of the {count} {of}s: \
                its name and its weight",
                path.display()
            );
        }
        let values = guidance::values_by_name(table, path, names.map(|names| (names, matched)), None)?;
        let weights = values.into_matrix::<f64>(path)?.into_vec();
        if let Some(at) = weights.iter().position(|w| !(*w >= 0.0 && w.is_finite())) {
            bail!(
                "{}: weight {at} (counted from 0) is {}; it must be a finite number of 0 or more",
                path.display(),
                weights[at]
            );
        }
        return Ok(weights);
    }
    if lines.len() != count {
        let found = lines.len();
        bail!("{}: there are {found} weights for {count} {of}s; each needs one weight", path.display());
    }
    let number = |(at, line): (usize, &String)| {
        let weight = line.parse::<f64>().ok().filter(|w| *w >= 0.0 && w.is_finite());
        weight.with_context(|| {
            format!(
                "{}: line {}: \"{line}\" is not a weight; it must be a finite number of 0 or more",
                path.display(),
                at + 1
            )
        })
    };
    lines.iter().enumerate().map(number).collect()
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
    /// is to be searched.
    fn strength(&self, stated: Option<advice::Strength>) -> (advice::Strength, bool) {
        let flag = self.args.model.strength.map(|strength| match strength {
            Strength::Auto => advice::Strength::Auto,
            Strength::Value(value) => advice::Strength::Relative(value),
        });
        match stated.or(flag).or(self.file.and_then(|file| file.strength)) {
            Some(advice::Strength::Auto) => (advice::Strength::FIRM, true),
            Some(strength) => (strength, false),
            None => (advice::Strength::FIRM, false),
        }
    }

    fn topics(&mut self) -> Result<()> {
        let mut entries: Vec<TopicEntry> = self.file.map_or(Vec::new(), |file| file.topics.clone());
        if let Some(path) = &self.args.guidance.topics {
            let table = read_topics(path, &self.source.names())?;
            self.add_file("topics", path, &table.sha256);
            self.out.notes.extend(table.notes);
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
            let (strength, auto) = self.strength(entry.strength);
            self.out.auto_topics.push(auto);
            self.out.guidance.topics_mut().push(Topic {
                name: entry.name,
                components: entry.components.unwrap_or(1),
                seeds: entry.seeds,
                strength,
                forbidden: entry.forbidden,
            });
        }
        Ok(())
    }

    fn labels(&mut self, given: Option<&Given>) {
        let entry = self.file.and_then(|file| file.labels.as_ref());
        let rule = entry.map_or(LabelRule::default(), |entry| entry.rule);
        let (mut strength, mut auto) = self.strength(entry.and_then(|entry| entry.strength));
        if rule == LabelRule::SameCodes && entry.is_some_and(|entry| entry.strength.is_none()) {
            // Held or ignored: a strength between, meant for the rest, can't be theirs.
            (strength, auto) = (advice::Strength::HELD, false);
        }
        match given {
            Some(Given::Classes(guidance)) => {
                self.add_file("labels", Path::new(&guidance.name), &guidance.sha256);
                self.push(Advice::Labels { labels: guidance.labels.clone(), rule, strength }, auto);
            }
            Some(Given::Sets { names, sets, .. }) => {
                let set = |i: usize| sets.set(i).map(<[u32]>::to_vec);
                let sets = (0..sets.n_samples()).map(set).collect();
                self.push(Advice::Sets { names: names.clone(), sets, strength }, auto);
            }
            None => {}
        }
    }

    fn links(&mut self) -> Result<()> {
        let listed = self.file.map_or(Vec::new(), |file| file.links.clone());
        for entry in listed {
            let (mut must, mut cannot) = (entry.must, entry.cannot);
            if let Some(path) = &entry.file {
                let table = read_links(path, &self.source.names())?;
                self.add_file("links", path, &table.sha256);
                must.extend(table.must);
                cannot.extend(table.cannot);
            }
            let (strength, auto) = self.strength(entry.strength);
            self.push(Advice::Links { must, cannot, strength }, auto);
        }
        if let Some(path) = &self.args.guidance.links {
            let table = read_links(path, &self.source.names())?;
            self.add_file("links", path, &table.sha256);
            let (strength, auto) = self.strength(None);
            self.push(Advice::Links { must: table.must, cannot: table.cannot, strength }, auto);
        }
        Ok(())
    }

    fn graphs<T: Real>(&mut self, data: &dyn DataMatrix<T>) -> Result<()> {
        let listed = self.file.map_or(Vec::new(), |file| file.graphs.clone());
        for entry in listed {
            let (graph, origin) = match &entry.origin {
                GraphOrigin::File(path) => guidance::graph_in(path, self.source)?,
                GraphOrigin::Neighbours(neighbours, kind) => {
                    let (closeness, weights) = match *kind {
                        "self-tuning" => {
                            (Closeness::Euclidean, Weights::SelfTuning { scale_neighbour: *neighbours })
                        }
                        "cosine" => (Closeness::Cosine, Weights::Cosine),
                        "dot" => (Closeness::Euclidean, Weights::Dot),
                        _ => (Closeness::Euclidean, Weights::Binary),
                    };
                    let memory_limit = partwise_io::machine::available_memory();
                    let settings = NeighbourGraph {
                        neighbours: *neighbours,
                        closeness,
                        weights,
                        memory_limit,
                        ..NeighbourGraph::default()
                    };
                    let origin = format!("{neighbours} nearest neighbours, {kind} weights");
                    (neighbour_graph(data, &settings)?, origin)
                }
            };
            self.out.chosen.push(guidance::graph_summary(&graph, &origin));
            let (strength, auto) = match entry.strength {
                Some(_) => self.strength(entry.strength),
                None => (advice::Strength::LIGHT, false),
            };
            // σ = 9 would flatten all codes; a graph is searched from its own default.
            let strength = if auto { advice::Strength::LIGHT } else { strength };
            self.push(Advice::Graph { graph, strength }, auto);
        }
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

    fn memberships(&mut self, entry: &TableEntry) -> Result<()> {
        let path = &entry.file;
        let place = || path.display().to_string();
        let table = read_table(path, &ReadOptions::default())?;
        self.add_file("memberships", path, &table.sha256);
        self.out.notes.extend(table.notes.iter().cloned());
        let Some(topics) = table.column_names.clone() else {
            bail!("{}: memberships need a header with the topics of the columns", place());
        };
        let table = Table { column_names: None, notes: Vec::new(), ..table };
        let shares = guidance::rows_by_name(table, path, self.source)?;
        let (strength, auto) = self.strength(entry.strength);
        self.push(Advice::Memberships { names: topics, shares, strength }, auto);
        Ok(())
    }

    fn references(&mut self, entry: &TableEntry) -> Result<()> {
        let path = &entry.file;
        let reference = read_reference::<f64>(path, &ReadOptions::default())?
            .aligned_to(self.source.columns, self.source.feature_names.as_deref())?;
        self.add_file("references", path, &reference.sha256);
        self.out.notes.extend(reference.notes);
        let rows = reference.values.rows();
        let names = match (&entry.names, reference.row_names) {
            (Some(names), _) if names.len() != rows => {
                bail!("{}: there are {rows} references, but {} names for them", path.display(), names.len())
            }
            (Some(names), Some(own)) if *names != own && same_set(names, &own) => {
                bail!(
                    "{}: the names are those of its rows, but in another order ({}, not {}); remove names",
                    path.display(),
                    own.join(", "),
                    names.join(", ")
                )
            }
            (Some(names), _) => names.clone(),
            (None, Some(names)) => names,
            (None, None) => {
                let topics = self.out.guidance.all_topics();
                let mut names: Vec<String> = topics
                    .into_iter()
                    .flat_map(|(name, components)| vec![name; components])
                    .take(rows)
                    .collect();
                names.extend((names.len()..rows).map(|j| format!("reference {}", j + 1)));
                self.out.chosen.push(format!(
                    "the references of {}, which have no names, are in order {}",
                    path.display(),
                    names.join(", ")
                ));
                names
            }
        };
        let (strength, auto) = self.strength(entry.strength);
        self.push(Advice::References { names, profiles: reference.values, strength }, auto);
        Ok(())
    }

    fn weights(&self, path: &Path, matched: Matched) -> Result<Vec<f64>> {
        let (count, names) = match matched.of {
            "sample" => (self.source.rows, &self.source.row_names),
            _ => (self.source.columns, &self.source.feature_names),
        };
        weights_of_file(path, count, names.as_deref(), matched)
    }

    fn sample_weights(&mut self) -> Result<()> {
        let values = match self.file.and_then(|file| file.sample_weights.as_ref()) {
            Some(WeightsEntry::Values(values)) => values.clone(),
            Some(WeightsEntry::File(path)) => self.weights(path, Matched::SAMPLES)?,
            None | Some(WeightsEntry::Named(_)) => return Ok(()),
        };
        self.push(Advice::SampleWeights(values), false);
        Ok(())
    }

    fn feature_weights(&mut self) -> Result<()> {
        let values = match self.file.and_then(|file| file.feature_weights.as_ref()) {
            None => return Ok(()),
            Some(WeightsEntry::Values(values)) => values.clone(),
            Some(WeightsEntry::File(path)) => {
                self.weights(path, Matched { part: "row", ..Matched::FEATURES })?
            }
            Some(WeightsEntry::Named(named)) => self.weights_by_name(named)?,
        };
        self.push(Advice::FeatureWeights(values), false);
        Ok(())
    }

    /// 1 for every feature that is not named. As with seeds, a name that the data do not have is
    /// reported and ignored.
    fn weights_by_name(&mut self, named: &[(Feature, f64)]) -> Result<Vec<f64>> {
        let mut weights = vec![1.0; self.source.columns];
        let mut unknown: Vec<&str> = Vec::new();
        let (names, place) = (self.source.names(), self.file.map(|file| file.path.display().to_string()));
        for (feature, weight) in named {
            match feature {
                Feature::Index(at) => weights[*at] = *weight,
                Feature::Name(name)
                    if self.source.feature_names.iter().flatten().all(|known| known != name) =>
                {
                    unknown.push(name);
                }
                Feature::Name(name) => {
                    let at = names.feature_place(name).map_err(anyhow::Error::msg);
                    let at = at
                        .with_context(|| format!("{}: feature_weights", place.clone().unwrap_or_default()))?;
                    weights[at] = *weight;
                }
            }
        }
        if !unknown.is_empty() {
            let note = format!("feature_weights names {}, which the data do not have", unknown.join(", "));
            self.out.notes.push(note);
        }
        Ok(weights)
    }

    fn finish(self) -> Result<CombinedGuidance> {
        let nothing = self.out.guidance.topics().is_empty() && self.out.guidance.advice().is_empty();
        if nothing {
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

/// Whether two lists hold the same names.
pub(crate) fn same_set(one: &[String], other: &[String]) -> bool {
    let sorted = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort_unstable();
        names
    };
    one.len() == other.len() && sorted(one) == sorted(other)
}
