//! What is written about a fit: the document of the model file, and run.json.

use partwise::graphs::Graph;
use partwise::guidance::Strength;
use partwise::methods::{Input, PARAMETERS, Parameter, ParameterKind, ParameterValue};
use partwise::recipes::{Finding, GuidanceReport, Likeness, TopicVerdict, Verdict};
use partwise::{Fit, Matrix, Model, Real, StopReason};
use partwise_io::machine::peak_memory;
use partwise_io::{GUIDED, ModelFile, Tensor, encoding_json, scaling_json, versions};
use serde_json::{Map, Value, json};

use crate::input::Source;
use crate::job::{Done, relative_kkt};

/// Wall times of the steps, in seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Timings {
    pub(crate) read: f64,
    pub(crate) fit: f64,
    pub(crate) write: f64,
}

/// What was read.
pub(crate) fn data_json(source: &Source, precision: &str) -> Value {
    json!({
        "file": source.name,
        "sha256": source.sha256,
        "format": source.format,
        "key": source.key,
        "layer": source.layer,
        "samples": source.rows,
        "features": source.columns,
        "stored_values": source.stored,
        "sparse": source.sparse,
        "image_shape": source.image_shape.map(|(h, w)| [h, w]),
        "computed_in": precision,
    })
}

/// The settings that change results, as chosen and as resolved.
fn settings_json<T: Real>(done: &Done<'_, T>) -> Map<String, Value> {
    let (settings, fit, model) = (&done.job.settings, &done.fit, &done.job.model);
    let guidance = model.guidance();
    let mut out = Map::new();
    let mut set = |key: &str, value: Value| out.insert(key.into(), value);
    set("method", json!(done.job.model.spec().name));
    set("loss", json!(fit.loss.name()));
    set("rank", json!(settings.rank));
    set("solver", json!(fit.solver));
    set("inner_steps", json!(settings.inner_steps));
    set("acceleration", json!(settings.acceleration.name()));
    set("init", json!(fit.init));
    set("first", json!(fit.first.name()));
    set("seed", json!(settings.seed));
    set("tolerance", json!(settings.tolerance));
    set("max_iterations", json!(settings.max_iterations));
    set("time_limit_seconds", json!(settings.time_limit.map(|limit| limit.as_secs_f64())));
    set("l1", json!([settings.l1.0, settings.l1.1]));
    set("l2", json!([settings.l2.0, settings.l2.1]));
    set("scale", scaling_json(done.job.scaling));
    set("shares_of", json!(done.memberships.of.name()));
    let takes = |input| model.spec().takes(input);
    // In the units of the papers, without the last digits that a strength from 0 to 1 costs.
    let published = |value: f64| json!((value * 1e12).round() / 1e12);
    let weight = |strength: Strength| {
        published(if strength.is_raw() { strength.sigma() } else { strength.sigma().powi(2) })
    };
    if let Some(strength) = guidance.label_strength() {
        let unit = if strength.is_raw() { "raw" } else { "relative" };
        if takes(Input::ComponentsPerClass) {
            set("strength", published(strength.sigma()));
            set("strength_unit", json!(unit));
        } else if takes(Input::LabelTargets) {
            set("label_weight", weight(strength));
        }
    }
    if let Some((_, strength)) = guidance.graph().filter(|_| takes(Input::Graph)) {
        set("graph_weight", weight(strength));
    }
    out.extend(parameters(model).into_iter().map(|(key, value)| (key.to_string(), value)));
    out
}

/// The parameters that the method takes. The size of images is a property of the data.
pub(crate) fn parameters(model: &Model) -> Vec<(&'static str, Value)> {
    let taken = PARAMETERS.iter().filter(|p| model.spec().takes(p.input) && p.kind != ParameterKind::Size);
    let value = |parameter: &Parameter| match parameter.get(model.options()) {
        Some(ParameterValue::Number(x)) if parameter.kind == ParameterKind::Whole => json!(x as u64),
        Some(ParameterValue::Number(x)) => json!(x),
        Some(ParameterValue::Name(name)) => json!(name),
        _ => Value::Null,
    };
    taken.map(|parameter| (parameter.recorded_name(), value(parameter))).collect()
}

/// The settings as lines for the report.
pub(crate) fn settings_lines<T: Real>(done: &Done<'_, T>) -> Vec<(String, String)> {
    settings_json(done)
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, value)| {
            let text = plain(&value);
            (key.replace('_', " "), text)
        })
        .collect()
}

/// A value of run.json as a person writes it.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(set) => (if *set { "yes" } else { "no" }).into(),
        Value::Number(number) => number
            .as_f64()
            .filter(|x| x.fract() == 0.0 && x.abs() < 1e15)
            .map_or_else(|| number.to_string(), |whole| format!("{whole:.0}")),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => fields.get("kind").map_or_else(|| value.to_string(), plain),
        Value::Null => String::new(),
    }
}

/// Which labels guided: positions and classes.
fn guidance_json<T: Real>(done: &Done<'_, T>) -> Value {
    let known = done.job.known;
    let labels = known.classes.as_ref().map(|classes| {
        let guided: Vec<usize> = (0..classes.used.len()).filter(|i| classes.used[*i] >= 0).collect();
        json!({
            "file": classes.name,
            "column": classes.column,
            "sha256": classes.sha256,
            "class_names": classes.class_names,
            "classes": guided.iter().map(|i| classes.used[*i]).collect::<Vec<_>>(),
            "samples": guided,
        })
    });
    let reference = known.reference.as_ref().map(|r| {
        json!({ "file": r.path.display().to_string(), "sha256": r.sha256, "components": r.values.rows(),
            "names": r.row_names })
    });
    let guided = done.job.takes_anything().then(|| known.to_json(done.job.model.guidance()));
    json!({ "labels": labels, "reference": reference, GUIDED: guided })
}

/// The report on the guidance: counts by verdict, the share that is followed, every topic and every finding
/// with its numbers.
fn report_json(report: &GuidanceReport) -> Value {
    let counts: Map<String, Value> =
        Verdict::ALL.iter().map(|v| (v.name().replace(' ', "_"), json!(report.count(*v)))).collect();
    let numbers = |numbers: &[(&'static str, f64)]| -> Map<String, Value> {
        numbers.iter().map(|(name, value)| (name.replace(' ', "_"), json!(value))).collect()
    };
    let finding = |f: &Finding| {
        json!({ "kind": f.kind, "samples": f.samples, "topic": f.topic, "verdict": f.verdict.name(),
            "data": f.plausibility.name(), "message": f.message, "numbers": numbers(&f.numbers) })
    };
    let likeness = |l: &Likeness| {
        json!({ "component": l.component, "topic": l.topic, "samples": l.samples,
            "mean_cosine": l.mean_cosine, "shared_cosine": l.shared_cosine })
    };
    let topic = |t: &TopicVerdict| {
        json!({ "topic": t.topic, "level": t.level.name(), "verdict": t.verdict.name(),
            "data": t.plausibility.name(), "taken_by": t.taken_by, "message": t.message,
            "numbers": numbers(&t.numbers) })
    };
    json!({
        "counts": counts,
        "surprising": report.surprising().count(),
        "agreement": report.agreement(),
        "topics": report.topics.iter().map(topic).collect::<Vec<_>>(),
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
        "derived": report.derived.iter().map(finding).collect::<Vec<_>>(),
        "likeness_of": report.likeness_of,
        "likeness": report.likeness.iter().map(likeness).collect::<Vec<_>>(),
        "cost": report.cost.map(|cost| json!({ "relative_error": cost.guided,
            "relative_error_without_guidance": cost.unguided, "fraction": cost.fraction() })),
    })
}

/// The numbers of a fit, or of new codes.
pub(crate) fn result_json<T: Real>(fit: &Fit<T>) -> Value {
    let parts: Map<String, Value> =
        fit.parts.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let mut result = json!({
        "objective": fit.objective,
        "parts": parts,
        "relative_error": fit.relative_error,
        "kkt": fit.kkt,
        "relative_kkt": relative_kkt(fit),
        "stop": fit.stop.name(),
        "converged": fit.stop == StopReason::Converged,
        "iterations": fit.iterations,
    });
    if let Some(error) = fit.symmetric_error {
        result["symmetric_error"] = json!(error);
    }
    // Objectives of data whose squares leave the range are those of the data divided by this.
    if fit.objective_unit != 1.0 {
        result["objective_unit"] = json!(fit.objective_unit);
    }
    result
}

/// The model file. The same fit gives the same bytes: times and threads are in run.json only.
pub(crate) fn model<T: Real>(done: &Done<'_, T>) -> ModelFile {
    let (fit, source) = (&done.fit, done.job.source);
    let history: Vec<Value> = fit.history.iter().map(|i| json!([i.number, i.objective, i.kkt])).collect();
    let document = json!({
        "versions": versions(),
        "data": data_json(source, T::NAME),
        "settings": settings_json(done),
        "component_names": fit.component_names,
        "feature_names": source.feature_names,
        "row_names": source.row_names,
        "guidance": guidance_json(done),
        "encoding": encoding_json(fit.encoding()),
        "result": result_json(&done.fit),
        "history_columns": ["iteration", "objective", "kkt"],
        "history": history,
    });
    let Value::Object(document) = document else {
        unreachable!("the document is written as an object above")
    };
    let mut tensors = vec![
        ("components".to_string(), Tensor::new(&fit.components)),
        ("codes".to_string(), Tensor::new(&fit.codes)),
    ];
    tensors.extend(fit.further.iter().map(|(slot, factor)| (further_name(slot.name()), Tensor::new(factor))));
    let guidance = done.job.model.guidance();
    let is_guided = done.job.takes_anything();
    let graph = guidance.graph().filter(|_| !is_guided);
    tensors.extend(graph.map(|(graph, _)| ("graph".to_string(), edges(graph))));
    let mut document = document;
    if let Some(texts) = &source.texts {
        document.insert("text".into(), texts.vocabulary.to_json());
    }
    let mut model = ModelFile { document, tensors };
    model.set_scaling(done.job.scaling);
    model.set_topics(&done.job.model.topics());
    if is_guided {
        model.set_guidance(guidance);
    }
    model
}

/// The name of the matrix of a factor beside codes and components.
fn further_name(slot: &str) -> String {
    format!("further/{}", slot.replace(' ', "_"))
}

/// The graph of the samples, one row per edge: the two samples and the weight; both ways.
fn edges(graph: &Graph) -> Tensor {
    let entries = graph.entries();
    Tensor::F64(Matrix::from_fn(entries.len(), 3, |e, part| {
        let (i, j, weight) = entries[e];
        [i as f64, j as f64, weight][part]
    }))
}

/// Seconds from the start of the fit to the end of each iteration.
fn iteration_ends<T: Real>(fit: &Fit<T>) -> Vec<f64> {
    fit.history.iter().map(|iteration| iteration.elapsed.as_secs_f64()).collect()
}

/// run.json.
pub(crate) fn run<T: Real>(done: &Done<'_, T>, timings: Timings) -> Value {
    let notes: Vec<Value> =
        done.notes.iter().map(|(code, message)| json!({ "code": code, "message": message })).collect();
    let sizes: Map<String, Value> = done
        .fit
        .component_names
        .iter()
        .zip(done.memberships.sizes())
        .map(|(name, size)| (name.clone(), json!(size)))
        .collect();
    json!({
        "command": "fit",
        "versions": versions(),
        "data": data_json(done.job.source, T::NAME),
        "settings": settings_json(done),
        "chosen": done.job.chosen,
        "guidance": guidance_json(done),
        "result": result_json(&done.fit),
        "guidance_report": done.report.as_ref().map(report_json),
        "evaluation": done.evaluation.as_ref().map(|e| e.to_json()),
        "cluster_sizes": sizes,
        "threads": done.fit.threads,
        "seconds": { "read": timings.read, "fit": timings.fit, "write": timings.write },
        "iteration_ends": iteration_ends(&done.fit),
        "working_bytes": done.fit.working_bytes,
        "estimated_memory_bytes": done.job.memory().bytes(),
        "available_memory_bytes": done.job.settings.memory_limit,
        "peak_memory_bytes": peak_memory(),
        "notes": notes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_shown_without_the_marks_of_json() {
        let shown = |value| plain(&value);
        assert_eq!(shown(json!({ "kind": "tfidf", "weights": "in the model" })), "tfidf");
        assert_eq!(shown(json!([0.0, 0.5])), "0, 0.5");
        assert_eq!([shown(json!(1e-4)), shown(json!(true)), shown(json!(3))], ["0.0001", "yes", "3"]);
    }
}
