//! One factor with the other fixed: [`solve`], and [`Fit::transform`] for the codes of new rows. The same
//! loop, solver and stop rule as a fit; only the order of slots has one entry.

use super::{Fit, memory, run};
use crate::data::range::{divisor, safe_range};
use crate::data::{DataMatrix, DataSize};
use crate::engine::losses::Loss;
use crate::engine::{Factors, Observer, Settings, Slot, Smoothing, SolverChoice, silent};
use crate::foundation::checks::{check_non_negative, check_weights};
use crate::foundation::{Error, Matrix, Notice, Real, Result, once};
use crate::kernels::symmetric_eigen;
use crate::problem::{
    FixedUnits, Problem, check_feature_weights, feature_scale, scaled_data, scaled_rows, times,
};
use crate::terms::ComponentPenalty;

/// The penalties on the codes as the fit left them: what is needed, beside the components, to encode new rows
/// as the unguided rows of the fit were.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoding {
    /// Ridge of each component (k), for the half objective.
    pub ridge: Vec<f64>,
    /// Linear penalty of each component (k), for the half objective.
    pub linear: Vec<f64>,
    /// θ of the smoothing link S between codes and components, in [0, 1]; 0 = none.
    pub smoothing: f64,
    /// How much each feature (d) counts, ≥ 0; 1 when absent. See
    /// [`Advice::FeatureWeights`](crate::guidance::Advice::FeatureWeights).
    pub feature_weights: Option<Vec<f64>>,
}

impl Encoding {
    /// No penalties.
    pub fn plain(rank: usize) -> Self {
        Encoding { ridge: vec![0.0; rank], linear: vec![0.0; rank], smoothing: 0.0, feature_weights: None }
    }

    /// What the penalties of the problem amount to for one row of codes at these factors.
    pub(crate) fn of<T: Real>(problem: &Problem<'_, T>, factors: &Factors<T>) -> Self {
        let k = factors.rank();
        let mut encoding = Encoding::plain(k);
        encoding.smoothing = problem.smoothing.map_or(0.0, |s| s.theta);
        encoding.feature_weights = problem.features.as_ref().map(|features| features.weights.clone());
        let left = problem.contributions.iter().filter_map(|term| term.for_new_rows(factors, problem.loss));
        for penalty in left {
            encoding.ridge.iter_mut().zip(penalty.ridge).for_each(|(all, r)| *all += r);
            encoding.linear.iter_mut().zip(penalty.linear).for_each(|(all, l)| *all += l);
        }
        encoding
    }
}

/// The factor that is fixed in [`solve`].
#[derive(Clone, Copy, Debug)]
pub enum Held<'a, T> {
    /// W (n × k): the components are solved for.
    Codes(&'a Matrix<T>),
    /// H (k × d): the codes are solved for.
    Components(&'a Matrix<T>),
}

once! {
    /// Solves min over one factor of ‖X − WH‖² (or D(X‖WH)) with the other fixed. `settings.rank` must be the
    /// fixed factor's k; the settings' penalties and start are not used, `first` neither.
    ///
    /// With solvers HALS, BPP and Nesterov the data and the fixed factor may have negative entries: it is
    /// then non-negative least squares with any right-hand sides (rows of `data`) and any matrix.
    ///
    /// # Errors
    /// As [`fit`](crate::fit()); [`Error::Shape`] when the fixed factor does not match the data.
    pub fn solve<'a, T>(
        data: &'a dyn DataMatrix<T>,
        held: Held<'a, T>,
        loss: Loss,
        settings: &'a Settings,
    ) -> Result<Fit<T>> = solved;
}

/// The body of [`solve`].
fn solved<T: Real>(
    data: &dyn DataMatrix<T>,
    held: Held<'_, T>,
    loss: Loss,
    settings: &Settings,
) -> Result<Fit<T>> {
    check_memory(data, loss, settings)?;
    let (slot, factor) = match held {
        Held::Codes(codes) => (Slot::Codes, codes.clone()),
        Held::Components(components) => (Slot::Components, components.transposed()),
    };
    let Some(units) = FixedUnits::of(data, &factor, loss) else {
        let (problem, start) = Problem::with_held(data, loss, (slot, factor), None, settings)?;
        return run(&problem, start, settings, &mut silent);
    };
    let divided = units.divide(data);
    let held = (slot, units.divide_factor(&factor));
    let (problem, start) = Problem::with_held(divided.as_ref(), loss, held, None, settings)?;
    let mut found = run(&problem, start, settings, &mut silent)?;
    let given = if slot == Slot::Codes { factor } else { factor.transposed() };
    if slot == Slot::Codes {
        (found.codes, found.components) = (given, times(&found.components, units.of_solved()));
    } else {
        (found.codes, found.components) = (times(&found.codes, units.of_solved()), given);
    }
    found.change_units(units.of_objective(loss));
    Ok(found)
}

/// Refuses what needs more memory than there is.
fn check_memory<T: Real>(data: &dyn DataMatrix<T>, loss: Loss, settings: &Settings) -> Result<()> {
    let size = DataSize::of(data);
    let what =
        format!("one factor of {} x {} with {} components", size.samples, size.features, settings.rank);
    memory::of_solve(size, loss, settings).check(&what, settings.memory_limit)
}

/// The settings to [`encode`] new rows with. [`SolverChoice::Auto`] means the exact codes for the squared
/// loss, and `max_iterations` multiplicative updates for the Kullback–Leibler loss; with a tolerance of 0 the
/// codes of a row then depend on that row alone. Other solvers are used as they are given.
#[doc(hidden)]
pub fn settings_for_new_rows(settings: &Settings, loss: Loss) -> Settings {
    match (settings.solver, loss) {
        // Block pivoting reaches the minimum in one round.
        (SolverChoice::Auto, Loss::Frobenius) => {
            Settings { solver: SolverChoice::Bpp, max_iterations: 1, tolerance: 0.0, ..settings.clone() }
        }
        (SolverChoice::Auto, Loss::KullbackLeibler) => {
            Settings { solver: SolverChoice::Mu, ..settings.clone() }
        }
        _ => settings.clone(),
    }
}

once! {
    /// The codes of new rows for known components, with the penalties that a fit left: the core of
    /// [`Fit::transform`], for models that come from a file. `components` is k × d.
    ///
    /// # Errors
    /// As [`solve`].
    pub fn encode<'a, T>(
        data: &'a dyn DataMatrix<T>,
        components: &'a Matrix<T>,
        encoding: &'a Encoding,
        loss: Loss,
        settings: &'a Settings,
        observer: &'a mut dyn Observer,
    ) -> Result<Fit<T>> = encoded;
}

/// The body of [`encode`].
fn encoded<T: Real>(
    data: &dyn DataMatrix<T>,
    components: &Matrix<T>,
    encoding: &Encoding,
    loss: Loss,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Fit<T>> {
    let k = components.rows();
    if encoding.ridge.len() != k || encoding.linear.len() != k {
        return Err(Error::shape(
            "the penalties of the encoding",
            format!("{k} of each kind, one per component"),
            format!("{} and {}", encoding.ridge.len(), encoding.linear.len()),
        ));
    }
    for (name, values) in [("ridge", &encoding.ridge), ("linear penalty", &encoding.linear)] {
        check_weights(values, |at| format!("the {name} of the encoding, component {at},"))?;
    }
    if !(0.0..=1.0).contains(&encoding.smoothing) {
        return Err(Error::out_of_range("the smoothing of the encoding", encoding.smoothing, "from 0 to 1"));
    }
    check_memory(data, loss, &Settings { rank: k, ..settings.clone() })?;
    check_non_negative("the components", components)?;
    if let Some(weights) = &encoding.feature_weights {
        check_feature_weights(weights, components.columns())?;
        if data.n_features() == components.columns() {
            return encode_weighted(data, components, (encoding, weights), loss, settings, observer);
        }
    }
    if data.n_features() == components.columns()
        && let Some(units) = FixedUnits::of(data, components, loss)
    {
        return encode_divided(data, components, (encoding, units), loss, settings, observer);
    }
    let penalized = encoding.ridge.iter().chain(&encoding.linear).any(|v| *v != 0.0);
    let cast = |values: &[f64]| values.iter().map(|v| T::from_f64(*v)).collect();
    let penalty = penalized.then(|| ComponentPenalty {
        slot: Slot::Codes,
        ridge: cast(&encoding.ridge),
        linear: cast(&encoding.linear),
    });
    let settings = Settings { rank: k, ..settings.clone() };
    let (reduced, notice) = without_unknown_features(data, components, loss).unzip();
    let data = reduced.as_deref().unwrap_or(data);
    let (mut problem, start) =
        Problem::with_held(data, loss, (Slot::Components, components.transposed()), penalty, &settings)?;
    problem.notices.extend(notice);
    problem.smoothing = (encoding.smoothing > 0.0).then_some(Smoothing { theta: encoding.smoothing });
    run(&problem, start, &settings, observer)
}

/// As [`encode`], for data or components whose products leave the range of the number type: both divided by a
/// number of their own.
fn encode_divided<T: Real>(
    data: &dyn DataMatrix<T>,
    components: &Matrix<T>,
    (encoding, units): (&Encoding, FixedUnits),
    loss: Loss,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Fit<T>> {
    let (ridge, linear) = units.penalties(loss);
    let scaled = |values: &[f64], by: f64| {
        values.iter().map(|v| if *v > 0.0 { (v * by).min(f64::MAX) } else { 0.0 }).collect()
    };
    let divided = Encoding {
        ridge: scaled(&encoding.ridge, ridge),
        linear: scaled(&encoding.linear, linear),
        ..encoding.clone()
    };
    let (data, small) = (units.divide(data), units.divide_factor(components));
    let mut found = encode(data.as_ref(), &small, &divided, loss, settings, observer)?;
    found.codes = times(&found.codes, units.of_solved());
    found.components = components.clone();
    found.encoding = encoding.clone();
    found.change_units(units.of_objective(loss));
    Ok(found)
}

/// As [`encode`], with both sides multiplied by what their features count.
fn encode_weighted<T: Real>(
    data: &dyn DataMatrix<T>,
    components: &Matrix<T>,
    (encoding, weights): (&Encoding, &[f64]),
    loss: Loss,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Fit<T>> {
    let scale = feature_scale(weights, loss);
    let scaled = scaled_rows(&components.transposed(), &scale).transposed();
    let plain = Encoding { feature_weights: None, ..encoding.clone() };
    let mut found = encode(scaled_data(data, &scale).as_ref(), &scaled, &plain, loss, settings, observer)?;
    found.components = components.clone();
    found.encoding.feature_weights = Some(weights.to_vec());
    Ok(found)
}

/// The data without the features that no component has though the data do, under the Kullback–Leibler loss:
/// whatever the codes, the divergence there is infinite, so that no codes would be better than others.
/// (Beside the Frobenius loss they cancel by themselves.)
fn without_unknown_features<T: Real>(
    data: &dyn DataMatrix<T>,
    components: &Matrix<T>,
    loss: Loss,
) -> Option<(Box<dyn DataMatrix<T>>, Notice)> {
    if loss != Loss::KullbackLeibler || components.columns() != data.n_features() {
        return None;
    }
    let summary = data.summary();
    let unknown = |j: &usize| {
        summary.column_sums[*j] > 0.0 && (0..components.rows()).all(|c| components.get(c, *j) == T::ZERO)
    };
    let unknown: Vec<usize> = (0..data.n_features()).filter(unknown).collect();
    let (first, lost) = (unknown.first()?, unknown.iter().map(|j| summary.column_sums[*j]).sum::<f64>());
    let message = format!(
        "features that are 0 in every component but not in these data are ignored: {}, the first {first} \
        ({:.2e} of the sum of the data)",
        unknown.len(),
        lost / summary.sum
    );
    Some((data.without_features(&unknown), Notice { code: "unknown-features", message }))
}

impl<T: Real> Fit<T> {
    /// The codes (m × k) of new rows (m × d), without guidance: min over W ≥ 0 with fixed components, by the
    /// solver and stop rule of `settings` (its rank is ignored). Under the Kullback–Leibler loss they start
    /// at the constant 1/k, so that those of a row depend on nothing else, and features that no component has
    /// are left out, with a notice. With a tight tolerance the codes agree with those of the fit's own
    /// unguided rows.
    ///
    /// Every model has it. For symmetric models a new row holds the similarities with the n samples of the
    /// fit (scaled as those were); for NTF a row is an image. What a model knows about its own samples
    /// (labels, a graph, unknown entries) does not extend to new rows: each is encoded as one that nothing is
    /// known about, and all its entries count, as their features do.
    ///
    /// # Errors
    /// [`Error::Shape`] when the number of features differs; faults of the data as in [`fit`](crate::fit()).
    pub fn transform(&self, data: &dyn DataMatrix<T>, settings: &Settings) -> Result<Fit<T>> {
        encode(data, &self.components, &self.encoding, self.loss, settings, &mut silent)
    }

    /// The corrected codes W(HHᵀ)^½ (n × k): their inner products are those of the rows of WH, (WH)(WH)ᵀ, so
    /// distances and margins between rows are those of the approximated data. They may be negative.
    pub fn corrected_codes(&self) -> Matrix<T> {
        let (k, wide) = (self.components.rows(), self.components.cast::<f64>());
        let largest = wide.as_slice().iter().fold(0.0f64, |most, v| most.max(*v));
        let unit = divisor(largest, &safe_range::<f64>());
        let wide = if unit == 1.0 { wide } else { times(&wide, 1.0 / unit) };
        let (values, vectors) = symmetric_eigen(&wide.transposed().gram());
        let roots: Vec<f64> = values.iter().map(|value| value.max(0.0).sqrt()).collect();
        let root = Matrix::from_fn(k, k, |a, b| {
            unit * (0..k).map(|e| vectors.get(a, e) * roots[e] * vectors.get(b, e)).sum::<f64>()
        });
        Matrix::from_fn(self.codes.rows(), k, |i, b| {
            let row = self.codes.row(i).iter();
            T::from_f64(row.enumerate().map(|(a, w)| w.to_f64() * root.get(a, b)).sum())
        })
    }

    /// The penalties that [`encode`] needs beside the components.
    pub fn encoding(&self) -> &Encoding {
        &self.encoding
    }
}
