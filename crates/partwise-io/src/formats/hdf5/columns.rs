//! Columns of the tables `obs` and `var` of an AnnData file: names, and labels.

use crate::error::{IoError, Result};
use crate::formats::hdf5::file::Element;
use crate::formats::hdf5::reader::{Reader, blocks};

/// Where files older than anndata 0.8 keep the names of the categories of their columns.
const OLD_CATEGORIES: &str = "__categories";

/// The names of the rows of a table.
pub(super) fn index(reader: &Reader<'_>, table: &str) -> Result<Vec<String>> {
    let Some(known) = reader.file.names(table) else {
        let message = match reader.find(table)? {
            Some(_) => {
                "the table is stored as records, as anndata before 0.7 did; in Python, write the file again: \
                anndata.read_h5ad(\"old.h5ad\").write_h5ad(\"new.h5ad\")"
            }
            None => "the file has no such table",
        };
        return Err(reader.malformed(table, message));
    };
    let name = index_name(reader, table, &known);
    if !known.contains(&name) {
        let message = format!("the table has no names of its rows (an array \"{name}\")");
        return Err(reader.malformed(table, message));
    }
    let names = texts(reader, &format!("{table}/{name}"), None)?;
    Ok(names.into_iter().map(Option::unwrap_or_default).collect())
}

fn index_name(reader: &Reader<'_>, table: &str, known: &[String]) -> String {
    let stated = reader.file.attribute(table, "_index");
    stated.unwrap_or_else(|| {
        let usual = ["_index", "index"].iter().find(|name| known.iter().any(|known| known == *name));
        usual.unwrap_or(&"_index").to_string()
    })
}

/// The columns of a table, without the names of its rows.
pub(super) fn names(reader: &Reader<'_>, table: &str) -> Vec<String> {
    let mut known = reader.file.names(table).unwrap_or_default();
    let index = index_name(reader, table, &known);
    known.retain(|name| *name != index && name != OLD_CATEGORIES);
    known
}

/// A column of `obs` as labels: a text for each of the cells, `None` where the value is missing.
pub(super) fn labels(reader: &Reader<'_>, column: &str, cells: usize) -> Result<Vec<Option<String>>> {
    let valid = names(reader, "obs");
    if valid.is_empty() {
        return Err(reader.unsupported("obs", "the table of the cells has no columns, so no labels", &[]));
    }
    if !valid.iter().any(|name| name == column) {
        let (path, name) = (reader.path.to_path_buf(), column.to_string());
        return Err(IoError::UnknownName { path, kind: "column of obs", name, valid });
    }
    texts(reader, &format!("obs/{column}"), Some(cells))
}

/// A column as texts. Its length is checked before it is read, for a damaged one may be huge.
fn texts(reader: &Reader<'_>, path: &str, rows: Option<usize>) -> Result<Vec<Option<String>>> {
    let Some(parts) = reader.file.names(path) else {
        let (table, column) = path.rsplit_once('/').unwrap_or(("", path));
        let categories = format!("{table}/{OLD_CATEGORIES}/{column}");
        return match reader.find(&categories)? {
            Some(_) => categorical(reader, path, &categories, rows),
            None => plain(reader, path, rows),
        };
    };
    let has = |part: &str| parts.iter().any(|known| known == part);
    if has("codes") && has("categories") {
        return categorical(reader, &format!("{path}/codes"), &format!("{path}/categories"), rows);
    }
    if has("values") && has("mask") {
        let mut values = plain(reader, &format!("{path}/values"), rows)?;
        let mask = format!("{path}/mask");
        check_length(reader, &mask, Some(values.len()))?;
        let mask = reader.whole_vector(&mask)?;
        values.iter_mut().zip(mask).filter(|(_, missing)| *missing != 0).for_each(|(value, _)| *value = None);
        return Ok(values);
    }
    let kind = reader.file.attribute(path, "encoding-type").unwrap_or("an unknown kind".into());
    let message = format!("a column of the kind \"{kind}\" cannot be labels or names");
    Err(reader.unsupported(path, message, &["texts", "categories", "whole numbers", "booleans"]))
}

/// A category for each code; −1 is none.
fn categorical(
    reader: &Reader<'_>,
    codes: &str,
    categories: &str,
    rows: Option<usize>,
) -> Result<Vec<Option<String>>> {
    check_length(reader, codes, rows)?;
    // A category may itself be stored with a mask.
    let names = match reader.file.names(categories) {
        Some(_) => texts(reader, categories, None)?,
        None => plain(reader, categories, None)?,
    };
    let text = |(at, code): (usize, i64)| match usize::try_from(code) {
        Ok(place) if place < names.len() => Ok(names[place].clone()),
        Err(_) if code == -1 => Ok(None),
        _ => {
            let message = format!("code {at} is {code}, but must be -1 or in 0..{}", names.len());
            Err(reader.malformed(codes, message))
        }
    };
    reader.whole_vector(codes)?.into_iter().enumerate().map(text).collect()
}

/// An array of texts, whole numbers or booleans.
fn plain(reader: &Reader<'_>, path: &str, rows: Option<usize>) -> Result<Vec<Option<String>>> {
    check_length(reader, path, rows)?;
    let array = reader.vector(path)?;
    match array.element {
        Element::Text => Ok(reader.texts(path)?.into_iter().map(Some).collect()),
        Element::Boolean => {
            let text = |value: i64| Some(if value == 0 { "False" } else { "True" }.to_string());
            Ok(reader.whole_vector(path)?.into_iter().map(text).collect())
        }
        Element::Whole { .. } => {
            Ok(reader.whole_vector(path)?.into_iter().map(|value| Some(value.to_string())).collect())
        }
        Element::Other => {
            let valid = ["texts", "categories", "whole numbers", "booleans"];
            Err(reader.unsupported(path, "records or references cannot be labels or names", &valid))
        }
        Element::Half | Element::Single | Element::Double => {
            let mut out = reader.room(path, array.len())?;
            for (start, count) in blocks(array.len(), array.step, 1) {
                let block = reader.reals(path, &[start], &[count])?;
                for at in 0..block.len() {
                    out.push(whole_text(reader, path, block.get(at))?);
                }
            }
            Ok(out)
        }
    }
}

/// Refuses an array of another length than the table.
fn check_length(reader: &Reader<'_>, path: &str, rows: Option<usize>) -> Result<()> {
    let found = reader.vector(path)?.len();
    match rows.filter(|rows| *rows != found) {
        None => Ok(()),
        Some(rows) => Err(reader.malformed(path, format!("{found} values, but {rows} are needed"))),
    }
}

/// A whole number that is stored as a real one, or NaN for none.
fn whole_text(reader: &Reader<'_>, path: &str, value: f64) -> Result<Option<String>> {
    if value.is_nan() {
        return Ok(None);
    }
    if value.fract() != 0.0 || value.is_infinite() {
        let message = format!("numbers are labels only if they are whole, but {value} is one of them");
        return Err(reader.unsupported(path, message, &["texts", "categories", "whole numbers", "booleans"]));
    }
    Ok(Some(format!("{value:.0}")))
}

/// Whether a column is likely to hold labels: anything but numbers with decimals.
pub(super) fn may_be_labels(reader: &Reader<'_>, column: &str) -> bool {
    let path = format!("obs/{column}");
    let real =
        |element| matches!(element, Element::Half | Element::Single | Element::Double | Element::Other);
    !matches!(reader.file.array(&path), Ok(Some(array)) if real(array.element))
}
