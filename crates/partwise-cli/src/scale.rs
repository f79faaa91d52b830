//! Scaling of a table: the library's, over its rows.

use partwise::{Real, Scaling, ScalingKind};

use crate::input::Table;

/// Takes the numbers of a scaling from the data of a fit.
pub(crate) fn learn<T: Real>(kind: ScalingKind, table: &Table<T>) -> Scaling {
    Scaling::learn(kind, table.columns, (0..table.rows).map(|row| table.row(row)))
}

/// Scales the rows in place.
pub(crate) fn apply<T: Real>(scaling: &Scaling, table: &mut Table<T>) {
    table.for_each_row(|columns, values| scaling.scale_row(columns, values));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_and_sparse_tables_are_scaled_alike() {
        for &kind in ScalingKind::ALL {
            let mut dense = Table::<f64>::dense(2, 3, vec![3.0, 0.0, 1.0, 2.0, 0.0, 0.0]);
            let mut sparse = Table::<f64>::sparse(2, 3, vec![0, 2, 3], vec![0, 2, 0], vec![3.0, 1.0, 2.0]);
            let scaling = learn(kind, &dense);
            assert_eq!(scaling, learn(kind, &sparse));
            apply(&scaling, &mut dense);
            apply(&scaling, &mut sparse);
            assert_eq!([dense.values()[0], dense.values()[2], dense.values()[3]], sparse.values());
        }
    }
}
