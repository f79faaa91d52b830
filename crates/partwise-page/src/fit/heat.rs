//! Components against known classes: a heat map over all labelled samples, and the measures.

use std::fmt::Write;

use super::{Classes, Shown};
use crate::html::{escaped, section, table};

/// With more rows or columns than this, cells show no numbers; with more than that, there is no map.
const MOST_NUMBERS: usize = 20;
const MOST_CELLS: usize = 120;

pub(super) fn section_of(shown: &Shown<'_>) -> String {
    let Some(classes) = shown.page.classes.as_ref().filter(|classes| !classes.names.is_empty()) else {
        return String::new();
    };
    let (header, rows) = &classes.measures;
    let mut body = heat_map(shown, classes);
    if !rows.is_empty() {
        let measures = table(header, rows);
        body.push_str(&format!("<details><summary>All measures of agreement</summary>{measures}</details>"));
    }
    let (one, _) = shown.page.component_words();
    let lead = format!(
        "Each column is a class, each row a {one}: how many samples of the class have their largest membership \
        there, over all {} labelled samples. The darker, the larger the part of the class.",
        classes.truth.iter().filter(|class| **class >= 0).count()
    );
    let mut title = shown.page.component_words().1.to_string();
    title[..1].make_ascii_uppercase();
    section(&format!("{title} and labels"), &lead, &body)
}

/// Samples of each class (columns) in each component (rows, and a last one for none).
fn counts(shown: &Shown<'_>, classes: &Classes<'_>) -> Vec<Vec<usize>> {
    let k = shown.page.components.rows();
    let mut counts = vec![vec![0; classes.names.len()]; k + 1];
    for (class, cluster) in classes.truth.iter().zip(shown.page.clusters) {
        if let Ok(class) = usize::try_from(*class) {
            counts[cluster.unwrap_or(k)][class] += 1;
        }
    }
    counts
}

fn heat_map(shown: &Shown<'_>, classes: &Classes<'_>) -> String {
    let (k, c) = (shown.page.components.rows(), classes.names.len());
    if k > MOST_CELLS || c > MOST_CELLS {
        return String::new();
    }
    let counts = counts(shown, classes);
    let sums: Vec<usize> = (0..c).map(|class| counts.iter().map(|row| row[class]).sum()).collect();
    let share = |j: usize, class: usize| counts[j][class] as f64 / sums[class].max(1) as f64;
    // Along the diagonal, as far as that can be: each row beside the class of which it has most.
    let best =
        |j: usize| (0..c).max_by(|a, b| share(j, *a).total_cmp(&share(j, *b)).then(b.cmp(a))).unwrap_or(0);
    let mut order: Vec<usize> = (0..k).collect();
    order.sort_by(|a, b| {
        let (class, other) = (best(*a), best(*b));
        class.cmp(&other).then(share(*b, other).total_cmp(&share(*a, class))).then(a.cmp(b))
    });
    if counts[k].iter().any(|count| *count > 0) {
        order.push(k);
    }
    let numbers = k <= MOST_NUMBERS && c <= MOST_NUMBERS;
    let name = |j: usize| shown.page.component_names.get(j).map_or("none", String::as_str);
    let mut out = String::from(if numbers {
        "<div class=\"scroll\"><table class=\"heat\"><thead><tr><th></th>"
    } else {
        "<div class=\"scroll\"><table class=\"heat small\"><thead><tr><th></th>"
    });
    for class in classes.names {
        let _ = write!(out, "<th><span>{}</span></th>", escaped(class));
    }
    out.push_str("</tr></thead><tbody>");
    for j in order {
        let _ = write!(out, "<tr><th>{}</th>", escaped(name(j)));
        for (class, count) in counts[j].iter().enumerate() {
            out.push_str(&cell(*count, share(j, class), numbers, (name(j), &classes.names[class])));
        }
        out.push_str("</tr>");
    }
    out + "</tbody></table></div>"
}

fn cell(count: usize, share: f64, numbers: bool, (component, class): (&str, &str)) -> String {
    if count == 0 {
        return if numbers { "<td>·</td>".into() } else { "<td></td>".into() };
    }
    let style = format!("style=\"--s:{:.0}%\"", 100.0 * share);
    let strong = if share > 0.55 { " class=\"hi\"" } else { "" };
    match numbers {
        true => format!("<td {style}{strong}>{count}</td>"),
        false => {
            let title = escaped(&format!("{count} of {class} in {component}"));
            format!("<td {style} title=\"{title}\"></td>")
        }
    }
}
