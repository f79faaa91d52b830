//! Results as CSV: matrices with names, and memberships. Every text from outside goes through [`Cells`],
//! which guards it against being taken for a formula (`cells`).

use crate::formulas::guarded;
use csv::Writer;
use partwise::recipes::GuidanceReport;
use partwise::{Matrix, Real};
use std::io::Write;

/// The shortest text that reads back as the same number; with an exponent where zeros would make it long.
pub fn number_text<T: Real>(value: T) -> String {
    let size = value.to_f64().abs();
    let long = size != 0.0 && !(1e-5..1e16).contains(&size) && size.is_finite();
    match (T::NAME, long) {
        // `f32` is not printed through `f64`, which would show digits that it doesn't have.
        ("f32", true) => format!("{:e}", value.to_f64() as f32),
        (_, true) => format!("{:e}", value.to_f64()),
        (_, false) => value.to_string(),
    }
}

fn passed_on(error: csv::Error) -> std::io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => std::io::Error::other(format!("{other:?}")),
    }
}

/// A table in the making, whose cells are all guarded.
struct Cells<W: Write>(Writer<W>);

impl<W: Write> Cells<W> {
    fn new(writer: W) -> Self {
        Cells(Writer::from_writer(writer))
    }

    fn row(&mut self, cells: impl IntoIterator<Item = impl AsRef<str>>) -> std::io::Result<()> {
        for cell in cells {
            self.0.write_field(guarded(cell.as_ref()).as_bytes()).map_err(passed_on)?;
        }
        self.0.write_record(None::<&[u8]>).map_err(passed_on)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

fn wrong_length(what: &str, found: usize, expected: usize) -> std::io::Error {
    std::io::Error::new(
        std::io::ErrorKind::InvalidInput,
        format!("{found} {what}, but the matrix has {expected}"),
    )
}

/// Writes rows of texts.
pub(crate) fn write_rows_csv(
    writer: &mut dyn Write,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> std::io::Result<()> {
    let mut writer = Cells::new(writer);
    rows.into_iter().try_for_each(|row| writer.row(row))?;
    writer.flush()
}

/// Writes a matrix with a header: `corner`, then the column names (`0`, `1`, ... without any); each row
/// begins with its name (or number).
///
/// # Errors
/// What `writer` reports; names whose count doesn't fit the matrix.
pub fn write_matrix_csv<T: Real>(
    writer: &mut dyn Write,
    corner: &str,
    matrix: &Matrix<T>,
    row_names: Option<&[String]>,
    column_names: Option<&[String]>,
) -> std::io::Result<()> {
    let (rows, columns) = matrix.shape();
    check_names("row names", row_names, rows)?;
    check_names("column names", column_names, columns)?;
    let mut writer = Cells::new(writer);
    let name =
        |names: Option<&[String]>, i: usize| names.map_or_else(|| i.to_string(), |names| names[i].clone());
    let header = std::iter::once(corner.to_string()).chain((0..columns).map(|j| name(column_names, j)));
    writer.row(header)?;
    for i in 0..rows {
        let values = matrix.row(i).iter().map(|value| number_text(*value));
        writer.row(std::iter::once(name(row_names, i)).chain(values))?;
    }
    writer.flush()
}

/// Writes the report on the guidance: first a row for each topic (kind "topic", with its level), then one for
/// each finding. Columns: kind, the two samples that it is about (number and name; blank where it is about
/// none), topic, level, verdict, whether the data agree, a sentence, and the numbers by name (blank where a
/// row has none of that name).
///
/// # Errors
/// What `writer` reports.
pub fn write_guidance_report_csv(
    writer: &mut dyn Write,
    report: &GuidanceReport,
    sample_names: Option<&[String]>,
) -> std::io::Result<()> {
    let mut columns = vec!["share", "free share", "margin", "distance", "cosine", "overlap"];
    let numbers = report.topics.iter().map(|topic| &topic.numbers);
    for (name, _) in numbers.chain(report.findings.iter().map(|finding| &finding.numbers)).flatten() {
        if !columns.contains(name) {
            columns.push(name);
        }
    }
    if !report.likeness.is_empty() {
        columns.extend(["mean cosine", "shared cosine"]);
        if !columns.contains(&"samples") {
            columns.push("samples");
        }
    }
    let values = |numbers: &[(&str, f64)]| -> Vec<String> {
        let value = |wanted: &&str| {
            let found = numbers.iter().find(|(name, _)| name == wanted);
            found.map_or(String::new(), |(_, value)| number_text(*value))
        };
        columns.iter().map(value).collect()
    };
    let mut writer = Cells::new(writer);
    let fixed = ["kind", "sample", "sample_name", "other_sample", "other_sample_name", "topic", "level"];
    let fixed = fixed.into_iter().chain(["verdict", "data", "message"]).map(String::from);
    writer.row(fixed.chain(columns.iter().map(|name| name.replace(' ', "_"))))?;
    for topic in &report.topics {
        let [level, verdict] = [topic.level.name(), topic.verdict.name()];
        let known = ["topic", "", "", "", "", &topic.topic, level, verdict];
        let known = known.into_iter().chain([topic.plausibility.name(), &topic.message]).map(String::from);
        writer.row(known.chain(values(&topic.numbers)))?;
    }
    for line in &report.likeness {
        let known = ["component", "", "", "", "", &line.topic, "", "", ""].map(String::from);
        let cosines = [("mean cosine", line.mean_cosine), ("shared cosine", line.shared_cosine)];
        let numbers = [&cosines[..], &[("samples", line.samples as f64)]].concat();
        writer.row(known.into_iter().chain([line.sentence()]).chain(values(&numbers)))?;
    }
    for finding in &report.findings {
        let sample = |at: usize| finding.samples.get(at).map_or(String::new(), usize::to_string);
        let name = |at: usize| {
            let named = finding.samples.get(at).and_then(|sample| sample_names?.get(*sample));
            named.cloned().unwrap_or_default()
        };
        let about = [finding.kind.into(), sample(0), name(0), sample(1), name(1)];
        let topic = finding.topic.clone().unwrap_or_default();
        let (verdict, data) = (finding.verdict.name().into(), finding.plausibility.name().into());
        let known = about.into_iter().chain([topic, String::new(), verdict, data, finding.message.clone()]);
        writer.row(known.chain(values(&finding.numbers)))?;
    }
    writer.flush()
}

/// Writes the beginnings of texts: `name` (the number, if there are no names) and `snippet`.
///
/// # Errors
/// What `writer` reports; names whose count doesn't fit.
pub fn write_documents_csv(
    writer: &mut dyn Write,
    names: Option<&[String]>,
    snippets: &[String],
) -> std::io::Result<()> {
    check_names("names", names, snippets.len())?;
    let mut writer = Cells::new(writer);
    writer.row(["name", "snippet"])?;
    for (i, snippet) in snippets.iter().enumerate() {
        let name = names.map_or_else(|| i.to_string(), |names| names[i].clone());
        writer.row([&name, snippet])?;
    }
    writer.flush()
}

fn check_names(what: &str, names: Option<&[String]>, expected: usize) -> std::io::Result<()> {
    match names {
        Some(names) if names.len() != expected => Err(wrong_length(what, names.len(), expected)),
        _ => Ok(()),
    }
}

/// Which cluster each sample belongs to, and its shares of all.
#[derive(Clone, Copy, Debug)]
pub struct Memberships<'a, T> {
    /// A name for each sample, if there are names.
    pub sample_names: Option<&'a [String]>,
    /// The name of each sample's cluster; blank where there is none (a sample without any share).
    pub clusters: &'a [String],
    /// n × k: the share of each component.
    pub shares: &'a Matrix<T>,
    /// The names of the k components.
    pub component_names: &'a [String],
}

/// Writes memberships: `index`, `name` (if there are names), `cluster`, and a column of shares for each
/// component.
///
/// # Errors
/// What `writer` reports; names whose count doesn't fit the shares.
pub fn write_memberships_csv<T: Real>(
    writer: &mut dyn Write,
    memberships: &Memberships<'_, T>,
) -> std::io::Result<()> {
    let Memberships { sample_names, clusters, shares, component_names } = *memberships;
    let (samples, components) = shares.shape();
    check_names("sample names", sample_names, samples)?;
    check_names("clusters", Some(clusters), samples)?;
    check_names("component names", Some(component_names), components)?;
    let mut writer = Cells::new(writer);
    let mut row = vec!["index".to_string()];
    row.extend(sample_names.map(|_| "name".to_string()));
    row.push("cluster".into());
    row.extend(component_names.iter().cloned());
    writer.row(&row)?;
    for i in 0..samples {
        row.clear();
        row.push(i.to_string());
        row.extend(sample_names.map(|names| names[i].clone()));
        row.push(clusters[i].clone());
        row.extend(shares.row(i).iter().map(|share| number_text(*share)));
        writer.row(&row)?;
    }
    writer.flush()
}
