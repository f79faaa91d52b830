//! The page of a sweep: fit against agreement over strengths.

use partwise::recipes::SweepPoint;

use partwise_report::charts::{Line, line};
use partwise_report::html::{end, head, pairs, section, table};

/// The page. `facts` are names and texts that follow the table.
pub(crate) fn sweep_page(
    title: &str,
    error: &str,
    points: &[SweepPoint],
    facts: &[(&str, String)],
) -> String {
    let mut page = head(title, "Error against agreement, for several strengths of the guidance");
    let chart = Line {
        title: error,
        points: points.iter().map(|p| (p.agreement, p.relative_error)).collect(),
        across: Some("fraction of the guidance that is followed"),
        marks: points.iter().map(|p| format!("×{}", p.scale)).collect(),
        ..Line::default()
    };
    let lead = "Each point is one fit; its number is the factor of the strengths. Where the curve rises, \
        following the guidance costs accuracy of the reconstruction.";
    page.push_str(&section("Fit against agreement", lead, &line(&chart)));
    let header = ["scale", error, "agreement"].map(String::from);
    let row = |p: &SweepPoint| {
        vec![p.scale.to_string(), format!("{:.6}", p.relative_error), format!("{:.4}", p.agreement)]
    };
    page.push_str(&section("Numbers", "", &table(&header, &points.iter().map(row).collect::<Vec<_>>())));
    page.push_str(&section("Settings", "", &pairs(facts.iter().map(|(k, v)| (*k, v.as_str())))));
    page.push_str(end());
    page
}
