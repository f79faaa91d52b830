//! What was tried, as lines for a person and as JSON.

use partwise_classify::{Candidate, CandidateGraph, ClassSizes, Classification, ClassifySettings, Member};
use serde_json::{Value, json};

use crate::classification::origin;
use crate::labels::KnownClasses;

fn score(score: Option<f64>, agreement: Option<f64>) -> String {
    match (score, agreement) {
        (None, _) => "not scored".into(),
        (Some(score), None) => format!("score {score:.2}"),
        (Some(score), Some(agreement)) => format!("score {score:.2}, agreement of the folds {agreement:.2}"),
    }
}

/// The scores, in words: the graphs of 5 % or more, the base classifiers and the refinements.
pub(super) fn reasons(found: &Classification, class_sizes: &ClassSizes, names: &[String]) -> Vec<String> {
    let mut lines = vec![format!(
        "cross-validation: {} held-out labels in {} folds; {} candidate graphs",
        found.held_out,
        found.folds,
        found.candidates.len()
    )];
    for c in found.candidates.iter().filter(|c| c.weight >= 0.05) {
        lines.push(format!(
            "candidate graph: weight {:.0} %; {}, with a share of {:.0} % ({})",
            100.0 * c.weight,
            origin(c.graph),
            100.0 * c.share,
            score(c.score, c.agreement)
        ));
    }
    let member = |what: &str, m: &Member| {
        format!("{what}: {}, weight {:.2} ({})", m.name, m.weight, score(m.score, m.agreement))
    };
    if found.views.len() > 1 {
        lines.extend(found.views.iter().map(|m| member("view", m)));
    }
    if *class_sizes != ClassSizes::Unknown {
        let sizes = names.iter().zip(&found.class_sizes);
        let sizes: Vec<String> = sizes.map(|(name, size)| format!("{name} {:.1} %", 100.0 * size)).collect();
        lines.push(format!("class sizes as given: {}", sizes.join(", ")));
    }
    lines.extend(found.base_classifiers.iter().map(|m| member("base classifier", m)));
    lines.extend(found.refinements.iter().map(|m| member("refinement", m)));
    lines
}

pub(super) fn classification_json(
    found: &Classification,
    settings: &ClassifySettings,
    known: &KnownClasses,
) -> Value {
    let candidate = |c: &Candidate| {
        let (kind, per_class) = match c.graph {
            CandidateGraph::Data => ("data", None),
            CandidateGraph::Centroids => ("centroids", None),
            CandidateGraph::Codes(per_class) => ("codes", Some(per_class)),
        };
        json!({
            "graph": origin(c.graph),
            "kind": kind,
            "components_per_class": per_class,
            "share": c.share,
            "score": c.score,
            "agreement": c.agreement,
            "weight": c.weight,
        })
    };
    let notice = |n: &partwise::Notice| json!({ "code": n.code, "message": n.message });
    json!({
        "seed": settings.seed,
        "components_per_class": settings.components_per_class,
        "graph_weight": settings.graph_weight,
        "iterations": settings.iterations,
        "folds": found.folds,
        "held_out_labels": found.held_out,
        "held_out_score": found.held_out_score(),
        "classes": known.labels.names(),
        "class_sizes": found.class_sizes,
        "class_sizes_given": settings.class_sizes != ClassSizes::Unknown,
        "candidates": found.candidates.iter().map(candidate).collect::<Vec<_>>(),
        "views": found.views.iter().map(member_json).collect::<Vec<_>>(),
        "base_classifiers": found.base_classifiers.iter().map(member_json).collect::<Vec<_>>(),
        "refinements": found.refinements.iter().map(member_json).collect::<Vec<_>>(),
        "notices": found.notices.iter().map(notice).collect::<Vec<_>>(),
    })
}

fn member_json(m: &Member) -> Value {
    json!({ "name": m.name, "score": m.score, "agreement": m.agreement, "weight": m.weight })
}

/// The record under the former names of its fields.
pub(super) fn recipe_json(classification: &Value) -> Value {
    let members = |key: &str, name: &str| -> Value {
        let member = |m: &Value| {
            let (score, agreement, weight) = (&m["score"], &m["agreement"], &m["weight"]);
            json!({ name: m["name"], "score": score, "agreement": agreement, "weight": weight })
        };
        classification[key].as_array().into_iter().flatten().map(member).collect()
    };
    let mut recipe = classification.clone();
    recipe["name"] = json!("auto");
    recipe["hidden_labels"] = classification["held_out_labels"].clone();
    recipe["readings"] = members("base_classifiers", "reading");
    recipe["refinements"] = members("refinements", "refinement");
    recipe
}
