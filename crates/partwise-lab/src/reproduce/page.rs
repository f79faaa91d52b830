//! `report.html`: one self-contained page about an experiment.

use crate::results::tables::Grid;

use super::written::{Run, html_table};
use partwise_report::duration;
use partwise_report::html::{escaped, head, section, tiles};

/// Its name.
pub(super) const FILE: &str = "report.html";

/// Rules for charts with several lines, and for tables with many columns.
const STYLE: &str = "<style>svg .bg{fill:var(--card)}svg .grid{stroke:var(--line)}.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(440px,100%),1fr));gap:16px}.charts svg{padding:0}\
    main{max-width:1280px}.numbers td,.numbers th{padding:5px 9px;white-space:nowrap}.numbers th{white-space:normal;vertical-align:bottom}.foot{font-size:13px;color:var(--soft);margin:8px 0 0;padding-left:18px;max-width:110ch}</style>";

/// The page.
pub(super) fn set(run: &Run<'_>, grids: &[Grid], charts: &[(String, String)], pictures: &[String]) -> String {
    let protocol = run.protocol;
    let mut page = head(protocol.name, protocol.title);
    page.push_str(STYLE);
    let draws = run.summary.overall.iter().map(|line| line.draws);
    let (fewest, most) = (draws.clone().min().unwrap_or(0), draws.max().unwrap_or(0));
    let compared = |outside: bool| {
        let scores = run.summary.overall.iter().flat_map(|line| &line.scores);
        scores.filter(|(_, _, against)| against.outside.is_some_and(|o| o || !outside)).count()
    };
    let mut numbers = vec![
        ("draws", if fewest == most { most.to_string() } else { format!("{fewest} to {most}") }),
        ("time of all units", duration(run.seconds)),
        ("extent", run.extent.name().to_string()),
    ];
    if compared(false) > 0 {
        numbers.push((
            "beyond 3 standard errors of the reference",
            format!("{} of {}", compared(true), compared(false)),
        ));
    }
    page.push_str(&tiles(&numbers));
    let mut notes: Vec<String> = vec![format!("Paper: {}.", protocol.paper)];
    notes.extend(run.remarks());
    page.push_str(&section("About", "", &list("notes", &notes)));
    if !charts.is_empty() {
        let all: String = charts.iter().map(|(_, svg)| svg.as_str()).collect();
        let lead = "Means over draws with their standard errors. Dotted: published.";
        page.push_str(&section("Figures", lead, &format!("<div class=\"charts\">{all}</div>")));
    }
    if !pictures.is_empty() {
        page.push_str(&section(
            "Pictures",
            "Each image is scaled to its own largest value.",
            &pictures.concat(),
        ));
    }
    for grid in grids {
        page.push_str(&section(&grid.title, "", &(html_table(grid) + &list("foot", &grid.notes))));
    }
    page.push_str("</main></body></html>\n");
    page
}

fn list(class: &str, items: &[String]) -> String {
    let items: String = items.iter().map(|item| format!("<li>{}</li>", escaped(item))).collect();
    format!("<ul class=\"{class}\">{items}</ul>")
}
