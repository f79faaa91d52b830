//! The large tables of items, apart from the rest of them: a document may keep these elsewhere.

use super::document::rows;
use super::{Advice, CodeReference, ComponentReference, LabelTargets, Scorer, Spread};
use crate::foundation::{Error, Matrix, Result};
use crate::graphs::Graph;
use crate::terms::FeatureLists;

pub(super) fn edges_of(graph: &Graph) -> Matrix<f64> {
    let entries = graph.entries();
    Matrix::from_fn(entries.len(), 3, |e, c| match c {
        0 => entries[e].0 as f64,
        1 => entries[e].1 as f64,
        _ => entries[e].2,
    })
}

pub(super) fn graph_of(n: usize, edges: &Matrix<f64>) -> Result<Graph> {
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

pub(super) fn table_of(targets: &LabelTargets) -> Matrix<f64> {
    let (n, c) = targets.targets.shape();
    let known = |i, l| targets.known.get(i, l) != 0.0;
    Matrix::from_fn(n, c, |i, l| if known(i, l) { targets.targets.get(i, l) } else { f64::NAN })
}

impl Advice {
    /// The item without its large table, and the table; an item without one is as it was. What is left is for
    /// a document only, until [`Advice::with_table`] makes it whole.
    #[doc(hidden)]
    pub fn without_table(mut self) -> (Self, Option<Matrix<f64>>) {
        if let Some(matrix) = self.matrix_mut() {
            let table = std::mem::replace(matrix, rows::none());
            return (self, Some(table));
        }
        let table = match &mut self {
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
                *targets = LabelTargets::of_table(&rows::none());
                Some(table)
            }
            _ => None,
        };
        (self, table)
    }

    /// The item of a document with the table that was kept beside it, if any.
    ///
    /// # Errors
    /// [`Error::Guidance`] and others when the table does not fit, is needed and missing, or the item
    /// contradicts itself.
    #[doc(hidden)]
    pub fn with_table(mut self, table: Option<Matrix<f64>>) -> Result<Self> {
        let fault = |message: String| Err(Error::Guidance(message));
        if table.is_none() && self.lacks_table() {
            return fault(format!("the table of {} is missing", self.kind()));
        }
        if let Some(table) = table {
            match &mut self {
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
                Advice::Targets { targets, .. } => *targets = LabelTargets::of_table(&table),
                item => match item.matrix_mut() {
                    Some(matrix) => *matrix = table,
                    None => return fault(format!("{} have no table", self.kind())),
                },
            }
        }
        self.state_strength();
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

    fn lacks_table(&mut self) -> bool {
        match self {
            Advice::SampleWeights(weights) | Advice::FeatureWeights(weights) => weights.is_empty(),
            _ => self.matrix_mut().is_some_and(|matrix| matrix.rows() == 0),
        }
    }

    /// The matrix that is its table, if it is one.
    fn matrix_mut(&mut self) -> Option<&mut Matrix<f64>> {
        match self {
            Advice::Memberships { shares: matrix, .. }
            | Advice::References { profiles: matrix, .. }
            | Advice::KnownEntries(matrix)
            | Advice::EntryWeights(matrix)
            | Advice::CodeReference(CodeReference { reference: matrix, .. })
            | Advice::ComponentReference(ComponentReference { reference: matrix, .. })
            | Advice::Spread(Spread { posteriors: matrix, .. })
            | Advice::Scorer(Scorer { weights: matrix, .. }) => Some(matrix),
            _ => None,
        }
    }

    /// The samples of which it says the topic, ascending.
    #[doc(hidden)]
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
