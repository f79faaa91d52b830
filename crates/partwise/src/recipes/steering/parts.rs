//! What the actions do to factors.

use crate::data::DataMatrix;
use crate::foundation::{Error, Matrix, Real, Result};
use crate::guidance::{Feature, Guidance};

/// The factors, component by component.
pub(super) struct Parts {
    /// k columns of n codes.
    codes: Vec<Vec<f64>>,
    /// k rows of d features.
    pub(super) components: Vec<Vec<f64>>,
}

impl Parts {
    /// Of codes (n × k) and components (k × d).
    pub(super) fn of<T: Real>(codes: &Matrix<T>, components: &Matrix<T>) -> Self {
        let k = components.rows();
        let column = |j: usize| (0..codes.rows()).map(|i| codes.get(i, j).to_f64()).collect();
        let row = |j: usize| components.row(j).iter().map(|h| h.to_f64()).collect();
        Parts { codes: (0..k).map(column).collect(), components: (0..k).map(row).collect() }
    }

    pub(super) fn finish(self) -> (Matrix<f64>, Matrix<f64>) {
        let (n, d, k) = (self.codes[0].len(), self.components[0].len(), self.codes.len());
        (Matrix::from_fn(n, k, |i, j| self.codes[j][i]), Matrix::from_fn(k, d, |j, f| self.components[j][f]))
    }

    fn size(values: &[f64]) -> f64 {
        values.iter().map(|v| v * v).sum::<f64>().sqrt()
    }

    pub(super) fn remove(&mut self, range: std::ops::Range<usize>) {
        self.codes.drain(range.clone());
        self.components.drain(range);
    }

    /// Components `gone` go into `kept`: profiles and codes add up in proportion to what each explains.
    pub(super) fn merge(&mut self, kept: usize, gone: std::ops::Range<usize>) {
        for from in gone.clone() {
            let (a, b) = (Self::size(&self.codes[kept]), Self::size(&self.codes[from]));
            let (component, code) = (self.components[from].clone(), self.codes[from].clone());
            let total = a + b;
            if total == 0.0 {
                continue;
            }
            let mix = |x: f64, y: f64| (a * x + b * y) / total;
            self.components[kept].iter_mut().zip(component).for_each(|(x, y)| *x = mix(*x, y));
            self.codes[kept].iter_mut().zip(code).for_each(|(x, y)| *x += y);
        }
        self.remove(gone);
    }

    /// A component after those of the topic: what its samples that hold the seeds have, or those that it
    /// explains worst.
    pub(super) fn split<T: Real>(
        &mut self,
        data: &dyn DataMatrix<T>,
        range: std::ops::Range<usize>,
        seeds: &[Feature],
        guidance: &Guidance,
    ) -> Result<()> {
        let d = data.n_features();
        let mut wanted = vec![0.0; d];
        for seed in seeds {
            let place = match seed {
                Feature::Index(f) => Some(*f).filter(|f| *f < d),
                Feature::Name(name) => {
                    guidance.feature_names().and_then(|names| names.iter().position(|n| n == name))
                }
            };
            if let Some(f) = place {
                wanted[f] = 1.0;
            }
        }
        let by_seeds = wanted.contains(&1.0);
        let topic: Vec<f64> =
            (0..data.n_samples()).map(|i| range.clone().map(|j| self.codes[j][i]).sum()).collect();
        // How much each of the topic's samples belongs to the new one.
        let weight: Vec<f64> = (0..data.n_samples())
            .map(|i| {
                if topic[i] == 0.0 {
                    0.0
                } else if by_seeds {
                    topic[i] * data.row_dot(i, &wanted)
                } else {
                    self.unexplained(data, i)
                }
            })
            .collect();
        let mut profile = vec![0.0; d];
        for (i, w) in weight.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            data.add_row(i, *w, &mut profile);
        }
        if profile.iter().all(|v| *v == 0.0) {
            return Err(Error::Guidance(
                "nothing to split off: no sample of the topic has the seeds, or all are explained exactly"
                    .into(),
            ));
        }
        let target = range.clone().map(|j| Self::size(&self.components[j])).fold(0.0f64, f64::max);
        let scale = target / Self::size(&profile);
        profile.iter_mut().for_each(|v| *v *= scale);
        let most = weight.iter().fold(0.0f64, |m, w| m.max(*w));
        let code = weight.iter().zip(&topic).map(|(w, t)| t * (0.1 + 0.9 * w / most)).collect();
        self.components.insert(range.end, profile);
        self.codes.insert(range.end, code);
        Ok(())
    }

    /// ‖x − wH‖² of one sample.
    fn unexplained<T: Real>(&self, data: &dyn DataMatrix<T>, i: usize) -> f64 {
        let mut row = vec![0.0; data.n_features()];
        data.add_row(i, 1.0, &mut row);
        for (code, component) in self.codes.iter().zip(&self.components) {
            row.iter_mut().zip(component).for_each(|(x, h)| *x -= code[i] * h);
        }
        row.iter().map(|r| r * r).sum()
    }

    /// A feature has no weight in some components.
    pub(super) fn forbid(&mut self, range: std::ops::Range<usize>, feature: usize) {
        self.components[range].iter_mut().for_each(|component| component[feature] = 0.0);
    }

    /// Everything of a sample goes to one topic.
    pub(super) fn place(&mut self, sample: usize, range: std::ops::Range<usize>) {
        let norms: Vec<f64> = self.components.iter().map(|h| Self::size(h)).collect();
        let total: f64 = (0..norms.len()).map(|j| self.codes[j][sample] * norms[j]).sum();
        for j in 0..norms.len() {
            let inside = range.contains(&j) && norms[j] > 0.0;
            self.codes[j][sample] = if inside { total / (range.len() as f64 * norms[j]) } else { 0.0 };
        }
    }
}
