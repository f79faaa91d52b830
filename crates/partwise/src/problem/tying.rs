//! Tied and weighted rows as a change of variables (METHODS R1, R2); the table is in the module above.

use std::ops::Range;

use crate::data::{DataMatrix, of_each_sample, sum_over_chunks};
use crate::engine::losses::Loss;
use crate::engine::problem::TiedRows;
use crate::engine::term::Term;
use crate::engine::{Settings, Slot};
use crate::foundation::pool::Pool;
use crate::foundation::{Error, Matrix, Real, Result};
use crate::guidance::Plan;
use crate::methods::{Form, Model, Shape, Tying};
use crate::terms::{ProductRidge, ProductSparsity, Ridge, Sparsity};

/// The change of variables of the model, with s of each working row; `None` when it changes nothing.
pub(super) fn tie_rows<T: Real>(
    data: &dyn DataMatrix<T>,
    model: &Model,
    plan: Option<&Plan>,
) -> Option<(TiedRows, Vec<f64>)> {
    match (model.spec.tying, model.labels()) {
        // Classes of one sample tie nothing: plain NMF then, to the last bit (METHODS R9).
        (Tying::Labels, Some(labels)) if labels.counts().iter().any(|n| *n > 1) => {
            merge(labels.constraint_columns(), model.loss)
        }
        (Tying::Guidance, _) => {
            let plan = plan?;
            match (&plan.ties, &plan.sample_weights) {
                (Some(group), _) => merge(group.clone(), model.loss),
                (None, Some(weights)) => {
                    // w‖x − z‖² = ‖√w·x − √w·z‖², and w·D(x‖z) = D(wx‖wz).
                    let root = |w: &f64| if model.loss == Loss::Frobenius { w.sqrt() } else { *w };
                    Some(weigh(weights.iter().map(root).collect()))
                }
                (None, None) => None,
            }
        }
        (Tying::NormalizedCut, _) => {
            let column_sums = &data.summary().column_sums;
            let mut row = vec![0.0; data.n_features()];
            Some(weigh(of_each_sample(data, |rows, at| {
                row.fill(0.0);
                rows.add_row(at, 1.0, &mut row);
                let degree: f64 = row.iter().zip(column_sums).map(|(x, s)| x * s).sum();
                if degree > 0.0 { 1.0 / degree.sqrt() } else { 0.0 }
            })))
        }
        _ => None,
    }
}

/// Samples of the same group share a working row.
fn merge(group: Vec<u32>, loss: Loss) -> Option<(TiedRows, Vec<f64>)> {
    let rows = *group.iter().max()? as usize + 1;
    let (mut count, mut first_sample) = (vec![0.0; rows], vec![u32::MAX; rows]);
    for (i, &q) in group.iter().enumerate() {
        count[q as usize] += 1.0;
        first_sample[q as usize] = first_sample[q as usize].min(i as u32);
    }
    let (scale, codes_scale) = match loss {
        Loss::Frobenius => {
            (count.iter().map(|n| 1.0 / n.sqrt()).collect(), count.iter().map(|n| n.sqrt()).collect())
        }
        Loss::KullbackLeibler => (vec![1.0; rows], count.clone()),
    };
    Some((TiedRows { group, first_sample, count, codes_scale }, scale))
}

/// Each sample has its own working row, times a number.
fn weigh(scale: Vec<f64>) -> (TiedRows, Vec<f64>) {
    let identity: Vec<u32> = (0..scale.len() as u32).collect();
    let tied = TiedRows {
        group: identity.clone(),
        first_sample: identity,
        count: vec![1.0; scale.len()],
        codes_scale: scale.clone(),
    };
    (tied, scale)
}

/// See the module's table.
pub(super) fn merge_constant<T: Real>(
    original: &dyn DataMatrix<T>,
    merged: &dyn DataMatrix<T>,
    model: &Model,
    tied: &TiedRows,
) -> f64 {
    if tied.count.iter().all(|n| *n == 1.0) {
        return 0.0;
    }
    match (model.spec.tying, model.loss) {
        (Tying::Labels | Tying::Guidance, Loss::Frobenius) => {
            0.5 * (original.summary().squared_norm - merged.summary().squared_norm)
        }
        (Tying::Labels | Tying::Guidance, Loss::KullbackLeibler) => {
            let counts: f64 =
                tied.count.iter().zip(&merged.summary().row_sums).map(|(n, sum)| sum * n.ln()).sum();
            entropy(original) - entropy(merged) + counts
        }
        _ => 0.0,
    }
}

/// Σ x ln x.
fn entropy<T: Real>(data: &dyn DataMatrix<T>) -> f64 {
    let ones = |rows| Matrix::from_fn(rows, 1, |_, _| T::ONE);
    let (u, v) = (ones(data.n_samples()), ones(data.n_features()));
    let of_chunk =
        |data: &dyn DataMatrix<T>, rows: Range<usize>, u: &Matrix<T>| data.log_divergence(rows, u, &v);
    sum_over_chunks(&Pool::new(1), data, &u, of_chunk)
}

/// The penalties of the settings. See [`Settings::l1`].
pub(super) fn penalties<T: Real>(
    settings: &Settings,
    model: &Model,
    shape: Shape,
    tied: Option<&TiedRows>,
) -> Result<Vec<Box<dyn Term<T>>>> {
    // W = Z̃/t on tied rows: Σ|W| = Σ (n/t)|z̃|, Σ W² = Σ (n/t²) z̃².
    let rows = |power: i32| -> Option<Vec<T>> {
        let tied = tied?;
        let multiplier = |(n, t): (&f64, &f64)| if *t > 0.0 { n / t.powi(power) } else { 0.0 };
        Some(tied.count.iter().zip(&tied.codes_scale).map(multiplier).map(T::from_f64).collect())
    };
    let (l1, l2) = (settings.l1, settings.l2);
    let on_codes = l1.0 > 0.0 || l2.0 > 0.0;
    let on_components = l1.1 > 0.0 || l2.1 > 0.0;
    let one_sided = on_codes != on_components;
    if model.spec.form == Form::Images && (on_codes || on_components) {
        return Err(Error::incompatible(
            format!("a penalty with {}", model.spec.title),
            "the method does not support it",
            ["no penalties"],
        ));
    }
    // Where n ≠ t², ‖W‖² counts rows of Z̃ unequally, so that it is no multiple of the identity for each
    // component.
    let weighted = tied.is_some_and(|t| t.count.iter().zip(&t.codes_scale).any(|(n, s)| *n != s * s));
    let mut out: Vec<Box<dyn Term<T>>> = Vec::new();
    for (slot, size, l1, l2) in
        [(Slot::Codes, shape.features, l1.0, l2.0), (Slot::Components, shape.samples, l1.1, l2.1)]
    {
        let is_codes = slot == Slot::Codes;
        let (l1, l2) = (T::from_f64(l1 * size as f64), T::from_f64(l2 * size as f64));
        if l1 > T::ZERO {
            refuse("L1", weighted && one_sided && !is_codes, slot)?;
            let rows = if is_codes { rows(1) } else { None };
            out.push(match one_sided {
                true => Box::new(ProductSparsity { slot, weight: l1, rows }),
                false => Box::new(Sparsity { slot, weight: l1, rows }),
            });
        }
        if l2 > T::ZERO {
            let rows = if is_codes && weighted { rows(2) } else { None };
            refuse("L2", weighted && one_sided, slot)?;
            out.push(match one_sided {
                true => Box::new(ProductRidge { slot, weight: l2 }),
                false => Box::new(Ridge { slot, weight: l2, rows }),
            });
        }
    }
    Ok(out)
}

fn refuse(kind: &str, refused: bool, slot: Slot) -> Result<()> {
    if !refused {
        return Ok(());
    }
    Err(Error::incompatible(
        format!("an {kind} penalty on the {} alone", slot.name()),
        "on weighted rows (ncw-nmf, cnmf with the kullback-leibler loss) its scale-free form needs a ridge for each row and component",
        ["penalties on both factors", "L1 on the codes alone"],
    ))
}
