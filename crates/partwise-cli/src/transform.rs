//! `partwise transform`.

use std::time::Instant;

use anyhow::{Context, Result, bail};
use partwise::recipes::Memberships;
use partwise::{Fit, Matrix, Real, Settings};
use partwise_classify::encode_by_scorer;
use partwise_io::{Matched, ModelFile, OutputFolder, Tensor, Values, order_by_name};
use serde_json::{Value, json};

use crate::evaluate::model_path;
use crate::input::{self, Read, Source, Table};
use crate::job::error_name;
use crate::progress::Progress;
use crate::request::choices::name_of;
use crate::request::{Codes, TransformRequest};
use crate::words::{ending, iterations};
use crate::{outputs, record};
use partwise_report::duration;
use partwise_report::{interrupt, program::Outcome};

/// What it writes, beside run.json.
const FILES: &[&str] = &["codes.npy", "codes.csv", "memberships.csv"];

/// Reads model and rows, finds the codes, writes.
pub(crate) fn run(request: &TransformRequest) -> Result<Outcome> {
    let folder = outputs::open(&request.write, FILES)?;
    let path = model_path(&request.model);
    let model = ModelFile::open(&path)?;
    match model
        .tensor("components")
        .with_context(|| format!("{}: the model has no components", path.display()))?
    {
        Tensor::F32(components) => run_in(request, &model, components, folder),
        Tensor::F64(components) => run_in(request, &model, components, folder),
    }
}

fn run_in<T: Real>(
    request: &TransformRequest,
    model: &ModelFile,
    components: &Matrix<T>,
    folder: OutputFolder,
) -> Result<Outcome> {
    let began = Instant::now();
    let verbosity = request.write.verbosity();
    let path = model_path(&request.model);
    let vocabulary = model.vocabulary(&path)?;
    if request.data.text.is_some() && vocabulary.is_none() {
        bail!("{}: the model was not fitted to texts, so it has no words to count", path.display());
    }
    let Read { values, mut source } = input::read_with(&request.data, vocabulary.as_ref())?;
    let values = with_features_of(model, values, &mut source, components.columns())?;
    let (mut table, _) = Table::<T>::from_values(values, &mut source, false)?;
    let loss = model.loss()?.context("the model lacks its loss")?;
    table.scale(&model.scaling(&path)?);
    let data = table.into_data(&source.name)?;
    verbosity.say(&format!("read: {} ({}), {} samples", source.name, source.format, source.rows));
    let read_seconds = began.elapsed().as_secs_f64();
    let settings = Settings { rank: components.rows(), ..request.settings.clone() };
    let mut progress = Progress::new(verbosity, "transform", &settings);
    let encoding = model.encoding(&path)?;
    let guidance = model.guidance(&path)?.unwrap_or_default();
    let by = (&encoding, &guidance);
    let fit = encode_by_scorer(data.as_ref(), components, by, loss, &settings, &mut progress);
    progress.finish();
    let fit = fit?;
    if interrupt::requested() && fit.iterations == 0 {
        return Err(interrupt::Stopped.into());
    }
    let names = model.component_names(components.rows());
    let of = request.content.shares.map_or_else(|| model.shares_of(), Ok)?;
    let memberships = Memberships::new(&fit.codes, components, of);
    let run = write(request, folder, &source, &fit, &memberships, &names, read_seconds)?;
    source.notes.iter().for_each(|note| verbosity.note(note));
    notable(&fit).for_each(|message| verbosity.note(message));
    verbosity.say(&format!(
        "transform: {} after {} in {}; {} {:.4}",
        ending(fit.stop),
        iterations(fit.iterations),
        duration(fit.elapsed.as_secs_f64()),
        error_name(fit.loss),
        fit.relative_error
    ));
    verbosity.say(&format!("result: {}", request.write.out.display()));
    Ok(outputs::end(&request.write, &run))
}

/// The notices of the encoding. That new rows lack some features is usual.
fn notable<T: Real>(fit: &Fit<T>) -> impl Iterator<Item = &str> {
    fit.notices.iter().filter(|notice| notice.code != "zero-columns").map(|notice| notice.message.as_str())
}

/// The rows with the model's features, in its order where both have names.
fn with_features_of(
    model: &ModelFile,
    values: Values,
    source: &mut Source,
    features: usize,
) -> Result<Values> {
    let theirs = model.texts("feature_names");
    let order = order_by_name(source.feature_names.as_deref(), theirs.as_deref(), Matched::FEATURES_OF_MODEL)
        .map_err(|message| anyhow::anyhow!("{}: {message}", source.name))?;
    let Some(order) = order else {
        if source.columns != features {
            bail!("{}: the data have {} features, but the model has {features}", source.name, source.columns);
        }
        return Ok(values);
    };
    source.feature_names = theirs;
    source.columns = features;
    source.notes.push("the columns were put in the order of the model, by name".into());
    Ok(values.with_columns(&order))
}

fn write<T: Real>(
    request: &TransformRequest,
    folder: OutputFolder,
    source: &Source,
    fit: &Fit<T>,
    memberships: &Memberships<T>,
    names: &[String],
    read_seconds: f64,
) -> Result<Value> {
    let (began, settings) = (Instant::now(), &request.settings);
    let corrected = (request.content.codes == Codes::Corrected).then(|| fit.corrected_codes());
    let codes = corrected.as_ref().unwrap_or(&fit.codes);
    outputs::write_codes(&folder, codes, memberships, source.row_names.as_deref(), names)?;
    let mut notes = source.notes.clone();
    notes.extend(notable(fit).map(String::from));
    let run = json!({
        "command": "transform",
        "versions": partwise_io::versions(),
        "model": model_path(&request.model).display().to_string(),
        "data": record::data_json(source, T::NAME),
        "settings": { "solver": fit.solver, "seed": settings.seed,
            "tolerance": settings.tolerance, "max_iterations": settings.max_iterations,
            "codes": name_of(request.content.codes), "shares_of": memberships.of.name() },
        "result": record::result_json(fit),
        "threads": fit.threads,
        "seconds": { "read": read_seconds, "fit": fit.elapsed.as_secs_f64(), "write": began.elapsed().as_secs_f64() },
        "peak_memory_bytes": partwise_io::machine::peak_memory(),
        "notes": notes,
    });
    outputs::finish(folder, run)
}
