//! `partwise suggest`: what to label next.

use anyhow::{Context, Result};
use partwise::Matrix;
use partwise::recipes::{Owners, ShareOf, shares, suggest_from, suggest_links_from};
use partwise_io::ModelFile;
use serde_json::json;

use crate::classify;
use crate::evaluate::guiding_samples;
use crate::labels::label_table;
use crate::request::SuggestRequest;
use partwise_report::console::{self, Verbosity};
use partwise_report::program::Outcome;

/// Reads a result and prints a table, or JSON.
pub(crate) fn run(request: &SuggestRequest) -> Result<Outcome> {
    request.given.check_standard_input()?;
    let path = ModelFile::path_in(&request.result);
    let model = ModelFile::open(&path)?;
    let Memberships { codes, components, of, names } = memberships(&model)?;
    let samples = model.texts("row_names");
    let verbosity = Verbosity::of(false, request.json);
    if request.links {
        return pairs(request, (&codes, &components), of, samples.as_deref(), verbosity);
    }
    let mut known = guiding_samples(&model, codes.rows())?;
    if let Some(labels) = &request.labels {
        let table = label_table(labels, codes.rows(), samples.as_deref(), request.label_column.as_deref())?;
        table.notes.iter().for_each(|note| verbosity.note(note));
        for (known, set) in known.iter_mut().zip(&table.sets) {
            *known |= !set.is_empty();
        }
    }
    let known: Vec<usize> = (0..known.len()).filter(|i| known[*i]).collect();
    let found = suggest_from(&codes, &components, of, &known, request.count)
        .with_context(|| path.display().to_string())?;
    if request.json {
        let line = |s: &partwise::recipes::Suggestion| {
            json!({
                "sample": s.sample,
                "name": name_of(samples.as_deref(), s.sample),
                "doubt": s.doubt,
                "between": [names[s.between.0], names[s.between.1]],
            })
        };
        console::print_json(&json!(found.iter().map(line).collect::<Vec<_>>()));
        return Ok(Outcome::Done);
    }
    if found.is_empty() {
        verbosity.say("every sample is labelled, or has no codes");
        return Ok(Outcome::Done);
    }
    verbosity.say(&format!(
        "{:>8}   {:>5}   between{}",
        "sample",
        "doubt",
        if samples.is_some() { "   name" } else { "" }
    ));
    for s in &found {
        let (first, second) = s.between;
        let name = name_of(samples.as_deref(), s.sample).map_or(String::new(), |name| format!("   {name}"));
        verbosity
            .say(&format!("{:>8}   {:>5.2}   {} / {}{name}", s.sample, s.doubt, names[first], names[second]));
    }
    Ok(Outcome::Done)
}

/// What says where each sample belongs.
struct Memberships {
    codes: Matrix<f64>,
    components: Matrix<f64>,
    of: ShareOf,
    names: Vec<String>,
}

/// The posteriors of a classification, as its page has them; else the codes of the fit.
fn memberships(model: &ModelFile) -> Result<Memberships> {
    if let Some((posteriors, names)) = classify::posteriors(model) {
        let classes = posteriors.columns();
        let components = Matrix::from_fn(classes, classes, |i, j| f64::from(i == j));
        return Ok(Memberships { codes: posteriors, components, of: ShareOf::Sum, names });
    }
    let codes = model.tensor("codes").context("the model has no codes")?.to_matrix::<f64>();
    let components = model.tensor("components").context("the model has no components")?.to_matrix::<f64>();
    // Components of one topic are not to be told apart.
    let owners = Owners::new(&model.topics(), &model.component_names(components.rows()));
    let codes = owners.memberships(&shares(&codes, &components, model.shares_of()?));
    let count = codes.columns();
    let components = Matrix::from_fn(count, count, |i, j| f64::from(i == j));
    Ok(Memberships { codes, components, of: ShareOf::Sum, names: owners.names().to_vec() })
}

fn pairs(
    request: &SuggestRequest,
    (codes, components): (&Matrix<f64>, &Matrix<f64>),
    of: ShareOf,
    samples: Option<&[String]>,
    verbosity: Verbosity,
) -> Result<Outcome> {
    let found = suggest_links_from(codes, components, of, request.count)?;
    if request.json {
        let line = |p: &partwise::recipes::PairInDoubt| {
            json!({ "samples": [p.samples.0, p.samples.1],
            "names": samples.map(|_| [p.samples.0, p.samples.1].map(|i| name_of(samples, i))), "together": p.together, "closeness": p.closeness })
        };
        console::print_json(&json!(found.iter().map(line).collect::<Vec<_>>()));
        return Ok(Outcome::Done);
    }
    verbosity.say(&format!("{:>8} {:>8}   {:>9}   now", "sample", "sample", "closeness"));
    for p in &found {
        let now = if p.together { "together" } else { "apart" };
        let (one, other) = p.samples;
        let names = name_of(samples, one).zip(name_of(samples, other));
        let names = names.map_or(String::new(), |(one, other)| format!("   {one} / {other}"));
        verbosity.say(&format!("{one:>8} {other:>8}   {:>9.2}   {now}{names}", p.closeness));
    }
    if found.is_empty() {
        verbosity
            .say("there is no pair to suggest: no two samples are uncertain between the same two components");
    }
    Ok(Outcome::Done)
}

fn name_of(names: Option<&[String]>, sample: usize) -> Option<&str> {
    names.and_then(|names| names.get(sample)).map(String::as_str)
}
