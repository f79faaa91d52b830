//! The assignment problem: the one-to-one matching of rows to columns with the largest total weight.
//!
//! ```text
//! max Σ_i w[i, m(i)]   over one-to-one maps m of the smaller side into the larger
//! ```
//!
//! Shortest augmenting paths with dual potentials, O(s²·l) for the smaller side s and the larger side l
//! (R. Jonker, A. Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment
//! problems", Computing 38, 1987, doi 10.1007/BF02278710), in integers, so no weight is lost to rounding.

/// For each of the `rows` rows the column it is matched to, or `None` for rows that are left over when there
/// are more rows than columns. Weights (rows × columns, row-major) are of size below 2⁶¹ / (rows + columns).
pub fn best_matching(rows: usize, columns: usize, weights: &[i64]) -> Vec<Option<usize>> {
    assert_eq!(weights.len(), rows * columns, "one weight for each pair");
    if rows <= columns {
        let row_of = matched_rows(rows, columns, |i, j| -weights[i * columns + j]);
        let mut matching = vec![None; rows];
        for (column, row) in row_of.into_iter().enumerate() {
            if let Some(row) = row {
                matching[row] = Some(column);
            }
        }
        matching
    } else {
        matched_rows(columns, rows, |j, i| -weights[i * columns + j])
    }
}

/// For each of the `large` columns the row that a matching of least cost gives it; every one of the `small`
/// rows is matched, `small <= large`.
fn matched_rows(small: usize, large: usize, cost: impl Fn(usize, usize) -> i64) -> Vec<Option<usize>> {
    // Reduced costs cost(i, j) − row_price[i] − column_price[j] stay non-negative, and 0 on matched pairs.
    let mut row_price = vec![0_i64; small];
    let mut column_price = vec![0_i64; large];
    let mut row_of: Vec<Option<usize>> = vec![None; large];
    for start in 0..small {
        // A Dijkstra search from the unmatched row `start` to the nearest free column.
        let mut distance = vec![i64::MAX; large];
        let mut came_from: Vec<Option<usize>> = vec![None; large];
        let mut settled = vec![false; large];
        let mut row = start;
        let mut last: Option<usize> = None;
        let free = loop {
            let mut nearest: Option<usize> = None;
            let travelled = last.map_or(0, |column| distance[column]);
            for j in 0..large {
                if settled[j] {
                    continue;
                }
                let reach = travelled + cost(row, j) - row_price[row] - column_price[j];
                if reach < distance[j] {
                    distance[j] = reach;
                    came_from[j] = last;
                }
                if nearest.is_none_or(|other| distance[j] < distance[other]) {
                    nearest = Some(j);
                }
            }
            let nearest =
                nearest.expect("there are at least as many columns as rows, so one is not settled yet");
            settled[nearest] = true;
            last = Some(nearest);
            match row_of[nearest] {
                Some(next) => row = next,
                None => break nearest,
            }
        };
        // The prices of everything settled move by how much nearer it was than the free column.
        row_price[start] += distance[free];
        for j in 0..large {
            if settled[j] {
                let slack = distance[free] - distance[j];
                column_price[j] -= slack;
                if let Some(matched) = row_of[j] {
                    row_price[matched] += slack;
                }
            }
        }
        // Along the path every column takes the row of the column before it.
        let mut column = free;
        while let Some(previous) = came_from[column] {
            row_of[column] = row_of[previous];
            column = previous;
        }
        row_of[column] = Some(start);
    }
    row_of
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathfinding::matrix::Matrix;
    use pathfinding::prelude::kuhn_munkres;
    use proptest::prelude::*;

    fn total(columns: usize, weights: &[i64], matching: &[Option<usize>]) -> i64 {
        matching.iter().enumerate().filter_map(|(i, j)| j.map(|j| weights[i * columns + j])).sum()
    }

    proptest! {
        #[test]
        fn matching_is_one_to_one_and_its_weight_is_the_largest(
            (rows, columns, weights) in (1_usize..9, 1_usize..9).prop_flat_map(|(rows, columns)| {
                (Just(rows), Just(columns), prop::collection::vec(-5_i64..40, rows * columns))
            })
        ) {
            let matching = best_matching(rows, columns, &weights);
            let mut taken: Vec<usize> = matching.iter().flatten().copied().collect();
            prop_assert_eq!(taken.len(), rows.min(columns));
            taken.sort_unstable();
            taken.dedup();
            prop_assert_eq!(taken.len(), rows.min(columns));

            let table = Matrix::from_vec(rows, columns, weights.clone()).unwrap();
            // The other implementation wants no more rows than columns.
            let table = if rows <= columns { table } else { table.transposed() };
            prop_assert_eq!(total(columns, &weights, &matching), kuhn_munkres(&table).0);
        }
    }

    #[test]
    fn matching_of_nothing_is_nothing() {
        assert_eq!(best_matching(0, 3, &[]), []);
        assert_eq!(best_matching(2, 0, &[]), [None, None]);
    }
}
