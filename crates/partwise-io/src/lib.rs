//! Files for Partwise: data in several formats, labels, names, model files, and results that are written whole or
//! not at all.
//!
//! [`read_table`] is the entrance for data: it picks a format from [`FORMATS`] and returns a [`Table`]. Readers take
//! any bytes without a panic and without believing declared sizes; every fault is an [`IoError`] that says which
//! file, where in it, and what is valid. Whatever a reader decided on its own is in the table's notes.

pub mod csv_table;
mod csv_write;
pub mod edges;
mod error;
mod formats;
pub mod guidance_file;
mod guidance_record;
mod hash;
pub mod labels;
mod lines;
pub mod links;
pub mod matrix_market;
pub mod model;
mod names;
mod npy;
mod npz;
mod python_literal;
mod records;
mod reference;
mod scaling_record;
mod source;
mod sparse;
mod table;
mod text;
mod toml_text;
pub mod topics;
mod write;

pub use csv_write::{
    Memberships, number_text, write_guidance_report_csv, write_matrix_csv, write_memberships_csv,
};
pub use error::{IoError, Place, Result};
pub use formats::{DECODED_LIMIT, FORMATS, Format, ReadOptions, format_named, read_source, read_table};
pub use guidance_file::{GuidanceFile, read_guidance};
pub use hash::sha256_hex;
pub use labels::{LabelTable, read_labels, read_labels_column};
pub use lines::{read_lines, read_names};
pub use links::{LinkTable, read_links};
pub use model::{MODEL_FORMAT, ModelFile, Tensor};
pub use names::DataNames;
pub use npy::write_npy;
pub use reference::{Reference, read_reference};
pub use scaling_record::scaling_json;
pub use source::Source;
pub use table::{DenseValues, FileKind, Table, Values};
pub use topics::{TopicEntry, TopicTable, read_topics};
pub use write::{OutputFolder, RESULT_MARK, write_atomic};
