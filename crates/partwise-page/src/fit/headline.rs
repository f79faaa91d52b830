//! The first sentence: what was found, and what became of the guidance.

use partwise::recipes::{Level, Verdict};

use super::Shown;
use super::judged::{Judged, JudgedItem};
use crate::html::{counted, percent, thousands};

/// "10 topics in 2,225 documents. Your 4 words were followed. Largest: sport (424)."
pub(super) fn sentence(shown: &Shown<'_>) -> String {
    let page = shown.page;
    let (one, many) = page.component_words();
    let samples = page.sample_words();
    let mut out = format!(
        "{} in {}.",
        counted(page.components.rows(), one, many),
        counted(page.codes.rows(), samples.0, samples.1)
    );
    if let Some(report) = &page.report {
        out.push_str(&followed(report, page.feature_names.is_some()));
    }
    if let Some(report) = &page.report {
        out.push_str(&weak(report));
    }
    let used = page.classes.as_ref().map_or(0, |classes| classes.used.iter().filter(|used| **used).count());
    if page.report.is_none() && used > 0 {
        out.push_str(&format!(" The fit used {}.", counted(used, "label", "labels")));
    }
    let forbidden = shown.named.iter().map(|named| named.forbidden.len()).max().unwrap_or(0);
    if forbidden > 0 {
        let all: usize = page.topics.iter().map(|topic| topic.forbidden.len()).sum();
        let words = counted(all, "forbidden word stays", "forbidden words stay");
        out.push_str(&format!(" {words} out."));
    }
    if let Some((accuracy, count)) = page.classes.as_ref().and_then(|classes| classes.held_out) {
        let (labels, share) = (thousands(count), percent(accuracy));
        out.push_str(&match has_names_of_classes(page) {
            true => format!(" {share} of the {labels} held-out labels are right."),
            false => format!(
                " {share} of the {labels} held-out labels are right if each component stands for the class that \
                fits it best."
            ),
        });
    }
    if let Some(largest) = shown.order.first().filter(|_| shown.order.len() > 1) {
        let name = &page.component_names[*largest];
        out.push_str(&format!(" Largest: {name} ({}).", thousands(shown.sizes[*largest])));
    }
    let none = page.clusters.iter().filter(|cluster| cluster.is_none()).count();
    if none > 0 {
        let belong = if none == 1 { "belongs" } else { "belong" };
        out.push_str(&format!(" {} {belong} to none.", counted(none, samples.0, samples.1)));
    }
    out
}

/// Whether components carry the names of the classes; otherwise an accuracy matches the two.
fn has_names_of_classes(page: &super::FitPage<'_>) -> bool {
    let has_name = |class: &String| {
        page.component_names.contains(class) || page.topics.iter().any(|topic| topic.name == *class)
    };
    page.classes.as_ref().is_some_and(|classes| classes.names.iter().any(has_name))
}

/// How much of the guidance is followed, by kind: " Your 4 words and 2 links were followed."
fn followed(report: &Judged, words: bool) -> String {
    let mut kinds: Vec<(&str, &str, usize, usize)> = Vec::new();
    // What is forbidden is always kept out, and has its own sentence.
    for finding in report.items.iter().filter(|finding| finding.kind != "forbidden") {
        let (one, many) = name_of(finding, words);
        let at = kinds.iter().position(|kind| kind.0 == one).unwrap_or_else(|| {
            kinds.push((one, many, 0, 0));
            kinds.len() - 1
        });
        kinds[at].2 += usize::from(is_followed(finding));
        kinds[at].3 += 1;
    }
    if kinds.is_empty() {
        return String::new();
    }
    let whole = kinds.iter().all(|kind| kind.2 == kind.3);
    let part = |(one, many, followed, all): &(&str, &str, usize, usize)| match whole {
        true => counted(*all, one, many),
        false => format!("{} of {}", thousands(*followed), counted(*all, one, many)),
    };
    let parts: Vec<String> = kinds.iter().map(part).collect();
    let single = kinds.len() == 1 && kinds[0].3 == 1;
    let list = match parts.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => parts.concat(),
    };
    match (whole, single) {
        (true, true) => format!(" Your {list} was followed."),
        (true, false) => format!(" Your {list} were followed."),
        (false, _) => format!(" Of your guidance, {list} were followed."),
    }
}

/// The weak topics, or else the fair ones, by name: " Weak topics: Mono, B cell."
fn weak(report: &Judged) -> String {
    /// Topics that are named.
    const MOST: usize = 4;
    let levels = [Level::Weak, Level::Fair].map(|level| (level, report.of_level(level)));
    let Some((level, names)) = levels.into_iter().find(|(_, names)| !names.is_empty()) else {
        return String::new();
    };
    let more = match names.len().saturating_sub(MOST) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let word = if level == Level::Weak { "Weak" } else { "Fair" };
    let topics = if names.len() == 1 { "topic" } else { "topics" };
    format!(" {word} {topics}: {}{more}.", names[..names.len().min(MOST)].join(", "))
}

/// Whether the result follows it, whatever the data say.
fn is_followed(finding: &JudgedItem) -> bool {
    finding.verdict == Verdict::Followed
}

/// What one item of this kind and several are called.
fn name_of(finding: &JudgedItem, words: bool) -> (&'static str, &'static str) {
    match finding.kind.as_str() {
        "label" => ("label", "labels"),
        "set" => ("set of labels", "sets of labels"),
        "membership" => ("membership", "memberships"),
        "seed" if words => ("word", "words"),
        "seed" => ("seed", "seeds"),
        "reference" => ("reference", "references"),
        "must-link" | "cannot-link" => ("link", "links"),
        "graph" => ("graph", "graphs"),
        _ => ("item", "items"),
    }
}
