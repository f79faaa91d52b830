//! The label-constraint matrix (`label_constraint`).

use anyhow::{Context, Result};
use partwise::{Labels, Matrix};

use crate::golden::{Comparison, Fixture, integers, matrix};

/// Compares A of every case, entry by entry.
pub(super) fn run(fixture: &Fixture, comparison: &mut Comparison) -> Result<()> {
    for (number, case) in fixture.field(&["cases"])?.as_array().context("no cases")?.iter().enumerate() {
        comparison.variant(format!("case {number}"));
        let labels = integers(&case["y"])?;
        let columns = Labels::from_integers(&labels)?.constraint_columns();
        let width = columns.iter().max().map_or(0, |q| *q as usize + 1);
        let got = Matrix::from_fn(labels.len(), width, |i, q| f64::from(columns[i] as usize == q));
        comparison.matrix("A", None, &got, &matrix(&case["A"])?);
    }
    Ok(())
}
