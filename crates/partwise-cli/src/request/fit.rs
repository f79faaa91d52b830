//! Requests of flags that must be checked together: that of `fit`.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use partwise::graphs::{NeighbourGraph, Weights};
use partwise::guidance::{ComponentsPerClass, Strength};
use partwise::methods::{self, Form, Input, MethodSpec};
use partwise::{AnchorScale, Loss, MethodOptions, ScalingKind, Settings, solvers};
use partwise_classify::Spreading;

use super::asked::Asked;
use super::choices::{Components, Precision};
use super::data::DataSource;
use super::flags::{FitFlags, GraphFlags, KnownFiles, METHOD_FLAGS, ModelFlags, SolveFlags};
use super::groups::{Content, Long, Page, Write};
use super::method_flags::Given;
use crate::shared::Shared;

/// Where a graph of the samples is from.
pub(crate) enum GraphSource {
    /// An edge list or a symmetric matrix.
    File(PathBuf),
    /// Nearest neighbours in the data, and what they are called in reports.
    Neighbours(NeighbourGraph, String),
}

impl GraphSource {
    /// So many nearest neighbours with the weights of this name; `width` is that of heat weights. `remark`
    /// follows in reports.
    fn neighbours(count: usize, weights: &str, width: Option<f64>, remark: &str) -> Result<Self> {
        Ok(Self::of_settings(NeighbourGraph::named(count, weights, width)?, remark))
    }

    /// Nearest neighbours with these settings, within the memory of this machine.
    pub(crate) fn of_settings(settings: NeighbourGraph, remark: &str) -> Self {
        let (count, weights) = (settings.neighbours, settings.weights.name());
        let words = format!("{count} nearest neighbours, {weights} weights{remark}");
        let memory_limit = partwise_io::machine::available_memory();
        Self::Neighbours(NeighbourGraph { memory_limit, ..settings }, words)
    }
}

/// `partwise fit`.
pub(crate) struct FitRequest {
    pub(crate) data: DataSource,
    pub(crate) dtype: Precision,
    pub(crate) scaling: ScalingKind,
    /// The graph of the rows that replaces the data as similarities.
    pub(crate) similarities: Option<GraphSource>,
    /// Whether similarities are divided by the roots of their degrees.
    pub(crate) degree_normalized: bool,
    pub(crate) known: KnownFiles,
    /// Whether labels are spread to the samples without one.
    pub(crate) spread: Spreading,
    /// The strength of items that state none, where it is not their default.
    pub(crate) strength: Option<Strength>,
    /// How many components each class of the labels has, where it is stated.
    pub(crate) components_per_class: Option<ComponentsPerClass>,
    pub(crate) graph: Option<GraphSource>,
    /// The strength of the graph, where it is not the default.
    pub(crate) graph_strength: Option<Strength>,
    pub(crate) method: &'static MethodSpec,
    pub(crate) loss: Option<Loss>,
    pub(crate) options: MethodOptions,
    /// Whether to search the strength of the labels of a published method.
    pub(crate) searches: bool,
    pub(crate) rank: Option<Components>,
    /// All but the rank, and the start from a model.
    pub(crate) settings: Settings,
    pub(crate) start: Option<PathBuf>,
    pub(crate) long: Long,
    pub(crate) content: Content,
    pub(crate) page: Page,
    pub(crate) write: Write,
    /// Sentences on what was chosen for the user.
    pub(crate) chosen: Vec<String>,
    /// The processes that do the work together, where several do.
    pub(crate) shared: Option<Shared>,
}

impl FitRequest {
    /// The same fit as a part of the work of several processes. All but process 0 are silent.
    pub(crate) fn shared(mut self, shared: &Shared) -> Self {
        self.settings.threads = shared.threads(self.settings.threads);
        if !shared.is_first() {
            self.write.silence();
        }
        FitRequest { shared: Some(shared.clone()), ..self }
    }

    /// What is asked of the files of guidance.
    pub(crate) fn asked(&self) -> Asked<'_> {
        Asked {
            known: &self.known,
            method: self.method,
            strength: self.strength,
            graph: self.graph.as_ref(),
            graph_strength: self.graph_strength,
            components_per_class: self.components_per_class,
            seed: self.settings.seed,
        }
    }

    pub(crate) fn new(flags: FitFlags) -> Result<Self> {
        Self::named(flags, "partwise")
    }

    /// `ending`: what a folder that is named after the data contains.
    pub(super) fn named(flags: FitFlags, ending: &str) -> Result<Self> {
        let FitFlags { given, read, known, graph: graphs, rank, model, solve, long, content, page, write } =
            flags;
        if long.dask.is_some() {
            bail!(
                "--dask needs the command of the Python package: install it with pip install \"partwise[dask]\", \
                 and run the same command"
            );
        }
        let mut chosen = Vec::new();
        let (method, loss) = match (model.method, model.loss) {
            (Some((method, Some(own))), Some(loss)) if own != loss => bail!(
                "this name of {0} means the {1} loss; for the loss {2} ask for --method {0}",
                method.name,
                own.name(),
                loss.name()
            ),
            (Some((method, own)), loss) => (method, loss.or(own)),
            (None, loss) => (default_method(&known, &graphs, &mut chosen), loss),
        };
        given.check_methods(method, METHOD_FLAGS)?;
        given.check_standard_input()?;
        if known.label_targets.is_some() && known.labels.are_given() {
            bail!("--label-targets replaces --labels; give only one of them");
        }
        let raw = given.has(Input::AnchorScale);
        check_anchor_scale(&given, method)?;
        let (strength, searches) = strength(&model, method, raw, &mut chosen)?;
        let (similarities, graph) = graph(&graphs, method)?;
        if graph.is_none() && model.graph_weight.is_some() {
            bail!("--graph-weight needs --graph or --graph-neighbours");
        }
        let data = read.source(known.labels.column_of_data())?;
        Ok(FitRequest {
            options: given.options(method)?,
            components_per_class: given.components_per_class().filter(|_| method.takes(Input::Guidance)),
            dtype: solve.dtype,
            scaling: data.scaling(model.scale),
            similarities,
            degree_normalized: graphs.degree_normalized,
            spread: known.spread.unwrap_or_default(),
            known,
            strength,
            graph,
            graph_strength: graph_strength(model.graph_weight, method, raw),
            method,
            loss,
            searches,
            rank,
            settings: settings(&solve, model.l1, model.l2)?,
            start: solve.start,
            long,
            content,
            page,
            write: write.for_data(&data, ending),
            data,
            chosen,
            shared: None,
        })
    }
}

/// Refuses a scale of reference rows that the method does not have. --anchor-scale also sets the unit of the
/// strength, for methods whose scale has only one form.
fn check_anchor_scale(given: &Given, method: &MethodSpec) -> Result<()> {
    let scale = given.options(method)?.anchor_scale;
    if !given.has(Input::AnchorScale) || method.takes(Input::AnchorScale) || scale == AnchorScale::Alternating
    {
        return Ok(());
    }
    bail!(
        "--anchor-scale {}: the method {} fits the scale in turn; valid: alternating, which makes --strength \
        the published weight",
        scale.name(),
        method.name
    )
}

/// The method for what is given, and a sentence on why.
fn default_method(known: &KnownFiles, graphs: &GraphFlags, chosen: &mut Vec<String>) -> &'static MethodSpec {
    let any = known.guidance.is_some() || known.topics.is_some() || known.links.is_some();
    let (labels, reference) = (known.labels.are_given(), known.reference.is_some());
    let graph = graphs.graph.is_some() || graphs.graph_neighbours.is_some();
    let kinds = [
        (any, Input::Guidance),
        (labels, Input::Labels),
        (reference, Input::ComponentReference),
        (graph, Input::Graph),
    ];
    let given: Vec<Input> = kinds.into_iter().filter(|(given, _)| *given).map(|(_, input)| input).collect();
    let method = methods::for_inputs(&given);
    let reason = match (any, labels, reference) {
        (true, ..) => "guidance was given",
        (_, true, _) => "labels were given",
        (_, _, true) => "a reference was given",
        _ => "no labels were given",
    };
    chosen.push(format!("method: {} ({reason})", method.name));
    method
}

/// The strength of what states none, if it is not the default of the item, and whether that of the labels of
/// a published method is searched. `raw`: as published, in the unit of the data.
fn strength(
    model: &ModelFlags,
    method: &MethodSpec,
    raw: bool,
    chosen: &mut Vec<String>,
) -> Result<(Option<Strength>, bool)> {
    let default = Some(method.strength).filter(|strength| !strength.is_raw()).unwrap_or(Strength::FIRM);
    let (number, auto) = match model.strength {
        Some(Strength::Auto) => (None, true),
        stated => (stated.map(Strength::sigma), false),
    };
    if method.takes(Input::Guidance) {
        return match number {
            Some(value) if value > 1.0 => bail!(
                "--strength {value}: with the method {} it is from 0 (ignored) to 1 (exact), or \"auto\"",
                method.name
            ),
            number => Ok((number.map(Strength::Relative).or(auto.then_some(Strength::Auto)), false)),
        };
    }
    if method.takes(Input::LabelTargets) {
        // Labels that the codes explain: the weight enters as it is.
        let weight = model.label_weight.map(|weight| Strength::of_sigma(weight.sqrt()));
        return Ok((weight.or(Some(default)), false));
    }
    let strength = match number {
        Some(weight) if raw => Strength::Raw(weight),
        Some(value) if value < 1.0 => Strength::Relative(value),
        Some(sigma) => {
            chosen.push(format!(
                "strength: {:.4} (--strength {sigma} is the old spelling, which the next release will not \
                support; strengths are from 0 to 1)",
                sigma / (1.0 + sigma)
            ));
            Strength::of_sigma(sigma)
        }
        None if raw => Strength::Raw(default.sigma().round()),
        None => default,
    };
    Ok((Some(strength), auto))
}

/// The strength of the graph, if it is not the default of the item.
fn graph_strength(weight: Option<f64>, method: &MethodSpec, raw: bool) -> Option<Strength> {
    match (method.takes(Input::Guidance), method.takes(Input::ComponentReference)) {
        (true, _) => weight.map(Strength::Raw),
        (false, true) if !raw => Some(Strength::of_sigma(weight.unwrap_or(1.0).sqrt())),
        _ => Some(Strength::Raw(weight.unwrap_or(1.0))),
    }
}

/// The graph that replaces the data of a symmetric method, and the graph beside the data.
fn graph(flags: &GraphFlags, method: &MethodSpec) -> Result<(Option<GraphSource>, Option<GraphSource>)> {
    let asked =
        flags.graph_neighbours.is_some() || flags.graph_weights.is_some() || flags.heat_width.is_some();
    if method.form == Form::Symmetric {
        let graph = asked.then(|| neighbours(flags, &NeighbourGraph::default())).transpose()?;
        return Ok((graph, None));
    }
    // A method that takes references can do without a graph, other methods of graphs can not.
    let needed = method.takes(Input::Graph) && !method.takes(Input::ComponentReference);
    let default = NeighbourGraph { neighbours: 5, weights: Weights::Binary, ..NeighbourGraph::default() };
    Ok(match &flags.graph {
        Some(path) => (None, Some(GraphSource::File(path.clone()))),
        None if asked || needed => (None, Some(neighbours(flags, &default)?)),
        None => (None, None),
    })
}

fn neighbours(flags: &GraphFlags, default: &NeighbourGraph) -> Result<GraphSource> {
    let (count, width) = (flags.graph_neighbours.unwrap_or(default.neighbours), flags.heat_width);
    let (weights, remark) = match &flags.graph_weights {
        Some(name) => (name.as_str(), ""),
        None => (default.weights.name(), " by default"),
    };
    GraphSource::neighbours(count, weights, width, remark).map_err(|_| match width {
        None => {
            anyhow!("--graph-weights {weights} needs --heat-width, in the square of the unit of the data")
        }
        Some(_) => anyhow!("--heat-width has no effect on {weights} weights"),
    })
}

fn settings(solve: &SolveFlags, l1: (f64, f64), l2: (f64, f64)) -> Result<Settings> {
    let solver = solvers::ALL.iter().find(|spec| spec.choice == solve.solver.solver);
    if let Some(solver) = solver.filter(|spec| solve.inner.is_some() && spec.inner_steps == 0) {
        bail!("--inner has no effect on the solver {}, which has no inner steps", solver.name);
    }
    Ok(Settings {
        inner_steps: solve.inner,
        acceleration: solve.acceleration,
        init: solve.init.clone(),
        first: solve.first,
        time_limit: solve.time_limit.map(Duration::from_secs_f64),
        l1,
        l2,
        ..solve.solver.settings(&solve.run)
    })
}
