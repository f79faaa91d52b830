//! Refuses flags that have no effect on the method, and lists the methods that they apply to.

use anyhow::{Result, bail};
use partwise::guidance as advice;
use partwise::methods::{self, Form, Input, MethodSpec};
use partwise::solvers;

use crate::args::{FitArgs, GuidanceArgs};
use crate::choices::Strength;

const GRAPH: &[Input] = &[Input::Graph, Input::Guidance];
/// Graphs of neighbours stand for similarities, too.
const NEIGHBOURS: &[Input] = &[Input::Graph, Input::Coupling, Input::Guidance];

/// The method that the flags ask for, or mean.
pub(crate) fn method(args: &FitArgs) -> &str {
    match (&args.model.method, &args.guidance.reference) {
        (Some(method), _) => method,
        (None, _) if means_guided(&args.guidance) => "guided",
        (None, Some(_)) => "ws-nmf",
        (None, None) if args.guidance.known_labels.are_given() => "cnmf",
        (None, None) => "nmf",
    }
}

/// Whether what is given asks for the method that takes anything at once.
fn means_guided(guidance: &GuidanceArgs) -> bool {
    let labels = guidance.known_labels.are_given();
    let graph = guidance.graph.is_some() || guidance.graph_neighbours.is_some();
    let kinds = [labels, graph, guidance.reference.is_some()].into_iter().filter(|given| *given).count();
    guidance.guidance.is_some() || guidance.topics.is_some() || guidance.links.is_some() || kinds > 1
}

/// Its line of the registry; `cnmf-kl` is cnmf's.
pub(crate) fn spec(args: &FitArgs) -> Option<&'static MethodSpec> {
    let name = method(args);
    methods::ALL.iter().copied().find(|spec| spec.name == name.trim_end_matches("-kl"))
}

/// Whether the method takes this.
pub(crate) fn takes(args: &FitArgs, input: Input) -> bool {
    spec(args).is_some_and(|spec| spec.takes(input))
}

/// How strongly labels and references of a published method pull; notices about old spellings go to `notes`.
pub(crate) fn strength(args: &FitArgs, notes: &mut Vec<String>) -> advice::Strength {
    if takes(args, Input::LabelTargets) {
        // Labels that the codes explain: the weight enters as it is.
        return match args.model.label_weight {
            Some(weight) => advice::Strength::of_sigma(weight.sqrt()),
            None => advice::Strength::EVEN,
        };
    }
    let raw = args.model.scale_mode.is_some();
    match args.model.strength {
        Some(Strength::Value(weight)) if raw => advice::Strength::Raw(weight),
        Some(Strength::Value(s)) if s < 1.0 => advice::Strength::Relative(s),
        Some(Strength::Value(sigma)) => {
            let strength = advice::Strength::of_sigma(sigma);
            if let advice::Strength::Relative(s) = strength {
                notes.push(format!(
                    "strength {s:.4}: --strength {sigma} is the old spelling, which the next release will \
                    not support; strengths are from 0 to 1"
                ));
            }
            strength
        }
        _ if raw => advice::Strength::Raw(advice::Strength::STRONG.sigma().round()),
        _ => advice::Strength::STRONG,
    }
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
    let given = &args.guidance;
    let is_given = given.graph.is_some() || given.graph_neighbours.is_some() || given.graph_weights.is_some();
    // A method that takes references can do without.
    takes(args, Input::Graph) && (is_given || !takes(args, Input::ComponentReference))
}

/// Refuses what would have no effect.
pub(crate) fn check(args: &FitArgs) -> Result<()> {
    let (guidance, model) = (&args.guidance, &args.model);
    let any = Input::Guidance;
    for (given, flag, inputs) in [
        (guidance.guidance.is_some(), "--guidance", &[any][..]),
        (guidance.topics.is_some(), "--topics", &[any]),
        (guidance.links.is_some(), "--links", &[any]),
        (guidance.spread.is_some(), "--spread", &[any]),
        (guidance.reference.is_some(), "--reference", &[Input::ComponentReference, any]),
        (guidance.label_targets.is_some(), "--label-targets", &[Input::LabelTargets]),
        (guidance.missing, "--missing", &[Input::KnownEntries, any]),
        (guidance.zeros_missing, "--zeros-missing", &[any]),
        (guidance.entry_weights.is_some(), "--entry-weights", &[any]),
        (guidance.graph.is_some(), "--graph", GRAPH),
        (guidance.graph_neighbours.is_some(), "--graph-neighbours", NEIGHBOURS),
        (guidance.graph_weights.is_some(), "--graph-weights", NEIGHBOURS),
        (guidance.degree_normalized, "--degree-normalized", &[Input::Coupling]),
        (model.strength.is_some(), "--strength", &[Input::ComponentsPerClass, any]),
        (model.scale_mode.is_some(), "--scale-mode", &[Input::ComponentsPerClass]),
        (model.graph_weight.is_some(), "--graph-weight", GRAPH),
        (model.label_weight.is_some(), "--label-weight", &[Input::LabelTargets]),
        (model.coupling.is_some(), "--coupling", &[Input::Coupling]),
        (model.margin_weight.is_some(), "--margin-weight", &[Input::DiscriminativeWeight]),
        (model.svm_cost.is_some(), "--svm-cost", &[Input::Cost]),
        (model.delta.is_some(), "--delta", &[Input::Smoothing]),
    ] {
        let applies = |spec: &MethodSpec| inputs.iter().any(|input| spec.takes(*input));
        if given && !spec(args).is_some_and(applies) {
            let methods: Vec<&str> = methods::ALL.iter().filter(|s| applies(s)).map(|s| s.name).collect();
            let list = match methods.as_slice() {
                [one] => format!("the method {one}"),
                several => format!("the methods {}", several.join(", ")),
            };
            bail!("{flag} applies only to {list}; add --method {}, or leave the flag out", methods[0]);
        }
    }
    if let (Some(Strength::Value(value)), "guided") = (model.strength, method(args))
        && value > 1.0
    {
        bail!("--strength {value}: with the method guided it is from 0 (ignored) to 1 (exact), or \"auto\"");
    }
    if guidance.heat_width.is_some() && guidance.graph_weights.as_deref() != Some("heat") {
        bail!("--heat-width applies only to --graph-weights heat");
    }
    if guidance.graph_weights.as_deref() == Some("heat") && guidance.heat_width.is_none() {
        bail!("--graph-weights heat needs --heat-width, in the square of the unit of the data");
    }
    if guidance.label_targets.is_some() && guidance.known_labels.are_given() {
        bail!("--label-targets replaces --labels; give only one of them");
    }
    let wanted = args.solve.solver.as_str();
    let solver = solvers::ALL.iter().find(|spec| spec.name == wanted);
    if args.solve.inner.is_some() && solver.is_some_and(|spec| spec.inner_steps == 0) {
        bail!("--inner has no effect on the solver {wanted}, which has no inner steps");
    }
    Ok(())
}
