//! Data from a file, checked: [`Table`] with names and facts for the report.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use partwise::graphs::Graph;
use partwise::{DataMatrix, DenseMatrix, Matrix, Real, ScaledRow, SparseMatrix};
use partwise_io::{DataNames, FORMATS, ReadOptions, Values};

use crate::args::ReadArgs;

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
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) stored: usize,
    pub(crate) sparse: bool,
    pub(crate) notes: Vec<String>,
    pub(crate) row_names: Option<Vec<String>>,
    pub(crate) feature_names: Option<Vec<String>>,
    pub(crate) image_shape: Option<(usize, usize)>,
    /// From a label column of the table.
    pub(crate) labels: Option<Vec<Option<String>>>,
}

impl Source {
    /// The names by which files may refer to samples and features.
    pub(crate) fn names(&self) -> DataNames<'_> {
        DataNames::new(self.rows, self.row_names.as_deref(), self.columns, self.feature_names.as_deref())
    }
}

/// A file as read, in the precision it has.
pub(crate) struct Read {
    pub(crate) values: Values,
    pub(crate) source: Source,
}

/// Refuses standard input for more than one of the files that are read (what each is for, and its path).
pub(crate) fn check_standard_input(files: &[(&str, Option<&PathBuf>)]) -> Result<()> {
    let piped: Vec<&str> = files
        .iter()
        .filter(|(_, path)| path.is_some_and(|path| path.as_os_str() == partwise_io::STANDARD_INPUT))
        .map(|(what, _)| *what)
        .collect();
    match piped[..] {
        [] | [_] => Ok(()),
        _ => bail!(
            "only one file can be read from standard input (-), but {} were; save the others to files (a \
            file named - is ./-)",
            piped.join(" and ")
        ),
    }
}

/// Reads the data. `label_column` is one of a text table.
pub(crate) fn read(args: &ReadArgs, label_column: Option<&str>) -> Result<Read> {
    let options = ReadOptions {
        format: args.format.clone(),
        key: args.key.clone(),
        label_column: label_column.map(str::to_string),
        header: either(args.header, args.no_header),
        row_names: either(args.row_names, args.no_row_names),
        ..ReadOptions::default()
    };
    let table = partwise_io::read_table(&args.data, &options)?;
    let (rows, columns) = table.values.shape();
    let image_shape = match args.image_shape {
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
        name: args.data.display().to_string(),
        sha256: table.sha256,
        format: format.into(),
        rows,
        columns,
        stored: table.values.n_stored(),
        sparse: matches!(table.values, Values::Sparse { .. }),
        notes: table.notes,
        row_names: table.row_names,
        feature_names: table.column_names,
        image_shape,
        labels: table.labels,
    };
    Ok(Read { values: table.values, source })
}

/// The value of a flag and its opposite.
fn either(yes: bool, no: bool) -> Option<bool> {
    (yes || no).then_some(yes)
}

impl<T: Real> Table<T> {
    /// From a file's numbers; entries that no factorization can take are refused, with their place.
    pub(crate) fn from_values(values: Values, source: &Source) -> Result<Self> {
        let table = match values {
            Values::Dense { rows, columns, values } => Table::dense(rows, columns, values.into_real()),
            Values::Sparse { rows, columns, indptr, indices, values } => {
                Table::sparse(rows, columns, indptr, indices, values.into_real())
            }
        };
        table.check(source)?;
        Ok(table)
    }

    /// As [`Table::from_values`] for dense data whose NaN entries are not known: they become 0. Gives 1 for
    /// the known entries and 0 for the others (n × d) too.
    pub(crate) fn with_unknown(values: Values, source: &Source) -> Result<(Self, Matrix<f64>)> {
        let Values::Dense { rows, columns, values } = values else {
            bail!(
                "{}: --missing needs dense data; an entry that a sparse file does not store is 0, unless you \
                give --zeros-missing",
                source.name
            )
        };
        let mut values: Vec<T> = values.into_real();
        let known =
            Matrix::from_fn(rows, columns, |i, j| f64::from(!values[i * columns + j].to_f64().is_nan()));
        values.iter_mut().filter(|value| value.to_f64().is_nan()).for_each(|value| *value = T::ZERO);
        let table = Table::dense(rows, columns, values);
        table.check(source)?;
        Ok((table, known))
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

    /// Compressed rows.
    pub(crate) fn sparse(
        rows: usize,
        columns: usize,
        indptr: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<T>,
    ) -> Self {
        Table { rows, columns, sparse: Some((indptr, indices)), values }
    }

    /// The stored values.
    #[cfg(test)]
    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }

    /// The columns (`None`: all of them) and the stored values of a row.
    pub(crate) fn row(&self, row: usize) -> ScaledRow<'_, T> {
        match &self.sparse {
            None => (None, &self.values[row * self.columns..(row + 1) * self.columns]),
            Some((indptr, indices)) => {
                let span = indptr[row]..indptr[row + 1];
                (Some(&indices[span.clone()]), &self.values[span])
            }
        }
    }

    /// Calls `each` with row, column and value of every stored entry, row by row.
    pub(crate) fn for_each(&self, mut each: impl FnMut(usize, usize, T)) {
        for row in 0..self.rows {
            match &self.sparse {
                None => (0..self.columns).for_each(|j| each(row, j, self.values[row * self.columns + j])),
                Some((indptr, indices)) => {
                    (indptr[row]..indptr[row + 1])
                        .for_each(|e| each(row, indices[e] as usize, self.values[e]));
                }
            }
        }
    }

    /// Calls `each` with the columns (`None`: all of them) and the values of every row, to change the values.
    pub(crate) fn for_each_row(&mut self, mut each: impl FnMut(Option<&[u32]>, &mut [T])) {
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
        bail!(
            "{}: {} {entries}, the first in row {row}{}, column {column}{} (counted from 0): {value}; all entries must be finite and 0 or more",
            source.name,
            kinds.join(", "),
            quoted(&source.row_names, row),
            quoted(&source.feature_names, column),
        )
    }

    /// The data of the library.
    pub(crate) fn into_data(self, name: &str) -> Result<Data<T>> {
        let Table { rows, columns, sparse, values } = self;
        match sparse {
            None => DenseMatrix::new(rows, columns, values).map(DenseMatrix::boxed),
            Some((indptr, indices)) => {
                SparseMatrix::new(rows, columns, indptr, indices, values).map(SparseMatrix::boxed)
            }
        }
        .with_context(|| name.to_string())
        .map(Data)
    }
}

fn quoted(names: &Option<Vec<String>>, index: usize) -> String {
    names.as_ref().and_then(|names| names.get(index)).map_or(String::new(), |name| format!(" (\"{name}\")"))
}

/// Data of either kind.
#[derive(Debug)]
pub(crate) struct Data<T: Real>(Box<dyn DataMatrix<T>>);

impl<T: Real> Data<T> {
    /// The matrix of a graph.
    pub(crate) fn of_graph(graph: &Graph) -> Result<Self> {
        let n = graph.n_samples();
        let entry = |(i, j, weight): (usize, usize, f64)| (i as u32, j as u32, T::from_f64(weight));
        let entries = graph.entries().into_iter().map(entry).collect();
        Ok(Data(SparseMatrix::from_triplets(n, n, entries)?.0.boxed()))
    }

    /// As the library takes them.
    pub(crate) fn matrix(&self) -> &dyn DataMatrix<T> {
        self.0.as_ref()
    }

    /// A row, for pictures.
    pub(crate) fn row(&self, sample: usize) -> Vec<f64> {
        let mut row = vec![0.0; self.matrix().n_features()];
        self.matrix().add_row(sample, 1.0, &mut row);
        row
    }
}

/// The number type to compute in.
pub(crate) fn precision(asked: &str, values: &Values) -> &'static str {
    match asked {
        "f32" => "f32",
        "f64" => "f64",
        _ => values.precision(),
    }
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
