//! What WS-NMF's scenarios share: a draw of samples of some classes.

use anyhow::Result;
use partwise::metrics::{accuracy, nmi_max};
use partwise::{DataMatrix, Init, Matrix, Settings, SolverChoice};

use super::samples::{Preparation, Samples, largest};
use super::{DataSet, Row};
use crate::draw::shuffled;

/// Samples of some classes with a seed.
pub(super) struct Sample {
    pub(super) samples: Samples,
    pub(super) data: Box<dyn DataMatrix<f64>>,
    /// Where each sample stands in the set (n).
    pub(super) rows: Vec<usize>,
    /// From 0 (n).
    pub(super) classes: Vec<i32>,
    pub(super) k: usize,
    pub(super) seed: u64,
}

impl Sample {
    pub(super) fn draw(
        raw: &DataSet,
        of: &[u32],
        per_class: usize,
        preparation: Preparation,
        seed: u64,
    ) -> Result<Self> {
        let (mut rows, mut classes) = (Vec::new(), Vec::new());
        for (class, label) in of.iter().enumerate() {
            let usable = |i: &usize| raw.labels[*i] == [*label] && raw.indptr[*i] < raw.indptr[*i + 1];
            let all: Vec<usize> = (0..raw.n_samples()).filter(usable).collect();
            let order = shuffled(all.len(), seed.wrapping_add(1 + class as u64));
            rows.extend(order.into_iter().take(per_class).map(|place| all[place]));
            classes.resize(rows.len(), class as i32);
        }
        let samples = Samples::new(raw, &rows, preparation).without_empty_columns();
        Ok(Sample { data: samples.data()?, samples, rows, classes, k: of.len(), seed })
    }

    pub(super) fn settings(&self, rank: usize, init: Init, max_iterations: usize) -> Settings {
        Settings {
            seed: self.seed,
            solver: SolverChoice::Hals,
            init,
            max_iterations,
            tolerance: 0.0,
            threads: 1,
            ..Settings::new(rank)
        }
    }

    pub(super) fn row(&self, row: Row, clusters: &[i32]) -> Result<Row> {
        Ok(row.with([
            ("accuracy", 100.0 * accuracy(&self.classes, clusters)?.accuracy),
            ("nmi", 100.0 * nmi_max(&self.classes, clusters)?),
        ]))
    }
}

/// The largest entry of each row.
pub(super) fn arg(codes: &Matrix<f64>) -> Vec<i32> {
    (0..codes.rows()).map(|i| largest(codes.row(i))).collect()
}

/// Small generated data for the tests of the scenarios.
#[cfg(test)]
pub(super) mod made {

    use super::DataSet;
    use crate::draw::{generator, uniform};

    /// Terms of each group that are its own.
    const OWN: usize = 12;

    /// Rows with (term, count), of the groups in turn.
    fn set(names: &[&str], terms: Vec<String>, rows: Vec<(u32, Vec<f64>)>) -> DataSet {
        let mut set = DataSet { n_features: terms.len(), indptr: vec![0], terms, ..DataSet::default() };
        set.label_names = names.iter().map(|name| name.to_string()).collect();
        for (class, counts) in rows {
            for (j, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0.0) {
                set.indices.push(j as u32);
                set.values.push(*count);
            }
            set.indptr.push(set.indices.len());
            set.labels.push(vec![class]);
        }
        set
    }

    /// `count` messages of each group: a third of its own words, a tenth of the others', and now and then the
    /// last word of its name.
    pub(in super::super) fn messages(names: &[&str], count: usize) -> DataSet {
        let word = |name: &&str| name.rsplit(['.', ' ']).next().unwrap_or(name).to_string();
        let mut terms: Vec<String> = names.iter().map(word).collect();
        terms.extend((0..names.len() * OWN).map(|j| format!("term{j}")));
        let mut random = generator(8, 0);
        let mut rows = Vec::new();
        for class in 0..names.len() {
            for _ in 0..count {
                let mut row = vec![0.0; terms.len()];
                row[class] = f64::from(uniform(&mut random) < 0.3);
                for group in 0..names.len() {
                    for j in 0..OWN {
                        let chance = if group == class { 0.5 } else { 0.06 };
                        row[names.len() + group * OWN + j] = f64::from(uniform(&mut random) < chance);
                    }
                }
                rows.push((class as u32, row));
            }
        }
        set(names, terms, rows)
    }

    /// Of the first two groups most words are the same; their keywords are the first two terms.
    pub(in super::super) fn related_messages(names: &[&str], keywords: [&str; 2], count: usize) -> DataSet {
        let mut terms: Vec<String> = keywords.map(str::to_string).to_vec();
        terms.extend((0..names.len() * OWN).map(|j| format!("term{j}")));
        let mut random = generator(9, 0);
        let mut rows = Vec::new();
        for class in 0..names.len() {
            for _ in 0..count {
                let mut row = vec![0.0; terms.len()];
                if class < 2 {
                    row[class] = 2.0 * f64::from(uniform(&mut random) < 0.8);
                }
                for group in 0..names.len() {
                    for j in 0..OWN {
                        // Eight of the twelve words of both related groups are common to them.
                        let related = class < 2 && group < 2 && j < 8;
                        let chance = if group == class || related { 0.5 } else { 0.04 };
                        row[2 + group * OWN + j] = f64::from(uniform(&mut random) < chance);
                    }
                }
                rows.push((class as u32, row));
            }
        }
        set(names, terms, rows)
    }

    /// Links of each of `count` samples with the next few of its class of `per_class`.
    pub(in super::super) fn citations(count: usize, per_class: usize) -> DataSet {
        let linked = |i: usize, j: usize| {
            let apart = (i % per_class).abs_diff(j % per_class);
            i / per_class == j / per_class && (1..=3).contains(&apart)
        };
        let row = |i: usize| (0, (0..count).map(|j| f64::from(linked(i, j))).collect());
        set(&["linked"], (0..count).map(|i| i.to_string()).collect(), (0..count).map(row).collect())
    }
}
