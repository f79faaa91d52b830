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

    /// How many of `count` fair coins show heads, for the entry of a row and a column (both below 2^24): the
    /// binomial number of (count, ½). Beyond 2^16 coins it is the rounded normal number of the same mean and
    /// variance.
    pub(crate) fn heads(&self, row: usize, column: usize, count: u64) -> u64 {
        let mut rng = self.base.clone();
        rng.set_word_pos(((row as u128) << 40) + ((column as u128) << 16));
        if count > 1 << 16 {
            let (radius, angle) = (uniform(&mut rng), uniform(&mut rng));
            let normal = (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos();
            let mean = count as f64 / 2.0;
            return (mean + normal * (mean / 2.0).sqrt()).round().clamp(0.0, count as f64) as u64;
        }
        let whole = (0..count / 64).map(|_| u64::from(rng.next_u64().count_ones())).sum::<u64>();
        let rest = rng.next_u64() & ((1 << (count % 64)) - 1);
        whole + u64::from(rest.count_ones())
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
