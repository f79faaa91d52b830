//! Averages over draws and over the axis, with standard errors, beside published and reference values.
//!
//! ```text
//! average = mean over x of the means over draws;   ± = standard deviation over draws, averaged over x
//! ( ) = standard error of the average: √(Σₓ s²ₓ/nₓ)/|x| where each x has draws of its own,
//!     else that of the draws' averages over x
//! ```
//!
//! Where an average over the axis means nothing (iterations), the last place that every method of the case
//! has stands in its stead.

use crate::protocols::{Extent, Protocol, Published, Reference, Row};

/// Mean, spread and standard error of a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Average {
    /// The mean.
    pub mean: f64,
    /// The standard deviation over draws, averaged over the axis; `None` with a single draw.
    pub deviation: Option<f64>,
    /// The standard error of the mean; `None` with a single draw.
    pub error: Option<f64>,
}

/// What a value is held against.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Against {
    /// The published value.
    pub published: Option<f64>,
    /// The reference and its standard error (NaN: not known).
    pub reference: Option<(f64, f64)>,
    /// Whether the difference from the reference is larger than 3·√(se² + se²); `None` without one or without
    /// standard errors.
    pub outside: Option<bool>,
}

/// One case and method.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// As [`crate::protocols::Case::name`].
    pub case: String,
    /// As [`Row::method`].
    pub method: String,
    /// The place on the axis; `None` for the average over all of them (and for cases without a place).
    pub x: Option<f64>,
    /// Draws at each place, the fewest.
    pub draws: usize,
    /// The solvers and their iterations, as the rows say.
    pub solver: String,
    /// (name, average, what it is held against), in the order of the rows.
    pub scores: Vec<(String, Average, Against)>,
}

/// All averages of an experiment.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Summary {
    /// Over the whole axis, or at its last place where an average means nothing.
    pub overall: Vec<Line>,
    /// At each place of the axis; empty without one.
    pub by_x: Vec<Line>,
    /// The places of the axis, ascending.
    pub places: Vec<f64>,
}

/// The averages of `rows`, in the order in which cases come in the rows and methods in the first case.
pub fn summarize(protocol: &Protocol, rows: &[Row]) -> Summary {
    let (published, references) = ((protocol.published)(), (protocol.references)());
    let independent = protocol.axis.is_none_or(|axis| axis.independent);
    let full = (protocol.cases)(Extent::Full);
    let averaged = protocol.axis.is_none_or(|axis| axis.averaged);
    let mut summary = Summary { places: places(rows.iter()), ..Summary::default() };
    let groups = grouped(rows);
    for group in &groups {
        let places = places(group.iter().copied());
        let mut needed = full.iter().filter(|case| case.name == group[0].case.name).filter_map(|case| case.x);
        let complete = needed.all(|x| places.contains(&x));
        let last = if averaged { None } else { last_common_place(&groups, &group[0].case.name) };
        let whole = Span { places: &places, x: None, complete };
        let (here, span) = match &last {
            None => (group.clone(), whole),
            Some(x) => (at_place(group, *x), Span { places: std::slice::from_ref(x), x: last, complete }),
        };
        summary.overall.push(line(&here, &span, independent, &published, &references));
        for x in &places {
            let here = at_place(group, *x);
            let span = Span { places: &[*x], x: Some(*x), complete };
            summary.by_x.push(line(&here, &span, independent, &published, &references));
        }
    }
    summary
}

fn at_place<'a>(rows: &[&'a Row], x: f64) -> Vec<&'a Row> {
    rows.iter().copied().filter(|row| row.case.x == Some(x)).collect()
}

/// The last place that every method of a case has; `None` where there is none.
fn last_common_place(groups: &[Vec<&Row>], case: &str) -> Option<f64> {
    let of_case = || groups.iter().filter(|group| group[0].case.name == case);
    let has = |group: &Vec<&Row>, x: f64| group.iter().any(|row| row.case.x == Some(x));
    let all = places(of_case().flatten().copied());
    all.into_iter().rev().find(|x| of_case().all(|group| has(group, *x)))
}

/// The places of the axis that rows have, ascending.
fn places<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<f64> {
    let mut found: Vec<f64> = rows.filter_map(|row| row.case.x).collect();
    found.sort_by(f64::total_cmp);
    found.dedup();
    found
}

/// Rows of the same case name and method.
fn grouped(rows: &[Row]) -> Vec<Vec<&Row>> {
    let mut groups: Vec<Vec<&Row>> = Vec::new();
    let mut cases: Vec<&str> = Vec::new();
    for row in rows {
        if !cases.contains(&row.case.name.as_str()) {
            cases.push(&row.case.name);
        }
        let same =
            |group: &&mut Vec<&Row>| (&group[0].case.name, &group[0].method) == (&row.case.name, &row.method);
        match groups.iter_mut().find(same) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    // Stable: methods keep their order within a case.
    groups.sort_by_key(|group| cases.iter().position(|case| *case == group[0].case.name));
    groups
}

/// The part of the axis that an average is over.
struct Span<'a> {
    places: &'a [f64],
    /// One place only.
    x: Option<f64>,
    /// Whether no place of the full experiment is missing.
    complete: bool,
}

fn line(
    rows: &[&Row],
    span: &Span<'_>,
    independent: bool,
    published: &[Published],
    references: &[Reference],
) -> Line {
    let places = span.places;
    let (case, method) = (&rows[0].case.name, &rows[0].method);
    let mut names: Vec<&String> = Vec::new();
    rows.iter().flat_map(|row| &row.scores).for_each(|(name, _)| {
        if !names.contains(&name) {
            names.push(name);
        }
    });
    let at = |place: Option<f64>| rows.iter().filter(|row| row.case.x == place).count();
    let draws = if places.is_empty() {
        at(None)
    } else {
        places.iter().map(|place| at(Some(*place))).min().unwrap_or(0)
    };
    let scores = names
        .into_iter()
        .filter_map(|name| {
            let average = average(rows, name, independent)?;
            let published = published
                .iter()
                .map(|p| ((p.case, p.method, p.score), p.x, (p.value, 0.0)))
                .filter(|entry| entry.0 == (case.as_str(), method.as_str(), name.as_str()));
            let references = references
                .iter()
                .map(|r| ((r.case, r.method, r.score), r.x, (r.mean, r.error)))
                .filter(|entry| entry.0 == (case.as_str(), method.as_str(), name.as_str()));
            let published: Vec<_> = published.map(|(_, at, value)| (at, value)).collect();
            let references: Vec<_> = references.map(|(_, at, value)| (at, value)).collect();
            let (published, reference) = (expected(&published, span), expected(&references, span));
            let outside = reference.and_then(|(mean, error)| {
                let limit = 3.0 * (error.powi(2) + average.error?.powi(2)).sqrt();
                limit.is_finite().then_some((average.mean - mean).abs() > limit)
            });
            let against = Against { published: published.map(|p| p.0), reference, outside };
            Some((name.clone(), average, against))
        })
        .collect();
    Line { case: case.clone(), method: method.clone(), x: span.x, draws, solver: solvers(rows), scores }
}

/// The solvers of some rows; those that differ in the number of iterations alone as one, with the fewest and
/// the most.
fn solvers(rows: &[&Row]) -> String {
    let mut found: Vec<(String, Option<(u64, u64)>)> = Vec::new();
    for row in rows.iter().filter(|row| !row.solver.is_empty()) {
        let (name, iterations) =
            match row.solver.strip_suffix(" iterations").and_then(|s| s.rsplit_once(", ")) {
                Some((name, count)) if count.parse::<u64>().is_ok() => (name, count.parse::<u64>().ok()),
                _ => (row.solver.as_str(), None),
            };
        match found.iter_mut().find(|known| known.0 == name && known.1.is_some() == iterations.is_some()) {
            Some((_, Some((least, most)))) => {
                *least = (*least).min(iterations.unwrap_or(*least));
                *most = (*most).max(iterations.unwrap_or(*most));
            }
            Some(_) => {}
            None => found.push((name.to_string(), iterations.map(|count| (count, count)))),
        }
    }
    found.sort();
    let text = |(name, iterations): &(String, Option<(u64, u64)>)| match iterations {
        None => name.clone(),
        Some((least, most)) if least == most => format!("{name}, {least} iterations"),
        Some((least, most)) => format!("{name}, {least} to {most} iterations"),
    };
    found.iter().map(text).collect::<Vec<_>>().join("; ")
}

/// What is expected at these places: the value of the place, that of the whole axis where none is missing, or
/// else the average of those of the places, if each has one.
fn expected(known: &[(Option<f64>, (f64, f64))], span: &Span<'_>) -> Option<(f64, f64)> {
    let at = |place: &f64| known.iter().find(|(other, _)| *other == Some(*place)).map(|(_, value)| *value);
    if let Some(x) = span.x {
        return at(&x);
    }
    let whole = known.iter().find(|(place, _)| place.is_none()).map(|(_, value)| *value);
    if span.complete && whole.is_some() {
        return whole;
    }
    let values: Vec<(f64, f64)> = span.places.iter().map(at).collect::<Option<_>>()?;
    let count = values.len() as f64;
    let mean = values.iter().map(|v| v.0).sum::<f64>() / count;
    (count > 0.0).then(|| (mean, values.iter().map(|v| v.1 * v.1).sum::<f64>().sqrt() / count))
}

/// The average of a score of rows of one case and method; `None` where no row has it.
pub fn average(rows: &[&Row], score: &str, independent: bool) -> Option<Average> {
    let values: Vec<(Option<f64>, u64, f64)> =
        rows.iter().filter_map(|row| Some((row.case.x, row.draw, row.score(score)?))).collect();
    average_of(&values, independent)
}

/// The average of first − second over the draws and places that both have, and the differences.
pub fn paired_difference(
    first: &[&Row],
    second: &[&Row],
    score: &str,
    independent: bool,
) -> Option<(Average, Vec<f64>)> {
    let partner = |row: &Row| {
        second.iter().find(|other| (other.case.x, other.draw) == (row.case.x, row.draw))?.score(score)
    };
    let pairs: Vec<(Option<f64>, u64, f64)> = first
        .iter()
        .filter_map(|row| Some((row.case.x, row.draw, row.score(score)? - partner(row)?)))
        .collect();
    let differences = pairs.iter().map(|pair| pair.2).collect();
    Some((average_of(&pairs, independent)?, differences))
}

/// Of (place, draw, value).
fn average_of(values: &[(Option<f64>, u64, f64)], independent: bool) -> Option<Average> {
    let mut places: Vec<Option<f64>> = Vec::new();
    let mut draws: Vec<u64> = Vec::new();
    for (place, draw, _) in values {
        if !places.contains(place) {
            places.push(*place);
        }
        if !draws.contains(draw) {
            draws.push(*draw);
        }
    }
    let cells: Vec<Moments> = places
        .iter()
        .map(|place| moments(values.iter().filter(|v| v.0 == *place).map(|v| v.2)))
        .collect::<Option<_>>()?;
    if cells.is_empty() {
        return None;
    }
    let count = cells.len() as f64;
    let deviations: Option<Vec<f64>> = cells.iter().map(|cell| cell.deviation).collect();
    let error = if independent {
        let part = |cell: &Moments| Some(cell.deviation?.powi(2) / cell.count);
        let parts: Option<Vec<f64>> = cells.iter().map(part).collect();
        parts.map(|parts| parts.iter().sum::<f64>().sqrt() / count)
    } else {
        let of = |draw: &u64| moments(values.iter().filter(|v| v.1 == *draw).map(|v| v.2)).map(|m| m.mean);
        let means = moments(draws.iter().filter_map(of))?;
        means.deviation.map(|deviation| deviation / means.count.sqrt())
    };
    Some(Average {
        mean: cells.iter().map(|cell| cell.mean).sum::<f64>() / count,
        deviation: deviations.map(|all| all.iter().sum::<f64>() / count),
        error,
    })
}

struct Moments {
    count: f64,
    mean: f64,
    /// With n − 1.
    deviation: Option<f64>,
}

/// `None` without values.
fn moments(values: impl Iterator<Item = f64> + Clone) -> Option<Moments> {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
    (count > 0.0).then(|| Moments {
        count,
        mean,
        deviation: (count > 1.0).then(|| (squares / (count - 1.0)).sqrt()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::{Axis, Case};

    fn row(x: f64, draw: u64, method: &str, value: f64) -> Row {
        Row {
            case: Case::at("set", x),
            method: method.into(),
            draw,
            solver: "mu, 200".into(),
            detail: String::new(),
            scores: vec![("ac".into(), value)],
        }
    }

    #[test]
    fn solvers_that_differ_in_iterations_alone_are_one() {
        let with = |solver: &str| Row { solver: solver.into(), ..row(1.0, 0, "a", 0.0) };
        let rows = [
            "mu, 200 iterations",
            "hals, 9 iterations",
            "hals, 120 iterations",
            "hals, 30 iterations",
            "Lloyd",
            "",
        ];
        let rows = rows.map(with);
        let found = solvers(&rows.iter().collect::<Vec<_>>());
        assert_eq!(found, "Lloyd; hals, 9 to 120 iterations; mu, 200 iterations");
    }

    fn known(x: Option<f64>, mean: f64) -> Reference {
        Reference { case: "set", x, method: "a", score: "ac", mean, error: 0.1 }
    }

    const AXIS: Axis = Axis { name: "k", independent: true, averaged: true };

    #[test]
    fn an_axis_whose_average_means_nothing_shows_the_last_place_that_every_method_has() {
        let protocol = Protocol {
            axis: Some(Axis { averaged: false, ..AXIS }),
            references: || vec![known(None, 9.0), known(Some(2.0), 4.0)],
            ..Protocol::PLAIN
        };
        let rows =
            [row(1.0, 0, "a", 1.0), row(2.0, 0, "a", 5.0), row(3.0, 0, "a", 7.0), row(2.0, 0, "b", 6.0)];
        let found = summarize(&protocol, &rows);
        let shown: Vec<(Option<f64>, f64)> =
            found.overall.iter().map(|l| (l.x, l.scores[0].1.mean)).collect();
        assert_eq!(shown, [(Some(2.0), 5.0), (Some(2.0), 6.0)]);
        assert_eq!(found.overall[0].scores[0].2.reference, Some((4.0, 0.1)));
        assert_eq!(found.by_x.len(), 4);
    }

    #[test]
    fn averages_and_errors_are_those_of_the_formulas() {
        let protocol = Protocol { axis: Some(AXIS), ..Protocol::PLAIN };
        let rows =
            [row(2.0, 0, "a", 1.0), row(2.0, 1, "a", 3.0), row(3.0, 0, "a", 5.0), row(3.0, 1, "a", 9.0)];
        let found = summarize(&protocol, &rows);
        let (_, overall, _) = &found.overall[0].scores[0];
        let (first, second) = (2.0_f64.sqrt(), 8.0_f64.sqrt());
        assert_eq!(overall.mean, 4.5);
        assert!((overall.deviation.unwrap() - (first + second) / 2.0).abs() < 1e-15);
        assert!((overall.error.unwrap() - (2.0_f64 / 2.0 + 8.0 / 2.0).sqrt() / 2.0).abs() < 1e-15);
        assert_eq!((found.by_x.len(), found.by_x[1].scores[0].1.mean), (2, 7.0));
        // The same draws at both places: averages 3 and 6, whose deviation is √4.5.
        let dependent = Protocol { axis: Some(Axis { independent: false, ..AXIS }), ..Protocol::PLAIN };
        let (_, overall, _) = &summarize(&dependent, &rows).overall[0].scores[0];
        assert!((overall.error.unwrap() - (4.5_f64 / 2.0).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn a_value_far_from_its_reference_is_flagged_and_one_of_other_places_is_not_compared() {
        let whole = Protocol { axis: Some(AXIS), references: || vec![known(None, 4.0)], ..Protocol::PLAIN };
        let rows = [row(2.0, 0, "a", 4.0), row(2.0, 1, "a", 4.2)];
        assert_eq!(summarize(&whole, &rows).overall[0].scores[0].2.outside, Some(false));
        let far = [row(2.0, 0, "a", 5.0), row(2.0, 1, "a", 5.1)];
        assert_eq!(summarize(&whole, &far).overall[0].scores[0].2.outside, Some(true));
        assert_eq!(
            summarize(&whole, &far[..1]).overall[0].scores[0].2.outside,
            None,
            "one draw has no error"
        );
        // References at 2 and 3 and for the whole axis: rows at 2 alone meet that at 2.
        let each = Protocol {
            axis: Some(AXIS),
            cases: |_| vec![Case::at("set", 2.0), Case::at("set", 3.0)],
            references: || vec![known(None, 9.0), known(Some(2.0), 4.0), known(Some(3.0), 14.0)],
            ..Protocol::PLAIN
        };
        assert_eq!(summarize(&each, &rows).overall[0].scores[0].2.reference, Some((4.0, 0.1)));
    }

    #[test]
    fn methods_are_paired_by_draw_and_place() {
        let a = [row(2.0, 0, "a", 3.0), row(2.0, 1, "a", 5.0), row(3.0, 0, "a", 9.0)];
        let b = [row(2.0, 1, "b", 4.0), row(2.0, 0, "b", 1.0)];
        let (first, second): (Vec<&Row>, Vec<&Row>) = (a.iter().collect(), b.iter().collect());
        let (average, differences) = paired_difference(&first, &second, "ac", true).unwrap();
        assert_eq!((average.mean, differences), (1.5, vec![2.0, 1.0]));
        assert!(paired_difference(&first, &second, "nmi", true).is_none());
    }
}
