//! Whether labels guide raw counts, which is reported.

use crate::data::DataMatrix;
use crate::engine::losses::Loss;
use crate::foundation::{Notice, Real};
use crate::guidance::Advice;
use crate::methods::Model;

/// How many rows are looked at for entries that are no counts.
const COUNT_ROWS: usize = 200;
/// From this multiple of the mean entry above 0 on, the largest one outweighs the others.
const LONG_TAIL: f64 = 20.0;

/// That labels guide raw counts, where a few large ones outweigh the rest. The squared loss alone measures
/// them so; weights of the features are an answer to it.
pub(super) fn raw_counts_notice<T: Real>(data: &dyn DataMatrix<T>, model: &Model) -> Option<Notice> {
    let labelled = model.guidance.labels().is_some_and(|labels| labels.n_labelled() > 0);
    let weighted = model.guidance.advice().iter().any(|item| matches!(item, Advice::FeatureWeights(_)));
    if !labelled || weighted || model.loss != Loss::Frobenius {
        return None;
    }
    raw_counts(data)
}

/// That `data` are raw counts, of which a few outweigh the rest where rows are compared by their entries.
pub fn raw_counts<T: Real>(data: &dyn DataMatrix<T>) -> Option<Notice> {
    are_raw_counts(data).then(|| Notice {
        code: "raw-counts",
        message: "the data are raw counts, of which a few are far larger than the rest and outweigh them; weight \
            words by tf-idf (--scale tfidf, TfidfVectorizer); divide counts of cells by the total of the cell \
            and take logarithms"
            .into(),
    })
}

/// Whether sparse data are whole numbers with a long tail.
fn are_raw_counts<T: Real>(data: &dyn DataMatrix<T>) -> bool {
    let summary = data.summary();
    let mean = summary.sum / summary.non_zeros.max(1) as f64;
    if !data.is_sparse() || data.blocks().is_some() || mean < 1.0 || summary.max < LONG_TAIL * mean {
        return false;
    }
    let mut row = vec![0.0; data.n_features()];
    let step = data.n_samples().div_ceil(COUNT_ROWS).max(1);
    (0..data.n_samples()).step_by(step).all(|i| {
        data.add_row(i, 1.0, &mut row);
        data.non_zero_features(i).into_iter().all(|f| std::mem::take(&mut row[f as usize]).fract() == 0.0)
    })
}
