//! Settings and options of a method from dictionaries: a key that is absent (or `None`) means the library's
//! default, one that is not known is refused.

use std::time::Duration;

use numpy::PyReadonlyArray2;
use partwise::guidance::Guidance;
use partwise::methods::{MethodOptions, PARAMETERS, Parameter, ParameterKind, ParameterValue};
use partwise::{Acceleration, Error, Init, Loss, Model, Settings, Slot, SolverChoice};
use partwise_io::machine::available_memory;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{to_matrix, to_own};
use crate::document;
use crate::errors::value_error;

/// A dictionary of which every key is asked for.
struct Options<'a, 'py> {
    given: &'a Bound<'py, PyDict>,
    asked: Vec<&'static str>,
}

impl<'py> Options<'_, 'py> {
    fn get<T: FromPyObjectOwned<'py>>(&mut self, key: &'static str) -> PyResult<Option<T>> {
        self.asked.push(key);
        match self.given.get_item(key)?.filter(|value| !value.is_none()) {
            None => Ok(None),
            Some(value) => match value.extract::<T>() {
                Ok(value) => Ok(Some(value)),
                Err(error) => {
                    let error: PyErr = error.into();
                    Err(PyTypeError::new_err(format!("{key}: {error}")))
                }
            },
        }
    }

    fn finish(self) -> PyResult<()> {
        for key in self.given.keys() {
            let key: String = key.extract()?;
            if !self.asked.contains(&key.as_str()) {
                let valid = self.asked.join(", ");
                return Err(PyTypeError::new_err(format!("unknown option \"{key}\"; valid: {valid}")));
            }
        }
        Ok(())
    }
}

/// The variant with this name.
pub(crate) fn named<T: Copy>(kind: &str, name: &str, choices: &[(&str, T)]) -> PyResult<T> {
    choices.iter().find(|(known, _)| *known == name).map(|(_, choice)| *choice).ok_or_else(|| {
        value_error(Error::UnknownName {
            kind: kind.into(),
            name: name.into(),
            valid: choices.iter().map(|(known, _)| known.to_string()).collect(),
        })
    })
}

pub(crate) fn settings(given: &Bound<'_, PyDict>) -> PyResult<Settings> {
    let mut options = Options { given, asked: Vec::new() };
    let rank: usize =
        options.get("rank")?.ok_or_else(|| PyTypeError::new_err("the setting \"rank\" is needed"))?;
    let mut settings = Settings { memory_limit: available_memory(), ..Settings::new(rank) };
    if let Some(seed) = options.get("seed")? {
        settings.seed = seed;
    }
    if let Some(solver) = options.get::<String>("solver")? {
        settings.solver = SolverChoice::from_name(&solver).map_err(value_error)?;
    }
    if let Some(acceleration) = options.get::<String>("acceleration")? {
        settings.acceleration = Acceleration::from_name(&acceleration).map_err(value_error)?;
    }
    settings.inner_steps = options.get("inner_steps")?;
    if let Some(init) = options.get::<String>("init")? {
        settings.init = Init::from_name(&init).map_err(value_error)?;
    }
    if let Some(start) = options.get::<Vec<(String, Bound<'_, PyAny>)>>("start")? {
        settings.init = start_of(&start)?;
    }
    if let Some(first) = options.get::<String>("first")? {
        settings.first = Some(slot(&first)?);
    }
    if let Some(iterations) = options.get("max_iterations")? {
        settings.max_iterations = iterations;
    }
    if let Some(tolerance) = options.get("tolerance")? {
        settings.tolerance = tolerance;
    }
    if let Some(seconds) = options.get::<f64>("time_limit")? {
        let limit = Duration::try_from_secs_f64(seconds).map_err(|_| {
            value_error(Error::OutOfRange {
                name: "time_limit".into(),
                value: seconds.to_string(),
                valid: "a number of seconds of 0 or more".into(),
            })
        })?;
        settings.time_limit = Some(limit);
    }
    if let Some(threads) = options.get("threads")? {
        settings.threads = threads;
    }
    if let Some(l1) = options.get("l1")? {
        settings.l1 = l1;
    }
    if let Some(l2) = options.get("l2")? {
        settings.l2 = l2;
    }
    if let Some(factors_only) = options.get("factors_only")? {
        settings.factors_only = factors_only;
    }
    if let Some(gradient) = options.get("gradient_at_end")? {
        settings.gradient_at_end = gradient;
    }
    // What a fit does with it is for `checkpoint.rs`.
    options.get::<(String, f64)>("checkpoint")?;
    options.finish()?;
    Ok(settings)
}

fn slot(name: &str) -> PyResult<Slot> {
    named("factor", name, &Slot::ALL.map(|slot| (slot.name(), slot)))
}

/// Codes and components are a custom start (a missing one is random); with other factors the start is given
/// slot by slot.
fn start_of(start: &[(String, Bound<'_, PyAny>)]) -> PyResult<Init> {
    if let Some(single) = single_start_of(start)? {
        return Ok(single);
    }
    let mut factors = Vec::new();
    for (name, array) in start {
        let factor = match array.extract::<PyReadonlyArray2<'_, f32>>() {
            Ok(single) => to_matrix(&single)?,
            Err(_) => to_matrix(&array.extract::<PyReadonlyArray2<'_, f64>>()?)?,
        };
        factors.push((slot(name)?, factor));
    }
    if factors.iter().any(|(slot, _)| !slot.is_main()) {
        return Ok(Init::Given(factors));
    }
    let mut take = |wanted| factors.iter().position(|(s, _)| *s == wanted).map(|at| factors.remove(at).1);
    let (codes, components) = (take(Slot::Codes), take(Slot::Components));
    Ok(Init::Custom { codes, components })
}

/// Codes and components as they are, where all that is given are these, in single precision.
fn single_start_of(start: &[(String, Bound<'_, PyAny>)]) -> PyResult<Option<Init>> {
    let (mut codes, mut components) = (None, None);
    for (name, array) in start {
        let place = match slot(name)? {
            Slot::Codes => &mut codes,
            Slot::Components => &mut components,
            _ => return Ok(None),
        };
        let Ok(array) = array.extract::<PyReadonlyArray2<'_, f32>>() else { return Ok(None) };
        *place = Some(to_own(&array)?);
    }
    Ok(Some(Init::Single { codes, components }))
}

/// The model of a method: its parameters as a dictionary, with what is known as the document of a
/// `"guidance"` among them.
pub(crate) fn model(name: &str, loss: &str, given: &Bound<'_, PyDict>) -> PyResult<Model> {
    let loss = Loss::from_name(loss).map_err(value_error)?;
    let mut options = Options { given, asked: Vec::new() };
    let guidance = match options.get::<Bound<'_, PyDict>>("guidance")? {
        None => Guidance::default(),
        Some(given) => document::guidance(&given)?,
    };
    let chosen = method_options(&mut options)?;
    options.finish()?;
    let model = Model::from_name(name, guidance).and_then(|model| model.with_loss(loss));
    Ok(model.map_err(value_error)?.with_options(chosen))
}

/// Refuses parameters of methods that are unknown or out of range.
#[pyfunction]
pub(crate) fn check_parameters(given: &Bound<'_, PyDict>) -> PyResult<()> {
    let mut options = Options { given, asked: Vec::new() };
    method_options(&mut options)?;
    options.finish()
}

fn method_options(options: &mut Options<'_, '_>) -> PyResult<MethodOptions> {
    let mut chosen = MethodOptions::default();
    for parameter in PARAMETERS {
        if let Some(value) = parameter_value(options, parameter)? {
            parameter.set(&mut chosen, value).map_err(value_error)?;
        }
    }
    Ok(chosen)
}

fn parameter_value(options: &mut Options<'_, '_>, parameter: &Parameter) -> PyResult<Option<ParameterValue>> {
    let name = parameter.name();
    Ok(match parameter.kind {
        ParameterKind::Whole => options.get::<i64>(name)?.map(|n| ParameterValue::Number(n as f64)),
        ParameterKind::Choice(_) => options.get(name)?.map(ParameterValue::Name),
        ParameterKind::Size => options.get(name)?.map(|sides| size(parameter, sides)).transpose()?,
        _ => options.get(name)?.map(ParameterValue::Number),
    })
}

/// Height and width; negative ones are out of range.
fn size(parameter: &Parameter, (height, width): (i64, i64)) -> PyResult<ParameterValue> {
    match (usize::try_from(height), usize::try_from(width)) {
        (Ok(height), Ok(width)) => Ok(ParameterValue::Size(height, width)),
        _ => Err(value_error(Error::OutOfRange {
            name: parameter.title.into(),
            value: format!("{height} x {width}"),
            valid: parameter.valid.into(),
        })),
    }
}
