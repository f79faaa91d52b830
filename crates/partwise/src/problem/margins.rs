//! The combined rows of NMF-α: S from its machines, and SᵀX, formed once.

use std::borrow::Cow;
use std::sync::Arc;

use crate::data::{DataMatrix, DenseMatrix, SparseMatrix, sum_of_rows};
use crate::engine::term::Term;
use crate::foundation::{Notice, Real, Result};
use crate::methods::{self, Input, Model};
use crate::terms::CombinedRows;

/// Sparse SᵀX with more than this share of non-zeros takes less memory when it is dense (its columns are
/// stored too).
const SPARSE_SHARE: f64 = 1.0 / 3.0;

/// The second divergence of NMF-α, when the model is that and its weight is not 0.
pub(super) fn margin_rows<T: Real>(
    data: &dyn DataMatrix<T>,
    model: &Model,
    threads: usize,
    notices: &mut Vec<Notice>,
) -> Result<Option<Box<dyn Term<T>>>> {
    let margins = &model.options;
    if !model.spec.takes(Input::DiscriminativeWeight) || margins.discriminative_weight == 0.0 {
        return Ok(None);
    }
    let mut message = String::new();
    let support = match &margins.support {
        Some(support) => Cow::Borrowed(support.as_ref()),
        None => {
            let trained = methods::train_machines(data, &model.guidance, margins.cost, threads)?;
            message = format!(
                "{} support vector machines trained, {} to their duality gap (the largest is {:.1e} of the primal); ",
                trained.machines, trained.converged, trained.largest_gap
            );
            Cow::Owned(trained.support)
        }
    };
    let (samples, columns) = support.shape();
    let weighted: Vec<(u32, u32, f64)> =
        support.entries().iter().map(|(i, j, s)| (*i, *j, margins.discriminative_weight * s)).collect();
    let Some(targets) = combined(data, &weighted, columns)? else { return Ok(None) };
    message += &format!(
        "{} coefficients of support vectors; lambda S'X sums to {:.2e}, the data to {:.2e}",
        weighted.len(),
        targets.summary().sum,
        data.summary().sum
    );
    notices.push(Notice { code: "margins", message });
    Ok(Some(Box::new(CombinedRows::new(samples, &weighted, targets))))
}

/// SᵀX (m × d): sparse where X is and it stays so. `None` when S has no columns.
fn combined<T: Real>(
    data: &dyn DataMatrix<T>,
    entries: &[(u32, u32, f64)],
    columns: usize,
) -> Result<Option<Arc<dyn DataMatrix<T>>>> {
    if columns == 0 {
        return Ok(None);
    }
    let d = data.n_features();
    let mut members: Vec<Vec<(usize, f64)>> = vec![Vec::new(); columns];
    for (sample, column, weight) in entries {
        members[*column as usize].push((*sample as usize, *weight));
    }
    let (mut indptr, mut indices) = (vec![0], Vec::new());
    let mut values = Vec::with_capacity(if data.is_sparse() { 0 } else { columns * d });
    for samples in &members {
        let row = sum_of_rows(data, samples);
        if data.is_sparse() {
            for (j, value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                indices.push(j as u32);
                values.push(T::from_f64(*value));
            }
            indptr.push(indices.len());
        } else {
            values.extend(row.iter().map(|value| T::from_f64(*value)));
        }
    }
    if !data.is_sparse() {
        return Ok(Some(Arc::new(DenseMatrix::new(columns, d, values)?)));
    }
    let stored = values.len() as f64;
    let sparse = SparseMatrix::new(columns, d, indptr, indices, values)?;
    Ok(Some(if stored > SPARSE_SHARE * columns as f64 * d as f64 {
        Arc::new(sparse.to_dense())
    } else {
        Arc::new(sparse)
    }))
}
