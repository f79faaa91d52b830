//! The page of a comparison of numbers of components.

use partwise::recipes::{GuidedRank, RankChoice, RankRow};

use partwise_report::charts::{Line, line};
use partwise_report::html::{end, head, pairs, section, table};

/// The points of a number of the rows, over k.
type OverK<'a> = dyn Fn(&dyn Fn(&RankRow) -> Option<f64>) -> Vec<(f64, f64)> + 'a;

/// The page. `names` are those of the features, `facts` are names and texts that follow the table.
pub(crate) fn rank_page(
    title: &str,
    found: &RankChoice,
    names: Option<&[String]>,
    facts: &[(&str, String)],
) -> String {
    let mut page = head(title, &found.explanation());
    let over_k = |of: &dyn Fn(&RankRow) -> Option<f64>| {
        found.table.iter().filter_map(|row| Some((row.rank as f64, of(row)?))).collect::<Vec<_>>()
    };
    let error = Line {
        title: "held-out error, relative to the mean of all entries",
        points: over_k(&|row| Some(row.error)),
        bars: found
            .table
            .iter()
            .map(|row| (row.error - row.excess_error, row.error + row.excess_error))
            .collect(),
        at: Some(found.rank as f64),
        across: Some("number of components"),
        ..Line::default()
    };
    let lead = "The error of a prediction of data that were held out, over the number of components. Bars: the \
        standard error of the difference to the best one, over the same splits. The answer by prediction is the \
        smallest number whose error is that of the best, but for a thousandth of what the best one predicts. \
        The dashed line is the answer.";
    page.push_str(&section("Prediction", lead, &line(&error)));
    let replication = over_k(&|row| row.replication);
    // One point is no line; the table has it.
    if replication.len() > 1 {
        let chart = Line {
            title: "smallest correlation of matched components",
            points: replication,
            level: Some((0.7, "they return")),
            at: Some(found.rank as f64),
            across: Some("number of components"),
            ..Line::default()
        };
        let lead = "Whether the components return in random halves of the samples: the smallest correlation of \
            components that are matched one to one (about the mean of all components), the median over the \
            splits.";
        page.push_str(&section("Replication", lead, &line(&chart)));
    }
    let mut header =
        vec!["components", "held-out error", "excess over the best", "standard error", "replication"];
    if let Some(guided) = &found.guided {
        page.push_str(&guided_section(found, guided, &over_k));
        header.extend(["free", "hidden labels found", "drift of the named ones"]);
    }
    let row = |row: &RankRow| {
        let number = |x: f64| format!("{x:.5}");
        let three = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.3}"));
        let mut cells = vec![
            row.rank.to_string(),
            number(row.error),
            number(row.excess),
            number(row.excess_error),
            three(row.replication),
        ];
        if let Some(guided) = &found.guided {
            cells.push((row.rank - guided.named).to_string());
            cells.push(three(row.guided.and_then(|row| row.agreement)));
            cells.push(three(row.guided.map(|row| row.drift)));
        }
        cells
    };
    let rows: Vec<_> = found.table.iter().map(row).collect();
    if !found.steps.is_empty() {
        page.push_str(&steps_section(found, names));
    }
    page.push_str(&section(
        "Numbers",
        "",
        &table(&header.iter().map(ToString::to_string).collect::<Vec<_>>(), &rows),
    ));
    page.push_str(&section("Settings", "", &pairs(facts.iter().map(|(k, v)| (*k, v.as_str())))));
    page.push_str(end());
    page
}

/// What hidden labels say, over k.
fn guided_section(found: &RankChoice, guided: &GuidedRank, over_k: &OverK<'_>) -> String {
    let agreement = Line {
        title: "fraction of hidden labels that are found again",
        points: over_k(&|row| row.guided?.agreement),
        at: Some(found.rank as f64),
        across: Some("number of components"),
        ..Line::default()
    };
    let mut lead = format!(
        "Components that the guidance names, which take part at every number: {}. The others are free.",
        guided.named
    );
    if guided.hidden_labels > 0 {
        lead.push_str(&format!(
            " In each split a fifth of the labels of each class is hidden ({} of {}), and their samples should \
            still be most in a component of their class.",
            guided.hidden_labels, guided.labels
        ));
    }
    section("Under guidance", &lead, &if guided.hidden_labels > 0 { line(&agreement) } else { String::new() })
}

/// Which components divide near the answer, by their leading features.
fn steps_section(found: &RankChoice, names: Option<&[String]>) -> String {
    let words = |features: &[usize]| {
        let word =
            |j: &usize| names.and_then(|names| names.get(*j)).map_or_else(|| j.to_string(), String::clone);
        features.iter().map(word).collect::<Vec<_>>().join(", ")
    };
    let rows: Vec<Vec<String>> = found
        .steps
        .iter()
        .map(|step| {
            vec![
                format!("{} to {}", step.from, step.from + 1),
                words(&step.parent),
                words(&step.into[0]),
                words(&step.into[1]),
                format!("{:.2}", step.cosine),
                format!("{:.2}", step.unchanged),
            ]
        })
        .collect();
    let header = ["components", "this one", "becomes", "and", "cosine of the two", "others, smallest cosine"];
    let lead = "From one number of components to the next, in fits of all data: the component that is most like the \
        additional one, by its leading features. A cosine near 1 says that it divides; near 0 that the additional \
        one is new. The last column says how much the other components stay as they are.";
    section("What divides", lead, &table(&header.map(String::from), &rows))
}
