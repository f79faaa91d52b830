//! CNMF of the data with the Kullback–Leibler loss: how much of each sample is of each class, W·diag(row sums
//! of H).
//!
//! Reference: Liu, Wu, Li, Cai & Huang 2012, doi:10.1109/TPAMI.2011.217.

use partwise::{Loss, Matrix, Model, Real, Result, Settings, fit};

use super::{BaseClassifier, CONFIDENCE, Training};
use crate::posteriors::logarithms;

pub(super) struct Cnmf;

impl<T: Real> BaseClassifier<T> for Cnmf {
    fn name(&self) -> &'static str {
        "CNMF, Kullback-Leibler"
    }

    fn posteriors(&self, training: &Training<'_, T>) -> Result<Matrix<f64>> {
        let (prepared, labels) = (training.prepared, training.labels());
        let k = labels.n_classes();
        let settings = Settings {
            max_iterations: prepared.settings.iterations,
            tolerance: 0.0,
            seed: prepared.settings.seed,
            threads: 1,
            ..Settings::new(k)
        };
        let model = Model::cnmf(labels.clone()).with_loss(Loss::KullbackLeibler)?;
        let found = fit(prepared.rows.as_ref(), &model, &settings)?;
        let sum = |j: usize| found.components.row(j).iter().map(|v| v.to_f64()).sum::<f64>();
        let sums: Vec<f64> = (0..k).map(sum).collect();
        let amounts = Matrix::from_fn(found.codes.rows(), k, |i, j| found.codes.get(i, j).to_f64() * sums[j]);
        Ok(training.fold.calibrated(&logarithms(&amounts), CONFIDENCE))
    }
}
