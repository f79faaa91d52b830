//! `report.html`: one self-contained page about a fit. [`page`] gathers the facts; `html` sets them.

mod advice;
mod html;
mod sweep;

pub(crate) use sweep::sweep_page;

use partwise::{DataMatrix, Real};
use partwise_io::machine;
use partwise_report::{duration, picture};

use crate::job::{Done, relative_kkt};
use crate::record::{self, Timings};
use crate::scores::Evaluation;

/// Components that are shown at most.
const MOST_COMPONENTS: usize = 200;
/// Features that are listed for a component.
const TOP_FEATURES: usize = 10;
/// Samples that are listed for a component.
const TOP_SAMPLES: usize = 8;

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

/// All facts of the page.
struct Facts<'a> {
    title: String,
    read: Vec<(&'static str, String)>,
    notes: Vec<&'a str>,
    method: [(&'static str, String); 5],
    numbers: Vec<(&'static str, String)>,
    /// (iteration, objective, relative KKT).
    history: Vec<(usize, f64, Option<f64>)>,
    tolerance: f64,
    components: Vec<Component>,
    left_out: usize,
    evaluation: Option<&'a Evaluation>,
    comparison: Option<&'a Comparison>,
    settings: Vec<(String, String)>,
    /// The report on the guidance, as a section's body.
    advice: Option<String>,
}

/// One component.
struct Component {
    name: String,
    size: usize,
    guided: usize,
    picture: Look,
    /// (name, share of the component).
    features: Vec<(String, f64)>,
    /// (name, share, picture).
    samples: Vec<(String, f64, Option<String>)>,
}

/// What a component looks like.
enum Look {
    /// An image (data address).
    Image(String),
    /// A strip, one column per feature (data address).
    Strip(String),
    /// Nothing but its features.
    Words,
}

/// The page of a fit.
pub(crate) fn page<T: Real>(done: &Done<'_, T>, timings: Timings, comparison: Option<&Comparison>) -> String {
    let spec = done.job.model.spec();
    let fit = &done.fit;
    let first = fit.history.iter().find_map(|i| i.kkt).filter(|kkt| *kkt > 0.0);
    let shown = fit.components.rows().min(MOST_COMPONENTS);
    let sizes = done.memberships.sizes();
    html::set(&Facts {
        title: crate::input::short_name(&done.job.source.name),
        read: read(done),
        notes: done.notes.iter().map(|note| note.message.as_str()).collect(),
        method: [
            ("Method", format!("{} – {}", spec.title, spec.summary)),
            ("Minimizes", spec.objective.to_string()),
            ("Loss", fit.loss.name().to_string()),
            ("Reference", spec.reference.to_string()),
            ("Differs", spec.differs.to_string()),
        ],
        numbers: numbers(done, timings),
        history: fit
            .history
            .iter()
            .map(|i| (i.number, i.objective, i.kkt.zip(first).map(|(kkt, first)| kkt / first)))
            .collect(),
        tolerance: done.job.settings.tolerance,
        components: (0..shown).map(|j| component(done, j, sizes[j])).collect(),
        left_out: fit.components.rows() - shown,
        evaluation: done.evaluation.as_ref(),
        comparison,
        settings: record::settings_lines(done),
        advice: done.report.as_ref().map(|r| advice::body(r, done.job.source.row_names.as_deref())),
    })
}

fn read<T: Real>(done: &Done<'_, T>) -> Vec<(&'static str, String)> {
    let source = done.job.source;
    let kind = if source.sparse {
        let cells = source.rows as f64 * source.columns as f64;
        format!("sparse, {} stored values ({:.2} %)", source.stored, 100.0 * source.stored as f64 / cells)
    } else {
        "dense".to_string()
    };
    let scaling = done.job.scaling.kind();
    let mut out = vec![
        ("Data", format!("{} ({})", source.name, source.format)),
        ("Shape", format!("{} samples × {} features, {kind}", source.rows, source.columns)),
        ("Scaling", format!("{}: {}", scaling.name(), scaling.summary())),
        ("Memberships", done.memberships.of.summary().to_string()),
    ];
    let known = done.job.known;
    if let Some(classes) = &known.classes {
        let labelled = classes.truth.iter().filter(|l| **l >= 0).count();
        let (count, used) = (classes.class_names.len(), classes.labels.n_labelled());
        out.push((
            "Labels",
            format!("{count} classes; {labelled} samples have a label, the fit used {used} of them"),
        ));
    }
    if let Some(reference) = &known.reference {
        let (rows, file) = (reference.values.rows(), reference.path.display());
        out.push(("Reference", format!("{rows} components from {file}")));
    }
    if done.job.takes_anything() {
        out.push(("Guidance", known.summary()));
    }
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
    out.push((crate::job::error_name(fit.loss), format!("{:.4}", fit.relative_error)));
    out.push(("iterations", format!("{} ({})", fit.iterations, fit.stop.name())));
    out.extend(relative_kkt(fit).map(|kkt| ("relative KKT", format!("{kkt:.1e}"))));
    out.push(("time of the fit", duration(timings.fit)));
    out.extend(machine::peak_memory().map(|b| ("peak memory", format!("{:.0} MB", b as f64 / 1e6))));
    out
}

fn component<T: Real>(done: &Done<'_, T>, j: usize, size: usize) -> Component {
    let source = done.job.source;
    let values: Vec<f64> = done.fit.components.row(j).iter().map(|v| v.to_f64()).collect();
    let picture = match source.image_shape {
        Some(shape) => Look::Image(picture::image(&values, shape)),
        None if source.feature_names.is_some() => Look::Words,
        None => Look::Strip(picture::strip(&values)),
    };
    let guides = |i: usize| done.job.known.classes.as_ref().is_some_and(|known| known.used[i] >= 0);
    let cluster = &done.memberships.cluster;
    let samples = done.memberships.top(j, TOP_SAMPLES).into_iter().map(|(i, share)| {
        let image = source.image_shape.map(|shape| picture::image(&row(done.job.data, i), shape));
        (name_of(&source.row_names, i, "sample"), share, image)
    });
    let features = if source.image_shape.is_some() { Vec::new() } else { top_features(&values) };
    Component {
        name: done.fit.component_names[j].clone(),
        size,
        guided: (0..cluster.len()).filter(|i| cluster[*i] == Some(j) && guides(*i)).count(),
        picture,
        features: features
            .into_iter()
            .map(|(f, share)| (name_of(&source.feature_names, f, "feature"), share))
            .collect(),
        samples: samples.collect(),
    }
}

/// A row of the data.
fn row<T: Real>(data: &dyn DataMatrix<T>, sample: usize) -> Vec<f64> {
    let mut row = vec![0.0; data.n_features()];
    data.add_row(sample, 1.0, &mut row);
    row
}

fn name_of(names: &Option<Vec<String>>, index: usize, what: &str) -> String {
    names.as_ref().map_or_else(|| format!("{what} {index}"), |names| names[index].clone())
}

/// The features of the largest shares of a component, largest first.
fn top_features(values: &[f64]) -> Vec<(usize, f64)> {
    let sum: f64 = values.iter().sum();
    let mut order: Vec<usize> = (0..values.len()).filter(|f| values[*f] > 0.0).collect();
    order.sort_by(|a, b| values[*b].total_cmp(&values[*a]).then(a.cmp(b)));
    order.truncate(TOP_FEATURES);
    order.into_iter().map(|f| (f, values[f] / sum)).collect()
}
