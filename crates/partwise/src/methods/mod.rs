//! The methods, one paper a file, and their registry [`ALL`]. A model is a description: which rows are tied, which terms are
//! added to the loss. It knows neither solvers nor backends.

mod cnmf;
mod gnmf;
mod guided;
mod ncw_nmf;
mod nmf;
mod nmf_alpha;
mod nmf_dc;
mod ns_nmf;
mod ntf;
mod scnmf;
mod semi_gnmf;
mod ssnmf;
mod symnmf;
mod ws_nmf;
mod ws_symnmf;

use std::sync::Arc;

use crate::engine::losses::Loss;
use crate::engine::solvers::SolverChoice;
use crate::engine::term::ModelTerm;
use crate::foundation::{Error, Result};
use crate::graphs::Graph;
use crate::guidance::{Guidance, Knowledge, Labels};

pub use crate::engine::Shape;
pub(crate) use guided::NAME as GUIDED;
pub(crate) use nmf_alpha::NAME as WITH_MARGINS;
pub use nmf_alpha::{Machines, train_machines};
pub(crate) use ssnmf::NAME as WITH_UNKNOWN_ENTRIES;
pub(crate) use ws_nmf::{NAME as WITH_REFERENCES, check_references};
pub(crate) use ws_symnmf::NAME as WITH_MEMBERSHIP_REFERENCES;

/// Which rows of the codes are one unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tying {
    /// None: every sample has its own row.
    Free,
    /// Samples with the same label share a row (W = AZ), merged exactly (METHODS R1, R2).
    Labels,
    /// As the guidance says: samples that are held together share a row, or each has its own, with its weight.
    Guidance,
    /// Every sample has its own row, weighted by 1/(XXᵀ1)ᵢ (the normalized-cut weighting).
    NormalizedCut,
}

/// What the data are, and so which factors there are beside the codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Samples × features: codes and components.
    Matrix,
    /// Similarities of the samples (n × n), symmetric: two factors of memberships, codes first by default.
    Symmetric,
    /// Samples × pixels, each sample an image: codes, image rows and image columns, whose products are the components.
    Images,
}

/// One line of the registry of models.
#[derive(Clone, Copy, Debug)]
pub struct ModelSpec {
    /// The name in settings, files and on the command line.
    pub name: &'static str,
    /// The name in running text.
    pub title: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// The published objective, whose value [`Fit::objective`](crate::Fit) is (penalties, if any, counted twice beside the
    /// Frobenius loss, which has no ½ here).
    pub objective: &'static str,
    /// What must be known.
    pub needs: &'static str,
    /// The losses it is defined for; the first is the default.
    pub losses: &'static [Loss],
    /// Which rows are tied.
    pub tying: Tying,
    /// The solver that `auto` means, if it is not the loss's own.
    pub solver: SolverChoice,
    /// Whether [`Knowledge::smoothing`] links the factors.
    pub smooths: bool,
    /// Whether the labels rescale both factors after each iteration (SCNMF).
    pub rescales: bool,
    /// Whether the published objective carries the factor ½ beside the Frobenius loss.
    pub half_objective: bool,
    /// What the data are.
    pub form: Form,
    /// Reference with DOI.
    pub reference: &'static str,
    /// What differs from the paper, in a sentence.
    pub differs: &'static str,
    /// Checks what is known against the shape and gives the terms beside the loss.
    pub(crate) terms: fn(&Knowledge, Shape) -> Result<Vec<Box<dyn ModelTerm>>>,
}

/// Every model, in the order in which tables show them.
pub static ALL: &[&ModelSpec] = &[
    &nmf::SPEC,
    &cnmf::SPEC,
    &scnmf::SPEC,
    &nmf_dc::SPEC,
    &ws_nmf::SPEC,
    &ssnmf::SPEC,
    &ns_nmf::SPEC,
    &ncw_nmf::SPEC,
    &nmf_alpha::SPEC,
    &gnmf::SPEC,
    &semi_gnmf::SPEC,
    &symnmf::SPEC,
    &ws_symnmf::SPEC,
    &ntf::SPEC,
    &guided::SPEC,
];

/// What most models have: free rows, the loss's own solver, nothing between the factors. A base for [`ModelSpec`] values.
const PLAIN: ModelSpec = ModelSpec {
    name: "",
    title: "",
    summary: "",
    objective: "",
    needs: "nothing",
    losses: &[Loss::Frobenius],
    tying: Tying::Free,
    form: Form::Matrix,
    solver: SolverChoice::Auto,
    smooths: false,
    rescales: false,
    half_objective: false,
    reference: "",
    differs: "",
    terms: no_terms,
};

/// A method together with what is known.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) spec: &'static ModelSpec,
    pub(crate) knowledge: Knowledge,
    pub(crate) loss: Loss,
}

impl Model {
    /// Plain NMF, min ‖X − WH‖² (or D(X‖WH), see [`Model::with_loss`]).
    pub fn nmf() -> Self {
        Model { spec: &nmf::SPEC, knowledge: Knowledge::default(), loss: Loss::Frobenius }
    }

    /// CNMF: samples with the same label share one row of codes.
    pub fn cnmf(labels: Labels) -> Self {
        let knowledge = Knowledge { labels: Some(labels), ..Knowledge::default() };
        Model { spec: &cnmf::SPEC, knowledge, loss: Loss::Frobenius }
    }

    /// WS-NMF with whatever is known: labels, reference codes, reference components.
    pub fn ws_nmf(knowledge: Knowledge) -> Self {
        Model { spec: &ws_nmf::SPEC, knowledge, loss: Loss::Frobenius }
    }

    /// Guided NMF: everything that is known at once.
    pub fn guided(guidance: Guidance) -> Self {
        let knowledge = Knowledge { guidance: Some(Arc::new(guidance)), ..Knowledge::default() };
        Model { spec: &guided::SPEC, knowledge, loss: Loss::Frobenius }
    }

    /// GNMF: samples that are joined in the graph get similar codes; `weight` is λ ≥ 0.
    pub fn gnmf(graph: Graph, weight: f64) -> Self {
        let knowledge = Knowledge { graph: Some(graph), graph_weight: weight, ..Knowledge::default() };
        Model { spec: &gnmf::SPEC, knowledge, loss: Loss::Frobenius }
    }

    /// SemiGNMF: GNMF on the graph with the labels written into it; `weight` is λ ≥ 0.
    pub fn semi_gnmf(graph: Graph, weight: f64, labels: Labels) -> Self {
        let knowledge = Knowledge {
            graph: Some(graph),
            graph_weight: weight,
            labels: Some(labels),
            ..Knowledge::default()
        };
        Model { spec: &semi_gnmf::SPEC, knowledge, loss: Loss::Frobenius }
    }

    /// NCW-NMF: plain NMF with rows weighted as in normalized cuts.
    pub fn ncw_nmf() -> Self {
        Model { spec: &ncw_nmf::SPEC, knowledge: Knowledge::default(), loss: Loss::Frobenius }
    }

    /// NMF-α: the directions of support vector machines on the labelled samples are kept.
    pub fn nmf_alpha(knowledge: Knowledge) -> Self {
        Model { spec: &nmf_alpha::SPEC, knowledge, loss: Loss::KullbackLeibler }
    }

    /// SSNMF with what is known of the labels.
    pub fn ssnmf(knowledge: Knowledge) -> Self {
        Model { spec: &ssnmf::SPEC, knowledge, loss: Loss::Frobenius }
    }

    /// NTF of images of `shape` (height, width), one a sample.
    pub fn ntf(shape: (usize, usize)) -> Self {
        let knowledge = Knowledge { image_shape: Some(shape), ..Knowledge::default() };
        Model { spec: &ntf::SPEC, knowledge, loss: Loss::Frobenius }
    }

    /// SymNMF of a symmetric matrix of similarities.
    pub fn symnmf() -> Self {
        Model { spec: &symnmf::SPEC, knowledge: Knowledge::default(), loss: Loss::Frobenius }
    }

    /// WS-SymNMF with what is known of the memberships: labels or reference codes.
    pub fn ws_symnmf(knowledge: Knowledge) -> Self {
        Model { spec: &ws_symnmf::SPEC, knowledge, loss: Loss::Frobenius }
    }

    /// The model with this registry name (`"cnmf-kl"` is CNMF with the Kullback–Leibler loss), with its default loss.
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the names of the registry.
    pub fn from_name(name: &str, knowledge: Knowledge) -> Result<Self> {
        if name == "cnmf-kl" {
            return Model::from_name("cnmf", knowledge)?.with_loss(Loss::KullbackLeibler);
        }
        let spec = ALL.iter().find(|spec| spec.name == name).ok_or_else(|| Error::UnknownName {
            kind: "method".into(),
            name: name.into(),
            valid: ALL.iter().map(|spec| spec.name.to_string()).chain(["cnmf-kl".to_string()]).collect(),
        })?;
        Ok(Model { spec, knowledge, loss: spec.losses[0] })
    }

    /// The same model with another loss.
    ///
    /// # Errors
    /// [`Error::Incompatible`] when the model isn't defined for it, with the losses it is defined for.
    pub fn with_loss(mut self, loss: Loss) -> Result<Self> {
        if !self.spec.losses.contains(&loss) {
            return Err(Error::Incompatible {
                asked: format!("{} with the {} loss", self.spec.title, loss.name()),
                reason: "the method is not defined for it".into(),
                valid: self.spec.losses.iter().map(|l| format!("loss {}", l.name())).collect(),
            });
        }
        self.loss = loss;
        Ok(self)
    }

    /// The same model with something known about the samples that it uses for its start and for names only.
    #[must_use]
    pub fn with_labels(mut self, labels: Labels) -> Self {
        self.knowledge.labels = Some(labels);
        self
    }

    /// The guidance of a model that takes any.
    pub(crate) fn guidance(&self) -> Option<&Guidance> {
        self.knowledge.guidance.as_deref().filter(|_| self.spec.tying == Tying::Guidance)
    }

    /// Its line of the registry.
    pub fn spec(&self) -> &'static ModelSpec {
        self.spec
    }

    /// What it knows.
    pub fn knowledge(&self) -> &Knowledge {
        &self.knowledge
    }

    /// Its loss.
    pub fn loss(&self) -> Loss {
        self.loss
    }
}

/// A model without terms beside the loss.
fn no_terms(_: &Knowledge, _: Shape) -> Result<Vec<Box<dyn ModelTerm>>> {
    Ok(Vec::new())
}
