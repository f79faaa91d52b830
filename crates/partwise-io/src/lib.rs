//! Files for Partwise: data in several formats, labels, names, model files, and results that are written whole or
//! not at all.
//!
//! [`read_table`] is the entrance for data: it picks a format from [`FORMATS`] and returns a [`Table`]. Readers take
//! any bytes without a panic and without believing declared sizes; every fault is an [`IoError`] that says which
//! file, where in it, and what is valid. Whatever a reader decided on its own is in the table's notes.

mod cells;
mod census;
mod corners;
pub mod csv_table;
mod csv_write;
mod digits;
pub mod edges;
mod error;
mod formats;
mod formulas;
pub mod guidance_file;
mod guidance_record;
mod hash;
mod label_list;
mod label_text;
pub mod labels;
mod layout;
mod lines;
pub mod links;
pub mod machine;
mod matching;
pub mod matrix_market;
mod missing;
pub mod model;
mod model_checks;
mod names;
mod npy;
mod npz;
mod output_folder;
mod output_lock;
mod python_literal;
mod records;
mod reference;
mod repeated;
mod scaling_record;
mod series;
mod source;
mod sparse;
mod table;
mod text;
mod toml_text;
pub mod topics;
mod write;
mod written;

pub use csv_write::{
    Memberships, number_text, write_guidance_report_csv, write_matrix_csv, write_memberships_csv,
};
pub use digits::{Digits, digits};
pub use error::{IoError, Place, Result};
pub use formats::{DECODED_LIMIT, FORMATS, Format, ReadOptions, format_named, read_source, read_table};
pub use guidance_file::{GuidanceFile, read_guidance};
pub use guidance_record::{NamedTable, guidance_document, guidance_of_document};
pub use hash::sha256_hex;
pub use labels::{LabelOptions, LabelTable, read_labels, read_labels_column, read_labels_with};
pub use lines::{names_of, read_lines, read_names};
pub use links::{LinkTable, read_links};
pub use matching::{Matched, order_by_name, places_by_name};
pub use missing::{is_missing, is_missing_label, looks_unknown};
pub use model::{MODEL_FORMAT, ModelFile, Tensor, versions};
pub use names::{DataNames, FoundBy};
pub use npy::write_npy;
pub use output_folder::OutputFolder;
pub use reference::{Reference, read_reference, reference_of};
pub use repeated::repeated_note;
pub use scaling_record::scaling_json;
pub use source::{STANDARD_INPUT, Source};
pub use table::{DenseValues, FileKind, Table, Values};
pub use text::nearest;
pub use topics::{TopicEntry, TopicTable, read_topics};
pub use write::{discard_unfinished, write_atomic};
pub use written::RESULT_MARK;
