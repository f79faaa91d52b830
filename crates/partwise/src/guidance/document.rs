//! A [`Guidance`] as a document: one schema for model files, guidance from Python and whatever else speaks serde. Defaults are those of
//! the library.
//!
//! ```text
//! {
//!   "topics": [{"name", "components", "seeds": [feature or [feature, weight], ...], "forbidden": [feature, ...], "strength"}, ...],
//!   "items": [{"kind", "strength", ...}, ...],
//!   "feature_names": [...] or null
//! }
//! ```
//!
//! A feature is a name or a column; a strength is a number from 0 to 1, `{"raw": m}` or `"auto"`. Numbers are lists of rows in which null
//! stands for what is not known. [`Advice::without_table`] takes them out of an item, [`Advice::with_table`] puts them back: whoever has a
//! better place for large tables keeps them there.

use serde::{Deserialize, Serialize};

use super::{
    Advice, CodeReference, ComponentReference, Feature, LabelTargets, Labels, Seed, Strength, Topic,
};
use crate::foundation::{Error, Matrix, Result};
use crate::graphs::Graph;
use crate::terms::FeatureLists;

/// A strength as it is written.
#[derive(Deserialize, Serialize)]
#[serde(untagged, expecting = "a strength is no number from 0 to 1, no { raw = m }, and not \"auto\"")]
pub(super) enum StrengthText {
    Relative(f64),
    Raw { raw: f64 },
    Word(Word),
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Word {
    Auto,
}

impl From<StrengthText> for Strength {
    fn from(text: StrengthText) -> Self {
        match text {
            StrengthText::Relative(strength) => Strength::Relative(strength),
            StrengthText::Raw { raw } => Strength::Raw(raw),
            StrengthText::Word(Word::Auto) => Strength::Auto,
        }
    }
}

impl From<Strength> for StrengthText {
    fn from(strength: Strength) -> Self {
        match strength {
            Strength::Relative(strength) => StrengthText::Relative(strength),
            Strength::Raw(raw) => StrengthText::Raw { raw },
            Strength::Auto => StrengthText::Word(Word::Auto),
        }
    }
}

/// A seed as it is written.
#[derive(Deserialize, Serialize)]
#[serde(untagged, expecting = "a seed is no feature (a name or a column) and no pair [feature, weight]")]
pub(super) enum SeedText {
    Weighted(Feature, f64),
    Plain(Feature),
}

impl From<SeedText> for Seed {
    fn from(text: SeedText) -> Self {
        match text {
            SeedText::Weighted(feature, weight) => Seed { feature, weight },
            SeedText::Plain(feature) => Seed { feature, weight: 1.0 },
        }
    }
}

impl From<Seed> for SeedText {
    fn from(seed: Seed) -> Self {
        SeedText::Weighted(seed.feature, seed.weight)
    }
}

/// A topic as it is written.
#[derive(Deserialize)]
pub(super) struct TopicText {
    name: String,
    components: Option<counts::Count>,
    #[serde(default)]
    seeds: Vec<Seed>,
    strength: Option<Strength>,
    #[serde(default)]
    forbidden: Vec<Feature>,
}

impl From<TopicText> for Topic {
    fn from(text: TopicText) -> Self {
        let plain = Topic::new(text.name);
        Topic {
            components: text.components.map_or(plain.components, |count| count.0),
            seeds: text.seeds,
            strength: text.strength.unwrap_or(plain.strength),
            forbidden: text.forbidden,
            ..plain
        }
    }
}

mod counts {
    use serde::de::{Deserialize, Deserializer, Error};

    /// A whole number of 1 or more.
    pub(super) struct Count(pub(super) usize);

    impl<'de> Deserialize<'de> for Count {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let count = usize::deserialize(deserializer).ok().filter(|count| *count > 0);
            count.map(Count).ok_or_else(|| D::Error::custom("components is no count of 1 or more"))
        }
    }
}

/// Values for some of the samples.
fn spread<T: Clone>(
    n: usize,
    samples: &[usize],
    values: Vec<T>,
    free: T,
) -> std::result::Result<Vec<T>, String> {
    if let Some(sample) = samples.iter().find(|sample| **sample >= n) {
        return Err(format!("sample {sample} is not below {n}"));
    }
    if samples.len() != values.len() {
        return Err(format!("{} samples, but {} entries", samples.len(), values.len()));
    }
    let mut all = vec![free; n];
    samples.iter().zip(values).for_each(|(sample, value)| all[*sample] = value);
    Ok(all)
}

/// Labels as they are written: those of the labelled samples.
#[derive(Deserialize, Serialize)]
pub(super) struct LabelsText {
    n_samples: usize,
    samples: Vec<usize>,
    classes: Vec<i32>,
    names: Vec<String>,
}

impl TryFrom<LabelsText> for Labels {
    type Error = String;

    fn try_from(text: LabelsText) -> std::result::Result<Self, String> {
        let classes = spread(text.n_samples, &text.samples, text.classes, -1)?;
        Labels::with_names(&classes, &text.names).map_err(|error| error.to_string())
    }
}

impl From<Labels> for LabelsText {
    fn from(labels: Labels) -> Self {
        let n_samples = labels.n_samples();
        let samples: Vec<usize> = (0..n_samples).filter(|i| labels.class(*i).is_some()).collect();
        let all = labels.to_integers();
        let classes = samples.iter().map(|i| all[*i]).collect();
        LabelsText { n_samples, samples, classes, names: labels.names().to_vec() }
    }
}

/// The labels of samples of which some are known, as they are written.
pub(super) mod sets {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    #[derive(Deserialize, Serialize)]
    struct SetsText {
        n_samples: usize,
        samples: Vec<usize>,
        sets: Vec<Vec<u32>>,
    }

    pub(in super::super) fn serialize<S: Serializer>(
        sets: &[Option<Vec<u32>>],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let known = || sets.iter().enumerate().filter_map(|(i, set)| Some((i, set.as_ref()?)));
        let (samples, listed) =
            (known().map(|(i, _)| i).collect(), known().map(|(_, set)| set.clone()).collect());
        SetsText { n_samples: sets.len(), samples, sets: listed }.serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Option<Vec<u32>>>, D::Error> {
        let text = SetsText::deserialize(deserializer)?;
        let listed = text.sets.into_iter().map(Some).collect();
        super::spread(text.n_samples, &text.samples, listed, None).map_err(D::Error::custom)
    }
}

/// A matrix as its rows.
pub(super) mod rows {
    use super::Matrix;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(in super::super) fn none() -> Matrix<f64> {
        Matrix::zeros(0, 0)
    }

    pub(in super::super) fn is_empty(matrix: &Matrix<f64>) -> bool {
        matrix.rows() == 0
    }

    pub(in super::super) fn serialize<S: Serializer>(
        matrix: &Matrix<f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((0..matrix.rows()).map(|i| matrix.row(i)))
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Matrix<f64>, D::Error> {
        let rows = Vec::<Vec<Option<f64>>>::deserialize(deserializer)?;
        let columns = rows.first().map_or(0, Vec::len);
        if let Some(at) = rows.iter().position(|row| row.len() != columns) {
            let message =
                format!("row {at} of a matrix has {} numbers, the first has {columns}", rows[at].len());
            return Err(D::Error::custom(message));
        }
        let n = rows.len();
        let values = rows.into_iter().flatten().map(|value| value.unwrap_or(f64::NAN)).collect();
        Matrix::from_vec(n, columns, values).map_err(D::Error::custom)
    }
}

/// One number for each sample or feature.
pub(super) mod weights {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize, Serialize)]
    struct WeightsText {
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        weights: Vec<f64>,
    }

    pub(in super::super) fn serialize<S: Serializer>(
        weights: &[f64],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        WeightsText { weights: weights.to_vec() }.serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<f64>, D::Error> {
        Ok(WeightsText::deserialize(deserializer)?.weights)
    }
}

/// One number for each entry of the data.
pub(super) mod entries {
    use super::{Matrix, rows};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize, Serialize)]
    struct EntriesText {
        #[serde(with = "rows", default = "rows::none", skip_serializing_if = "rows::is_empty")]
        rows: Matrix<f64>,
    }

    pub(in super::super) fn serialize<S: Serializer>(
        entries: &Matrix<f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        EntriesText { rows: entries.clone() }.serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Matrix<f64>, D::Error> {
        Ok(EntriesText::deserialize(deserializer)?.rows)
    }
}

/// Lists of features as they are written: how many each sample has, and all of them in a row (or, in old files, list by list).
#[derive(Deserialize, Serialize)]
pub(super) struct ListsText {
    #[serde(default)]
    counts: Vec<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    features: Vec<u32>,
    #[serde(default, skip_serializing)]
    known: Option<Vec<Vec<u32>>>,
}

pub(super) mod lists {
    use super::{FeatureLists, ListsText};
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub(in super::super) fn serialize<S: Serializer>(
        lists: &FeatureLists,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let counts = lists.offsets().windows(2).map(|pair| pair[1] - pair[0]).collect();
        ListsText { counts, features: lists.features().to_vec(), known: None }.serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<FeatureLists, D::Error> {
        let text = ListsText::deserialize(deserializer)?;
        if let Some(known) = text.known {
            return Ok(known.into());
        }
        let mut offsets = vec![0_usize];
        for count in text.counts {
            let end = offsets.last().and_then(|end| end.checked_add(count));
            offsets.push(end.ok_or_else(|| D::Error::custom("counts is more than is listed"))?);
        }
        if text.features.is_empty() {
            return Ok(FeatureLists::without_features(offsets));
        }
        FeatureLists::new(offsets, text.features).map_err(D::Error::custom)
    }
}

/// A graph as it is written: its edges, both ways, as rows (from, to, weight).
pub(super) mod graph {
    use super::{Graph, Matrix, edges_of, graph_of, rows};
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    #[derive(Deserialize, Serialize)]
    struct GraphText {
        n_samples: usize,
        #[serde(with = "rows", default = "rows::none", skip_serializing_if = "rows::is_empty")]
        edges: Matrix<f64>,
    }

    pub(in super::super) fn serialize<S: Serializer>(
        graph: &Graph,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        GraphText { n_samples: graph.n_samples(), edges: edges_of(graph) }.serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Graph, D::Error> {
        let text = GraphText::deserialize(deserializer)?;
        graph_of(text.n_samples, &text.edges).map_err(D::Error::custom)
    }
}

fn edges_of(graph: &Graph) -> Matrix<f64> {
    let entries = graph.entries();
    Matrix::from_fn(entries.len(), 3, |e, c| match c {
        0 => entries[e].0 as f64,
        1 => entries[e].1 as f64,
        _ => entries[e].2,
    })
}

fn graph_of(n: usize, edges: &Matrix<f64>) -> Result<Graph> {
    if edges.rows() > 0 && edges.columns() != 3 {
        return Err(Error::Guidance("a graph needs three columns: from, to, weight".into()));
    }
    let node = |e: usize, c: usize| {
        let value = edges.get(e, c);
        let is_node = value.fract() == 0.0 && (0.0..n as f64).contains(&value);
        let fault = || Error::Guidance(format!("edge {e} joins {value}, which is no sample below {n}"));
        is_node.then_some(value as usize).ok_or_else(fault)
    };
    let edge = |e: usize| Ok((node(e, 0)?, node(e, 1)?, edges.get(e, 2)));
    Graph::from_entries(n, &(0..edges.rows()).map(edge).collect::<Result<Vec<_>>>()?)
}

/// Label targets as they are written: null where nothing is known.
#[derive(Deserialize, Serialize)]
pub(super) struct TargetsText {
    #[serde(with = "rows", default = "rows::none", skip_serializing_if = "rows::is_empty")]
    targets: Matrix<f64>,
}

impl From<TargetsText> for LabelTargets {
    fn from(text: TargetsText) -> Self {
        targets_of(&text.targets)
    }
}

impl From<LabelTargets> for TargetsText {
    fn from(targets: LabelTargets) -> Self {
        TargetsText { targets: table_of(&targets) }
    }
}

fn targets_of(table: &Matrix<f64>) -> LabelTargets {
    let (n, c) = table.shape();
    let value = |i, l| Some(table.get(i, l)).filter(|value| !value.is_nan());
    LabelTargets {
        targets: Matrix::from_fn(n, c, |i, l| value(i, l).unwrap_or(0.0)),
        known: Matrix::from_fn(n, c, |i, l| f64::from(value(i, l).is_some())),
    }
}

fn table_of(targets: &LabelTargets) -> Matrix<f64> {
    let (n, c) = targets.targets.shape();
    let known = |i, l| targets.known.get(i, l) != 0.0;
    Matrix::from_fn(n, c, |i, l| if known(i, l) { targets.targets.get(i, l) } else { f64::NAN })
}

/// Items that are whole: nothing of them is kept elsewhere.
pub(super) fn whole_items<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Vec<Advice>, D::Error> {
    let items = Vec::<Advice>::deserialize(deserializer)?;
    items.into_iter().map(|item| item.with_table(None).map_err(serde::de::Error::custom)).collect()
}

impl Strength {
    /// What stands for the default of an item until [`Advice::with_table`]; no fit takes it.
    pub(super) fn unstated() -> Self {
        Strength::Relative(f64::NAN)
    }
}

impl Advice {
    /// The item without its large table, and the table; an item without one is as it was. What is left is for a document only, until
    /// [`Advice::with_table`] makes it whole.
    pub fn without_table(mut self) -> (Self, Option<Matrix<f64>>) {
        let take = |matrix: &mut Matrix<f64>| Some(std::mem::replace(matrix, rows::none()));
        let table = match &mut self {
            Advice::Memberships { shares: matrix, .. }
            | Advice::References { profiles: matrix, .. }
            | Advice::KnownEntries(matrix)
            | Advice::EntryWeights(matrix)
            | Advice::CodeReference(CodeReference { reference: matrix, .. })
            | Advice::ComponentReference(ComponentReference { reference: matrix, .. }) => take(matrix),
            Advice::SampleWeights(weights) | Advice::FeatureWeights(weights) => {
                let weights = std::mem::take(weights);
                Some(Matrix::from_fn(1, weights.len(), |_, i| weights[i]))
            }
            Advice::Graph { graph, .. } => {
                let edges = edges_of(graph);
                if let Ok(bare) = Graph::from_entries(graph.n_samples(), &[]) {
                    *graph = bare;
                }
                Some(edges)
            }
            Advice::KnownFeatures(lists) => {
                let features = lists.features();
                // A matrix needs a column; without a feature the counts say everything.
                let table = (!features.is_empty())
                    .then(|| Matrix::from_fn(1, features.len(), |_, e| f64::from(features[e])));
                *lists = FeatureLists::without_features(lists.offsets().to_vec());
                table
            }
            Advice::Targets { targets, .. } => {
                let table = table_of(targets);
                *targets = targets_of(&rows::none());
                Some(table)
            }
            Advice::Labels { .. } | Advice::Sets { .. } | Advice::Links { .. } => None,
        };
        (self, table)
    }

    /// The item of a document with the table that was kept beside it, if any.
    ///
    /// # Errors
    /// [`Error::Guidance`] and others when the table does not fit, is needed and missing, or the item contradicts itself.
    pub fn with_table(mut self, table: Option<Matrix<f64>>) -> Result<Self> {
        let fault = |message: String| Err(Error::Guidance(message));
        if table.is_none() && self.lacks_table() {
            return fault(format!("the table of {} is missing", self.kind()));
        }
        if let Some(table) = table {
            match &mut self {
                Advice::Memberships { shares: matrix, .. }
                | Advice::References { profiles: matrix, .. }
                | Advice::KnownEntries(matrix)
                | Advice::EntryWeights(matrix)
                | Advice::CodeReference(CodeReference { reference: matrix, .. })
                | Advice::ComponentReference(ComponentReference { reference: matrix, .. }) => {
                    *matrix = table;
                }
                Advice::SampleWeights(weights) | Advice::FeatureWeights(weights) => {
                    *weights = table.into_vec()
                }
                Advice::Graph { graph, .. } => *graph = graph_of(graph.n_samples(), &table)?,
                Advice::KnownFeatures(lists) => {
                    let whole = |f: &f64| {
                        (*f >= 0.0 && *f <= f64::from(u32::MAX) && f.fract() == 0.0).then_some(*f as u32)
                    };
                    let Some(features) = table.as_slice().iter().map(whole).collect() else {
                        return fault("a known feature is no column".into());
                    };
                    *lists = FeatureLists::new(lists.offsets().to_vec(), features)?;
                }
                Advice::Targets { targets, .. } => *targets = targets_of(&table),
                Advice::Labels { .. } | Advice::Sets { .. } | Advice::Links { .. } => {
                    return fault(format!("{} have no table", self.kind()));
                }
            }
        }
        if matches!(self.strength(), Some(Strength::Relative(s)) if s.is_nan()) {
            self.set_strength(self.default_strength());
        }
        match &self {
            Advice::KnownFeatures(lists) if lists.offsets().last() != Some(&lists.features().len()) => {
                fault("counts is more than is listed".into())
            }
            Advice::Sets { names, sets, .. } => {
                match sets.iter().flatten().flatten().find(|label| **label as usize >= names.len()) {
                    Some(label) => fault(format!("label {label} of a set is not below {}", names.len())),
                    None => Ok(self),
                }
            }
            _ => Ok(self),
        }
    }

    fn lacks_table(&self) -> bool {
        match self {
            Advice::Memberships { shares: matrix, .. }
            | Advice::References { profiles: matrix, .. }
            | Advice::KnownEntries(matrix)
            | Advice::EntryWeights(matrix)
            | Advice::CodeReference(CodeReference { reference: matrix, .. })
            | Advice::ComponentReference(ComponentReference { reference: matrix, .. }) => matrix.rows() == 0,
            Advice::SampleWeights(weights) | Advice::FeatureWeights(weights) => weights.is_empty(),
            _ => false,
        }
    }

    /// The samples of which it says the topic, ascending.
    pub fn labelled_samples(&self) -> Vec<usize> {
        match self {
            Advice::Labels { labels, .. } => {
                (0..labels.n_samples()).filter(|i| labels.class(*i).is_some()).collect()
            }
            Advice::Sets { sets, .. } => (0..sets.len()).filter(|i| sets[*i].is_some()).collect(),
            Advice::Memberships { shares, .. } => {
                (0..shares.rows()).filter(|i| shares.row(*i).iter().any(|s| !s.is_nan())).collect()
            }
            _ => Vec::new(),
        }
    }
}
