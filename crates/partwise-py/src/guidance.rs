//! Guidance of any kind: guided fits, sweeps, suggestions and the automatic recipe. A [`Guidance`] arrives as a dictionary that
//! `python/partwise/_guidance.py` makes; here is no check that the library does.

use numpy::{Element, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use partwise::guidance::{Advice, Feature, Guidance, LabelRule, Seed, Strength, Topic};
use partwise::recipes::{
    self, AutomaticSettings, Candidate, CandidateGraph, GuidanceReport, StrengthRule, SweepPoint, Verdict,
    scaled,
};
use partwise::{DataMatrix, Labels, Loss, Real, Settings};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays::{into_array, to_matrix};
use crate::data::{Lent, View};
use crate::faults::value_error;
use crate::fitting::outcome;
use crate::options::{self, GraphArrays};
use crate::watching::Watcher;

/// A guidance, and which of its strengths are to be searched.
struct Given {
    guidance: Guidance,
    auto_topics: Vec<bool>,
    auto_items: Vec<bool>,
}

impl Given {
    /// What is searched at a scale, the rest as it is.
    fn at(&self, scale: f64) -> Guidance {
        let mut out = scaled(&self.guidance, scale);
        let mut stated = self.guidance.clone();
        let items = out.advice_mut().iter_mut().zip(stated.advice_mut()).zip(&self.auto_items);
        items.filter(|(_, auto)| !**auto).for_each(|((item, stated), _)| item.clone_from(stated));
        let topics = out.topics_mut().iter_mut().zip(self.guidance.topics()).zip(&self.auto_topics);
        topics.filter(|(_, auto)| !**auto).for_each(|((topic, stated), _)| topic.strength = stated.strength);
        out
    }

    fn searches(&self) -> bool {
        self.auto_topics.contains(&true) || self.auto_items.contains(&true)
    }
}

/// A strength: its unit (`"relative"`, `"raw"`, or `"auto"`: searched from the value), and its value.
type Stated = (String, f64);

fn strength((unit, value): &Stated) -> PyResult<(Strength, bool)> {
    match unit.as_str() {
        "relative" => Ok((Strength::Relative(*value), false)),
        "auto" => Ok((Strength::Relative(*value), true)),
        "raw" => Ok((Strength::Raw(*value), false)),
        other => Err(PyTypeError::new_err(format!(
            "unknown unit of a strength \"{other}\"; valid: relative, raw, auto"
        ))),
    }
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

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct GivenTopic {
    name: String,
    components: usize,
    seeds: Vec<(GivenFeature, f64)>,
    forbidden: Vec<GivenFeature>,
    strength: Stated,
}

/// Reads the dictionary `{topics, items, feature_names}`; an item is a pair of its kind and a dictionary.
fn guidance(given: &Bound<'_, PyDict>) -> PyResult<Given> {
    let need = |key: &str| {
        given.get_item(key)?.ok_or_else(|| PyTypeError::new_err(format!("the guidance lacks \"{key}\"")))
    };
    let (mut topics, mut auto_topics, mut auto_items) = (Vec::new(), Vec::new(), Vec::new());
    for topic in need("topics")?.extract::<Vec<GivenTopic>>()? {
        let (strength, auto) = strength(&topic.strength)?;
        auto_topics.push(auto);
        topics.push(Topic {
            name: topic.name,
            components: topic.components,
            seeds: topic
                .seeds
                .into_iter()
                .map(|(feature, weight)| Seed { feature: feature.into(), weight })
                .collect(),
            strength,
            forbidden: topic.forbidden.into_iter().map(Into::into).collect(),
        });
    }
    let mut guidance = Guidance::new(topics);
    for (kind, fields) in need("items")?.extract::<Vec<(String, Bound<'_, PyDict>)>>()? {
        let (item, auto) = item(&kind, &fields)?;
        guidance = guidance.with(item);
        auto_items.push(auto);
    }
    if let Some(names) = need("feature_names")?.extract::<Option<Vec<String>>>()? {
        guidance = guidance.with_feature_names(names);
    }
    Ok(Given { guidance, auto_topics, auto_items })
}

fn item(kind: &str, fields: &Bound<'_, PyDict>) -> PyResult<(Advice, bool)> {
    let get = |key: &str| {
        fields.get_item(key)?.ok_or_else(|| PyTypeError::new_err(format!("{kind} lack \"{key}\"")))
    };
    let stated = || strength(&get("strength")?.extract()?);
    Ok(match kind {
        "labels" => {
            let (strength, auto) = stated()?;
            let (classes, names): (PyReadonlyArray1<'_, i32>, Vec<String>) = get("labels")?.extract()?;
            let labels = Labels::with_names(classes.as_slice()?, &names).map_err(value_error)?;
            let choices = [
                ("components", LabelRule::Components),
                ("same-codes", LabelRule::SameCodes),
                ("view", LabelRule::View),
            ];
            let rule = options::named("rule of labels", &get("rule")?.extract::<String>()?, &choices)?;
            (Advice::Labels { labels, rule, strength }, auto)
        }
        "sets" => {
            let (strength, auto) = stated()?;
            (Advice::Sets { names: get("names")?.extract()?, sets: get("sets")?.extract()?, strength }, auto)
        }
        "memberships" => {
            let (strength, auto) = stated()?;
            let shares = to_matrix(&get("shares")?.extract::<PyReadonlyArray2<'_, f64>>()?)?;
            (Advice::Memberships { names: get("names")?.extract()?, shares, strength }, auto)
        }
        "references" => {
            let (strength, auto) = stated()?;
            let profiles = to_matrix(&get("profiles")?.extract::<PyReadonlyArray2<'_, f64>>()?)?;
            (Advice::References { names: get("names")?.extract()?, profiles, strength }, auto)
        }
        "links" => {
            let (strength, auto) = stated()?;
            (
                Advice::Links { must: get("must")?.extract()?, cannot: get("cannot")?.extract()?, strength },
                auto,
            )
        }
        "graph" => {
            let (strength, auto) = stated()?;
            let graph = options::graph(&get("graph")?.extract::<GraphArrays<'_>>()?)?;
            (Advice::Graph { graph, strength }, auto)
        }
        "sample weights" => (Advice::SampleWeights(get("weights")?.extract()?), false),
        "known entries" => {
            let known = to_matrix(&get("known")?.extract::<PyReadonlyArray2<'_, f64>>()?)?;
            (Advice::KnownEntries(known), false)
        }
        other => return Err(PyTypeError::new_err(format!("unknown kind of guidance \"{other}\""))),
    })
}

/// Factors data by guidance; the outcome of a fit, with `findings`, `agreement`, `topics` and, where strengths were searched, `searched`.
#[pyfunction]
pub(crate) fn fit_guided<'py>(
    py: Python<'py>,
    data: Lent<'py>,
    guidance: &Bound<'py, PyDict>,
    loss: &str,
    settings: &Bound<'py, PyDict>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let given = self::guidance(guidance)?;
    let loss = Loss::from_name(loss).map_err(value_error)?;
    let settings = options::settings(settings)?;
    let watcher = Watcher::new(callback);
    match data.view()? {
        View::F32(data) => fit_in(py, data.as_ref(), &given, loss, &settings, watcher),
        View::F64(data) => fit_in(py, data.as_ref(), &given, loss, &settings, watcher),
    }
}

fn fit_in<'py, T: Real + Element>(
    py: Python<'py>,
    data: &dyn DataMatrix<T>,
    given: &Given,
    loss: Loss,
    settings: &Settings,
    mut watcher: Watcher,
) -> PyResult<Bound<'py, PyDict>> {
    let done = py.detach(|| {
        let (guidance, searched) = match given.searches() {
            false => (given.guidance.clone(), None),
            true => {
                let rule = StrengthRule::default();
                let (scale, trace) =
                    recipes::auto_scale(data, &|scale| given.at(scale), loss, settings, &rule)?;
                (given.at(scale), Some((scale, trace)))
            }
        };
        let done = recipes::fit_guided(data, &guidance, loss, settings, &mut watcher)?;
        Ok((done, guidance, searched))
    });
    watcher.finish()?;
    let (done, guidance, searched) = done.map_err(value_error)?;
    let out = outcome(py, done.fit)?;
    out.set_item("findings", findings(py, &done.report)?)?;
    out.set_item("agreement", done.report.agreement())?;
    out.set_item("topics", guidance.all_topics())?;
    out.set_item("searched", searched.map(|(scale, trace)| (scale, points(&trace))))?;
    Ok(out)
}

/// The verdicts, and every finding as a dictionary.
fn findings<'py>(py: Python<'py>, report: &GuidanceReport) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for finding in &report.findings {
        let line = PyDict::new(py);
        line.set_item("kind", finding.kind)?;
        line.set_item("samples", &finding.samples)?;
        line.set_item("topic", &finding.topic)?;
        line.set_item("verdict", finding.verdict.name())?;
        line.set_item("message", &finding.message)?;
        let numbers = PyDict::new(py);
        for (name, value) in &finding.numbers {
            numbers.set_item(name, value)?;
        }
        line.set_item("numbers", numbers)?;
        list.append(line)?;
    }
    Ok(list)
}

fn points(points: &[SweepPoint]) -> Vec<(f64, f64, f64)> {
    points.iter().map(|point| (point.scale, point.relative_error, point.agreement)).collect()
}

/// Fit against agreement: `(scale, relative error, agreement)` for each scale of the strengths.
#[pyfunction]
pub(crate) fn sweep<'py>(
    py: Python<'py>,
    data: Lent<'py>,
    guidance: &Bound<'py, PyDict>,
    loss: &str,
    settings: &Bound<'py, PyDict>,
    scales: Vec<f64>,
) -> PyResult<Vec<(f64, f64, f64)>> {
    let given = self::guidance(guidance)?;
    let loss = Loss::from_name(loss).map_err(value_error)?;
    let settings = options::settings(settings)?;
    let mut found = Vec::new();
    for scale in scales {
        // One scale a detachment, so that Ctrl-C is heard between fits.
        py.check_signals()?;
        let guidance = &given.guidance;
        found.extend(
            match data.view()? {
                View::F32(data) => {
                    py.detach(|| recipes::sweep(data.as_ref(), guidance, loss, &settings, &[scale]))
                }
                View::F64(data) => {
                    py.detach(|| recipes::sweep(data.as_ref(), guidance, loss, &settings, &[scale]))
                }
            }
            .map_err(value_error)?,
        );
    }
    Ok(points(&found))
}

/// A sample, its doubt, and the two components between which it lies.
type Suggested = (usize, f64, (usize, usize));

/// What to label next, from codes (n × k) and components (k × d).
#[pyfunction]
pub(crate) fn suggest(
    codes: PyReadonlyArray2<'_, f64>,
    components: PyReadonlyArray2<'_, f64>,
    labelled: Vec<usize>,
    count: usize,
) -> PyResult<Vec<Suggested>> {
    let (codes, components) = (to_matrix(&codes)?, to_matrix(&components)?);
    let found = recipes::suggest_from(&codes, &components, &labelled, count).map_err(value_error)?;
    Ok(found.into_iter().map(|s| (s.sample, s.doubt, s.between)).collect())
}

/// The automatic recipe: classes of all samples from the labels of a few, and why.
#[pyfunction]
pub(crate) fn automatic<'py>(
    py: Python<'py>,
    data: Lent<'py>,
    labels: (PyReadonlyArray1<'py, i32>, Vec<String>),
    seed: u64,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let labels = Labels::with_names(labels.0.as_slice()?, &labels.1).map_err(value_error)?;
    let settings = AutomaticSettings { seed, threads, ..AutomaticSettings::default() };
    let found = match data.view()? {
        View::F32(data) => py.detach(|| recipes::automatic(data.as_ref(), &labels, &settings)),
        View::F64(data) => py.detach(|| recipes::automatic(data.as_ref(), &labels, &settings)),
    }
    .map_err(value_error)?;
    let out = PyDict::new(py);
    let candidate = |c: &Candidate| {
        let (graph, parts) = match c.graph {
            CandidateGraph::Data => ("data", None),
            CandidateGraph::Centroids => ("centroids", None),
            CandidateGraph::Codes(parts) => ("codes", Some(parts)),
        };
        (graph, parts, c.share, c.score, c.weight)
    };
    out.set_item("candidates", found.candidates.iter().map(candidate).collect::<Vec<_>>())?;
    let readings = found.readings.iter().map(|r| (r.kind.name(), r.score, r.weight));
    out.set_item("readings", readings.collect::<Vec<_>>())?;
    out.set_item("folds", found.folds)?;
    out.set_item("hidden", found.hidden)?;
    out.set_item("sizes", found.sizes)?;
    let notices: Vec<(&str, &str)> = found.notices.iter().map(|n| (n.code, n.message.as_str())).collect();
    out.set_item("notices", notices)?;
    out.set_item("labels", PyArray1::from_vec(py, found.labels))?;
    out.set_item("memberships", into_array(py, found.memberships)?)?;
    Ok(out)
}

/// The names of the verdicts, for counts that list all.
pub(crate) fn verdicts() -> Vec<&'static str> {
    Verdict::ALL.map(Verdict::name).to_vec()
}
