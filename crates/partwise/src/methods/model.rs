//! A method together with what is known: what a fit is asked to do.

use std::sync::Arc;

use super::{
    Input, MethodOptions, MethodSpec, cnmf, gnmf, guided, named, ncw_nmf, nmf, nmf_alpha, ntf, semi_gnmf,
    ssnmf, symnmf, ws_nmf, ws_symnmf,
};
use crate::engine::losses::Loss;
use crate::foundation::{Error, Result};
use crate::graphs::Graph;
use crate::guidance::{Advice, Guidance, Labels, Strength};

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
    pub(crate) fn is_guided_kl(&self) -> bool {
        self.spec.takes(Input::Guidance) && self.loss == Loss::KullbackLeibler
    }

    /// Its loss.
    pub fn loss(&self) -> Loss {
        self.loss
    }
}
