//! [`Error`]: every error that a user can cause, with the numbers and the place.

use std::fmt;

use super::words::in_words;

/// `Result` with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// An error in the user's input. Each message states what is wrong, where, and what is valid.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A matrix or vector has the wrong shape.
    Shape {
        /// What has the wrong shape ("the codes of the start").
        what: String,
        /// The shape that is needed.
        expected: String,
        /// The shape that was given.
        found: String,
    },
    /// The data have no rows or no columns.
    Empty {
        /// Number of samples (rows).
        samples: usize,
        /// Number of features (columns).
        features: usize,
    },
    /// Entries below zero where none may be.
    Negative {
        /// The matrix that contains them ("the data", "the reference of the codes").
        what: String,
        /// How many bytes are available.
        count: usize,
        /// Row and column of the first.
        first: (usize, usize),
        /// The first value.
        value: f64,
    },
    /// A matrix that should be symmetric and is not.
    NotSymmetric {
        /// What should be symmetric.
        what: String,
        /// The first pair (i, j), i < j, at which it is not.
        pair: (usize, usize),
        /// The entries at (i, j) and at (j, i).
        values: (f64, f64),
    },
    /// NaN or infinite entries.
    NotFinite {
        /// The matrix that contains them.
        what: String,
        /// How many are NaN.
        nan: usize,
        /// How many are infinite.
        infinite: usize,
        /// Row and column of the first.
        first: (usize, usize),
    },
    /// A sparse matrix whose arrays do not describe one.
    MalformedSparse(String),
    /// A number outside its range.
    OutOfRange {
        /// The setting's name.
        name: String,
        /// The value given.
        value: String,
        /// The valid range, in words.
        valid: String,
    },
    /// A name that is not known.
    UnknownName {
        /// What kind of name ("solver", "method").
        kind: String,
        /// The name given.
        name: String,
        /// The names that exist.
        valid: Vec<String>,
    },
    /// Two choices that do not go together.
    Incompatible {
        /// What was asked.
        asked: String,
        /// Why it is not supported.
        reason: String,
        /// What can be asked instead.
        valid: Vec<String>,
    },
    /// Labels that do not fit the data or contradict each other.
    Labels(String),
    /// Guidance that is faulty in itself or contradicts itself.
    Guidance(String),
    /// The method needs guidance that is missing.
    MissingGuidance {
        /// The model.
        model: String,
        /// What it needs.
        needs: String,
    },
    /// A starting factor that can't be used.
    Start(String),
    /// More memory than there is. Nothing was allocated.
    Memory {
        /// What needs it ("a fit of 20 x 300000 with 300000 components").
        what: String,
        /// About how many bytes it needs.
        needed: u64,
        /// How many bytes are available.
        available: u64,
        /// What most of it is for ("the factors").
        largest: String,
        /// What would need less.
        advice: Vec<String>,
    },
    /// Data or a checkpoint that could not be read, or can no longer be read; the message says what, where
    /// and why.
    Unreadable(String),
    /// The computation left the finite numbers (an overflow of the chosen precision).
    Overflow {
        /// The iteration in which it happened.
        iteration: usize,
        /// What became non-finite.
        what: String,
    },
    /// A finished piece of long work that could not be kept or read.
    #[doc(hidden)]
    FinishedPieces(String),
}

impl Error {
    /// [`Error::OutOfRange`].
    pub(crate) fn out_of_range(
        name: impl Into<String>,
        value: impl fmt::Display,
        valid: impl Into<String>,
    ) -> Self {
        Error::OutOfRange { name: name.into(), value: value.to_string(), valid: valid.into() }
    }

    /// [`Error::Incompatible`].
    pub(crate) fn incompatible<S: Into<String>>(
        asked: impl Into<String>,
        reason: impl Into<String>,
        valid: impl IntoIterator<Item = S>,
    ) -> Self {
        let valid = valid.into_iter().map(Into::into).collect();
        Error::Incompatible { asked: asked.into(), reason: reason.into(), valid }
    }

    /// [`Error::Shape`].
    pub(crate) fn shape(
        what: impl Into<String>,
        expected: impl fmt::Display,
        found: impl fmt::Display,
    ) -> Self {
        Error::Shape { what: what.into(), expected: expected.to_string(), found: found.to_string() }
    }

    /// The same with the names that a front end has for settings: in an [`Error::OutOfRange`], each of
    /// `words` becomes the name in the same place.
    #[doc(hidden)]
    pub fn with_names_of_settings(self, words: &[&str], names: &[&str]) -> Self {
        let renamed =
            |text: String| words.iter().zip(names).fold(text, |text, (word, name)| text.replace(word, name));
        match self {
            Error::OutOfRange { name, value, valid } => {
                Error::OutOfRange { name: renamed(name), value, valid: renamed(valid) }
            }
            other => other,
        }
    }

    /// The choice with this name; [`Error::UnknownName`] with the valid names when there is none.
    pub(crate) fn choose<T>(
        kind: &str,
        name: &str,
        choices: impl IntoIterator<Item = (&'static str, T)>,
    ) -> Result<T> {
        let mut valid = Vec::new();
        for (known, choice) in choices {
            if known == name {
                return Ok(choice);
            }
            valid.push(known.to_string());
        }
        Err(Error::UnknownName { kind: kind.into(), name: name.into(), valid })
    }
}

/// `message`, with "; valid: a, b, c" appended when there is something to list.
fn with_valid(f: &mut fmt::Formatter<'_>, message: &str, valid: &[String]) -> fmt::Result {
    write!(f, "{message}")?;
    if !valid.is_empty() {
        write!(f, "; valid: {}", valid.join(", "))?;
    }
    Ok(())
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Shape { what, expected, found } => {
                write!(f, "{what}: the shape is {found}, but {expected} is needed")
            }
            Error::Empty { samples, features } => {
                write!(
                    f,
                    "the data are empty ({samples} samples x {features} features); at least one sample and one feature are needed"
                )
            }
            Error::Negative { what, count, first: (i, j), value } => write!(
                f,
                "{what}: {count} negative {}, the first in row {i}, column {j} (counted from 0): {value}; all entries must be 0 or more",
                if *count == 1 { "entry" } else { "entries" }
            ),
            Error::NotSymmetric { what, pair: (i, j), values: (a, b) } => write!(
                f,
                "{what}: not symmetric, the entry of the pair ({i}, {j}) (counted from 0) is {a}, that of ({j}, {i}) is {b}; they may differ by rounding only (7.6e-6 of the largest entry)"
            ),
            Error::NotFinite { what, nan, infinite, first: (i, j) } => write!(
                f,
                "{what}: {nan} NaN and {infinite} infinite entries, the first in row {i}, column {j} (counted from 0); all entries must be finite"
            ),
            Error::MalformedSparse(message) => write!(f, "the sparse matrix is malformed: {message}"),
            Error::OutOfRange { name, value, valid } => write!(f, "{name} is {value}, but must be {valid}"),
            Error::UnknownName { kind, name, valid } => {
                with_valid(f, &format!("unknown {kind} \"{name}\""), valid)
            }
            Error::Incompatible { asked, reason, valid } => {
                with_valid(f, &format!("not supported: {asked}, because {reason}"), valid)
            }
            Error::Labels(message) => write!(f, "labels: {message}"),
            Error::Guidance(message) => write!(f, "guidance: {message}"),
            Error::MissingGuidance { model, needs } => write!(f, "{model} needs {needs}"),
            Error::Start(message) => write!(f, "start: {message}"),
            Error::Memory { what, needed, available, largest, advice } => {
                write!(
                    f,
                    "{what} needs about {} of memory, most of it for {largest}, but {} are available",
                    in_words(*needed),
                    in_words(*available)
                )?;
                if advice.is_empty() {
                    Ok(())
                } else {
                    write!(f, "; it needs less with {}", advice.join(", or "))
                }
            }
            Error::Unreadable(message) => write!(f, "{message}"),
            Error::Overflow { iteration, what } => write!(
                f,
                "iteration {iteration}: {what} overflowed; scale the data (for example to a maximum of 1) or \
                use f64"
            ),
            Error::FinishedPieces(message) => write!(f, "{message}"),
        }
    }
}

impl std::error::Error for Error {}
