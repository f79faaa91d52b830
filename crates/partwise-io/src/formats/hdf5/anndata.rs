//! AnnData (`.h5ad`): a matrix of cells × genes in `X`, others of the same shape in `layers`, the matrix
//! before genes were left out in `raw/X`; tables of the cells in `obs` and of the genes in `var`.

use crate::error::{IoError, Result};
use crate::formats::hdf5::columns;
use crate::formats::hdf5::matrix::{self, Sides};
use crate::formats::hdf5::reader::Reader;
use crate::formats::hdf5::{Found, Named};
use crate::table::Values;

/// The name of the layer that is the matrix before genes were left out.
const RAW: &str = "raw";

/// The path of a matrix with the names of its cells and genes.
pub(super) fn named(reader: &Reader<'_>, layer: Option<&str>) -> Result<(String, Named)> {
    // First, for it tells whether the layout is one that is read.
    let rows = columns::index(reader, "obs")?;
    let matrix = matrix_path(reader, layer)?;
    let var = if matrix == "raw/X" { "raw/var" } else { "var" };
    let columns = columns::index(reader, var)?;
    Ok((matrix, Named { rows, columns }))
}

/// Whether the group of a compressed matrix stores it by rows; else by columns.
pub(super) fn is_by_rows(reader: &Reader<'_>, path: &str) -> Result<bool> {
    let attribute = |name| reader.file.attribute(path, name);
    let encoding = attribute("encoding-type").or_else(|| attribute("h5sparse_format")).unwrap_or_default();
    match encoding.as_str() {
        "csr_matrix" | "csr" => Ok(true),
        "csc_matrix" | "csc" => Ok(false),
        other => {
            let message = format!("a matrix of the kind \"{other}\" is not supported");
            Err(reader.unsupported(path, message, &["array", "csr_matrix", "csc_matrix"]))
        }
    }
}

/// Reads a matrix with the names of its cells and genes.
pub(super) fn read(reader: &Reader<'_>, layer: Option<&str>) -> Result<Found> {
    let (matrix, names) = named(reader, layer)?;
    let mut notes = Vec::new();
    let values = values(reader, &matrix, names.sides(), &mut notes)?;
    Ok(Found { values, names, notes, labels: None })
}

/// The path of X, of a layer, or of raw.
fn matrix_path(reader: &Reader<'_>, layer: Option<&str>) -> Result<String> {
    let layers = reader.file.names("layers").unwrap_or_default();
    let has = |group: &str, name: &str| {
        reader.file.names(group).is_some_and(|names| names.iter().any(|known| known == name))
    };
    let (x, raw) = (has("", "X"), has(RAW, "X"));
    let layered = layers.iter().any(|name| name == RAW);
    let mut valid: Vec<String> = Vec::new();
    valid.extend(x.then(|| "X".to_string()));
    valid.extend(raw.then(|| if layered { "raw/X".to_string() } else { RAW.to_string() }));
    valid.extend(layers.iter().map(
        |name| {
            if raw && name == RAW { format!("layers/{name}") } else { name.clone() }
        },
    ));
    let path = match layer {
        None | Some("X") if x => "X".to_string(),
        None => {
            let listed: Vec<&str> = valid.iter().map(String::as_str).collect();
            return Err(reader.unsupported(
                "X",
                "the file has no X; choose another matrix with --layer",
                &listed,
            ));
        }
        Some(RAW) if raw && layered => {
            let message = "the file has a layer named raw, and a raw matrix; state which one with --layer";
            return Err(reader.unsupported(RAW, message, &["layers/raw", "raw/X"]));
        }
        Some("raw/X" | RAW) if raw => "raw/X".into(),
        Some(name) if layers.iter().any(|known| known == name) => format!("layers/{name}"),
        Some(name)
            if name.strip_prefix("layers/").is_some_and(|own| layers.iter().any(|known| known == own)) =>
        {
            name.into()
        }
        Some(name) => {
            let (path, name) = (reader.path.to_path_buf(), name.to_string());
            return Err(IoError::UnknownName { path, kind: "layer", name, valid });
        }
    };
    Ok(path)
}

/// The numbers at a path: an array, or a group of a compressed matrix.
fn values(reader: &Reader<'_>, path: &str, sides: Sides, notes: &mut Vec<String>) -> Result<Values> {
    if reader.file.names(path).is_none() {
        return matrix::dense(reader, path, sides, notes);
    }
    match is_by_rows(reader, path)? {
        true => matrix::rows(reader, path, sides, None, notes),
        false => matrix::columns(reader, path, sides, notes),
    }
}
