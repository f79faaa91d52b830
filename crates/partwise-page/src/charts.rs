//! Line charts as SVG. Colours come from the page's style, so that they follow light and dark.

use std::fmt::Write;

use crate::html::escaped;

/// A line, over iterations unless `across` is set.
#[derive(Default)]
pub struct Line<'a> {
    /// What is drawn.
    pub title: &'a str,
    /// The points (horizontal, vertical) in their order.
    pub points: Vec<(f64, f64)>,
    /// A level to mark, with its name.
    pub level: Option<(f64, &'a str)>,
    /// Whether the vertical axis is logarithmic whatever the values are.
    pub logarithmic: bool,
    /// What the horizontal axis is, where it is not the iterations.
    pub across: Option<&'a str>,
    /// A word at each of the first points.
    pub marks: Vec<String>,
    /// The vertical ends of a bar at each of the first points.
    pub bars: Vec<(f64, f64)>,
    /// A place on the horizontal axis to mark.
    pub at: Option<f64>,
}

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 40.0;

/// The vertical axis.
struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Axis {
    fn new(line: &Line<'_>, points: &[(f64, f64)]) -> Self {
        let level = line.level.map(|l| l.0).filter(|level| level.is_finite());
        let bars = || line.bars.iter().flat_map(|bar| [bar.0, bar.1]).filter(|end| end.is_finite());
        let values = || points.iter().map(|p| p.1).chain(level).chain(bars());
        let range = |(l, h): (f64, f64), v: f64| (l.min(v), h.max(v));
        let (low, high) = values().filter(|v| *v > 0.0).fold((f64::INFINITY, 0.0), range);
        if low.is_finite() && (line.logarithmic || high > 20.0 * low) {
            let (low, high) = (low.log10() - 0.05, high.log10() + 0.05);
            return Axis { low, high, logarithmic: true };
        }
        let (low, high) = values().fold((f64::INFINITY, f64::NEG_INFINITY), range);
        // Each part for itself: the difference of very large numbers is infinite.
        let room = if high > low { high * 0.05 - low * 0.05 } else { high.abs().max(1.0) * 0.1 };
        let (low, high) = ((low - room).max(f64::MIN), (high + room).min(f64::MAX));
        Axis { low, high, logarithmic: false }
    }

    /// The height on the page, from the top.
    fn place(&self, value: f64) -> f64 {
        let v = if self.logarithmic { value.max(f64::MIN_POSITIVE).log10() } else { value };
        let from_low = |value: f64| 0.25 * value - 0.25 * self.low;
        let share = (from_low(v) / from_low(self.high)).clamp(0.0, 1.0);
        TOP + (1.0 - share) * (HEIGHT - TOP - BOTTOM)
    }

    /// Round numbers along the axis.
    fn ticks(&self) -> Vec<f64> {
        if !self.logarithmic {
            return ticks(self.low, self.high, 5);
        }
        let decades: Vec<i32> = (self.low.ceil() as i32..=self.high.floor() as i32).collect();
        if decades.len() < 2 {
            return ticks(10_f64.powf(self.low), 10_f64.powf(self.high), 4);
        }
        let step = decades.len().div_ceil(6);
        decades.into_iter().step_by(step).map(|decade| 10_f64.powi(decade)).collect()
    }
}

/// About `count` round numbers in a range.
pub fn ticks(low: f64, high: f64, count: usize) -> Vec<f64> {
    let raw = (high - low) / count as f64;
    if !(raw > 0.0 && raw.is_finite()) {
        return Vec::new();
    }
    let power = 10_f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= raw).unwrap_or(raw);
    let first = (low / step).ceil() as i64;
    (first..).map(|i| i as f64 * step).take_while(|v| *v <= high + step * 1e-9).take(50).collect()
}

/// A number on an axis.
pub fn label(value: f64) -> String {
    let trimmed = |text: &str| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_string()
        } else {
            text.into()
        }
    };
    if value == 0.0 {
        "0".into()
    } else if (1e-3..1e5).contains(&value.abs()) {
        trimmed(&format!("{value:.4}"))
    } else {
        let text = format!("{value:.3e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        format!("{}e{exponent}", trimmed(mantissa))
    }
}

/// The chart, or an empty text when there is nothing to draw.
pub fn line(chart: &Line<'_>) -> String {
    let points: Vec<(f64, f64)> =
        chart.points.iter().copied().filter(|p| p.0.is_finite() && p.1.is_finite()).collect();
    if points.is_empty() {
        return String::new();
    }
    let axis = Axis::new(chart, &points);
    let low = points.iter().map(|p| p.0).fold(f64::INFINITY, f64::min);
    let high = points.iter().map(|p| p.0).fold(f64::NEG_INFINITY, f64::max);
    let span = (high - low).max(if chart.across.is_some() { 0.01 } else { 1.0 });
    // Points on one place stand at the right: a fraction is not above 1.
    let low = if chart.across.is_some() { high - span } else { low };
    let x = |value: f64| LEFT + (value - low) / span * (WIDTH - LEFT - RIGHT);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{0}\"><text class=\"t\" x=\"0\" y=\"14\">{0}{1}</text>",
        escaped(chart.title),
        if axis.logarithmic { " (logarithmic)" } else { "" }
    );
    for tick in axis.ticks() {
        level(&mut svg, "g", axis.place(tick));
        text(&mut svg, LEFT - 7.0, axis.place(tick) + 4.0, "end", &label(tick));
    }
    // Iterations and numbers of components have no halves.
    let only_whole = points.iter().all(|p| p.0.fract() == 0.0) && high - low >= 1.0;
    let whole = |t: &f64| t.fract() == 0.0 || chart.across.is_some() && !only_whole;
    for tick in ticks(low, low + span, 5).into_iter().filter(whole) {
        text(&mut svg, x(tick), HEIGHT - BOTTOM + 18.0, "middle", &label(tick));
    }
    text(&mut svg, WIDTH - RIGHT, HEIGHT - 4.0, "end", chart.across.unwrap_or("iteration"));
    if let Some((value, name)) = chart.level.filter(|(value, _)| value.is_finite()) {
        level(&mut svg, "lv", axis.place(value));
        text(&mut svg, LEFT + 6.0, axis.place(value) - 5.0, "start", name);
    }
    if let Some(at) = chart.at.filter(|at| *at >= low && *at <= high) {
        let (x, bottom) = (x(at), HEIGHT - BOTTOM);
        let _ = write!(svg, "<line class=\"lv\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{bottom}\"/>");
    }
    for (point, (from, to)) in chart.points.iter().zip(&chart.bars) {
        if [point.0, *from, *to].iter().all(|value| value.is_finite()) {
            let (x, from, to) = (x(point.0), axis.place(*from), axis.place(*to));
            let _ = write!(
                svg,
                "<line class=\"b\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{from:.1}\" y2=\"{to:.1}\"/>"
            );
        }
    }
    marks(&mut svg, chart, &points, (&x, &axis));
    let drawn = |points: &[(f64, f64)]| -> String {
        let place = |(a, b): &(f64, f64)| format!("{:.1},{:.1}", x(*a), axis.place(*b));
        points.iter().map(place).collect::<Vec<_>>().join(" ")
    };
    let envelope = envelope(&points).filter(|_| chart.across.is_none());
    if envelope.is_some() {
        let _ = write!(svg, "<polyline class=\"f\" points=\"{}\"/>", drawn(&points));
    }
    let shown = envelope.unwrap_or(points);
    let last = shown.last().copied().unwrap_or_default();
    let (cx, cy) = (x(last.0), axis.place(last.1));
    let _ = write!(
        svg,
        "<polyline class=\"l\" points=\"{}\"/><circle class=\"d\" cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"3.5\"/></svg>",
        drawn(&shown)
    );
    svg
}

/// The least value so far at each point, for a line like a saw (accelerated runs overshoot): one that rises
/// at more than a tenth of its steps. Such a line is drawn faintly behind it.
fn envelope(points: &[(f64, f64)]) -> Option<Vec<(f64, f64)>> {
    let rises = points.windows(2).filter(|pair| pair[1].1 > pair[0].1).count();
    if points.len() < 20 || rises * 10 <= points.len() {
        return None;
    }
    let mut least = f64::INFINITY;
    let so_far = |(at, value): &(f64, f64)| {
        least = least.min(*value);
        (*at, least)
    };
    Some(points.iter().map(so_far).collect())
}

/// A dot for each marked point, and its word. Points that lie on each other share one text.
fn marks(svg: &mut String, chart: &Line<'_>, points: &[(f64, f64)], (x, axis): (&dyn Fn(f64) -> f64, &Axis)) {
    /// Points nearer than this share a text.
    const NEAR: f64 = 18.0;
    let mut groups: Vec<(f64, f64, Vec<&str>)> = Vec::new();
    for (point, mark) in points.iter().zip(&chart.marks) {
        let (cx, cy) = (x(point.0), axis.place(point.1));
        let _ = write!(svg, "<circle class=\"d\" cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"2.5\"/>");
        // A text is wide and low: what is beside it counts from further away than what is above it.
        let near = |g: &&mut (f64, f64, Vec<&str>)| (g.0 - cx).abs() < 2.0 * NEAR && (g.1 - cy).abs() < NEAR;
        match groups.iter_mut().find(near) {
            Some(group) => group.2.push(mark),
            None => groups.push((cx, cy, vec![mark])),
        }
    }
    for (cx, cy, words) in groups {
        let right = cx > WIDTH / 2.0;
        let (at, anchor) = if right { (cx - 6.0, "end") } else { (cx + 6.0, "start") };
        text(svg, at, cy - 6.0, anchor, &words.join(", "));
    }
}

fn level(svg: &mut String, class: &str, y: f64) {
    let right = WIDTH - RIGHT;
    let _ = write!(svg, "<line class=\"{class}\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>");
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, content: &str) {
    let content = escaped(content);
    let _ = write!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{content}</text>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_hold_for_flat_short_and_zero_lines() {
        for points in [vec![], vec![(0.0, 0.0)], vec![(0.0, 1.0), (1.0, 1.0)], vec![(0.0, 1e9), (9.0, 0.0)]] {
            for logarithmic in [false, true] {
                let level = Some((1e-4, "x"));
                let line_of = |across, marks| Line {
                    title: "a<b",
                    points: points.clone(),
                    level,
                    logarithmic,
                    across,
                    marks,
                    bars: vec![(0.5, 2.0), (f64::NAN, 1.0)],
                    at: Some(1.0),
                };
                let svg =
                    line(&line_of(None, Vec::new())) + &line(&line_of(Some("share"), vec!["a<b".into()]));
                assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("a<b"), "{svg}");
            }
        }
    }

    #[test]
    fn what_is_not_finite_is_left_out_of_a_chart_and_costs_nothing() {
        for odd in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            for (points, level) in [
                (vec![(0.0, odd), (1.0, 2.0), (2.0, 1.0)], None),
                (vec![(0.0, 2.0), (1.0, odd), (odd, 3.0), (2.0, 1e-9)], Some((odd, "x"))),
                (vec![(0.0, odd), (1.0, odd)], Some((1e-4, "x"))),
                (vec![(0.0, f64::MAX), (1.0, -f64::MAX)], None),
                (vec![(0.0, 1e-320), (1.0, 1e308)], None),
            ] {
                for logarithmic in [false, true] {
                    let points = points.clone();
                    let svg = line(&Line { title: "t", points, level, logarithmic, ..Line::default() });
                    assert!(!svg.contains("NaN") && !svg.contains("inf") && svg.len() < 20_000, "{svg}");
                }
            }
        }
        for (low, high) in [(0.0, f64::INFINITY), (f64::NAN, 1.0), (1.0, 1.0), (2.0, 1.0)] {
            assert!(ticks(low, high, 5).is_empty());
        }
    }

    #[test]
    fn a_saw_is_drawn_as_its_envelope_and_marks_on_each_other_share_a_text() {
        let saw =
            |i: usize| (i as f64, 100.0 / (1.0 + i as f64) + if i.is_multiple_of(3) { 5.0 } else { 0.0 });
        let svg = line(&Line { title: "t", points: (0..40).map(saw).collect(), ..Line::default() });
        assert_eq!(svg.matches("<polyline class=\"f\"").count(), 1);
        let smooth = |i: usize| (i as f64, 100.0 / (1.0 + i as f64));
        let svg = line(&Line { title: "t", points: (0..40).map(smooth).collect(), ..Line::default() });
        assert!(!svg.contains("class=\"f\""));
        let svg = line(&Line {
            title: "t",
            points: vec![(0.2, 0.1), (0.9, 0.5), (0.91, 0.5), (0.9, 0.51)],
            marks: ["×0.1", "×0.3", "×1", "×3"].map(String::from).to_vec(),
            across: Some("a"),
            ..Line::default()
        });
        assert!(svg.contains(">×0.3, ×1, ×3</text>") && svg.contains(">×0.1</text>"), "{svg}");
        let points = vec![(2.0, 0.6), (3.0, 0.5), (4.0, 0.4)];
        let svg = line(&Line { title: "t", points, across: Some("number of components"), ..Line::default() });
        assert!(svg.contains(">3</text>") && !svg.contains(">2.5</text>"), "{svg}");
        let points = vec![(1.0, 0.6), (1.0, 0.5)];
        let svg = line(&Line { title: "t", points, across: Some("fraction"), ..Line::default() });
        assert!(svg.contains(">1</text>") && !svg.contains(">1.005</text>"), "{svg}");
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks(0.0, 10.0, 5), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!([0.5, 1e-4, 123_456.0, 0.0, 200.0].map(label), ["0.5", "1e-4", "1.235e5", "0", "200"]);
    }
}
