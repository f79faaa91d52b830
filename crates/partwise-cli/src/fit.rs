//! `partwise fit`.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use partwise::guidance::ComponentsPerClass;
use partwise::methods::{Form, Input};
use partwise::recipes::RankSettings;
use partwise::{DataMatrix, Matrix, MethodOptions, Model, Real, Scaling, Settings, StopReason, blocks};
use partwise_classify::{Phase, SpreadSettings, Spreading, spread_observed};
use partwise_io::{BlockFile, ModelFile, OutputFolder, read_snippets};

use crate::checkpoint;
use crate::description::description;
use crate::feature_names::name_features_by;
use crate::in_blocks;
use crate::input::{self, Read, Source, Table};
use crate::job::Job;
use crate::known::Known;
use crate::outputs::{self, Extra};
use crate::progress::Phases;
use crate::record::Timings;
use crate::request::{Codes, Components, DataSource, FitRequest};
use crate::shared::Shared;
use crate::summary::{print_input, print_result};
use crate::{search, start};
use partwise_report::{console::Verbosity, interrupt, program::Outcome};

/// Reads, fits, writes, prints.
pub(crate) fn run(request: &FitRequest) -> Result<Outcome> {
    let began = Instant::now();
    if let Some(file) = in_blocks::file_of(request)? {
        let folder = folder(request, outputs::OF_A_FIT)?;
        let file = Arc::new(file);
        // What can no longer be read ends the work from the middle of it.
        return blocks::caught(|| match in_blocks::is_single(&file, request.dtype) {
            true => run_in_blocks::<f32>(request, &file, folder, began),
            false => run_in_blocks::<f64>(request, &file, folder, began),
        });
    }
    let (folder, read) = read(request, outputs::OF_A_FIT)?;
    match read.is_single(request.dtype) {
        true => with_job::<f32, _>(request, read, |job| finish(request, job, Some(folder), began)),
        false => with_job::<f64, _>(request, read, |job| finish(request, job, Some(folder), began)),
    }
}

/// The folder for results, in the process that writes them.
fn folder(request: &FitRequest, files: &[&str]) -> Result<Option<OutputFolder>> {
    let writes = request.shared.as_ref().is_none_or(Shared::is_first);
    writes.then(|| outputs::open(&request.write, files)).transpose()
}

/// Fits data that are read in row blocks.
fn run_in_blocks<T: Real>(
    request: &FitRequest,
    file: &Arc<BlockFile>,
    folder: Option<OutputFolder>,
    began: Instant,
) -> Result<Outcome> {
    let mut source = in_blocks::source(request, file)?;
    name_source(request, &mut source)?;
    let scaling = file.learn_scaling::<T>(request.scaling)?;
    let data = in_blocks::data::<T>(file, &scaling, request.shared.as_ref())?;
    let given = Given { data: &data, source: &mut source, scaling: &scaling, known_entries: None };
    with_data(request, given, request.chosen.clone(), |mut job| {
        in_blocks::plan(&mut job, request.long.memory, request.shared.as_ref())?;
        finish(request, job, folder, began)
    })
}

/// Takes hold of the folder for `files`, and reads the data with their names.
pub(crate) fn read(request: &FitRequest, files: &[&str]) -> Result<(OutputFolder, Read)> {
    let folder = outputs::open(&request.write, files)?;
    let mut read = input::read(&request.data)?;
    name_source(request, &mut read.source)?;
    Ok((folder, read))
}

/// The names and texts of other files.
fn name_source(request: &FitRequest, source: &mut Source) -> Result<()> {
    name_features_by(request.known.feature_names.as_deref(), source)?;
    if let Some(path) = &request.page.snippets {
        let names = source.row_names.as_deref();
        source.snippets = Some(read_snippets(path, source.rows, names)?);
    }
    Ok(())
}

/// Puts together what is to be fitted, and acts on it.
pub(crate) fn with_job<T: Real, R>(
    request: &FitRequest,
    read: Read,
    act: impl FnOnce(Job<'_, T>) -> Result<R>,
) -> Result<R> {
    let Read { values, mut source } = read;
    let (mut table, known_entries) = Table::<T>::from_values(values, &mut source, request.known.missing)?;
    let scaling = table.learn_scaling(request.scaling);
    let mut chosen = request.chosen.clone();
    let data = data(request, table, &mut source, &mut chosen)?;
    let given = Given { data: data.as_ref(), source: &mut source, scaling: &scaling, known_entries };
    with_data(request, given, chosen, act)
}

/// The data of a fit, scaled.
struct Given<'g, T> {
    data: &'g dyn DataMatrix<T>,
    source: &'g mut Source,
    scaling: &'g Scaling,
    known_entries: Option<Matrix<f64>>,
}

/// As [`with_job`], with the data at hand.
fn with_data<T: Real, R>(
    request: &FitRequest,
    given: Given<'_, T>,
    mut chosen: Vec<String>,
    act: impl FnOnce(Job<'_, T>) -> Result<R>,
) -> Result<R> {
    let Given { data, source, scaling, known_entries } = given;
    let known = Known::gather(request.asked(), source, data, known_entries)?;
    chosen.extend(known.chosen.iter().cloned());
    let options = MethodOptions { image_shape: source.image_shape, ..request.options.clone() };
    let mut model = Model::of(request.method, known.at(1.0)).with_options(options);
    if let Some(loss) = request.loss {
        model = model.with_loss(loss)?;
    }
    let start = request.start.as_ref().map(|path| start_model(path)).transpose()?;
    if request.rank.is_some() {
        known.check_components("-k, for they choose the number of components")?;
    }
    if start.is_some() {
        known.check_components("--start")?;
    }
    if data.blocks().is_some() {
        known.check_components("data that are read in blocks")?;
    }
    let rank = match rank(request, start.as_ref(), &known, &mut chosen)? {
        Some(rank) => rank,
        None => selected_rank(request, data, (&known, &model), source, &mut chosen)?,
    };
    let mut settings = Settings { rank, ..request.settings.clone() };
    let mut component_names = known.reference.as_ref().and_then(|reference| reference.row_names.clone());
    if let (Some(path), Some(start)) = (&request.start, &start) {
        let owners = start::owners(&known, &model);
        let names = start::from_model(start, source, scaling, &owners, &mut settings, &mut chosen)
            .with_context(|| path.display().to_string())?;
        component_names = component_names.or(names);
    }
    act(Job {
        source,
        data,
        scaling,
        known: &known,
        model,
        settings,
        shares: request.content.shares,
        component_names,
        chosen,
    })
}

/// The data as the method takes them: for symmetric methods perhaps the similarity graph of the rows, perhaps
/// divided by degrees.
fn data<T: Real>(
    request: &FitRequest,
    mut table: Table<T>,
    source: &mut Source,
    chosen: &mut Vec<String>,
) -> Result<Box<dyn DataMatrix<T>>> {
    let Some(similarities) = &request.similarities else {
        if request.degree_normalized {
            table.normalize_degrees();
        }
        return table.into_data(&source.name);
    };
    let rows = table.into_data(&source.name)?;
    let (graph, words) = similarities.graph(source, rows.as_ref(), "in place of the data, ")?;
    chosen.push(words);
    source.columns = source.rows;
    source.feature_names.clone_from(&source.row_names);
    source.image_shape = None;
    (source.sparse, source.stored) = (true, graph.n_entries());
    let graph = if request.degree_normalized { graph.normalized() } else { graph };
    Ok(graph.to_sparse_in().boxed())
}

/// The model that a fit starts from.
fn start_model(path: &Path) -> Result<ModelFile> {
    let path = ModelFile::path_in(path);
    let model = ModelFile::read(&path)?;
    model.check_factors(&path)?;
    Ok(model)
}

/// k: as asked, else that of the start, of the topics, or of the classes. `None` where the data decide.
fn rank(
    request: &FitRequest,
    start: Option<&ModelFile>,
    known: &Known,
    chosen: &mut Vec<String>,
) -> Result<Option<usize>> {
    let of_start = || start.and_then(|model| model.tensor("components")).map(|tensor| tensor.shape().0);
    let auto = request.rank == Some(Components::Auto);
    match request.rank {
        Some(Components::Number(rank)) => return Ok(Some(rank)),
        Some(Components::Auto) => {}
        None => {
            if let Some(rank) = of_start() {
                return Ok(Some(rank));
            }
        }
    }
    if request.method.takes(Input::Guidance) {
        if auto {
            return Ok(None);
        }
        let topics = known.guidance.all_topics();
        if topics.is_empty() {
            bail!(
                "-k (the number of components) is required, because the guidance names no topics; {}",
                finds_rank(request)
            );
        }
        let (rank, names) = (known.guidance.n_components(), topics.into_iter().map(|(name, _)| name));
        let names = names.collect::<Vec<_>>().join(", ");
        if known.components_per_class != ComponentsPerClass::Auto {
            chosen.push(format!("k: {rank} (the topics {names})"));
        }
        return Ok(Some(rank));
    }
    let classes = known.classes.as_ref().map_or(0, |known| known.labels.n_classes());
    let of_each = request.options.components_per_class;
    match (classes, of_each) {
        (0, _) if auto => return Ok(None),
        (0, _) => {
            bail!(
                "-k (the number of components) is required without labels or topics; {}",
                finds_rank(request)
            )
        }
        (_, 1) => chosen.push(format!("k: {classes} (the number of classes)")),
        _ => chosen.push(format!("k: {} ({of_each} for each of {classes} classes)", classes * of_each)),
    }
    Ok(Some(classes * of_each))
}

/// So many components without a name are looked for beside many that have one.
const MOST_FREE: usize = 10;

/// k that the data support, by `partwise rank` with its defaults.
fn selected_rank<T: Real>(
    request: &FitRequest,
    data: &dyn DataMatrix<T>,
    (known, model): (&Known, &Model),
    source: &mut Source,
    chosen: &mut Vec<String>,
) -> Result<usize> {
    if model.spec().form == Form::Symmetric {
        bail!("-k auto is not supported with {}; give a number", model.spec().name);
    }
    if request.known.missing {
        bail!("-k auto is not supported with missing entries; give a number");
    }
    if data.blocks().is_some() {
        bail!("-k auto needs all of the data in memory, but they are read in blocks; give a number");
    }
    let settings = Settings { rank: 1, ..request.settings.clone() };
    let limit = request.settings.time_limit;
    // The components that have names, and as many free ones as the data support.
    let named = if request.method.takes(Input::Guidance) { known.guidance.n_components() } else { 0 };
    let guidance = (named > 0).then(|| known.at(1.0));
    let usual = RankSettings::default();
    let rank = RankSettings { to: usual.to.max(named + MOST_FREE), ..usual };
    let (limits, verbosity) = ((&rank, limit), request.write.verbosity());
    let found =
        crate::rank::search(data, guidance.as_ref(), model.loss(), &settings, limits, None, verbosity)?;
    if found.stopped && found.table.len() < 2 {
        bail!("the search for k was stopped before it compared two numbers; give -k a number, or more time");
    }
    if !found.structure {
        source.notes.push(found.explanation());
    }
    chosen.push(format!("k: {} (found as `partwise rank` does). {}", found.rank, found.explanation()));
    Ok(found.rank)
}

/// The command that answers how many components there are.
fn finds_rank(request: &FitRequest) -> String {
    let DataSource { path, .. } = &request.data;
    format!("to find it: partwise rank {}", path.display())
}

/// Adds to the guidance of the job what the classifier derives from its labels.
pub(crate) fn spread_labels<T: Real>(
    job: &mut Job<'_, T>,
    when: Spreading,
    verbosity: Verbosity,
) -> Result<()> {
    let (guidance, loss) = (job.model.guidance(), job.model.loss());
    let mut phases = Phases::new(verbosity, "few-label classifier (--spread off leaves it out)");
    let how = SpreadSettings { spreading: when, components_per_class: job.known.components_per_class };
    let found = interrupt::work(|| {
        let mut observe = |phase: Phase| phases.begin(&phase.to_string(), phase.done());
        spread_observed(job.data, guidance, loss, &job.settings, how, &mut observe)
    });
    phases.finish();
    let found = found??;
    *job.model.guidance_mut() = found.guidance;
    job.chosen.extend(found.notices.into_iter().map(|notice| notice.message));
    if job.known.components_per_class == ComponentsPerClass::Auto {
        job.settings.rank = found.rank;
        job.chosen.push(format!("k: {} (the components of the classes)", found.rank));
    }
    Ok(())
}

/// Fits, writes, prints.
fn finish<T: Real>(
    request: &FitRequest,
    mut job: Job<'_, T>,
    folder: Option<OutputFolder>,
    began: Instant,
) -> Result<Outcome> {
    let verbosity = request.write.verbosity();
    if let (None, Some(limit)) = (job.data.blocks(), request.long.memory) {
        in_blocks::check_in_memory(&mut job, &request.data.path, limit)?;
    }
    let read_seconds = began.elapsed().as_secs_f64();
    print_input(verbosity, &job);
    if request.searches || job.known.guidance.searches() {
        search::find(&mut job)?;
    }
    if job.takes_anything() && job.data.blocks().is_some() {
        if job.known.classes.is_some() && request.spread == Spreading::Auto {
            job.chosen.push("labels guide only the samples that have one: the few-label classifier needs all of the data in memory".into());
        }
    } else if job.takes_anything() {
        spread_labels(&mut job, request.spread, verbosity)?;
    }
    // Process 0 keeps them for all.
    let checkpoints = request.long.checkpoint.filter(|_| folder.is_some()).map(|seconds| {
        let when = (seconds, request.long.resume);
        checkpoint::open(&request.write.out(), description(request, &job)?, when, verbosity)
    });
    let checkpoints = checkpoints.transpose()?;
    job.chosen.iter().for_each(|line| verbosity.say(line));
    let done = job.run_with(verbosity, checkpoints)?;
    let Some(folder) = folder else { return Ok(Outcome::Done) };
    let timings = Timings { read: read_seconds, fit: done.fit_seconds, write: 0.0 };
    let corrected = request.content.codes == Codes::Corrected;
    let extra = Extra { corrected, pictures: request.page.pictures, ..Extra::default() };
    let run = outputs::write_fit(&done, folder, timings, &extra)?;
    match &done.checkpoints {
        Some(file) if done.fit.stop == StopReason::Observer => verbosity.note(&format!(
            "the checkpoint {} stays: the same command with --resume --force goes on from it",
            file.path().display()
        )),
        Some(file) => file.remove(),
        None => {}
    }
    done.notes.iter().for_each(|(_, note)| verbosity.note(note));
    print_result(verbosity, &done, &request.write.out().display().to_string());
    Ok(outputs::end(&request.write, &run))
}
