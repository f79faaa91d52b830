//! HDF5 files of cells: AnnData (`.h5ad`) and the `.h5` of 10x Genomics. Cells become rows.
//!
//! The file is read block by block, so that beside the matrix only a block of each array is in memory. The
//! crate that reads HDF5 is behind [`file::Hdf5`]; a panic in it becomes an error of the file.

mod anndata;
mod by_columns;
mod cell_file;
mod columns;
mod file;
#[cfg(test)]
mod in_memory;
mod matrix;
mod panics;
mod reader;
mod stored_rows;
mod streamed;
mod tenx;

use crate::error::{IoError, Place, Result};
use crate::formats::ReadOptions;
use crate::source::Source;
use crate::table::{FileKind, Table, Values};
use file::{Hdf5, Stored};
use reader::Reader;
use std::path::Path;
use tenx::Layout;

/// The names of cells and genes.
struct Named {
    rows: Vec<String>,
    columns: Vec<String>,
}

impl Named {
    fn sides(&self) -> matrix::Sides {
        matrix::Sides { rows: self.rows.len(), columns: self.columns.len() }
    }
}

/// What was read.
struct Found {
    values: Values,
    names: Named,
    notes: Vec<String>,
    labels: Option<Vec<Option<String>>>,
}

/// What kind of file it is.
enum Content {
    AnnData,
    TenX(Layout),
}

/// Reads the matrix of a file with the names of its rows and columns.
pub(crate) fn read(source: &Source, options: &ReadOptions) -> Result<Table> {
    opened(source, |file| {
        let reader = Reader { file, path: &source.path };
        table(&reader, source, options)
    })
}

pub(crate) use cell_file::{CellFile, TemporaryPwx};
pub(crate) use streamed::convert;

/// A column of `obs`.
pub(crate) struct Column {
    /// The names of the cells.
    pub(crate) cells: Vec<String>,
    /// A label for each, `None` where the value is missing.
    pub(crate) labels: Vec<Option<String>>,
}

/// Reads a column of `obs` as labels. Without a name, the error lists the columns.
pub(crate) fn column(source: &Source, name: Option<&str>) -> Result<Column> {
    opened(source, |file| labelled(&Reader { file, path: &source.path }, name))
}

/// Opens the file and acts on it. A panic of the crate that reads HDF5 is an error of the file.
fn opened<R>(source: &Source, act: impl FnOnce(&dyn Hdf5) -> Result<R>) -> Result<R> {
    let damaged = |message: String| {
        let message = format!("the HDF5 file cannot be read: {message} (a truncated or damaged file?)");
        source.malformed(Place::Whole, message)
    };
    let read = || act(&Stored::open(source.stored_at(), &source.bytes).map_err(damaged)?);
    panics::caught(read).unwrap_or_else(|message| Err(damaged(message)))
}

fn table(reader: &Reader<'_>, source: &Source, options: &ReadOptions) -> Result<Table> {
    let content = content(reader)?;
    let kind = named_kind(&content, &source.path, options)?;
    let layer = options.layer.as_deref();
    let mut found = match &content {
        Content::AnnData => anndata::read(reader, layer)?,
        Content::TenX(layout) => tenx::read(reader, layout, layer)?,
    };
    if let Some(column) = &options.label_column {
        found.labels = Some(labels_of_cells(reader, &content, column, found.names.rows.len())?);
    }
    let Found { values, names, mut notes, labels } = found;
    for (names, what) in [(&names.rows, "names of cells"), (&names.columns, "names of genes")] {
        notes.extend(crate::duplicates::repeated_note(names, what));
    }
    let mut table = Table::new(kind, values, notes, &source.sha256);
    (table.row_names, table.column_names, table.labels) = (Some(names.rows), Some(names.columns), labels);
    Ok(table)
}

/// The kind of a file, which must be the one that is asked for by name.
fn named_kind(content: &Content, path: &Path, options: &ReadOptions) -> Result<FileKind> {
    let kind = match content {
        Content::AnnData => FileKind::AnnData,
        Content::TenX(_) => FileKind::TenX,
    };
    if let Some(format) = options.format.as_deref().and_then(crate::formats::format_named)
        && format.kind != kind
    {
        let looks_like = match kind {
            FileKind::AnnData => "an AnnData file (.h5ad)",
            _ => "a file of 10x Genomics (.h5)",
        };
        let expected = format!("the format \"{}\"", format.name);
        return Err(IoError::WrongFormat {
            path: path.to_path_buf(),
            expected,
            looks_like: looks_like.into(),
        });
    }
    Ok(kind)
}

/// What kind of file it is.
fn content(reader: &Reader<'_>) -> Result<Content> {
    let names = reader.file.names("").unwrap_or_default();
    let has = |name: &str| names.iter().any(|known| known == name);
    if has("obs") && has("var") && (has("X") || has("layers") || has("raw")) && !has("mod") {
        return Ok(Content::AnnData);
    }
    if let Some(layout) = Layout::of(reader) {
        return Ok(Content::TenX(layout));
    }
    let what = if has("mod") {
        let parts = reader.file.names("mod").unwrap_or_default().join(", ");
        format!("this is MuData with several tables ({parts}); write one of them as .h5ad")
    } else if has("row_attrs") && has("col_attrs") {
        "this is a Loom file; read it with anndata.read_loom and write it as .h5ad".into()
    } else if has("assays") && has("cell.names") {
        "this is a Seurat file (.h5Seurat); write it as .h5ad with SeuratDisk".into()
    } else if has("barcode_idx") && has("umi") {
        "these are single molecules of 10x Genomics; take the file filtered_feature_bc_matrix.h5".into()
    } else {
        let shown: Vec<&str> = names.iter().take(8).map(String::as_str).collect();
        let shown = if shown.is_empty() { "nothing".into() } else { shown.join(", ") };
        format!("this HDF5 file has no table of cells that is known here; it has {shown}")
    };
    Err(reader.unsupported("", what, &["AnnData (.h5ad)", "10x Genomics (.h5 with a matrix)"]))
}

/// A label for each cell.
fn labels_of_cells(
    reader: &Reader<'_>,
    content: &Content,
    column: &str,
    cells: usize,
) -> Result<Vec<Option<String>>> {
    if let Content::TenX(_) = content {
        let message =
            "files of 10x Genomics have no labels of cells; give them in another file with --labels";
        return Err(reader.unsupported("", message, &[]));
    }
    columns::labels(reader, column, cells)
}

fn labelled(reader: &Reader<'_>, name: Option<&str>) -> Result<Column> {
    let content = content(reader)?;
    let Some(name) = name else {
        let mut valid = columns::names(reader, "obs");
        valid.retain(|column| columns::may_be_labels(reader, column));
        let valid: Vec<&str> = valid.iter().map(String::as_str).collect();
        let message = "choose the column that contains the labels with --label-column";
        return Err(reader.unsupported("obs", message, &valid));
    };
    let cells = match content {
        Content::AnnData => columns::index(reader, "obs")?,
        Content::TenX(_) => Vec::new(),
    };
    let labels = labels_of_cells(reader, &content, name, cells.len())?;
    Ok(Column { cells, labels })
}
