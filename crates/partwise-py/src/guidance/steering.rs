//! Steering: what an action makes of a guidance and of factors. Python keeps the states and fits.

use numpy::PyReadonlyArray2;
use partwise::guidance::{Feature, Guidance};
use partwise::recipes::{self, Action, Start};
use partwise::{DataMatrix, Matrix, Real};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{into_array, to_matrix};
use crate::data::{Lent, View};
use crate::document;
use crate::errors::value_error;

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

/// The new guidance, and codes and components to start its fit from. `action` is its name and a dictionary of
/// its fields.
#[pyfunction]
pub(crate) fn steered<'py>(
    py: Python<'py>,
    data: Lent<'py>,
    guidance: &Bound<'py, PyDict>,
    codes: PyReadonlyArray2<'py, f64>,
    components: PyReadonlyArray2<'py, f64>,
    action: (String, Bound<'py, PyDict>),
) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let known = document::guidance(guidance)?;
    let (codes, components) = (to_matrix(&codes)?, to_matrix(&components)?);
    let action = self::action(&action.0, &action.1)?;
    let (known, (codes, components)) = match data.view()? {
        View::F32(data) => apply(py, data.as_ref(), &known, &codes, &components, &action)?,
        View::F64(data) => apply(py, data.as_ref(), &known, &codes, &components, &action)?,
    };
    let changed = document::of_guidance(py, &known)?;
    Ok((changed, into_array(py, codes)?.into_any(), into_array(py, components)?.into_any()))
}

fn apply<T: Real>(
    py: Python<'_>,
    data: &dyn DataMatrix<T>,
    known: &Guidance,
    codes: &Matrix<f64>,
    components: &Matrix<f64>,
    action: &Action,
) -> PyResult<(Guidance, Start)> {
    py.detach(|| recipes::steered(data, known, codes, components, action)).map_err(value_error)
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
