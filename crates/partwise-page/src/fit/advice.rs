//! What became of the guidance: a verdict on each topic, counts by kind, what is not followed, and what is
//! followed although the data say otherwise.

use partwise::recipes::{Level, Plausibility, Verdict};

use super::judged::{Judged, JudgedItem, JudgedLikeness, JudgedTopic};
use crate::html::{escaped, percent, section, table, tiles};

/// Items that are listed at most; all are in guidance_report.csv.
const MOST_LISTED: usize = 200;

pub(super) fn section_of(report: &Judged, sample_names: Option<&[String]>) -> String {
    let lead = "Two questions: did the fit follow what you said, and do the data agree? A topic is good, fair or \
        weak by how many of the samples that its guidance describes are in it, and how few others. No support: \
        nothing in the data to act on.";
    let alone = report.count(Verdict::NoSupport) > 0;
    let what = if alone {
        "of the guidance that the data support is followed"
    } else {
        "of the guidance is followed"
    };
    let disagree = |item: &&JudgedItem| item.plausibility == Plausibility::Surprising;
    let mut surprising: Vec<&JudgedItem> = report.items.iter().filter(disagree).collect();
    let mut numbers = vec![(what, percent(report.agreement))];
    numbers.extend(Verdict::ALL.iter().map(|v| (v.name(), report.count(*v).to_string())));
    numbers.push(("surprising: the data disagree", surprising.len().to_string()));
    let mut body = tiles(&numbers);
    body.push_str(&topics(report));
    body.push_str(&likeness(report));
    body.push_str(&counts(report));
    let not: Vec<&JudgedItem> =
        report.items.iter().filter(|item| item.verdict != Verdict::Followed).collect();
    body.push_str(&listed("What was not followed", &not, sample_names));
    surprising.retain(|item| item.verdict == Verdict::Followed);
    body.push_str(&listed("Followed, but surprising: check these", &surprising, sample_names));
    section("Guidance", lead, &body)
}

/// A row for each topic; many good ones are folded.
fn topics(report: &Judged) -> String {
    /// Good topics that are shown at most.
    const MOST_GOOD: usize = 6;
    if report.topics.is_empty() {
        return String::new();
    }
    let header = ["topic", "level", "the fit", "the data", "why"].map(String::from);
    let row = |t: &&JudgedTopic| {
        let words = [t.level.name(), t.verdict.name(), t.plausibility.name()].map(String::from);
        std::iter::once(t.topic.clone()).chain(words).chain([t.message.clone()]).collect()
    };
    let rows = |of: &[&JudgedTopic]| table(&header, &of.iter().map(row).collect::<Vec<_>>());
    let mut all: Vec<&JudgedTopic> = report.topics.iter().collect();
    let good = report.of_level(Level::Good).len();
    if good <= MOST_GOOD {
        return format!("<h3>Topics</h3>{}", rows(&all));
    }
    all.sort_by_key(|topic| std::cmp::Reverse(topic.level));
    let (others, good_ones) = all.split_at(all.len() - good);
    let others = if others.is_empty() { String::new() } else { rows(others) };
    let folded = format!("<details><summary>{good} good topics</summary>{}</details>", rows(good_ones));
    format!("<h3>Topics</h3>{others}{folded}")
}

/// A row for each component: how much it looks like the samples of its class; and what the guidance costs.
fn likeness(report: &Judged) -> String {
    let cost = report.cost.as_ref().map_or(String::new(), |cost| {
        let cost = escaped(cost);
        format!(
            "<h3>What the guidance costs</h3><p class=\"lead\">{}{}.</p>",
            cost[..1].to_uppercase(),
            &cost[1..]
        )
    });
    if report.likeness.is_empty() {
        return cost;
    }
    let header = ["component", "samples", "cosine with their mean", "cosine with what they share"];
    let row = |line: &JudgedLikeness| {
        let cosines = [line.mean_cosine, line.shared_cosine].map(|cosine| format!("{cosine:.2}"));
        [line.component.clone(), line.samples.to_string()].into_iter().chain(cosines).collect()
    };
    let rows: Vec<Vec<String>> = report.likeness.iter().map(row).collect();
    format!(
        "<h3>Components and their classes</h3><p class=\"lead\">The samples of a class are known {}; of a \
         class with several components each has those with more of it than of the others, and one without any \
         is left out. What they share: features of nearly all of them count, those of a few hardly do.</p>{}{cost}",
        escaped(&report.likeness_of),
        table(&header.map(String::from), &rows)
    )
}

fn counts(report: &Judged) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    for finding in &report.items {
        if !kinds.contains(&finding.kind.as_str()) {
            kinds.push(&finding.kind);
        }
    }
    let header: Vec<String> = std::iter::once("item")
        .chain(Verdict::ALL.iter().map(|verdict| verdict.name()))
        .map(String::from)
        .collect();
    let row = |kind: &&str| {
        let count = |v: Verdict| report.items.iter().filter(|f| f.kind == **kind && f.verdict == v).count();
        std::iter::once(kind.to_string()).chain(Verdict::ALL.iter().map(|v| count(*v).to_string())).collect()
    };
    format!("<h3>Items</h3>{}", table(&header, &kinds.iter().map(row).collect::<Vec<_>>()))
}

fn listed(title: &str, findings: &[&JudgedItem], sample_names: Option<&[String]>) -> String {
    if findings.is_empty() {
        return String::new();
    }
    let name = |sample: &usize| {
        let named = sample_names.and_then(|names| names.get(*sample));
        named.map_or_else(|| sample.to_string(), |name| format!("{name} ({sample})"))
    };
    let item = |f: &&JudgedItem| {
        let samples: Vec<String> = f.samples.iter().map(name).collect();
        let about: Vec<String> = [f.topic.clone().unwrap_or_default(), samples.join(", ")]
            .into_iter()
            .filter(|t| !t.is_empty())
            .collect();
        let numbers: Vec<String> =
            f.numbers.iter().map(|(name, value)| format!("{name} {value:.2}")).collect();
        format!(
            "<li><b>{} {}</b> <em>{}</em> {} <small>{}</small></li>",
            escaped(&f.kind),
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
