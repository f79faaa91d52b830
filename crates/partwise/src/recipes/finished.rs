//! Finished pieces of long work, so that work that was killed goes on where it was.
//!
//! A recipe that repeats whole fits gives each of them a key. It asks the [`FinishedPieces`] for the piece
//! first, and keeps what it computed. The library writes no files: a front end brings the implementation in a
//! folder (`PieceFolder` of `partwise-io`), and [`InMemory`] is the one that lasts as long as the process.
//!
//! A piece depends on its key, the data and the settings only, so the result has the same bits with and
//! without an interruption. That pieces of other data or settings are refused is the business of the
//! implementation.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use bytemuck::{cast_slice, cast_slice_mut};

use crate::foundation::{Error, Matrix, Real, Result};

/// Keeps finished pieces of work by their keys. Several threads ask and keep at the same time.
pub trait FinishedPieces: Sync {
    /// The piece with this key, if it is finished.
    ///
    /// # Errors
    /// [`Error::FinishedPieces`] if it can't be read.
    fn find(&self, key: &str) -> Result<Option<Vec<u8>>>;

    /// Keeps a finished piece. Keys consist of lower-case letters, digits and hyphens.
    ///
    /// # Errors
    /// [`Error::FinishedPieces`] if it can't be kept: the work then ends, because it could not go on later.
    fn keep(&self, key: &str, piece: &[u8]) -> Result<()>;
}

/// Pieces that last as long as this value.
#[derive(Debug, Default)]
pub struct InMemory(Mutex<BTreeMap<String, Vec<u8>>>);

impl FinishedPieces for InMemory {
    fn find(&self, key: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned())
    }

    fn keep(&self, key: &str, piece: &[u8]) -> Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key.into(), piece.to_vec());
        Ok(())
    }
}

/// The numbers of the piece with this key: as kept, else computed now and kept. For pieces that are a few
/// scores.
///
/// # Errors
/// Those of the finished and of `compute`.
pub fn numbers_of(
    finished: &dyn FinishedPieces,
    key: &str,
    compute: impl FnOnce() -> Result<Vec<f64>>,
) -> Result<Vec<f64>> {
    if let Some(piece) = finished.find(key)? {
        let mut piece = PieceReader::new(key, &piece);
        return piece.numbers();
    }
    let numbers = compute()?;
    finished.keep(key, &PieceWriter::default().numbers(&numbers).finish())?;
    Ok(numbers)
}

/// Writes a piece: lists of numbers, texts and matrices, in order, with their lengths; little endian.
#[derive(Debug, Default)]
pub struct PieceWriter(Vec<u8>);

impl PieceWriter {
    /// Adds a list of numbers.
    pub fn numbers(mut self, numbers: &[f64]) -> Self {
        self.0.extend((numbers.len() as u64).to_le_bytes());
        numbers.iter().for_each(|number| self.0.extend(number.to_le_bytes()));
        self
    }

    /// Adds a list of texts.
    pub fn texts(mut self, texts: &[String]) -> Self {
        self.0.extend((texts.len() as u64).to_le_bytes());
        for text in texts {
            self.0.extend((text.len() as u64).to_le_bytes());
            self.0.extend(text.as_bytes());
        }
        self
    }

    /// Adds a matrix, with all bits of its entries.
    pub fn matrix<T: Real>(mut self, matrix: &Matrix<T>) -> Self {
        for size in [matrix.rows(), matrix.columns(), size_of::<T>()] {
            self.0.extend((size as u64).to_le_bytes());
        }
        let bytes: &[u8] = cast_slice(matrix.as_slice());
        let from = self.0.len();
        self.0.extend(bytes);
        to_little_endian(&mut self.0[from..], size_of::<T>());
        self
    }

    /// The piece.
    pub fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Reads a piece in the order in which it was written.
#[derive(Debug)]
pub struct PieceReader<'a> {
    key: &'a str,
    rest: &'a [u8],
}

impl<'a> PieceReader<'a> {
    /// `key` is for messages.
    pub fn new(key: &'a str, piece: &'a [u8]) -> Self {
        PieceReader { key, rest: piece }
    }

    fn fault(&self) -> Error {
        Error::FinishedPieces(format!(
            "the finished piece \"{}\" does not have the form of such a piece",
            self.key
        ))
    }

    fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(|| self.fault())?;
        self.rest = rest;
        Ok(taken)
    }

    fn size(&mut self) -> Result<usize> {
        let bytes = self.bytes(8)?.try_into().map_err(|_| self.fault())?;
        usize::try_from(u64::from_le_bytes(bytes)).map_err(|_| self.fault())
    }

    /// The next list of numbers.
    ///
    /// # Errors
    /// [`Error::FinishedPieces`] if there is none.
    pub fn numbers(&mut self) -> Result<Vec<f64>> {
        let count = self.size()?.checked_mul(8).ok_or_else(|| self.fault())?;
        let number = |bytes: &[u8]| bytes.try_into().map(f64::from_le_bytes).map_err(|_| self.fault());
        let bytes = PieceReader { key: self.key, rest: self.rest }.bytes(count)?;
        let numbers = bytes.chunks_exact(8).map(number).collect::<Result<_>>()?;
        self.rest = &self.rest[count..];
        Ok(numbers)
    }

    /// The next list of texts.
    ///
    /// # Errors
    /// [`Error::FinishedPieces`] if there is none.
    pub fn texts(&mut self) -> Result<Vec<String>> {
        let count = self.size()?;
        let mut texts = Vec::new();
        for _ in 0..count {
            let length = self.size()?;
            let text = str::from_utf8(self.bytes(length)?).map_err(|_| self.fault())?;
            texts.push(text.to_string());
        }
        Ok(texts)
    }

    /// The next matrix.
    ///
    /// # Errors
    /// [`Error::FinishedPieces`] if there is none, or one of another number type.
    pub fn matrix<T: Real>(&mut self) -> Result<Matrix<T>> {
        let (rows, columns, size) = (self.size()?, self.size()?, self.size()?);
        let count = rows.checked_mul(columns).and_then(|count| count.checked_mul(size));
        let count = count.filter(|_| size == size_of::<T>()).ok_or_else(|| self.fault())?;
        let mut bytes = self.bytes(count)?.to_vec();
        to_little_endian(&mut bytes, size);
        let mut values = vec![T::ZERO; rows * columns];
        cast_slice_mut::<T, u8>(&mut values).copy_from_slice(&bytes);
        Matrix::from_vec(rows, columns, values)
    }
}

/// Turns each number of `size` bytes around on machines that are not little endian.
fn to_little_endian(bytes: &mut [u8], size: usize) {
    if cfg!(target_endian = "big") {
        bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_read_with_the_bits_that_were_written() {
        let single = Matrix::from_fn(3, 2, |i, j| (i as f32 + 0.1) / (j as f32 + 3.0));
        let double = single.cast::<f64>();
        let numbers = [0.1, -0.0, f64::INFINITY, f64::MIN_POSITIVE / 2.0];
        let texts = ["sport".to_string(), String::new()];
        let piece = PieceWriter::default().numbers(&numbers).texts(&texts).matrix(&single).matrix(&double);
        let piece = piece.finish();
        let mut reader = PieceReader::new("k2-restart1", &piece);
        let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&reader.numbers().unwrap()), bits(&numbers));
        assert_eq!(reader.texts().unwrap(), texts);
        assert_eq!(reader.matrix::<f32>().unwrap(), single);
        assert_eq!(reader.matrix::<f64>().unwrap(), double);
        assert!(reader.numbers().unwrap_err().to_string().contains("k2-restart1"), "nothing is left");
    }

    #[test]
    fn a_cut_piece_is_an_error() {
        let piece = PieceWriter::default().matrix(&Matrix::<f32>::zeros(2, 2)).finish();
        for length in 0..piece.len() {
            assert!(PieceReader::new("a", &piece[..length]).matrix::<f32>().is_err(), "{length}");
        }
        assert!(PieceReader::new("a", &piece).matrix::<f64>().is_err(), "another number type");
        assert!(PieceReader::new("a", &u64::MAX.to_le_bytes()).numbers().is_err());
    }

    #[test]
    fn numbers_are_computed_once() {
        let kept = InMemory::default();
        let first = numbers_of(&kept, "k2-split1", || Ok(vec![0.25])).unwrap();
        let again = numbers_of(&kept, "k2-split1", || panic!("computed again")).unwrap();
        assert_eq!((first, again), (vec![0.25], vec![0.25]));
        let fault = numbers_of(&kept, "k2-split2", || Err(Error::FinishedPieces("full".into())));
        assert!(fault.is_err() && kept.find("k2-split2").unwrap().is_none());
    }
}
