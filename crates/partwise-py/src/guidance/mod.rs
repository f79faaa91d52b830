//! Guidance of any kind: guided fits, sweeps, suggestions and steering.

pub(crate) mod steering;

use std::time::Instant;

use numpy::{Element, PyReadonlyArray2};
use partwise::blocks::caught;
use partwise::guidance::{ComponentsPerClass, Guidance};
use partwise::recipes::{
    self, Finding, GuidanceReport, Level, Likeness, Plausibility, ShareOf, StrengthRule, SweepPoint,
};
use partwise::recipes::{TopicVerdict, Verdict};
use partwise::{DataMatrix, Iteration, Loss, Model, Real, Settings};
use partwise_classify::{Phase, SpreadSettings, Spreading};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays::to_matrix;
use crate::checkpoint::{self, Kept, WithCheckpoints};
use crate::data::{Lent, View};
use crate::document;
use crate::errors::value_error;
use crate::fitting::{exception, outcome};
use crate::options;
use crate::progress::{self, watched, watched_reports};

/// What a guided fit reports on its way.
enum Report {
    /// A phase of the classifier, and the seconds so far.
    Phase(Phase, f64),
    /// An iteration of the fit.
    Iteration(Iteration),
}

/// Three arguments for a phase (name, part that is done, seconds), four for an iteration.
fn call(py: Python<'_>, callback: &Py<PyAny>, report: &Report) -> PyResult<Py<PyAny>> {
    match report {
        Report::Phase(phase, elapsed) => callback.call1(py, (phase.to_string(), phase.done(), *elapsed)),
        Report::Iteration(iteration) => progress::call(py, callback, iteration),
    }
}

/// Factors data by guidance; the outcome of a fit, with `topic_verdicts`, `findings`, `agreement`, `topics`
/// and, where strengths were searched, `searched`. `spread` is the name of a [`Spreading`]; without it the
/// guidance is fitted as it is. `components_per_class`: a number, which the topics have already, or "auto".
/// `callback` gets three arguments for a phase of the classifier, four for an
/// iteration.
#[pyfunction]
#[pyo3(signature = (data, guidance, loss, settings, callback, spread=None, components_per_class=None))]
#[allow(clippy::too_many_arguments)] // Arguments of a Python function.
pub(crate) fn fit_guided<'py>(
    py: Python<'py>,
    data: Lent<'py>,
    guidance: &Bound<'py, PyDict>,
    loss: &str,
    settings: &Bound<'py, PyDict>,
    callback: Option<Py<PyAny>>,
    spread: Option<&str>,
    components_per_class: Option<&str>,
) -> PyResult<Bound<'py, PyDict>> {
    let given = document::guidance(guidance)?;
    let loss = Loss::from_name(loss).map_err(value_error)?;
    let kept = checkpoint::kept(settings, data.is_first())?;
    let settings = options::settings(settings)?;
    let number = components_per_class.map(ComponentsPerClass::from_text).transpose().map_err(value_error)?;
    let settings_of = |name| {
        let (spreading, components_per_class) = (Spreading::from_name(name)?, number.unwrap_or_default());
        Ok(SpreadSettings { spreading, components_per_class })
    };
    let spread = spread.map(settings_of).transpose().map_err(value_error)?;
    let lent = &data;
    let how = (&settings, kept.as_ref());
    match data.any_view()? {
        View::F32(view) => fit_in(py, (lent, view.as_ref()), &given, loss, how, callback.as_ref(), spread),
        View::F64(view) => fit_in(py, (lent, view.as_ref()), &given, loss, how, callback.as_ref(), spread),
    }
}

fn fit_in<'py, T: Real + Element>(
    py: Python<'py>,
    (lent, data): (&Lent<'_>, &dyn DataMatrix<T>),
    given: &Guidance,
    loss: Loss,
    (settings, kept): (&Settings, Option<&Kept>),
    callback: Option<&Py<PyAny>>,
    spreading: Option<SpreadSettings>,
) -> PyResult<Bound<'py, PyDict>> {
    let began = Instant::now();
    let done = watched_reports(py, callback, &call, |report| {
        caught(|| {
            let (guidance, searched) = match given.searches() {
                false => (given.clone(), None),
                true => {
                    let at = |scale| recipes::at_scale(given, scale);
                    let (scale, trace) =
                        recipes::auto_scale(data, &at, loss, settings, &StrengthRule::default())?;
                    (at(scale), Some((scale, trace)))
                }
            };
            let (guidance, rank, notices) = match spreading {
                None => (guidance, settings.rank, Vec::new()),
                Some(how) => {
                    let mut observe = |phase| {
                        // A fit without what it should spread would be another one: nothing to stop here.
                        let _ = report(Report::Phase(phase, began.elapsed().as_secs_f64()));
                    };
                    let found = partwise_classify::spread_observed(
                        data,
                        &guidance,
                        loss,
                        settings,
                        how,
                        &mut observe,
                    )?;
                    (found.guidance, found.rank, found.notices)
                }
            };
            let mut observer = |iteration: &Iteration| report(Report::Iteration(*iteration));
            let settings = Settings { rank, ..settings.clone() };
            let model = Model::guided(guidance.clone()).with_loss(loss)?;
            let mut observer = WithCheckpoints::new(kept, data, (&model, &settings), &mut observer)?;
            let mut done = recipes::fit_guided(data, &guidance, loss, &settings, &mut observer)?;
            observer.finish(&mut done.fit);
            done.fit.notices.extend(notices);
            Ok((done, guidance, searched))
        })
    })?;
    let (done, guidance, searched) = done.map_err(|error| exception(lent, kept, error))?;
    let out = outcome(py, done.fit)?;
    reported(py, &out, &done.report, &guidance)?;
    // What was searched or derived is not what was given.
    let fitted = (guidance != *given).then(|| document::of_guidance(py, &guidance)).transpose()?;
    out.set_item("fitted_guidance", fitted)?;
    out.set_item("searched", searched.map(|(scale, trace)| (scale, points(&trace))))?;
    Ok(out)
}

/// Puts the report on a guidance, its topics and its labelled samples into an outcome.
fn reported<'py>(
    py: Python<'py>,
    out: &Bound<'py, PyDict>,
    report: &GuidanceReport,
    guidance: &Guidance,
) -> PyResult<()> {
    out.set_item("topic_verdicts", topic_verdicts(py, &report.topics)?)?;
    out.set_item("findings", findings(py, &report.findings)?)?;
    out.set_item("derived", findings(py, &report.derived)?)?;
    out.set_item("likeness", likeness(py, &report.likeness)?)?;
    out.set_item("likeness_of", report.likeness_of)?;
    out.set_item("cost", report.cost.map(|cost| (cost.guided, cost.unguided, cost.sentence())))?;
    out.set_item("agreement", report.agreement())?;
    out.set_item("topics", guidance.all_topics())?;
    out.set_item("labelled", guidance.labelled_samples())
}

/// The verdict on every topic as a dictionary.
fn topic_verdicts<'py>(py: Python<'py>, verdicts: &[TopicVerdict]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for verdict in verdicts {
        let line = PyDict::new(py);
        line.set_item("topic", &verdict.topic)?;
        line.set_item("level", verdict.level.name())?;
        line.set_item("verdict", verdict.verdict.name())?;
        line.set_item("data", verdict.plausibility.name())?;
        line.set_item("taken_by", &verdict.taken_by)?;
        line.set_item("message", &verdict.message)?;
        line.set_item("numbers", numbers(py, &verdict.numbers)?)?;
        list.append(line)?;
    }
    Ok(list)
}

/// How much each component looks like the samples of its class, as a dictionary each.
pub(crate) fn likeness<'py>(py: Python<'py>, lines: &[Likeness]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for line in lines {
        let of = PyDict::new(py);
        of.set_item("component", &line.component)?;
        of.set_item("topic", &line.topic)?;
        of.set_item("samples", line.samples)?;
        of.set_item("mean_cosine", line.mean_cosine)?;
        of.set_item("shared_cosine", line.shared_cosine)?;
        of.set_item("message", line.sentence())?;
        list.append(of)?;
    }
    Ok(list)
}

fn numbers<'py>(py: Python<'py>, numbers: &[(&'static str, f64)]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in numbers {
        dict.set_item(name, value)?;
    }
    Ok(dict)
}

/// Every finding as a dictionary.
fn findings<'py>(py: Python<'py>, findings: &[Finding]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for finding in findings {
        let line = PyDict::new(py);
        line.set_item("kind", finding.kind)?;
        line.set_item("samples", &finding.samples)?;
        line.set_item("topic", &finding.topic)?;
        line.set_item("verdict", finding.verdict.name())?;
        line.set_item("data", finding.plausibility.name())?;
        line.set_item("message", &finding.message)?;
        line.set_item("numbers", numbers(py, &finding.numbers)?)?;
        list.append(line)?;
    }
    Ok(list)
}

fn points(points: &[SweepPoint]) -> Vec<(f64, f64, f64)> {
    points.iter().map(|point| (point.scale, point.relative_error, point.agreement)).collect()
}

/// What the user should know of features that the guidance names and the data do not have, where many fits
/// follow: a single one has these among its notices.
#[pyfunction]
pub(crate) fn unknown_features(guidance: &Bound<'_, PyDict>) -> PyResult<Vec<String>> {
    let notices = document::guidance(guidance)?.unknown_features();
    Ok(notices.into_iter().map(|notice| notice.message).collect())
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
    let given = document::guidance(guidance)?;
    let loss = Loss::from_name(loss).map_err(value_error)?;
    let settings = options::settings(settings)?;
    let guidance = &given;
    let found = match data.view()? {
        View::F32(data) => {
            watched(py, None, |_| recipes::sweep(data.as_ref(), guidance, loss, &settings, &scales))?
        }
        View::F64(data) => {
            watched(py, None, |_| recipes::sweep(data.as_ref(), guidance, loss, &settings, &scales))?
        }
    }
    .map_err(value_error)?;
    Ok(points(&found))
}

/// A sample, its doubt, and the two components between which it lies.
type Suggested = (usize, f64, (usize, usize));

/// What to label next, from codes (n × k) and components (k × d); what shares are shares of: `"length"` or
/// `"sum"`.
#[pyfunction]
pub(crate) fn suggest(
    codes: PyReadonlyArray2<'_, f64>,
    components: PyReadonlyArray2<'_, f64>,
    shares_of: &str,
    labelled: Vec<usize>,
    count: usize,
) -> PyResult<Vec<Suggested>> {
    let (codes, components) = (to_matrix(&codes)?, to_matrix(&components)?);
    let of = ShareOf::from_name(shares_of).map_err(value_error)?;
    let found = recipes::suggest_from(&codes, &components, of, &labelled, count).map_err(value_error)?;
    Ok(found.into_iter().map(|s| (s.sample, s.doubt, s.between)).collect())
}

/// A pair of samples, whether they are together now, and how alike their shares are.
type Doubted = ((usize, usize), bool, f64);

/// The pairs of samples most in doubt, from codes (n × k) and components (k × d).
#[pyfunction]
pub(crate) fn suggest_links(
    codes: PyReadonlyArray2<'_, f64>,
    components: PyReadonlyArray2<'_, f64>,
    shares_of: &str,
    count: usize,
) -> PyResult<Vec<Doubted>> {
    let (codes, components) = (to_matrix(&codes)?, to_matrix(&components)?);
    let of = ShareOf::from_name(shares_of).map_err(value_error)?;
    let found = recipes::suggest_links_from(&codes, &components, of, count).map_err(value_error)?;
    Ok(found.into_iter().map(|pair| (pair.samples, pair.together, pair.closeness)).collect())
}

/// The names of the verdicts, for counts that list all.
pub(crate) fn verdicts() -> Vec<&'static str> {
    Verdict::ALL.iter().map(|verdict| verdict.name()).collect()
}

/// The words for whether the data agree.
pub(crate) fn plausibilities() -> Vec<&'static str> {
    Plausibility::ALL.iter().map(|plausibility| plausibility.name()).collect()
}

/// The levels of topics.
pub(crate) fn levels() -> Vec<&'static str> {
    Level::ALL.iter().map(|level| level.name()).collect()
}
