//! Line charts of several methods with error bars, as SVG that stands alone; the page's style recolours it
//! where it is set in the page.

use std::fmt::Write;

use crate::protocols::{Figure, Protocol};
use crate::results::Summary;

use partwise_report::charts::{label, ticks};
use partwise_report::html::escaped;

const WIDTH: f64 = 620.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 36.0;
/// Height of the field of the lines.
const FIELD: f64 = 300.0;
/// Below the field: the axis, then the legend.
const AXIS: f64 = 46.0;
const LEGEND_LINE: f64 = 18.0;
const LEGEND_COLUMNS: usize = 3;

/// Told apart also without colours by the shapes of their marks (Okabe & Ito's colours, without yellow, and
/// two more).
const COLOURS: [&str; 9] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8c6d1f", "#56b4e9", "#7a5195", "#e69f00", "#6b7280"];
const SHAPES: usize = 5;

/// A method's points.
struct Curve {
    name: String,
    points: Vec<Point>,
}

struct Point {
    x: f64,
    y: f64,
    /// Standard error.
    error: Option<f64>,
    published: Option<f64>,
}

/// (name, SVG) of every figure of a protocol for every case that has points.
pub(super) fn all(protocol: &Protocol, summary: &Summary) -> Vec<(String, String)> {
    let mut cases: Vec<&str> = summary.by_x.iter().map(|line| line.case.as_str()).collect();
    cases.dedup();
    let mut charts = Vec::new();
    for case in cases {
        for figure in protocol.figures {
            let curves = curves(figure, case, summary);
            if curves.iter().any(|curve| curve.points.len() > 1) {
                let across = figure.across.or(protocol.axis.map(|axis| axis.name)).unwrap_or("");
                let title = format!("{case}: {}", figure.title);
                charts
                    .push((file_name(figure.name, case), draw(&title, across, figure.logarithmic, &curves)));
            }
        }
    }
    charts
}

fn file_name(figure: &str, case: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    format!("{figure}-{}", case.chars().map(plain).collect::<String>())
}

fn curves(figure: &Figure, case: &str, summary: &Summary) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    for line in summary.by_x.iter().filter(|line| line.case == case) {
        if !figure.methods.is_empty() && !figure.methods.contains(&line.method.as_str()) {
            continue;
        }
        let of = |score: &str| line.scores.iter().find(|(name, ..)| name == score);
        let Some(x) = figure.across.map_or(line.x, |score| of(score).map(|(_, average, _)| average.mean))
        else {
            continue;
        };
        let Some((_, average, against)) = of(figure.score) else { continue };
        let point = Point { x, y: average.mean, error: average.error, published: against.published };
        if !point.x.is_finite() || !point.y.is_finite() || (figure.logarithmic && point.x <= 0.0) {
            continue;
        }
        match curves.iter_mut().find(|curve| curve.name == line.method) {
            Some(curve) => curve.points.push(point),
            None => curves.push(Curve { name: line.method.clone(), points: vec![point] }),
        }
    }
    let place = |curve: &Curve| figure.methods.iter().position(|method| *method == curve.name);
    curves.sort_by_key(place);
    for curve in &mut curves {
        curve.points.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    curves
}

/// Where values lie on the page.
struct Scale {
    x: (f64, f64),
    y: (f64, f64),
    logarithmic: bool,
}

impl Scale {
    fn new(curves: &[Curve], logarithmic: bool) -> Self {
        let points = || curves.iter().flat_map(|curve| &curve.points);
        let range = |(low, high): (f64, f64), value: f64| (low.min(value), high.max(value));
        let none = (f64::INFINITY, f64::NEG_INFINITY);
        let along = |x: f64| if logarithmic { x.log10() } else { x };
        let x = points().map(|p| along(p.x)).fold(none, range);
        let reach = |p: &Point| {
            let error = p.error.unwrap_or(0.0);
            [p.y - error, p.y + error, p.published.unwrap_or(p.y)]
        };
        let (low, high) = points().flat_map(reach).filter(|y| y.is_finite()).fold(none, range);
        let room = if high > low { 0.04 * (high - low) } else { 0.1 * high.abs().max(1.0) };
        let x = if x.1 > x.0 { x } else { (x.0 - 0.5, x.1 + 0.5) };
        Scale { x, y: (low - room, high + room), logarithmic }
    }

    fn across(&self, value: f64) -> f64 {
        let value = if self.logarithmic { value.log10() } else { value };
        LEFT + (value - self.x.0) / (self.x.1 - self.x.0) * (WIDTH - LEFT - RIGHT)
    }

    fn down(&self, value: f64) -> f64 {
        TOP + (1.0 - (value - self.y.0) / (self.y.1 - self.y.0)) * FIELD
    }

    /// Numbers along the horizontal axis.
    fn marks(&self, curves: &[Curve]) -> Vec<f64> {
        if !self.logarithmic {
            return ticks(self.x.0, self.x.1, 8);
        }
        // The places of the points where they are few, else whole powers of ten.
        let mut places: Vec<f64> = curves.iter().flat_map(|c| c.points.iter().map(|p| p.x)).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        if places.len() <= 9 {
            return places;
        }
        (self.x.0.ceil() as i32..=self.x.1.floor() as i32).map(|power| 10_f64.powi(power)).collect()
    }
}

fn draw(title: &str, across: &str, logarithmic: bool, curves: &[Curve]) -> String {
    let scale = Scale::new(curves, logarithmic);
    let lines = curves.len().div_ceil(LEGEND_COLUMNS);
    let height = TOP + FIELD + AXIS + lines as f64 * LEGEND_LINE + 8.0;
    let mut svg = head((WIDTH, height), 12.0, title);
    for tick in ticks(scale.y.0, scale.y.1, 6) {
        let y = scale.down(tick);
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#e3e1dc\"/>",
            WIDTH - RIGHT
        );
        text(&mut svg, LEFT - 8.0, y + 4.0, "end", &label(tick));
    }
    for tick in scale.marks(curves) {
        text(&mut svg, scale.across(tick), TOP + FIELD + 18.0, "middle", &label(tick));
    }
    let named = if logarithmic { format!("{across} (logarithmic)") } else { across.to_string() };
    text(&mut svg, LEFT + (WIDTH - LEFT - RIGHT) / 2.0, TOP + FIELD + 36.0, "middle", &named);
    for (at, one) in curves.iter().enumerate() {
        curve(&mut svg, at, one, &scale);
        let x = LEFT + (at % LEGEND_COLUMNS) as f64 * (WIDTH - LEFT) / LEGEND_COLUMNS as f64;
        let y = TOP + FIELD + AXIS + (at / LEGEND_COLUMNS) as f64 * LEGEND_LINE + 8.0;
        let colour = COLOURS[at % COLOURS.len()];
        let _ = write!(
            svg,
            "<line x1=\"{x:.1}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            x + 22.0
        );
        mark(&mut svg, at, x + 11.0, y);
        text(&mut svg, x + 28.0, y + 4.0, "start", &one.name);
    }
    svg.push_str("</svg>\n");
    svg
}

fn curve(svg: &mut String, at: usize, curve: &Curve, scale: &Scale) {
    let colour = COLOURS[at % COLOURS.len()];
    let path = |points: &mut dyn Iterator<Item = (f64, f64)>| -> String {
        let place = |(x, y): (f64, f64)| format!("{:.1},{:.1}", scale.across(x), scale.down(y));
        points.map(place).collect::<Vec<_>>().join(" ")
    };
    let published = path(&mut curve.points.iter().filter_map(|p| Some((p.x, p.published?))));
    if published.contains(' ') {
        let _ = write!(
            svg,
            "<polyline points=\"{published}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.3\" stroke-dasharray=\"2 4\"/>"
        );
    }
    let own = path(&mut curve.points.iter().map(|p| (p.x, p.y)));
    let _ = write!(
        svg,
        "<polyline points=\"{own}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-linejoin=\"round\"/>"
    );
    for point in &curve.points {
        let x = scale.across(point.x);
        if let Some(error) = point.error.filter(|error| *error > 0.0) {
            let (low, high) = (scale.down(point.y - error), scale.down(point.y + error));
            let _ = write!(
                svg,
                "<path d=\"M{x:.1} {low:.1}V{high:.1}M{0:.1} {low:.1}h6M{0:.1} {high:.1}h6\" fill=\"none\" stroke=\"{colour}\"/>",
                x - 3.0
            );
        }
        mark(svg, at, x, scale.down(point.y));
    }
}

/// The mark of the curve number `at`.
fn mark(svg: &mut String, at: usize, x: f64, y: f64) {
    let colour = COLOURS[at % COLOURS.len()];
    let shape = match at % SHAPES {
        0 => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\""),
        1 => format!("<rect x=\"{:.1}\" y=\"{:.1}\" width=\"6.4\" height=\"6.4\"", x - 3.2, y - 3.2),
        2 => format!("<path d=\"M{x:.1} {:.1}l4.2 7h-8.4z\"", y - 4.4),
        3 => format!("<path d=\"M{x:.1} {:.1}l4.4 4.4l-4.4 4.4l-4.4 -4.4z\"", y - 4.4),
        _ => format!("<path d=\"M{x:.1} {:.1}l4.2 -7h-8.4z\"", y + 4.4),
    };
    let _ = write!(svg, "{shape} fill=\"{colour}\"/>");
}

/// The beginning of a chart of a size: its ground and its title.
pub(super) fn head((width, height): (f64, f64), font_size: f64, title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"system-ui, 'Liberation Sans', sans-serif\" font-size=\"{font_size}\" role=\"img\" aria-label=\"{0}\"><rect class=\"bg\" width=\"{width}\" height=\"{height}\" fill=\"#fff\"/><text class=\"t\" x=\"10\" y=\"20\" font-weight=\"600\" font-size=\"13\" fill=\"#222\">{0}</text>",
        escaped(title)
    )
}

pub(super) fn text(svg: &mut String, x: f64, y: f64, anchor: &str, content: &str) {
    let content = escaped(content);
    let _ = write!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"#555\">{content}</text>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::{Axis, Case, Row};
    use crate::results::summarize;

    const FIGURE: Figure = Figure {
        name: "ac",
        title: "AC",
        score: "AC",
        across: None,
        methods: &["b", "a<b"],
        logarithmic: false,
    };

    fn row(x: f64, draw: u64, method: &str, value: f64) -> Row {
        Row {
            case: Case::at("set & more", x),
            method: method.into(),
            draw,
            solver: String::new(),
            detail: String::new(),
            scores: vec![("AC".into(), value), ("seconds".into(), 0.5 * x)],
        }
    }

    #[test]
    fn charts_have_a_line_for_each_method_that_is_shown() {
        let logarithmic = Figure { name: "time", across: Some("seconds"), logarithmic: true, ..FIGURE };
        let figures: &'static [Figure] = Box::leak(Box::new([FIGURE, logarithmic]));
        let axis = Some(Axis { name: "k", independent: true, averaged: true });
        let protocol = Protocol { axis, figures, ..Protocol::PLAIN };
        let mut rows = Vec::new();
        for draw in 0..3 {
            for x in [2.0, 4.0, 8.0] {
                rows.extend([
                    row(x, draw, "a<b", 60.0 + draw as f64),
                    row(x, draw, "b", 50.0),
                    row(x, draw, "c", 1.0),
                ]);
            }
        }
        let charts = all(&protocol, &summarize(&protocol, &rows));
        assert_eq!(
            charts.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
            ["ac-set---more", "time-set---more"]
        );
        for (_, svg) in &charts {
            assert_eq!(svg.matches("<polyline").count(), 2, "{svg}");
            assert!(
                !svg.contains("NaN")
                    && !svg.contains("inf")
                    && svg.contains("a&lt;b")
                    && !svg.contains("a<b")
            );
        }
    }

    #[test]
    fn a_single_point_is_no_chart() {
        let protocol = Protocol { figures: &[FIGURE], ..Protocol::PLAIN };
        assert!(all(&protocol, &summarize(&protocol, &[row(2.0, 0, "b", 1.0)])).is_empty());
    }
}
