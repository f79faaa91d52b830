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
mod in_blocks;
mod margins;
mod no_effect;
mod raw_counts;
mod shown_samples;
mod tying;
mod units;
mod working;

pub(crate) use crate::engine::problem::scaled_rows;
pub(crate) use assembly::shape;
use assembly::{contributions, order, rescaling, row_steps, smoothing};
use checks::{
    check_data, check_form, check_kinds, check_labels, check_references, check_size, check_start,
    check_unknown_entries, check_zeros, data_notices, graph_notice, large_rank,
};
use features::scaled_guidance;
pub(crate) use features::{check_feature_weights, feature_scale, scaled_data};
pub(crate) use in_blocks::{check_blocks, check_units};
pub(crate) use no_effect::zero_factors;
use no_effect::{absent_features, check_something_counts, empty_items};
pub use raw_counts::raw_counts;
use raw_counts::raw_counts_notice;
pub(crate) use shown_samples::SamplesOf;
use tying::tie_rows;
pub(crate) use units::{FixedUnits, Units, times};
use working::{weighted_entries, working};

use std::borrow::Cow;

use crate::data::DataMatrix;
pub(crate) use crate::engine::Problem;
use crate::engine::losses::Loss;
use crate::engine::problem::{FeatureScale, Original};
use crate::engine::solvers::{SolverChoice, SolverSpec};
use crate::engine::term::Term;
use crate::engine::{Factors, Init, Settings, Slot};
use crate::foundation::checks::{check_finite, check_non_negative};
use crate::foundation::{Error, Matrix, Notice, Real, Result};
use crate::guidance::Plan;
use crate::init;
use crate::methods::{self, Form, Input, Model, Shape, Tying, check_options};
use crate::terms::ComponentPenalty;

/// What guidance comes to on these data, whose features are scaled already.
fn plan<T: Real>(
    data: &dyn DataMatrix<T>,
    model: &Model,
    features: Option<&FeatureScale>,
    shape: Shape,
) -> Result<Option<Plan>> {
    let scale = features.map(|features| features.scale.as_slice());
    let guidance = model.composed().map(|guidance| scaled_guidance(guidance, scale));
    guidance.map(|guidance| Plan::new(&guidance, shape, &SamplesOf(data))).transpose()
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
        check_options(model.spec, &model.options)?;
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
        notices.extend(raw_counts_notice(caller, model));
        notices.extend(features::ignored_features(features.as_ref()));
        notices.extend(plan.iter().flat_map(|plan| plan.notices.clone()));
        notices.extend(empty_items(model));
        notices.extend(absent_features(model, plan.as_ref(), &caller.summary().zero_columns));
        notices.extend(graph_notice(model));
        check_labels(model, shape, &mut notices)?;
        check_references(model, shape, &settings.init, &mut notices)?;
        let solver = resolve_solver(settings, model, caller)?;
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
        let solve_codes = matches!(*init, Init::Labels | Init::Exemplars | Init::Guided);
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
            symmetric: model.spec.form == Form::Symmetric,
            smoothing: smoothing(model),
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
            problem.place_fixed(&mut start, slot);
        }
        problem.ignore_weightless(&mut start);
        problem.notices = notices;
        check_start(&mut problem, &start, &init)?;
        Ok((problem, start))
    }

    /// One factor is fixed, the other is solved for: `held` (n × k codes, or d × k transposed components).
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
            Slot::Codes => (data.n_samples(), "the fixed codes (n x k)"),
            Slot::Components => (data.n_features(), "the fixed components (k x d)"),
            _ => unreachable!("codes or components are fixed"),
        };
        if factor.rows() != expected || factor.columns() != settings.rank {
            return Err(Error::shape(
                what,
                format!(
                    "k = {} with {expected} {}",
                    settings.rank,
                    if slot == Slot::Codes { "samples" } else { "features" }
                ),
                format!("k = {} with {}", factor.columns(), factor.rows()),
            ));
        }
        check_finite(what, &factor)?;
        if solver.needs_non_negative {
            check_non_negative(what, &factor)?;
        }
        // The divergence is convex in the codes and the first update sets their size; from a constant the
        // codes of a row depend on nothing but the row. Block pivoting asks no more of a start than that no
        // entry is 0.
        let constant =
            slot == Slot::Components && (loss == Loss::KullbackLeibler || solver.choice == SolverChoice::Bpp);
        let mut problem = Problem {
            original: Original::Caller(data),
            working: None,
            features: None,
            tied: None,
            loss,
            contributions: penalty.into_iter().map(|penalty| Box::new(penalty) as Box<dyn Term<T>>).collect(),
            merge_constant: 0.0,
            order: vec![slot.other()],
            symmetric: false,
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
}

/// What is checked of the data as the caller gave them.
fn check_caller<T: Real>(data: &dyn DataMatrix<T>, model: &Model) -> Result<()> {
    check_blocks(data, model)?;
    check_data(data, true)?;
    check_size(data)?;
    check_form(data, model)?;
    check_kinds(model)?;
    check_something_counts(data, model)?;
    check_unknown_entries(data, model)
}

/// The solver that is asked for, or the model's own.
fn resolve_solver<T: Real>(
    settings: &Settings,
    model: &Model,
    data: &dyn DataMatrix<T>,
) -> Result<&'static SolverSpec> {
    match settings.solver {
        SolverChoice::Newton if !data.has_steps() => Err(Error::incompatible(
            format!("solver \"{}\" with data in row blocks", SolverChoice::Newton.resolve(model.loss)?.name),
            "its steps follow the products of the factors in all of the data",
            ["solver mu", "data in memory"],
        )),
        SolverChoice::Auto => model.spec.solver.resolve(model.loss),
        choice => choice.resolve(model.loss),
    }
}

/// Refuses a start that the method cannot have.
fn refuse_init(settings: &Settings, model: &Model) -> Result<()> {
    if model.spec.takes(Input::Guidance) && matches!(settings.init, Init::Labels | Init::Exemplars) {
        return Err(Error::incompatible(
            format!("the start \"{}\" with {}", settings.init.name(), model.spec.title),
            "its start is made from everything that is known",
            ["start guided", "start random"],
        ));
    }
    if settings.init == Init::Guided {
        return Err(Error::incompatible(
            format!("the start \"guided\" with {}", model.spec.title),
            "it is made from guidance",
            [vec!["start labels".into()], methods::that_take(Input::Guidance)].concat(),
        ));
    }
    if settings.init == Init::Spectral && model.spec.form != Form::Symmetric {
        return Err(Error::Incompatible {
            asked: format!("the start \"spectral\" with {}", model.spec.title),
            reason: "it is made from the eigenvectors of symmetric data".into(),
            valid: vec!["start nndsvd".into(), "start random".into()],
        });
    }
    Ok(())
}

fn resolve_init<'s>(
    settings: &'s Settings,
    model: &Model,
    notices: &mut Vec<Notice>,
) -> Result<Cow<'s, Init>> {
    if model.spec.form == Form::Images {
        return match &settings.init {
            Init::Auto | Init::Random => Ok(Cow::Owned(Init::Random)),
            init @ Init::Given(_) => Ok(Cow::Borrowed(init)),
            other => Err(Error::incompatible(
                format!("the start \"{}\" with {}", other.name(), model.spec.title),
                "its components must be products of rows and columns",
                ["start random", "given codes, image rows and image columns"],
            )),
        };
    }
    if model.spec.tying == Tying::Guidance && matches!(settings.init, Init::Auto | Init::Guided) {
        return Ok(Cow::Owned(Init::Guided));
    }
    refuse_init(settings, model)?;
    let classes = model.labels().map_or(0, |l| l.n_classes());
    let per_class = model.options.components_per_class.max(1);
    let enough = classes > 0 && settings.rank >= classes.saturating_mul(per_class);
    let symmetric = model.spec.form == Form::Symmetric;
    let knows_nothing = classes == 0 && model.guidance.code_reference().is_none();
    match &settings.init {
        Init::Auto if symmetric && knows_nothing && model.options.coupling.is_none() => {
            Ok(Cow::Owned(Init::Spectral))
        }
        Init::Auto if enough && per_class > 1 => Ok(Cow::Owned(Init::Exemplars)),
        Init::Auto if enough => Ok(Cow::Owned(Init::Labels)),
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
            Ok(Cow::Owned(Init::Random))
        }
        Init::Labels | Init::Exemplars if classes == 0 => Err(Error::MissingGuidance {
            model: "the label-aware start".into(),
            needs: "labels with at least one labelled sample".into(),
        }),
        Init::Labels | Init::Exemplars if !enough => Err(Error::out_of_range(
            "rank k",
            settings.rank,
            format!(
                "at least {}, the number of classes{}, for the label-aware start",
                classes.saturating_mul(per_class),
                if per_class > 1 { format!(" times {per_class} components each") } else { String::new() }
            ),
        )),
        Init::Labels if per_class > 1 => Err(Error::incompatible(
            format!("the start \"labels\" with {per_class} components per class"),
            "all components of a class would start at its mean and stay equal",
            ["start exemplars", "start random"],
        )),
        other => Ok(Cow::Borrowed(other)),
    }
}
