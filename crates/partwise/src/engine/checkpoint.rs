//! Checkpoints: the state of the loop as bytes, so that a fit goes on where an earlier process was stopped,
//! with the same bits as if it had not been stopped.
//!
//! The state is that at the beginning of an iteration: the factors, what the stop test and the extrapolation
//! remember, what the solver remembers of each row, and the history. Everything else follows from the
//! problem. The library writes to and reads from what [`Checkpoints`] gives it; files are for the front end.

use std::io::{self, Read, Write};
use std::time::Duration;

use crate::engine::Iteration;
use crate::engine::stop::StopRule;
use crate::foundation::{Error, Matrix, Real, Result};

/// The first bytes of a state; the last one is the version.
const MARK: [u8; 8] = *b"PWSTATE\x01";
/// The most numbers that are taken in at a time, so that a length that is wrong doesn't take all memory.
const PIECE: usize = 1 << 20;

/// Where the checkpoints of a fit are kept. See [`Observer::checkpoints`](crate::Observer::checkpoints).
pub trait Checkpoints {
    /// The state to go on from, if there is one; asked for once, before the first iteration.
    fn resume(&mut self) -> Option<Box<dyn Read>>;

    /// Whether the state is to be saved now; asked before each iteration but the first.
    fn is_due(&mut self) -> bool;

    /// Saves the state: `write` writes it. A fault of the place is for the one who keeps the checkpoints to
    /// report; the fit goes on.
    fn save(&mut self, iteration: usize, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>);
}

/// The state on its way out or in: one description of what there is serves both.
pub enum Transfer<'t> {
    /// To be written.
    Save(&'t mut dyn Write),
    /// To be read.
    Load(&'t mut dyn Read),
}

/// What can go wrong on the way.
pub type Transferred = io::Result<()>;

impl Transfer<'_> {
    fn bytes(&mut self, bytes: &mut [u8]) -> Transferred {
        match self {
            Transfer::Save(out) => out.write_all(bytes),
            Transfer::Load(from) => from.read_exact(bytes),
        }
    }

    /// A number of 64 bits.
    pub(crate) fn number(&mut self, value: &mut u64) -> Transferred {
        let mut bytes = value.to_le_bytes();
        self.bytes(&mut bytes)?;
        *value = u64::from_le_bytes(bytes);
        Ok(())
    }

    /// A count.
    pub(crate) fn count(&mut self, value: &mut usize) -> Transferred {
        let mut wide = *value as u64;
        self.number(&mut wide)?;
        *value = usize::try_from(wide).map_err(|_| wrong("a count is too large"))?;
        Ok(())
    }

    /// Yes or no.
    pub(crate) fn flag(&mut self, value: &mut bool) -> Transferred {
        let mut wide = u64::from(*value);
        self.number(&mut wide)?;
        *value = match wide {
            0 => false,
            1 => true,
            _ => return Err(wrong("a mark is neither yes nor no")),
        };
        Ok(())
    }

    /// A real number.
    pub(crate) fn float(&mut self, value: &mut f64) -> Transferred {
        let mut bits = value.to_bits();
        self.number(&mut bits)?;
        *value = f64::from_bits(bits);
        Ok(())
    }

    /// A real number that may be absent.
    pub(crate) fn optional(&mut self, value: &mut Option<f64>) -> Transferred {
        let (mut there, mut number) = (value.is_some(), value.unwrap_or(0.0));
        self.flag(&mut there)?;
        self.float(&mut number)?;
        *value = there.then_some(number);
        Ok(())
    }

    /// Numbers, however many.
    pub(crate) fn values<T: Real>(&mut self, values: &mut Vec<T>) -> Transferred {
        let mut count = values.len();
        self.count(&mut count)?;
        if let Transfer::Load(_) = self {
            values.clear();
        }
        let mut start = 0;
        while start < count {
            let end = count.min(start + PIECE);
            if values.len() < end {
                values.resize(end, T::ZERO);
            }
            self.bytes(bytemuck::cast_slice_mut(&mut values[start..end]))?;
            start = end;
        }
        Ok(())
    }

    /// A matrix, whose shape is known.
    pub(crate) fn matrix<T: Real>(&mut self, matrix: &mut Matrix<T>) -> Transferred {
        let shape = matrix.shape();
        let (mut rows, mut columns) = shape;
        self.count(&mut rows)?;
        self.count(&mut columns)?;
        if (rows, columns) != shape {
            let (n, k) = shape;
            return Err(wrong(&format!("a factor has {rows} x {columns} values, but {n} x {k} are needed")));
        }
        self.bytes(bytemuck::cast_slice_mut(matrix.as_mut_slice()))
    }

    /// A matrix that may be absent, of the shape of another.
    pub(crate) fn optional_matrix<T: Real>(
        &mut self,
        matrix: &mut Option<Matrix<T>>,
        (rows, columns): (usize, usize),
    ) -> Transferred {
        let mut there = matrix.is_some();
        self.flag(&mut there)?;
        if !there {
            *matrix = None;
            return Ok(());
        }
        self.matrix(matrix.get_or_insert_with(|| Matrix::zeros(rows, columns)))
    }
}

fn wrong(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// The loop's own state, at the beginning of an iteration.
pub(crate) struct LoopState<'s> {
    pub(crate) number: &'s mut usize,
    pub(crate) kkt: &'s mut Option<f64>,
    pub(crate) rule: &'s mut StopRule,
    pub(crate) history: &'s mut Vec<Iteration>,
}

impl LoopState<'_> {
    /// Moves the loop's state, and then that of the backend.
    pub(crate) fn transfer(
        &mut self,
        transfer: &mut Transfer<'_>,
        backend: &mut dyn FnMut(&mut Transfer<'_>) -> Transferred,
    ) -> Transferred {
        let mut mark = MARK;
        transfer.bytes(&mut mark)?;
        if mark != MARK {
            return Err(wrong("it is not a checkpoint of this version of Partwise"));
        }
        transfer.count(self.number)?;
        transfer.optional(self.kkt)?;
        self.rule.transfer(transfer)?;
        let mut count = self.history.len();
        transfer.count(&mut count)?;
        let mut moved = Vec::new();
        for at in 0..count {
            let mut iteration = self.history.get(at).copied().unwrap_or(Iteration {
                number: at,
                objective: 0.0,
                kkt: None,
                elapsed: Duration::ZERO,
            });
            transfer.float(&mut iteration.objective)?;
            transfer.optional(&mut iteration.kkt)?;
            let mut nanoseconds = iteration.elapsed.as_nanos() as u64;
            transfer.number(&mut nanoseconds)?;
            iteration.elapsed = Duration::from_nanos(nanoseconds);
            moved.push(iteration);
        }
        *self.history = moved;
        if self.history.len() != *self.number {
            return Err(wrong("its history does not end at its iteration"));
        }
        backend(transfer)
    }
}

/// The error of a checkpoint that can't be read.
pub(crate) fn unreadable(error: &io::Error) -> Error {
    let why = match error.kind() {
        io::ErrorKind::UnexpectedEof => "it ends too early (a truncated file?)".to_string(),
        _ => error.to_string(),
    };
    Error::Unreadable(format!("the checkpoint can't be used: {why}"))
}

/// The result of reading a state, as an error of the library.
pub(crate) fn loaded(result: Transferred) -> Result<()> {
    result.map_err(|error| unreadable(&error))
}
