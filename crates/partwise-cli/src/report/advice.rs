//! The section on what became of the guidance: counts by kind and verdict, and what was not honoured.

use partwise::recipes::{GuidanceReport, Verdict};

use partwise_report::html::{escaped, table, tiles};

/// Items that are listed at most; all are in guidance_report.csv.
const MOST_LISTED: usize = 200;

/// The body of the section.
pub(super) fn body(report: &GuidanceReport, sample_names: Option<&[String]>) -> String {
    let alone = report.count(Verdict::NoSupport) > 0;
    let what = if alone {
        "of the guidance that the data support is followed"
    } else {
        "of the guidance is followed"
    };
    let mut numbers = vec![(what, format!("{:.1} %", 100.0 * report.agreement()))];
    numbers.extend(Verdict::ALL.iter().map(|v| (v.name(), report.count(*v).to_string())));
    let mut kinds: Vec<&str> = Vec::new();
    for finding in &report.findings {
        if !kinds.contains(&finding.kind) {
            kinds.push(finding.kind);
        }
    }
    let header: Vec<String> = std::iter::once("item")
        .chain(Verdict::ALL.iter().map(|verdict| verdict.name()))
        .map(String::from)
        .collect();
    let row = |kind: &&str| {
        let count = |v: Verdict| report.findings.iter().filter(|f| f.kind == *kind && f.verdict == v).count();
        std::iter::once(kind.to_string()).chain(Verdict::ALL.iter().map(|v| count(*v).to_string())).collect()
    };
    let rows: Vec<Vec<String>> = kinds.iter().map(row).collect();
    let mut out = tiles(&numbers);
    out.push_str(&table(&header, &rows));
    let others: Vec<_> = report.findings.iter().filter(|f| f.verdict != Verdict::Honoured).collect();
    if others.is_empty() {
        return out;
    }
    let header = ["item", "samples", "topic", "verdict", "what happened", "numbers"].map(String::from);
    let name = |sample: &usize| {
        let named = sample_names.and_then(|names| names.get(*sample));
        named.map_or_else(|| sample.to_string(), |name| format!("{name} ({sample})"))
    };
    let rows: Vec<Vec<String>> = others
        .iter()
        .take(MOST_LISTED)
        .map(|f| {
            let samples: Vec<String> = f.samples.iter().map(name).collect();
            let measured = f.numbers.iter().filter(|(name, _)| *name != "followed");
            let numbers: Vec<String> = measured.map(|(name, value)| format!("{name} {value:.2}")).collect();
            vec![
                f.kind.to_string(),
                samples.join(", "),
                f.topic.clone().unwrap_or_default(),
                f.verdict.name().to_string(),
                f.message.clone(),
                numbers.join(", "),
            ]
        })
        .collect();
    out.push_str(&format!("<h3>{}</h3>", escaped("What was not honoured")));
    out.push_str(&table(&header, &rows));
    if others.len() > MOST_LISTED {
        let more = others.len() - MOST_LISTED;
        out.push_str(&format!("<p class=\"lead\">{more} more are in guidance_report.csv.</p>"));
    }
    out
}
