//! A ranking of methods over the cases of an experiment without an axis, as SVG that stands alone.
//!
//! A line a method, best mean first: a dot for each case, filled where no method does better, and a diamond
//! at the mean over the cases.

use std::fmt::Write;

use crate::protocols::Protocol;
use crate::results::Summary;

use super::chart::{head, text};
use partwise_report::charts::{label, ticks};
use partwise_report::html::escaped;

const WIDTH: f64 = 760.0;
const LEFT: f64 = 176.0;
const RIGHT: f64 = 58.0;
const TOP: f64 = 62.0;
const LINE: f64 = 17.0;
const BOTTOM: f64 = 42.0;
/// Fewer cases or methods are a table, not a ranking.
const LEAST: usize = 3;

const DOT: &str = "#9aa5b1";
const BEST: &str = "#d55e00";
const MEAN: &str = "#0072b2";

/// A method with a score in every case.
struct Ranked {
    method: String,
    /// In the order of the cases.
    scores: Vec<f64>,
    mean: f64,
}

/// (name, SVG); none for an experiment with an axis, or without three cases and three methods that have all
/// of them.
pub(super) fn ranking(protocol: &Protocol, summary: &Summary) -> Option<(String, String)> {
    let score = *protocol.main_scores.first()?;
    if protocol.axis.is_some() {
        return None;
    }
    let cases = distinct(summary.overall.iter().map(|line| line.case.as_str()));
    let value = |case: &str, method: &str| {
        let line = summary.overall.iter().find(|line| line.case == case && line.method == method)?;
        line.scores.iter().find(|(name, ..)| name == score).map(|(_, average, _)| average.mean)
    };
    let methods = distinct(summary.overall.iter().map(|line| line.method.as_str()));
    let ranked = |method: &&str| {
        let scores = cases.iter().map(|case| value(case, method)).collect::<Option<Vec<f64>>>()?;
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        mean.is_finite().then(|| Ranked { method: method.to_string(), scores, mean })
    };
    let mut all: Vec<Ranked> = methods.iter().filter_map(ranked).collect();
    all.sort_by(|a, b| b.mean.total_cmp(&a.mean));
    if cases.len() < LEAST || all.len() < LEAST {
        return None;
    }
    let left_out = methods.len() - all.len();
    Some((format!("ranking-{score}"), draw(protocol.title, score, &cases, &all, left_out)))
}

/// Each name once, in the order in which they come first.
fn distinct<'n>(names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut found = Vec::new();
    for name in names {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

fn draw(title: &str, score: &str, cases: &[&str], all: &[Ranked], left_out: usize) -> String {
    let values = || all.iter().flat_map(|one| one.scores.iter().copied());
    let (low, high) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let room = 0.03 * (high - low).max(1e-9);
    let (low, high) = (low - room, high + room);
    let across = |value: f64| LEFT + (value - low) / (high - low) * (WIDTH - LEFT - RIGHT);
    let field = LINE * all.len() as f64;
    let height = TOP + field + BOTTOM;
    let mut svg = head((WIDTH, height), 11.5, title);
    legend(&mut svg, cases.len(), left_out);
    for tick in ticks(low, high, 8) {
        let x = across(tick);
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{}\" y2=\"{}\" stroke=\"#e3e1dc\"/>",
            TOP - 6.0,
            TOP + field
        );
        text(&mut svg, x, TOP + field + 16.0, "middle", &label(tick));
    }
    text(&mut svg, LEFT + (WIDTH - LEFT - RIGHT) / 2.0, TOP + field + 34.0, "middle", score);
    let best = |case: usize| all.iter().map(|one| one.scores[case]).fold(f64::NEG_INFINITY, f64::max);
    let best: Vec<f64> = (0..cases.len()).map(best).collect();
    for (place, one) in all.iter().enumerate() {
        let y = TOP + (place as f64 + 0.4) * LINE;
        text(&mut svg, LEFT - 10.0, y + 4.0, "end", &one.method);
        for (case, value) in one.scores.iter().enumerate() {
            let (fill, edge) = if *value >= best[case] { (BEST, BEST) } else { ("none", DOT) };
            let _ = write!(
                svg,
                "<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"3.4\" fill=\"{fill}\" stroke=\"{edge}\" stroke-width=\"1.3\"><title>{}: {value:.1}</title></circle>",
                across(*value),
                escaped(cases[case])
            );
        }
        diamond(&mut svg, across(one.mean), y);
        text(&mut svg, WIDTH - 10.0, y + 4.0, "end", &format!("{:.1}", one.mean));
    }
    svg.push_str("</svg>\n");
    svg
}

fn legend(svg: &mut String, cases: usize, left_out: usize) {
    let y = 38.0;
    let _ = write!(
        svg,
        "<circle cx=\"16\" cy=\"{y}\" r=\"3.4\" fill=\"none\" stroke=\"{DOT}\" stroke-width=\"1.3\"/>"
    );
    text(svg, 26.0, y + 4.0, "start", &format!("one of the {cases} sets"));
    let _ = write!(svg, "<circle cx=\"146\" cy=\"{y}\" r=\"3.4\" fill=\"{BEST}\"/>");
    text(svg, 156.0, y + 4.0, "start", "the best of its set");
    diamond(svg, 276.0, y);
    let lack = match left_out {
        0 => String::new(),
        1 => "; left out: 1 that lacks some".into(),
        n => format!("; left out: {n} that lack some"),
    };
    text(svg, 288.0, y + 4.0, "start", &format!("mean over all sets{lack}"));
}

fn diamond(svg: &mut String, x: f64, y: f64) {
    let _ = write!(svg, "<path d=\"M{x:.1} {:.1}l5 5.2l-5 5.2l-5 -5.2z\" fill=\"{MEAN}\"/>", y - 5.2);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::{Case, Row};
    use crate::results::summarize;

    #[test]
    fn methods_come_best_mean_first_and_the_best_of_each_set_is_filled() {
        let protocol = Protocol { main_scores: &["AC"], title: "a & b", ..Protocol::PLAIN };
        let mut rows = Vec::new();
        for (method, values) in
            [("low", [10.0, 20.0, 90.0]), ("high", [50.0, 60.0, 70.0]), ("middle<", [30.0, 50.0, 60.0])]
        {
            for (case, value) in ["x", "y", "z"].iter().zip(values) {
                rows.push(Row {
                    case: Case::new(*case),
                    method: method.into(),
                    draw: 0,
                    solver: String::new(),
                    detail: String::new(),
                    scores: vec![("AC".into(), value)],
                });
            }
        }
        rows.push(Row { method: "lacking".into(), ..rows[0].clone() });
        let (name, svg) = ranking(&protocol, &summarize(&protocol, &rows)).unwrap();
        assert_eq!(name, "ranking-AC");
        let place = |text: &str| svg.find(&format!(">{text}<")).unwrap_or_else(|| panic!("{text} in {svg}"));
        assert!(place("high") < place("middle&lt;") && place("middle&lt;") < place("low"));
        assert!(svg.contains("a &amp; b") && svg.contains("left out: 1") && !svg.contains(">lacking<"));
        // Three dots of the best, and that of the legend.
        assert_eq!(svg.matches(&format!("fill=\"{BEST}\"")).count(), 4);
        assert!(svg.contains(">60.0<") && !svg.contains("NaN"));
    }
}
