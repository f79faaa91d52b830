//! A second view of the samples, their labels, explained by the same codes.
//!
//! ```text
//! (λ/2)·‖M∘(Y − W·B)‖²,   Y, M (n × c), B (k × c) ≥ 0 stored as its transpose (c × k), an extra factor
//! ```
//!
//! M is 1 where a label is known and 0 elsewhere. Seen from the codes, a row's Gram gets λ·Σ b_l b_lᵀ over
//! its known labels, so rows with the same known labels form a group; seen from B, the Gram of label l is λ·Σ
//! wᵢ wᵢᵀ over the samples that know it. Soft, multi-label and partly known labels are all of this form.
//!
//! Where a row of codes stands for several samples or counts more than one, the view sees ρᵢ·wᵢ in place of
//! wᵢ, and a constant is left: what the samples of one row disagree about.

use std::collections::BTreeMap;

use crate::engine::quadratic::{RowGroup, Subproblem, dot};
use crate::engine::term::{Cast, Facts, OwnStart, RowGrams, Term};
use crate::engine::{Factors, Loss, Slot};
use crate::foundation::{Matrix, Real};
use crate::kernels::gemm;

/// Rows (of one kind) that know the same rows of the other kind.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub(super) rows: Vec<u32>,
    pub(super) known: Vec<u32>,
}

impl Pattern {
    /// Σ v vᵀ (k × k) over the known rows of the other factor.
    pub(super) fn gram<T: Real>(&self, other: &Matrix<T>) -> Matrix<T> {
        other.gathered(&self.known).gram()
    }
}

/// Samples whose part of the value is taken at once.
const VALUE_ROWS: usize = 512;

/// See the module.
#[derive(Clone, Debug)]
pub struct LabelView<T> {
    /// Y (n × c), 0 where unknown.
    targets: Matrix<T>,
    /// ‖Y‖², and what no W·B explains, whatever they are.
    squared_targets: f64,
    unexplained: f64,
    /// ρ (n), what a row of codes is multiplied by; 1 when absent.
    rows: Option<Vec<f64>>,
    /// The entries of Y above 0: sample, label, value, by samples.
    pulls: Vec<(u32, u32, T)>,
    weight: T,
    /// Samples by their known labels; those without any are in none.
    samples: Vec<Pattern>,
    /// The known entries of Y of each of these, row by row.
    targets_of: Vec<Vec<T>>,
    /// Labels by the samples that know them; those without any are in none.
    labels: Vec<Pattern>,
}

impl<T: Real> LabelView<T> {
    /// `targets` is Y ≥ 0 (n × c), `known` is M (n × c): an entry above 0 is known; `weight` is λ ≥ 0.
    ///
    /// # Panics
    /// When the shapes differ.
    pub fn new(targets: &Matrix<T>, known: &Matrix<f64>, weight: T) -> Self {
        assert_eq!(targets.shape(), known.shape(), "one mark for each label of each sample");
        let (n, c) = known.shape();
        let is_known = |i: usize, l: usize| known.get(i, l) > 0.0;
        let targets = Matrix::from_fn(n, c, |i, l| if is_known(i, l) { targets.get(i, l) } else { T::ZERO });
        let (samples, labels) = (patterns(n, c, is_known), patterns(c, n, |l, i| is_known(i, l)));
        Self::of(targets, weight, samples, labels, None, 0.0)
    }

    /// The same of rows of codes each multiplied by ρ ≥ 0 (n), and `unexplained` ≥ 0 beside the squared
    /// distance.
    ///
    /// # Panics
    /// When there is not one ρ per row.
    #[must_use]
    pub fn with_rows(self, rows: Vec<f64>, unexplained: f64) -> Self {
        assert_eq!(rows.len(), self.targets.rows(), "one multiplier per row");
        // Rows with the same known labels share a Gram only where they are multiplied alike.
        let alike = |pattern: &Pattern| {
            let mut by_multiplier: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
            pattern.rows.iter().for_each(|row| {
                by_multiplier.entry(rows[*row as usize].to_bits()).or_default().push(*row);
            });
            by_multiplier.into_values().map(|rows| Pattern { rows, known: pattern.known.clone() }).collect()
        };
        let samples = self.samples.iter().flat_map(|pattern| -> Vec<Pattern> { alike(pattern) }).collect();
        Self::of(self.targets, self.weight, samples, self.labels, Some(rows), unexplained)
    }

    fn of(
        targets: Matrix<T>,
        weight: T,
        samples: Vec<Pattern>,
        labels: Vec<Pattern>,
        rows: Option<Vec<f64>>,
        unexplained: f64,
    ) -> Self {
        let mut pulls = Vec::new();
        for i in 0..targets.rows() {
            let entries = targets.row(i).iter().enumerate();
            pulls.extend(entries.filter(|(_, y)| **y > T::ZERO).map(|(l, y)| (i as u32, l as u32, *y)));
        }
        let squared_targets = dot(targets.as_slice(), targets.as_slice());
        let known = |pattern: &Pattern| {
            let mut values = Vec::with_capacity(pattern.rows.len() * pattern.known.len());
            for i in &pattern.rows {
                values.extend(pattern.known.iter().map(|l| targets.get(*i as usize, *l as usize)));
            }
            values
        };
        let targets_of = samples.iter().map(known).collect();
        LabelView { targets, squared_targets, unexplained, rows, pulls, weight, samples, targets_of, labels }
    }

    /// ρ of a row.
    fn multiplier(&self, row: u32) -> f64 {
        self.rows.as_ref().map_or(1.0, |rows| rows[row as usize])
    }

    /// The mean of the known entries of Y (0 when none is known).
    fn mean_target(&self) -> f64 {
        let known: usize = self.samples.iter().map(|p| p.rows.len() * p.known.len()).sum();
        let sum: f64 = self.targets.as_slice().iter().map(|y| y.to_f64()).sum();
        if known > 0 { sum / known as f64 } else { 0.0 }
    }
}

impl<T: Real> Term<T> for LabelView<T> {
    fn name(&self) -> String {
        "labels".into()
    }

    fn facts(&self) -> Facts {
        Facts {
            squared_only: true,
            row_grams: RowGrams::NonNegative,
            own_slot: Some(Slot::Labels),
            ..Facts::default()
        }
    }

    fn value(&self, factors: &Factors<T>, _: Loss) -> f64 {
        let (codes, labels) = (factors.get(Slot::Codes), factors.get(Slot::Labels));
        let mut sum = self.unexplained;
        let k = codes.columns();
        for (Pattern { rows, known }, targets) in self.samples.iter().zip(&self.targets_of) {
            let labels = labels.gathered(known).cast::<f64>();
            let mut explained = vec![0.0; VALUE_ROWS.min(rows.len()) * known.len()];
            let mut some = Vec::with_capacity(VALUE_ROWS.min(rows.len()) * k);
            for (rows, targets) in rows.chunks(VALUE_ROWS).zip(targets.chunks(VALUE_ROWS * known.len())) {
                some.clear();
                for i in rows {
                    let rho = self.multiplier(*i);
                    some.extend(codes.row(*i as usize).iter().map(|w| rho * w.to_f64()));
                }
                let out = gemm::ViewMut::new(&mut explained[..targets.len()], rows.len(), known.len());
                let codes = gemm::View::new(&some, rows.len(), k);
                gemm::matmul(out, gemm::Output::Replace, codes, gemm::View::of(&labels).transposed());
                sum += squared_distance(targets, &explained[..targets.len()]);
            }
        }
        0.5 * self.weight.to_f64() * sum
    }

    fn depends_on(&self, slot: Slot) -> bool {
        matches!(slot, Slot::Codes | Slot::Labels)
    }

    fn add_to(&self, slot: Slot, factors: &Factors<T>, subproblem: &mut Subproblem<T>) {
        let Subproblem::Quadratic(q) = subproblem else {
            panic!("a problem with a view of labels has the Frobenius loss")
        };
        let from_codes = slot == Slot::Codes;
        let other = factors.get(if from_codes { Slot::Labels } else { Slot::Codes });
        let patterns = if from_codes { &self.samples } else { &self.labels };
        let mut groups = Vec::with_capacity(patterns.len());
        let seen = self.rows.as_ref().filter(|_| !from_codes).map(|rows| {
            let value = |i: usize, j: usize| T::from_f64(rows[i] * other.get(i, j).to_f64());
            Matrix::from_fn(other.rows(), other.columns(), value)
        });
        let other = seen.as_ref().unwrap_or(other);
        for pattern in patterns {
            let mut added = pattern.gram(other);
            let rho = if from_codes { self.multiplier(pattern.rows[0]) } else { 1.0 };
            let weight = if rho == 1.0 { self.weight } else { T::from_f64(self.weight.to_f64() * rho * rho) };
            added.as_mut_slice().iter_mut().for_each(|g| *g = weight * *g);
            groups.push(RowGroup::with_gram(pattern.rows.clone(), added));
        }
        for &(i, l, y) in &self.pulls {
            let (own, known) = if from_codes { (i, l) } else { (l, i) };
            let rho = if from_codes { T::from_f64(self.multiplier(i)) } else { T::ONE };
            let pull = self.weight * y * rho;
            let cross = q.cross.row_mut(own as usize).iter_mut();
            cross.zip(other.row(known as usize)).for_each(|(c, v)| *c += pull * *v);
        }
        q.add_groups(groups);
        q.constant += 0.5 * self.weight.to_f64() * (self.squared_targets + self.unexplained);
    }

    fn changes_cross(&self, slot: Slot) -> bool {
        slot == Slot::Codes
    }

    fn own_start(&self, _: &Factors<T>) -> Option<OwnStart<'_, T>> {
        let (rows, mean) = (self.targets.columns(), self.mean_target());
        Some(OwnStart::Explains { rows, mean, known: &self.pulls })
    }
}

impl Cast for LabelView<f64> {
    type In<T: Real> = LabelView<T>;

    fn cast<T: Real>(&self, _: bool) -> LabelView<T> {
        let weight = T::from_f64(self.weight.to_f64());
        let (samples, labels) = (self.samples.clone(), self.labels.clone());
        LabelView::of(self.targets.cast::<T>(), weight, samples, labels, self.rows.clone(), self.unexplained)
    }
}

/// Σ (aᵢ − bᵢ)².
fn squared_distance<T: Real>(a: &[T], b: &[f64]) -> f64 {
    // Eight partial sums in a fixed order: fast and the same everywhere.
    let mut sums = [0.0f64; 8];
    let (chunks_a, chunks_b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest = chunks_a.remainder().iter().zip(chunks_b.remainder());
    let rest: f64 = rest.map(|(x, y)| (x.to_f64() - y).powi(2)).sum();
    for (x, y) in chunks_a.zip(chunks_b) {
        for lane in 0..8 {
            let difference = x[lane].to_f64() - y[lane];
            sums[lane] += difference * difference;
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// Rows grouped by the columns that they know; those that know none are left out.
pub(super) fn patterns(rows: usize, columns: usize, is_known: impl Fn(usize, usize) -> bool) -> Vec<Pattern> {
    let mut by_known: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
    for row in 0..rows {
        let known: Vec<u32> = (0..columns).filter(|c| is_known(row, *c)).map(|c| c as u32).collect();
        if !known.is_empty() {
            by_known.entry(known).or_default().push(row as u32);
        }
    }
    by_known.into_iter().map(|(known, rows)| Pattern { rows, known }).collect()
}
