//! What [`super::nmf_alpha`] has beside codes: transductive machines, discriminant analysis and constrained
//! k-means on the rows themselves.

use anyhow::{Context, Result};
use partwise::{DataMatrix, DenseMatrix};

use super::Row;
use super::classifiers::{Chosen, said};
use super::nmf_alpha_rows::Raw;
use super::nmf_alpha_trial::Trial;
use crate::methods::lda::lda;
use crate::methods::seeded_k_means::{self, constrained_k_means};
use crate::methods::transductive_svm::{TransductiveSettings, transductive_svm};
use partwise::clustering::KMeansSettings;

const RIDGES: [f64; 3] = [0.01, 0.1, 1.0];
/// Discriminant analysis of more features works on as many principal components as this.
const MOST_FEATURES_OF_LDA: usize = 2000;
const COMPONENTS_OF_LDA: usize = 64;

impl Trial<'_> {
    pub(super) fn transductive(&self, labelled: usize) -> Result<Vec<Row>> {
        if labelled == self.study.training {
            // Nothing is left to be transductive about.
            return Ok(Vec::new());
        }
        let mut best: Option<Chosen> = None;
        for &cost in self.study.transductive_costs {
            let machine = |label: usize| {
                let target = |i: usize| match (i < labelled, self.parts[0].truth[i * self.labels + label]) {
                    (false, _) => 0,
                    (true, true) => 1,
                    (true, false) => -1,
                };
                let targets: Vec<i8> = (0..self.study.training).map(target).collect();
                let settings = TransductiveSettings { cost, ..TransductiveSettings::default() };
                Ok(transductive_svm(&self.parts[0].classified, &targets, &settings)?.machine)
            };
            let machines = (0..self.labels).map(machine).collect::<Result<Vec<_>>>()?;
            let of = |part: &Raw| -> Result<f64> {
                let values = machines
                    .iter()
                    .map(|machine| machine.decision_values(&part.classified).map(Some))
                    .collect::<std::result::Result<Vec<_>, _>>()?;
                let said = said(&values, part.classified.n_samples(), self.study.measure);
                self.study.measure.of(&part.truth, &said, self.labels)
            };
            let chosen = Chosen { cost, validation: of(&self.parts[1])?, test: of(&self.parts[2])? };
            if best.is_none_or(|best| chosen.validation > best.validation) {
                best = Some(chosen);
            }
        }
        Ok(best
            .iter()
            .map(|chosen| self.row("tsvm", chosen, "", "switching; dual coordinate descent"))
            .collect())
    }

    /// The nearest class mean along discriminant directions.
    pub(super) fn discriminant(&self, labelled: usize) -> Result<Row> {
        let wide = self.parts[0].classified.n_features() > MOST_FEATURES_OF_LDA;
        let codes = if wide { Some(self.principal(COMPONENTS_OF_LDA)?) } else { None };
        let rows = |at: usize| -> Result<Box<dyn DataMatrix<f64> + '_>> {
            Ok(match &codes {
                Some(codes) => Box::new(DenseMatrix::from_matrix(codes[at].clone())?),
                None => Box::new(self.parts[at].classified.clone()),
            })
        };
        let (training, validation, test) = (rows(0)?, rows(1)?, rows(2)?);
        let labels = self.labels_of(labelled)?;
        let mut best: Option<(f64, Chosen)> = None;
        for ridge in RIDGES {
            let found = lda(training.as_ref(), &labels, ridge)?;
            let of = |at: usize, rows: &dyn DataMatrix<f64>| -> Result<f64> {
                Ok(self.share_right(at, &found.classes(rows)?, &labels))
            };
            let (validation, test) = (of(1, validation.as_ref())?, of(2, test.as_ref())?);
            if best.is_none_or(|(_, best)| validation > best.validation) {
                best = Some((ridge, Chosen { cost: f64::NAN, validation, test }));
            }
        }
        let (ridge, chosen) = best.context("there is at least one ridge")?;
        let place = if wide { format!(", {COMPONENTS_OF_LDA} principal components") } else { String::new() };
        Ok(self.row("lda", &chosen, &format!("ridge = {ridge}{place}"), "Cholesky and eigenvectors"))
    }

    pub(super) fn constrained(&self, labelled: usize) -> Result<Row> {
        let labels = self.labels_of(labelled)?;
        let settings = KMeansSettings { seed: self.unit.draw, ..KMeansSettings::default() };
        let found = constrained_k_means(&self.parts[0].classified, labels.n_classes(), &labels, &settings)?;
        let centres = &found.centres;
        let norms: Vec<f64> =
            (0..centres.rows()).map(|c| centres.row(c).iter().map(|v| v * v).sum::<f64>()).collect();
        let right = |at: usize| {
            let rows = &self.parts[at].classified;
            let nearest = |i: usize| {
                let (columns, values) = rows.row(i);
                let distance = |c: usize| {
                    let centre = centres.row(c);
                    let inner: f64 = columns.iter().zip(values).map(|(j, v)| v * centre[*j as usize]).sum();
                    norms[c] - 2.0 * inner
                };
                (0..centres.rows()).fold(0, |best, c| if distance(c) < distance(best) { c } else { best })
            };
            let said: Vec<usize> = (0..rows.n_samples()).map(nearest).collect();
            self.share_right(at, &said, &labels)
        };
        let chosen = Chosen { cost: f64::NAN, validation: right(1), test: right(2) };
        Ok(self.row("constrained k-means", &chosen, "", seeded_k_means::SOLVER))
    }
}
