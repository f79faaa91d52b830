//! What is computed over all samples, of data in memory or in row blocks, wherever these lie.

use std::ops::Range;

use super::{DataMatrix, TreeSum};
use crate::foundation::{Matrix, Real, pool};

/// The rows of a factor.
pub(crate) fn rows_of<T: Real>(factor: &Matrix<T>, rows: Range<usize>) -> Matrix<T> {
    let k = factor.columns();
    let values = factor.as_slice()[rows.start * k..rows.end * k].to_vec();
    Matrix::from_vec(rows.len(), k, values).expect("as many rows as are in the range")
}

/// Σ over rows of (x − (UVᵀ))² and the like: chunks of a block on the threads of a pool, added in order;
/// blocks along their tree.
pub(crate) fn sum_over_chunks<T: Real>(
    pool: &pool::Pool,
    data: &dyn DataMatrix<T>,
    codes: &Matrix<T>,
    value: impl Fn(&dyn DataMatrix<T>, Range<usize>, &Matrix<T>) -> f64 + Sync,
) -> f64 {
    let Some(blocks) = data.blocks() else {
        return pool.map(data.sample_chunks(), |rows| value(data, rows, codes)).iter().sum();
    };
    let mut sum = TreeSum::default();
    blocks.for_each(|rows, data, _| {
        let codes = rows_of(codes, rows);
        let parts = pool.map(data.sample_chunks(), |rows| value(data, rows, &codes));
        sum.add(vec![parts.iter().sum()]);
    });
    blocks.total(sum, 1)[0]
}

/// A vector of `width` numbers that `add` adds something to for each sample: it gets the number of the
/// sample, data with its row, and the place of the row there. In the order of the samples; blocks along their
/// tree.
pub(crate) fn sum_over_samples<T: Real>(
    data: &dyn DataMatrix<T>,
    width: usize,
    mut add: impl FnMut(usize, (&dyn DataMatrix<T>, usize), &mut [f64]),
) -> Vec<f64> {
    let Some(blocks) = data.blocks() else {
        let mut sum = vec![0.0; width];
        (0..data.n_samples()).for_each(|i| add(i, (data, i), &mut sum));
        return sum;
    };
    let mut sum = TreeSum::default();
    blocks.for_each(|rows, data, _| {
        let mut part = vec![0.0; width];
        rows.enumerate().for_each(|(at, i)| add(i, (data, at), &mut part));
        sum.add(part);
    });
    blocks.total(sum, width)
}

/// Σ weight · X[sample, :] (d) over these samples, in their order; blocks along their tree.
pub(crate) fn sum_of_rows<T: Real>(data: &dyn DataMatrix<T>, samples: &[(usize, f64)]) -> Vec<f64> {
    if let Some(blocks) = data.blocks() {
        return blocks.sum_of_rows(samples);
    }
    let mut sum = vec![0.0; data.n_features()];
    samples.iter().for_each(|(sample, weight)| data.add_row(*sample, *weight, &mut sum));
    sum
}

/// A number for each sample, from data with its row and the place of the row there.
pub(crate) fn of_each_sample<T: Real>(
    data: &dyn DataMatrix<T>,
    mut of_row: impl FnMut(&dyn DataMatrix<T>, usize) -> f64,
) -> Vec<f64> {
    let n = data.n_samples();
    let Some(blocks) = data.blocks() else { return (0..n).map(|i| of_row(data, i)).collect() };
    let mut numbers = vec![0.0; n];
    blocks.for_each(|rows, data, _| {
        numbers[rows].iter_mut().enumerate().for_each(|(at, number)| *number = of_row(data, at));
    });
    blocks.gather_rows(&mut numbers, 1);
    numbers
}

/// The first chunk of samples of which this is true.
pub(crate) fn first_chunk<T: Real>(
    data: &dyn DataMatrix<T>,
    is_true: impl Fn(&Range<usize>) -> bool,
) -> Option<Range<usize>> {
    let Some(blocks) = data.blocks() else { return data.sample_chunks().into_iter().find(is_true) };
    let own = blocks.own_blocks().into_iter().find(is_true);
    let Some(processes) = blocks.processes() else { return own };
    let place = own.map_or([0; 2], |rows| [rows.start as u64, rows.end as u64]);
    let found = processes.of_each(place).into_iter().find(|[start, end]| start < end);
    found.map(|[start, end]| start as usize..end as usize)
}
