//! Tables about samples and features, in the order of the data: by name where both sides have names.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use partwise::Matrix;
use partwise::guidance::Feature;
use partwise_io::{
    Matched, ReadOptions, Table, Values, order_by_name, places_by_name, read_lines, read_table,
};

use crate::input::Source;

impl Source {
    /// The samples by name.
    pub(crate) fn samples(&self) -> Option<(&[String], Matched)> {
        self.row_names.as_deref().map(|names| (names, Matched::SAMPLES))
    }

    /// The features by name.
    pub(crate) fn features(&self) -> Option<(&[String], Matched)> {
        self.feature_names.as_deref().map(|names| (names, Matched::FEATURES))
    }
}

/// The rows of a table in the order of the samples; what it leaves out is NaN.
pub(crate) fn rows_by_name(table: Table, path: &Path, source: &Source) -> Result<Matrix<f64>> {
    let own = table.row_names;
    let values = table.values.into_matrix::<f64>(path)?;
    let places = places_by_name(own.as_deref(), source.row_names.as_deref(), Matched::SAMPLES, true)
        .map_err(|message| anyhow!("{}: {message}", path.display()))?;
    match places {
        Some(places) => Ok(Matrix::from_fn(source.rows, values.columns(), |i, j| {
            places[i].map_or(f64::NAN, |at| values.get(at, j))
        })),
        None if values.rows() == source.rows => Ok(values),
        None => bail!(
            "{}: there are {} rows for {} samples; it needs one row per sample, or sample names in both",
            path.display(),
            values.rows(),
            source.rows
        ),
    }
}

/// The numbers of a table with its rows and columns in the order given.
pub(crate) fn values_by_name(
    table: Table,
    path: &Path,
    rows: Option<(&[String], Matched)>,
    columns: Option<(&[String], Matched)>,
) -> Result<Values> {
    let order = |own: &Option<Vec<String>>, wanted: Option<(&[String], Matched)>| {
        let Some((wanted, matched)) = wanted else { return Ok(None) };
        order_by_name(own.as_deref(), Some(wanted), matched)
            .map_err(|message| anyhow!("{}: {message}", path.display()))
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

/// A weight for each of `count` samples or features: one number a line, or a table of their names and weights.
pub(crate) fn weights_of_file(
    path: &Path,
    count: usize,
    names: Option<(&[String], Matched)>,
    of: &str,
) -> Result<Vec<f64>> {
    let (place, lines) = (path.display(), read_lines(path)?);
    let valid = "it must be a finite number of 0 or more";
    let is_weight = |weight: &f64| *weight >= 0.0 && weight.is_finite();
    if lines.iter().any(|line| line.contains([',', ';', '\t'])) {
        let table = read_table(path, &ReadOptions::default())?;
        if table.values.shape() != (count, 1) || table.row_names.is_none() {
            bail!(
                "{place}: weights are one number per line, or a table with a row for each of the {count} \
                {of}s: its name and its weight"
            );
        }
        let weights = values_by_name(table, path, names, None)?.into_matrix::<f64>(path)?.into_vec();
        return match weights.iter().position(|weight| !is_weight(weight)) {
            Some(at) => bail!("{place}: weight {at} (counted from 0) is {}; {valid}", weights[at]),
            None => Ok(weights),
        };
    }
    if lines.len() != count {
        let found = lines.len();
        bail!("{place}: there are {found} weights for {count} {of}s; each needs one weight");
    }
    let number = |(at, line): (usize, &String)| {
        let fault = || format!("{place}: line {}: \"{line}\" is not a weight; {valid}", at + 1);
        line.parse::<f64>().ok().filter(is_weight).with_context(fault)
    };
    lines.iter().enumerate().map(number).collect()
}

/// A weight for each feature: 1 where none is named. As with seeds, a name that the data do not have is
/// noted and ignored.
pub(crate) fn weights_by_name(
    named: &[(Feature, f64)],
    source: &Source,
    path: &Path,
    notes: &mut Vec<String>,
) -> Result<Vec<f64>> {
    let mut weights = vec![1.0; source.columns];
    let mut unknown: Vec<&str> = Vec::new();
    let names = source.names();
    for (feature, weight) in named {
        match feature {
            Feature::Index(at) => weights[*at] = *weight,
            Feature::Name(name) if source.feature_names.iter().flatten().all(|known| known != name) => {
                unknown.push(name);
            }
            Feature::Name(name) => {
                let fault = |message| anyhow!("{}: feature_weights: {message}", path.display());
                weights[names.feature_place(name).map_err(fault)?] = *weight;
            }
        }
    }
    if !unknown.is_empty() {
        notes.push(format!("feature_weights names {}, which the data do not have", unknown.join(", ")));
    }
    Ok(weights)
}
