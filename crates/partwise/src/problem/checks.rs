//! What is refused, and what is reported, before anything is computed.

use std::ops::Range;

use super::Problem;
use crate::data::{DataMatrix, first_chunk};
use crate::engine::losses::Loss;
use crate::engine::solvers::{SolverChoice, SolverSpec};
use crate::engine::term::{Penalty, RowGrams, Term};
use crate::engine::{Factors, Init, Slot};
use crate::foundation::checks::check_shape;
use crate::foundation::words::list_indices;
use crate::foundation::{Error, Notice, Real, Result};
use crate::guidance::{Advice, FeatureLists, Guidance, check_references as check_references_of};
use crate::kernels::asymmetry_allowed;
use crate::methods::{self, Form, Input, MethodSpec, Model, Shape, Tying};

/// Refuses faulty entries. Negative ones are allowed in squared-loss solves with a fixed factor.
pub(super) fn check_data<T: Real>(data: &dyn DataMatrix<T>, non_negative: bool) -> Result<()> {
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

/// Refuses data whose gradients are too small for the number type: they would look like those of a finished
/// fit.
pub(super) fn check_size<T: Real>(data: &dyn DataMatrix<T>) -> Result<()> {
    // Gradients go with the power 3/2 of the data; in f64 it is their square that underflows first.
    let least = T::MIN_POSITIVE.to_f64().sqrt().max(1e-90);
    let max = data.summary().max;
    if max > 0.0 && max < least {
        return Err(Error::out_of_range(
            "the largest entry of the data",
            format!("{max:e}"),
            format!(
                "0, or at least {least:.0e} in {}; scale the data (for example to a maximum of 1)",
                T::NAME
            ),
        ));
    }
    Ok(())
}

/// Refuses data that are no symmetric matrix, for models of one. Rounding is allowed for.
pub(super) fn check_form<T: Real>(data: &dyn DataMatrix<T>, model: &Model) -> Result<()> {
    match model.spec.form {
        Form::Matrix | Form::Images => Ok(()),
        Form::Symmetric => check_symmetric(data, model.spec.title),
    }
}

/// Refuses marks of known entries that don't fit the data, for the model that takes them.
pub(super) fn check_unknown_entries<T: Real>(data: &dyn DataMatrix<T>, model: &Model) -> Result<()> {
    if let Some(known) = model.composed().and_then(Guidance::known_features) {
        return check_listed(data, known);
    }
    let Some(known) = model.guidance.known_entries() else { return Ok(()) };
    let (n, d) = (data.n_samples(), data.n_features());
    check_shape("the marks of known entries", (n, d), known.shape())?;
    let mut row = vec![0.0; d];
    for i in 0..n {
        row.fill(0.0);
        data.add_row(i, 1.0, &mut row);
        for (j, (x, mark)) in row.iter().zip(known.row(i)).enumerate() {
            if *mark != 0.0 && *mark != 1.0 {
                return Err(Error::out_of_range(
                    format!("the mark of the entry in row {i}, column {j}"),
                    mark,
                    "1 (known) or 0 (unknown)",
                ));
            }
            if *mark == 0.0 && *x != 0.0 {
                return Err(Error::out_of_range(
                    format!("the missing entry in row {i}, column {j}"),
                    x,
                    "0, because missing entries are stored as 0",
                ));
            }
        }
    }
    Ok(())
}

fn check_symmetric<T: Real>(data: &dyn DataMatrix<T>, title: &str) -> Result<()> {
    let (n, d) = (data.n_samples(), data.n_features());
    if n != d {
        return Err(Error::shape(format!("the similarities for {title}"), "n x n", format!("{n} x {d}")));
    }
    match data.first_asymmetry(asymmetry_allowed(data.summary().max)) {
        None => Ok(()),
        Some((pair, values)) => Err(Error::NotSymmetric { what: "the data".into(), pair, values }),
    }
}

pub(super) fn data_notices<T: Real>(data: &dyn DataMatrix<T>) -> Vec<Notice> {
    let summary = data.summary();
    let mut notices = Vec::new();
    for (code, one, many, indices) in [
        (
            "zero-rows",
            "row is empty (all zeros) and belongs",
            "rows are empty (all zeros) and belong",
            &summary.zero_rows,
        ),
        (
            "zero-columns",
            "column is empty (all zeros) and belongs",
            "columns are empty (all zeros) and belong",
            &summary.zero_columns,
        ),
    ] {
        if !indices.is_empty() {
            let what = if indices.len() == 1 { one } else { many };
            let message = format!("{} {what} to no component: {}", indices.len(), list_indices(indices));
            notices.push(Notice { code, message });
        }
    }
    notices
}

pub(super) fn check_labels(model: &Model, shape: Shape, notices: &mut Vec<Notice>) -> Result<()> {
    let per_class = model.options.components_per_class;
    if per_class > 1 && !model.spec.takes(Input::ComponentsPerClass) {
        return Err(Error::incompatible(
            format!("{per_class} components per class with {}", model.spec.title),
            "its classes own one component each",
            methods::that_take(Input::ComponentsPerClass),
        ));
    }
    let Some(labels) = model.labels() else { return Ok(()) };
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
            message: "no sample is labelled, so the labels have no effect".into(),
        });
        return Ok(());
    }
    if labels.n_classes() == 1 {
        notices.push(Notice {
            code: "one-class",
            message: format!(
                "all {} labelled samples have the class \"{}\", so the labels do not separate classes",
                labels.n_labelled(),
                labels.names()[0]
            ),
        });
    }
    if model.spec.tying == Tying::Labels {
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
                    "{} of {} classes have only one labelled sample, which has no effect in {}: {}{all}",
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

/// Reports a graph in more parts than one, for the models that use it: nothing is drawn together across
/// parts.
pub(super) fn graph_notice(model: &Model) -> Option<Notice> {
    let (graph, _) = model.guidance.graph().filter(|_| model.spec.takes(Input::Graph))?;
    let (parts, isolated) = (graph.n_components(), graph.isolated());
    let named = if isolated.is_empty() {
        String::new()
    } else {
        format!("; {} samples are isolated (no edge): {}", isolated.len(), list_indices(&isolated))
    };
    (parts > 1).then(|| Notice {
        code: "disconnected-graph",
        message: format!("the graph has {parts} connected components and has no effect between them{named}"),
    })
}

/// Refuses faulty references, also those that only the start would read; reports those that the model does
/// not use.
pub(super) fn check_references(
    model: &Model,
    shape: Shape,
    init: &Init,
    notices: &mut Vec<Notice>,
) -> Result<()> {
    check_references_of(&model.guidance, shape)?;
    if model.composed().is_some() {
        return Ok(());
    }
    for (given, input, what) in [
        (model.guidance.code_reference().is_some(), Input::CodeReference, "codes"),
        (model.guidance.component_reference().is_some(), Input::ComponentReference, "components"),
    ] {
        if given && !model.spec.takes(input) && *init != Init::Published {
            notices.push(Notice {
                code: "unused-reference",
                message: format!(
                    "{} does not use the reference {what}; valid: {}",
                    model.spec.title,
                    methods::that_take(input).join(", ")
                ),
            });
        }
    }
    Ok(())
}

/// Refuses kinds of guidance that a published method does not take, and kinds that are given twice. Labels
/// and references may be used only for the start.
pub(super) fn check_kinds(model: &Model) -> Result<()> {
    if model.composed().is_some() {
        return Ok(());
    }
    let spec = model.spec;
    if let Some(topic) = model.guidance.topics().first() {
        return Err(unsupported(
            &format!("topics (\"{}\")", topic.name),
            spec,
            methods::that_take(Input::Guidance),
        ));
    }
    let mut seen = Vec::new();
    for item in model.guidance.advice() {
        let (input, only_start) = match item {
            Advice::Labels { .. } => (Input::Labels, true),
            Advice::CodeReference(_) => (Input::CodeReference, true),
            Advice::ComponentReference(_) => (Input::ComponentReference, true),
            Advice::Sets { .. } => (Input::LabelSets, false),
            Advice::Targets { .. } => (Input::LabelTargets, false),
            Advice::Graph { .. } => (Input::Graph, false),
            Advice::KnownEntries(_) => (Input::KnownEntries, false),
            _ => (Input::Guidance, false),
        };
        if !only_start && !spec.takes(input) {
            return Err(unsupported(item.kind(), spec, methods::that_take(input)));
        }
        if seen.contains(&input) {
            return Err(Error::Guidance(format!("{} are given twice to {}", item.kind(), spec.title)));
        }
        seen.push(input);
    }
    Ok(())
}

fn unsupported(what: &str, spec: &MethodSpec, valid: Vec<String>) -> Error {
    Error::incompatible(format!("{} with {what}", spec.title), "the method has no such input", valid)
}

/// Refuses values where nothing is known; lists that don't fit the data are refused when guidance is
/// compiled.
fn check_listed<T: Real>(data: &dyn DataMatrix<T>, known: &FeatureLists) -> Result<()> {
    let mut row = vec![0.0; data.n_features()];
    for (i, known) in known.rows().enumerate().take(data.n_samples()) {
        row.fill(0.0);
        data.add_row(i, 1.0, &mut row);
        // Lists that are not ascending or name no feature are refused later, by name.
        if !known.is_sorted() || known.last().is_some_and(|j| *j as usize >= data.n_features()) {
            continue;
        }
        let unlisted = |(j, x): &(usize, &f64)| **x != 0.0 && known.binary_search(&(*j as u32)).is_err();
        if let Some((j, x)) = row.iter().enumerate().find(unlisted) {
            return Err(Error::out_of_range(
                format!("the missing entry in row {i}, column {j}"),
                x,
                "0, because missing entries are stored as 0",
            ));
        }
    }
    Ok(())
}

/// Refuses what the solver does not support.
pub(super) fn check_pairing<T: Real>(
    solver: &SolverSpec,
    model: &Model,
    contributions: &[Box<dyn Term<T>>],
) -> Result<()> {
    let sized = contributions.iter().any(|c| matches!(c.penalty(), Some(Penalty::Plain(_))));
    if model.spec.rescales && sized {
        return Err(Error::incompatible(
            format!("penalties on both factors with {}", model.spec.title),
            "its rescaling of the factors changes their size",
            ["penalties on one factor (these are scale-free)", "no penalties"],
        ));
    }
    if solver.choice == SolverChoice::Newton && contributions.iter().any(|c| c.penalty().is_none()) {
        return Err(Error::incompatible(
            format!("solver \"{}\" for {}", solver.name, model.spec.title),
            "a term of the method has a bound that only multiplicative updates take",
            ["solver mu"],
        ));
    }
    let grams = |wanted: fn(RowGrams) -> bool| contributions.iter().any(|c| wanted(c.facts().row_grams));
    if !solver.monotone && grams(|own| own != RowGrams::None) {
        return Err(Error::incompatible(
            format!("solver \"{}\" for {}", solver.name, model.spec.title),
            "its running momentum does not support rows with their own Gram",
            ["solver hals", "solver bpp", "solver nesterov"],
        ));
    }
    if grams(|own| own == RowGrams::Signed) && solver.needs_non_negative {
        return Err(Error::incompatible(
            format!("solver \"{}\" for {} with a joint scale", solver.name, model.spec.title),
            "its Gram has negative entries, on which multiplicative updates are not valid",
            ["solver hals", "solver bpp", "solver nesterov", "the alternating scale"],
        ));
    }
    Ok(())
}

/// Refuses a start from which the Kullback-Leibler divergence is infinite; reports zeros that would stay.
pub(super) fn check_start<T: Real>(
    problem: &mut Problem<'_, T>,
    start: &Factors<T>,
    init: &Init,
) -> Result<()> {
    let is_given =
        matches!(init, Init::Custom { .. } | Init::Single { .. } | Init::Given(_) | Init::Published);
    if is_given && problem.solver.zeros_stay {
        for slot in start.slots().filter(|slot| *slot != Slot::Scales) {
            let zeros = start.get(slot).as_slice().iter().filter(|v| **v == T::ZERO).count();
            if zeros > 0 {
                problem.notices.push(Notice {
                    code: "zeros-in-start",
                    message: format!(
                        "the {} of the start contain {zeros} zeros. Multiplicative updates never change a \
                        zero; the solvers hals, bpp and nesterov can",
                        slot.name()
                    ),
                });
            }
        }
    }
    if problem.loss == Loss::KullbackLeibler {
        if let Some(term) = problem.contributions.iter().find(|c| c.value(start, problem.loss).is_infinite())
        {
            return Err(Error::Start(format!(
                "the cost of the {} is infinite, because a component is 0 in features where its profile is \
                not; give a start with positive entries",
                term.name()
            )));
        }
        let data = problem.data();
        let (codes, components) = (start.get(Slot::Codes), start.get(Slot::Components));
        let infinite =
            |rows: &Range<usize>| data.log_divergence(rows.clone(), codes, components).is_infinite();
        if let Some(rows) = first_chunk(data, infinite) {
            return Err(Error::Start(format!(
                "W*H is 0 where the data are not (in rows {}..{}), so the Kullback-Leibler divergence is \
                infinite; give a start with positive entries",
                rows.start, rows.end
            )));
        }
    }
    Ok(())
}

/// Refuses a start with exact zeros for a solver that keeps them.
pub(super) fn check_zeros(init: &Init, solver: &SolverSpec) -> Result<()> {
    if *init == Init::Nndsvd && solver.zeros_stay {
        return Err(Error::incompatible(
            "the start \"nndsvd\" with multiplicative updates",
            "it has exact zeros, which multiplicative updates never change",
            ["start nndsvda", "start nndsvdar", "start random"],
        ));
    }
    Ok(())
}

/// Reports more components than the data have rows or columns.
pub(super) fn large_rank(shape: Shape) -> Option<Notice> {
    let most = shape.samples.min(shape.features);
    (shape.rank > most).then(|| Notice {
        code: "large-rank",
        message: format!(
            "{k} components for {} samples and {} features: k = {k} is larger than min(n, d) = {most}, so \
            the components are not unique",
            shape.samples,
            shape.features,
            k = shape.rank
        ),
    })
}
