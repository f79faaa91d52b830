//! `partwise._native`: the engine as Python sees it. Thin: arrays in, arrays out, names as strings,
//! everything else in `python/partwise`. Data are borrowed, the interpreter is detached while the engine
//! works.

mod arrays;
mod blocks;
mod checkpoint;
mod citation;
mod classification;
mod command;
mod comparison;
mod consensus;
mod data;
mod document;
mod errors;
mod files;
mod fitting;
mod guidance;
mod measures;
mod options;
mod page;
mod processes;
mod progress;
mod rank;

use partwise::guidance::{LabelRule, Strength};
use partwise::methods::{Form, MethodOptions, PARAMETERS, ParameterKind, ParameterValue};
use partwise::recipes::{Others, ShareOf};
use partwise::{Acceleration, Init, Loss, Settings};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// The native module of the Python package.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::blocks::Blocks;
    #[pymodule_export]
    use super::citation::cite;
    #[pymodule_export]
    use super::classification::{classify, predict_posteriors};
    #[pymodule_export]
    use super::command::{command_line, command_line_shared};
    #[pymodule_export]
    use super::comparison::{compare, compared_methods};
    #[pymodule_export]
    use super::consensus::consensus;
    #[pymodule_export]
    use super::files::{digits, read_labels, read_model, read_table, scaled_values, write_model};
    #[pymodule_export]
    use super::fitting::{check_symmetric, encode, fit, neighbour_graph, nnls, solve};
    #[pymodule_export]
    use super::guidance::steering::{steer, with_all_topics};
    #[pymodule_export]
    use super::guidance::{fit_guided, suggest, suggest_links, sweep, unknown_features};
    #[pymodule_export]
    use super::measures::{accuracy, cuts, f_scores, largest_components, measure, sparseness};
    #[pymodule_export]
    use super::options::check_parameters;
    #[pymodule_export]
    use super::page::{report_page, representative_samples};
    #[pymodule_export]
    use super::processes::{Listener, Processes};
    #[pymodule_export]
    use super::rank::select_rank;
    #[pymodule_export]
    use super::registries;
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("MODEL_FORMAT", partwise_io::MODEL_FORMAT)
    }
}

/// The registries of the library: methods, solvers, starts and losses, so that Python has no lists of its
/// own.
#[pyfunction]
fn registries(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("methods", methods(py)?)?;
    all.set_item("solvers", solvers(py)?)?;
    all.set_item("parameters", parameters(py)?)?;
    all.set_item("block_values", partwise_io::BLOCK_VALUES)?;
    all.set_item("graph_neighbours", fitting::GRAPH_NEIGHBOURS)?;
    let defaults = Settings::new(1);
    all.set_item("max_iterations", defaults.max_iterations)?;
    all.set_item("tolerance", defaults.tolerance)?;
    all.set_item("acceleration", Acceleration::NAMES.iter().map(|(name, _)| *name).collect::<Vec<_>>())?;
    all.set_item("starts", Init::NAMES.iter().map(|(name, _)| *name).collect::<Vec<_>>())?;
    all.set_item("memberships_of", ShareOf::ALL.iter().map(|of| of.name()).collect::<Vec<_>>())?;
    all.set_item("label_rules", LabelRule::ALL.iter().map(|rule| rule.name()).collect::<Vec<_>>())?;
    all.set_item("verdicts", guidance::verdicts())?;
    all.set_item("plausibilities", guidance::plausibilities())?;
    all.set_item("levels", guidance::levels())?;
    all.set_item("other_topics", Others::ALL.iter().map(|others| others.name()).collect::<Vec<_>>())?;
    all.set_item("losses", Loss::ALL.iter().map(|loss| loss.name()).collect::<Vec<_>>())?;
    let errors: std::collections::HashMap<_, _> =
        Loss::ALL.iter().map(|loss| (loss.name(), loss.error_name())).collect();
    all.set_item("error_names", errors)?;
    Ok(all)
}

fn methods(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let methods = PyList::empty(py);
    for spec in partwise::methods::ALL {
        let line = PyDict::new(py);
        line.set_item("name", spec.name)?;
        line.set_item("estimator", spec.estimator)?;
        line.set_item("title", spec.title)?;
        line.set_item("summary", spec.summary)?;
        line.set_item("objective", spec.objective)?;
        line.set_item("needs", spec.needs)?;
        line.set_item("reference", spec.reference)?;
        line.set_item("differs", spec.differs)?;
        line.set_item("losses", spec.losses.iter().map(|loss| loss.name()).collect::<Vec<_>>())?;
        let raw = spec.strength.is_raw();
        let strength = if let Strength::Relative(s) = spec.strength { s } else { spec.strength.sigma() };
        line.set_item("strength", (strength, raw))?;
        line.set_item("takes", spec.takes.iter().map(|input| input.name()).collect::<Vec<_>>())?;
        line.set_item("names_classes", spec.names_classes())?;
        line.set_item("symmetric", spec.form == Form::Symmetric)?;
        line.set_item("images", spec.form == Form::Images)?;
        line.set_item("in_blocks", spec.in_blocks)?;
        methods.append(line)?;
    }
    Ok(methods)
}

fn solvers(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let solvers = PyList::empty(py);
    for spec in partwise::solvers::ALL {
        let line = PyDict::new(py);
        line.set_item("name", spec.name)?;
        line.set_item("summary", spec.summary)?;
        line.set_item("losses", spec.losses.iter().map(|loss| loss.name()).collect::<Vec<_>>())?;
        solvers.append(line)?;
    }
    Ok(solvers)
}

/// The parameters of methods, with their defaults.
fn parameters(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let lines = PyList::empty(py);
    for parameter in PARAMETERS {
        let line = PyDict::new(py);
        line.set_item("name", parameter.name())?;
        line.set_item("aliases", parameter.aliases)?;
        line.set_item("help", parameter.help)?;
        line.set_item("valid", parameter.valid)?;
        line.set_item("unset", parameter.unset)?;
        let (kind, choices) = match parameter.kind {
            ParameterKind::Whole => ("whole", &[][..]),
            ParameterKind::Choice(names) => ("choice", names),
            ParameterKind::Size => ("size", &[][..]),
            _ => ("number", &[][..]),
        };
        line.set_item("kind", kind)?;
        line.set_item("choices", choices)?;
        match parameter.get(&MethodOptions::default()) {
            Some(ParameterValue::Number(x)) if kind == "whole" => line.set_item("default", x as u64)?,
            Some(ParameterValue::Number(x)) => line.set_item("default", x)?,
            Some(ParameterValue::Name(name)) => line.set_item("default", name)?,
            _ => line.set_item("default", py.None())?,
        }
        lines.append(line)?;
    }
    Ok(lines)
}
