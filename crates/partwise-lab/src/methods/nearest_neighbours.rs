//! The k nearest labelled samples vote.
//!
//! ```text
//! class of x: the commonest class among the k nearest labelled samples;
//!     a tie goes to the class of the nearest of them
//! ```
//!
//! Reference: T. M. Cover, P. E. Hart, "Nearest neighbor pattern classification", IEEE Transactions on
//! Information Theory 13, 1967, doi 10.1109/TIT.1967.1053964. Labelled samples keep their class. Time n·l·d
//! for l labelled samples.

use partwise::graphs::Closeness;
use partwise::{DataMatrix, Labels, Result};

use super::rows;
use super::{Outcome, Task};

/// The neighbours of the registry.
const NEIGHBOURS: usize = 5;

/// The class of each row of `data` (n × d) by its `k` nearest labelled samples; at equal distances the lower
/// number is nearer.
///
/// # Errors
/// [`Shape`](partwise::Error::Shape) when labels are not one a sample; [`Labels`](partwise::Error::Labels)
/// when none is labelled; [`OutOfRange`](partwise::Error::OutOfRange) when k is 0 or above the number of
/// labelled samples; [`NotFinite`](partwise::Error::NotFinite) for such data.
pub fn nearest_neighbour_classes(
    data: &dyn DataMatrix<f64>,
    labels: &Labels,
    k: usize,
    closeness: Closeness,
) -> Result<Vec<usize>> {
    super::check_labels(data, labels)?;
    rows::check_count("the number of neighbours", k, labels.n_labelled())?;
    rows::check_finite(data)?;
    let norms: Vec<f64> = rows::squared_norms(data).into_iter().map(f64::sqrt).collect();
    let labelled: Vec<(usize, usize)> =
        (0..labels.n_samples()).filter_map(|i| Some((i, labels.class(i)?))).collect();
    let mut row = vec![0.0; data.n_features()];
    let mut classes = Vec::with_capacity(data.n_samples());
    for i in 0..data.n_samples() {
        if let Some(class) = labels.class(i) {
            classes.push(class);
            continue;
        }
        data.add_row(i, 1.0, &mut row);
        let distance = |j: usize| match closeness {
            Closeness::Euclidean => data.squared_distance(i, j),
            Closeness::Cosine => {
                let product = norms[i] * norms[j];
                if product > 0.0 { 1.0 - data.row_dot(j, &row) / product } else { 1.0 }
            }
        };
        let mut near: Vec<(f64, usize, usize)> = labelled.iter().map(|&(j, c)| (distance(j), j, c)).collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        classes.push(elected(near[..k].iter().map(|near| near.2), labels.n_classes()));
        data.add_row(i, -1.0, &mut row);
    }
    Ok(classes)
}

/// The commonest class; of several, the one that comes first.
fn elected(votes: impl Iterator<Item = usize> + Clone, classes: usize) -> usize {
    let mut counts = vec![0_usize; classes];
    votes.clone().for_each(|class| counts[class] += 1);
    let most = counts.iter().copied().max().unwrap_or(0);
    let mut winners = votes.filter(|class| counts[*class] == most);
    winners.next().expect("there is at least one vote")
}

/// As the registry runs it: 5 neighbours (or as many as are labelled), Euclidean.
pub(super) fn run(task: &Task<'_>) -> Result<Outcome> {
    let labels = task.labels("nearest neighbours")?;
    let k = NEIGHBOURS.min(labels.n_labelled());
    let classes = nearest_neighbour_classes(task.data, labels, k, Closeness::Euclidean)?;
    let mut outcome = Outcome::clusters(&classes);
    if k < NEIGHBOURS {
        outcome.notes.push(format!("{k} neighbours, because no more samples are labelled"));
    }
    Ok(outcome)
}
