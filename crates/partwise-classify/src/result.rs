//! What [`classify`](crate::classify) returns, and the phases that an observer sees.

use std::fmt;

use partwise::{Matrix, Notice};

/// What [`classify`](crate::classify) found, and why.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Classification {
    /// The posterior of each class for each sample (n × c); rows sum to 1. Column j is class j of the labels.
    /// Labelled samples have 1 for their own class.
    pub posteriors: Matrix<f64>,
    /// The class of each sample (n): the largest posterior, ties to the lower class.
    pub classes: Vec<usize>,
    /// Every view of the data, and how its best refinement did: the directions of the rows; and the columns,
    /// where they are few or rows are nearly parallel. Beside few columns, two simple classifiers that
    /// learn from the labels alone follow: linear discriminants and a kernel. The lists below are those of
    /// the view that weighs most.
    pub views: Vec<Member>,
    /// Every graph that was tried.
    pub candidates: Vec<Candidate>,
    /// Every base classifier. Their weighted product is what the refinements start from.
    pub base_classifiers: Vec<Member>,
    /// Every refinement. Their weighted product, spread over the graphs once more, is the result.
    pub refinements: Vec<Member>,
    /// Folds.
    pub folds: usize,
    /// Labels that a fold held out.
    pub held_out: usize,
    /// Each of them, with the class that the product of the refinements gives it in the fold that did not
    /// know the label; in the order of the folds. The weights of the product come from all folds.
    pub held_out_labels: Vec<HeldOutLabel>,
    /// The class sizes that label spreading was balanced with (c); they sum to 1. Where sizes were given,
    /// these, and the posteriors were brought to them.
    pub class_sizes: Vec<f64>,
    /// Notices about the result.
    pub notices: Vec<Notice>,
}

impl Classification {
    /// The held-out score of the refinement that weighs most, 0 to 1; none if no label could be held out.
    pub fn held_out_score(&self) -> Option<f64> {
        self.refinements.iter().max_by(|a, b| a.weight.total_cmp(&b.weight))?.score
    }
}

/// A label that a fold held out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldOutLabel {
    /// The sample.
    pub sample: usize,
    /// Its class by the label.
    pub class: usize,
    /// Its class by the fold.
    pub predicted: usize,
}

/// A member of the ensemble, and how it did.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Member {
    /// Its name in running text.
    pub name: &'static str,
    /// The held-out score, 0 to 1; none if no label could be held out.
    pub score: Option<f64>,
    /// How far the folds agree on the samples without a label: Cohen's κ, 1 for full agreement, 0 for that of
    /// chance; none if no label could be held out.
    pub agreement: Option<f64>,
    /// Its weight in the product; the largest is 1.
    pub weight: f64,
}

/// A graph that was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Candidate {
    /// Its second graph.
    pub graph: CandidateGraph,
    /// w, the part of the second graph; the rest is the graph of the data.
    pub share: f64,
    /// As [`Member::score`].
    pub score: Option<f64>,
    /// As [`Member::agreement`].
    pub agreement: Option<f64>,
    /// Its weight in the fused graph; all weights sum to 1.
    pub weight: f64,
}

/// What the second graph of a candidate is built from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateGraph {
    /// There is none: the graph of the data alone.
    Data,
    /// The cosines to the class centroids.
    Centroids,
    /// The codes of WS-NMF with this many components per class.
    Codes(usize),
}

/// What [`classify_observed`](crate::classify_observed) begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// All phases with the columns of a table in place of the directions of its rows.
    Columns,
    /// The graph of the data, and class centroids in every fold.
    Graphs,
    /// WS-NMF with this many components per class in every fold, and scores for the graphs of its codes.
    Components {
        /// The smallest number.
        least: usize,
        /// The largest number.
        most: usize,
    },
    /// The fused graph, and the base classifiers in every fold.
    BaseClassifiers,
    /// The refinements in every fold.
    Refinements,
    /// What predicts new rows; only in [`train_observed`](crate::train_observed).
    NewRows,
}

impl Phase {
    /// How much of the work is done when this phase begins, 0 to 1; a guess, because the number of phases
    /// depends on the data.
    pub fn done(&self) -> f64 {
        match self {
            Phase::Columns | Phase::Graphs => 0.0,
            Phase::Components { least: 1, .. } => 0.1,
            // The further numbers come one at a time, each with more components.
            Phase::Components { most, .. } => 0.35 + 0.3 * (1.0 - 4.0 / (*most).max(4) as f64),
            Phase::BaseClassifiers => 0.7,
            Phase::Refinements => 0.85,
            Phase::NewRows => 0.95,
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Phase::Columns => f.write_str("columns of the table"),
            Phase::Graphs => f.write_str("neighbours of all samples"),
            Phase::Components { least: 1, most: 1 } => f.write_str("1 component per class"),
            Phase::Components { least, most } if least == most => write!(f, "{most} components per class"),
            Phase::Components { least, most } => write!(f, "{least} to {most} components per class"),
            Phase::BaseClassifiers => f.write_str("base classifiers"),
            Phase::Refinements => f.write_str("refinements"),
            Phase::NewRows => f.write_str("rules for new samples"),
        }
    }
}
