//! Setting the page. All text from outside goes through [`escaped`].

use super::charts::{Line, line};
use super::{Comparison, Component, Facts, Look};
use crate::scores::Evaluation;

const STYLE: &str = include_str!("style.css");

/// What a browser may load for the page: nothing but its own styles and the pictures that are in it. Were a name ever to become markup,
/// no script of it would run and nothing would be fetched.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// More classes than this make a confusion table that nobody reads.
const MOST_CLASSES: usize = 20;

/// Text for HTML and for attributes in double quotes.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && c != '\n' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// The page.
pub(super) fn set(facts: &Facts<'_>) -> String {
    let mut page = head(&facts.title, &facts.method[0].1);
    page.push_str(&tiles(&facts.numbers));
    if let Some(comparison) = facts.comparison {
        let lead = "Accuracy and NMI over the samples whose label did not guide.";
        page.push_str(&section("Comparison", lead, &table_of(comparison)));
    }
    if !facts.notes.is_empty() {
        let items: String = facts.notes.iter().map(|note| format!("<li>{}</li>", escaped(note))).collect();
        page.push_str(&section("Notes", "", &format!("<ul class=\"notes\">{items}</ul>")));
    }
    if let Some(advice) = &facts.advice {
        let lead = "What became of each item of the guidance: honoured; overruled, as the fit weighed more; contradicted by the data alone or by another item; or without support in the data.";
        page.push_str(&section("Guidance", lead, advice));
    }
    page.push_str(&components(facts));
    if let Some(evaluation) = facts.evaluation {
        page.push_str(&measures(evaluation));
    }
    let lead = "Samples whose largest share is this component's; the darker part guided the fit.";
    page.push_str(&section("Cluster sizes", lead, &sizes(facts)));
    page.push_str(&section("Convergence", "", &convergence(facts)));
    let details = format!(
        "<div class=\"cols\"><div><h3>Method</h3>{}</div><div><h3>What was read</h3>{}</div></div>",
        pairs(facts.method.iter().map(|(k, v)| (*k, v.as_str()))),
        pairs(facts.read.iter().map(|(k, v)| (*k, v.as_str())))
    );
    page.push_str(&section("Method and data", "", &details));
    let settings = pairs(facts.settings.iter().map(|(k, v)| (k.as_str(), v.as_str())));
    page.push_str(&section("Settings", "", &format!("<div class=\"settings\">{settings}</div>")));
    page.push_str("</main></body></html>\n");
    page
}

/// The page up to its sections.
pub(crate) fn head(title: &str, lead: &str) -> String {
    let title = escaped(title);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title} – Partwise</title><style>{STYLE}</style></head><body><main>\
         <header><p class=\"brand\">Partwise {}</p><h1>{title}</h1><p class=\"lead\">{}</p></header>",
        env!("CARGO_PKG_VERSION"),
        escaped(lead)
    )
}

pub(crate) fn section(title: &str, lead: &str, body: &str) -> String {
    let lead =
        if lead.is_empty() { String::new() } else { format!("<p class=\"lead\">{}</p>", escaped(lead)) };
    format!("<section><h2>{}</h2>{lead}{body}</section>", escaped(title))
}

/// Key numbers; what stands in brackets goes to the caption.
pub(crate) fn tiles(numbers: &[(&str, String)]) -> String {
    let tile = |(name, value): &(&str, String)| {
        let (value, rest) = value.split_once(" (").unwrap_or((value, ""));
        let rest = rest.trim_end_matches(')');
        let rest = if rest.is_empty() { String::new() } else { format!(" – {}", escaped(rest)) };
        format!("<div class=\"tile\"><b>{}</b><span>{}{rest}</span></div>", escaped(value), escaped(name))
    };
    format!("<div class=\"tiles\">{}</div>", numbers.iter().map(tile).collect::<String>())
}

pub(super) fn pairs<'a>(items: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let pair = |(k, v): (&str, &str)| format!("<div><dt>{}</dt><dd>{}</dd></div>", escaped(k), escaped(v));
    format!("<dl>{}</dl>", items.map(pair).collect::<String>())
}

pub(crate) fn table(header: &[String], rows: &[Vec<String>]) -> String {
    let row = |cells: &[String], tag: &str| {
        let cells: String = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect();
        format!("<tr>{cells}</tr>")
    };
    let body: String = rows.iter().map(|cells| row(cells, "td")).collect();
    let head = row(header, "th");
    format!(
        "<div class=\"scroll\"><table class=\"numbers\"><thead>{head}</thead><tbody>{body}</tbody></table></div>"
    )
}

fn table_of(comparison: &Comparison) -> String {
    table(&comparison.header, &comparison.rows)
}

fn components(facts: &Facts<'_>) -> String {
    let images = facts.components.iter().any(|c| matches!(c.picture, Look::Image(_)));
    let strips = facts.components.iter().any(|c| matches!(c.picture, Look::Strip(_)));
    let mut lead = String::from(if images {
        "Each component as an image (black is 0, white its largest entry), with the samples that have the largest shares of it (\"Method and data\" says of what)."
    } else {
        "The largest features of each component, as their share of its sum, and the samples that have the largest shares of it (\"Method and data\" says of what)."
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
                format!("<img alt=\"{sample}\" title=\"{sample}: share {share}\" src=\"{address}\">")
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
    let lead = "A sample's cluster is the component of its largest share; 1 is perfect agreement.";
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
    fn text_from_outside_can_not_become_markup() {
        assert_eq!(escaped("<a href=\"x\">&'\u{1}"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;\u{fffd}");
        assert_eq!([0.5, 0.012, 0.0003].map(percent), ["50 %", "1.2 %", "0.03 %"]);
    }
}
