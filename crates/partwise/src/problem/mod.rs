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

mod acceleration;
mod assembly;
mod checks;
mod features;
mod guided;
mod margins;
mod nothing;
mod seeded;
mod tying;
mod units;
mod working;

pub(crate) use assembly::shape;
use assembly::{contributions, order, rescaling, row_steps, smoothing};
use checks::{
    check_data, check_form, check_kinds, check_labels, check_references, check_size, check_start,
    check_unknown_entries, check_zeros, data_notices, graph_notice, large_rank,
};
use features::{FeatureScale, scaled_guidance, unscaled_rows};
pub(crate) use features::{check_feature_weights, feature_scale, scaled_data, scaled_rows};
pub(crate) use nothing::zero_factors;
use nothing::{absent_features, check_something_counts, empty_items};
pub(crate) use seeded::seeded;
pub(crate) use tying::TiedRows;
use tying::tie_rows;
pub(crate) use units::{FixedUnits, Units, times};
use working::{Original, weighted_entries, working};

use crate::data::DataMatrix;
use crate::engine::losses::Loss;
use crate::engine::quadratic::NEAR_ZERO;
use crate::engine::solvers::{SolverChoice, SolverSpec};
use crate::engine::{Factors, Init, Settings, Slot};
use crate::foundation::checks::{check_finite, check_non_negative};
use crate::foundation::{Error, Matrix, Notice, Real, Result};
use crate::guidance::Plan;
use crate::init;
use crate::methods::{self, Form, Input, Model, Shape, Tying};
use crate::terms::{ComponentPenalty, Contribution, Rescaling, Smoothing};

/// Data + model + settings, checked and merged.
pub struct Problem<'a, T: Real> {
    original: Original<'a, T>,
    /// Merged and weighted rows; the original data when absent.
    working: Option<Box<dyn DataMatrix<T>>>,
    /// How much features count, and what the columns of X and of H are multiplied by in here; 1 when absent.
    pub(crate) features: Option<FeatureScale>,
    pub(crate) tied: Option<TiedRows>,
    pub(crate) loss: Loss,
    pub(crate) contributions: Vec<Contribution<T>>,
    /// Half objective of the original data minus that of the working data, at equal W·H (with weights of entries: of what does not depend
    /// on W·H).
    pub(crate) merge_constant: f64,
    pub(crate) order: Vec<Slot>,
    /// S between the factors.
    pub(crate) smoothing: Option<Smoothing>,
    /// What happens to both factors after each iteration.
    pub(crate) rescaling: Option<Rescaling>,
    /// The share of a gradient solver's step that each working row of codes takes; 1 when absent.
    pub(crate) row_steps: Option<Vec<T>>,
    /// What the half objective is multiplied by to give the published one.
    pub(crate) published_factor: f64,
    /// Whether the start ends with the codes solved at its components.
    pub(crate) solve_codes: bool,
    pub(crate) solver: &'static SolverSpec,
    pub(crate) inner_steps: Option<usize>,
    /// Sweeps of codes and components, where HALS is accelerated.
    pub(crate) accelerated: Option<[usize; 2]>,
    pub(crate) init: &'static str,
    /// The names of the first components, where guidance gives them.
    pub(crate) component_names: Vec<String>,
    pub(crate) notices: Vec<Notice>,
}

/// What guidance comes to on these data, whose features are scaled already.
fn plan<T: Real>(
    data: &dyn DataMatrix<T>,
    model: &Model,
    features: Option<&FeatureScale>,
    shape: Shape,
) -> Result<Option<Plan>> {
    let scale = features.map(|features| features.scale.as_slice());
    let guidance = model.composed().map(|guidance| scaled_guidance(guidance, scale));
    guidance.map(|guidance| Plan::new(&guidance, shape, &|seeds| seeded(data, seeds))).transpose()
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
        check_caller(data, model)?;
        let caller = data;
        let features = features::scale_of(data, model)?;
        let scaled = features.as_ref().map(|features| scaled_data(data, &features.scale));
        let data = scaled.as_deref().unwrap_or(data);
        let weighted = weighted_entries(data, model);
        // What counts nothing has no say in sizes, seeds or starts either.
        let counted = weighted.as_ref().map_or(data, |weighted| weighted.data.as_ref());
        let shape = shape(counted, settings.rank);
        let plan = plan(counted, model, features.as_ref(), shape)?;
        let mut notices = data_notices(caller);
        notices.extend(features::ignored_features(features.as_ref()));
        notices.extend(plan.iter().flat_map(|plan| plan.notices.clone()));
        notices.extend(empty_items(model));
        notices.extend(absent_features(model, plan.as_ref(), &caller.summary().zero_columns));
        notices.extend(graph_notice(model));
        check_labels(model, shape, &mut notices)?;
        check_references(model, shape, &settings.init, &mut notices)?;
        let solver = resolve_solver(settings, model)?;
        let tied = tie_rows(counted, model, plan.as_ref());
        let (working, merge_constant) = working(counted, model, tied.as_ref(), weighted.as_ref());
        let tied = tied.map(|(tied, _)| tied);
        let contributions = contributions(
            data,
            model,
            settings,
            solver,
            (shape, tied.as_ref(), plan.as_ref()),
            &mut notices,
        )?;
        let weighted = weighted.map(|weighted| weighted.data);
        let init = resolve_init(settings, model, &mut notices)?;
        check_zeros(&init, solver)?;
        notices.extend(large_rank(shape));
        let solve_codes = matches!(init, Init::Labels | Init::Exemplars | Init::Guided);
        let codes_first = solve_codes || model.spec.form == Form::Symmetric;
        let first = settings.first.unwrap_or(if codes_first { Slot::Codes } else { Slot::Components });
        let order = order(model.spec.form, first, &contributions);
        let rescaling = rescaling(model, shape, &contributions)?;
        let mut problem = Problem {
            original: weighted.or(scaled).map_or(Original::Caller(caller), Original::Own),
            working,
            features,
            tied,
            loss: model.loss,
            contributions,
            merge_constant,
            order,
            smoothing: smoothing(model)?,
            rescaling,
            row_steps: None,
            published_factor: if model.spec.half_objective { 1.0 } else { model.loss.published_factor() },
            solve_codes,
            solver,
            inner_steps: settings.inner_steps,
            accelerated: None,
            init: init.name(),
            component_names: Vec::new(),
            notices: Vec::new(),
        };
        problem.row_steps = row_steps(&problem, model);
        problem.accelerated = acceleration::sweeps(&problem, model, settings)?;
        let mut start = init::start(&problem, model, plan.as_ref(), settings, &init, &mut notices)?;
        problem.component_names = plan.map(|plan| plan.component_names()).unwrap_or_default();
        for slot in Slot::MAIN {
            problem.place_held(&mut start, slot);
        }
        problem.ignore_weightless(&mut start);
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
            _ => unreachable!("codes or components are held"),
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
        check_finite(what, &factor)?;
        if solver.needs_non_negative {
            check_non_negative(what, &factor)?;
        }
        // The divergence is convex in the codes and the first update sets their size; from a constant the codes of a row depend on
        // nothing but the row.
        let constant = loss == Loss::KullbackLeibler && slot == Slot::Components;
        let mut problem = Problem {
            original: Original::Caller(data),
            working: None,
            features: None,
            tied: None,
            loss,
            contributions: penalty.into_iter().map(Contribution::ComponentPenalty).collect(),
            merge_constant: 0.0,
            order: vec![slot.other()],
            smoothing: None,
            rescaling: None,
            row_steps: None,
            published_factor: loss.published_factor(),
            solve_codes: false,
            solver,
            inner_steps: settings.inner_steps,
            accelerated: None,
            init: if constant { "constant" } else { "random" },
            component_names: Vec::new(),
            notices: data_notices(data),
        };
        let solved = if constant {
            let value = T::from_f64(1.0 / settings.rank as f64);
            Matrix::from_fn(data.n_samples(), settings.rank, |_, _| value)
        } else {
            init::random_factor(&problem, slot.other(), settings)
        };
        let factors = match slot {
            Slot::Codes => Factors::new(factor, solved),
            _ => Factors::new(solved, factor),
        };
        check_start(&mut problem, &factors, &Init::Random)?;
        Ok((problem, factors))
    }

    /// The data that the loop works on.
    pub fn data(&self) -> &dyn DataMatrix<T> {
        self.working.as_deref().unwrap_or(self.original.data())
    }

    /// The data with one row a sample: the caller's, each entry times its weight where features or entries have weights.
    pub fn original(&self) -> &dyn DataMatrix<T> {
        if self.tied.is_none() { self.data() } else { self.original.data() }
    }

    /// Bytes of merged and combined rows (0 when there are none).
    pub(crate) fn merged_bytes(&self) -> usize {
        let combined: usize = self.contributions.iter().map(Contribution::owned_bytes).sum();
        combined + self.original.owned_bytes() + self.working.as_ref().map_or(0, |data| data.owned_bytes())
    }

    /// Whether the objective on the caller's data is that of the working data plus a constant (labels), so that it can be
    /// computed exactly there; false for weighted rows, whose objective is that of the working data.
    pub(crate) fn is_merged(&self) -> bool {
        self.tied.as_ref().is_some_and(|t| t.count.iter().any(|c| *c > 1.0))
    }

    /// Whether rows are weighted without being merged.
    pub(crate) fn is_weighted(&self) -> bool {
        self.tied.is_some() && !self.is_merged()
    }

    /// What counts as 0 in the projected gradient of a slot, as a share of the largest entry of the row: the same in the updates and at
    /// the end. Scales have a closed form whatever the solver.
    pub(crate) fn zero_share(&self, slot: Slot) -> f64 {
        if self.solver.zeros_stay && slot != Slot::Scales { NEAR_ZERO } else { 0.0 }
    }

    /// Puts the held entries of a slot where they are held.
    pub(crate) fn place_held(&self, factors: &mut Factors<T>, slot: Slot) -> bool {
        let mut placed = false;
        for contribution in &self.contributions {
            if let Contribution::Held(held) = contribution
                && held.slot == slot
            {
                placed |= held.place(factors);
            }
        }
        placed
    }

    /// Codes and components are 0 from the start where a sample or a feature counts nothing: nothing may depend on them.
    fn ignore_weightless(&self, start: &mut Factors<T>) {
        if let Some(tied) = &self.tied {
            for q in (0..tied.codes_scale.len()).filter(|q| tied.codes_scale[*q] == 0.0) {
                start.get_mut(Slot::Codes).row_mut(q).fill(T::ZERO);
            }
        }
        let Some(features) = &self.features else { return };
        for f in (0..features.scale.len()).filter(|f| features.scale[*f] == 0.0) {
            start.get_mut(Slot::Components).row_mut(f).fill(T::ZERO);
        }
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

    /// H (d × k, transposed) as the caller knows it, from the loop's.
    pub(crate) fn unscaled(&self, components: Matrix<T>) -> Matrix<T> {
        match &self.features {
            None => components,
            Some(features) => unscaled_rows(&components, &features.scale),
        }
    }

    /// The loop's H (d × k, transposed), from one that the caller knows.
    pub(crate) fn scaled(&self, components: Matrix<T>) -> Matrix<T> {
        match &self.features {
            None => components,
            Some(features) => scaled_rows(&components, &features.scale),
        }
    }

    /// The working row of a sample.
    pub(crate) fn row_of(&self, sample: usize) -> usize {
        self.tied.as_ref().map_or(sample, |tied| tied.group[sample] as usize)
    }

    /// Working rows: their first samples, and t.
    pub(crate) fn row_origin(&self, row: usize) -> (usize, f64) {
        match &self.tied {
            None => (row, 1.0),
            Some(tied) => (tied.first_sample[row] as usize, tied.codes_scale[row]),
        }
    }
}

/// What is checked of the data as the caller gave them.
fn check_caller<T: Real>(data: &dyn DataMatrix<T>, model: &Model) -> Result<()> {
    check_data(data, true)?;
    check_size(data)?;
    check_form(data, model)?;
    check_kinds(model)?;
    check_something_counts(data, model)?;
    check_unknown_entries(data, model)
}

/// The solver that is asked for, or the model's own.
fn resolve_solver(settings: &Settings, model: &Model) -> Result<&'static SolverSpec> {
    match settings.solver {
        SolverChoice::Auto => model.spec.solver.resolve(model.loss),
        choice => choice.resolve(model.loss),
    }
}

fn resolve_init(settings: &Settings, model: &Model, notices: &mut Vec<Notice>) -> Result<Init> {
    if model.spec.form == Form::Images {
        return match &settings.init {
            Init::Auto | Init::Random => Ok(Init::Random),
            Init::Given(factors) => Ok(Init::Given(factors.clone())),
            other => Err(Error::Incompatible {
                asked: format!("the start \"{}\" with {}", other.name(), model.spec.title),
                reason: "its components must be products of rows and columns".into(),
                valid: vec!["start random".into(), "given codes, image rows and image columns".into()],
            }),
        };
    }
    if model.spec.tying == Tying::Guidance && matches!(settings.init, Init::Auto | Init::Guided) {
        return Ok(Init::Guided);
    }
    if settings.init == Init::Guided {
        return Err(Error::Incompatible {
            asked: format!("the start \"guided\" with {}", model.spec.title),
            reason: "it is made from guidance".into(),
            valid: [vec!["start labels".into()], methods::that_take(Input::Guidance)].concat(),
        });
    }
    let classes = model.labels().map_or(0, |l| l.n_classes());
    let per_class = model.options.components_per_class.max(1);
    let enough = classes > 0 && settings.rank >= classes.saturating_mul(per_class);
    match &settings.init {
        Init::Auto if enough && per_class > 1 => Ok(Init::Exemplars),
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
        Init::Labels | Init::Exemplars if classes == 0 => Err(Error::MissingGuidance {
            model: "the label-aware start".into(),
            needs: "labels with at least one labelled sample".into(),
        }),
        Init::Labels | Init::Exemplars if !enough => Err(Error::OutOfRange {
            name: "rank k".into(),
            value: settings.rank.to_string(),
            valid: format!(
                "at least {}, the number of classes{}, for the label-aware start",
                classes.saturating_mul(per_class),
                if per_class > 1 { format!(" times {per_class} components each") } else { String::new() }
            ),
        }),
        Init::Labels if per_class > 1 => Err(Error::Incompatible {
            asked: format!("the start \"labels\" with {per_class} components per class"),
            reason: "all components of a class would start at its mean and stay alike".into(),
            valid: vec!["start exemplars".into(), "start random".into()],
        }),
        other => Ok(other.clone()),
    }
}
