//! Files for Partwise: data in several formats, labels, names, model files, and results that are written
//! whole or not at all.
//!
//! [`read_table`] is the entrance for data: it picks a format from [`FORMATS`] and returns a [`Table`].
//! Readers take any bytes without a panic and without believing declared sizes; every error is an [`IoError`]
//! that states the file, the place in it, and what is valid. Whatever a reader decided on its own is in the
//! table's notes.
//!
//! ```
//! use partwise::{Model, Settings, fit};
//! use partwise_io::{ReadOptions, read_table};
//!
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("counts.csv");
//! std::fs::write(&file, "text,ball,goal,court\nd1,3,2,0\nd2,2,1,0\nd3,0,0,3\n")?;
//!
//! let table = read_table(&file, &ReadOptions::default())?;
//! assert_eq!(table.row_names.as_deref(), Some(&["d1".into(), "d2".into(), "d3".into()][..]));
//! let data = table.values.into_data::<f64>()?;
//! let fit = fit(data.as_ref(), &Model::nmf(), &Settings::new(2))?;
//! assert_eq!(fit.codes.shape(), (3, 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `examples/topics.rs` goes on from there: seed words, top words, a model file, new rows.

mod cell_statistics;
mod cells;
mod checkpoint;
mod cnmf_files;
mod consensus_files;
mod csv_write;
mod digits;
mod documents;
mod duplicates;
mod error;
mod finished_fits;
mod folder;
mod formats;
mod formulas;
pub mod guidance_file;
mod guidance_record;
mod hash;
pub mod labels;
mod lines;
pub mod links;
pub mod machine;
mod matching;
mod missing;
pub mod model;
mod model_checks;
mod model_fields;
mod name_index;
mod names;
mod npy_header;
mod output_folder;
mod output_lock;
mod python_literal;
mod records;
mod reference;
mod result_files;
mod row_name_headers;
mod scaling_record;
mod series;
mod snippets;
mod source;
mod sparse;
mod table;
mod tcp;
mod text;
mod toml_serde;
mod toml_text;
mod toml_value;
pub mod topics;
mod write;

pub use checkpoint::{CheckpointFile, fit_description};
pub use cnmf_files::{CnmfNames, cnmf_readme, write_cnmf_matrix, write_cnmf_selection};
pub use consensus_files::{consensus_json, consensus_readme, write_consensus_csv, write_stability_csv};
pub use csv_write::{
    Memberships, number_text, write_documents_csv, write_guidance_report_csv, write_matrix_csv,
    write_memberships_csv,
};
pub use digits::{Digits, digits};
pub use documents::{
    CountSettings, DocumentLimit, DocumentOptions, Documents, StopWords, Vocabulary, documents_of,
    read_documents,
};
pub use duplicates::repeated_note;
pub use error::{IoError, Place, Result};
pub use finished_fits::PieceFolder;
pub use formats::block_file::{BlockFile, FileBlocks};
pub use formats::pwx::{BLOCK_VALUES, PwxFile, convert_to_pwx, write_row_blocks};
pub use formats::write_npy;
pub use formats::{DECODED_LIMIT, FORMATS, Format, ReadOptions, format_named, read_source, read_table};
pub use formats::{csv_table, edges, matrix_market};
pub use guidance_file::{FileItem, GuidanceFile, Origin, ReadItem, read_graph, read_guidance, rows_by_name};
pub use guidance_record::{GUIDED, NamedTable, guidance_document, guidance_of_document};
pub use hash::{sha256_hex, sha256_of_path};
pub use labels::{LabelOptions, LabelTable, read_labels, read_labels_column, read_labels_with};
pub use lines::{names_of, read_lines, read_names};
pub use links::{LinkTable, read_links};
pub use matching::{Matched, order_by_name, places_by_name, same_names};
pub use missing::{is_missing, is_missing_label, looks_unknown};
pub use model::{MODEL_FORMAT, ModelFile, Tensor, versions};
pub use model_fields::encoding_json;
pub use names::{DataNames, FoundBy};
pub use output_folder::OutputFolder;
pub use reference::{Reference, read_reference, reference_of};
pub use result_files::RESULT_MARK;
pub use scaling_record::scaling_json;
pub use snippets::read_snippets;
pub use source::{STANDARD_INPUT, Source};
pub use table::{DenseValues, FileKind, Table, Values};
pub use tcp::{TcpTimeouts, TcpTransport};
pub use text::nearest;
pub use topics::{TopicEntry, TopicTable, read_topics};
pub use write::{discard_unfinished, write_atomic};
