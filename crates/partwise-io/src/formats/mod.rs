//! The one table of formats, and [`read_table`], which picks from it. Help texts and error lists come from
//! here.

pub(crate) mod block_file;
pub mod csv_table;
pub mod edges;
#[cfg(feature = "hdf5")]
pub(crate) mod hdf5;
pub(crate) mod images;
mod layout;
pub mod matrix_market;
pub(crate) mod npy;
mod npz;
pub(crate) mod pwx;

pub use npy::write_npy;

use crate::error::{IoError, Place, Result};
use crate::source::{Look, Source, looks_like};
use crate::table::{FileKind, Table};
use std::path::Path;

/// A file format that data can be read from.
#[derive(Debug)]
pub struct Format {
    /// The name for `--format`.
    pub name: &'static str,
    /// What a table read with it says.
    pub kind: FileKind,
    /// Extensions without the dot, in lower case; each may be followed by `.gz`.
    pub extensions: &'static [&'static str],
    /// One line for help texts.
    pub description: &'static str,
    read: fn(&Source, &ReadOptions) -> Result<Table>,
    takes: fn(Look) -> bool,
}

impl Format {
    /// Whether the rows are cells, and the columns genes.
    pub fn is_of_cells(&self) -> bool {
        matches!(self.kind, FileKind::AnnData | FileKind::TenX)
    }
}

/// All formats.
pub static FORMATS: &[Format] = &[
    Format {
        name: "npy",
        kind: FileKind::Npy,
        extensions: &["npy"],
        description: "NumPy array: 2-D, or a 3-D stack of images (each image becomes a row)",
        read: npy::read,
        takes: |look| look == Look::Npy,
    },
    Format {
        name: "npz",
        kind: FileKind::Npz,
        extensions: &["npz"],
        description: "NumPy archive (choose the array with --key), or a SciPy sparse matrix (csr, csc, coo)",
        read: npz::read,
        takes: |look| look == Look::Zip,
    },
    Format {
        name: "mtx",
        kind: FileKind::MatrixMarket,
        extensions: &["mtx", "mm"],
        description: "Matrix Market: coordinate or array; integer, real or pattern; general or symmetric",
        read: matrix_market::read,
        takes: |look| look == Look::MatrixMarket,
    },
    Format {
        name: "csv",
        kind: FileKind::Csv,
        extensions: &["csv", "tsv", "txt"],
        description: "text table separated by comma, tab or semicolon, with or without header and row names",
        read: csv_table::read,
        takes: |look| look == Look::Text,
    },
    Format {
        name: "edges",
        kind: FileKind::Edges,
        extensions: &["edges"],
        description: "undirected edge list: a text table with the header source,target[,weight]",
        read: edges::read,
        takes: |look| look == Look::Text,
    },
    Format {
        name: "image",
        kind: FileKind::Image,
        extensions: images::EXTENSIONS,
        description: "PNG, PGM or PPM image of 8 or 16 bits (colour becomes grey); a folder of them: an image per row",
        read: images::read,
        takes: |look| matches!(look, Look::Png | Look::Pnm),
    },
    Format {
        name: "pwx",
        kind: FileKind::Pwx,
        extensions: &["pwx"],
        description: "row blocks for data larger than memory, as `partwise convert` writes them",
        read: pwx::read,
        takes: |look| look == Look::Pwx,
    },
    #[cfg(feature = "hdf5")]
    Format {
        name: "h5ad",
        kind: FileKind::AnnData,
        extensions: &["h5ad"],
        description: "AnnData: cells x genes; X, or a matrix named with --layer (raw: the raw matrix)",
        read: hdf5::read,
        takes: |look| look == Look::Hdf5,
    },
    #[cfg(feature = "hdf5")]
    Format {
        name: "10x",
        kind: FileKind::TenX,
        extensions: &["h5"],
        description: "counts of 10x Genomics: cells x genes; another genome or feature type with --layer",
        read: hdf5::read,
        takes: |look| look == Look::Hdf5,
    },
];

/// The default limit on decompressed bytes: 16 GiB.
pub const DECODED_LIMIT: u64 = 16 << 30;

/// How to read a file. The default reads by extension and content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    /// The name of the format, instead of that of the extension. Default: none.
    pub format: Option<String>,
    /// Which array of an `.npz` archive. Default: the only one.
    pub key: Option<String>,
    /// The matrix of an `.h5ad` file: a layer, or `raw`. Of a 10x `.h5` file, the feature type or the
    /// genome. Default: `X`; the genes; the only genome.
    pub layer: Option<String>,
    /// A column of a text table, by 0-based position in the file or by name, that contains labels, not data;
    /// or a column of `obs` of an `.h5ad` file. Default: none.
    pub label_column: Option<String>,
    /// Whether a text table has a header. Default: detected (see [`crate::formats::csv_table`]).
    pub header: Option<bool>,
    /// Whether the first column of a text table holds row names. Default: detected (see
    /// [`crate::formats::csv_table`]).
    pub row_names: Option<bool>,
    /// The number of nodes of an edge list. Default: the largest index + 1.
    pub n_nodes: Option<usize>,
    /// The names of the nodes of an edge list, by which it may refer to them. Default: none.
    pub node_names: Option<Vec<String>>,
    /// The most bytes that a compressed file may become. Default: [`DECODED_LIMIT`].
    pub decoded_limit: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            format: None,
            key: None,
            layer: None,
            label_column: None,
            header: None,
            row_names: None,
            n_nodes: None,
            node_names: None,
            decoded_limit: DECODED_LIMIT,
        }
    }
}

/// Reads a data file. The format is the one named in `options`, or else the one of the extension (before
/// `.gz`), and the first bytes must agree with it; a text table whose header is `source,target[,weight]` is
/// an edge list. A folder is read as images, an image per row.
///
/// # Errors
/// Every fault of the file as an [`IoError`] with its place.
pub fn read_table(path: &Path, options: &ReadOptions) -> Result<Table> {
    if path.is_dir() {
        return images::read_folder(path, options);
    }
    read_source(&Source::open(path, options.decoded_limit)?, options)
}

/// As [`read_table`] for bytes that are already here.
///
/// # Errors
/// As [`read_table`].
pub fn read_source(source: &Source, options: &ReadOptions) -> Result<Table> {
    let format = choose(source, options)?;
    let look = looks_like(&source.bytes);
    if !(format.takes)(look) {
        return Err(IoError::WrongFormat {
            path: source.path.clone(),
            expected: format!("the format \"{}\"", format.name),
            looks_like: format!("{}; rename it, or name its format with --format", look.describe()),
        });
    }
    refuse_unused_options(source, format, options)?;
    let table = (format.read)(source, options)?;
    let (rows, columns) = table.values.shape();
    if rows == 0 || columns == 0 {
        let message =
            format!("the matrix has {rows} rows and {columns} columns; at least one of each is needed");
        return Err(source.unsupported(Place::Whole, message, &[]));
    }
    Ok(table)
}

/// Whether a file on disk is one of cells that can be read piece by piece: not compressed, and read as such
/// by its name or by the options.
///
/// # Errors
/// What the system reports; options that it does not take.
#[cfg(feature = "hdf5")]
pub(crate) fn is_cells_on_disk(path: &Path, options: &ReadOptions) -> Result<bool> {
    let Some(source) = Source::beginning(path)? else { return Ok(false) };
    if looks_like(&source.bytes) != Look::Hdf5 {
        return Ok(false);
    }
    let format = choose(&source, options)?;
    if !format.is_of_cells() {
        return Ok(false);
    }
    refuse_unused_options(&source, format, options).map(|()| true)
}

/// Whether a file is one of cells, with options that these take.
#[cfg(feature = "hdf5")]
pub(crate) fn is_of_cells(source: &Source, options: &ReadOptions) -> bool {
    looks_like(&source.bytes) == Look::Hdf5
        && choose(source, options).is_ok_and(|format| {
            format.is_of_cells() && refuse_unused_options(source, format, options).is_ok()
        })
}

/// The format with this name.
pub fn format_named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name.eq_ignore_ascii_case(name))
}

fn choose(source: &Source, options: &ReadOptions) -> Result<&'static Format> {
    if let Some(name) = &options.format {
        return format_named(name).ok_or_else(|| IoError::UnknownName {
            path: source.path.clone(),
            kind: "format",
            name: name.clone(),
            valid: FORMATS.iter().map(|format| format.name.to_string()).collect(),
        });
    }
    let extension = source.extension().unwrap_or_default();
    let found = match source.is_standard_input() {
        true => FORMATS.iter().find(|format| (format.takes)(looks_like(&source.bytes))),
        false => FORMATS.iter().find(|format| format.extensions.contains(&extension.as_str())),
    };
    let Some(format) = found else {
        let look = looks_like(&source.bytes);
        let hint = if look == Look::Text { "; texts are read with --text" } else { "" };
        let look = look.describe();
        return Err(IoError::UnknownName {
            path: source.path.clone(),
            kind: "format with the extension",
            name: extension,
            valid: FORMATS
                .iter()
                .flat_map(|format| format.extensions)
                .map(|extension| format!(".{extension}"))
                .chain([format!("or --format (the file looks like {look}{hint})")])
                .collect(),
        });
    };
    if format.kind == FileKind::Csv && edges::has_edge_header(source.text_bytes()) {
        return Ok(format_named("edges").unwrap_or(format));
    }
    Ok(format)
}

/// An option that the format has no use for is a mistake, not something to pass over.
fn refuse_unused_options(source: &Source, format: &Format, options: &ReadOptions) -> Result<()> {
    let of_cells = format.is_of_cells();
    let table_only = options.header.is_some() || options.row_names.is_some();
    let message = if options.key.is_some() && format.kind != FileKind::Npz {
        "a key chooses an array of an .npz archive"
    } else if options.layer.is_some() && !of_cells {
        "a layer chooses a matrix of an .h5ad file or a 10x .h5 file"
    } else if table_only && format.kind != FileKind::Csv {
        "options for headers and row names apply only to text tables"
    } else if options.label_column.is_some() && format.kind != FileKind::Csv && !of_cells {
        "label columns apply only to text tables and .h5ad files"
    } else {
        return Ok(());
    };
    let message = format!("{message}, but the file was read as \"{}\"", format.name);
    Err(source.unsupported(Place::Whole, message, &[]))
}
