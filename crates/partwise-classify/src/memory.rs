//! How much memory a classification needs, from sizes alone, before anything is allocated.

use partwise::memory::{DataSize, Estimate};

/// Bytes of an index of a sparse entry, and of an `f64`.
const INDEX: f64 = 4.0;
const WORD: f64 = 8.0;

/// What [`classify`](crate::classify) needs for so many classes: unit rows, graphs of neighbours, fits with
/// up to `per_class` components per class, and the inner products of the samples.
pub fn estimate(size: DataSize, classes: usize, per_class: usize) -> Estimate {
    let (n, d, number) = (size.samples as f64, size.features as f64, size.number as f64);
    let graph = n * 7.0 * 2.0 * (INDEX + WORD);
    let rank = classes.saturating_mul(per_class);
    Estimate {
        parts: vec![
            ("the sums of rows and columns", 2.0 * size.sums()),
            ("the rows at unit length", size.bytes() + size.transpose()),
            ("graphs of neighbours", 8.0 * graph + 64.0 * n * number),
            ("fits", 3.0 * ((n + d) * rank as f64 * number)),
            ("posteriors", 12.0 * n * classes as f64 * WORD),
            ("inner products", n.min(d).min(1000.0) * (n + d) * WORD),
        ],
        advice: vec!["fewer rows or columns".into(), "numbers in f32".into()],
    }
}

/// What [`train`](crate::train) needs beside that, for so many classes: the samples and rules that predict
/// new rows.
pub(crate) fn of_predictor(size: DataSize, classes: usize) -> (&'static str, f64) {
    let (n, d, c) = (size.samples as f64, size.features as f64, classes as f64);
    ("the samples and rules for new rows", size.bytes() + (8.0 * n + 4.0 * d) * c * WORD)
}
