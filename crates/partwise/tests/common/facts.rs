//! [`Facts`]: what a test knows, as plain fields in the published units, and the model that they make.

use std::sync::Arc;

use partwise::guidance::{Advice, Guidance, Strength};
use partwise::{
    AnchorScale, CodeReference, ComponentReference, LabelSets, LabelTargets, Labels, Matrix, MethodOptions,
    Model, StepRule, SupportVectors, graphs::Graph,
};

/// What a strength is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Unit {
    /// σ of a relative strength.
    #[default]
    Relative,
    /// The published weight.
    Raw,
}

/// What NMF-α knows beside labels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Margins {
    pub(crate) discriminative_weight: f64,
    pub(crate) cost: f64,
    pub(crate) label_sets: Option<LabelSets>,
    pub(crate) support: Option<SupportVectors>,
}

impl Default for Margins {
    fn default() -> Self {
        Margins { discriminative_weight: 1.0, cost: 1.0, label_sets: None, support: None }
    }
}

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Facts {
    pub(crate) labels: Option<Labels>,
    pub(crate) code_reference: Option<CodeReference>,
    pub(crate) component_reference: Option<ComponentReference>,
    pub(crate) label_targets: Option<LabelTargets>,
    /// λ of SSNMF.
    pub(crate) label_weight: f64,
    pub(crate) known_entries: Option<Matrix<f64>>,
    /// σ or m of labels.
    pub(crate) strength: f64,
    pub(crate) unit: Unit,
    pub(crate) components_per_class: usize,
    pub(crate) smoothing: f64,
    pub(crate) step_rule: StepRule,
    pub(crate) anchor_scale: AnchorScale,
    pub(crate) graph: Option<Graph>,
    /// λ.
    pub(crate) graph_weight: f64,
    pub(crate) margins: Margins,
    pub(crate) image_shape: Option<(usize, usize)>,
    pub(crate) coupling: Option<f64>,
    /// For guided NMF, in place of all other guidance.
    pub(crate) guidance: Option<Guidance>,
}

impl Default for Facts {
    fn default() -> Self {
        let options = MethodOptions::default();
        Facts {
            labels: None,
            code_reference: None,
            component_reference: None,
            label_targets: None,
            label_weight: 1.0,
            known_entries: None,
            strength: 10.0,
            unit: Unit::Relative,
            components_per_class: 1,
            smoothing: options.smoothing,
            step_rule: options.step_rule,
            anchor_scale: options.anchor_scale,
            graph: None,
            graph_weight: 1.0,
            margins: Margins::default(),
            image_shape: None,
            coupling: None,
            guidance: None,
        }
    }
}

impl Facts {
    /// The facts as guidance of a method.
    fn guidance_for(&self, method: &str) -> Guidance {
        if let Some(guidance) = &self.guidance {
            return guidance.clone();
        }
        let raw = self.unit == Unit::Raw;
        let is_view = method == "ssnmf";
        // A weight that enters as it is.
        let weight = |value: f64, raw| match raw {
            true => Strength::Raw(value),
            // A fault of the test stays one.
            false => Strength::of_sigma(if value < 0.0 { value } else { value.sqrt() }),
        };
        let strength = match (is_view, raw) {
            (true, raw) => weight(self.label_weight, raw),
            (false, true) => Strength::Raw(self.strength),
            (false, false) => Strength::of_sigma(self.strength),
        };
        let mut items = Vec::new();
        items.extend(self.labels.clone().map(|labels| Advice::labels(labels).with_strength(strength)));
        items.extend(self.code_reference.clone().map(Advice::CodeReference));
        items.extend(self.component_reference.clone().map(Advice::ComponentReference));
        items.extend(self.label_targets.clone().map(|targets| Advice::Targets { targets, strength }));
        items.extend(self.known_entries.clone().map(Advice::KnownEntries));
        items.extend(self.graph.clone().map(|graph| Advice::Graph {
            graph,
            strength: weight(self.graph_weight, raw || method != "ws-nmf"),
        }));
        items.extend(self.margins.label_sets.as_ref().map(|sets| Advice::Sets {
            names: (0..sets.n_labels()).map(|label| label.to_string()).collect(),
            sets: (0..sets.n_samples()).map(|i| sets.set(i).map(<[u32]>::to_vec)).collect(),
            strength: Strength::FIRM,
        }));
        items.into_iter().fold(Guidance::default(), Guidance::with)
    }

    /// The model of a method.
    pub(crate) fn try_model(&self, method: &str) -> partwise::Result<Model> {
        // The update is for the fields to come.
        #[allow(clippy::needless_update)]
        let options = MethodOptions {
            smoothing: self.smoothing,
            step_rule: self.step_rule,
            anchor_scale: self.anchor_scale,
            components_per_class: self.components_per_class,
            discriminative_weight: self.margins.discriminative_weight,
            cost: self.margins.cost,
            support: self.margins.support.clone().map(Arc::new),
            image_shape: self.image_shape,
            coupling: self.coupling,
            ..MethodOptions::default()
        };
        Ok(Model::from_name(method, self.guidance_for(method.trim_end_matches("-kl")))?.with_options(options))
    }

    /// The model of a method of the registry.
    pub(crate) fn model(&self, method: &str) -> Model {
        self.try_model(method).expect("a method of the registry")
    }
}
