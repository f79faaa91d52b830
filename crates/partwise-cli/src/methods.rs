//! `partwise methods`: the registries as text or JSON.

use anyhow::Result;
use partwise::{Init, ScalingKind, methods, solvers};
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
        console::print(&as_text());
    }
    Ok(Outcome::Done)
}

fn as_text() -> String {
    let losses = |list: &[partwise::Loss]| list.iter().map(|l| l.name()).collect::<Vec<_>>().join(", ");
    let mut out = String::from("METHODS (--method)\n");
    for spec in methods::ALL {
        out.push_str(&format!("{} ({})\n", spec.name, spec.title));
        for (what, text) in [
            ("", spec.summary),
            ("minimizes ", spec.objective),
            ("needs ", spec.needs),
            ("losses: ", losses(spec.losses).as_str()),
            ("", spec.reference),
            ("differs: ", spec.differs),
        ] {
            out.push_str(&format!("  {what}{text}\n"));
        }
    }
    out.push_str("cnmf-kl\n  cnmf with the kullback-leibler loss\n\nSOLVERS (--solver; default auto)\n");
    for spec in solvers::ALL {
        out.push_str(&format!("{}\n  {}\n  losses: {}\n", spec.name, spec.summary, losses(spec.losses)));
        out.push_str(&format!("  {}\n", spec.reference));
    }
    let mut list = |title: &str, lines: Vec<(String, &str)>| {
        out.push_str(&format!("\n{title}\n"));
        lines.iter().for_each(|(name, help)| out.push_str(&format!("{name}\n  {help}\n")));
    };
    list("STARTS (--init)", Init::NAMES.iter().map(|(name, help)| (name.to_string(), *help)).collect());
    list(
        "SCALINGS (--scale)",
        ScalingKind::ALL.iter().map(|s| (s.name().to_string(), s.summary())).collect(),
    );
    list(
        "FILE FORMATS (--format; each also compressed, .gz)",
        FORMATS
            .iter()
            .map(|f| (format!("{} (.{})", f.name, f.extensions.join(", .")), f.description))
            .collect(),
    );
    out.trim_end().to_string()
}

fn as_json() -> Value {
    let losses = |list: &[partwise::Loss]| list.iter().map(|l| l.name()).collect::<Vec<_>>();
    let methods: Vec<Value> = methods::ALL
        .iter()
        .map(|s| {
            json!({ "name": s.name, "title": s.title, "summary": s.summary, "objective": s.objective, "needs": s.needs,
                "losses": losses(s.losses), "reference": s.reference, "differs": s.differs })
        })
        .collect();
    let solvers: Vec<Value> = solvers::ALL
        .iter()
        .map(|s| {
            json!({ "name": s.name, "summary": s.summary, "losses": losses(s.losses), "inner_steps": s.inner_steps,
                "reference": s.reference })
        })
        .collect();
    let named = |name: &str, summary: &str| json!({ "name": name, "summary": summary });
    json!({
        "methods": methods,
        "aliases": [{ "name": "cnmf-kl", "method": "cnmf", "loss": "kullback-leibler" }],
        "solvers": solvers,
        "starts": Init::NAMES.iter().map(|(name, help)| named(name, help)).collect::<Vec<_>>(),
        "scalings": ScalingKind::ALL.iter().map(|s| named(s.name(), s.summary())).collect::<Vec<_>>(),
        "formats": FORMATS
            .iter()
            .map(|f| json!({ "name": f.name, "extensions": f.extensions, "summary": f.description }))
            .collect::<Vec<_>>(),
    })
}
