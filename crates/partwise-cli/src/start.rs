//! `--start`: factors of an earlier model to begin from, by the names of samples, features and components.

use anyhow::{Context, Result, anyhow, bail};
use partwise::methods::Input;
use partwise::{Init, Matrix, Model, Scaling, Settings, Slot};
use partwise_io::{Matched, ModelFile, order_by_name};
use serde_json::Value;

use crate::input::Source;
use crate::known::Known;

/// The names that the fit gives its first components.
pub(crate) fn owners(known: &Known, model: &Model) -> Vec<String> {
    match &known.classes {
        _ if model.spec().takes(Input::Guidance) => known.guidance.component_names(),
        Some(known) if model.spec().names_classes() => {
            known.labels.component_names(model.options().components_per_class)
        }
        _ => Vec::new(),
    }
}

/// Starts from a model's factors; gives its component names. Codes of other samples are left out, with a
/// word.
pub(crate) fn from_model(
    model: &ModelFile,
    source: &Source,
    scaling: &Scaling,
    owners: &[String],
    settings: &mut Settings,
    chosen: &mut Vec<String>,
) -> Result<Option<Vec<String>>> {
    let components = model.tensor("components").context("the model has no components")?.to_matrix::<f64>();
    let mut components = features_in_order(model, components, source, chosen)?;
    let mut codes = codes_of_samples(model, source);
    if codes.is_none() {
        chosen.push(format!(
            "start: the components of the model, but not its codes, which belong to other samples than these \
            {}; codes are updated first",
            source.rows
        ));
        settings.first = settings.first.or(Some(Slot::Codes));
    }
    let theirs = model.field("scaling.kind").and_then(Value::as_str);
    if theirs.is_some_and(|kind| kind != scaling.kind().name()) {
        chosen.push(format!(
            "scaling: {} from --scale, although the model of the start has {}",
            scaling.kind().name(),
            theirs.unwrap_or("none")
        ));
    }
    let mut names = model.texts("component_names").filter(|names| names.len() == components.rows());
    if let Some(order) = component_order(names.as_deref(), owners)? {
        components = Matrix::from_fn(order.len(), components.columns(), |c, j| components.get(order[c], j));
        codes = codes.map(|codes| Matrix::from_fn(codes.rows(), order.len(), |i, c| codes.get(i, order[c])));
        names = names.map(|names| order.iter().map(|c| names[*c].clone()).collect());
        chosen.push("start: the components of the model in the order of the topics, by name".into());
    }
    settings.init = Init::Custom { codes, components: Some(components) };
    Ok(names)
}

fn features_in_order(
    model: &ModelFile,
    components: Matrix<f64>,
    source: &Source,
    chosen: &mut Vec<String>,
) -> Result<Matrix<f64>> {
    let own = model.texts("feature_names").filter(|names| names.len() == components.columns());
    let order = order_by_name(own.as_deref(), source.feature_names.as_deref(), Matched::FEATURES)
        .map_err(|message| anyhow!("the components of the model: {message}"))?;
    let Some(order) = order else { return Ok(components) };
    chosen.push("start: the features of the model in the order of the data, by name".into());
    Ok(Matrix::from_fn(components.rows(), order.len(), |c, j| components.get(c, order[j])))
}

/// The codes of a model for these samples; `None` where they are of others.
fn codes_of_samples(model: &ModelFile, source: &Source) -> Option<Matrix<f64>> {
    let codes = model.tensor("codes")?.to_matrix::<f64>();
    let own = model.texts("row_names").filter(|names| names.len() == codes.rows());
    match order_by_name(own.as_deref(), source.row_names.as_deref(), Matched::SAMPLES) {
        Ok(Some(order)) => Some(Matrix::from_fn(order.len(), codes.columns(), |i, c| codes.get(order[i], c))),
        Ok(None) => Some(codes).filter(|codes| codes.rows() == source.rows),
        // Codes of samples of other names are not of these samples, as codes of another number are not.
        Err(_) => None,
    }
}

/// The order in which component j is that of owner j, others after; `None` if the order is already the same,
/// or there are no names to compare.
fn component_order(names: Option<&[String]>, owners: &[String]) -> Result<Option<Vec<usize>>> {
    let Some(names) = names.filter(|_| !owners.is_empty()) else { return Ok(None) };
    let places: Vec<Option<usize>> =
        owners.iter().map(|owner| names.iter().position(|name| name == owner)).collect();
    if let Some(mut order) = places.iter().copied().collect::<Option<Vec<usize>>>() {
        order.extend((0..names.len()).filter(|at| !places.contains(&Some(*at))));
        return Ok(Some(order).filter(|order| !order.iter().copied().eq(0..names.len())));
    }
    let misplaced = places.iter().enumerate().find_map(|(j, at)| at.filter(|at| *at != j).map(|at| (j, at)));
    if let Some((j, at)) = misplaced {
        bail!(
            "component {at} (counted from 0) of the model is \"{}\", which is component {j} here; the components come in the order {}",
            owners[j],
            owners.join(", ")
        );
    }
    Ok(None)
}
