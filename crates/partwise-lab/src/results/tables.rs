//! Tables of an experiment as grids of text, and what Markdown, LaTeX and CSV make of them.

use crate::protocols::{Protocol, Row};

use super::{Against, Average, Line, Summary, paired_difference, wilcoxon};

/// A table.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Grid {
    /// What stands above it.
    pub title: String,
    /// Names of the columns.
    pub header: Vec<String>,
    /// The cells.
    pub rows: Vec<Vec<String>>,
    /// Sentences under it.
    pub notes: Vec<String>,
}

/// What a cell that is too far from its reference begins with.
pub const FLAG: &str = "(!) ";

/// Every table of an experiment: for each case the averages, and for each main score a table over the axis.
pub fn grids(protocol: &Protocol, rows: &[Row], summary: &Summary) -> Vec<Grid> {
    let mut cases: Vec<&str> = summary.overall.iter().map(|line| line.case.as_str()).collect();
    cases.dedup();
    let mut grids = Vec::new();
    for case in cases {
        let lines: Vec<&Line> = summary.overall.iter().filter(|line| line.case == case).collect();
        let mut grid = overall(protocol, case, &lines, summary);
        grid.notes.extend(tests(protocol, rows, case, &lines));
        grids.push(grid);
        let of_case: Vec<&Line> = summary.by_x.iter().filter(|line| line.case == case).collect();
        // A case may have no places of its own: what it takes to reach a target, beside the curve.
        if summary.places.len() > 1 && !of_case.is_empty() {
            grids.extend(
                main_scores(protocol, &lines)
                    .iter()
                    .map(|score| by_x(protocol, case, score, &of_case, summary)),
            );
        }
    }
    grids
}

/// The scores that are tabled over the axis and tested.
pub fn main_scores(protocol: &Protocol, lines: &[&Line]) -> Vec<String> {
    if protocol.main_scores.is_empty() {
        let first = lines.first().and_then(|line| line.scores.first());
        return first.map(|(name, ..)| name.clone()).into_iter().collect();
    }
    protocol.main_scores.iter().map(|score| score.to_string()).collect()
}

fn overall(protocol: &Protocol, case: &str, lines: &[&Line], summary: &Summary) -> Grid {
    let mut scores: Vec<&str> = Vec::new();
    lines.iter().flat_map(|line| &line.scores).for_each(|(name, ..)| {
        if !scores.contains(&name.as_str()) {
            scores.push(name);
        }
    });
    let any = |score: &str, what: fn(&Against) -> bool| {
        lines.iter().flat_map(|line| &line.scores).any(|(name, _, against)| name == score && what(against))
    };
    let columns: Vec<(&str, bool, bool)> = scores
        .iter()
        .map(|score| (*score, any(score, |a| a.published.is_some()), any(score, |a| a.reference.is_some())))
        .collect();
    let mut header: Vec<String> = vec!["method".into(), "draws".into()];
    for (score, published, reference) in &columns {
        header.push(score.to_string());
        header.extend(published.then(|| format!("{score}, published")));
        header.extend(reference.then(|| format!("{score}, reference")));
    }
    header.push("solver".into());
    let row = |line: &&Line| {
        let mut cells = vec![line.method.clone(), line.draws.to_string()];
        for (score, published, reference) in &columns {
            let found = line.scores.iter().find(|(name, ..)| name == score);
            cells.push(found.map_or(String::new(), |(_, average, against)| cell(average, against)));
            let against = found.map(|(_, _, against)| against);
            let text = |value: Option<f64>| value.map_or(String::new(), number);
            cells.extend(published.then(|| text(against.and_then(|a| a.published))));
            let text = |(mean, error): (f64, f64)| {
                if error.is_finite() { format!("{} ({})", number(mean), number(error)) } else { number(mean) }
            };
            cells.extend(reference.then(|| against.and_then(|a| a.reference).map_or(String::new(), text)));
        }
        cells.push(line.solver.clone());
        cells
    };
    let over = match protocol.axis {
        Some(axis) if lines[0].x.is_some() => {
            format!(", {} = {}", axis.name, lines[0].x.map_or(String::new(), |x| x.to_string()))
        }
        Some(axis) if summary.by_x.iter().any(|line| line.case == case) => {
            format!(", averages over {} = {}", axis.name, list(&summary.places))
        }
        _ => String::new(),
    };
    let mut notes = vec![
        "Mean ± standard deviation over draws (averaged over the axis), and in brackets the standard error of the mean.".to_string(),
    ];
    if columns.iter().any(|(_, _, reference)| *reference) {
        let flagged = lines.iter().flat_map(|line| &line.scores).filter(|(_, _, a)| a.outside == Some(true));
        notes.push(format!(
            "{}marks values farther than 3 √(se² + se²) from the reference: {} of {}.",
            FLAG,
            flagged.count(),
            lines.iter().flat_map(|line| &line.scores).filter(|(_, _, a)| a.outside.is_some()).count()
        ));
    }
    Grid { title: format!("{case}{over}"), header, rows: lines.iter().map(row).collect(), notes }
}

/// `2, 3, … 10` for whole numbers in a row, else all of them.
fn list(places: &[f64]) -> String {
    let row = places.len() > 3 && places.windows(2).all(|pair| pair[1] - pair[0] == 1.0);
    if row {
        return format!("{} to {}", places[0], places[places.len() - 1]);
    }
    places.iter().map(f64::to_string).collect::<Vec<_>>().join(", ")
}

fn cell(average: &Average, against: &Against) -> String {
    let flag = if against.outside == Some(true) { FLAG } else { "" };
    let (mean, deviation) = (number(average.mean), average.deviation.map(number));
    match (deviation, average.error) {
        (Some(deviation), Some(error)) => format!("{flag}{mean} ± {deviation} ({})", number(error)),
        _ => format!("{flag}{mean}"),
    }
}

/// Three significant digits or one decimal, whichever is more.
pub fn number(value: f64) -> String {
    match value.abs() {
        size if !size.is_finite() => "–".into(),
        size if size >= 1e6 => format!("{value:.3e}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 0.1 || size == 0.0 => format!("{value:.2}"),
        size if size >= 0.001 => format!("{value:.4}"),
        _ => format!("{value:.2e}"),
    }
}

fn by_x(protocol: &Protocol, case: &str, score: &str, lines: &[&Line], summary: &Summary) -> Grid {
    let name = protocol.axis.map_or("", |axis| axis.name);
    let mut methods: Vec<&str> = Vec::new();
    lines.iter().for_each(|line| {
        if !methods.contains(&line.method.as_str()) {
            methods.push(&line.method);
        }
    });
    let mut published = false;
    let mut rows = Vec::new();
    for method in methods {
        let mut cells = vec![method.to_string()];
        for place in &summary.places {
            let line = lines.iter().find(|line| line.method == method && line.x == Some(*place));
            let found = line.and_then(|line| line.scores.iter().find(|(name, ..)| name == score));
            cells.push(found.map_or(String::new(), |(_, average, against)| {
                let deviation = average.deviation.map_or(String::new(), |d| format!(" ± {}", number(d)));
                let paper = against.published.map_or(String::new(), |p| format!(" [{}]", number(p)));
                published |= !paper.is_empty();
                format!("{}{deviation}{paper}", number(average.mean))
            }));
        }
        rows.push(cells);
    }
    let header = std::iter::once("method".to_string())
        .chain(summary.places.iter().map(|place| format!("{name} = {place}")))
        .collect();
    let mut notes = vec!["Mean ± standard deviation over draws.".to_string()];
    notes.extend(published.then(|| "In square brackets: published.".to_string()));
    Grid { title: format!("{case}, {score} by {name}"), header, rows, notes }
}

/// The paired tests of a case as sentences.
fn tests(protocol: &Protocol, rows: &[Row], case: &str, lines: &[&Line]) -> Vec<String> {
    let independent = protocol.axis.is_none_or(|axis| axis.independent);
    // Where an average over the axis means nothing, lines are those of one place, and so are the tests.
    let at = lines.first().and_then(|line| line.x);
    let here = |row: &&Row| row.case.name == case && (at.is_none() || row.case.x == at);
    let of =
        |method: &str| -> Vec<&Row> { rows.iter().filter(here).filter(|row| row.method == method).collect() };
    let mut notes = Vec::new();
    for score in main_scores(protocol, lines) {
        for (first, second) in pairs(protocol, lines, &score) {
            let Some((average, differences)) =
                paired_difference(&of(first), &of(second), &score, independent)
            else {
                continue;
            };
            if differences.len() < 2 {
                continue;
            }
            let test = wilcoxon(&differences);
            let sign = if average.mean > 0.0 { "+" } else { "" };
            let error = average.error.map_or(String::new(), |error| format!(" ± {} (se)", number(error)));
            notes.push(format!(
                "{score}: {first} minus {second}: {sign}{}{error}, Wilcoxon p = {} ({} pairs).",
                number(average.mean),
                number(test.p),
                differences.len()
            ));
        }
    }
    if !notes.is_empty() {
        let count = notes.len();
        notes.push(format!(
            "Wilcoxon signed-rank tests, paired by draw, two-sided, not corrected for their number ({count})."
        ));
    }
    notes
}

/// The pairs that the protocol names, or each method against the best.
fn pairs<'a>(protocol: &Protocol, lines: &[&'a Line], score: &str) -> Vec<(&'a str, &'a str)> {
    let known = |name: &str| lines.iter().map(|line| line.method.as_str()).find(|method| *method == name);
    if !protocol.pairs.is_empty() {
        return protocol.pairs.iter().filter_map(|(a, b)| Some((known(a)?, known(b)?))).collect();
    }
    let mean = |line: &&&Line| {
        line.scores.iter().find(|(name, ..)| name == score).map_or(f64::NEG_INFINITY, |(_, a, _)| a.mean)
    };
    let Some(best) = lines.iter().max_by(|a, b| mean(a).total_cmp(&mean(b))) else { return Vec::new() };
    let others = lines.iter().filter(|line| line.method != best.method);
    others.map(|line| (best.method.as_str(), line.method.as_str())).collect()
}

/// Markdown, with a table's title as a heading.
pub fn markdown(grids: &[Grid]) -> String {
    let mut text = String::new();
    for grid in grids {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        text.push_str(&format!("## {}\n\n{}", grid.title, line(&grid.header)));
        text.push_str(&format!("|{}\n", "---|".repeat(grid.header.len())));
        grid.rows.iter().for_each(|row| text.push_str(&line(row)));
        text.push('\n');
        grid.notes.iter().for_each(|note| text.push_str(&format!("- {note}\n")));
        text.push('\n');
    }
    text
}

/// LaTeX for a document with `booktabs`.
pub fn latex(grids: &[Grid]) -> String {
    let mut text = String::new();
    for grid in grids {
        let line = |cells: &[String]| {
            format!("{} \\\\\n", cells.iter().map(|c| tex(c)).collect::<Vec<_>>().join(" & "))
        };
        text.push_str("\\begin{table}\n\\centering\n");
        text.push_str(&format!("\\caption{{{}}}\n", tex(&grid.title)));
        text.push_str(&format!("\\begin{{tabular}}{{l{}}}\n\\toprule\n", "r".repeat(grid.header.len() - 1)));
        text.push_str(&line(&grid.header));
        text.push_str("\\midrule\n");
        grid.rows.iter().for_each(|row| text.push_str(&line(row)));
        text.push_str("\\bottomrule\n\\end{tabular}\n");
        grid.notes.iter().for_each(|note| text.push_str(&format!("\\par\\footnotesize {}\n", tex(note))));
        text.push_str("\\end{table}\n\n");
    }
    text
}

/// Text with LaTeX's own characters escaped.
fn tex(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '\\' => out.push_str("\\textbackslash{}"),
            '±' => out.push_str("$\\pm$"),
            '√' => out.push_str("$\\surd$"),
            '²' => out.push_str("$^2$"),
            '–' => out.push_str("--"),
            c => out.push(c),
        }
    }
    out
}

/// One line for each case, place, method and score, with every digit.
pub fn csv(summary: &Summary) -> anyhow::Result<String> {
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    writer.write_record([
        "case",
        "x",
        "method",
        "score",
        "draws",
        "mean",
        "deviation",
        "standard_error",
        "published",
        "reference",
        "reference_standard_error",
        "outside",
        "solver",
    ])?;
    for line in summary.overall.iter().chain(&summary.by_x) {
        for (score, average, against) in &line.scores {
            let text =
                |value: Option<f64>| value.filter(|v| !v.is_nan()).map_or(String::new(), |v| v.to_string());
            writer.write_record([
                line.case.clone(),
                text(line.x),
                line.method.clone(),
                score.clone(),
                line.draws.to_string(),
                text(Some(average.mean)),
                text(average.deviation),
                text(average.error),
                text(against.published),
                text(against.reference.map(|r| r.0)),
                text(against.reference.map(|r| r.1)),
                against.outside.map_or(String::new(), |outside| outside.to_string()),
                line.solver.clone(),
            ])?;
        }
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::{Axis, Case, Published, Reference};
    use crate::results::summarize;

    const PROTOCOL: Protocol = Protocol {
        axis: Some(Axis { name: "k", independent: true, averaged: true }),
        published: || {
            vec![Published { case: "faces", x: Some(2.0), method: "a|b", score: "AC", value: 91.0 }]
        },
        references: || {
            vec![Reference {
                case: "faces",
                x: Some(3.0),
                method: "a|b",
                score: "AC",
                mean: 10.0,
                error: 0.5,
            }]
        },
        ..Protocol::PLAIN
    };

    fn rows() -> Vec<Row> {
        let row = |x: f64, draw: u64, method: &str, value: f64| Row {
            case: Case::at("faces", x),
            method: method.into(),
            draw,
            solver: "mu, 200 iterations".into(),
            detail: String::new(),
            scores: vec![("AC".into(), value)],
        };
        let mut rows = Vec::new();
        for draw in 0..6 {
            for x in [2.0, 3.0] {
                rows.push(row(x, draw, "a|b", 80.0 + draw as f64));
                rows.push(row(x, draw, "worse_%", 70.0));
            }
        }
        rows
    }

    #[test]
    fn tables_have_every_method_and_hold_it_against_paper_and_reference() {
        let rows = rows();
        let grids = grids(&PROTOCOL, &rows, &summarize(&PROTOCOL, &rows));
        assert_eq!(grids.len(), 2);
        assert_eq!(grids[0].title, "faces, averages over k = 2, 3");
        assert_eq!(grids[0].rows[1][..3], ["worse_%", "6", "70.0 ± 0.00 (0.00)"].map(str::to_string));
        assert!(
            grids[0]
                .notes
                .iter()
                .any(|note| note
                    .contains("a|b minus worse_%: +12.5 ± 0.54 (se), Wilcoxon p = 4.88e-4 (12 pairs)")),
            "{:?}",
            grids[0].notes
        );
        assert_eq!(grids[1].rows[0][1], "82.5 ± 1.87 [91.0]");
        let flagged =
            summarize(&PROTOCOL, &rows).by_x.iter().filter(|l| l.scores[0].2.outside == Some(true)).count();
        assert_eq!(flagged, 1);
    }

    #[test]
    fn special_characters_do_not_break_markdown_and_latex() {
        let rows = rows();
        let grids = grids(&PROTOCOL, &rows, &summarize(&PROTOCOL, &rows));
        assert!(markdown(&grids).contains("| a\\|b |"));
        let latex = latex(&grids);
        assert!(
            latex.contains("worse\\_\\% & 6") && latex.contains("$\\pm$") && !latex.contains('±'),
            "{latex}"
        );
        let text = csv(&summarize(&PROTOCOL, &rows)).unwrap();
        // A head, two methods over the axis, and at two places each.
        assert_eq!(text.lines().count(), 1 + 2 + 4);
    }

    #[test]
    fn numbers_have_a_fitting_number_of_digits() {
        let found: Vec<String> =
            [83.456, 4.5678, 0.0, 0.012345, 1e-5, 12_345.6, f64::NAN].map(number).to_vec();
        assert_eq!(found, ["83.5", "4.57", "0.00", "0.0123", "1.00e-5", "12345.6", "–"]);
    }
}
