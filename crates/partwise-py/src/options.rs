//! Settings, guidance and options of a method from dictionaries: a key that is absent (or `None`) means the library's default, one that is not known
//! is refused.

use std::time::Duration;

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use partwise::graphs::Graph;
use partwise::guidance::{Advice, Guidance, Strength};
use partwise::{
    Acceleration, AnchorScale, CodeReference, ComponentReference, Error, Init, LabelTargets, Labels, Loss,
    MethodOptions, Model, Settings, Slot, SolverChoice, StepRule,
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
    let mut options = Options { given, asked: Vec::new() };
    let guidance = guidance(name, &mut options)?;
    let numbers = method_options(&mut options)?;
    options.finish()?;
    let model = Model::from_name(name, guidance).and_then(|model| model.with_loss(loss));
    Ok(model.map_err(value_error)?.with_options(numbers))
}

/// A reference and the weights of its rows.
type Weighted<'py> = (PyReadonlyArray2<'py, f64>, PyReadonlyArray1<'py, f64>);

/// Targets and the marks of what is known of them.
type Pair<'py> = (PyReadonlyArray2<'py, f64>, PyReadonlyArray2<'py, f64>);

/// What is known, as items of guidance.
fn guidance(method: &str, options: &mut Options<'_, '_>) -> PyResult<Guidance> {
    let (strength, graph_strength) = strengths(method, options)?;
    let mut items = Vec::new();
    if let Some((classes, names)) = options.get::<(PyReadonlyArray1<'_, i32>, Vec<String>)>("labels")? {
        let labels = Labels::with_names(classes.as_slice()?, &names).map_err(value_error)?;
        items.push(Advice::labels(labels).with_strength(strength));
    }
    if let Some((reference, weight)) = options.get::<Weighted<'_>>("code_reference")? {
        let (reference, weight) = (to_matrix(&reference)?, weight.as_array().to_vec());
        items.push(Advice::CodeReference(CodeReference { reference, weight }));
    }
    if let Some((reference, weight)) = options.get::<Weighted<'_>>("component_reference")? {
        let (reference, weight) = (to_matrix(&reference)?, weight.as_array().to_vec());
        items.push(Advice::ComponentReference(ComponentReference { reference, weight }));
    }
    if let Some((targets, marks)) = options.get::<Pair<'_>>("label_targets")? {
        let targets = LabelTargets { targets: to_matrix(&targets)?, known: to_matrix(&marks)? };
        items.push(Advice::Targets { targets, strength });
    }
    if let Some(marks) = options.get::<PyReadonlyArray2<'_, f64>>("known_entries")? {
        items.push(Advice::KnownEntries(to_matrix(&marks)?));
    }
    if let Some(arrays) = options.get::<GraphArrays<'_>>("graph")? {
        items.push(Advice::Graph { graph: graph(&arrays)?, strength: graph_strength });
    }
    if let Some((n_labels, sets)) = options.get::<(usize, Vec<Option<Vec<u32>>>)>("label_sets")? {
        let names = (0..n_labels).map(|label| label.to_string()).collect();
        items.push(Advice::Sets { names, sets, strength: Strength::FIRM });
    }
    Ok(items.into_iter().fold(Guidance::default(), Guidance::with))
}

/// The strengths of labels and of a graph, from the numbers of the published methods.
fn strengths(method: &str, options: &mut Options<'_, '_>) -> PyResult<(Strength, Strength)> {
    let raw = match options.get::<String>("strength_unit")? {
        None => false,
        Some(unit) => named("strength_unit", &unit, &[("relative", false), ("raw", true)])?,
    };
    // A weight that enters as it is; a relative strength enters squared.
    let weight = |value: f64, raw| if raw { Strength::Raw(value) } else { Strength::of_sigma(value.sqrt()) };
    let label_weight = options.get::<f64>("label_weight")?.map(|value| weight(value, raw));
    let sigma = options.get::<f64>("strength")?;
    let strength = sigma.map(|value| if raw { Strength::Raw(value) } else { Strength::of_sigma(value) });
    let graph_weight = options.get::<f64>("graph_weight")?.unwrap_or(1.0);
    let graph = weight(graph_weight, raw || method != "ws-nmf");
    Ok((label_weight.or(strength).unwrap_or(Strength::FIRM), graph))
}

fn method_options(options: &mut Options<'_, '_>) -> PyResult<MethodOptions> {
    let mut out = MethodOptions::default();
    for (key, value) in [
        ("smoothing", &mut out.smoothing),
        ("discriminative_weight", &mut out.discriminative_weight),
        ("cost", &mut out.cost),
    ] {
        if let Some(given) = options.get(key)? {
            *value = given;
        }
    }
    if let Some(rule) = options.get::<String>("step_rule")? {
        out.step_rule = StepRule::from_name(&rule).map_err(value_error)?;
    }
    if let Some(scale) = options.get::<String>("anchor_scale")? {
        let choices = [
            ("joint", AnchorScale::Joint),
            ("alternating", AnchorScale::Alternating),
            ("fixed", AnchorScale::Fixed),
        ];
        out.anchor_scale = named("anchor_scale", &scale, &choices)?;
    }
    if let Some(components) = options.get("components_per_class")? {
        out.components_per_class = components;
    }
    out.image_shape = options.get("image_shape")?;
    out.coupling = options.get("coupling")?;
    Ok(out)
}

pub(crate) fn graph((n, indptr, neighbours, weights): &GraphArrays<'_>) -> PyResult<Graph> {
    let (indptr, neighbours, weights) = (indptr.as_slice()?, neighbours.as_slice()?, weights.as_slice()?);
    let row = |i: usize| (indptr[i]..indptr[i + 1]).map(move |at| (i, neighbours[at] as usize, weights[at]));
    let entries: Vec<_> = (0..*n).flat_map(row).collect();
    Graph::from_entries(*n, &entries).map_err(value_error)
}
