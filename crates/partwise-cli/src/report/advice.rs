//! The section on what became of the guidance: the topics, counts by kind and verdict, what was not followed,
//! and what the data disagree with.

use partwise::recipes::{Finding, GuidanceReport, TopicVerdict, Verdict};

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
    out.push_str(&topics(report));
    let not_followed: Vec<&Finding> = report.not_followed().collect();
    out.push_str(&listed("What was not followed", &not_followed, sample_names));
    let surprising: Vec<&Finding> = report.surprising().filter(|f| f.verdict == Verdict::Followed).collect();
    out.push_str(&listed("Followed, but surprising: check these", &surprising, sample_names));
    out
}

/// A row for each topic.
fn topics(report: &GuidanceReport) -> String {
    if report.topics.is_empty() {
        return String::new();
    }
    let header = ["topic", "level", "the fit", "the data", "why"].map(String::from);
    let row = |t: &TopicVerdict| {
        let words = [t.level.name(), t.verdict.name(), t.plausibility.name()].map(String::from);
        std::iter::once(t.topic.clone()).chain(words).chain([t.message.clone()]).collect()
    };
    let rows: Vec<Vec<String>> = report.topics.iter().map(row).collect();
    format!("<h3>Topics</h3>{}", table(&header, &rows))
}

/// A table of findings; nothing where there are none.
fn listed(title: &str, findings: &[&Finding], sample_names: Option<&[String]>) -> String {
    if findings.is_empty() {
        return String::new();
    }
    let header = ["item", "samples", "topic", "what happened", "numbers"].map(String::from);
    let name = |sample: &usize| {
        let named = sample_names.and_then(|names| names.get(*sample));
        named.map_or_else(|| sample.to_string(), |name| format!("{name} ({sample})"))
    };
    let row = |f: &&Finding| {
        let samples: Vec<String> = f.samples.iter().map(name).collect();
        let numbers: Vec<String> =
            f.numbers.iter().map(|(name, value)| format!("{name} {value:.2}")).collect();
        let topic = f.topic.clone().unwrap_or_default();
        vec![f.kind.to_string(), samples.join(", "), topic, f.message.clone(), numbers.join(", ")]
    };
    let rows: Vec<Vec<String>> = findings.iter().take(MOST_LISTED).map(row).collect();
    let mut out = format!("<h3>{}</h3>{}", escaped(title), table(&header, &rows));
    if findings.len() > MOST_LISTED {
        let more = findings.len() - MOST_LISTED;
        out.push_str(&format!("<p class=\"lead\">{more} more are in guidance_report.csv.</p>"));
    }
    out
}
