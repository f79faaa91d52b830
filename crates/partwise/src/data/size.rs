//! [`DataSize`]: the sizes of data, and the bytes that follow from them.

use super::DataMatrix;
use crate::foundation::Real;

/// Bytes of an index of a sparse entry.
pub(crate) const INDEX: f64 = 4.0;
/// Bytes of an offset of a row, of an `f64`.
pub(crate) const WORD: f64 = 8.0;

/// The sizes of data, as the estimates need them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DataSize {
    /// n.
    pub samples: usize,
    /// d.
    pub features: usize,
    /// Stored values: n·d for dense data.
    pub stored: usize,
    /// Whether only non-zeros are stored.
    pub sparse: bool,
    /// Bytes of a number: 4 (`f32`) or 8 (`f64`).
    pub number: usize,
}

impl DataSize {
    /// Those of data at hand.
    pub fn of<T: Real>(data: &dyn DataMatrix<T>) -> Self {
        DataSize {
            samples: data.n_samples(),
            features: data.n_features(),
            stored: data.n_stored(),
            sparse: data.is_sparse(),
            number: size_of::<T>(),
        }
    }

    /// n.
    pub(crate) fn rows(&self) -> f64 {
        self.samples as f64
    }

    /// d.
    pub(crate) fn columns(&self) -> f64 {
        self.features as f64
    }

    /// Bytes of the data themselves.
    #[doc(hidden)]
    pub fn bytes(&self) -> f64 {
        match self.sparse {
            true => self.stored as f64 * (INDEX + self.number as f64) + WORD * (self.rows() + 1.0),
            false => self.stored as f64 * self.number as f64,
        }
    }

    /// Row and column sums, and the lists of rows and columns of zeros, of which sparse data may have many.
    #[doc(hidden)]
    pub fn sums(&self) -> f64 {
        let zeros = if self.sparse { WORD } else { 0.0 };
        (WORD + zeros) * (self.rows() + self.columns()) + self.columns()
    }

    /// The columns of sparse data, and where the next entry of each row and column goes while they are built.
    #[doc(hidden)]
    pub fn transpose(&self) -> f64 {
        match self.sparse {
            true => {
                self.stored as f64 * (INDEX + self.number as f64)
                    + 2.0 * WORD * self.columns()
                    + WORD * self.rows()
            }
            false => 0.0,
        }
    }
}
