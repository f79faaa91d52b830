//! One split of [`super::nmf_alpha`]'s data, and a method before a linear classifier on it.
//!
//! ```text
//! training rows (the first `labelled` have labels), validation rows, test rows
//! representation of all rows  →  machines on the labelled ones, C and the parameters chosen on
//!     validation rows  →  test rows
//! ```
//!
//! Codes that no label enters (principal components, KL-NMF) serve every share of labels: the unit of the
//! first share gives the rows of all.

use anyhow::{Context, Result, bail};
use partwise::internals::svm::SvmLoss;
use partwise::{Advice, DataMatrix, Labels, Loss, Matrix, Model, SolverChoice, Strength};

use super::classifiers::{Chosen, Measure, Part, choose_cost, features, unit_scale};
use super::nmf_alpha_rows::{Raw, parts};
use super::{Case, DataSet, Outcome, Row, Unit};

pub(super) const RAW: &str = "raw";
pub(super) const ALPHA_CHOSEN: &str = "nmf-alpha, r and rho on validation rows";

/// The grid of costs.
const COSTS: [f64; 5] = [0.1, 1.0, 10.0, 100.0, 1000.0];
/// S comes from machines with this share of the best cost of raw rows.
const SUPPORT_COST: f64 = 0.1;

/// What the entries of the rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Terms {
    /// As they come, times one scale.
    AsTheyCome,
    /// Counts of the terms of the most training rows; classifiers get rows of unit length.
    Counts,
    /// The same times log((1 + n)/(1 + df)) + 1, rows of unit length.
    TfIdf,
}

/// What one data set is tried with.
#[derive(Clone, Copy)]
pub(super) struct Study {
    pub(super) set: &'static str,
    pub(super) measure: Measure,
    /// Of the machines that classify.
    pub(super) loss: SvmLoss,
    pub(super) terms: Terms,
    /// Training rows; the rest of the official training part are validation rows.
    pub(super) training: usize,
    /// Shares of the training rows that are labelled, with their cases.
    pub(super) shares: &'static [(f64, &'static str)],
    pub(super) ranks: &'static [usize],
    /// ρ.
    pub(super) masses: &'static [f64],
    /// Of SSNMF, relative.
    pub(super) label_weights: &'static [f64],
    /// Of the transductive machines; none: they are left out.
    pub(super) transductive_costs: &'static [f64],
    pub(super) iterations: usize,
    pub(super) encoding_steps: usize,
}

pub(super) fn run(study: &Study, unit: &Unit<'_>) -> Result<Outcome> {
    // Most of a unit's work is shared by shares of labels where no label enters the codes.
    let unguided = matches!(unit.group, "pca" | "nmf");
    let first = study.shares[0].1 == unit.case.name;
    if unguided && !first {
        return Ok(Outcome::default());
    }
    let set = unit.library.data_set(study.set)?;
    let trial = Trial::new(study, &set, unit)?;
    if unguided {
        return Ok(trial.unguided()?.into());
    }
    let share = study.shares.iter().find(|share| share.1 == unit.case.name);
    let (share, _) = *share.with_context(|| format!("no share of labels is called {}", unit.case.name))?;
    let labelled = trial.labelled(share);
    let rows = match unit.group {
        "raw" => vec![trial.row(RAW, &trial.raw(labelled)?, "", DUAL)],
        "tsvm" => trial.transductive(labelled)?,
        "lda" => vec![trial.discriminant(labelled)?],
        "ssnmf" => trial.ssnmf(labelled)?,
        "cnmf" => trial.cnmf(labelled)?,
        "constrained-k-means" => vec![trial.constrained(labelled)?],
        _ => trial.alpha(labelled)?,
    };
    Ok(rows.into())
}

const DUAL: &str = "dual coordinate descent, at most 300 passes";

/// One split, and what all its methods share.
pub(super) struct Trial<'a> {
    pub(super) study: &'a Study,
    pub(super) unit: &'a Unit<'a>,
    /// Training, validation and test rows.
    pub(super) parts: [Raw; 3],
    pub(super) labels: usize,
}

/// A representation's result, and the parameters it has.
struct Cell {
    parameters: String,
    chosen: Chosen,
}

impl<'a> Trial<'a> {
    pub(super) fn new(study: &'a Study, set: &DataSet, unit: &'a Unit<'a>) -> Result<Self> {
        if study.measure == Measure::Accuracy && set.label_names.len() != 2 {
            bail!("this protocol needs two classes, but there are {}", set.label_names.len());
        }
        let labels = if study.measure == Measure::Accuracy { 1 } else { set.label_names.len() };
        let parts = parts(set, study.training, study.terms, study.measure, unit.draw)?;
        Ok(Trial { study, unit, parts, labels })
    }

    /// How many training rows are labelled.
    pub(super) fn labelled(&self, share: f64) -> usize {
        ((share * self.study.training as f64).round() as usize).max(2)
    }

    /// Principal components and KL-NMF, for every share of labels.
    fn unguided(&self) -> Result<Vec<Row>> {
        let pca_group = self.unit.group == "pca";
        let (name, solver) = if pca_group { ("pca", DUAL.into()) } else { ("kl-nmf", self.solver("mu")) };
        let mut cells: Vec<Vec<Cell>> = self.study.shares.iter().map(|_| Vec::new()).collect();
        for &rank in self.study.ranks {
            let codes = if pca_group {
                self.principal(rank)?
            } else {
                let model = Model::nmf().with_loss(Loss::KullbackLeibler)?;
                self.codes(&self.fit(&model, rank, SolverChoice::Auto)?)?
            };
            for ((share, _), cells) in self.study.shares.iter().zip(&mut cells) {
                let chosen = self.classify_codes(&codes, self.labelled(*share))?;
                cells.push(Cell { parameters: format!("r = {rank}"), chosen });
            }
        }
        let mut rows = Vec::new();
        for ((_, case), cells) in self.study.shares.iter().zip(cells) {
            let found = self.rows_of(name, "r on validation rows", &cells, &solver);
            rows.extend(found.into_iter().map(|row| row.of(Case::new(*case))));
        }
        Ok(rows)
    }

    fn ssnmf(&self, labelled: usize) -> Result<Vec<Row>> {
        let labels = self.labels_of(labelled)?;
        let mut cells = Vec::new();
        for &rank in self.study.ranks {
            for &weight in self.study.label_weights {
                // σ enters squared.
                let strength = Strength::of_sigma(f64::sqrt(weight));
                let model = Model::ssnmf(Advice::labels(labels.clone()).with_strength(strength));
                let fitted = self.fit(&model, rank, SolverChoice::Mu)?;
                let chosen = self.classify_codes(&self.codes(&fitted)?, labelled)?;
                cells.push(Cell { parameters: format!("r = {rank}, weight = {weight}"), chosen });
            }
        }
        Ok(self.rows_of("ssnmf", "r and weight on validation rows", &cells, &self.solver("mu")))
    }

    fn cnmf(&self, labelled: usize) -> Result<Vec<Row>> {
        if labelled == self.study.training {
            // One row a class would be left to factor.
            return Ok(Vec::new());
        }
        let labels = self.labels_of(labelled)?;
        let mut cells = Vec::new();
        for &rank in self.study.ranks {
            let fitted = self.fit(&Model::cnmf(labels.clone()), rank, SolverChoice::Mu)?;
            let chosen = self.classify_codes(&self.codes(&fitted)?, labelled)?;
            cells.push(Cell { parameters: format!("r = {rank}"), chosen });
        }
        Ok(self.rows_of("cnmf", "r on validation rows", &cells, &self.solver("mu")))
    }

    fn alpha(&self, labelled: usize) -> Result<Vec<Row>> {
        let support = self.support(labelled, SUPPORT_COST * self.raw(labelled)?.cost)?;
        let mut cells = Vec::new();
        for &rank in self.study.ranks {
            for &mass in self.study.masses {
                let options = self.alpha_options(&support, mass);
                let chosen = self.classify_codes(&self.codes(&self.fit_alpha(options, rank)?)?, labelled)?;
                cells.push(Cell { parameters: format!("r = {rank}, rho = {mass}"), chosen });
            }
        }
        let mut rows = self.rows_of("nmf-alpha", "r and rho on validation rows", &cells, &self.solver("mu"));
        let lambda = self.alpha_options(&support, 1.0).discriminative_weight;
        rows.iter_mut().for_each(|row| row.detail += &format!(", lambda = {lambda:.2e}·rho"));
        Ok(rows)
    }

    /// Machines on the raw rows.
    pub(super) fn raw(&self, labelled: usize) -> Result<Chosen> {
        self.classify(self.parts.each_ref().map(|p| &p.classified as _), labelled)
    }

    pub(super) fn classify_codes(&self, codes: &[Matrix<f64>; 3], labelled: usize) -> Result<Chosen> {
        let length = |row: &[f64]| row.iter().map(|value| value * value).sum::<f64>().sqrt();
        let each = |codes: &Matrix<f64>| -> Matrix<f64> {
            let mut unit = codes.clone();
            for i in 0..unit.rows() {
                let own = length(unit.row(i));
                if own > 0.0 {
                    unit.row_mut(i).iter_mut().for_each(|value| *value /= own);
                }
            }
            unit
        };
        let units = (self.study.terms != Terms::AsTheyCome).then(|| codes.each_ref().map(each));
        let [training, validation, test] = units.as_ref().unwrap_or(codes);
        let scale = unit_scale((0..training.rows()).map(|i| length(training.row(i))));
        let of = |codes| features(codes, scale, self.study.measure);
        let (training, validation, test) = (of(training)?, of(validation)?, of(test)?);
        self.classify([&training, &validation, &test], labelled)
    }

    pub(super) fn classify(&self, rows: [&dyn DataMatrix<f64>; 3], labelled: usize) -> Result<Chosen> {
        let part = |at: usize| Part { rows: rows[at], truth: &self.parts[at].truth };
        let parts = [&part(0), &part(1), &part(2)];
        choose_cost(parts, labelled, self.labels, self.study.measure, self.study.loss, &COSTS)
    }

    /// The class of a row of a part.
    fn class(&self, at: usize, sample: usize) -> i32 {
        let truth = &self.parts[at].truth[sample * self.labels..(sample + 1) * self.labels];
        let first = truth.iter().position(|is| *is);
        // Two classes are one yes or no.
        if self.labels == 1 { i32::from(truth[0]) } else { first.map_or(-1, |class| class as i32) }
    }

    pub(super) fn labels_of(&self, labelled: usize) -> Result<Labels> {
        let given = |i: usize| if i < labelled { self.class(0, i) } else { -1 };
        let given: Vec<i32> = (0..self.study.training).map(given).collect();
        Ok(Labels::from_integers(&given)?)
    }

    /// In %, of classes by their place in `labels`.
    pub(super) fn share_right(&self, at: usize, said: &[usize], labels: &Labels) -> f64 {
        let right = (0..said.len()).filter(|i| labels.names()[said[*i]] == self.class(at, *i).to_string());
        100.0 * right.count() as f64 / said.len() as f64
    }

    /// |a − b|/(a + b) of components' inner products with the class means of labelled training rows of two classes, averaged.
    pub(super) fn one_against_the_other(&self, components: &[Vec<f64>], labelled: usize) -> f64 {
        let inner = |component: &[f64], class: i32| {
            let own = (0..labelled).filter(|i| self.class(0, *i) == class);
            let products = own.map(|i| {
                let (columns, values) = self.parts[0].rows.row(i);
                let of = |(j, v): (&u32, &f32)| f64::from(*v) * component[*j as usize];
                columns.iter().zip(values).map(of).sum::<f64>()
            });
            let (count, sum) = products.fold((0.0, 0.0), |(n, sum), product| (n + 1.0, sum + product));
            sum / f64::max(count, 1.0)
        };
        let apart = |component: &Vec<f64>| {
            let (a, b) = (inner(component, 0), inner(component, 1));
            if a + b > 0.0 { (a - b).abs() / (a + b) } else { 0.0 }
        };
        components.iter().map(apart).sum::<f64>() / components.len().max(1) as f64
    }

    /// A row a cell, and one of the best on validation rows.
    fn rows_of(&self, name: &str, choice: &str, cells: &[Cell], solver: &str) -> Vec<Row> {
        let mut rows: Vec<Row> = cells
            .iter()
            .map(|cell| self.row(&format!("{name}, {}", cell.parameters), &cell.chosen, "", solver))
            .collect();
        // The first of equals.
        let better = |best: &Cell, cell: &Cell| cell.chosen.validation > best.chosen.validation;
        let best = cells.iter().reduce(|best, cell| if better(best, cell) { cell } else { best });
        rows.extend(
            best.map(|best| self.row(&format!("{name}, {choice}"), &best.chosen, &best.parameters, solver)),
        );
        rows
    }

    pub(super) fn row(&self, method: &str, chosen: &Chosen, detail: &str, solver: &str) -> Row {
        let cost = if chosen.cost.is_nan() { String::new() } else { format!("C = {}", chosen.cost) };
        let separator = if detail.is_empty() || cost.is_empty() { "" } else { ", " };
        let row = self.unit.row(method).noting(format!("{detail}{separator}{cost}"));
        row.by(solver).with([("test", chosen.test), ("validation", chosen.validation)])
    }

    pub(super) fn solver(&self, name: &str) -> String {
        format!("{name}, {} iterations; {DUAL}", self.study.iterations)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::protocols::{Extent, Library};

    /// 4 against 9 (or even against large) of the built-in digits: two parts of the same rows that every draw
    /// splits.
    struct Digits;

    impl Library for Digits {
        fn data_set(&self, name: &str) -> Result<Arc<DataSet>> {
            assert_eq!(name, "digits");
            let digits = partwise_io::digits();
            let kept: Vec<usize> =
                (0..digits.n_samples()).filter(|i| matches!(digits.labels[*i], 4 | 9)).collect();
            let mut set = DataSet::of_digits(&kept);
            let nine = |&i: &usize| vec![u32::from(digits.labels[i] == 9)];
            set.labels = kept.iter().map(nine).collect();
            set.label_names = vec!["4".into(), "9".into()];
            let part = |place: usize| if place.is_multiple_of(3) { "test" } else { "train" };
            set.parts = (0..kept.len()).map(|place| part(place).into()).collect();
            Ok(Arc::new(set))
        }
    }

    static SMALL: Study = Study {
        set: "digits",
        measure: Measure::Accuracy,
        loss: SvmLoss::Hinge,
        terms: Terms::AsTheyCome,
        training: 140,
        shares: &[(0.1, "10 %"), (1.0, "100 %")],
        ranks: &[4, 8],
        masses: &[1.0],
        label_weights: &[1.0],
        transductive_costs: &[10.0],
        iterations: 60,
        encoding_steps: 40,
    };

    fn trial(study: &Study, group: &str, case: &str, draw: u64) -> Vec<Row> {
        let case = Case::new(case);
        let unit = Unit { library: &Digits, extent: Extent::Full, case: &case, group, draw };
        run(study, &unit).unwrap().rows
    }

    #[test]
    fn every_method_classifies_digits_and_the_better_parameters_are_those_of_validation_rows() {
        let expected = [
            ("raw", 1, 1),
            ("tsvm", 1, 0),
            ("lda", 1, 1),
            ("ssnmf", 3, 3),
            ("cnmf", 3, 0),
            ("nmf-alpha", 3, 3),
            ("constrained-k-means", 1, 1),
        ];
        for (group, few, all) in expected {
            for (case, count) in [("10 %", few), ("100 %", all)] {
                let rows = trial(&SMALL, group, case, 0);
                assert_eq!(rows.len(), count, "{group}, {case}");
                for row in &rows {
                    // Chance is 50 %.
                    let test = row.score("test").unwrap();
                    assert!(test > 70.0 && test <= 100.0 && row.case.name == case, "{row:?}");
                }
                if let [first, second, chosen] = &rows[..] {
                    let best = first.score("validation").unwrap().max(second.score("validation").unwrap());
                    assert_eq!(chosen.score("validation"), Some(best), "{group}");
                    assert!(chosen.method.ends_with("on validation rows") && chosen.detail.contains("r = "));
                }
            }
        }
    }

    #[test]
    fn codes_that_no_label_enters_are_computed_once_for_every_share() {
        for group in ["pca", "nmf"] {
            let rows = trial(&SMALL, group, "10 %", 1);
            assert_eq!(rows.len(), 2 * 3, "{group}");
            assert!(rows[..3].iter().all(|row| row.case.name == "10 %"), "{rows:?}");
            assert!(rows[3..].iter().all(|row| row.case.name == "100 %"), "{rows:?}");
            assert!(rows.iter().all(|row| row.score("test").unwrap() > 70.0), "{rows:?}");
            assert!(trial(&SMALL, group, "100 %", 1).is_empty());
        }
    }

    #[test]
    fn label_sets_are_classified_with_a_bias_and_classes_by_the_largest_value() {
        for (measure, terms) in [(Measure::AverageF, Terms::AsTheyCome), (Measure::Classes, Terms::TfIdf)] {
            let study = Study { measure, terms, ranks: &[8], ..SMALL };
            for group in ["raw", "nmf-alpha"] {
                let rows = trial(&study, group, "100 %", 0);
                assert!(rows.iter().all(|row| row.score("test").unwrap() > 85.0), "{rows:?}");
            }
        }
    }
}
