//! Setting the page of a fit. All text from outside goes through [`escaped`].

use partwise_report::charts::{Line, line};
use partwise_report::html::{escaped, head, pairs, section, table, tiles};

use super::{Comparison, Component, Facts, Look};
use crate::scores::Evaluation;

/// With more classes than this, a confusion table is too large to read.
const MOST_CLASSES: usize = 20;

/// The page.
pub(super) fn set(facts: &Facts<'_>) -> String {
    let mut page = head(&facts.title, &facts.method[0].1);
    page.push_str(&tiles(&facts.numbers));
    if let Some(comparison) = facts.comparison {
        let lead = "Accuracy and NMI over the samples whose label the fit did not use.";
        page.push_str(&section("Comparison", lead, &table_of(comparison)));
    }
    if !facts.notes.is_empty() {
        let items: String = facts.notes.iter().map(|note| format!("<li>{}</li>", escaped(note))).collect();
        page.push_str(&section("Notes", "", &format!("<ul class=\"notes\">{items}</ul>")));
    }
    if let Some(advice) = &facts.advice {
        let lead = "The verdict on each item of the guidance: honoured; overruled (a good fit outweighed \
            it); contradicted (the data alone, or another item, disagree with it); or no support (it has \
            nothing to act on in the data).";
        page.push_str(&section("Guidance", lead, advice));
    }
    page.push_str(&components(facts));
    if let Some(evaluation) = facts.evaluation {
        page.push_str(&measures(evaluation));
    }
    let lead = "Samples with their largest membership in this component. The darker part: samples whose \
        labels the fit used.";
    page.push_str(&section("Cluster sizes", lead, &sizes(facts)));
    page.push_str(&section("Convergence", "", &convergence(facts)));
    let details = format!(
        "<div class=\"cols\"><div><h3>Method</h3>{}</div><div><h3>Data</h3>{}</div></div>",
        pairs(facts.method.iter().map(|(k, v)| (*k, v.as_str()))),
        pairs(facts.read.iter().map(|(k, v)| (*k, v.as_str())))
    );
    page.push_str(&section("Method and data", "", &details));
    let settings = pairs(facts.settings.iter().map(|(k, v)| (k.as_str(), v.as_str())));
    page.push_str(&section("Settings", "", &format!("<div class=\"settings\">{settings}</div>")));
    page.push_str("</main></body></html>\n");
    page
}

fn table_of(comparison: &Comparison) -> String {
    table(&comparison.header, &comparison.rows)
}

fn components(facts: &Facts<'_>) -> String {
    let images = facts.components.iter().any(|c| matches!(c.picture, Look::Image(_)));
    let strips = facts.components.iter().any(|c| matches!(c.picture, Look::Strip(_)));
    let mut lead = String::from(if images {
        "Each component as an image (black is 0, white its largest entry), with the samples that have the \
        largest memberships in it (\"Method and data\" states how they are measured)."
    } else {
        "The largest features of each component, as a fraction of its sum, and the samples with the largest \
        memberships in it (\"Method and data\" states how they are measured)."
    });
    if strips {
        lead.push_str(" The strip shows all features from left to right (square root of the entries).");
    }
    let cards: String = facts.components.iter().map(card).collect();
    let more = match facts.left_out {
        0 => String::new(),
        n => format!("<p class=\"lead\">{n} more components are in components.csv.</p>"),
    };
    let kind = if images { "cards images" } else { "cards" };
    section("Components", &lead, &format!("<div class=\"{kind}\">{cards}</div>{more}"))
}

fn card(component: &Component) -> String {
    let name = escaped(&component.name);
    let picture = match &component.picture {
        Look::Image(address) => {
            format!("<img class=\"part\" alt=\"component {name}\" src=\"{address}\">")
        }
        Look::Strip(address) => {
            format!("<img class=\"strip\" alt=\"component {name} over its features\" src=\"{address}\">")
        }
        Look::Words => String::new(),
    };
    let largest = component.features.first().map_or(1.0, |f| f.1);
    let feature = |(feature, share): &(String, f64)| bar(feature, share / largest, 0.0, &percent(*share));
    let sample = |(sample, share, image): &(String, f64, Option<String>)| {
        let (sample, share) = (escaped(sample), percent(*share));
        match image {
            Some(address) => {
                format!("<img alt=\"{sample}\" title=\"{sample}: membership {share}\" src=\"{address}\">")
            }
            None => format!("<span>{sample} <b>{share}</b></span>"),
        }
    };
    let images = component.samples.iter().any(|s| s.2.is_some());
    format!(
        "<article><h3><span>{}</span> <small>{} {}</small></h3>{picture}{}<div class=\"{}\">{}</div></article>",
        // A chance to break long names such as comp.sys.mac.hardware.
        name.replace('.', ".<wbr>").replace('_', "_<wbr>"),
        component.size,
        if component.size == 1 { "sample" } else { "samples" },
        component.features.iter().map(feature).collect::<String>(),
        if images { "top pictures" } else { "top" },
        component.samples.iter().map(sample).collect::<String>()
    )
}

/// A bar of `width` (0 to 1), of which a part is darker.
fn bar(name: &str, width: f64, darker: f64, value: &str) -> String {
    let name = escaped(name);
    format!(
        "<div class=\"bar\"><span class=\"n\" title=\"{name}\">{name}</span><span class=\"track\"><i style=\"width:{:.1}%\"><u style=\"width:{:.1}%\"></u></i></span><span class=\"v\">{value}</span></div>",
        100.0 * width,
        100.0 * darker
    )
}

/// `34 %`, `1.2 %`, `0.03 %`.
fn percent(share: f64) -> String {
    match 100.0 * share {
        p if p >= 9.95 => format!("{p:.0} %"),
        p if p >= 0.95 => format!("{p:.1} %"),
        p => format!("{p:.2} %"),
    }
}

fn sizes(facts: &Facts<'_>) -> String {
    let largest = facts.components.iter().map(|c| c.size).max().unwrap_or(0).max(1) as f64;
    let line = |c: &Component| {
        let darker = if c.size > 0 { c.guided as f64 / c.size as f64 } else { 0.0 };
        bar(&c.name, c.size as f64 / largest, darker, &c.size.to_string())
    };
    format!("<div class=\"sizes\">{}</div>", facts.components.iter().map(line).collect::<String>())
}

fn convergence(facts: &Facts<'_>) -> String {
    let objective = Line {
        title: "Objective",
        points: facts.history.iter().map(|(n, o, _)| (*n as f64, *o)).collect(),
        level: None,
        logarithmic: false,
        across: None,
        marks: Vec::new(),
    };
    let kkt = Line {
        title: "Projected gradient, relative to iteration 1",
        points: facts.history.iter().filter_map(|(n, _, kkt)| Some((*n as f64, (*kkt)?))).collect(),
        level: (facts.tolerance > 0.0).then_some((facts.tolerance, "tolerance")),
        logarithmic: true,
        across: None,
        marks: Vec::new(),
    };
    format!("<div class=\"cols\"><div>{}</div><div>{}</div></div>", line(&objective), line(&kkt))
}

fn measures(evaluation: &Evaluation) -> String {
    let names = evaluation.scores.first().map(|s| s.values.iter().map(|(name, _)| name.to_string()));
    let header: Vec<String> =
        ["over", "samples"].map(str::to_string).into_iter().chain(names.into_iter().flatten()).collect();
    let rows: Vec<Vec<String>> = evaluation
        .scores
        .iter()
        .map(|scores| {
            let values = scores.values.iter().map(|(_, value)| format!("{value:.3}"));
            [scores.over.to_string(), scores.samples.to_string()].into_iter().chain(values).collect()
        })
        .collect();
    let mut body = table(&header, &rows);
    if evaluation.class_names.len() <= MOST_CLASSES && evaluation.cluster_names.len() <= MOST_CLASSES + 1 {
        body.push_str(&confusion(evaluation));
    }
    let lead = "A sample's cluster is the component with its largest membership. 1 is perfect agreement.";
    section("Agreement with the labels", lead, &body)
}

fn confusion(evaluation: &Evaluation) -> String {
    let head: String =
        evaluation.cluster_names.iter().map(|name| format!("<th>{}</th>", escaped(name))).collect();
    let row = |(class, counts): (&String, &Vec<usize>)| {
        let sum = counts.iter().sum::<usize>().max(1) as f64;
        let cell = |count: &usize| {
            let share = 100.0 * *count as f64 / sum;
            let text = if *count == 0 { "·".to_string() } else { count.to_string() };
            let class = if share > 55.0 { " class=\"hi\"" } else { "" };
            format!("<td style=\"--s:{share:.0}%\"{class}>{text}</td>")
        };
        format!("<tr><th>{}</th>{}</tr>", escaped(class), counts.iter().map(cell).collect::<String>())
    };
    let rows: String = evaluation.class_names.iter().zip(&evaluation.confusion).map(row).collect();
    format!(
        "<h3>Classes (rows) in clusters (columns), all labelled samples</h3><div class=\"scroll\"><table class=\"confusion\"><thead><tr><th></th>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_a_fitting_number_of_digits() {
        assert_eq!([0.5, 0.012, 0.0003].map(percent), ["50 %", "1.2 %", "0.03 %"]);
    }
}
