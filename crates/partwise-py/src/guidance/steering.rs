//! Steering: an action and the fit after it. Python keeps the states.

use numpy::{Element, PyReadonlyArray2};
use partwise::guidance::Feature;
use partwise::recipes::{self, Action, Changes, GuidedFit, Now, Others, Steered};
use partwise::{DataMatrix, Loss, Real, Settings};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::reported;
use crate::arrays::to_matrix;
use crate::data::{Lent, View};
use crate::document;
use crate::errors::value_error;
use crate::fitting::outcome;
use crate::options;
use crate::progress::watched;

/// The guidance with every component in a topic, free ones under the names that a fit gives them.
#[pyfunction]
pub(crate) fn with_all_topics<'py>(
    py: Python<'py>,
    guidance: &Bound<'py, PyDict>,
    rank: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let known = document::guidance(guidance)?;
    document::of_guidance(py, &recipes::with_all_topics(known, rank))
}

/// Does an action (its name and a dictionary of its fields) and fits again: the outcome of the fit as
/// `fit_guided` gives it, with the new `guidance` and the `changes`. `others` is the name of an [`Others`].
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "the arguments of a fit, the action and the state")]
pub(crate) fn steer<'py>(
    py: Python<'py>,
    data: Lent<'py>,
    guidance: &Bound<'py, PyDict>,
    factors: (PyReadonlyArray2<'py, f64>, PyReadonlyArray2<'py, f64>),
    action: (String, Bound<'py, PyDict>),
    others: &str,
    loss: &str,
    settings: &Bound<'py, PyDict>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let known = document::guidance(guidance)?;
    let (codes, components) = (to_matrix(&factors.0)?, to_matrix(&factors.1)?);
    let job = Job {
        now: Now { guidance: &known, codes: &codes, components: &components },
        action: self::action(&action.0, &action.1)?,
        others: Others::from_name(others).map_err(value_error)?,
        loss: Loss::from_name(loss).map_err(value_error)?,
        settings: options::settings(settings)?,
    };
    match data.view()? {
        View::F32(data) => job.run(py, data.as_ref(), callback.as_ref()),
        View::F64(data) => job.run(py, data.as_ref(), callback.as_ref()),
    }
}

struct Job<'j> {
    now: Now<'j>,
    action: Action,
    others: Others,
    loss: Loss,
    settings: Settings,
}

impl Job<'_> {
    fn run<'py, T: Real + Element>(
        &self,
        py: Python<'py>,
        data: &dyn DataMatrix<T>,
        callback: Option<&Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let done = watched(py, callback, |observer| {
            recipes::steer(data, &self.now, &self.action, self.others, self.loss, &self.settings, observer)
        })?;
        let Steered { guidance, done: GuidedFit { fit, report, .. }, changes, .. } =
            done.map_err(value_error)?;
        let out = outcome(py, fit)?;
        reported(py, &out, &report, &guidance)?;
        out.set_item("searched", py.None())?;
        out.set_item("guidance", document::of_guidance(py, &guidance)?)?;
        out.set_item("changes", changed(py, &changes)?)?;
        Ok(out)
    }
}

/// What an action changed, as a list of dictionaries and the fraction of samples that moved.
fn changed<'py>(py: Python<'py>, changes: &Changes) -> PyResult<(Bound<'py, PyList>, f64)> {
    let list = PyList::empty(py);
    for change in &changes.topics {
        let line = PyDict::new(py);
        line.set_item("topic", &change.topic)?;
        line.set_item("named", change.named)?;
        line.set_item("cosine", change.cosine)?;
        line.set_item("left", change.left)?;
        line.set_item("samples_before", change.samples.0)?;
        line.set_item("samples", change.samples.1)?;
        line.set_item("like", &change.like)?;
        list.append(line)?;
    }
    Ok((list, changes.moved))
}

#[derive(FromPyObject)]
enum GivenFeature {
    #[pyo3(transparent)]
    Index(usize),
    #[pyo3(transparent)]
    Name(String),
}

impl From<GivenFeature> for Feature {
    fn from(given: GivenFeature) -> Self {
        match given {
            GivenFeature::Index(at) => Feature::Index(at),
            GivenFeature::Name(name) => Feature::Name(name),
        }
    }
}

fn action(name: &str, fields: &Bound<'_, PyDict>) -> PyResult<Action> {
    let get = |key: &str| {
        fields.get_item(key)?.ok_or_else(|| PyTypeError::new_err(format!("{name} lacks \"{key}\"")))
    };
    let text = |key: &str| get(key)?.extract::<String>();
    let feature = || Ok::<Feature, PyErr>(get("feature")?.extract::<GivenFeature>()?.into());
    Ok(match name {
        "rename" => Action::Rename { topic: text("topic")?, to: text("to")? },
        "merge" => Action::Merge { keep: text("keep")?, with: text("with")? },
        "split" => {
            let seeds = get("seeds")?.extract::<Vec<GivenFeature>>()?;
            let seeds = seeds.into_iter().map(Into::into).collect();
            Action::Split { topic: text("topic")?, new: text("new")?, seeds }
        }
        "delete" => Action::Delete { topic: text("topic")? },
        "move" => Action::Move { sample: get("sample")?.extract()?, to: text("to")? },
        "raise" => Action::Raise { topic: text("topic")?, feature: feature()?, by: get("by")?.extract()? },
        "forbid" => Action::Forbid { topic: text("topic")?, feature: feature()? },
        "pin" => Action::Pin { topic: text("topic")? },
        other => return Err(PyTypeError::new_err(format!("unknown action \"{other}\""))),
    })
}
