//! Scores that are linear in the row: what gives those of samples gives those of new rows.

use partwise::internals::times;
use partwise::{DataMatrix, Matrix, Real};

/// Linear functions of a row: X·weights − offsets.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LinearScores {
    /// d × c.
    pub(crate) weights: Matrix<f64>,
    /// One for each column.
    pub(crate) offsets: Vec<f64>,
}

impl LinearScores {
    /// Of the rows of `data` (n × d): n × c.
    pub(crate) fn of<T: Real>(&self, data: &dyn DataMatrix<T>) -> Matrix<f64> {
        let mut scores = times(data, &self.weights);
        for i in 0..scores.rows() {
            scores.row_mut(i).iter_mut().zip(&self.offsets).for_each(|(score, offset)| *score -= offset);
        }
        scores
    }
}
