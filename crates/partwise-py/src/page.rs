//! The page of a fitted model, as the command line writes it.

use std::collections::HashMap;

use numpy::PyReadonlyArray2;
use partwise::methods::MethodSpec;
use partwise::recipes::{Level, Plausibility, ShareOf, Verdict, clusters, representatives, shares};
use partwise_page::picture::Polarity;
use partwise_page::{Again, Classes, FitPage, Judged, JudgedItem, JudgedLikeness, JudgedTopic, Progress};
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::to_matrix;
use crate::document;
use crate::errors::value_error;

/// Names and texts.
type Facts = Vec<(String, String)>;

/// The samples that represent each component, best first, with their memberships.
#[pyfunction]
pub(crate) fn representative_samples(
    codes: PyReadonlyArray2<'_, f64>,
    components: PyReadonlyArray2<'_, f64>,
    shares_of: &str,
    count: usize,
) -> PyResult<Vec<Vec<(usize, f64)>>> {
    let of = ShareOf::from_name(shares_of).map_err(value_error)?;
    Ok(representatives(&to_matrix(&codes)?, &to_matrix(&components)?, of, count))
}

/// What is read of a dictionary.
struct Given<'a, 'py>(&'a Bound<'py, PyDict>);

impl<'py> Given<'_, 'py> {
    fn find(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.0.get_item(name)?.filter(|value| !value.is_none()))
    }

    fn optional<V: FromPyObjectOwned<'py>>(&self, name: &str) -> PyResult<Option<V>> {
        let Some(value) = self.find(name)? else { return Ok(None) };
        value.extract::<V>().map(Some).map_err(|error| {
            let error: PyErr = error.into();
            PyTypeError::new_err(format!("{name}: {error}"))
        })
    }

    fn get<V: FromPyObjectOwned<'py>>(&self, name: &str) -> PyResult<V> {
        self.optional(name)?.ok_or_else(|| PyValueError::new_err(format!("{name} is missing")))
    }
}

/// The page, from codes (n × k), components (k × d), the data (n × d) where pictures are to be shown, and
/// everything else by name.
#[pyfunction]
#[pyo3(signature = (codes, components, data, facts, guidance))]
pub(crate) fn report_page(
    codes: PyReadonlyArray2<'_, f64>,
    components: PyReadonlyArray2<'_, f64>,
    data: Option<PyReadonlyArray2<'_, f64>>,
    facts: &Bound<'_, PyDict>,
    guidance: Option<&Bound<'_, PyDict>>,
) -> PyResult<String> {
    let given = Given(facts);
    let (codes, components) = (to_matrix(&codes)?, to_matrix(&components)?);
    let data = data.as_ref().map(to_matrix).transpose()?;
    let of = ShareOf::from_name(&given.get::<String>("shares_of")?).map_err(value_error)?;
    let of_samples = clusters(&shares(&codes, &components, of));
    let names: Vec<String> = given.get("component_names")?;
    let [sample_names, snippets, feature_names] =
        ["sample_names", "snippets", "feature_names"].map(|name| given.optional::<Vec<String>>(name));
    let (sample_names, snippets, feature_names) = (sample_names?, snippets?, feature_names?);
    let guidance = guidance.map(document::guidance).transpose()?;
    let spec = MethodSpec::from_name(&given.get::<String>("method")?).map_err(value_error)?;
    let classes = classes(&given)?;
    let rows = |sample: usize| data.as_ref().map_or(Vec::new(), |data| data.row(sample).to_vec());
    let history: Vec<(f64, f64, f64)> = given.get("history")?;
    let page = FitPage {
        title: given.get("title")?,
        component_names: &names,
        clusters: &of_samples,
        shares_of: of,
        sample_names: sample_names.as_deref(),
        snippets: snippets.as_deref(),
        feature_names: feature_names.as_deref(),
        image_shape: given.optional("image_shape")?,
        row: &rows,
        polarity: polarity(&given.get::<String>("pictures")?)?,
        topics: guidance.as_ref().map_or(&[], |guidance| guidance.topics()),
        report: judged(&given)?,
        classes: classes.as_ref().map(OwnClasses::view),
        explained: None,
        comparison: None,
        notes: given.get("notes")?,
        progress: Progress {
            history: history.into_iter().map(|(i, o, kkt)| (i, o, (!kkt.is_nan()).then_some(kkt))).collect(),
            tolerance: given.get("tolerance")?,
            ended: given.get("ended")?,
        },
        method: vec![
            ("Method".into(), format!("{} – {}", spec.title, spec.summary)),
            ("Minimizes".into(), spec.objective.into()),
            ("Reference".into(), spec.reference.into()),
            ("Differs".into(), spec.differs.into()),
        ],
        data: given.get("data")?,
        run: given.get("run")?,
        settings: given.get("settings")?,
        again: Again { command: given.get("command")?, facts: given.get::<Facts>("again")? },
        bibtex: spec.bibtex(),
        codes,
        components,
    };
    Ok(page.html())
}

/// Classes as Python knows them.
struct OwnClasses {
    names: Vec<String>,
    truth: Vec<i32>,
    used: Vec<bool>,
    held_out: Option<(f64, usize)>,
    measures: (Vec<String>, Vec<Vec<String>>),
}

impl OwnClasses {
    fn view(&self) -> Classes<'_> {
        Classes {
            names: &self.names,
            truth: &self.truth,
            used: &self.used,
            held_out: self.held_out,
            measures: self.measures.clone(),
        }
    }
}

fn classes(given: &Given<'_, '_>) -> PyResult<Option<OwnClasses>> {
    let Some(names) = given.optional::<Vec<String>>("class_names")? else { return Ok(None) };
    Ok(Some(OwnClasses {
        names,
        truth: given.get("truth")?,
        used: given.get("used")?,
        held_out: given.optional("held_out")?,
        measures: given.get("measures")?,
    }))
}

/// Which end of the scale of images is dark: "light" (white is large) or "ink".
fn polarity(name: &str) -> PyResult<Polarity> {
    match name {
        "light" => Ok(Polarity::Light),
        "ink" => Ok(Polarity::Ink),
        _ => Err(PyValueError::new_err(format!("pictures is '{name}', but must be 'light' or 'ink'"))),
    }
}

/// The value of this name.
fn named<T: Copy>(all: &[T], name_of: fn(T) -> &'static str, name: &str) -> PyResult<T> {
    all.iter().copied().find(|value| name_of(*value) == name).ok_or_else(|| {
        let valid: Vec<&str> = all.iter().copied().map(name_of).collect();
        PyValueError::new_err(format!("'{name}' must be one of {}", valid.join(", ")))
    })
}

/// The verdicts on the guidance, if it was judged.
fn judged(given: &Given<'_, '_>) -> PyResult<Option<Judged>> {
    let Some(agreement) = given.optional::<f64>("agreement")? else { return Ok(None) };
    let item = |of: &Bound<'_, PyDict>| -> PyResult<JudgedItem> {
        let of = Given(of);
        let mut numbers: Vec<_> = of.get::<HashMap<String, f64>>("numbers")?.into_iter().collect();
        numbers.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(JudgedItem {
            kind: of.get("kind")?,
            samples: of.get("samples")?,
            topic: of.optional("topic")?,
            verdict: named(Verdict::ALL, Verdict::name, &of.get::<String>("verdict")?)?,
            plausibility: named(Plausibility::ALL, Plausibility::name, &of.get::<String>("data")?)?,
            message: of.get("message")?,
            numbers,
        })
    };
    let topic = |of: &Bound<'_, PyDict>| -> PyResult<JudgedTopic> {
        let of = Given(of);
        Ok(JudgedTopic {
            topic: of.get("topic")?,
            level: named(Level::ALL, Level::name, &of.get::<String>("level")?)?,
            verdict: named(Verdict::ALL, Verdict::name, &of.get::<String>("verdict")?)?,
            plausibility: named(Plausibility::ALL, Plausibility::name, &of.get::<String>("data")?)?,
            message: of.get("message")?,
        })
    };
    let likeness = |of: &Bound<'_, PyDict>| -> PyResult<JudgedLikeness> {
        let of = Given(of);
        Ok(JudgedLikeness {
            component: of.get("component")?,
            samples: of.get("samples")?,
            mean_cosine: of.get("mean_cosine")?,
            shared_cosine: of.get("shared_cosine")?,
        })
    };
    Ok(Some(Judged {
        agreement,
        likeness: given
            .get::<Vec<Bound<'_, PyDict>>>("likeness")?
            .iter()
            .map(likeness)
            .collect::<PyResult<_>>()?,
        likeness_of: given.get("likeness_of")?,
        cost: given.optional("cost")?,
        items: given.get::<Vec<Bound<'_, PyDict>>>("findings")?.iter().map(item).collect::<PyResult<_>>()?,
        topics: given
            .get::<Vec<Bound<'_, PyDict>>>("topic_verdicts")?
            .iter()
            .map(topic)
            .collect::<PyResult<_>>()?,
    }))
}
