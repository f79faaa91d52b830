//! The rows of [`super::nmf_alpha`]: a split into training, validation and test rows, their terms and scale.

use anyhow::{Result, bail};
use partwise::{DataMatrix, SparseMatrix};

use super::DataSet;
use super::classifiers::{Measure, unit_scale};
use super::nmf_alpha_trial::Terms;
use crate::draw::shuffled;

/// Terms that text is cut to.
const MOST_TERMS: usize = 10_000;

/// Rows of one part: for fits, for classifiers, and their labels.
pub(super) struct Raw {
    pub(super) rows: SparseMatrix<'static, f32>,
    pub(super) classified: SparseMatrix<'static, f64>,
    /// Rows × labels, row-major; two classes are one yes or no.
    pub(super) truth: Vec<bool>,
}

/// Training (in the random order of `draw`), validation and test rows.
pub(super) fn parts(
    set: &DataSet,
    count: usize,
    terms: Terms,
    measure: Measure,
    draw: u64,
) -> Result<[Raw; 3]> {
    let (mut training, test) = (set.part("train")?, set.part("test")?);
    if training.len() <= count {
        let found = training.len();
        bail!("{count} training rows and some for validation are needed, but there are {found}");
    }
    training = shuffled(training.len(), draw).into_iter().map(|place| training[place]).collect();
    let validation = training.split_off(count);
    let text = terms != Terms::AsTheyCome;
    let prepared = if text { Some(prepared(set, &training, terms)) } else { None };
    let set = prepared.as_ref().unwrap_or(set);
    let scale = unit_scale(training.iter().map(|sample| length(set, *sample)));
    let raw = |samples: &[usize]| -> Result<Raw> {
        let table = set.label_table(samples);
        let truth = match measure {
            Measure::Accuracy => table.chunks_exact(set.label_names.len()).map(|row| row[0]).collect(),
            Measure::Classes | Measure::AverageF => table,
        };
        let rows = set.rows::<f64>(samples, scale)?;
        let rows = if text { with_unit_rows(&rows)? } else { rows };
        let classified = if measure == Measure::AverageF { with_bias(&rows)? } else { rows };
        Ok(Raw { rows: set.rows(samples, scale)?, classified, truth })
    };
    Ok([raw(&training)?, raw(&validation)?, raw(&test)?])
}

fn length(set: &DataSet, sample: usize) -> f64 {
    let row = &set.values[set.indptr[sample]..set.indptr[sample + 1]];
    row.iter().map(|value| value * value).sum::<f64>().sqrt()
}

/// The set with the terms of the most training rows (ties to the earlier column), as counts or tf-idf.
fn prepared(set: &DataSet, training: &[usize], terms: Terms) -> DataSet {
    let mut documents = vec![0.0_f64; set.n_features];
    for sample in training {
        let stored = &set.indices[set.indptr[*sample]..set.indptr[*sample + 1]];
        stored.iter().for_each(|j| documents[*j as usize] += 1.0);
    }
    let mut order: Vec<usize> = (0..set.n_features).collect();
    order.sort_by(|a, b| documents[*b].total_cmp(&documents[*a]));
    order.truncate(MOST_TERMS);
    order.sort_unstable();
    let mut place = vec![None; set.n_features];
    order.iter().enumerate().for_each(|(at, j)| place[*j] = Some(at as u32));
    let n = training.len() as f64;
    let mut out = DataSet { n_features: order.len(), indptr: vec![0], ..set.clone() };
    (out.indices, out.values, out.terms) = (Vec::new(), Vec::new(), Vec::new());
    for sample in 0..set.n_samples() {
        let begin = out.values.len();
        for at in set.indptr[sample]..set.indptr[sample + 1] {
            let j = set.indices[at] as usize;
            let Some(column) = place[j] else { continue };
            let idf = ((1.0 + n) / (1.0 + documents[j])).ln() + 1.0;
            out.indices.push(column);
            out.values.push(if terms == Terms::TfIdf { idf * set.values[at] } else { set.values[at] });
        }
        if terms == Terms::TfIdf {
            let own = out.values[begin..].iter().map(|value| value * value).sum::<f64>().sqrt();
            out.values[begin..].iter_mut().for_each(|value| *value /= own);
        }
        out.indptr.push(out.values.len());
    }
    out
}

fn with_unit_rows(rows: &SparseMatrix<'static, f64>) -> Result<SparseMatrix<'static, f64>> {
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..rows.n_samples() {
        let (columns, stored) = rows.row(i);
        let own = stored.iter().map(|value| value * value).sum::<f64>().sqrt();
        indices.extend_from_slice(columns);
        values.extend(stored.iter().map(|value| value / own));
        indptr.push(indices.len());
    }
    Ok(SparseMatrix::new(rows.n_samples(), rows.n_features(), indptr, indices, values)?)
}

/// The rows with a feature that is 1 everywhere.
fn with_bias(rows: &SparseMatrix<'static, f64>) -> Result<SparseMatrix<'static, f64>> {
    let (n, d) = (rows.n_samples(), rows.n_features());
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..n {
        let (columns, stored) = rows.row(i);
        indices.extend_from_slice(columns);
        indices.push(d as u32);
        values.extend_from_slice(stored);
        values.push(1.0);
        indptr.push(indices.len());
    }
    Ok(SparseMatrix::new(n, d + 1, indptr, indices, values)?)
}
