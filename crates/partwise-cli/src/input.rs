//! Data from a file, checked and scaled: [`Table`] with names and facts for the report.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use partwise::methods::{self, Input, MethodSpec};
use partwise::{DataMatrix, DenseMatrix, Matrix, Real, ScaledRow, Scaling, ScalingKind, SparseMatrix};
use partwise_io::{DataNames, DenseValues, FORMATS, Values, Vocabulary, read_documents};

use crate::request::{DataSource, Precision};
use crate::words::counted;

/// The numbers: dense, or compressed rows.
#[derive(Clone, Debug)]
pub(crate) struct Table<T> {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    sparse: Option<(Vec<usize>, Vec<u32>)>,
    values: Vec<T>,
}

/// What was read, beside the numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    /// The file as it was named.
    pub(crate) name: String,
    /// Of the file's bytes.
    pub(crate) sha256: String,
    pub(crate) format: String,
    /// The array, or the layer, that was asked for.
    pub(crate) key: Option<String>,
    pub(crate) layer: Option<String>,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) stored: usize,
    pub(crate) sparse: bool,
    pub(crate) notes: Vec<String>,
    pub(crate) row_names: Option<Vec<String>>,
    pub(crate) feature_names: Option<Vec<String>>,
    pub(crate) image_shape: Option<(usize, usize)>,
    /// A line of text about each sample, for the report.
    pub(crate) snippets: Option<Vec<String>>,
    /// From a label column of the table.
    pub(crate) labels: Option<Vec<Option<String>>>,
    /// Where the data are texts: their words, and the beginning of each.
    pub(crate) texts: Option<Texts>,
}

/// What is known of data that are texts.
#[derive(Clone, Debug)]
pub(crate) struct Texts {
    pub(crate) vocabulary: Vocabulary,
    pub(crate) snippets: Vec<String>,
}

impl Source {
    /// A line of text about each sample, where there is one.
    pub(crate) fn snippets(&self) -> Option<&[String]> {
        let of_texts = || self.texts.as_ref().map(|texts| &texts.snippets[..]);
        self.snippets.as_deref().or_else(of_texts)
    }

    /// The names by which files may refer to samples and features.
    pub(crate) fn names(&self) -> DataNames<'_> {
        DataNames::new(self.rows, self.row_names.as_deref(), self.columns, self.feature_names.as_deref())
    }

    /// What was read, for reports: the file, and the shape.
    pub(crate) fn facts(&self) -> [(&'static str, String); 2] {
        let stored = self.stored as f64 / (self.rows as f64 * self.columns as f64);
        let kind = match self.sparse {
            true => format!("sparse, {} stored values ({:.2} %)", self.stored, 100.0 * stored),
            false => "dense".to_string(),
        };
        let shape = format!(
            "{} × {}, {kind}",
            counted(self.rows, "sample", "samples"),
            counted(self.columns, "feature", "features")
        );
        let layer = self.layer.as_ref().map_or(String::new(), |layer| format!(", {layer}"));
        [("Data", format!("{} ({}{layer})", self.name, self.format)), ("Shape", shape)]
    }
}

/// A file as read, in the precision it has.
pub(crate) struct Read {
    pub(crate) values: Values,
    pub(crate) source: Source,
}

impl Read {
    /// Whether to compute in f32.
    pub(crate) fn is_single(&self, asked: Precision) -> bool {
        asked == Precision::F32 || asked == Precision::Auto && self.values.precision() == "f32"
    }
}

/// Reads the data.
pub(crate) fn read(from: &DataSource) -> Result<Read> {
    read_with(from, None)
}

/// Reads the data; of texts it counts the words of a model, where there is one.
pub(crate) fn read_with(from: &DataSource, known: Option<&Vocabulary>) -> Result<Read> {
    if from.text.is_some() {
        return read_texts(from, known);
    }
    let table = partwise_io::read_table(&from.path, &from.options)?;
    let (rows, columns) = table.values.shape();
    let image_shape = match from.image_shape {
        Some((h, w)) if h.checked_mul(w) != Some(columns) => {
            bail!(
                "--image-shape {h}x{w} is {} pixels, but the data have {columns} features",
                h.saturating_mul(w)
            )
        }
        Some(shape) => Some(shape),
        None => table.image_shape,
    };
    let format = FORMATS.iter().find(|f| f.kind == table.kind).map_or("unknown", |f| f.name);
    let source = Source {
        name: from.path.display().to_string(),
        sha256: table.sha256,
        format: format.into(),
        key: from.options.key.clone(),
        layer: from.options.layer.clone(),
        rows,
        columns,
        stored: table.values.n_stored(),
        sparse: matches!(table.values, Values::Sparse { .. }),
        notes: table.notes,
        row_names: table.row_names,
        feature_names: table.column_names,
        image_shape,
        snippets: None,
        labels: table.labels,
        texts: None,
    };
    Ok(Read { values: table.values, source })
}

/// Reads texts and counts their words.
fn read_texts(from: &DataSource, known: Option<&Vocabulary>) -> Result<Read> {
    let Some((options, settings)) = &from.text else { bail!("the data are no texts") };
    let documents = read_documents(&from.path, options)?;
    let name = from.path.display().to_string();
    let (vocabulary, values) = match known {
        Some(vocabulary) => (vocabulary.clone(), vocabulary.count(&documents.texts)),
        None => {
            Vocabulary::learn(&documents.texts, settings).map_err(|message| anyhow!("{name}: {message}"))?
        }
    };
    let snippets = documents.snippets();
    let mut notes = documents.notes;
    if known.is_none() {
        notes.push(settings.summary(&vocabulary));
    }
    let (rows, columns) = values.shape();
    let source = Source {
        name,
        sha256: documents.sha256,
        format: "text".into(),
        key: None,
        layer: None,
        rows,
        columns,
        stored: values.n_stored(),
        sparse: true,
        notes,
        row_names: documents.names,
        feature_names: Some(vocabulary.words().to_vec()),
        image_shape: None,
        snippets: None,
        labels: documents.labels,
        texts: Some(Texts { vocabulary, snippets }),
    };
    Ok(Read { values, source })
}

impl<T: Real> Table<T> {
    /// From a file's numbers; entries that no factorization can take are refused, with their place. With
    /// `missing`, NaN is an entry that is not known, and becomes 0: the second is then 1 for known entries
    /// and 0 for the others (n × d).
    pub(crate) fn from_values(
        values: Values,
        source: &mut Source,
        missing: bool,
    ) -> Result<(Self, Option<Matrix<f64>>)> {
        check_range::<T>(&values, source)?;
        let mut table: Self = match values {
            Values::Dense { rows, columns, values } => Table::dense(rows, columns, values.into_real()),
            Values::Sparse { .. } if missing => bail!(
                "{}: --missing needs dense data; an entry that a sparse file does not store is 0, unless you \
                give --zeros-missing",
                source.name
            ),
            Values::Sparse { rows, columns, indptr, indices, values } => {
                Table { rows, columns, sparse: Some((indptr, indices)), values: values.into_real() }
            }
        };
        let known = missing.then(|| {
            let known = |i: usize, j: usize| !table.values[i * table.columns + j].to_f64().is_nan();
            Matrix::from_fn(table.rows, table.columns, |i, j| f64::from(known(i, j)))
        });
        if missing {
            table.values.iter_mut().filter(|v| v.to_f64().is_nan()).for_each(|v| *v = T::ZERO);
        }
        table.check(source)?;
        Ok((table, known))
    }

    /// Takes the numbers of a scaling from the data of a fit, and scales them.
    pub(crate) fn learn_scaling(&mut self, kind: ScalingKind) -> Scaling {
        let scaling = Scaling::learn(kind, self.columns, (0..self.rows).map(|row| self.row(row)));
        self.scale(&scaling);
        scaling
    }

    /// Scales the rows in place.
    pub(crate) fn scale(&mut self, scaling: &Scaling) {
        self.for_each_row(|columns, values| scaling.scale_row(columns, values));
    }

    /// Divides entry (i, j) of similarities by the roots of the sums of rows i and j. Rows of zeros stay.
    pub(crate) fn normalize_degrees(&mut self) {
        let mut sums = vec![0.0; self.rows.max(self.columns)];
        self.for_each(|row, _, value| sums[row] += value.to_f64());
        let scales: Vec<f64> = sums.iter().map(|s| if *s > 0.0 { 1.0 / s.sqrt() } else { 0.0 }).collect();
        let mut row = 0;
        self.for_each_row(|columns, values| {
            for (at, value) in values.iter_mut().enumerate() {
                let column = columns.map_or(at, |columns| columns[at] as usize);
                *value = T::from_f64(value.to_f64() * scales[row] * scales[column]);
            }
            row += 1;
        });
    }

    /// All n·d values, row by row.
    pub(crate) fn dense(rows: usize, columns: usize, values: Vec<T>) -> Self {
        Table { rows, columns, sparse: None, values }
    }

    /// The columns (`None`: all of them) and the stored values of a row.
    fn row(&self, row: usize) -> ScaledRow<'_, T> {
        match &self.sparse {
            None => (None, &self.values[row * self.columns..(row + 1) * self.columns]),
            Some((indptr, indices)) => {
                let span = indptr[row]..indptr[row + 1];
                (Some(&indices[span.clone()]), &self.values[span])
            }
        }
    }

    /// Calls `each` with row, column and value of every stored entry, row by row.
    fn for_each(&self, mut each: impl FnMut(usize, usize, T)) {
        for row in 0..self.rows {
            let (columns, values) = self.row(row);
            for (at, value) in values.iter().enumerate() {
                each(row, columns.map_or(at, |columns| columns[at] as usize), *value);
            }
        }
    }

    /// Calls `each` with the columns (`None`: all of them) and the values of every row, to change the values.
    fn for_each_row(&mut self, mut each: impl FnMut(Option<&[u32]>, &mut [T])) {
        for row in 0..self.rows {
            match &self.sparse {
                None => each(None, &mut self.values[row * self.columns..(row + 1) * self.columns]),
                Some((indptr, indices)) => {
                    let span = indptr[row]..indptr[row + 1];
                    each(Some(&indices[span.clone()]), &mut self.values[span]);
                }
            }
        }
    }

    /// Refuses negative, NaN and infinite entries: how many, and where the first is, by name if there are
    /// names.
    fn check(&self, source: &Source) -> Result<()> {
        let (mut negative, mut nan, mut infinite) = (0_usize, 0_usize, 0_usize);
        let mut first = None;
        self.for_each(|row, column, value| {
            let value = value.to_f64();
            let bad = value < 0.0 || !value.is_finite();
            negative += usize::from(value < 0.0 && value.is_finite());
            nan += usize::from(value.is_nan());
            infinite += usize::from(value.is_infinite());
            if bad && first.is_none() {
                first = Some((row, column, value));
            }
        });
        let Some((row, column, value)) = first else { return Ok(()) };
        let count = |n: usize, what: &str| (n > 0).then(|| format!("{n} {what}"));
        let kinds: Vec<String> =
            [count(negative, "negative"), count(nan, "NaN"), count(infinite, "infinite")]
                .into_iter()
                .flatten()
                .collect();
        let entries = if negative + nan + infinite == 1 { "entry" } else { "entries" };
        // Programs for cells keep the values before scaling in raw, or in a layer.
        let scaled = negative > 0 && source.format == "h5ad" && source.layer.is_none();
        let hint =
            if scaled { "; if X is scaled, --layer reads the values before (raw, or a layer)" } else { "" };
        bail!(
            "{}: {} {entries}, the first in row {row}{}, column {column}{} (counted from 0): {value}; all entries must be finite and 0 or more{}{hint}",
            source.name,
            kinds.join(", "),
            quoted(&source.row_names, row),
            quoted(&source.feature_names, column),
            if nan > 0 { way_for_missing() } else { String::new() },
        )
    }

    /// The data of the library.
    pub(crate) fn into_data(self, name: &str) -> Result<Box<dyn DataMatrix<T>>> {
        let Table { rows, columns, sparse, values } = self;
        match sparse {
            None => DenseMatrix::new(rows, columns, values).map(DenseMatrix::boxed),
            Some((indptr, indices)) => {
                SparseMatrix::new(rows, columns, indptr, indices, values).map(SparseMatrix::boxed)
            }
        }
        .with_context(|| name.to_string())
    }
}

/// What to write where NaN marks missing entries.
fn way_for_missing() -> String {
    let takes = |spec: &&&MethodSpec| spec.takes(Input::KnownEntries) || spec.takes(Input::Guidance);
    let names: Vec<&str> = methods::ALL.iter().filter(takes).map(|spec| spec.name).collect();
    format!(
        "; if NaN marks missing entries: `partwise fit --missing` leaves them out (--method {})",
        names.join(" or ")
    )
}

fn quoted(names: &Option<Vec<String>>, index: usize) -> String {
    names.as_ref().and_then(|names| names.get(index)).map_or(String::new(), |name| format!(" (\"{name}\")"))
}

/// Refuses data that the number type can't hold; notes entries that become 0 in it.
fn check_range<T: Real>(values: &Values, source: &mut Source) -> Result<()> {
    let (Values::Dense { values, .. } | Values::Sparse { values, .. }) = values;
    let DenseValues::F64(values) = values else { return Ok(()) };
    let (mut largest, mut first_too_large, mut vanishing) = (0.0f64, None, 0_usize);
    for &value in values {
        let kept = T::from_f64(value);
        if value.is_finite() && !kept.is_finite() {
            first_too_large.get_or_insert(value);
        }
        vanishing += usize::from(value != 0.0 && kept == T::ZERO);
        largest = largest.max(value);
    }
    let (name, real) = (&source.name, T::NAME);
    if let Some(value) = first_too_large {
        bail!("{name}: {value:e} is out of the range of {real}; give --dtype f64, or divide the data");
    }
    if vanishing > 0 && T::from_f64(largest) == T::ZERO {
        bail!(
            "{name}: the largest entry, {largest:e}, is 0 in {real}; give --dtype f64, or multiply the data"
        );
    }
    if vanishing > 0 {
        source.notes.push(format!(
            "{vanishing} entries are too small for {real} and become 0; --dtype f64 keeps them"
        ));
    }
    Ok(())
}

/// The last two parts of a path, for titles: many data sets have files of the same name.
pub(crate) fn short_name(path: &str) -> String {
    let parts: Vec<_> = Path::new(path).components().rev().take(2).collect();
    let normal = parts.iter().rev().filter_map(|part| match part {
        std::path::Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    });
    normal.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_and_sparse_tables_are_scaled_alike() {
        for &kind in ScalingKind::ALL {
            let mut dense = Table::<f64>::dense(2, 3, vec![3.0, 0.0, 1.0, 2.0, 0.0, 0.0]);
            let mut sparse = Table {
                rows: 2,
                columns: 3,
                sparse: Some((vec![0, 2, 3], vec![0, 2, 0])),
                values: vec![3.0, 1.0, 2.0],
            };
            assert_eq!(dense.learn_scaling(kind), sparse.learn_scaling(kind));
            assert_eq!([dense.values[0], dense.values[2], dense.values[3]], sparse.values[..]);
        }
    }
}
