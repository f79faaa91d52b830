//! Flags that would have no effect on the method are refused, with the methods that they serve.

use anyhow::{Result, bail};
use partwise::methods::{self, Form, ModelSpec};
use partwise::solvers;

use crate::args::{FitArgs, GuidanceArgs};
use crate::choices::Strength;

/// The methods that take a kind of guidance.
const ANCHORED: &[&str] = &["ws-nmf", "ws-symnmf"];
const STRONG: &[&str] = &["ws-nmf", "ws-symnmf", "guided"];
const GRAPH: &[&str] = &["gnmf", "semi-gnmf", "guided"];
const NEIGHBOURS: &[&str] = &["gnmf", "semi-gnmf", "symnmf", "ws-symnmf", "guided"];
const SYMMETRIC: &[&str] = &["symnmf", "ws-symnmf"];

/// The method that the flags ask for, or mean.
pub(crate) fn method(args: &FitArgs) -> &str {
    match (&args.model.method, &args.guidance.reference) {
        (Some(method), _) => method,
        (None, _) if means_guided(&args.guidance) => "guided",
        (None, Some(_)) => "ws-nmf",
        (None, None) if args.guidance.labels.is_some() || args.guidance.label_column.is_some() => "cnmf",
        (None, None) => "nmf",
    }
}

/// Whether what is given asks for the method that takes anything at once.
fn means_guided(guidance: &GuidanceArgs) -> bool {
    let labels = guidance.labels.is_some() || guidance.label_column.is_some();
    let graph = guidance.graph.is_some() || guidance.graph_neighbours.is_some();
    let kinds = [labels, graph, guidance.reference.is_some()].into_iter().filter(|given| *given).count();
    guidance.guidance.is_some() || guidance.topics.is_some() || guidance.links.is_some() || kinds > 1
}

/// Its line of the registry; `cnmf-kl` is cnmf's.
pub(crate) fn spec(args: &FitArgs) -> Option<&'static ModelSpec> {
    let name = method(args);
    let name = if name == "cnmf-kl" { "cnmf" } else { name };
    methods::ALL.iter().copied().find(|spec| spec.name == name)
}

/// Whether the data are similarities.
pub(crate) fn symmetric(args: &FitArgs) -> bool {
    spec(args).is_some_and(|spec| spec.form == Form::Symmetric)
}

/// Whether a similarity graph of the rows stands in for the data.
pub(crate) fn builds_similarities(args: &FitArgs) -> bool {
    let guidance = &args.guidance;
    symmetric(args) && (guidance.graph_neighbours.is_some() || guidance.graph_weights.is_some())
}

/// Whether the method needs a graph over the samples.
pub(crate) fn takes_graph(args: &FitArgs) -> bool {
    GRAPH.contains(&method(args)) && method(args) != "guided"
}

/// Refuses what would have no effect.
pub(crate) fn check(args: &FitArgs) -> Result<()> {
    let (guidance, model) = (&args.guidance, &args.model);
    let smoothed: Vec<&str> = methods::ALL.iter().filter(|s| s.smooths).map(|s| s.name).collect();
    for (given, flag, methods) in [
        (guidance.guidance.is_some(), "--guidance", &["guided"][..]),
        (guidance.topics.is_some(), "--topics", &["guided"]),
        (guidance.links.is_some(), "--links", &["guided"]),
        (guidance.reference.is_some(), "--reference", &["ws-nmf", "guided"]),
        (guidance.label_targets.is_some(), "--label-targets", &["ssnmf"]),
        (guidance.missing, "--missing", &["ssnmf", "guided"]),
        (guidance.zeros_missing, "--zeros-missing", &["guided"]),
        (guidance.entry_weights.is_some(), "--entry-weights", &["guided"]),
        (guidance.graph.is_some(), "--graph", GRAPH),
        (guidance.graph_neighbours.is_some(), "--graph-neighbours", NEIGHBOURS),
        (guidance.graph_weights.is_some(), "--graph-weights", NEIGHBOURS),
        (guidance.degree_normalized, "--degree-normalized", SYMMETRIC),
        (model.strength.is_some(), "--strength", STRONG),
        (model.scale_mode.is_some(), "--scale-mode", ANCHORED),
        (model.graph_weight.is_some(), "--graph-weight", GRAPH),
        (model.label_weight.is_some(), "--label-weight", &["ssnmf"]),
        (model.coupling.is_some(), "--coupling", SYMMETRIC),
        (model.margin_weight.is_some(), "--margin-weight", &["nmf-alpha"]),
        (model.svm_cost.is_some(), "--svm-cost", &["nmf-alpha"]),
        (model.delta.is_some(), "--delta", &smoothed),
    ] {
        if given && !methods.contains(&method(args)) {
            let serves = match methods {
                [one] => format!("the method {one} only"),
                several => format!("the methods {} only", several.join(", ")),
            };
            bail!("{flag} serves {serves}; add --method {}, or leave it out", methods[0]);
        }
    }
    if let (Some(Strength::Value(value)), "guided") = (model.strength, method(args))
        && value > 1.0
    {
        bail!(
            "--strength {value}: with the method guided it is from 0 (ignored) to 1 (held exactly), or \"auto\""
        );
    }
    if guidance.heat_width.is_some() && guidance.graph_weights.as_deref() != Some("heat") {
        bail!("--heat-width serves --graph-weights heat only");
    }
    if guidance.graph_weights.as_deref() == Some("heat") && guidance.heat_width.is_none() {
        bail!("--graph-weights heat needs --heat-width, the square of a length of the data");
    }
    if guidance.label_targets.is_some() && (guidance.labels.is_some() || guidance.label_column.is_some()) {
        bail!("--label-targets stands in place of --labels; give one of them");
    }
    let wanted = args.solve.solver.as_str();
    let solver = solvers::ALL.iter().find(|spec| spec.name == wanted);
    if args.solve.inner.is_some() && solver.is_some_and(|spec| spec.inner_steps == 0) {
        bail!("--inner has no effect on the solver {wanted}, which has no inner steps");
    }
    Ok(())
}
