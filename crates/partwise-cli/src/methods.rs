//! `partwise methods`: the registries as text or JSON.

use anyhow::Result;
use partwise::methods::{ALIASES, ALL};
use partwise::{Init, Loss, ScalingKind, solvers};
use partwise_io::FORMATS;
use serde_json::{Value, json};

use crate::request::MethodsRequest;
use partwise_report::console;
use partwise_report::program::Outcome;

/// Prints.
pub(crate) fn run(request: &MethodsRequest) -> Result<Outcome> {
    if request.json {
        console::print_json(&as_json());
    } else {
        console::print(&as_text(&as_json()));
    }
    Ok(Outcome::Done)
}

/// The tables of the registries by their headings, with what precedes a field in the text.
const TABLES: [(&str, &str); 6] = [
    ("methods", "METHODS (--method)"),
    ("aliases", ""),
    ("solvers", "SOLVERS (--solver; default auto)"),
    ("starts", "STARTS (--init)"),
    ("scalings", "SCALINGS (--scale)"),
    ("formats", "FILE FORMATS (--format; each also compressed, .gz)"),
];

fn as_text(tables: &Value) -> String {
    let mut out = String::new();
    for (key, title) in TABLES {
        out.push_str(&if title.is_empty() { String::new() } else { format!("\n{title}\n") });
        for line in tables[key].as_array().into_iter().flatten() {
            let text = |field: &str, joint: &str| match &line[field] {
                Value::String(text) => Some(text.clone()),
                Value::Array(list) => {
                    Some(list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(joint))
                }
                _ => None,
            };
            let of = |before: &str, field: &str, after: &str| {
                text(field, if field == "extensions" { ", ." } else { ", " })
                    .map_or(String::new(), |text| format!("{before}{text}{after}"))
            };
            let head = [of("", "name", ""), of(" (", "title", ")"), of(" (.", "extensions", ")")].concat();
            out.push_str(&format!("{head}\n"));
            for (before, field) in [
                ("", "summary"),
                ("minimizes ", "objective"),
                ("needs ", "needs"),
                ("losses: ", "losses"),
                ("", "reference"),
                ("unlike the paper: ", "differs"),
                ("data: ", "data"),
            ] {
                out.push_str(&of(&format!("  {before}"), field, "\n"));
            }
        }
    }
    out.trim().to_string()
}

fn as_json() -> Value {
    let losses = |list: &[Loss]| list.iter().map(|loss| loss.name()).collect::<Vec<_>>();
    let named = |name: &str, summary: &str| json!({ "name": name, "summary": summary });
    json!({
        "methods": ALL.iter().map(|s| json!({ "name": s.name, "title": s.title, "summary": s.summary,
            "objective": s.objective, "needs": s.needs, "losses": losses(s.losses),
            "reference": s.reference, "differs": s.differs,
            "data": if s.in_blocks { "in memory, or in row blocks" } else { "in memory" } }))
            .collect::<Vec<_>>(),
        "aliases": ALIASES.iter().map(|(name, spec, loss)| json!({ "name": name, "method": spec.name,
            "loss": loss.name(), "summary": format!("{} with the {} loss", spec.name, loss.name()) }))
            .collect::<Vec<_>>(),
        "solvers": solvers::ALL.iter().map(|s| json!({ "name": s.name, "summary": s.summary,
            "losses": losses(s.losses), "inner_steps": s.inner_steps, "reference": s.reference }))
            .collect::<Vec<_>>(),
        "starts": Init::NAMES.iter().map(|(name, help)| named(name, help)).collect::<Vec<_>>(),
        "scalings": ScalingKind::ALL.iter().map(|s| named(s.name(), s.summary())).collect::<Vec<_>>(),
        "formats": FORMATS.iter().map(|f| json!({ "name": f.name, "extensions": f.extensions,
            "summary": f.description })).collect::<Vec<_>>(),
    })
}
