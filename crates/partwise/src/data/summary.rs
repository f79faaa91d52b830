//! [`Summary`]: what one pass over the data finds.

/// Sums, extremes and faults of a data matrix, from one pass over its stored values.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Σ x over the finite entries.
    pub sum: f64,
    /// Σ x² over the finite entries (‖X‖²).
    pub squared_norm: f64,
    /// The largest entry (0 for a matrix without stored values).
    pub max: f64,
    /// How many entries are below zero.
    pub negative: usize,
    /// Row, column and value of the first negative entry (in row order).
    pub first_negative: Option<(usize, usize, f64)>,
    /// How many entries are NaN.
    pub nan: usize,
    /// How many entries are infinite.
    pub infinite: usize,
    /// Row and column of the first NaN or infinite entry (in row order).
    pub first_not_finite: Option<(usize, usize)>,
    /// Row sums (n).
    pub row_sums: Vec<f64>,
    /// Column sums (d).
    pub column_sums: Vec<f64>,
    /// Rows without a non-zero entry, ascending.
    pub zero_rows: Vec<usize>,
    /// Columns without a non-zero entry, ascending.
    pub zero_columns: Vec<usize>,
}
