//! `partwise transform`.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use partwise::{Encoding, Fit, Loss, Matrix, Real, Scaling, Settings, SolverChoice, encode};
use partwise_io::{ModelFile, OutputFolder, Tensor};
use serde_json::{Value, json};

use crate::args::TransformArgs;
use crate::console::{self, Verbosity};
use crate::evaluate::{component_names, model_path, shares_of};
use crate::input::{self, Read, Source, Table};
use crate::job::{error_name, relative_kkt};
use crate::memberships::Memberships;
use crate::progress::{Progress, duration};
use crate::{Outcome, interrupt, outputs, record, scale};

/// Reads model and rows, finds the codes, writes.
pub(crate) fn run(args: &TransformArgs) -> Result<Outcome> {
    outputs::check_target(&args.write.out, args.write.force)?;
    let path = model_path(&args.model);
    let model = ModelFile::read(&path)?;
    match model
        .tensor("components")
        .with_context(|| format!("{}: the model has no components", path.display()))?
    {
        Tensor::F32(components) => run_in(args, &model, components),
        Tensor::F64(components) => run_in(args, &model, components),
    }
}

fn run_in<T: Real>(args: &TransformArgs, model: &ModelFile, components: &Matrix<T>) -> Result<Outcome> {
    let began = Instant::now();
    let verbosity = Verbosity::of(args.write.quiet, args.write.json);
    let Read { values, source } = input::read(&args.read, None)?;
    check_features(model, &source, components.columns())?;
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
        ..Settings::new(components.rows())
    };
    let mut progress = Progress::new(verbosity, "transform", &settings);
    let fit = encode(data.matrix(), components, &stored.encoding, stored.loss, &settings, &mut progress);
    progress.finish();
    let fit = fit?;
    let names = component_names(model, components.rows());
    let memberships =
        Memberships::new(&fit.codes, components, shares_of(args.write.shares.as_deref(), model)?);
    let run = write(args, &source, &fit, &memberships, &names, read_seconds)?;
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
        console::print_raw(&format!("{run:#}"));
    }
    Ok(if interrupt::requested() { Outcome::Interrupted } else { Outcome::Done })
}

/// What a model keeps for new rows, beside the components.
struct Stored {
    loss: Loss,
    encoding: Encoding,
    scaling: Scaling,
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
        })
    }
}

/// The rows must have the model's features, in its order when both have names.
fn check_features(model: &ModelFile, source: &Source, features: usize) -> Result<()> {
    if source.columns != features {
        bail!("{}: the data have {} features, but the model has {features}", source.name, source.columns);
    }
    let theirs = model.document.get("feature_names").and_then(Value::as_array);
    let (Some(own), Some(theirs)) = (&source.feature_names, theirs) else { return Ok(()) };
    match (0..features).find(|j| theirs.get(*j).and_then(Value::as_str) != Some(&own[*j])) {
        None => Ok(()),
        Some(j) => bail!(
            "{}: column {j} (counted from 0) is \"{}\", but the model's feature there is {}",
            source.name,
            own[j],
            theirs.get(j).unwrap_or(&Value::Null)
        ),
    }
}

fn write<T: Real>(
    args: &TransformArgs,
    source: &Source,
    fit: &Fit<T>,
    memberships: &Memberships<T>,
    names: &[String],
    read_seconds: f64,
) -> Result<Value> {
    let began = Instant::now();
    let folder = OutputFolder::create(&args.write.out, args.write.force)?;
    let corrected = (args.write.codes == "corrected").then(|| fit.corrected_codes());
    let codes = corrected.as_ref().unwrap_or(&fit.codes);
    outputs::write_codes(&folder, codes, memberships, source.row_names.as_deref(), names)?;
    let mut notes = source.notes.clone();
    notes.extend(fit.notices.iter().map(|notice| notice.message.clone()));
    let run = json!({
        "command": "transform",
        "versions": record::versions(),
        "model": model_path(&args.model).display().to_string(),
        "data": record::data_json(source, T::NAME),
        "settings": { "solver": fit.solver, "seed": args.seed, "tolerance": args.tol, "max_iterations": args.max_iter,
            "codes": args.write.codes, "shares_of": memberships.of.name() },
        "result": {
            "objective": fit.objective,
            "relative_error": fit.relative_error,
            "relative_kkt": relative_kkt(fit),
            "stop": fit.stop.name(),
            "iterations": fit.iterations,
        },
        "threads": fit.threads,
        "seconds": { "read": read_seconds, "fit": fit.elapsed.as_secs_f64(), "write": began.elapsed().as_secs_f64() },
        "peak_memory_bytes": record::peak_memory(),
        "notes": notes,
    });
    outputs::write_json(&folder, "run.json", &run)?;
    folder.commit()?;
    Ok(run)
}
