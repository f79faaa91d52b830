//! Reads labels, and which of them the fit uses, and reference components.

use std::path::Path;

use anyhow::{Result, bail};
use partwise::draw_labels;
use partwise::graphs::{Graph, NeighbourGraph, neighbour_graph};
use partwise::guidance::{self as advice, Advice};
use partwise::{ComponentReference, DataMatrix, LabelSets, LabelTargets, Labels, Matrix, Real};
use partwise_io::{
    LabelOptions, LabelTable, ReadOptions, read_graph, read_labels_with, read_reference, read_table,
    rows_by_name,
};

use crate::args::{GuidanceArgs, LabelArgs};
use crate::input::Source;

/// Labels, and which of them the fit gets to see.
#[derive(Clone, Debug)]
pub(crate) struct Guidance {
    /// The file.
    pub(crate) name: String,
    pub(crate) sha256: String,
    /// All classes.
    pub(crate) class_names: Vec<String>,
    /// The class of each sample as a position in `class_names`, or −1 (n).
    pub(crate) truth: Vec<i32>,
    /// Those that guide, −1 elsewhere (n).
    pub(crate) given: Vec<i32>,
    /// `given` as the library takes it.
    pub(crate) labels: Labels,
    pub(crate) notes: Vec<String>,
}

impl Guidance {
    /// All labels guide, or `per_class` of each class drawn by the seed.
    pub(crate) fn new(
        name: &str,
        sha256: &str,
        class_names: Vec<String>,
        truth: Vec<i32>,
        per_class: Option<usize>,
        seed: u64,
    ) -> Result<Self> {
        let mut notes = Vec::new();
        let given = match per_class {
            None => truth.clone(),
            Some(wanted) => {
                let mut counts = vec![0_usize; class_names.len()];
                truth.iter().filter(|l| **l >= 0).for_each(|l| counts[*l as usize] += 1);
                let few = counts.iter().filter(|count| **count < wanted).count();
                if few > 0 {
                    notes.push(format!(
                        "{few} of {} classes have fewer than {wanted} labels; all their labels are used",
                        counts.len()
                    ));
                }
                draw_labels(&truth, wanted, seed)
            }
        };
        let labels = Labels::with_names(&given, &class_names)?;
        Ok(Guidance { name: name.into(), sha256: sha256.into(), class_names, truth, given, labels, notes })
    }

    /// Whether each sample guided the fit.
    pub(crate) fn guided(&self) -> Vec<bool> {
        self.given.iter().map(|label| *label >= 0).collect()
    }
}

/// Reads a label file, by name where the samples have names.
pub(crate) fn label_table(
    path: &Path,
    n_samples: usize,
    sample_names: Option<&[String]>,
    column: Option<&str>,
) -> Result<LabelTable> {
    Ok(read_labels_with(path, n_samples, &LabelOptions { column, sample_names })?)
}

/// What a file of labels gives.
#[derive(Clone, Debug)]
pub(crate) enum Given {
    /// One class a sample.
    Classes(Guidance),
    /// Several labels for some samples.
    Sets { names: Vec<String>, sets: LabelSets, notes: Vec<String> },
}

/// The labels that the flags name, if any. With `several`, samples may have more than one.
pub(crate) fn labels(args: &LabelArgs, source: &Source, seed: u64, several: bool) -> Result<Option<Given>> {
    let table = match (&args.labels, &source.labels) {
        (Some(path), _) => {
            label_table(path, source.rows, source.row_names.as_deref(), args.label_column.as_deref())?
        }
        (None, Some(column)) => LabelTable::from_column(Path::new(&source.name), column, &source.sha256),
        (None, None) => {
            if args.labels_per_class.is_some() {
                bail!("--labels-per-class needs --labels (or --label-column)");
            }
            return Ok(None);
        }
    };
    if several && table.sets.iter().any(|set| set.len() > 1) {
        if args.labels_per_class.is_some() {
            bail!("--labels-per-class needs one label per sample; {} has several", table.path.display());
        }
        let sets = table.sets.into_iter().map(|set| (!set.is_empty()).then_some(set)).collect();
        let sets = LabelSets::new(table.names.len(), sets)?;
        return Ok(Some(Given::Sets { names: table.names, sets, notes: table.notes }));
    }
    let truth = table.single()?;
    let name = table.path.display().to_string();
    let mut guidance = Guidance::new(&name, &table.sha256, table.names, truth, args.labels_per_class, seed)?;
    guidance.notes.splice(0..0, table.notes);
    Ok(Some(Given::Classes(guidance)))
}

/// Label sets as an item of guidance.
pub(crate) fn sets_item(names: &[String], sets: &LabelSets) -> Advice {
    let set = |i: usize| sets.set(i).map(<[u32]>::to_vec);
    Advice::Sets {
        names: names.to_vec(),
        sets: (0..sets.n_samples()).map(set).collect(),
        strength: advice::Strength::FIRM,
    }
}

/// Label sets as numbers: 1 for each label of a labelled sample, 0 for the others.
pub(crate) fn targets_of(item: &Advice) -> LabelTargets {
    let Advice::Sets { names, sets, .. } = item else { unreachable!("made from label sets") };
    let has = |i: usize, label: usize| sets[i].as_ref().is_some_and(|set| set.contains(&(label as u32)));
    LabelTargets {
        targets: Matrix::from_fn(sets.len(), names.len(), |i, label| f64::from(has(i, label))),
        known: Matrix::from_fn(sets.len(), names.len(), |i, _| f64::from(sets[i].is_some())),
    }
}

/// The table of --label-targets, in which nan is not known; `notes` state how it was read.
pub(crate) fn label_targets(
    args: &GuidanceArgs,
    source: &Source,
    notes: &mut Vec<String>,
) -> Result<Option<LabelTargets>> {
    let Some(path) = &args.label_targets else { return Ok(None) };
    let table = read_table(path, &ReadOptions::default())?;
    notes.extend(table.notes.iter().map(|note| format!("{}: {note}", path.display())));
    Ok(Some(LabelTargets::of_table(&rows_by_name(table, path, &source.names())?)))
}

/// Reference components with the names that their file gives them.
#[derive(Clone, Debug)]
pub(crate) struct Components {
    pub(crate) name: String,
    pub(crate) sha256: String,
    pub(crate) values: Matrix<f64>,
    pub(crate) names: Option<Vec<String>>,
    pub(crate) notes: Vec<String>,
}

impl Components {
    /// All with the same weight.
    pub(crate) fn reference(&self, weight: f64) -> ComponentReference {
        ComponentReference { reference: self.values.clone(), weight: vec![weight; self.values.rows()] }
    }
}

/// The reference that the flags name, if any; component j is its row j, which must not contradict the
/// classes.
pub(crate) fn reference(
    args: &GuidanceArgs,
    source: &Source,
    guidance: Option<&Guidance>,
) -> Result<Option<Components>> {
    let Some(path) = &args.reference else { return Ok(None) };
    let reference = read_reference::<f64>(path, &ReadOptions::default())?
        .aligned_to(source.columns, source.feature_names.as_deref())?;
    if let (Some(names), Some(guidance)) = (&reference.row_names, guidance) {
        let classes = guidance.labels.names();
        if let Some(at) = (0..names.len().min(classes.len())).find(|j| names[*j] != classes[*j]) {
            bail!(
                "{}: row {at} is \"{}\", but component {at} is the class \"{}\"; put the rows in the order of the classes: {}",
                path.display(),
                names[at],
                classes[at],
                classes.join(", ")
            );
        }
    }
    Ok(Some(Components {
        name: path.display().to_string(),
        sha256: reference.sha256,
        values: reference.values,
        names: reference.row_names,
        notes: reference.notes,
    }))
}

/// The graph of the flags: from a file, or of nearest neighbours in the (scaled) data. Says what it is.
pub(crate) fn graph<T: Real>(
    args: &GuidanceArgs,
    source: &Source,
    data: &dyn DataMatrix<T>,
    chosen: &mut Vec<String>,
) -> Result<Graph> {
    let (graph, origin) = match &args.graph {
        Some(path) => graph_in(path, source)?,
        None => {
            let settings = neighbours(args, 5, "binary")?;
            (neighbour_graph(data, &settings)?, origin_of(args, &settings))
        }
    };
    chosen.push(graph_summary(&graph, &origin));
    Ok(graph)
}

/// The graph of a file, and what it is from.
fn graph_in(path: &Path, source: &Source) -> Result<(Graph, String)> {
    let (graph, notes, _) = read_graph(path, &source.names())?;
    Ok((graph, [vec![path.display().to_string()], notes].concat().join("; ")))
}

/// The similarities for symmetric methods: the graph of nearest neighbours of the (scaled) rows. Says what it
/// is.
pub(crate) fn similarities<T: Real>(
    args: &GuidanceArgs,
    data: &dyn DataMatrix<T>,
    chosen: &mut Vec<String>,
) -> Result<Graph> {
    let settings = neighbours(args, 7, "self-tuning")?;
    let graph = neighbour_graph(data, &settings)?;
    chosen.push(graph_summary(&graph, &format!("in place of the data, {}", origin_of(args, &settings))));
    Ok(graph)
}

fn neighbours(args: &GuidanceArgs, default: usize, weights: &str) -> Result<NeighbourGraph> {
    let weights = args.graph_weights.as_deref().unwrap_or(weights);
    let memory_limit = partwise_io::machine::available_memory();
    let graph = NeighbourGraph::of(args.graph_neighbours.unwrap_or(default), weights, args.heat_width)?;
    Ok(NeighbourGraph { memory_limit, ..graph })
}

fn origin_of(args: &GuidanceArgs, settings: &NeighbourGraph) -> String {
    let chosen = if args.graph_weights.is_some() { "" } else { " by default" };
    format!("{} nearest neighbours, {} weights{chosen}", settings.neighbours, settings.weights.name())
}

/// A graph in words.
pub(crate) fn graph_summary(graph: &Graph, origin: &str) -> String {
    let isolated = match graph.isolated().len() {
        0 => String::new(),
        count => format!(", {count} isolated samples (without an edge)"),
    };
    format!(
        "a graph with {} entries and {} connected components{isolated}, {origin}",
        graph.n_entries(),
        graph.n_components()
    )
}
