//! The codes of [`super::nmf_alpha`]: fits of training rows, what NMF-α keeps of the machines, and codes of
//! all rows.

use std::sync::Arc;

use anyhow::Result;
use partwise::internals::train_machines;
use partwise::{
    Advice, DataMatrix, Fit, Guidance, Init, Loss, Matrix, MethodOptions, Model, Settings, Slot,
    SolverChoice, Strength, SupportVectors, fit,
};

use super::classifiers::Measure;
use super::nmf_alpha_rows::Raw;
use super::nmf_alpha_trial::Trial;
use crate::methods::pca::pca;

impl Trial<'_> {
    /// NMF-α with S and λ in `options`.
    pub(super) fn fit_alpha(&self, options: MethodOptions, rank: usize) -> Result<Fit<f32>> {
        let model = Model::nmf_alpha(Guidance::default()).with_options(options);
        self.fit(&model, rank, SolverChoice::Auto)
    }

    /// The coefficients of machines on the raw training rows, of which the first `labelled` have labels.
    pub(super) fn support(&self, labelled: usize, cost: f64) -> Result<SupportVectors> {
        let rows = &self.parts[0].classified;
        if self.study.measure == Measure::Classes {
            let labels = self.labels_of(labelled)?;
            return Ok(train_machines(rows, &labels.into(), cost, 1)?.support);
        }
        let set = |sample: usize| {
            let has = |label: &u32| self.parts[0].truth[sample * self.labels + *label as usize];
            (sample < labelled).then(|| (0..self.labels as u32).filter(has).collect())
        };
        let sets = (0..rows.n_samples()).map(set).collect();
        let names = (0..self.labels).map(|label| label.to_string()).collect();
        let guidance = Advice::Sets { names, sets, strength: Strength::FIRM }.into();
        Ok(train_machines(rows, &guidance, cost, 1)?.support)
    }

    /// S, and λ for a mass of ρ.
    pub(super) fn alpha_options(&self, support: &SupportVectors, mass: f64) -> MethodOptions {
        let rows = &self.parts[0].rows;
        let sum = |sample: usize| rows.row(sample).1.iter().map(|value| f64::from(*value)).sum::<f64>();
        let combined: f64 = support.entries().iter().map(|(sample, _, s)| s * sum(*sample as usize)).sum();
        let discriminative_weight = mass * rows.summary().sum / combined;
        let support = Some(Arc::new(support.clone()));
        MethodOptions { discriminative_weight, support, ..MethodOptions::default() }
    }

    pub(super) fn fit(&self, model: &Model, rank: usize, solver: SolverChoice) -> Result<Fit<f32>> {
        Ok(fit(&self.parts[0].rows, model, &self.settings(rank, solver))?)
    }

    pub(super) fn settings(&self, rank: usize, solver: SolverChoice) -> Settings {
        Settings {
            seed: self.unit.draw,
            solver,
            init: Init::Random,
            first: Some(Slot::Components),
            max_iterations: self.study.iterations,
            tolerance: 0.0,
            threads: 1,
            ..Settings::new(rank)
        }
    }

    /// Corrected codes of all parts.
    pub(super) fn codes(&self, fitted: &Fit<f32>) -> Result<[Matrix<f64>; 3]> {
        let solver = if fitted.loss == Loss::KullbackLeibler { SolverChoice::Auto } else { SolverChoice::Mu };
        let rank = fitted.components.rows();
        let encoding = Settings { max_iterations: self.study.encoding_steps, ..self.settings(rank, solver) };
        let encode = |part: &Raw| -> Result<Matrix<f64>> {
            Ok(fitted.transform(&part.rows, &encoding)?.corrected_codes().cast())
        };
        let [training, validation, test] = &self.parts;
        Ok([encode(training)?, encode(validation)?, encode(test)?])
    }

    /// Coordinates along the first principal components of the training rows.
    pub(super) fn principal(&self, rank: usize) -> Result<[Matrix<f64>; 3]> {
        let [training, validation, test] = &self.parts;
        let found = pca(&training.classified, rank, self.unit.draw)?;
        let of = |part: &Raw| found.coordinates(&part.classified);
        Ok([of(training)?, of(validation)?, of(test)?])
    }
}
