//! What is refused, and what the user should know about the labels and rows.

use partwise::{DataMatrix, Error, Labels, Notice, Real, Result};

pub(crate) fn check_data<T: Real>(data: &dyn DataMatrix<T>, labels: &Labels) -> Result<()> {
    let n = data.n_samples();
    if labels.n_samples() != n {
        return Err(Error::Labels(format!(
            "there are {} labels for {n} samples; one for each sample is needed (-1 for unlabelled)",
            labels.n_samples()
        )));
    }
    if labels.n_classes() < 2 {
        let found = match labels.names().first() {
            None => "no sample is labelled".into(),
            Some(only) => format!("all {} labelled samples are of class \"{only}\"", labels.n_labelled()),
        };
        return Err(Error::Labels(format!(
            "{found}; a classification needs labelled samples of at least two classes"
        )));
    }
    if n < 3 {
        return Err(Error::OutOfRange {
            name: "the number of samples".into(),
            value: n.to_string(),
            valid: "3 or more for a classification".into(),
        });
    }
    check_values(data)
}

/// Refuses entries that are not finite, and negative ones.
pub(crate) fn check_values<T: Real>(data: &dyn DataMatrix<T>) -> Result<()> {
    let summary = data.summary();
    if let Some(first) = summary.first_not_finite {
        let (nan, infinite) = (summary.nan, summary.infinite);
        return Err(Error::NotFinite { what: "the data".into(), nan, infinite, first });
    }
    if let Some((row, column, value)) = summary.first_negative {
        let first = (row, column);
        return Err(Error::Negative { what: "the data".into(), count: summary.negative, first, value });
    }
    Ok(())
}

/// A row of zeros still gets a class.
pub(crate) fn rows_of_zeros<T: Real>(data: &dyn DataMatrix<T>, labels: &Labels) -> Option<Notice> {
    let zeros = data.summary().zero_rows.iter().filter(|i| labels.class(**i).is_none());
    let (count, first) = (zeros.clone().count(), *zeros.clone().next()?);
    let have = if count == 1 { "unlabelled sample has" } else { "unlabelled samples have" };
    Some(Notice {
        code: "classes-of-zero-rows",
        message: format!(
            "{count} {have} no entry above 0, the first {first}: their class is a guess, because these rows \
            are 0"
        ),
    })
}

/// Classes with one label, none of which can be held out.
pub(crate) fn single_labels(labels: &Labels, held_out: usize) -> Option<Notice> {
    let counts = labels.counts();
    let single: Vec<&str> =
        counts.iter().zip(labels.names()).filter(|(c, _)| **c == 1).map(|(_, name)| name.as_str()).collect();
    if single.is_empty() {
        return None;
    }
    let effect = if held_out == 0 {
        "no label can be held out, so all candidate graphs and base classifiers get the same weight"
    } else {
        "these labels are used for training, but not for scores"
    };
    Some(Notice {
        code: "single-label",
        message: format!(
            "{} of {} classes have one labelled sample: {}; {effect}",
            single.len(),
            counts.len(),
            single.join(", ")
        ),
    })
}
