//! [`IoError`]: what was wrong with a file, where in it, and what is valid.

use std::fmt;
use std::path::{Path, PathBuf};

/// `Result` with this crate's [`IoError`].
pub type Result<T> = std::result::Result<T, IoError>;

/// Where in a file a fault is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The file as a whole.
    Whole,
    /// A line, counted from 1.
    Line(u64),
    /// A cell of a table.
    Cell {
        /// The line, counted from 1.
        line: u64,
        /// The column, counted from 1 (the row-name column counts too).
        column: usize,
        /// The column's name, if the table names it.
        name: Option<String>,
    },
    /// A character of a text.
    Character {
        /// The line, counted from 1.
        line: u64,
        /// The character in the line, counted from 1.
        column: usize,
    },
    /// Bytes from the start of the file as stored.
    Byte(u64),
    /// Bytes that could be decompressed before the fault.
    Decoded(u64),
    /// A member of an archive, or a tensor of a model file.
    Member(String),
    /// A sample (row), counted from 0.
    Sample(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Whole => Ok(()),
            Place::Line(line) => write!(f, "line {line}: "),
            Place::Cell { line, column, name: Some(name) } => {
                write!(f, "line {line}, column {column} (\"{name}\"): ")
            }
            Place::Cell { line, column, name: None } => write!(f, "line {line}, column {column}: "),
            Place::Character { line, column } => write!(f, "line {line}, column {column}: "),
            Place::Byte(byte) => write!(f, "byte {byte}: "),
            Place::Decoded(bytes) => write!(f, "after {bytes} decompressed bytes: "),
            Place::Member(name) => write!(f, "\"{name}\": "),
            Place::Sample(sample) => write!(f, "sample {sample} (counted from 0): "),
        }
    }
}

/// An error in a file, or in how it should be read. Each message names the file and the place, and states
/// what is wrong and what is valid.
#[derive(Debug)]
#[non_exhaustive]
pub enum IoError {
    /// The system refused: not found, no permission, disk full.
    System {
        /// The file or folder.
        path: PathBuf,
        /// What was tried ("open", "write").
        doing: &'static str,
        /// The message of the operating system.
        source: std::io::Error,
    },
    /// There is nothing in the file.
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The content breaks the rules of its format.
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where in it.
        place: Place,
        /// What is wrong.
        message: String,
    },
    /// The content is valid but not supported here (complex numbers, a 1-D array).
    Unsupported {
        /// The file.
        path: PathBuf,
        /// Where in it.
        place: Place,
        /// What it holds.
        message: String,
        /// What can be used instead.
        valid: Vec<String>,
    },
    /// The file does not have the format of its name (or the requested format).
    WrongFormat {
        /// The file.
        path: PathBuf,
        /// What it was to be read as.
        expected: String,
        /// What its first bytes look like.
        looks_like: String,
    },
    /// A name that isn't known: a format, an array of an archive, a column.
    UnknownName {
        /// The file.
        path: PathBuf,
        /// What kind of name.
        kind: &'static str,
        /// The name given.
        name: String,
        /// The names that exist.
        valid: Vec<String>,
    },
    /// Something that would have to be overwritten exists.
    Exists {
        /// The folder or file.
        path: PathBuf,
        /// What can be done.
        advice: String,
    },
    /// Another run is writing what this one would write.
    Busy {
        /// The folder or file.
        path: PathBuf,
    },
    /// The content is valid but does not match the other data (a count, a shape).
    Mismatch {
        /// The file.
        path: PathBuf,
        /// Where in it.
        place: Place,
        /// What doesn't fit.
        message: String,
    },
}

impl IoError {
    /// The file or folder that the fault is about.
    pub fn path(&self) -> &Path {
        match self {
            IoError::System { path, .. }
            | IoError::Empty { path }
            | IoError::Malformed { path, .. }
            | IoError::Unsupported { path, .. }
            | IoError::WrongFormat { path, .. }
            | IoError::UnknownName { path, .. }
            | IoError::Exists { path, .. }
            | IoError::Busy { path }
            | IoError::Mismatch { path, .. } => path,
        }
    }

    pub(crate) fn system(path: &Path, doing: &'static str, source: std::io::Error) -> Self {
        IoError::System { path: path.to_path_buf(), doing, source }
    }

    pub(crate) fn malformed(path: &Path, place: Place, message: impl Into<String>) -> Self {
        IoError::Malformed { path: path.to_path_buf(), place, message: message.into() }
    }

    pub(crate) fn unsupported(path: &Path, place: Place, message: impl Into<String>, valid: &[&str]) -> Self {
        IoError::Unsupported {
            path: path.to_path_buf(),
            place,
            message: message.into(),
            valid: valid.iter().map(ToString::to_string).collect(),
        }
    }

    pub(crate) fn mismatch(path: &Path, place: Place, message: impl Into<String>) -> Self {
        IoError::Mismatch { path: path.to_path_buf(), place, message: message.into() }
    }
}

impl fmt::Display for IoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path().display())?;
        match self {
            IoError::System { doing, source, .. } => write!(f, "cannot {doing}: {source}"),
            IoError::Empty { .. } => write!(f, "the file is empty"),
            IoError::Malformed { place, message, .. } | IoError::Mismatch { place, message, .. } => {
                write!(f, "{place}{message}")
            }
            IoError::Unsupported { place, message, valid, .. } => {
                write!(f, "{place}{message}")?;
                if !valid.is_empty() {
                    write!(f, "; valid: {}", valid.join(", "))?;
                }
                Ok(())
            }
            IoError::WrongFormat { expected, looks_like, .. } => {
                write!(f, "this is not {expected}, it looks like {looks_like}")
            }
            IoError::UnknownName { kind, name, valid, .. } => {
                write!(f, "there is no {kind} \"{name}\"; valid: {}", valid.join(", "))
            }
            IoError::Exists { advice, .. } => write!(f, "it already exists; {advice}"),
            IoError::Busy { .. } => {
                write!(f, "another run of Partwise is writing it; wait for it, or choose another folder")
            }
        }
    }
}

impl std::error::Error for IoError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            IoError::System { source, .. } => Some(source),
            _ => None,
        }
    }
}
