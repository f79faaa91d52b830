//! Views of the data: the directions of the rows, and where lengths say something, the columns. Each is
//! classified for itself; the results are multiplied.
//!
//! ```text
//! P ∝ Π_v P_v^weight_v,   weight_v = exp(b·(quality_v − best)),   b the held-out labels
//! ```
//!
//! The quality of a view is that of its best refinement: the held-out score and the agreement of the folds.
//! Posteriors are compared at equal confidence. Where features are few and classes seem to differ in size,
//! the product is multiplied by two simple classifiers that learn from the labels alone (`standardized`).
//! Where class sizes are known, those of the result are brought to them.

use partwise::internals::Pool;
use partwise::{DataMatrix, Labels, Matrix, Real, Result};

use crate::columns::{Columns, FEW_FEATURES};
use crate::ensemble::{Quality, product_of};
use crate::folds::HeldOut;
use crate::graphs::Prepared;
use crate::posteriors::{classes, logarithms, sharpened, sharpness, with_labels};
use crate::predictor::{Predictor, View, ViewPredictor};
use crate::result::{Classification, Member, Phase};
use crate::scores::weights;
use crate::settings::ClassifySettings;
use crate::sizes::ToSizes;
use crate::standardized::SimpleClassifiers;
use crate::{base, candidates, folds, refinement};

/// The mean largest posterior of the unlabelled samples at which views are compared.
const CONFIDENCE: f64 = 0.8;
/// A view of a lower weight is left out.
const LEAST_WEIGHT: f64 = 1e-3;
/// The names of the views.
const ROWS: &str = "directions of rows";
const COLUMNS: &str = "columns";

/// The labels, and those that each fold holds out.
pub(crate) struct Known<'k> {
    pub(crate) labels: &'k Labels,
    pub(crate) splits: Vec<(Labels, HeldOut)>,
    /// The part of each class (c), where it is known.
    pub(crate) sizes: Option<Vec<f64>>,
}

/// What one view gives.
struct Found<T: Real> {
    columns: Option<Columns>,
    classification: Classification,
    predictor: Option<ViewPredictor<T>>,
}

/// Classes from all views of `data`, and if asked for what predicts new rows. Of the columns, `observe` sees
/// one phase; of the directions of the rows all.
pub(crate) fn classified<T: Real>(
    data: &dyn DataMatrix<T>,
    known: Known<'_>,
    (settings, pool): (&ClassifySettings, &Pool),
    observe: &mut dyn FnMut(Phase),
    with_predictor: bool,
) -> Result<(Classification, Option<Predictor<T>>)> {
    let (mut found, mut simple) = (Vec::new(), None);
    if let Some(columns) = Columns::of(data) {
        observe(Phase::Columns);
        if data.n_features() <= FEW_FEATURES {
            simple = Some(SimpleClassifiers::new(data, &columns, (known.labels, &known.splits), CONFIDENCE)?);
        }
        let view = columns.view(data)?;
        let prepared = Prepared::of_table(&view, settings)?;
        let by = (pool, with_predictor);
        found.push(of_view(&prepared, &known, Some(columns), by, &mut |_| ())?);
    }
    observe(Phase::Graphs);
    let prepared = match found.is_empty() {
        true => Prepared::new(data, settings)?,
        false => Prepared::of_table(data, settings)?,
    };
    found.insert(0, of_view(&prepared, &known, None, (pool, with_predictor), observe)?);
    Ok(merged((data, found), simple, &known))
}

/// The classes by one view.
fn of_view<T: Real>(
    prepared: &Prepared<'_, T>,
    known: &Known<'_>,
    columns: Option<Columns>,
    (pool, with_predictor): (&Pool, bool),
    observe: &mut dyn FnMut(Phase),
) -> Result<Found<T>> {
    let held_out: usize = known.splits.iter().map(|(_, held_out)| held_out.len()).sum();
    let folds = folds::folds(prepared, known.labels, known.splits.clone(), known.sizes.as_deref(), pool)?;
    let mut search = candidates::search(prepared, folds, held_out as f64, pool, observe)?;
    observe(Phase::BaseClassifiers);
    let fused = candidates::fuse(prepared, &mut search, pool)?;
    let folds = &search.folds;
    let graphs = &fused.graphs;
    let (products, base_classifiers) = base::combine(prepared, folds, graphs, held_out as f64, pool)?;
    observe(Phase::Refinements);
    let by = (&graphs[..], &products[..]);
    let refined = refinement::refine(prepared, folds, by, held_out as f64, pool, with_predictor)?;
    let predictor = match refined.rules {
        None => None,
        Some(rules) => {
            observe(Phase::NewRows);
            let from = (&search.candidates[..], fused.codes);
            Some(ViewPredictor::new(prepared, known.labels, from, rules, pool)?)
        }
    };
    let classification = Classification {
        classes: Vec::new(),
        posteriors: refined.posteriors,
        views: Vec::new(),
        base_classifiers,
        refinements: refined.members,
        held_out_labels: refined.held_out,
        folds: folds.len() - 1,
        held_out,
        class_sizes: folds[0].class_sizes.clone(),
        candidates: search.candidates,
        notices: Vec::new(),
    };
    Ok(Found { columns, classification, predictor })
}

/// The views as members of an ensemble, in the order of `found`.
fn members<T: Real>(found: &[Found<T>], held_out: f64) -> Vec<Member> {
    let quality = |member: &Member| Quality::ScoreAndAgreement.of(member);
    let member = |found: &Found<T>| {
        let refinements = found.classification.refinements.iter();
        let best = refinements.max_by(|a, b| quality(a).total_cmp(&quality(b))).expect("there are some");
        let name = if found.columns.is_some() { COLUMNS } else { ROWS };
        Member { name, score: best.score, agreement: best.agreement, weight: 1.0 }
    };
    let mut members: Vec<Member> = found.iter().map(member).collect();
    let qualities: Vec<f64> = members.iter().map(quality).collect();
    for (member, weight) in members.iter_mut().zip(weights(&qualities, held_out)) {
        member.weight = if weight < LEAST_WEIGHT { 0.0 } else { weight };
    }
    members
}

/// The product of the views; what is said of base classifiers, graphs and refinements is that of the view
/// that weighs most.
fn merged<T: Real>(
    (data, found): (&dyn DataMatrix<T>, Vec<Found<T>>),
    simple: Option<SimpleClassifiers>,
    known: &Known<'_>,
) -> (Classification, Option<Predictor<T>>) {
    let labels = known.labels;
    let mut members = members(&found, found[0].classification.held_out as f64);
    let best = members.iter().position(|member| member.weight == 1.0).expect("the best weighs 1");
    let over: Vec<usize> = (0..labels.n_samples()).filter(|i| labels.class(*i).is_none()).collect();
    let several = members.iter().filter(|member| member.weight > 0.0).count() > 1;
    let logits: Vec<Matrix<f64>> = match several {
        true => found.iter().map(|found| logarithms(&found.classification.posteriors)).collect(),
        false => Vec::new(),
    };
    let sharpness: Vec<f64> = logits.iter().map(|logits| sharpness(logits, &over, CONFIDENCE)).collect();
    let product = several.then(|| {
        let all: Vec<Matrix<f64>> = logits.iter().zip(&sharpness).map(|(l, g)| sharpened(l, *g)).collect();
        let factors = all.iter().zip(members.iter().map(|member| member.weight));
        with_labels(labels, product_of(all[0].shape(), factors))
    });
    let mut views = Vec::new();
    let mut classification = None;
    for (at, view) in found.into_iter().enumerate() {
        let (weight, sharpness) = (members[at].weight, sharpness.get(at).copied().unwrap_or(1.0));
        if let Some(predictor) = view.predictor.filter(|_| weight > 0.0) {
            views.push(View { weight, sharpness, columns: view.columns, predictor });
        }
        if at == best {
            classification = Some(view.classification);
        }
    }
    let mut classification = classification.expect("the best is one of them");
    if let Some(product) = product {
        classification.posteriors = product;
    }
    let held_out = classification.held_out as f64;
    let simple = simple.and_then(|simple| {
        let of_views = (&classification.posteriors, &members[..]);
        let (simple, of_simple) = simple.beside(data, of_views, (&over, held_out), CONFIDENCE)?;
        let all = simple.members(&classification.posteriors, data);
        let shape = classification.posteriors.shape();
        let product = product_of(shape, all.iter().map(|(posteriors, weight)| (posteriors, *weight)));
        classification.posteriors = with_labels(labels, product);
        members.extend(of_simple);
        Some(simple)
    });
    let sizes = known.sizes.as_deref();
    let to_sizes = sizes.and_then(|sizes| ToSizes::of(&classification.posteriors, labels, sizes));
    if let Some(to_sizes) = &to_sizes {
        classification.posteriors = to_sizes.apply_to_samples(&classification.posteriors, labels);
    }
    classification.classes =
        classes(&classification.posteriors).into_iter().map(|class| class as usize).collect();
    classification.views = members;
    (classification, (!views.is_empty()).then(|| Predictor::of_views(views, simple, to_sizes)))
}
