//! Scores of topics for samples that a fit has not seen, learned from the posteriors of those that it has.
//!
//! ```text
//! linear    weights·x̂ + offset, of the unit row x̂: enough where features are many, as in texts
//! kernel    Σₗ weightₗ·exp(−‖x̂ − landmarkₗ‖²/(2·width)) + offset: for classes that bend, as those of images
//! choice    both learn from three quarters of the rows (of at most MOST_COMPARED); the kernel is taken where
//!           it puts more of the other rows into the class of their largest posterior, and learns from all
//! ```

mod kernel;
mod linear;

use partwise::guidance::Scorer;
use partwise::internals::{RowGroups, below, generator};
use partwise::{DataMatrix, Matrix, Real};

use crate::graphs::unit_rows;
use crate::posteriors::largest;

/// Rows that the choice is made on at most.
const MOST_COMPARED: usize = 4000;
/// Of fewer rows none can be left out.
const LEAST_COMPARED: usize = 8;
/// The stream of random numbers that rows are drawn from.
const STREAM: u64 = 0x5C0;

/// What a scorer learns from.
struct Lesson<'l, T: Real> {
    /// X̂ (n × d).
    unit: &'l dyn DataMatrix<T>,
    names: &'l [String],
    /// n × c.
    posteriors: &'l Matrix<f64>,
    /// The rows that count, in random order.
    rows: &'l [usize],
}

/// The scorer of topics for rows like those of `data`, from their posteriors (n × c).
pub(super) fn learned<T: Real>(
    data: &dyn DataMatrix<T>,
    names: &[String],
    posteriors: &Matrix<f64>,
    seed: u64,
) -> Scorer {
    let unit = unit_rows(data);
    let order = shuffled(data.n_samples(), seed);
    let compared = &order[..order.len().min(MOST_COMPARED)];
    let of = |rows| Lesson { unit: unit.as_ref(), names, posteriors, rows };
    let bends = compared.len() >= LEAST_COMPARED && {
        let (held_out, kept) = compared.split_at(compared.len() / 4);
        let unseen = some_rows(unit.as_ref(), held_out);
        let right = |scorer: &Scorer| {
            let found = best_of_unit_rows(unseen.as_ref(), scorer);
            held_out.iter().zip(found).filter(|(i, found)| largest(posteriors.row(**i)) == *found).count()
        };
        right(&kernel::learned(&of(kept))) > right(&linear::learned(&of(kept)))
    };
    if bends { kernel::learned(&of(&order)) } else { linear::learned(&of(&order)) }
}

/// The topic with the largest score for each row, as a number of the scorer's names.
pub(super) fn best_topics<T: Real>(data: &dyn DataMatrix<T>, scorer: &Scorer) -> Vec<usize> {
    let mut best = best_of_unit_rows(unit_rows(data).as_ref(), scorer);
    best.truncate(data.n_samples());
    best
}

fn best_of_unit_rows<T: Real>(unit: &dyn DataMatrix<T>, scorer: &Scorer) -> Vec<usize> {
    let scores = match scorer.kernel_width {
        None => linear::scores(unit, scorer),
        Some(width) => kernel::scores(unit, scorer, width),
    };
    (0..scores.rows()).map(|i| largest(scores.row(i))).collect()
}

fn shuffled(n: usize, seed: u64) -> Vec<usize> {
    let mut random = generator(seed, STREAM);
    let mut order: Vec<usize> = (0..n).collect();
    for place in (1..n).rev() {
        order.swap(place, below(&mut random, place + 1));
    }
    order
}

/// These rows in this order, and a row of zeros where there are others.
fn some_rows<T: Real>(data: &dyn DataMatrix<T>, rows: &[usize]) -> Box<dyn DataMatrix<T>> {
    data.grouped(&RowGroups::chosen(rows, data.n_samples()))
}

/// The mean posterior of each class over the rows (c).
fn mean_posteriors<T: Real>(lesson: &Lesson<'_, T>) -> Vec<f64> {
    let mut means = vec![0.0; lesson.names.len()];
    for i in lesson.rows {
        let posteriors = lesson.posteriors.row(*i);
        means.iter_mut().zip(posteriors).for_each(|(mean, p)| *mean += p / lesson.rows.len() as f64);
    }
    means
}

/// The mean of the unit rows (d), and their mean squared distance to it.
fn centre<T: Real>(lesson: &Lesson<'_, T>) -> (Vec<f64>, f64) {
    let mut part = Matrix::zeros(lesson.unit.n_samples(), 1);
    lesson.rows.iter().for_each(|i| part.set(*i, 0, 1.0 / lesson.rows.len() as f64));
    let mean = partwise::internals::transpose_times(lesson.unit, &part).into_vec();
    let square: f64 = mean.iter().map(|m| m * m).sum();
    // Rows have length 1 (or 0).
    (mean, (1.0 - square).max(1e-9))
}
