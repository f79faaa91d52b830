//! What became of the guidance: counts by kind and verdict, what is not followed, and what is followed
//! although the data alone say otherwise.

use partwise::recipes::{Finding, GuidanceReport, Verdict};

use super::headline::is_followed;
use crate::html::{escaped, percent, section, table, tiles};

/// Items that are listed at most; all are in guidance_report.csv.
const MOST_LISTED: usize = 200;

pub(super) fn section_of(report: &GuidanceReport, sample_names: Option<&[String]>) -> String {
    let lead = "Two questions for each item: does the result follow it, and do the data alone agree with it? \
        Honoured: both. Overruled: the result does not follow it. Contradicted: the data alone, or another \
        item, say otherwise. No support: nothing in the data for it to act on.";
    let alone = report.count(Verdict::NoSupport) > 0;
    let what = if alone {
        "of the guidance that the data support is followed"
    } else {
        "of the guidance is followed"
    };
    let mut numbers = vec![(what, percent(report.agreement()))];
    numbers.extend(Verdict::ALL.iter().map(|v| (v.name(), report.count(*v).to_string())));
    let mut body = tiles(&numbers);
    body.push_str(&counts(report));
    let surprising = |f: &&Finding| f.verdict != Verdict::Honoured;
    let (followed, not): (Vec<&Finding>, Vec<&Finding>) =
        report.findings.iter().filter(surprising).partition(|finding| is_followed(finding));
    body.push_str(&listed("What is not followed", &not, sample_names));
    body.push_str(&listed("Followed, although the data alone say otherwise", &followed, sample_names));
    section("Guidance", lead, &body)
}

fn counts(report: &GuidanceReport) -> String {
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
    table(&header, &kinds.iter().map(row).collect::<Vec<_>>())
}

fn listed(title: &str, findings: &[&Finding], sample_names: Option<&[String]>) -> String {
    if findings.is_empty() {
        return String::new();
    }
    let name = |sample: &usize| {
        let named = sample_names.and_then(|names| names.get(*sample));
        named.map_or_else(|| sample.to_string(), |name| format!("{name} ({sample})"))
    };
    let item = |f: &&Finding| {
        let samples: Vec<String> = f.samples.iter().map(name).collect();
        let about: Vec<String> = [f.topic.clone().unwrap_or_default(), samples.join(", ")]
            .into_iter()
            .filter(|t| !t.is_empty())
            .collect();
        let measured = f.numbers.iter().filter(|(name, _)| *name != "followed");
        let numbers: Vec<String> = measured.map(|(name, value)| format!("{name} {value:.2}")).collect();
        format!(
            "<li><b>{} {}</b> <em>{}</em> {} <small>{}</small></li>",
            escaped(f.kind),
            escaped(&about.join(": ")),
            f.verdict.name(),
            escaped(&f.message),
            escaped(&numbers.join(", "))
        )
    };
    let items: String = findings.iter().take(MOST_LISTED).map(item).collect();
    let more = match findings.len().saturating_sub(MOST_LISTED) {
        0 => String::new(),
        n => format!("<p class=\"lead\">{n} more are in guidance_report.csv.</p>"),
    };
    format!("<h3>{}</h3><ul class=\"findings\">{items}</ul>{more}", escaped(title))
}
