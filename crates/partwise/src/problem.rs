//! [`Problem`]: data, model and settings, checked together. Once it exists, nothing inside is checked again.
//!
//! Hard labels and row weights are dealt with here, by a change of variables on the rows (METHODS R1, R2):
//!
//! ```text
//! working row q:   x̃_q = s_q·Σ_{i in q} x_i,   z̃_q = t_q·z_q,   w_i = z_q(i)
//! CNMF, Frobenius: s = n_q^-½, t = n_q^½     ‖X − AZH‖² = ‖X̃ − Z̃H‖² + (‖X‖² − ‖X̃‖²)
//! CNMF, KL:        s = 1,      t = n_q       D(X‖AZH) = D(X̃‖Z̃H) + Σ x ln x − Σ x̃ ln x̃ + Σ x̃ ln n_q
//! NCW:             s = t = γ_i^½
//! ```

use crate::data::{DataMatrix, RowGroups};
use crate::error::{Error, Result};
use crate::factors::{Factors, Slot};
use crate::init;
use crate::linalg::Matrix;
use crate::losses::Loss;
use crate::models::{Model, Shape, Tying};
use crate::real::Real;
use crate::settings::{Init, Settings};
use crate::solvers::SolverSpec;
use crate::terms::{ComponentPenalty, Contribution, ProductRidge, ProductSparsity, Ridge, Sparsity};

/// A policy that was applied or a fact that the user should know. `code` is stable, `message` a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// A short stable name ("zero-rows").
    pub code: &'static str,
    /// What happened, with the numbers.
    pub message: String,
}

/// Data as the loop sees them: the caller's, or merged and scaled rows.
enum Working<'a, T> {
    Caller(&'a dyn DataMatrix<T>),
    Merged(Box<dyn DataMatrix<T>>),
}

/// The change of variables on the rows.
#[derive(Clone, Debug)]
pub(crate) struct TiedRows {
    /// Working row of each sample.
    pub(crate) group: Vec<u32>,
    /// First sample of each working row.
    pub(crate) first_sample: Vec<u32>,
    /// Samples in each working row.
    pub(crate) count: Vec<f64>,
    /// t of each working row.
    pub(crate) codes_scale: Vec<f64>,
}

/// Data + model + settings, checked and merged.
pub struct Problem<'a, T> {
    original: &'a dyn DataMatrix<T>,
    working: Working<'a, T>,
    pub(crate) tied: Option<TiedRows>,
    pub(crate) loss: Loss,
    pub(crate) contributions: Vec<Contribution<T>>,
    /// Half objective of the original data minus that of the working data, at equal W·H.
    pub(crate) merge_constant: f64,
    pub(crate) order: Vec<Slot>,
    pub(crate) solver: &'static SolverSpec,
    pub(crate) inner_steps: Option<usize>,
    pub(crate) init: &'static str,
    pub(crate) notices: Vec<Notice>,
}

impl<'a, T: Real> Problem<'a, T> {
    /// Checks data, model and settings together, merges tied rows, and draws the start.
    ///
    /// # Errors
    /// Every fault of the three, before anything is computed.
    pub fn new(
        data: &'a dyn DataMatrix<T>,
        model: &Model,
        settings: &Settings,
    ) -> Result<(Self, Factors<T>)> {
        settings.validate()?;
        check_data(data, true)?;
        let shape = Shape { samples: data.n_samples(), features: data.n_features(), rank: settings.rank };
        let mut notices = data_notices(data);
        check_labels(model, shape, &mut notices)?;
        let solver = settings.solver.resolve(model.loss)?;
        let tied = tie_rows(data, model);
        let (working, merge_constant) = match &tied {
            None => (Working::Caller(data), 0.0),
            Some((tied, scale)) => {
                let groups = RowGroups { group: tied.group.clone(), scale: scale.clone() };
                let merged = data.grouped(&groups);
                let constant = merge_constant(data, merged.as_ref(), model, tied);
                (Working::Merged(merged), constant)
            }
        };
        let tied = tied.map(|(tied, _)| tied);
        let mut contributions: Vec<Contribution<T>> =
            (model.spec.terms)(&model.knowledge, shape)?.iter().map(cast_contribution).collect();
        contributions.extend(penalties(settings, shape, tied.as_ref())?);
        check_pairing(solver, model, &contributions)?;
        let init = resolve_init(settings, model, &mut notices)?;
        if init == Init::Nndsvd && solver.zeros_stay {
            return Err(Error::Incompatible {
                asked: "the start \"nndsvd\" with multiplicative updates".into(),
                reason: "it has exact zeros, which multiplicative updates keep for ever".into(),
                valid: vec!["start nndsvda".into(), "start nndsvdar".into(), "start random".into()],
            });
        }
        if settings.rank > shape.samples.min(shape.features) {
            notices.push(Notice {
                code: "large-rank",
                message: format!(
                    "rank k = {} is larger than min(n, d) = {}: the parts can't be unique",
                    settings.rank,
                    shape.samples.min(shape.features)
                ),
            });
        }
        let first =
            settings.first.unwrap_or(if init == Init::Labels { Slot::Codes } else { Slot::Components });
        let mut problem = Problem {
            original: data,
            working,
            tied,
            loss: model.loss,
            contributions,
            merge_constant,
            order: vec![first, first.other()],
            solver,
            inner_steps: settings.inner_steps,
            init: init.name(),
            notices: Vec::new(),
        };
        let start = init::start(&problem, model, settings, &init, &mut notices)?;
        problem.notices = notices;
        check_start(&mut problem, &start, &init)?;
        Ok((problem, start))
    }

    /// One factor is held, the other is solved for: `held` (n × k codes, or d × k transposed components).
    pub(crate) fn with_held(
        data: &'a dyn DataMatrix<T>,
        loss: Loss,
        held: (Slot, Matrix<T>),
        penalty: Option<ComponentPenalty<T>>,
        settings: &Settings,
    ) -> Result<(Self, Factors<T>)> {
        settings.validate()?;
        let solver = settings.solver.resolve(loss)?;
        check_data(data, solver.needs_non_negative)?;
        let (slot, factor) = held;
        let (expected, what) = match slot {
            Slot::Codes => (data.n_samples(), "the held codes (n x k)"),
            Slot::Components => (data.n_features(), "the held components (k x d)"),
        };
        if factor.rows() != expected || factor.columns() != settings.rank {
            return Err(Error::Shape {
                what: what.into(),
                expected: format!(
                    "k = {} with {expected} {}",
                    settings.rank,
                    if slot == Slot::Codes { "samples" } else { "features" }
                ),
                found: format!("k = {} with {}", factor.columns(), factor.rows()),
            });
        }
        if solver.needs_non_negative {
            check_non_negative(what, &factor)?;
        }
        let mut problem = Problem {
            original: data,
            working: Working::Caller(data),
            tied: None,
            loss,
            contributions: penalty.into_iter().map(Contribution::ComponentPenalty).collect(),
            merge_constant: 0.0,
            order: vec![slot.other()],
            solver,
            inner_steps: settings.inner_steps,
            init: "random",
            notices: data_notices(data),
        };
        let solved = init::random_factor(&problem, slot.other(), settings);
        let factors = match slot {
            Slot::Codes => Factors::new(factor, solved),
            Slot::Components => Factors::new(solved, factor),
        };
        check_start(&mut problem, &factors, &Init::Random)?;
        Ok((problem, factors))
    }

    /// The data that the loop works on.
    pub fn data(&self) -> &dyn DataMatrix<T> {
        match &self.working {
            Working::Caller(data) => *data,
            Working::Merged(data) => data.as_ref(),
        }
    }

    /// The caller's data.
    pub fn original(&self) -> &'a dyn DataMatrix<T> {
        self.original
    }

    /// Bytes of the merged rows (0 when nothing was merged).
    pub(crate) fn merged_bytes(&self) -> usize {
        match &self.working {
            Working::Caller(_) => 0,
            Working::Merged(data) => data.owned_bytes(),
        }
    }

    /// Whether the objective on the caller's data is that of the working data plus a constant (labels), so that it can be
    /// computed exactly there; false for weighted rows, whose objective is that of the working data.
    pub(crate) fn is_merged(&self) -> bool {
        self.tied.as_ref().is_some_and(|t| t.count.iter().any(|c| *c > 1.0))
    }

    /// W (n × k) from the working codes.
    pub(crate) fn untie(&self, codes: &Matrix<T>) -> Matrix<T> {
        let Some(tied) = &self.tied else { return codes.clone() };
        let row = |i: usize, j: usize| {
            let q = tied.group[i] as usize;
            let scale = tied.codes_scale[q];
            if scale > 0.0 { T::from_f64(codes.get(q, j).to_f64() / scale) } else { T::ZERO }
        };
        Matrix::from_fn(tied.group.len(), codes.columns(), row)
    }

    /// Working rows: their first samples, and t.
    pub(crate) fn row_origin(&self, row: usize) -> (usize, f64) {
        match &self.tied {
            None => (row, 1.0),
            Some(tied) => (tied.first_sample[row] as usize, tied.codes_scale[row]),
        }
    }
}

/// Refuses faulty entries. Negative ones are allowed in squared-loss solves with a factor held.
fn check_data<T: Real>(data: &dyn DataMatrix<T>, non_negative: bool) -> Result<()> {
    let summary = data.summary();
    if let Some(first) = summary.first_not_finite {
        return Err(Error::NotFinite {
            what: "the data".into(),
            nan: summary.nan,
            infinite: summary.infinite,
            first,
        });
    }
    match summary.first_negative {
        Some((row, column, value)) if non_negative => Err(Error::Negative {
            what: "the data".into(),
            count: summary.negative,
            first: (row, column),
            value,
        }),
        _ => Ok(()),
    }
}

/// Refuses negative or non-finite entries of a matrix.
pub(crate) fn check_non_negative<T: Real>(what: &str, matrix: &Matrix<T>) -> Result<()> {
    let place = |at: usize| (at / matrix.columns(), at % matrix.columns());
    let values = matrix.as_slice();
    if let Some(at) = values.iter().position(|v| !v.is_finite()) {
        let nan = values.iter().filter(|v| v.to_f64().is_nan()).count();
        let infinite = values.iter().filter(|v| v.to_f64().is_infinite()).count();
        return Err(Error::NotFinite { what: what.into(), nan, infinite, first: place(at) });
    }
    match values.iter().position(|v| *v < T::ZERO) {
        None => Ok(()),
        Some(at) => Err(Error::Negative {
            what: what.into(),
            count: values.iter().filter(|v| **v < T::ZERO).count(),
            first: place(at),
            value: values[at].to_f64(),
        }),
    }
}

/// "3, 17, 20 and 4 more".
fn list_indices(indices: &[usize]) -> String {
    const SHOWN: usize = 10;
    let shown: Vec<String> = indices.iter().take(SHOWN).map(usize::to_string).collect();
    match indices.len().checked_sub(SHOWN) {
        Some(more) if more > 0 => format!("{} and {more} more", shown.join(", ")),
        _ => shown.join(", "),
    }
}

fn data_notices<T: Real>(data: &dyn DataMatrix<T>) -> Vec<Notice> {
    let summary = data.summary();
    let mut notices = Vec::new();
    for (code, what, indices) in [
        ("zero-rows", "samples without a non-zero entry", &summary.zero_rows),
        ("zero-columns", "features without a non-zero entry", &summary.zero_columns),
    ] {
        if !indices.is_empty() {
            notices.push(Notice {
                code,
                message: format!(
                    "{} {what} (kept; their factor rows become 0): {}",
                    indices.len(),
                    list_indices(indices)
                ),
            });
        }
    }
    notices
}

fn check_labels(model: &Model, shape: Shape, notices: &mut Vec<Notice>) -> Result<()> {
    let Some(labels) = &model.knowledge.labels else { return Ok(()) };
    if labels.n_samples() != shape.samples {
        return Err(Error::Labels(format!(
            "there are {} labels for {} samples; one for each sample is needed (-1 for unlabelled)",
            labels.n_samples(),
            shape.samples
        )));
    }
    if labels.n_labelled() == 0 {
        notices.push(Notice {
            code: "no-labels",
            message: "no sample is labelled; the labels guide nothing".into(),
        });
    } else if model.spec.tying == Tying::Labels {
        let single: Vec<String> = labels
            .counts()
            .iter()
            .zip(labels.names())
            .filter(|(count, _)| **count == 1)
            .map(|(_, name)| name.clone())
            .collect();
        if !single.is_empty() {
            let all = if single.len() == labels.n_classes() {
                format!("; since no class has two, {} is exactly NMF here", model.spec.title)
            } else {
                String::new()
            };
            notices.push(Notice {
                code: "single-label",
                message: format!(
                    "{} of {} classes have one labelled sample, which constrains nothing in {}: {}{all}",
                    single.len(),
                    labels.n_classes(),
                    model.spec.title,
                    single.join(", ")
                ),
            });
        }
    }
    Ok(())
}

/// The change of variables of the model, with s of each working row; `None` when it changes nothing.
fn tie_rows<T: Real>(data: &dyn DataMatrix<T>, model: &Model) -> Option<(TiedRows, Vec<f64>)> {
    match (model.spec.tying, &model.knowledge.labels) {
        (Tying::Labels, Some(labels)) if labels.n_labelled() > 0 => {
            let group = labels.constraint_columns();
            let rows = *group.iter().max()? as usize + 1;
            let (mut count, mut first_sample) = (vec![0.0; rows], vec![u32::MAX; rows]);
            for (i, &q) in group.iter().enumerate() {
                count[q as usize] += 1.0;
                first_sample[q as usize] = first_sample[q as usize].min(i as u32);
            }
            let (scale, codes_scale) = match model.loss {
                Loss::Frobenius => {
                    (count.iter().map(|n| 1.0 / n.sqrt()).collect(), count.iter().map(|n| n.sqrt()).collect())
                }
                Loss::KullbackLeibler => (vec![1.0; rows], count.clone()),
            };
            Some((TiedRows { group, first_sample, count, codes_scale }, scale))
        }
        (Tying::NormalizedCut, _) => {
            let column_sums = &data.summary().column_sums;
            let n = data.n_samples();
            let mut row = vec![0.0; data.n_features()];
            let roots: Vec<f64> = (0..n)
                .map(|i| {
                    row.fill(0.0);
                    data.add_row(i, 1.0, &mut row);
                    let degree: f64 = row.iter().zip(column_sums).map(|(x, s)| x * s).sum();
                    if degree > 0.0 { 1.0 / degree.sqrt() } else { 0.0 }
                })
                .collect();
            let identity: Vec<u32> = (0..n as u32).collect();
            let tied = TiedRows {
                group: identity.clone(),
                first_sample: identity,
                count: vec![1.0; n],
                codes_scale: roots.clone(),
            };
            Some((tied, roots))
        }
        _ => None,
    }
}

/// See the module's table.
fn merge_constant<T: Real>(
    original: &dyn DataMatrix<T>,
    merged: &dyn DataMatrix<T>,
    model: &Model,
    tied: &TiedRows,
) -> f64 {
    match (model.spec.tying, model.loss) {
        (Tying::Labels, Loss::Frobenius) => {
            0.5 * (original.summary().squared_norm - merged.summary().squared_norm)
        }
        (Tying::Labels, Loss::KullbackLeibler) => {
            let counts: f64 =
                tied.count.iter().zip(&merged.summary().row_sums).map(|(n, sum)| sum * n.ln()).sum();
            entropy(original) - entropy(merged) + counts
        }
        _ => 0.0,
    }
}

/// Σ x ln x.
fn entropy<T: Real>(data: &dyn DataMatrix<T>) -> f64 {
    let ones = |rows| Matrix::from_fn(rows, 1, |_, _| T::ONE);
    let (u, v) = (ones(data.n_samples()), ones(data.n_features()));
    data.sample_chunks().into_iter().map(|chunk| data.log_divergence(chunk, &u, &v)).sum()
}

/// The penalties of the settings. See [`Settings::l1`].
fn penalties<T: Real>(
    settings: &Settings,
    shape: Shape,
    tied: Option<&TiedRows>,
) -> Result<Vec<Contribution<T>>> {
    // W = Z̃/t on tied rows: Σ|W| = Σ (n/t)|z̃|, Σ W² = Σ (n/t²) z̃².
    let rows = |power: i32| -> Option<Vec<T>> {
        let tied = tied?;
        let multiplier = |(n, t): (&f64, &f64)| if *t > 0.0 { n / t.powi(power) } else { 0.0 };
        Some(tied.count.iter().zip(&tied.codes_scale).map(multiplier).map(T::from_f64).collect())
    };
    let (l1, l2) = (settings.l1, settings.l2);
    let on_codes = l1.0 > 0.0 || l2.0 > 0.0;
    let on_components = l1.1 > 0.0 || l2.1 > 0.0;
    let one_sided = on_codes != on_components;
    let mut out = Vec::new();
    for (slot, size, l1, l2) in
        [(Slot::Codes, shape.features, l1.0, l2.0), (Slot::Components, shape.samples, l1.1, l2.1)]
    {
        let is_codes = slot == Slot::Codes;
        let (l1, l2) = (T::from_f64(l1 * size as f64), T::from_f64(l2 * size as f64));
        if l1 > T::ZERO {
            let rows = if is_codes { rows(1) } else { None };
            out.push(match one_sided {
                true => Contribution::ProductSparsity(ProductSparsity { slot, weight: l1, rows }),
                false => Contribution::Sparsity(Sparsity { slot, weight: l1, rows }),
            });
        }
        if l2 > T::ZERO {
            let weighted = tied.is_some_and(|t| t.count.iter().zip(&t.codes_scale).any(|(n, s)| *n != s * s));
            let rows = if is_codes && weighted { rows(2) } else { None };
            if weighted && one_sided {
                return Err(Error::Incompatible {
                    asked: format!("an L2 penalty on the {} alone", slot.name()),
                    reason: "on weighted rows (ncw-nmf, cnmf with the kullback-leibler loss) its scale-free form is not a ridge".into(),
                    valid: vec!["L2 on both factors".into(), "L1".into()],
                });
            }
            out.push(match one_sided {
                true => Contribution::ProductRidge(ProductRidge { slot, weight: l2 }),
                false => Contribution::Ridge(Ridge { slot, weight: l2, rows }),
            });
        }
    }
    Ok(out)
}

fn cast_contribution<T: Real>(contribution: &Contribution<f64>) -> Contribution<T> {
    match contribution {
        Contribution::RowAnchor(t) => Contribution::RowAnchor(t.cast()),
        Contribution::ComponentAnchor(t) => Contribution::ComponentAnchor(t.cast()),
        other => unreachable!("models are built from anchors, not from {other:?}"),
    }
}

/// Refuses what the solver can't serve.
fn check_pairing<T: Real>(
    solver: &SolverSpec,
    model: &Model,
    contributions: &[Contribution<T>],
) -> Result<()> {
    let groups = contributions.iter().any(|c| Slot::ALL.iter().any(|s| c.row_groups(*s).is_some()));
    if groups && solver.needs_non_negative {
        return Err(Error::Incompatible {
            asked: format!("solver \"{}\" for {} with a joint scale", solver.name, model.spec.title),
            reason: "its Gram has negative entries, on which multiplicative updates are not valid".into(),
            valid: vec![
                "solver hals".into(),
                "solver bpp".into(),
                "solver nesterov".into(),
                "the alternating scale".into(),
            ],
        });
    }
    Ok(())
}

fn resolve_init(settings: &Settings, model: &Model, notices: &mut Vec<Notice>) -> Result<Init> {
    let classes = model.knowledge.labels.as_ref().map_or(0, |l| l.n_classes());
    let enough = classes > 0 && settings.rank >= classes;
    match &settings.init {
        Init::Auto if enough => Ok(Init::Labels),
        Init::Auto => {
            if classes > 0 {
                notices.push(Notice {
                    code: "start-without-labels",
                    message: format!(
                        "rank k = {} is below the number of classes, {classes}: the start is random instead of label-aware",
                        settings.rank
                    ),
                });
            }
            Ok(Init::Random)
        }
        Init::Labels if classes == 0 => Err(Error::MissingGuidance {
            model: "the label-aware start".into(),
            needs: "labels with at least one labelled sample".into(),
        }),
        Init::Labels if !enough => Err(Error::OutOfRange {
            name: "rank k".into(),
            value: settings.rank.to_string(),
            valid: format!("at least {classes}, the number of classes, for the label-aware start"),
        }),
        other => Ok(other.clone()),
    }
}

/// Refuses a start from which the Kullback-Leibler divergence is infinite; reports zeros that would stay.
fn check_start<T: Real>(problem: &mut Problem<'_, T>, start: &Factors<T>, init: &Init) -> Result<()> {
    if matches!(init, Init::Custom { .. }) && problem.solver.zeros_stay {
        for slot in Slot::ALL {
            let zeros = start.get(slot).as_slice().iter().filter(|v| **v == T::ZERO).count();
            if zeros > 0 {
                problem.notices.push(Notice {
                    code: "zeros-in-start",
                    message: format!(
                        "the {} of the start hold {zeros} zeros, which multiplicative updates keep for ever; solvers hals, bpp and nesterov can leave them",
                        slot.name()
                    ),
                });
            }
        }
    }
    if problem.loss == Loss::KullbackLeibler {
        let data = problem.data();
        let (codes, components) = (start.get(Slot::Codes), start.get(Slot::Components));
        for chunk in data.sample_chunks() {
            let rows = chunk.clone();
            if data.log_divergence(chunk, codes, components).is_infinite() {
                return Err(Error::Start(format!(
                    "W*H is 0 where the data are not (in rows {}..{}), so the Kullback-Leibler divergence is infinite; give a start with positive entries",
                    rows.start, rows.end
                )));
            }
        }
    }
    Ok(())
}
