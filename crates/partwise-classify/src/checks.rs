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
    guesses(zeros.copied(), ["unlabelled sample has", "unlabelled samples have"])
}

/// The same for new rows.
pub(crate) fn new_rows_of_zeros<T: Real>(data: &dyn DataMatrix<T>) -> Option<Notice> {
    guesses(data.summary().zero_rows.iter().copied(), ["row has", "rows have"])
}

fn guesses(zeros: impl Iterator<Item = usize> + Clone, [one, many]: [&str; 2]) -> Option<Notice> {
    let (count, first) = (zeros.clone().count(), zeros.clone().next()?);
    let message = match count {
        1 => format!("1 {one} no entry above 0, number {first}: its class is a guess, because the row is 0"),
        _ => format!(
            "{count} {many} no entry above 0, the first {first}: their class is a guess, because these rows \
            are 0"
        ),
    };
    Some(Notice { code: "classes-of-zero-rows", message })
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
