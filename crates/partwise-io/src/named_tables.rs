//! Tables about samples and features, in the order of the data: by name where both sides have names.

use crate::error::{IoError, Place, Result};
use crate::formats::{ReadOptions, read_table};
use crate::lines::read_lines;
use crate::matching::{Matched, order_by_name, places_by_name};
use crate::names::DataNames;
use crate::table::{Table, Values};
use partwise::Matrix;
use partwise::graphs::Graph;
use partwise::guidance::Feature;
use std::path::Path;

/// The names of samples or of features, with the words for messages; `None` without names.
pub type Named<'a> = Option<(&'a [String], Matched)>;

fn fault(path: &Path, message: impl Into<String>) -> IoError {
    IoError::mismatch(path, Place::Whole, message)
}

/// The rows of a table in the order of `n` samples; what it leaves out is NaN.
///
/// # Errors
/// When names of the table are not those of samples, or its rows without names are not as many.
pub fn rows_by_name(table: Table, path: &Path, n: usize, names: Option<&[String]>) -> Result<Matrix<f64>> {
    let own = table.row_names;
    let values = table.values.into_matrix::<f64>(path)?;
    let places = places_by_name(own.as_deref(), names, Matched::SAMPLES, true);
    match places.map_err(|message| fault(path, message))? {
        Some(places) => Ok(Matrix::from_fn(n, values.columns(), |i, j| {
            places[i].map_or(f64::NAN, |at| values.get(at, j))
        })),
        None if values.rows() == n => Ok(values),
        None => {
            let rows = values.rows();
            Err(fault(
                path,
                format!(
                    "there are {rows} rows for {n} samples; it needs one row per sample, or sample names in \
                    both"
                ),
            ))
        }
    }
}

/// The numbers of a table with its rows and columns in the order of the data.
///
/// # Errors
/// When a name is missing on one side, with the nearest one.
pub fn values_by_name(table: Table, path: &Path, rows: Named<'_>, columns: Named<'_>) -> Result<Values> {
    let order = |own: &Option<Vec<String>>, wanted: Named<'_>| {
        let Some((wanted, matched)) = wanted else { return Ok(None) };
        order_by_name(own.as_deref(), Some(wanted), matched).map_err(|message| fault(path, message))
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

/// Reads a weight for each of `count` samples or features (`of`): one number per line, or a table of their
/// names and weights.
///
/// # Errors
/// When there is another number of weights, or one is negative, infinite or no number.
pub fn read_weights(path: &Path, count: usize, names: Named<'_>, of: &str) -> Result<Vec<f64>> {
    let lines = read_lines(path)?;
    let valid = "it must be a finite number of 0 or more";
    let is_weight = |weight: &f64| *weight >= 0.0 && weight.is_finite();
    if lines.iter().any(|line| line.contains([',', ';', '\t'])) {
        let table = read_table(path, &ReadOptions::default())?;
        if table.values.shape() != (count, 1) || table.row_names.is_none() {
            return Err(fault(
                path,
                format!(
                    "weights are one number per line, or a table with a row for each of the {count} {of}s: \
                    its name and its weight"
                ),
            ));
        }
        let weights = values_by_name(table, path, names, None)?.into_matrix::<f64>(path)?.into_vec();
        return match weights.iter().position(|weight| !is_weight(weight)) {
            Some(at) => Err(fault(path, format!("weight {at} (counted from 0) is {}; {valid}", weights[at]))),
            None => Ok(weights),
        };
    }
    if lines.len() != count {
        let found = lines.len();
        let message = format!("there are {found} weights for {count} {of}s; each needs one weight");
        return Err(fault(path, message));
    }
    let number = |(at, line): (usize, &String)| {
        let message = || format!("\"{line}\" is not a weight; {valid}");
        let place = Place::Line(at as u64 + 1);
        let weight = line.parse::<f64>().ok().filter(is_weight);
        weight.ok_or_else(|| IoError::mismatch(path, place, message()))
    };
    lines.iter().enumerate().map(number).collect()
}

/// A weight for each feature, 1 where none is named, and the names that are not those of features.
///
/// # Errors
/// When several features have a name.
pub fn weights_by_name<'n>(
    named: &'n [(Feature, f64)],
    names: &DataNames<'_>,
    feature_names: Option<&[String]>,
    path: &Path,
) -> Result<(Vec<f64>, Vec<&'n str>)> {
    let has = |name: &String| feature_names.is_some_and(|names| names.contains(name));
    let mut weights = vec![1.0; names.n_features()];
    let mut unknown = Vec::new();
    for (feature, weight) in named {
        match feature {
            Feature::Index(at) => weights[*at] = *weight,
            Feature::Name(name) if !has(name) => unknown.push(name.as_str()),
            Feature::Name(name) => {
                let at = names.feature_place(name);
                let at = at.map_err(|message| fault(path, format!("feature_weights: {message}")))?;
                weights[at] = *weight;
            }
        }
    }
    Ok((weights, unknown))
}

/// Reads a graph over `n` samples from an edge list or a symmetric matrix; also what the reader noted.
///
/// # Errors
/// As [`read_table`]; when names don't match, or the numbers are no graph.
pub fn read_graph(path: &Path, n: usize, names: Option<&[String]>) -> Result<(Graph, Vec<String>)> {
    let options =
        ReadOptions { n_nodes: Some(n), node_names: names.map(<[String]>::to_vec), ..ReadOptions::default() };
    let mut table = read_table(path, &options)?;
    let notes = std::mem::take(&mut table.notes);
    let rows = names.map(|names| (names, Matched::SAMPLES));
    let columns = names.map(|names| (names, Matched::COLUMNS_FOR_SAMPLES));
    let graph = match values_by_name(table, path, rows, columns)? {
        Values::Sparse { rows, columns, indptr, indices, values } if rows == columns => {
            let row = |i: usize| (indptr[i]..indptr[i + 1]).map(move |at| (i, at));
            let entries: Vec<_> =
                (0..rows).flat_map(row).map(|(i, at)| (i, indices[at] as usize, values.get(at))).collect();
            Graph::from_entries(rows, &entries)
        }
        values => Graph::from_matrix(&values.into_matrix(path)?),
    };
    Ok((graph.map_err(|error| fault(path, error.to_string()))?, notes))
}
