//! Settings and knowledge from dictionaries: a key that is absent (or `None`) means the library's default, one that is not known
//! is refused.

use std::time::Duration;

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use partwise::graphs::Graph;
use partwise::{
    Acceleration, AnchorScale, CodeReference, ComponentReference, Error, Init, Knowledge, LabelSets,
    LabelTargets, Labels, Loss, Margins, Model, Settings, Slot, SolverChoice, StepRule, StrengthUnit,
};
use partwise_io::machine::available_memory;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::to_matrix;
use crate::faults::value_error;

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
    if let Some(start) = options.get::<Vec<(String, PyReadonlyArray2<'_, f64>)>>("start")? {
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
    options.finish()?;
    Ok(settings)
}

fn slot(name: &str) -> PyResult<Slot> {
    named("factor", name, &Slot::ALL.map(|slot| (slot.name(), slot)))
}

/// Codes and components are a custom start (a missing one is random); with other factors the start is given slot by slot.
fn start_of(start: &[(String, PyReadonlyArray2<'_, f64>)]) -> PyResult<Init> {
    let mut factors = Vec::new();
    for (name, array) in start {
        factors.push((slot(name)?, to_matrix(array)?));
    }
    if factors.iter().any(|(slot, _)| !slot.is_main()) {
        return Ok(Init::Given(factors));
    }
    let mut take = |wanted| factors.iter().position(|(s, _)| *s == wanted).map(|at| factors.remove(at).1);
    let (codes, components) = (take(Slot::Codes), take(Slot::Components));
    Ok(Init::Custom { codes, components })
}

/// CSR of a graph: n, indptr, neighbours, weights.
pub(crate) type GraphArrays<'py> =
    (usize, PyReadonlyArray1<'py, usize>, PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, f64>);

pub(crate) fn model(name: &str, loss: &str, given: &Bound<'_, PyDict>) -> PyResult<Model> {
    let loss = Loss::from_name(loss).map_err(value_error)?;
    Model::from_name(name, knowledge(given)?).and_then(|model| model.with_loss(loss)).map_err(value_error)
}

fn knowledge(given: &Bound<'_, PyDict>) -> PyResult<Knowledge> {
    let mut options = Options { given, asked: Vec::new() };
    let mut known = Knowledge::default();
    if let Some((classes, names)) = options.get::<(PyReadonlyArray1<'_, i32>, Vec<String>)>("labels")? {
        known.labels = Some(Labels::with_names(classes.as_slice()?, &names).map_err(value_error)?);
    }
    known.code_reference = match options.get::<Weighted<'_>>("code_reference")? {
        None => None,
        Some((reference, weight)) => {
            Some(CodeReference { reference: to_matrix(&reference)?, weight: weight.as_array().to_vec() })
        }
    };
    known.component_reference = match options.get::<Weighted<'_>>("component_reference")? {
        None => None,
        Some((reference, weight)) => {
            Some(ComponentReference { reference: to_matrix(&reference)?, weight: weight.as_array().to_vec() })
        }
    };
    known.label_targets = match options.get::<Pair<'_>>("label_targets")? {
        None => None,
        Some((targets, marks)) => {
            Some(LabelTargets { targets: to_matrix(&targets)?, known: to_matrix(&marks)? })
        }
    };
    if let Some(marks) = options.get::<PyReadonlyArray2<'_, f64>>("known_entries")? {
        known.known_entries = Some(to_matrix(&marks)?);
    }
    strengths(&mut options, &mut known)?;
    known.graph = match options.get::<GraphArrays<'_>>("graph")? {
        None => None,
        Some(arrays) => Some(graph(&arrays)?),
    };
    if let Some(components) = options.get("components_per_class")? {
        known.components_per_class = components;
    }
    known.image_shape = options.get("image_shape")?;
    known.coupling = options.get("coupling")?;
    known.margins = margins(&mut options)?;
    options.finish()?;
    Ok(known)
}

/// A reference and the weights of its rows.
type Weighted<'py> = (PyReadonlyArray2<'py, f64>, PyReadonlyArray1<'py, f64>);

/// Targets and the marks of what is known of them.
type Pair<'py> = (PyReadonlyArray2<'py, f64>, PyReadonlyArray2<'py, f64>);

/// How strongly what is known is held.
fn strengths(options: &mut Options<'_, '_>, known: &mut Knowledge) -> PyResult<()> {
    for (key, value) in [
        ("label_weight", &mut known.label_weight),
        ("strength", &mut known.strength),
        ("smoothing", &mut known.smoothing),
        ("graph_weight", &mut known.graph_weight),
    ] {
        if let Some(given) = options.get(key)? {
            *value = given;
        }
    }
    if let Some(unit) = options.get::<String>("strength_unit")? {
        let choices = [("relative", StrengthUnit::Relative), ("raw", StrengthUnit::Raw)];
        known.strength_unit = named("strength_unit", &unit, &choices)?;
    }
    if let Some(rule) = options.get::<String>("step_rule")? {
        let choices = [("own-class", StepRule::OwnClass), ("largest-class", StepRule::LargestClass)];
        known.step_rule = named("step_rule", &rule, &choices)?;
    }
    if let Some(scale) = options.get::<String>("anchor_scale")? {
        let choices = [
            ("joint", AnchorScale::Joint),
            ("alternating", AnchorScale::Alternating),
            ("fixed", AnchorScale::Fixed),
        ];
        known.anchor_scale = named("anchor_scale", &scale, &choices)?;
    }
    Ok(())
}

fn margins(options: &mut Options<'_, '_>) -> PyResult<Margins> {
    let mut margins = Margins::default();
    if let Some(weight) = options.get("discriminative_weight")? {
        margins.discriminative_weight = weight;
    }
    if let Some(cost) = options.get("cost")? {
        margins.cost = cost;
    }
    if let Some((n_labels, sets)) = options.get::<(usize, Vec<Option<Vec<u32>>>)>("label_sets")? {
        margins.label_sets = Some(LabelSets::new(n_labels, sets).map_err(value_error)?);
    }
    Ok(margins)
}

pub(crate) fn graph((n, indptr, neighbours, weights): &GraphArrays<'_>) -> PyResult<Graph> {
    let (indptr, neighbours, weights) = (indptr.as_slice()?, neighbours.as_slice()?, weights.as_slice()?);
    let row = |i: usize| (indptr[i]..indptr[i + 1]).map(move |at| (i, neighbours[at] as usize, weights[at]));
    let entries: Vec<_> = (0..*n).flat_map(row).collect();
    Graph::from_entries(*n, &entries).map_err(value_error)
}
