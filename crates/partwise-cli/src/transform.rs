//! `partwise transform`.

use std::collections::HashSet;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use partwise::internals::settings_for_new_rows;
use partwise::recipes::{Memberships, Owners};
use partwise::{DataMatrix, Fit, Matrix, Real, Settings, SolverChoice, StopReason};
use partwise_classify::{encode_by_classes, encode_by_scorer};
use partwise_io::{FORMATS, Matched, ModelFile, OutputFolder, Tensor, Values, order_by_name};
use serde_json::{Value, json};

use crate::classify::{ClassifierFile, is_single};
use crate::input::{self, Read, Source, Table};
use crate::progress::Progress;
use crate::request::choices::name_of;
use crate::request::{Codes, DataSource, TransformRequest};
use crate::words::{counted, ending, iterations};
use crate::{outputs, record};
use partwise_report::duration;
use partwise_report::{interrupt, program::Outcome};

/// What it writes, beside run.json.
const FILES: &[&str] = &["codes.npy", "codes.csv", "memberships.csv"];

/// Reads model and rows, finds the codes and the classes, writes.
pub(crate) fn run(request: &TransformRequest) -> Result<Outcome> {
    let folder = outputs::open(&request.write, FILES)?;
    let model = ModelFile::open(&ModelFile::path_in(&request.model))?;
    match is_single(&model) {
        true => run_in::<f32>(request, &model, folder),
        false => run_in::<f64>(request, &model, folder),
    }
}

/// What new rows are.
struct New<T: Real> {
    /// For a model with components.
    codes: Option<Coded<T>>,
    /// For a model with a classifier: the names of the classes, the posteriors and the class of each row.
    classes: Option<(Vec<String>, Matrix<f64>, Vec<usize>)>,
}

struct Coded<T: Real> {
    fit: Fit<T>,
    memberships: Memberships<T>,
    names: Vec<String>,
    settings: Settings,
}

fn run_in<T: Real>(request: &TransformRequest, model: &ModelFile, folder: OutputFolder) -> Result<Outcome> {
    let began = Instant::now();
    let (verbosity, path) = (request.write.verbosity(), ModelFile::path_in(&request.model));
    let components = model.tensor("components").map(Tensor::to_matrix::<T>);
    let classifier = ClassifierFile::<T>::of(model, &path)?;
    let features = match (&components, &classifier) {
        (Some(components), _) => components.columns(),
        (None, Some(classifier)) => classifier.n_features(),
        (None, None) => bail!("{}: the model has no components", path.display()),
    };
    let vocabulary = model.vocabulary(&path)?;
    if request.data.text.is_some() && vocabulary.is_none() {
        bail!("{}: the model was not fitted to texts, so it has no words to count", path.display());
    }
    let (data, taken) = in_layer_of(model, &request.data);
    let mut read = input::read_with(&data, vocabulary.as_ref());
    if let Some(layer) = &taken {
        let context = || format!("the model was fitted to \"{layer}\"; --layer reads another matrix");
        read = read.with_context(context);
    }
    let Read { values, mut source } = match vocabulary {
        Some(_) if data.text.is_none() => {
            read.context("the model was fitted to texts; --text reads new texts and counts their words")?
        }
        _ => read?,
    };
    source.notes.extend(note_of_layer(model, &source, taken.as_deref()));
    let values = with_features_of(model, values, &mut source, features)?;
    let (mut table, _) = Table::<T>::from_values(values, &mut source, false)?;
    table.scale(&model.scaling(&path)?);
    let data = table.into_data(&source.name)?;
    let samples = counted(source.rows, "sample", "samples");
    verbosity.say(&format!("read: {} ({}), {samples}", source.name, source.format));
    let read_seconds = began.elapsed().as_secs_f64();
    let classes = match classifier {
        None => None,
        Some(classifier) => {
            let threads = request.run.threads;
            source.notes.extend(classifier.notes(data.as_ref()));
            let posteriors = interrupt::work(|| classifier.posteriors(data.as_ref(), threads))??;
            let largest = |i: usize| {
                let row = posteriors.row(i);
                (0..row.len()).fold(0, |best, c| if row[c] > row[best] { c } else { best })
            };
            let classes: Vec<usize> = (0..posteriors.rows()).map(largest).collect();
            Some((classifier.classes, posteriors, classes))
        }
    };
    let of_rows = classes.as_ref().map(|(_, _, classes)| &classes[..]);
    let codes = components.map(|components| coded(request, model, data.as_ref(), &components, of_rows));
    let new = New { codes: codes.transpose()?, classes };
    let run = write(request, folder, &source, &new, read_seconds)?;
    source.notes.iter().for_each(|note| verbosity.note(note));
    if let Some(Coded { fit, settings, .. }) = &new.codes {
        notable(fit).for_each(|message| verbosity.note(message));
        verbosity.say(&format!(
            "transform: {} in {}; {} {:.4}",
            how_ended(fit, settings),
            duration(fit.elapsed.as_secs_f64()),
            fit.loss.error_name(),
            fit.relative_error
        ));
    }
    if new.classes.is_some() {
        verbosity.say("memberships.csv: the class of each row and its posteriors, by the classifier");
    }
    verbosity.say(&format!("result: {}", request.write.out().display()));
    Ok(outputs::end(&request.write, &run))
}

/// How the search for the codes ended. Block pivoting reaches the minimum in one round.
fn how_ended<T: Real>(fit: &Fit<T>, settings: &Settings) -> String {
    let exact = settings.solver == SolverChoice::Bpp && fit.stop == StopReason::IterationLimit;
    if exact && fit.iterations > 0 {
        return "solved exactly".into();
    }
    format!("{} after {}", ending(fit.stop), iterations(fit.iterations))
}

/// The data, from the layer that the fit read, unless another is asked for; and that layer, if it is taken.
/// Layers of one format of cells mean nothing in another.
fn in_layer_of(model: &ModelFile, data: &DataSource) -> (DataSource, Option<String>) {
    let mut data = data.clone();
    let whole = data.path.with_extension("");
    let compressed = data.path.extension().is_some_and(|end| end == "gz");
    let end = if compressed { whole.extension() } else { data.path.extension() };
    let format =
        FORMATS.iter().find(|format| end.is_some_and(|end| format.extensions.iter().any(|e| end == *e)));
    let of_fit = model.field("data.format").and_then(Value::as_str);
    let alike = format.is_some_and(|format| format.is_of_cells() && Some(format.name) == of_fit);
    let layer = model.field("data.layer").and_then(Value::as_str).map(String::from);
    let taken = layer.filter(|_| alike && data.options.layer.is_none());
    if taken.is_some() {
        data.options.layer.clone_from(&taken);
    }
    (data, taken)
}

/// Which matrix of a file of cells was read, where that is not plain: the one of the fit, or another one.
fn note_of_layer(model: &ModelFile, source: &Source, taken: Option<&str>) -> Option<String> {
    if let Some(layer) = taken {
        return Some(format!("\"{layer}\" was read, which the model was fitted to"));
    }
    let own = |layer: Option<&str>| match layer {
        None | Some("X") => "X".to_string(),
        Some("raw/X") => "raw".to_string(),
        Some("layers/raw") => "layers/raw".to_string(),
        Some(layer) => layer.strip_prefix("layers/").unwrap_or(layer).to_string(),
    };
    let of_fit = own(model.field("data.layer").and_then(Value::as_str));
    let read = own(source.layer.as_deref());
    let alike = model.field("data.format").and_then(Value::as_str) == Some(source.format.as_str());
    (alike && source.format == "h5ad" && of_fit != read).then(|| {
        format!(
            "these rows are of \"{read}\", but the model was fitted to \"{of_fit}\": the codes are right only if \
            both hold values of the same kind"
        )
    })
}

/// The codes of rows; with `classes` each row is drawn to the component of its class.
fn coded<T: Real>(
    request: &TransformRequest,
    model: &ModelFile,
    data: &dyn DataMatrix<T>,
    components: &Matrix<T>,
    classes: Option<&[usize]>,
) -> Result<Coded<T>> {
    let path = ModelFile::path_in(&request.model);
    let loss = model.loss()?.context("the model lacks its loss")?;
    let of_fit = model.field("settings.max_iterations").and_then(Value::as_u64);
    let settings = request.solver.settings(&request.run, of_fit.and_then(|count| count.try_into().ok()));
    let settings = settings_for_new_rows(&Settings { rank: components.rows(), ..settings }, loss);
    let mut progress = Progress::new(request.write.verbosity(), "transform", &settings);
    let encoding = model.encoding(&path)?;
    let guidance = model.guidance(&path)?.unwrap_or_default();
    let by = (&encoding, &guidance);
    let fit = match classes {
        Some(classes) => encode_by_classes(data, components, by, classes, (loss, &settings), &mut progress),
        None => encode_by_scorer(data, components, by, loss, &settings, &mut progress),
    };
    progress.finish();
    let fit = fit?;
    if interrupt::requested() && fit.iterations == 0 {
        return Err(interrupt::Stopped.into());
    }
    let of = request.content.shares.map_or_else(|| model.shares_of(), Ok)?;
    let names = model.component_names(components.rows());
    let memberships = Memberships::new(&fit.codes, components, of, Owners::new(&model.topics(), &names));
    Ok(Coded { fit, memberships, names, settings })
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
    let values = without_other_genes(values, source, theirs.as_deref());
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

/// Leaves out the genes that the model does not have: files of cells have all genes, models often few.
fn without_other_genes(values: Values, source: &mut Source, theirs: Option<&[String]>) -> Values {
    let of_cells = FORMATS.iter().any(|format| format.name == source.format && format.is_of_cells());
    let (Some(own), Some(theirs), true) = (&source.feature_names, theirs, of_cells) else { return values };
    let theirs: HashSet<&String> = theirs.iter().collect();
    let kept: Vec<usize> = (0..own.len()).filter(|j| theirs.contains(&own[*j])).collect();
    let others = own.len() - kept.len();
    if others == 0 || kept.is_empty() {
        return values;
    }
    source.notes.push(format!("{others} of the {} genes are not in the model and were left out", own.len()));
    let values = values.with_columns(&kept);
    source.feature_names = Some(kept.iter().map(|j| own[*j].clone()).collect());
    (source.columns, source.stored) = (kept.len(), values.n_stored());
    values
}

fn write<T: Real>(
    request: &TransformRequest,
    folder: OutputFolder,
    source: &Source,
    new: &New<T>,
    read_seconds: f64,
) -> Result<Value> {
    let began = Instant::now();
    let rows = source.row_names.as_deref();
    if let Some(Coded { fit, memberships, names, .. }) = &new.codes {
        let corrected = (request.content.codes == Codes::Corrected).then(|| fit.corrected_codes());
        let codes = corrected.as_ref().unwrap_or(&fit.codes);
        match new.classes {
            None => outputs::write_codes(&folder, codes, memberships, rows, names)?,
            Some(_) => outputs::write_codes_alone(&folder, codes, rows, names)?,
        }
    }
    if let Some((names, posteriors, classes)) = &new.classes {
        let classes: Vec<String> = classes.iter().map(|class| names[*class].clone()).collect();
        outputs::write_memberships(&folder, rows, &classes, posteriors, names)?;
    }
    let mut notes = source.notes.clone();
    let fit = new.codes.as_ref().map(|codes| &codes.fit);
    let settings = new.codes.as_ref().map(|codes| &codes.settings);
    notes.extend(fit.iter().flat_map(|fit| notable(fit)).map(String::from));
    let run = json!({
        "command": "transform",
        "versions": partwise_io::versions(),
        "model": ModelFile::path_in(&request.model).display().to_string(),
        "data": record::data_json(source, T::NAME),
        "settings": { "solver": fit.map(|fit| fit.solver), "seed": request.run.seed,
            "tolerance": settings.map(|settings| settings.tolerance),
            "max_iterations": settings.map(|settings| settings.max_iterations),
            "codes": name_of(request.content.codes),
            "shares_of": new.codes.as_ref().map(|codes| codes.memberships.of.name()) },
        "result": fit.map(record::result_json),
        "classes": new.classes.as_ref().map(|(names, ..)| names),
        "threads": fit.map(|fit| fit.threads),
        "seconds": { "read": read_seconds, "fit": fit.map(|fit| fit.elapsed.as_secs_f64()),
            "write": began.elapsed().as_secs_f64() },
        "peak_memory_bytes": partwise_io::machine::peak_memory(),
        "notes": notes,
    });
    outputs::finish(folder, run)
}
