//! The methods of [`super::ws_nmf`] on one draw, with and without labels; what was chosen about them stands
//! there.

use anyhow::{Result, bail};
use partwise::{
    Advice, DenseMatrix, Fit, Init, Labels, Matrix, Model, Settings, Slot, SolverChoice, Strength, fit,
};

use super::samples::largest;
use super::ws_nmf::Sample;
use crate::methods;
use partwise::clustering::{KMeansSettings, k_means};

/// Clusters with the name of their method and reading, its solver, and what was chosen.
pub(super) type Found = (String, Vec<i32>, String, String);

/// The methods that see no labels; `None` for the others.
pub(super) fn unguided(sample: &Sample, group: &str) -> Result<Option<Vec<Found>>> {
    let clustering = |name: &str| -> Result<Option<Vec<Found>>> {
        let clusters = sample.clustering(group, None)?;
        Ok(Some(vec![(name.to_string(), clusters, methods::named(group)?.solver.into(), String::new())]))
    };
    match group {
        "nmf" => {
            let fitted = fit(sample.data.as_ref(), &Model::nmf(), &sample.settings(SolverChoice::Hals, 200))?;
            Ok(Some(largest_readings("NMF", &fitted, String::new())))
        }
        "k-means" => clustering("k-means"),
        "spectral" => clustering("spectral"),
        _ => Ok(None),
    }
}

pub(super) fn guided(sample: &Sample, group: &str, labels: &Labels) -> Result<Vec<Found>> {
    let clustering = |name: &str| -> Result<Vec<Found>> {
        let clusters = sample.clustering(group, Some(labels))?;
        Ok(vec![(name.to_string(), clusters, methods::named(group)?.solver.into(), String::new())])
    };
    let (name, (fitted, strength)) = match group {
        "ws-nmf" => ("WS-NMF", by_rule(sample, labels, false)?),
        "ws-nmf-labels" => ("WS-NMF from labels", by_rule(sample, labels, true)?),
        "ws-nmf-fixed" => (
            "WS-NMF from labels, beta 1",
            (held_at(sample, labels, 1.0, &LABELS, 40, sample.class_means(labels))?, 1.0),
        ),
        "ssnmf" => return ssnmf(sample, labels),
        "ss-nmf1" => return clustering("SS-NMF1"),
        "pck-means" => return clustering("PCK-means"),
        "mpck-means" => return clustering("MPCK-means"),
        "ss-spectral" => return clustering("SS-spectral"),
        _ => return clustering("constrained k-means"),
    };
    Ok(largest_readings(name, &fitted, format!("beta {strength}")))
}

/// Which factor goes first.
const PUBLISHED: Slot = Slot::Components;
const LABELS: Slot = Slot::Codes;

/// The fit with the smallest β at which 95 % of the labelled samples keep their class.
fn by_rule(sample: &Sample, labels: &Labels, from_labels: bool) -> Result<(Fit<f64>, f64)> {
    let first = if from_labels { LABELS } else { PUBLISHED };
    let mut init = if from_labels { sample.class_means(labels) } else { Init::Published };
    let (mut strength, mut iterations) = (4.0, 40);
    let mut best: Option<(Fit<f64>, f64)> = None;
    while strength >= 1e-3 {
        let fitted = held_at(sample, labels, strength, &first, iterations, init)?;
        let kept = |i: &usize| labels.class(*i) == Some(largest(fitted.codes.row(*i)) as usize);
        let held = (0..labels.n_samples()).filter(kept).count() as f64 >= 0.95 * labels.n_labelled() as f64;
        if !held && best.is_some() {
            break;
        }
        init =
            Init::Custom { codes: Some(fitted.codes.clone()), components: Some(fitted.components.clone()) };
        best = Some((fitted, strength));
        if !held {
            break;
        }
        (strength, iterations) = (strength / 2.0, 15);
    }
    match best {
        Some(best) => Ok(best),
        None => bail!("no strength was tried"),
    }
}

fn held_at(
    sample: &Sample,
    labels: &Labels,
    strength: f64,
    first: &Slot,
    iterations: usize,
    init: Init,
) -> Result<Fit<f64>> {
    let model = Model::ws_nmf(Advice::labels(labels.clone()).with_strength(Strength::Raw(strength)));
    let settings = Settings {
        init,
        first: Some(*first),
        inner_steps: Some(2),
        ..sample.settings(SolverChoice::Hals, iterations)
    };
    Ok(fit(sample.data.as_ref(), &model, &settings)?)
}

fn ssnmf(sample: &Sample, labels: &Labels) -> Result<Vec<Found>> {
    let model = Model::ssnmf(Advice::labels(labels.clone()).with_strength(Strength::Raw(1.0)));
    let fitted = fit(sample.data.as_ref(), &model, &sample.settings(SolverChoice::Mu, 200))?;
    let solver = format!("{}, {} iterations", fitted.solver, fitted.iterations);
    let codes = scaled(&fitted);
    let settings = KMeansSettings { seed: sample.seed, ..KMeansSettings::default() };
    let found = k_means(&DenseMatrix::from_matrix(codes)?, sample.k, &settings)?;
    let clusters = found.labels.iter().map(|cluster| *cluster as i32).collect();
    let mut all = vec![("SSNMF, kmB".to_string(), clusters, solver.clone(), String::new())];
    if let Some((_, view)) = fitted.further.iter().find(|(slot, _)| *slot == Slot::Labels) {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let class = |i: usize| {
            let shares: Vec<f64> = (0..view.rows()).map(|c| dot(fitted.codes.row(i), view.row(c))).collect();
            largest(&shares)
        };
        let clusters = (0..fitted.codes.rows()).map(class).collect();
        all.push(("SSNMF, B".to_string(), clusters, solver, String::new()));
    }
    Ok(all)
}

/// The codes with the basis scaled to unit length.
fn scaled(fitted: &Fit<f64>) -> Matrix<f64> {
    let length = |j: usize| fitted.components.row(j).iter().map(|v| v * v).sum::<f64>().sqrt();
    let lengths: Vec<f64> = (0..fitted.codes.columns()).map(length).collect();
    Matrix::from_fn(fitted.codes.rows(), lengths.len(), |i, j| fitted.codes.get(i, j) * lengths[j])
}

/// arg and argB.
fn largest_readings(name: &str, fitted: &Fit<f64>, detail: String) -> Vec<Found> {
    let solver = format!("{}, {} iterations", fitted.solver, fitted.iterations);
    let of = |codes: &Matrix<f64>| (0..codes.rows()).map(|i| largest(codes.row(i))).collect();
    vec![
        (format!("{name}, arg"), of(&fitted.codes), solver.clone(), detail.clone()),
        (format!("{name}, argB"), of(&scaled(fitted)), solver, detail),
    ]
}
