//! [`Stream`]: numbers by position, from ChaCha8.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Uniform numbers on (0, 1), each a function of (seed, stream, row, column).
pub(crate) struct Stream {
    base: ChaCha8Rng,
}

/// Words that a row may use: 2^20, so k up to 2^19, and row r starts at word r·2^20 whatever k is.
const ROW_BITS: u32 = 20;

impl Stream {
    /// A stream by its number; numbers below 16 belong to the factors.
    pub(crate) fn numbered(seed: u64, number: u64) -> Self {
        let mut base = ChaCha8Rng::seed_from_u64(seed);
        base.set_stream(number);
        Stream { base }
    }

    /// The first `out.len()` numbers of a row.
    pub(crate) fn fill(&self, row: usize, out: &mut [f64]) {
        let mut rng = self.base.clone();
        rng.set_word_pos((row as u128) << ROW_BITS);
        for value in out {
            *value = uniform(&mut rng);
        }
    }
    /// Puts `items` in the random order of a row: each order is as likely as the others, up to the 2⁻⁵³ of a
    /// uniform number (Fisher–Yates).
    pub(crate) fn shuffle(&self, row: usize, items: &mut [u32]) {
        let mut rng = self.base.clone();
        rng.set_word_pos((row as u128) << ROW_BITS);
        for last in (1..items.len()).rev() {
            let chosen = (uniform(&mut rng) * (last + 1) as f64) as usize;
            items.swap(last, chosen.min(last));
        }
    }
}

/// The next number on (0, 1).
fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    // 53 bits, moved off 0 by half a step: multiplicative updates could not leave a zero.
    ((rng.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}
