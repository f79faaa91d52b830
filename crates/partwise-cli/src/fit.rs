//! `partwise fit`.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use partwise::graphs::Graph;
use partwise::guidance::{self as advice, Advice, Guidance as Guided};
use partwise::methods::{self, Input, MethodOptions};
use partwise::recipes::ShareOf;
use partwise::{
    Acceleration, AnchorScale, Init, LabelTargets, Loss, Matrix, Model, Real, Scaling, ScalingKind, Settings,
    Slot, SolverChoice,
};
use partwise_io::{ModelFile, OutputFolder, read_names, repeated_note};

use crate::args::{ClassifyArgs, FitArgs, SolveArgs};
use crate::choices::Strength;
use crate::combined_guidance::CombinedGuidance;
use crate::flags;
use crate::guidance::{self, Components, Given, Guidance};
use crate::guided;
use crate::input::{self, Data, Read, Source, Table};
use crate::job::Job;
use crate::outputs::{self, Extra};
use crate::record::Timings;
use crate::search::{find_strength, find_strengths};
use crate::summary::{print_input, print_result};
use crate::{classify, precision, scale, spreading, start};
use partwise_report::console::{self, Verbosity};
use partwise_report::{interrupt, program::Outcome};

/// The model that a fit starts from.
fn start_model(path: &Path) -> Result<ModelFile> {
    let model = ModelFile::read(path)?;
    model.check_factors(path)?;
    Ok(model)
}

/// Reads, fits, writes, prints.
pub(crate) fn run(args: &FitArgs) -> Result<Outcome> {
    let began = Instant::now();
    if args.model.recipe.is_some() {
        let (folder, read) = read(args, classify::FILES)?;
        return classify::of_recipe(&ClassifyArgs::of_recipe(args), read, folder);
    }
    let (folder, read) = read(args, outputs::OF_A_FIT)?;
    match input::precision(&args.solve.dtype, &read.values) {
        "f32" => with_job::<f32, _>(args, read, |job| finish(args, job, folder, began)),
        _ => with_job::<f64, _>(args, read, |job| finish(args, job, folder, began)),
    }
}

/// Checks the flags, takes hold of the folder for `files`, and reads the data with their names.
pub(crate) fn read(args: &FitArgs, files: &[&str]) -> Result<(OutputFolder, Read)> {
    flags::check(args)?;
    input::check_standard_input(&args.inputs())?;
    let folder = outputs::open(&args.write, files)?;
    let mut read = input::read(&args.read, args.guidance.known_labels.column_of_data())?;
    if let Some(path) = &args.guidance.feature_names {
        let names = read_names(path, read.source.columns, "features (columns of the data)")?;
        read.source.notes.extend(repeated_note(&names, "feature names"));
        name_features(&mut read.source, names, path)?;
    }
    Ok((folder, read))
}

/// Gives the features names of a file. The data's own ones in another order are refused, others are noticed.
fn name_features(source: &mut Source, names: Vec<String>, path: &Path) -> Result<()> {
    if let Some(own) = source.feature_names.as_ref().filter(|own| **own != names) {
        let at = (0..names.len()).find(|j| own[*j] != names[*j]).unwrap_or(0);
        if guided::same_set(own, &names) {
            bail!(
                "{}: these are the column names of {} in another order: line {} is \"{}\", but column {at} \
                (counted from 0) is \"{}\"; leave out --feature-names",
                path.display(),
                source.name,
                at + 1,
                names[at],
                own[at]
            );
        }
        source.notes.push(format!(
            "--feature-names and the data have different names for column {at} (counted from 0): \"{}\" and \
            \"{}\"",
            names[at], own[at]
        ));
    }
    source.feature_names = Some(names);
    Ok(())
}

/// Puts together what is to be fitted, and acts on it.
pub(crate) fn with_job<T: Real, R>(
    args: &FitArgs,
    read: Read,
    act: impl FnOnce(Job<'_, T>) -> Result<R>,
) -> Result<R> {
    let Read { values, mut source } = read;
    precision::check::<T>(&values, &mut source)?;
    let (mut table, known) = match args.guidance.missing {
        true => Table::<T>::with_unknown(values, &source).map(|(table, known)| (table, Some(known)))?,
        false => (Table::<T>::from_values(values, &source)?, None),
    };
    let is_guided = guided::is_asked(args);
    let takes_sets = flags::takes(args, Input::LabelSets) || flags::takes(args, Input::LabelTargets);
    let file = guided::file(args, &source)?;
    let label_args = guided::with_labels_of(file.as_ref(), &args.guidance.known_labels)?;
    let given = guidance::labels(&label_args, &source, args.solve.seed, is_guided || takes_sets)?;
    let (guidance, label_sets) = match &given {
        Some(Given::Classes(guidance)) => (Some(guidance), None),
        Some(Given::Sets { names, sets, .. }) => (None, Some(guidance::sets_item(names, sets))),
        None => (None, None),
    };
    let mut notes = Vec::new();
    let targets = guidance::label_targets(&args.guidance, &source, &mut notes)?;
    if let Some(Given::Sets { notes: of_sets, .. }) = &given {
        notes.extend(of_sets.iter().cloned());
    }
    source.notes.extend(notes);
    let reference = match is_guided {
        true => None,
        false => guidance::reference(&args.guidance, &source, guidance)?,
    };
    let scaling = scale::learn(ScalingKind::from_name(&args.model.scale)?, &table);
    scale::apply(&scaling, &mut table);
    let mut chosen = Vec::new();
    let data = data(args, table, &mut source, &mut chosen)?;
    let composed = match is_guided {
        true => {
            Some(guided::compose(args, file.as_ref(), &source, data.matrix(), given.as_ref(), known.clone())?)
        }
        false => None,
    };
    let more = Further { label_sets, targets, known };
    let job = prepare(
        args,
        &source,
        &data,
        &scaling,
        guidance,
        reference.as_ref(),
        composed.as_ref(),
        more,
        chosen,
    )?;
    act(job)
}

/// Fits, writes, prints.
fn finish<T: Real>(
    args: &FitArgs,
    mut job: Job<'_, T>,
    folder: OutputFolder,
    began: Instant,
) -> Result<Outcome> {
    let verbosity = Verbosity::of(args.write.quiet, args.write.json);
    let read_seconds = began.elapsed().as_secs_f64();
    print_input(verbosity, &job);
    match job.composed {
        Some(composed) if composed.searches() => find_strengths(&mut job, composed)?,
        None if args.model.strength == Some(Strength::Auto) => find_strength(&mut job)?,
        _ => {}
    }
    spreading::spread_labels(&mut job, args.guidance.spread.as_deref())?;
    job.chosen.iter().for_each(|line| verbosity.say(&format!("chosen: {line}")));
    let done = job.run(verbosity)?;
    let timings = Timings { read: read_seconds, fit: done.fit_seconds, write: 0.0 };
    let extra = Extra { corrected: args.content.codes == "corrected", ..Extra::default() };
    let run = outputs::write_fit(&done, folder, timings, &extra)?;
    done.notes.iter().for_each(|note| verbosity.note(&note.message));
    print_result(verbosity, &done, &args.write.out.display().to_string());
    if args.write.json {
        console::print_json(&run);
    }
    Ok(if interrupt::requested() { Outcome::Interrupted } else { Outcome::Done })
}

/// The data as the method takes them: for symmetric methods perhaps the similarity graph of the rows, perhaps
/// divided by degrees.
fn data<T: Real>(
    args: &FitArgs,
    mut table: Table<T>,
    source: &mut Source,
    chosen: &mut Vec<String>,
) -> Result<Data<T>> {
    let normalized = args.guidance.degree_normalized;
    if !flags::builds_similarities(args) {
        if normalized {
            table.normalize_degrees();
        }
        return table.into_data(&source.name);
    }
    let rows = table.into_data(&source.name)?;
    let graph = guidance::similarities(&args.guidance, rows.matrix(), chosen)?;
    source.columns = source.rows;
    source.feature_names.clone_from(&source.row_names);
    source.image_shape = None;
    (source.sparse, source.stored) = (true, graph.n_entries());
    let graph = if normalized { graph.normalized() } else { graph };
    Data::of_graph(&graph).with_context(|| source.name.clone())
}

/// What is known beside classes, references and a graph.
struct Further {
    label_sets: Option<Advice>,
    targets: Option<LabelTargets>,
    known: Option<Matrix<f64>>,
}

/// Puts model and settings together.
fn prepare<'a, T: Real>(
    args: &FitArgs,
    source: &'a Source,
    data: &'a Data<T>,
    scaling: &'a Scaling,
    guidance: Option<&'a Guidance>,
    reference: Option<&'a Components>,
    composed: Option<&'a CombinedGuidance>,
    more: Further,
    mut chosen: Vec<String>,
) -> Result<Job<'a, T>> {
    chosen.extend(composed.iter().flat_map(|composed| composed.chosen.clone()));
    let graph = match flags::takes_graph(args) {
        true => Some(guidance::graph(&args.guidance, source, data.matrix(), &mut chosen)?),
        false => None,
    };
    let model = match composed {
        Some(composed) => guided_model(args, composed, &mut chosen)?,
        None => model(args, guidance, reference, graph, source.image_shape, more, &mut chosen)?,
    };
    let start = args.solve.start.as_ref().map(|path| start_model(path).map(|m| (path, m))).transpose()?;
    let start_rank = start.as_ref().and_then(|(_, m)| m.tensor("components")).map(|t| t.shape().0);
    let classes = guidance.map(|g| g.labels.n_classes()).filter(|c| *c > 0);
    let topics = composed.map(|composed| composed.guidance.all_topics()).filter(|topics| !topics.is_empty());
    let rank = match (args.model.rank, start_rank, classes) {
        (Some(rank), _, _) => rank,
        (None, Some(rank), _) => rank,
        (None, None, _) if topics.is_some() => {
            let topics = topics.unwrap_or_default();
            let rank = topics.iter().map(|(_, components)| components).sum();
            let names: Vec<&str> = topics.iter().map(|(name, _)| name.as_str()).collect();
            chosen.push(format!("k = {rank}, the components of the topics ({})", names.join(", ")));
            rank
        }
        (None, None, _) if composed.is_some() => {
            bail!("-k (the number of components) is required, because the guidance names no topics")
        }
        (None, None, Some(classes)) => {
            chosen.push(format!("k = {classes}, the number of classes"));
            classes
        }
        (None, None, None) => {
            bail!(
                "-k (the number of components) is required without labels (with labels, it is the number \
                of classes)"
            )
        }
    };
    let mut settings = settings(&args.solve, rank)?;
    (settings.l1, settings.l2) = (args.model.l1, args.model.l2);
    let mut component_names = reference.and_then(|r| r.names.clone());
    if let Some((path, model)) = &start {
        let owners = start::owners(composed, guidance, flags::method(args));
        let names = start::from_model(model, source, scaling, &owners, &mut settings, &mut chosen)
            .with_context(|| path.display().to_string())?;
        component_names = component_names.or(names);
    }
    let shares = args.content.shares.as_deref().map(ShareOf::from_name).transpose()?;
    Ok(Job {
        source,
        data,
        scaling,
        guidance,
        reference,
        composed,
        model,
        settings,
        shares,
        component_names,
        chosen,
    })
}

/// The model that takes anything at once.
fn guided_model(args: &FitArgs, composed: &CombinedGuidance, chosen: &mut Vec<String>) -> Result<Model> {
    let model = Model::guided(composed.guidance.clone());
    if args.model.method.is_none() {
        let summary = model.spec().summary;
        chosen.push(format!("method guided ({summary}), because your guidance needs it"));
    }
    match &args.model.loss {
        Some(loss) => Ok(model.with_loss(Loss::from_name(loss)?)?),
        None => Ok(model),
    }
}

fn model(
    args: &FitArgs,
    guidance: Option<&Guidance>,
    reference: Option<&Components>,
    graph: Option<Graph>,
    image_shape: Option<(usize, usize)>,
    more: Further,
    chosen: &mut Vec<String>,
) -> Result<Model> {
    let (name, reason) = match (&args.model.method, reference, guidance) {
        (Some(name), _, _) => (name.as_str(), None),
        (None, Some(_), _) => ("ws-nmf", Some("because you gave a reference")),
        (None, None, Some(_)) => ("cnmf", Some("because you gave labels")),
        (None, None, None) => ("nmf", Some("because you gave neither labels nor a reference")),
    };
    if let Some(reason) = reason {
        let spec = methods::ALL.iter().find(|spec| spec.name == name);
        chosen.push(format!("method {name} ({}), {reason}", spec.map_or("", |spec| spec.summary)));
    }
    let strength = flags::strength(args, chosen);
    let mut known = Guided::default();
    let mut add = |item: Option<Advice>| known.advice_mut().extend(item);
    add(guidance.map(|g| Advice::labels(g.labels.clone()).with_strength(strength)));
    add(reference.map(|r| Advice::ComponentReference(r.reference(strength.sigma()))));
    let takes = |input| flags::takes(args, input);
    if takes(Input::LabelTargets) {
        let targets = more.targets.or_else(|| more.label_sets.as_ref().map(guidance::targets_of));
        add(targets.map(|targets| Advice::Targets { targets, strength }));
    } else {
        add(more.label_sets);
    }
    add(more.known.map(Advice::KnownEntries));
    let weight = args.model.graph_weight.unwrap_or(1.0);
    let relative = takes(Input::ComponentReference) && args.model.scale_mode.is_none();
    let graph_strength = match relative {
        true => advice::Strength::of_sigma(weight.sqrt()),
        false => advice::Strength::Raw(weight),
    };
    add(graph.map(|graph| Advice::Graph { graph, strength: graph_strength }));
    let defaults = MethodOptions::default();
    let options = MethodOptions {
        smoothing: args.model.delta.unwrap_or(defaults.smoothing),
        anchor_scale: match &args.model.scale_mode {
            Some(mode) => AnchorScale::from_name(mode)?,
            None => defaults.anchor_scale,
        },
        discriminative_weight: args.model.margin_weight.unwrap_or(defaults.discriminative_weight),
        cost: args.model.svm_cost.unwrap_or(defaults.cost),
        coupling: args.model.coupling,
        image_shape,
        ..defaults
    };
    let model = Model::from_name(name, known)?.with_options(options);
    match &args.model.loss {
        Some(loss) => {
            let loss = Loss::from_name(loss)?;
            if name == "cnmf-kl" && loss != Loss::KullbackLeibler {
                bail!(
                    "cnmf-kl is cnmf with the kullback-leibler loss; for the loss {} ask for --method cnmf",
                    loss.name()
                );
            }
            Ok(model.with_loss(loss)?)
        }
        None => Ok(model),
    }
}

fn settings(args: &SolveArgs, rank: usize) -> Result<Settings> {
    Ok(Settings {
        seed: args.seed,
        solver: SolverChoice::from_name(&args.solver)?,
        inner_steps: args.inner,
        acceleration: Acceleration::from_name(&args.acceleration)?,
        init: Init::from_name(&args.init)?,
        first: args.first.as_ref().and_then(|name| Slot::MAIN.into_iter().find(|slot| slot.name() == name)),
        max_iterations: args.max_iter,
        tolerance: args.tol,
        time_limit: args.time_limit.map(Duration::from_secs_f64),
        threads: args.threads,
        memory_limit: partwise_io::machine::available_memory(),
        ..Settings::new(rank)
    })
}
