//! The list of experiments.

use crate::protocols::{ABSENT, ALL, Case, Extent, Protocol, enumerated};
use serde_json::{Value, json};

use super::folder::Folder;
use partwise_report::duration;

/// For a person.
pub(super) fn text(folder: &Folder) -> String {
    let mut out = String::new();
    for protocol in ALL {
        out.push_str(&entry(protocol, &folder.missing(protocol)));
    }
    out.push_str("Used by the papers, not to be had:\n");
    for absent in ABSENT {
        out.push_str(&format!("  {} ({}): {}\n", absent.what, absent.papers, absent.stands_in));
    }
    out.push_str("\nRun one with `partwise-lab reproduce NAME`, or `all`; --reduced for a look in minutes.");
    out
}

fn entry(protocol: &Protocol, missing: &[&str]) -> String {
    let methods: Vec<&str> = protocol.groups.iter().map(|group| group.name).collect();
    let missing =
        if missing.is_empty() { String::new() } else { format!(" (missing here: {})", missing.join(", ")) };
    format!(
        "{}\n  {}\n  paper: {}\n  data sets: {}{missing}\n  {}, about {} on one core; reduced: {}\n  cases: {}\n  methods: {}\n\n",
        protocol.name,
        protocol.title,
        protocol.paper,
        if protocol.needs.is_empty() { "nothing".into() } else { protocol.needs.join(", ") },
        draws(protocol.draws),
        duration(60.0 * protocol.minutes),
        draws(protocol.reduced_draws),
        cases(protocol),
        methods.join(", ")
    )
}

/// What `--cases` takes: each name, with its places on the axis.
fn cases(protocol: &Protocol) -> String {
    let all = (protocol.cases)(Extent::Full);
    let mut names: Vec<&str> = all.iter().map(|case| case.name.as_str()).collect();
    names.dedup();
    let text = |name: &&str| {
        let places = all.iter().filter(|case| case.name == *name).filter_map(|case| case.x);
        let places: Vec<String> = places.map(|x| x.to_string()).collect();
        if places.is_empty() { name.to_string() } else { format!("{name} {}", places.join("|")) }
    };
    enumerated(&names.iter().map(text).collect::<Vec<_>>())
}

fn draws(count: u64) -> String {
    if count == 1 { "1 draw".into() } else { format!("{count} draws") }
}

/// For a program.
pub(super) fn json(folder: &Folder) -> Value {
    let experiment = |protocol: &Protocol| {
        let method = |group: &crate::protocols::Group| json!({ "name": group.name, "title": group.title });
        json!({
            "name": protocol.name,
            "title": protocol.title,
            "paper": protocol.paper,
            "data_sets": protocol.needs,
            "missing": folder.missing(protocol),
            "draws": protocol.draws,
            "reduced_draws": protocol.reduced_draws,
            "minutes": protocol.minutes,
            "cases": (protocol.cases)(Extent::Full).iter().map(Case::to_string).collect::<Vec<_>>(),
            "methods": protocol.groups.iter().map(method).collect::<Vec<_>>(),
        })
    };
    let absent = |absent: &crate::protocols::Absent| json!({ "what": absent.what, "papers": absent.papers, "stands_in": absent.stands_in });
    json!({
        "experiments": ALL.iter().map(experiment).collect::<Vec<_>>(),
        "not_reproduced": ABSENT.iter().map(absent).collect::<Vec<_>>(),
    })
}
