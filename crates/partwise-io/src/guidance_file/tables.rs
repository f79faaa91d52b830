//! The files that items name, read by what the rows and columns of their tables are.

use std::path::Path;

use partwise::Matrix;
use partwise::graphs::Graph;
use partwise::guidance::{Advice, Axis, Guidance, ItemTable};

use super::{FileItem, Origin};
use crate::error::{IoError, Place, Result};
use crate::formats::{DECODED_LIMIT, ReadOptions, read_source, read_table};
use crate::lines::lines_of;
use crate::links::read_links;
use crate::matching::{Matched, order_by_name, places_by_name, same_names};
use crate::names::DataNames;
use crate::reference::read_reference;
use crate::source::Source;
use crate::table::{Table, Values};

/// An item with what its file says.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadItem {
    /// The item.
    pub advice: Advice,
    /// SHA-256 of its file, if it has one.
    pub sha256: Option<String>,
    /// Policies that were applied, as sentences for a report.
    pub notes: Vec<String>,
    /// What was chosen for the user, as sentences for a report.
    pub chosen: Vec<String>,
}

/// The numbers of a file, and what else it says.
struct Found {
    numbers: Matrix<f64>,
    row_names: Option<Vec<String>>,
    column_names: Option<Vec<String>>,
    notes: Vec<String>,
    sha256: String,
}

fn fault(path: &Path, message: impl Into<String>) -> IoError {
    IoError::mismatch(path, Place::Whole, message)
}

impl FileItem {
    /// The item with what its file says. References without names go to the topics that `known` names, in
    /// order.
    ///
    /// # Errors
    /// Faults of the file, and a table that does not fit the data.
    ///
    /// # Panics
    /// For labels, and for graphs that are made from the data.
    pub fn read(&self, names: &DataNames<'_>, known: &Guidance) -> Result<ReadItem> {
        let mut advice = self.advice.clone();
        let mut out =
            ReadItem { advice: advice.clone(), sha256: None, notes: Vec::new(), chosen: Vec::new() };
        let Origin::File(file) = &self.from else { return Ok(out) };
        file.check_is_there()?;
        let path = file.path.as_path();
        if let Advice::Links { must, cannot, .. } = &mut out.advice {
            let table = read_links(path, names)?;
            must.extend(table.must);
            cannot.extend(table.cannot);
            // The strength is stated by now, or has its default.
            out.advice = out.advice.with_table(None).map_err(|error| fault(path, error.to_string()))?;
            return Ok(ReadItem { sha256: Some(table.sha256), ..out });
        }
        let table = self.kind.table.expect("the caller reads labels");
        let found = found(table, path, names)?;
        let own = match (table.rows, table.columns) {
            (Axis::Names, _) => Some((found.row_names, found.numbers.rows(), true)),
            (_, Axis::Names) => Some((found.column_names, found.numbers.columns(), false)),
            _ => None,
        };
        if let Some((own, count, in_order)) = own {
            let kind = self.kind.name;
            match names_of(path, kind, (advice.names(), own), count)? {
                Some(names) => advice.set_names(names),
                None if in_order => {
                    let names = in_order_of_topics(known, count);
                    let listed = names.join(", ");
                    out.chosen.push(format!(
                        "the {kind} of {}, which have no names, are in order {listed}",
                        path.display()
                    ));
                    advice.set_names(names);
                }
                None => {
                    return Err(fault(path, format!("{kind} need a header with the topics of the columns")));
                }
            }
        }
        out.advice =
            advice.with_table(Some(found.numbers)).map_err(|error| fault(path, error.to_string()))?;
        Ok(ReadItem { sha256: Some(found.sha256), notes: found.notes, ..out })
    }
}

/// The names that are given (`names.0`), or those of the file; `None` where neither has some.
fn names_of(
    path: &Path,
    kind: &str,
    names: (&[String], Option<Vec<String>>),
    count: usize,
) -> Result<Option<Vec<String>>> {
    match names {
        ([], own) => Ok(own),
        (given, _) if given.len() != count => {
            Err(fault(path, format!("there are {count} {kind}, but {} names for them", given.len())))
        }
        (given, Some(own)) if given != own && same_names(given, &own) => {
            let (own, given) = (own.join(", "), given.join(", "));
            Err(fault(
                path,
                format!(
                    "the names are those of the file, but in another order ({own}, not {given}); remove names"
                ),
            ))
        }
        (given, _) => Ok(Some(given.to_vec())),
    }
}

/// A name for each of `count` components: the topics so far, then numbers.
fn in_order_of_topics(known: &Guidance, count: usize) -> Vec<String> {
    let topics = known.all_topics().into_iter().flat_map(|(name, components)| vec![name; components]);
    let mut names: Vec<String> = topics.take(count).collect();
    names.extend((names.len()..count).map(|j| format!("reference {}", j + 1)));
    names
}

/// Reads a table whose rows and columns are these.
fn found(table: ItemTable, path: &Path, names: &DataNames<'_>) -> Result<Found> {
    match (table.rows, table.columns) {
        (Axis::Samples, Axis::Samples) => graph(path, names),
        (Axis::Single, axis) => list(path, axis, names),
        (Axis::Names | Axis::Others, _) => {
            let reference = read_reference::<f64>(path, &ReadOptions::default())?
                .aligned_to(names.n_features(), names.given(Axis::Features))?;
            Ok(Found {
                numbers: reference.values,
                row_names: reference.row_names,
                column_names: reference.column_names,
                notes: reference.notes,
                sha256: reference.sha256,
            })
        }
        (_, columns) => {
            let table = read_table(path, &ReadOptions::default())?;
            let (row_names, column_names) = (table.row_names.clone(), table.column_names.clone());
            let (notes, sha256) = (table.notes.clone(), table.sha256.clone());
            let numbers = match columns {
                Axis::Features => {
                    let samples = (names.given(Axis::Samples), Matched::SAMPLES);
                    let features = (names.given(Axis::Features), Matched::FEATURES);
                    values_by_name(table, path, samples, features)?.into_matrix(path)?
                }
                _ => rows_by_name(table, path, names)?,
            };
            Ok(Found { numbers, row_names, column_names, notes, sha256 })
        }
    }
}

/// The rows of a table in the order of the samples, by name where both have names; what it leaves out is NaN.
///
/// # Errors
/// Names that do not fit, or another number of rows than there are samples.
pub fn rows_by_name(table: Table, path: &Path, names: &DataNames<'_>) -> Result<Matrix<f64>> {
    let own = table.row_names;
    let values = table.values.into_matrix::<f64>(path)?;
    let samples = names.given(Axis::Samples);
    let places = places_by_name(own.as_deref(), samples, Matched::SAMPLES, true);
    let n = names.n_samples();
    match places.map_err(|message| fault(path, message))? {
        Some(places) => Ok(Matrix::from_fn(n, values.columns(), |i, j| {
            places[i].map_or(f64::NAN, |at| values.get(at, j))
        })),
        None if values.rows() == n => Ok(values),
        None => Err(fault(
            path,
            format!(
                "there are {} rows for {n} samples; it needs one row per sample, or sample names in both",
                values.rows()
            ),
        )),
    }
}

/// Names, and what they are matched with.
type Wanted<'a> = (Option<&'a [String]>, Matched);

/// The numbers of a table with its rows and columns in the order given, by name where both sides have names.
fn values_by_name(table: Table, path: &Path, rows: Wanted<'_>, columns: Wanted<'_>) -> Result<Values> {
    let order = |own: &Option<Vec<String>>, (wanted, matched): Wanted<'_>| {
        order_by_name(own.as_deref(), wanted, matched).map_err(|message| fault(path, message))
    };
    let mut values = table.values;
    if let Some(order) = order(&table.row_names, rows)? {
        values = values.with_rows(&order);
    }
    if let Some(order) = order(&table.column_names, columns)? {
        values = values.with_columns(&order);
    }
    Ok(values)
}

/// The graph of an edge list or a symmetric matrix, and what the file says of it.
///
/// # Errors
/// Faults of the file, and what is no graph over the samples.
pub fn read_graph(path: &Path, names: &DataNames<'_>) -> Result<(Graph, Vec<String>, String)> {
    let samples = names.given(Axis::Samples);
    let options = ReadOptions {
        n_nodes: Some(names.n_samples()),
        node_names: samples.map(<[String]>::to_vec),
        ..ReadOptions::default()
    };
    let table = read_table(path, &options)?;
    let (notes, sha256) = (table.notes.clone(), table.sha256.clone());
    let values =
        values_by_name(table, path, (samples, Matched::SAMPLES), (samples, Matched::COLUMNS_FOR_SAMPLES))?;
    let (rows, columns) = values.shape();
    let graph = match values {
        Values::Sparse { indptr, indices, values, .. } if rows == columns => {
            let row = |i: usize| (indptr[i]..indptr[i + 1]).map(move |at| (i, at));
            let entries: Vec<_> =
                (0..rows).flat_map(row).map(|(i, at)| (i, indices[at] as usize, values.get(at))).collect();
            Graph::from_entries(rows, &entries)
        }
        values => Graph::from_matrix(&values.into_matrix(path)?),
    };
    Ok((graph.map_err(|error| fault(path, error.to_string()))?, notes, sha256))
}

fn graph(path: &Path, names: &DataNames<'_>) -> Result<Found> {
    let (graph, notes, sha256) = read_graph(path, names)?;
    let entries = graph.entries();
    let numbers = Matrix::from_fn(entries.len(), 3, |e, c| match c {
        0 => entries[e].0 as f64,
        1 => entries[e].1 as f64,
        _ => entries[e].2,
    });
    Ok(Found { numbers, row_names: None, column_names: None, notes, sha256 })
}

/// One number a line for each sample or feature; or a table of their names and numbers, matched by name.
fn list(path: &Path, axis: Axis, names: &DataNames<'_>) -> Result<Found> {
    let (count, matched) = match axis {
        Axis::Samples => (names.n_samples(), Matched::SAMPLES),
        _ => (names.n_features(), Matched { part: "row", ..Matched::FEATURES }),
    };
    let of = matched.of;
    let source = Source::open(path, DECODED_LIMIT)?;
    let lines = lines_of(&source)?;
    let weights: Vec<f64> = if lines.iter().any(|line| line.contains([',', ';', '\t'])) {
        let table = read_source(&source, &ReadOptions::default())?;
        let (rows, columns) = table.values.shape();
        if columns != 1 || table.row_names.is_none() || rows != count {
            return Err(fault(
                path,
                format!(
                    "weights are one number per line, or a table with a row for each of the {count} {of}s: its \
                name and its weight"
                ),
            ));
        }
        values_by_name(table, path, (names.given(axis), matched), (None, matched))?
            .into_matrix(path)?
            .into_vec()
    } else {
        if lines.len() != count {
            let found = lines.len();
            return Err(fault(
                path,
                format!("there are {found} weights for {count} {of}s; each needs one weight"),
            ));
        }
        let number = |(at, line): (usize, &String)| {
            line.parse().map_err(|_| {
                let message = format!("\"{line}\" is not a weight; it must be a finite number of 0 or more");
                IoError::malformed(path, Place::Line(at as u64 + 1), message)
            })
        };
        lines.iter().enumerate().map(number).collect::<Result<_>>()?
    };
    if let Some(at) = weights.iter().position(|w| !(*w >= 0.0 && w.is_finite())) {
        let message =
            format!("the weight of {of} {at} is {}; it must be a finite number of 0 or more", weights[at]);
        return Err(fault(path, message));
    }
    let numbers = Matrix::from_fn(1, count, |_, i| weights[i]);
    Ok(Found { numbers, row_names: None, column_names: None, notes: Vec::new(), sha256: source.sha256 })
}
