//! A classification with its data: what its files and its page are made of.

use partwise::{DataMatrix, Real, Scaling};
use partwise_classify::{CandidateGraph, Classification};

use crate::input::Source;
use crate::labels::KnownClasses;
use crate::request::ClassifyRequest;
use crate::scores::Evaluation;

/// A classification and all that belongs to it.
pub(crate) struct Classified<'a, T: Real> {
    pub(crate) request: &'a ClassifyRequest,
    pub(crate) source: &'a Source,
    pub(crate) data: &'a dyn DataMatrix<T>,
    pub(crate) scaling: &'a Scaling,
    pub(crate) known: &'a KnownClasses,
    pub(crate) found: &'a Classification,
    pub(crate) evaluation: Option<Evaluation>,
}

impl<T: Real> Classified<'_, T> {
    /// The names of the classes, in the order of the posteriors.
    pub(crate) fn names(&self) -> &[String] {
        self.known.labels.names()
    }
}

/// What the second graph of a candidate is made of.
pub(crate) fn origin(graph: CandidateGraph) -> String {
    match graph {
        CandidateGraph::Data => "the data alone".into(),
        CandidateGraph::Centroids => "class centroids".into(),
        CandidateGraph::Codes(1) => "WS-NMF, 1 component per class".into(),
        CandidateGraph::Codes(parts) => format!("WS-NMF, {parts} components per class"),
    }
}
