//! The page of a sweep: fit against agreement over strengths.

use partwise::recipes::SweepPoint;

use partwise_report::charts::{Line, line};
use partwise_report::html::{head, pairs, section, table};

/// The page. `facts` are names and texts that follow the table.
pub(crate) fn sweep_page(
    title: &str,
    error: &str,
    points: &[SweepPoint],
    facts: &[(&str, String)],
) -> String {
    let mut page = head(title, "Fit against agreement over the strengths of the guidance");
    let chart = Line {
        title: error,
        points: points.iter().map(|p| (p.agreement, p.relative_error)).collect(),
        level: None,
        logarithmic: false,
        across: Some("share of the advice that is followed"),
        marks: points.iter().map(|p| format!("×{}", p.scale)).collect(),
    };
    let lead = "Each point is a fit; its mark is what the strengths were multiplied by. Where the curve turns up, the advice begins to cost fit.";
    page.push_str(&section("Fit against agreement", lead, &line(&chart)));
    let header = ["scale", error, "agreement"].map(String::from);
    let row = |p: &SweepPoint| {
        vec![p.scale.to_string(), format!("{:.6}", p.relative_error), format!("{:.4}", p.agreement)]
    };
    page.push_str(&section("Numbers", "", &table(&header, &points.iter().map(row).collect::<Vec<_>>())));
    page.push_str(&section("Settings", "", &pairs(facts.iter().map(|(k, v)| (*k, v.as_str())))));
    page.push_str("</main></body></html>\n");
    page
}
