//! [`Asked`]: what a request asks of the files of guidance.

use partwise::guidance::{ComponentsPerClass, Strength};
use partwise::methods::MethodSpec;

use super::fit::GraphSource;
use super::flags::KnownFiles;

/// What is asked of the files of a request.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) known: &'a KnownFiles,
    /// The method that takes it.
    pub(crate) method: &'static MethodSpec,
    /// The strength of items that state none, where it is not their default.
    pub(crate) strength: Option<Strength>,
    pub(crate) graph: Option<&'a GraphSource>,
    pub(crate) graph_strength: Option<Strength>,
    /// How many components each class of the labels has, where it is stated.
    pub(crate) components_per_class: Option<ComponentsPerClass>,
    /// Of the labels that are drawn.
    pub(crate) seed: u64,
}
