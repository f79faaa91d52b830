//! The page of a comparison of numbers of components.

use partwise::recipes::{RankChoice, RankRow};

use partwise_report::charts::{Line, line};
use partwise_report::html::{end, head, pairs, section, table};

/// The page. `facts` are names and texts that follow the table.
pub(crate) fn rank_page(title: &str, found: &RankChoice, facts: &[(&str, String)]) -> String {
    let mut page = head(title, &found.explanation());
    let over_k = |of: &dyn Fn(&RankRow) -> Option<f64>| {
        found.table.iter().filter_map(|row| Some((row.rank as f64, of(row)?))).collect::<Vec<_>>()
    };
    let error = Line {
        title: "held-out error, relative to the mean of all entries",
        points: over_k(&|row| Some(row.error)),
        across: Some("number of components"),
        ..Line::default()
    };
    let lead = "The error of a prediction of data that were held out, over the number of components. The answer \
        by prediction is the smallest number whose error is that of the best, but for its standard error or a \
        thousandth of what the best one predicts.";
    page.push_str(&section("Prediction", lead, &line(&error)));
    let replication = over_k(&|row| row.replication);
    // One point is no line; the table has it.
    if replication.len() > 1 {
        let chart = Line {
            title: "smallest cosine of matched components",
            points: replication,
            level: Some((0.7, "they return")),
            across: Some("number of components"),
            ..Line::default()
        };
        let lead = "Whether the components return in random halves of the samples: the smallest cosine of \
            components that are matched one to one, the median over the splits.";
        page.push_str(&section("Replication", lead, &line(&chart)));
    }
    let header = ["components", "held-out error", "excess over the best", "standard error", "replication"];
    let row = |row: &RankRow| {
        let number = |x: f64| format!("{x:.5}");
        let replication = row.replication.map_or(String::new(), |rho| format!("{rho:.3}"));
        vec![
            row.rank.to_string(),
            number(row.error),
            number(row.excess),
            number(row.excess_error),
            replication,
        ]
    };
    let rows: Vec<_> = found.table.iter().map(row).collect();
    page.push_str(&section("Numbers", "", &table(&header.map(String::from), &rows)));
    page.push_str(&section("Settings", "", &pairs(facts.iter().map(|(k, v)| (*k, v.as_str())))));
    page.push_str(end());
    page
}
