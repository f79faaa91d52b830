//! [`Unit`]: what a protocol is asked to run at a time, and what it gives.

use std::fmt;

use super::Library;

/// How much of an experiment is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Full,
    /// The grids and iterations that the head of the protocol's file lists, for a look in minutes.
    Reduced,
}

impl Extent {
    /// `full` or `reduced`.
    pub fn name(self) -> &'static str {
        if self == Extent::Reduced { "reduced" } else { "full" }
    }
}

/// What is measured: a data set, a share of labels; and where on the protocol's axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The data set, the share of labels.
    pub name: String,
    /// The place on the protocol's axis.
    pub x: Option<f64>,
}

impl Case {
    /// A case that has no axis.
    pub fn new(name: impl Into<String>) -> Self {
        Case { name: name.into(), x: None }
    }

    /// A case at a place of the axis.
    pub fn at(name: impl Into<String>, x: f64) -> Self {
        Case { name: name.into(), x: Some(x) }
    }
}

/// The name and, after a space, the place: how a case is asked for.
impl fmt::Display for Case {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.name)?;
        self.x.map_or(Ok(()), |x| write!(out, " {x}"))
    }
}

/// Which unit.
#[derive(Clone, Debug, PartialEq)]
pub struct UnitId {
    /// The case.
    pub case: Case,
    /// The group of methods.
    pub group: &'static str,
    /// The draw, from 0.
    pub draw: u64,
}

/// One unit of work, and where its data come from.
#[derive(Clone, Copy)]
pub struct Unit<'a> {
    /// Where the data come from.
    pub library: &'a dyn Library,
    /// How much is run.
    pub extent: Extent,
    /// The case.
    pub case: &'a Case,
    /// The group of methods.
    pub group: &'a str,
    /// The draw, from 0.
    pub draw: u64,
}

impl Unit<'_> {
    /// A row of this unit's case and draw, without scores.
    pub fn row(&self, method: impl Into<String>) -> Row {
        Row {
            case: self.case.clone(),
            method: method.into(),
            draw: self.draw,
            solver: String::new(),
            detail: String::new(),
            scores: Vec::new(),
        }
    }
}

/// What a unit gives.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Outcome {
    /// One or more rows. A unit may give rows of further cases than its own.
    pub rows: Vec<Row>,
    /// Pictures for the report.
    pub pictures: Vec<Picture>,
}

impl From<Vec<Row>> for Outcome {
    fn from(rows: Vec<Row>) -> Self {
        Outcome { rows, pictures: Vec::new() }
    }
}

impl From<Row> for Outcome {
    fn from(row: Row) -> Self {
        Outcome::from(vec![row])
    }
}

/// One result.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The case.
    pub case: Case,
    /// The method, with the settings that the protocol varies and the reading of its codes.
    pub method: String,
    /// The draw, from 0.
    pub draw: u64,
    /// The solver and its number of iterations. May be empty.
    pub solver: String,
    /// What was chosen on the way: costs, ranks. May be empty.
    pub detail: String,
    /// (name, value).
    pub scores: Vec<(String, f64)>,
}

impl Row {
    /// The same with scores added.
    #[must_use]
    pub fn with(mut self, scores: impl IntoIterator<Item = (&'static str, f64)>) -> Self {
        self.scores.extend(scores.into_iter().map(|(name, value)| (name.to_string(), value)));
        self
    }

    /// The same with its solver.
    #[must_use]
    pub fn by(mut self, solver: impl Into<String>) -> Self {
        self.solver = solver.into();
        self
    }

    /// The same with what was chosen on the way.
    #[must_use]
    pub fn noting(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    /// The same for another case.
    #[must_use]
    pub fn of(mut self, case: Case) -> Self {
        self.case = case;
        self
    }

    /// The value of a score.
    pub fn score(&self, name: &str) -> Option<f64> {
        self.scores.iter().find(|(other, _)| other == name).map(|(_, value)| *value)
    }
}

/// A grid of grey images.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The name of its file.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// Height and width of one image.
    pub shape: (usize, usize),
    /// Rows of images (each height × width, row-major) with the name of the row; each image is scaled to its
    /// own largest value.
    pub rows: Vec<(String, Vec<Vec<f64>>)>,
}
