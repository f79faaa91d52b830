//! The published methods, one paper per file, and their registry [`ALL`]. A method is a preset: what it takes
//! of a [`Guidance`] and of [`MethodOptions`], and which ties and terms these become. It knows neither the
//! solvers' insides nor backends.

mod choice;
mod cnmf;
mod gnmf;
mod guided;
mod ncw_nmf;
mod nmf;
mod nmf_alpha;
mod nmf_dc;
mod ns_nmf;
mod ntf;
mod options;
mod parameters;
mod publications;
mod scnmf;
mod semi_gnmf;
mod ssnmf;
mod symnmf;
mod ws_nmf;
mod ws_symnmf;

use std::sync::Arc;

use crate::engine::losses::Loss;
use crate::engine::solvers::SolverChoice;
use crate::engine::term::ModelTerms;
use crate::foundation::{Error, Result};
use crate::graphs::Graph;
use crate::guidance::{Advice, Guidance, LabelRule, Labels, Strength};

#[doc(hidden)]
pub use choice::{ALIASES, for_inputs, named};

#[doc(hidden)]
pub use crate::engine::Shape;
#[doc(hidden)]
pub use nmf_alpha::{Machines, train_machines};
pub use options::{Input, MethodOptions, StepRule};
pub(crate) use parameters::check as check_options;
pub use parameters::{PARAMETERS, Parameter, ParameterKind, ParameterValue};
#[doc(hidden)]
pub use publications::PARTWISE as BIBTEX_OF_PARTWISE;

/// Which rows of the codes are one unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Tying {
    /// None: every sample has its own row.
    Free,
    /// Samples with the same label share a row (W = AZ), merged exactly (METHODS R1, R2).
    Labels,
    /// By the guidance: samples that must be equal share a row, or each has its own, with its weight.
    Guidance,
    /// Every sample has its own row, weighted by 1/(XXᵀ1)ᵢ (the normalized-cut weighting).
    NormalizedCut,
}

/// What the data are, and so which factors there are beside the codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// Samples × features: codes and components.
    Matrix,
    /// Similarities of the samples (n × n), symmetric: two factors of memberships, codes first by default.
    Symmetric,
    /// Samples × pixels, each sample an image: codes, image rows and image columns, whose products are the
    /// components.
    Images,
}

/// One line of the registry of models.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct MethodSpec {
    /// The name in settings, files and on the command line.
    pub name: &'static str,
    /// The name of its class in Python.
    pub estimator: &'static str,
    /// The name in running text.
    pub title: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// The published objective, whose value [`Fit::objective`](crate::Fit) is (penalties, if any, counted
    /// twice beside the Frobenius loss, which has no ½ here).
    pub objective: &'static str,
    /// What must be known, in words.
    pub needs: &'static str,
    /// What it takes: kinds of guidance and options. Every method uses labels for the start and the names of
    /// the components.
    pub takes: &'static [Input],
    /// The rule of labels in it.
    pub label_rule: LabelRule,
    /// The default strength at the front ends: of the labels, or of the graph where only that has one.
    pub strength: Strength,
    /// The losses it is defined for; the first is the default.
    pub losses: &'static [Loss],
    /// Which rows are tied.
    #[doc(hidden)]
    pub tying: Tying,
    /// The solver that `auto` means, if it is not the loss's own.
    pub solver: SolverChoice,
    /// Whether the labels rescale both factors after each iteration (SCNMF).
    pub rescales: bool,
    /// Whether the published objective carries the factor ½ beside the Frobenius loss.
    pub half_objective: bool,
    /// What the data are.
    pub form: Form,
    /// Whether the data may be read in row blocks, as they are when they don't fit into memory.
    #[doc(hidden)]
    pub in_blocks: bool,
    /// Reference with DOI.
    pub reference: &'static str,
    /// The publications as BibTeX entries, in the order of `reference`.
    pub(crate) publications: &'static [&'static str],
    /// What differs from the paper, in a sentence.
    pub differs: &'static str,
    /// Checks the guidance against the shape, and returns the terms other than the loss.
    pub(crate) terms: fn(Known<'_>) -> Terms,
}

impl MethodSpec {
    /// The method with this name in the registry.
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the valid names.
    pub fn from_name(name: &str) -> Result<&'static MethodSpec> {
        Error::choose("method", name, ALL.iter().map(|spec| (spec.name, *spec)))
    }

    /// Whether it takes this.
    pub fn takes(&self, input: Input) -> bool {
        self.takes.contains(&input)
    }

    /// BibTeX entries for work that uses the method: Partwise, then the publications of the method (of its
    /// special cases where no publication describes it), with an empty line between them.
    #[doc(hidden)]
    pub fn bibtex(&self) -> String {
        let entries: Vec<&str> =
            std::iter::once(publications::PARTWISE).chain(self.publications.iter().copied()).collect();
        entries.join("\n\n")
    }

    /// Whether component j belongs to class j wherever the fit starts.
    #[doc(hidden)]
    pub fn names_classes(&self) -> bool {
        self.rescales || self.takes(Input::ComponentsPerClass)
    }

    /// Whether it is nothing but the loss, if all entries are known.
    fn is_plain(&self) -> bool {
        let only_entries = self.takes.iter().all(|input| *input == Input::KnownEntries);
        only_entries && self.tying == Tying::Free && self.form == Form::Matrix
    }

    /// The error that nothing of what it needs was given.
    pub(crate) fn lacks(&self) -> Error {
        Error::MissingGuidance { model: self.title.into(), needs: self.needs.into() }
    }
}

/// The methods that take this, as a list of what is valid.
pub(crate) fn that_take(input: Input) -> Vec<String> {
    let takes = |spec: &&&MethodSpec| spec.takes(input) || spec.takes(Input::Guidance);
    ALL.iter().filter(takes).map(|spec| format!("method {}", spec.name)).collect()
}

/// What a method makes its terms from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'m> {
    pub(crate) spec: &'static MethodSpec,
    pub(crate) guidance: &'m Guidance,
    pub(crate) options: &'m MethodOptions,
    pub(crate) shape: Shape,
}

/// Every model, in the order in which tables show them.
pub static ALL: &[&MethodSpec] = &[
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

/// What most models have: free rows, the loss's own solver, nothing between the factors. A base for
/// [`MethodSpec`] values.
const PLAIN: MethodSpec = MethodSpec {
    name: "",
    estimator: "",
    title: "",
    summary: "",
    objective: "",
    needs: "nothing",
    takes: &[],
    label_rule: LabelRule::Components,
    strength: Strength::FIRM,
    losses: &[Loss::Frobenius],
    tying: Tying::Free,
    form: Form::Matrix,
    in_blocks: true,
    solver: SolverChoice::Auto,
    rescales: false,
    half_objective: false,
    reference: "",
    publications: &[],
    differs: "",
    terms: no_terms,
};

/// A method together with its guidance.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) spec: &'static MethodSpec,
    pub(crate) guidance: Arc<Guidance>,
    pub(crate) options: MethodOptions,
    pub(crate) loss: Loss,
}

impl Model {
    /// The method with this registry name, with guidance, its default options and loss. `"cnmf-kl"` is CNMF
    /// with the Kullback–Leibler loss.
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the names of the registry.
    pub fn from_name(name: &str, guidance: impl Into<Guidance>) -> Result<Self> {
        let (spec, loss) = named(name)?;
        let model = Model::of(spec, guidance);
        match loss {
            Some(loss) => model.with_loss(loss),
            None => Ok(model),
        }
    }

    /// The method of this line of the registry, with guidance, its default options and loss.
    #[doc(hidden)]
    pub fn of(spec: &'static MethodSpec, guidance: impl Into<Guidance>) -> Self {
        let mut guidance = guidance.into();
        if !spec.takes(Input::Guidance) {
            guidance = guidance.with_label_rule(spec.label_rule);
        }
        Model { spec, guidance: Arc::new(guidance), options: MethodOptions::default(), loss: spec.losses[0] }
    }

    /// The topics or classes that own the first components, and how many each has.
    #[doc(hidden)]
    pub fn topics(&self) -> Vec<(String, usize)> {
        let of_each = self.options.components_per_class;
        match (self.composed(), self.labels()) {
            (Some(guidance), _) => guidance.all_topics(),
            (None, Some(labels)) if of_each > 1 => {
                labels.names().iter().map(|class| (class.clone(), of_each)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Plain NMF, min ‖X − WH‖² (or D(X‖WH), see [`Model::with_loss`]).
    pub fn nmf() -> Self {
        Model::of(&nmf::SPEC, Guidance::default())
    }

    /// CNMF: samples with the same label share one row of codes.
    pub fn cnmf(labels: Labels) -> Self {
        Model::of(&cnmf::SPEC, labels)
    }

    /// WS-NMF with whatever is known: labels, reference codes, reference components, a graph.
    #[doc(hidden)]
    pub fn ws_nmf(guidance: impl Into<Guidance>) -> Self {
        Model::of(&ws_nmf::SPEC, guidance)
    }

    /// Guided NMF: everything that is known at once.
    pub fn guided(guidance: Guidance) -> Self {
        Model::of(&guided::SPEC, guidance)
    }

    /// GNMF: samples that are connected in the graph get similar codes; `weight` is the published λ ≥ 0.
    #[doc(hidden)]
    pub fn gnmf(graph: Graph, weight: f64) -> Self {
        Model::of(&gnmf::SPEC, Advice::Graph { graph, strength: Strength::Raw(weight) })
    }

    /// SemiGNMF: GNMF on the graph with the labels written into it; `weight` is the published λ ≥ 0.
    #[doc(hidden)]
    pub fn semi_gnmf(graph: Graph, weight: f64, labels: Labels) -> Self {
        let graph = Advice::Graph { graph, strength: Strength::Raw(weight) };
        Model::of(&semi_gnmf::SPEC, Guidance::from(labels).with(graph))
    }

    /// NCW-NMF: plain NMF with rows weighted as in normalized cuts.
    #[doc(hidden)]
    pub fn ncw_nmf() -> Self {
        Model::of(&ncw_nmf::SPEC, Guidance::default())
    }

    /// NMF-α: the directions of support vector machines on the labelled samples are kept. Takes labels or
    /// label sets.
    #[doc(hidden)]
    pub fn nmf_alpha(guidance: impl Into<Guidance>) -> Self {
        Model::of(&nmf_alpha::SPEC, guidance)
    }

    /// SSNMF with guidance on the labels: labels, or targets for several labels per sample.
    #[doc(hidden)]
    pub fn ssnmf(guidance: impl Into<Guidance>) -> Self {
        Model::of(&ssnmf::SPEC, guidance)
    }

    /// NTF of images of `shape` (height, width), one per sample.
    #[doc(hidden)]
    pub fn ntf(shape: (usize, usize)) -> Self {
        let options = MethodOptions { image_shape: Some(shape), ..MethodOptions::default() };
        Model::of(&ntf::SPEC, Guidance::default()).with_options(options)
    }

    /// SymNMF of a symmetric matrix of similarities.
    #[doc(hidden)]
    pub fn symnmf() -> Self {
        Model::of(&symnmf::SPEC, Guidance::default())
    }

    /// WS-SymNMF with guidance on the memberships: labels or reference codes.
    #[doc(hidden)]
    pub fn ws_symnmf(guidance: impl Into<Guidance>) -> Self {
        Model::of(&ws_symnmf::SPEC, guidance)
    }

    /// The same model with other options.
    #[must_use]
    pub fn with_options(mut self, options: MethodOptions) -> Self {
        self.options = options;
        self
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

    /// The same model with labels in place of those it has: what it takes of them, its start and the names of
    /// its components.
    #[must_use]
    #[doc(hidden)]
    pub fn with_labels(mut self, labels: Labels) -> Self {
        let guidance = Arc::make_mut(&mut self.guidance);
        guidance.advice_mut().retain(|item| !matches!(item, Advice::Labels { .. }));
        guidance.advice_mut().push(Advice::Labels {
            labels,
            rule: self.spec.label_rule,
            strength: Strength::FIRM,
        });
        self
    }

    /// The same model with another strength of its labels or label targets.
    #[must_use]
    pub fn with_strength(mut self, strength: Strength) -> Self {
        for item in Arc::make_mut(&mut self.guidance).advice_mut() {
            if matches!(item, Advice::Labels { .. } | Advice::Targets { .. }) {
                *item = item.clone().with_strength(strength);
            }
        }
        self
    }

    /// All guidance, for the method that takes any.
    pub(crate) fn composed(&self) -> Option<&Guidance> {
        self.spec.takes(Input::Guidance).then_some(&self.guidance)
    }

    /// The labels of a published method, also used for its start and the names of its components.
    pub(crate) fn labels(&self) -> Option<&Labels> {
        if self.spec.takes(Input::Guidance) { None } else { self.guidance.labels() }
    }

    /// Its line of the registry.
    pub fn spec(&self) -> &'static MethodSpec {
        self.spec
    }

    /// What it knows.
    pub fn guidance(&self) -> &Guidance {
        &self.guidance
    }

    /// What it knows, to change.
    #[doc(hidden)]
    pub fn guidance_mut(&mut self) -> &mut Guidance {
        Arc::make_mut(&mut self.guidance)
    }

    /// Its options.
    pub fn options(&self) -> &MethodOptions {
        &self.options
    }

    /// Whether it is nothing but the loss.
    #[doc(hidden)]
    pub fn is_plain(&self) -> bool {
        self.spec.is_plain() && self.guidance.known_entries().is_none()
    }

    /// Whether it takes any guidance beside the Kullback–Leibler loss.
    pub(crate) fn is_guided_divergence(&self) -> bool {
        self.spec.takes(Input::Guidance) && self.loss == Loss::KullbackLeibler
    }

    /// Its loss.
    pub fn loss(&self) -> Loss {
        self.loss
    }
}

/// The terms of a method beside the loss.
type Terms = Result<ModelTerms>;

/// None.
fn no_terms(_: Known<'_>) -> Terms {
    Ok(Vec::new())
}

/// None, but labels are needed: they tie or rescale rows.
fn labels_only(known: Known<'_>) -> Terms {
    known.guidance.labels().map(|_| Vec::new()).ok_or_else(|| known.spec.lacks())
}
