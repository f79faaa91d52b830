//! [`Estimate`]: how much memory a piece of work needs.

use super::{Error, Result};

/// What a process takes whatever the data: stacks of threads, buffers of chunks.
const FIXED: f64 = 4.0 * 1024.0 * 1024.0;

/// The memory that a piece of work needs, by its parts, in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// "the factors", …, with their bytes; they are needed at one time.
    pub parts: Vec<(&'static str, f64)>,
    /// What would need less.
    pub advice: Vec<String>,
}

impl Estimate {
    /// All parts together; the largest number where that is more than a machine can count.
    pub fn bytes(&self) -> u64 {
        (FIXED + self.parts.iter().map(|(_, bytes)| bytes).sum::<f64>()) as u64
    }

    /// Refuses work that needs more than `available` bytes.
    ///
    /// # Errors
    /// [`Error::Memory`] with both numbers.
    #[doc(hidden)]
    pub fn check(&self, what: &str, available: Option<u64>) -> Result<()> {
        let needed = self.bytes();
        match available.filter(|available| needed > *available) {
            None => Ok(()),
            Some(available) => {
                let largest = self.parts.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or("", |part| part.0);
                let (what, advice) = (what.to_string(), self.advice.clone());
                Err(Error::Memory { what, needed, available, largest: largest.into(), advice })
            }
        }
    }
}
