//! A [`Guidance`] as the dictionary that [`given`](super::given) reads: what model files hold and what steering makes.

use numpy::PyArray1;
use partwise::guidance::{Advice, Feature, Guidance, Strength, Topic};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::given::RULES;
use crate::arrays::into_array;

/// The dictionary `{topics, items, feature_names}`.
pub(crate) fn guidance<'py>(py: Python<'py>, guidance: &Guidance) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    let topics = guidance.topics().iter().map(|topic| self::topic(py, topic));
    out.set_item("topics", topics.collect::<PyResult<Vec<_>>>()?)?;
    let items = PyList::empty(py);
    for advice in guidance.clone().advice_mut() {
        items.append((advice.kind(), item(py, advice)?))?;
    }
    out.set_item("items", items)?;
    out.set_item("feature_names", guidance.feature_names())?;
    Ok(out)
}

fn strength(strength: Strength) -> (&'static str, f64) {
    match strength {
        Strength::Relative(s) => ("relative", s),
        Strength::Raw(m) => ("raw", m),
    }
}

fn feature<'py>(py: Python<'py>, feature: &Feature) -> PyResult<Bound<'py, PyAny>> {
    match feature {
        Feature::Index(column) => column.into_bound_py_any(py),
        Feature::Name(name) => name.into_bound_py_any(py),
    }
}

fn topic<'py>(py: Python<'py>, topic: &Topic) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("name", &topic.name)?;
    out.set_item("components", topic.components)?;
    let seeds = topic.seeds.iter().map(|seed| Ok((feature(py, &seed.feature)?, seed.weight)));
    out.set_item("seeds", seeds.collect::<PyResult<Vec<_>>>()?)?;
    let forbidden = topic.forbidden.iter().map(|f| feature(py, f));
    out.set_item("forbidden", forbidden.collect::<PyResult<Vec<_>>>()?)?;
    out.set_item("strength", strength(topic.strength))?;
    Ok(out)
}

fn item<'py>(py: Python<'py>, advice: &Advice) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    if let Some(stated) = advice.strength() {
        out.set_item("strength", strength(stated))?;
    }
    match advice {
        Advice::Labels { labels, rule, .. } => {
            out.set_item("labels", (PyArray1::from_vec(py, labels.to_integers()), labels.names()))?;
            out.set_item("rule", RULES.iter().find(|(_, known)| known == rule).map(|(name, _)| *name))?;
        }
        Advice::Sets { names, sets, .. } => {
            out.set_item("names", names)?;
            out.set_item("sets", sets)?;
        }
        Advice::Memberships { names, shares, .. } => {
            out.set_item("names", names)?;
            out.set_item("shares", into_array(py, shares.clone())?)?;
        }
        Advice::References { names, profiles, .. } => {
            out.set_item("names", names)?;
            out.set_item("profiles", into_array(py, profiles.clone())?)?;
        }
        Advice::Links { must, cannot, .. } => {
            out.set_item("must", must)?;
            out.set_item("cannot", cannot)?;
        }
        Advice::Graph { graph, .. } => {
            let (mut indptr, mut indices, mut weights) = (vec![0_usize], Vec::new(), Vec::new());
            for i in 0..graph.n_samples() {
                let (to, of) = graph.neighbours(i);
                indices.extend_from_slice(to);
                weights.extend_from_slice(of);
                indptr.push(indices.len());
            }
            let arrays = (
                graph.n_samples(),
                PyArray1::from_vec(py, indptr),
                PyArray1::from_vec(py, indices),
                PyArray1::from_vec(py, weights),
            );
            out.set_item("graph", arrays)?;
        }
        Advice::SampleWeights(weights) | Advice::FeatureWeights(weights) => {
            out.set_item("weights", weights)?
        }
        Advice::KnownEntries(known) => out.set_item("known", into_array(py, known.clone())?)?,
        Advice::KnownFeatures(known) => {
            let offsets = PyArray1::from_slice(py, known.offsets());
            out.set_item("known", (offsets, PyArray1::from_slice(py, known.features())))?;
        }
        Advice::EntryWeights(weights) => out.set_item("weights", into_array(py, weights.clone())?)?,
        // Told by its kind; what reads it says that it doesn't know it.
        _ => {}
    }
    Ok(out)
}
