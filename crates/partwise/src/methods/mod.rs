//! The published methods, one paper per file, and their registry [`ALL`]. A method is a preset: what it takes
//! of a [`Guidance`] and of [`MethodOptions`], and which ties and terms these become. It knows neither the
//! solvers' insides nor backends.

mod choice;
mod cnmf;
mod gnmf;
mod guided;
mod model;
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

use crate::engine::losses::Loss;
use crate::engine::solvers::SolverChoice;
use crate::engine::term::ModelTerms;
use crate::foundation::{Error, Result};
use crate::guidance::{Guidance, LabelRule, Strength};

#[doc(hidden)]
pub use choice::{ALIASES, for_inputs, named};

#[doc(hidden)]
pub use crate::engine::Shape;
pub use model::Model;
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
