//! The page of a comparison of methods.

use std::fmt::Write;

use partwise_classify::compare::{CompareLine, CompareSettings, Compared, Contender, Mean};
use partwise_page::html::{escaped, head, pairs, section, table};

use crate::input::{Source, short_name};

const WIDTH: f64 = 460.0;
const LEFT: f64 = 110.0;
const RIGHT: f64 = 50.0;
const ROW: f64 = 26.0;

/// The page.
pub(crate) fn compare_page(
    source: &Source,
    settings: &CompareSettings,
    found: &Compared,
    lines: &[CompareLine],
) -> String {
    let mut page = head(&short_name(&source.name), &headline(found, lines));
    let mut numbers: Vec<usize> = lines.iter().map(|line| line.labels_per_class).collect();
    numbers.dedup();
    for number in numbers {
        let of: Vec<&CompareLine> = lines.iter().filter(|line| line.labels_per_class == number).collect();
        let draws = of.first().map_or(0, |line| line.draws);
        let without = found.judged.iter().find(|judged| judged.labels_per_class == number);
        let without = without.filter(|judged| !judged.without.is_empty()).map_or(String::new(), |judged| {
            let (count, all) = (judged.classes, judged.classes + judged.without.len());
            let names = judged.without.join(", ");
            format!(" Only {count} of {all} classes are judged. All labels of the others are given: {names}.")
        });
        let lead = format!(
            "Means over {draws} {} of the labels, with standard errors. All methods get the same labels, and are \
            judged by the samples whose label was not drawn.{without}",
            if draws == 1 { "draw" } else { "draws" }
        );
        let labels = if number == 1 { "label" } else { "labels" };
        let body = chart(found, &of) + &numbers_of(found, &of);
        page.push_str(&section(&format!("{number} {labels} per class"), &lead, &body));
    }
    let [data, shape] = source.facts();
    let methods: Vec<String> =
        settings.methods.iter().map(|m| format!("{} ({})", m.name(), m.title())).collect();
    let facts = [
        data,
        shape,
        ("SHA-256", source.sha256.clone()),
        ("Methods", methods.join(", ")),
        ("Accuracy", accuracy_in_words(&settings.methods)),
        ("NMI", "mutual information of classes and clusters over the larger of their entropies".into()),
        ("Error", "of the factorization X ≈ WH: the relative error, or with the Kullback–Leibler loss the divergence per unit of data; the classifier has none".into()),
        ("Seed", format!("{} for the first draw, one more for each further one", settings.seed)),
    ];
    let facts = pairs(facts.iter().map(|(name, text)| (*name, text.as_str())));
    page.push_str(&section("Method and data", "", &facts));
    page.push_str("</main></body></html>\n");
    page
}

fn headline(found: &Compared, lines: &[CompareLine]) -> String {
    let best = |number: usize| {
        let of = lines.iter().filter(|line| line.labels_per_class == number);
        of.max_by(|a, b| a.accuracy.mean.total_cmp(&b.accuracy.mean))
    };
    let mut numbers: Vec<usize> = lines.iter().map(|line| line.labels_per_class).collect();
    numbers.dedup();
    let sentences: Vec<String> = numbers
        .into_iter()
        .filter_map(|number| {
            let line = best(number)?;
            let accuracy = line.accuracy.in_words(100.0, 1);
            let labels = if number == 1 { "label" } else { "labels" };
            // Those within the standard error of the best are level with it.
            let least = line.accuracy.mean - line.accuracy.standard_error.unwrap_or(0.0);
            let level = lines.iter().filter(|l| l.labels_per_class == number && l.accuracy.mean >= least);
            let names: Vec<&str> = level.map(|l| found.methods[l.method].as_str()).collect();
            let verb = if names.len() == 1 { "is" } else { "are" };
            let names = names.join(" and ");
            Some(format!("With {number} {labels} per class, {names} {verb} the most accurate: {accuracy} %."))
        })
        .collect();
    sentences.join(" ")
}

fn accuracy_in_words(methods: &[Contender]) -> String {
    let others: Vec<String> = methods.iter().filter(|m| !m.names_classes()).map(Contender::name).collect();
    let mut text = "the part of the samples with the right class name".to_string();
    if !others.is_empty() {
        text.push_str(&format!(
            "; for {} (marked *) under the best one-to-one map of clusters to classes, which knows all labels",
            others.join(", ")
        ));
    }
    text
}

/// A point with its standard error for each method.
fn chart(found: &Compared, lines: &[&CompareLine]) -> String {
    let height = ROW * lines.len() as f64 + 34.0;
    let x = |share: f64| LEFT + share.clamp(0.0, 1.0) * (WIDTH - LEFT - RIGHT);
    let mut svg = format!(
        "<svg style=\"max-width:720px\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"accuracy of each method\">"
    );
    for tick in 0..=5 {
        let at = x(f64::from(tick) / 5.0);
        let _ = write!(
            svg,
            "<line class=\"g\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"6\" y2=\"{:.1}\"/><text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{} %</text>",
            height - 26.0,
            height - 8.0,
            20 * tick
        );
    }
    for (place, line) in lines.iter().enumerate() {
        let (y, mean) = (ROW * (place as f64 + 0.75), line.accuracy.mean);
        let star = if found.named[line.method] { "" } else { " *" };
        let name = escaped(&found.methods[line.method]);
        let error = line.accuracy.standard_error.unwrap_or(0.0);
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{name}{star}</text><line class=\"l\" x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><circle class=\"d\" cx=\"{:.1}\" cy=\"{y:.1}\" r=\"5\"/><text x=\"{:.1}\" y=\"{:.1}\">{:.1}</text>",
            LEFT - 10.0,
            y + 4.0,
            x(mean - error),
            x(mean + error),
            x(mean),
            x(mean + error) + 10.0,
            y + 4.0,
            100.0 * mean
        );
    }
    svg.push_str("</svg>");
    svg
}

fn numbers_of(found: &Compared, lines: &[&CompareLine]) -> String {
    let first = found.methods.first().cloned().unwrap_or_default();
    let header = ["method", "accuracy, %", &format!("less that of {first}"), "NMI, %", "error", "seconds"];
    let row = |line: &&CompareLine| {
        let star = if found.named[line.method] { "" } else { " *" };
        vec![
            format!("{}{star}", found.methods[line.method]),
            line.accuracy.in_words(100.0, 1),
            line.difference.as_ref().map_or(String::new(), Mean::difference_in_words),
            line.nmi.in_words(100.0, 1),
            line.relative_error.as_ref().map_or("–".into(), |mean| mean.in_words(1.0, 3)),
            format!("{:.2}", line.seconds.mean),
        ]
    };
    // A mean and its error stay on one line.
    let together = |cells: Vec<String>| cells.into_iter().map(|cell| cell.replace(' ', "\u{a0}")).collect();
    table(&header.map(String::from), &lines.iter().map(row).map(together).collect::<Vec<Vec<String>>>())
}
