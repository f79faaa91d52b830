//! `report.html`: one self-contained page about a fit. `components` sets its components; all text from
//! outside goes through `escaped`.

mod advice;
mod classify;
mod compare;
mod components;
mod rank;
mod sweep;

pub(crate) use classify::classification_page;
pub(crate) use compare::compare_page;
pub(crate) use rank::rank_page;
pub(crate) use sweep::sweep_page;

use partwise::{Iteration, Real};
use partwise_io::machine;
use partwise_report::charts::{Line, line};
use partwise_report::duration;
use partwise_report::html::{escaped, head, pairs, section, table, tiles};

use crate::job::{Done, error_name, relative_kkt};
use crate::record::{self, Timings};
use crate::scores::Evaluation;

/// With more classes than this, a confusion table is too large to read.
const MOST_CLASSES: usize = 20;

/// A table of several fits.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Comparison {
    /// The table as text.
    pub(crate) fn lines(&self) -> Vec<String> {
        let line = |cells: &[String]| {
            let (first, rest) = cells.split_first().map_or(("", &[][..]), |(f, r)| (f.as_str(), r));
            let rest: String = rest.iter().map(|cell| format!("{cell:>10}")).collect();
            format!("  {first:<14}{rest}")
        };
        std::iter::once(line(&self.header)).chain(self.rows.iter().map(|row| line(row))).collect()
    }
}

/// The page of a fit.
pub(crate) fn page<T: Real>(done: &Done<'_, T>, timings: Timings, comparison: Option<&Comparison>) -> String {
    let (spec, fit, names) = (done.job.model.spec(), &done.fit, done.job.source.row_names.as_deref());
    let method = [
        ("Method", format!("{} – {}", spec.title, spec.summary)),
        ("Minimizes", spec.objective.to_string()),
        ("Loss", fit.loss.name().to_string()),
        ("Reference", spec.reference.to_string()),
        ("Differs", spec.differs.to_string()),
    ];
    let mut page = head(&crate::input::short_name(&done.job.source.name), &method[0].1);
    page.push_str(&tiles(&numbers(done, timings)));
    if let Some(comparison) = comparison {
        let lead = "Accuracy and NMI over the samples whose label the fit did not use.";
        page.push_str(&section("Comparison", lead, &table(&comparison.header, &comparison.rows)));
    }
    if !done.notes.is_empty() {
        let items: String =
            done.notes.iter().map(|(_, note)| format!("<li>{}</li>", escaped(note))).collect();
        page.push_str(&section("Notes", "", &format!("<ul class=\"notes\">{items}</ul>")));
    }
    if let Some(report) = &done.report {
        let lead = "The verdict on each item of the guidance: honoured; overruled (a good fit outweighed \
            it); contradicted (the data alone, or another item, disagree with it); or no support (it has \
            nothing to act on in the data).";
        page.push_str(&section("Guidance", lead, &advice::body(report, names)));
    }
    let (components, sizes) = components::sections(done);
    page.push_str(&components);
    if let Some(evaluation) = &done.evaluation {
        page.push_str(&measures(evaluation));
    }
    page.push_str(&sizes);
    page.push_str(&section("Convergence", "", &convergence(&fit.history, done.job.settings.tolerance)));
    let list = |facts: &[(&str, String)]| pairs(facts.iter().map(|(name, text)| (*name, text.as_str())));
    let details = format!(
        "<div class=\"cols\"><div><h3>Method</h3>{}</div><div><h3>Data</h3>{}</div></div>",
        list(&method),
        list(&read(done))
    );
    page.push_str(&section("Method and data", "", &details));
    let settings = record::settings_lines(done);
    let settings = pairs(settings.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    page.push_str(&section("Settings", "", &format!("<div class=\"settings\">{settings}</div>")));
    page.push_str("</main></body></html>\n");
    page
}

fn read<T: Real>(done: &Done<'_, T>) -> Vec<(&'static str, String)> {
    let (source, scaling) = (done.job.source, done.job.scaling.kind());
    let mut out = source.facts().to_vec();
    out.push(("Scaling", format!("{}: {}", scaling.name(), scaling.summary())));
    out.push(("Memberships", done.memberships.of.summary().to_string()));
    out.extend(done.job.known.facts(done.job.takes_anything()));
    out.push(("SHA-256", source.sha256.clone()));
    out.extend(done.job.chosen.iter().map(|line| ("Chosen", line.clone())));
    out
}

fn numbers<T: Real>(done: &Done<'_, T>, timings: Timings) -> Vec<(&'static str, String)> {
    let fit = &done.fit;
    let mut out = vec![("components", fit.components.rows().to_string())];
    if let Some(evaluation) = &done.evaluation {
        for (name, label) in [("accuracy", "accuracy"), ("nmi", "NMI")] {
            let over = evaluation.scores.last().map_or("", |scores| scores.short);
            out.extend(evaluation.headline(name).map(|value| (label, format!("{value:.3} ({over})"))));
        }
    }
    out.push((error_name(fit.loss), format!("{:.4}", fit.relative_error)));
    out.push(("iterations", format!("{} ({})", fit.iterations, fit.stop.name())));
    out.extend(relative_kkt(fit).map(|kkt| ("relative KKT", format!("{kkt:.1e}"))));
    out.push(("time of the fit", duration(timings.fit)));
    out.extend(machine::peak_memory().map(|b| ("peak memory", format!("{:.0} MB", b as f64 / 1e6))));
    out
}

fn convergence(history: &[Iteration], tolerance: f64) -> String {
    let first = history.iter().find_map(|i| i.kkt).filter(|kkt| *kkt > 0.0);
    let relative = |i: &Iteration| Some((i.number as f64, i.kkt? / first?));
    let objective = Line {
        title: "Objective",
        points: history.iter().map(|i| (i.number as f64, i.objective)).collect(),
        ..Line::default()
    };
    let kkt = Line {
        title: "Projected gradient, relative to iteration 1",
        points: history.iter().filter_map(relative).collect(),
        level: (tolerance > 0.0).then_some((tolerance, "tolerance")),
        logarithmic: true,
        ..Line::default()
    };
    format!("<div class=\"cols\"><div>{}</div><div>{}</div></div>", line(&objective), line(&kkt))
}

fn measures(evaluation: &Evaluation) -> String {
    let names = evaluation.scores.first().map(|s| s.values.iter().map(|(name, _)| name.to_string()));
    let header: Vec<String> =
        ["over", "samples"].map(str::to_string).into_iter().chain(names.into_iter().flatten()).collect();
    let rows: Vec<Vec<String>> = evaluation
        .scores
        .iter()
        .map(|scores| {
            let values = scores.values.iter().map(|(_, value)| format!("{value:.3}"));
            [scores.over.to_string(), scores.samples.to_string()].into_iter().chain(values).collect()
        })
        .collect();
    let mut body = table(&header, &rows);
    if evaluation.class_names.len() <= MOST_CLASSES && evaluation.cluster_names.len() <= MOST_CLASSES + 1 {
        body.push_str(&confusion(evaluation));
    }
    let lead = "A sample's cluster is the component with its largest membership. 1 is perfect agreement.";
    section("Agreement with the labels", lead, &body)
}

fn confusion(evaluation: &Evaluation) -> String {
    let head: String =
        evaluation.cluster_names.iter().map(|name| format!("<th>{}</th>", escaped(name))).collect();
    let row = |(class, counts): (&String, &Vec<usize>)| {
        let sum = counts.iter().sum::<usize>().max(1) as f64;
        let cell = |count: &usize| {
            let share = 100.0 * *count as f64 / sum;
            let text = if *count == 0 { "·".to_string() } else { count.to_string() };
            let class = if share > 55.0 { " class=\"hi\"" } else { "" };
            format!("<td style=\"--s:{share:.0}%\"{class}>{text}</td>")
        };
        format!("<tr><th>{}</th>{}</tr>", escaped(class), counts.iter().map(cell).collect::<String>())
    };
    let rows: String = evaluation.class_names.iter().zip(&evaluation.confusion).map(row).collect();
    format!(
        "<h3>Classes (rows) in clusters (columns), all labelled samples</h3><div class=\"scroll\"><table class=\"confusion\"><thead><tr><th></th>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
}
