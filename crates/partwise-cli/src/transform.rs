//! `partwise transform`.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use partwise::{Encoding, Fit, Guidance, Loss, Matrix, Real, Scaling, Settings, SolverChoice};
use partwise_classify::encode_by_scorer;
use partwise_io::{Matched, ModelFile, OutputFolder, Tensor, Values, order_by_name};
use serde_json::{Value, json};

use crate::args::TransformArgs;
use crate::evaluate::{component_names, model_path, shares_of};
use crate::input::{self, Read, Source, Table};
use crate::job::{error_name, relative_kkt};
use crate::memberships::Memberships;
use crate::progress::Progress;
use crate::{outputs, precision, record, scale};
use partwise_report::console::{self, Verbosity};
use partwise_report::duration;
use partwise_report::{interrupt, program::Outcome};

/// What it writes, beside run.json.
const FILES: &[&str] = &["codes.npy", "codes.csv", "memberships.csv"];

/// Reads model and rows, finds the codes, writes.
pub(crate) fn run(args: &TransformArgs) -> Result<Outcome> {
    input::check_standard_input(&[("the model", Some(&args.model)), ("the data", Some(&args.read.data))])?;
    let folder = outputs::open(&args.write, FILES)?;
    let path = model_path(&args.model);
    let model = ModelFile::open(&path)?;
    match model
        .tensor("components")
        .with_context(|| format!("{}: the model has no components", path.display()))?
    {
        Tensor::F32(components) => run_in(args, &model, components, folder),
        Tensor::F64(components) => run_in(args, &model, components, folder),
    }
}

fn run_in<T: Real>(
    args: &TransformArgs,
    model: &ModelFile,
    components: &Matrix<T>,
    folder: OutputFolder,
) -> Result<Outcome> {
    let began = Instant::now();
    let verbosity = Verbosity::of(args.write.quiet, args.write.json);
    let Read { values, mut source } = input::read(&args.read, None)?;
    precision::check::<T>(&values, &mut source)?;
    let values = with_features_of(model, values, &mut source, components.columns())?;
    let mut table = Table::<T>::from_values(values, &source)?;
    let stored = Stored::read(model, &model_path(&args.model))?;
    scale::apply(&stored.scaling, &mut table);
    let data = table.into_data(&source.name)?;
    verbosity.say(&format!("read: {} ({}), {} samples", source.name, source.format, source.rows));
    let read_seconds = began.elapsed().as_secs_f64();
    let settings = Settings {
        solver: SolverChoice::from_name(&args.solver)?,
        seed: args.seed,
        tolerance: args.tol,
        max_iterations: args.max_iter,
        threads: args.threads,
        memory_limit: partwise_io::machine::available_memory(),
        ..Settings::new(components.rows())
    };
    let mut progress = Progress::new(verbosity, "transform", &settings);
    let by = (&stored.encoding, &stored.guidance);
    let fit = encode_by_scorer(data.matrix(), components, by, stored.loss, &settings, &mut progress);
    progress.finish();
    let fit = fit?;
    if interrupt::requested() && fit.iterations == 0 {
        return Err(interrupt::Stopped.into());
    }
    let names = component_names(model, components.rows());
    let memberships =
        Memberships::new(&fit.codes, components, shares_of(args.content.shares.as_deref(), model)?);
    let run = write(args, folder, &source, &fit, &memberships, &names, read_seconds)?;
    fit.notices.iter().for_each(|notice| verbosity.note(&notice.message));
    verbosity.say(&format!(
        "codes: {} after {} iterations in {}; {} {:.4}",
        fit.stop.name(),
        fit.iterations,
        duration(fit.elapsed.as_secs_f64()),
        error_name(fit.loss),
        fit.relative_error
    ));
    verbosity.say(&format!("written: {}", args.write.out.display()));
    if args.write.json {
        console::print_json(&run);
    }
    Ok(if interrupt::requested() { Outcome::Interrupted } else { Outcome::Done })
}

/// What a model keeps for new rows, beside the components.
struct Stored {
    loss: Loss,
    encoding: Encoding,
    scaling: Scaling,
    /// Of a guided model; it may hold a scorer for new rows.
    guidance: Guidance,
}

impl Stored {
    fn read(model: &ModelFile, path: &Path) -> Result<Self> {
        let document = Value::Object(model.document.clone());
        let numbers = |pointer: &str| -> Result<Vec<f64>> {
            let list = document.pointer(pointer).and_then(Value::as_array);
            let numbers: Option<Vec<f64>> = list.and_then(|list| list.iter().map(Value::as_f64).collect());
            numbers.with_context(|| format!("the model lacks {pointer}"))
        };
        let loss =
            document.pointer("/settings/loss").and_then(Value::as_str).context("the model lacks its loss")?;
        Ok(Stored {
            loss: Loss::from_name(loss)?,
            encoding: Encoding {
                ridge: numbers("/encoding/ridge")?,
                linear: numbers("/encoding/linear")?,
                smoothing: document.pointer("/encoding/smoothing").and_then(Value::as_f64).unwrap_or(0.0),
                feature_weights: match document.pointer("/encoding/feature_weights") {
                    None | Some(Value::Null) => None,
                    Some(_) => Some(numbers("/encoding/feature_weights")?),
                },
            },
            scaling: model.scaling(path)?,
            guidance: model.guidance(path)?.unwrap_or_default(),
        })
    }
}

/// The rows with the model's features, in its order where both have names.
fn with_features_of(
    model: &ModelFile,
    values: Values,
    source: &mut Source,
    features: usize,
) -> Result<Values> {
    let theirs = model.document.get("feature_names").and_then(Value::as_array);
    let theirs: Option<Vec<String>> =
        theirs.map(|names| names.iter().map(|name| name.as_str().unwrap_or_default().to_string()).collect());
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
    args: &TransformArgs,
    folder: OutputFolder,
    source: &Source,
    fit: &Fit<T>,
    memberships: &Memberships<T>,
    names: &[String],
    read_seconds: f64,
) -> Result<Value> {
    let began = Instant::now();
    let corrected = (args.content.codes == "corrected").then(|| fit.corrected_codes());
    let codes = corrected.as_ref().unwrap_or(&fit.codes);
    outputs::write_codes(&folder, codes, memberships, source.row_names.as_deref(), names)?;
    let mut notes = source.notes.clone();
    notes.extend(fit.notices.iter().map(|notice| notice.message.clone()));
    let run = json!({
        "command": "transform",
        "versions": partwise_io::versions(),
        "model": model_path(&args.model).display().to_string(),
        "data": record::data_json(source, T::NAME),
        "settings": { "solver": fit.solver, "seed": args.seed, "tolerance": args.tol, "max_iterations": args.max_iter,
            "codes": args.content.codes, "shares_of": memberships.of.name() },
        "result": {
            "objective": fit.objective,
            "relative_error": fit.relative_error,
            "relative_kkt": relative_kkt(fit),
            "stop": fit.stop.name(),
            "iterations": fit.iterations,
        },
        "threads": fit.threads,
        "seconds": { "read": read_seconds, "fit": fit.elapsed.as_secs_f64(), "write": began.elapsed().as_secs_f64() },
        "peak_memory_bytes": partwise_io::machine::peak_memory(),
        "notes": notes,
    });
    outputs::finish(folder, run)
}
