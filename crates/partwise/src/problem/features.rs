//! Weights of features as a change of variables on the columns.
//!
//! ```text
//! Frobenius          Σⱼ cⱼ‖x_:ⱼ − W·h_:ⱼ‖² = ‖X·S − W·(H·S)‖²,   S = diag(√c)
//! Kullback–Leibler   Σⱼ cⱼ·D(x_:ⱼ‖W·h_:ⱼ) = D(X·S‖W·(H·S)),      S = diag(c)
//! ```
//!
//! The loop works on X·S, and all guidance on components is measured there: lengths of components, seeds,
//! references (which are multiplied by S as the data are). H comes back without S. A column of weight 0 has
//! no effect, and is 0 in every component.

use std::borrow::Cow;

use crate::data::DataMatrix;
use crate::engine::losses::Loss;
use crate::engine::problem::FeatureScale;
use crate::foundation::checks::check_weights;
use crate::foundation::{Error, Notice, Real, Result};
use crate::guidance::Guidance;
use crate::methods::Model;

/// S (d), for the weights c of the features.
pub(crate) fn feature_scale(weights: &[f64], loss: Loss) -> Vec<f64> {
    let root = |c: &f64| if loss == Loss::Frobenius { c.sqrt() } else { *c };
    weights.iter().map(root).collect()
}

/// Refuses weights that are not one per feature, negative, infinite, or 0 for every feature.
pub(crate) fn check_feature_weights(weights: &[f64], features: usize) -> Result<()> {
    if weights.len() != features {
        return Err(Error::shape(
            "the feature weights",
            format!("one for each of the {features} features"),
            weights.len(),
        ));
    }
    check_weights(weights, |at| format!("the weight of feature {at}"))?;
    if weights.iter().all(|c| *c == 0.0) {
        return Err(Error::out_of_range(
            "the largest feature weight",
            0.0,
            "above 0: some feature must count",
        ));
    }
    Ok(())
}

/// Those of the guidance of a model, checked.
pub(super) fn scale_of<T: Real>(data: &dyn DataMatrix<T>, model: &Model) -> Result<Option<FeatureScale>> {
    let Some(weights) = model.composed().map(Guidance::feature_weights).transpose()?.flatten() else {
        return Ok(None);
    };
    check_feature_weights(weights, data.n_features())?;
    Ok(Some(FeatureScale { weights: weights.to_vec(), scale: feature_scale(weights, model.loss) }))
}

/// X·S.
pub(crate) fn scaled_data<T: Real>(data: &dyn DataMatrix<T>, scale: &[f64]) -> Box<dyn DataMatrix<T>> {
    data.weighted(&|_, j| scale[j])
}

/// The guidance as it stands beside X·S.
pub(crate) fn scaled_guidance<'g>(guidance: &'g Guidance, scale: Option<&[f64]>) -> Cow<'g, Guidance> {
    scale.map_or(Cow::Borrowed(guidance), |scale| Cow::Owned(guidance.with_scaled_references(scale)))
}

/// What is left out.
pub(super) fn ignored_features(features: Option<&FeatureScale>) -> Option<Notice> {
    let weights = &features?.weights;
    let ignored: Vec<usize> = (0..weights.len()).filter(|j| weights[*j] == 0.0).collect();
    let first = ignored.first()?;
    Some(Notice {
        code: "ignored-features",
        message: format!(
            "features of weight 0 are ignored, and 0 in every component: {}, the first {first}",
            ignored.len()
        ),
    })
}
