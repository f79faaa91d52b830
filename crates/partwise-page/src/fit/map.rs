//! A map of the samples: t-SNE of the square roots of their memberships (distances between these are
//! Hellinger's), coloured by component.

use std::fmt::Write;

use super::Shown;
use super::cards::cut;
use crate::html::{escaped, section, thousands};
use crate::layout::layout;

/// Samples on the map at most.
const MOST_POINTS: usize = 600;
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 520.0;
const MARGIN: f64 = 16.0;

pub(super) fn section_of(shown: &Shown<'_>) -> String {
    let page = shown.page;
    let placed: Vec<usize> = (0..page.codes.rows()).filter(|i| page.clusters[*i].is_some()).collect();
    // Two components make a line, and a few samples no map.
    if page.components.rows() < 3 || placed.len() < 12 {
        return String::new();
    }
    let count = placed.len().min(MOST_POINTS);
    let drawn: Vec<usize> = (0..count).map(|at| placed[at * placed.len() / count]).collect();
    let root = |i: &usize| shown.shares.row(*i).iter().map(|share| share.sqrt()).collect::<Vec<f64>>();
    let places: Vec<(f64, f64)> = layout(&drawn.iter().map(root).collect::<Vec<_>>())
        .into_iter()
        .map(|(x, y)| (MARGIN + x * (WIDTH - 2.0 * MARGIN), MARGIN + y * (HEIGHT - 2.0 * MARGIN)))
        .collect();
    let (_, many) = page.sample_words();
    let which = match drawn.len() < placed.len() {
        true => format!("{} of {} {many}, evenly taken", thousands(drawn.len()), thousands(placed.len())),
        false => format!("All {} {many}", thousands(drawn.len())),
    };
    let lead = format!(
        "{which}, by their memberships (t-SNE of the square roots): near {many} are made of the same {} in \
        the same proportions. The colour is that of the largest; distances between far groups mean little.",
        page.component_words().1
    );
    section("Map", &lead, &drawing(shown, &drawn, &places))
}

fn drawing(shown: &Shown<'_>, drawn: &[usize], places: &[(f64, f64)]) -> String {
    let page = shown.page;
    let mut svg = format!(
        "<figure class=\"map\"><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"map of the samples\">"
    );
    let mut names: Vec<(f64, f64, &str)> = Vec::new();
    let mut legend = String::new();
    for (place, j) in shown.order.iter().enumerate() {
        let own: Vec<usize> = (0..drawn.len()).filter(|at| page.clusters[drawn[*at]] == Some(*j)).collect();
        if own.is_empty() {
            continue;
        }
        let _ = write!(svg, "<g class=\"p\" data-j=\"{j}\" style=\"{}\">", super::colour(place));
        for at in &own {
            let sample = drawn[*at];
            let mut title = page.sample_name(sample);
            if let Some(text) = page.snippet(sample) {
                title = format!("{title}: {}", cut(text, 60));
            }
            let (x, y) = places[*at];
            let _ = write!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.4\"><title>{}</title></circle>",
                escaped(&title)
            );
        }
        svg.push_str("</g>");
        let name = &page.component_names[*j];
        names.push((median(&own, |at| places[at].0), median(&own, |at| places[at].1), name));
        let _ = write!(
            legend,
            "<span data-j=\"{j}\" style=\"{}\"><i></i>{}</span>",
            super::colour(place),
            escaped(name)
        );
    }
    labels(&mut svg, &names);
    format!("{svg}</svg><figcaption class=\"legend\">{legend}</figcaption></figure>")
}

/// The names where there is room; the larger components first.
fn labels(svg: &mut String, names: &[(f64, f64, &str)]) {
    let mut taken: Vec<(f64, f64, f64)> = Vec::new();
    for (x, y, name) in names {
        let short = cut(name, 24);
        let half = 4.0 * short.chars().count() as f64;
        let x = x.clamp(half.min(WIDTH / 2.0), (WIDTH - half).max(WIDTH / 2.0));
        let y = y.clamp(14.0, HEIGHT - 6.0);
        let free = taken.iter().all(|(a, b, h)| (a - x).abs() > half + h || (b - y).abs() > 15.0);
        if free {
            let _ = write!(
                svg,
                "<text class=\"name\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>",
                escaped(&short)
            );
            taken.push((x, y, half));
        }
    }
}

fn median(at: &[usize], value: impl Fn(usize) -> f64) -> f64 {
    let mut values: Vec<f64> = at.iter().map(|at| value(*at)).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
