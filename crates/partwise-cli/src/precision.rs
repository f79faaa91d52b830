//! Checks what is lost when f64 data become f32.

use anyhow::{Result, bail};
use partwise::Real;
use partwise_io::{DenseValues, Values};

use crate::input::Source;

/// Refuses data that the number type can't hold; notes entries that become 0 in it.
pub(crate) fn check<T: Real>(values: &Values, source: &mut Source) -> Result<()> {
    let (Values::Dense { values, .. } | Values::Sparse { values, .. }) = values;
    let DenseValues::F64(values) = values else { return Ok(()) };
    let (mut largest, mut first_too_large, mut vanishing) = (0.0f64, None, 0_usize);
    for &value in values {
        let kept = T::from_f64(value);
        if value.is_finite() && !kept.is_finite() {
            first_too_large.get_or_insert(value);
        }
        vanishing += usize::from(value != 0.0 && kept == T::ZERO);
        largest = largest.max(value);
    }
    let name = &source.name;
    if let Some(value) = first_too_large {
        bail!("{name}: {value:e} is out of the range of {}; give --dtype f64, or divide the data", T::NAME);
    }
    if vanishing > 0 && T::from_f64(largest) == T::ZERO {
        bail!(
            "{name}: the largest entry, {largest:e}, is 0 in {}; give --dtype f64, or multiply the data",
            T::NAME
        );
    }
    if vanishing > 0 {
        source.notes.push(format!(
            "{vanishing} entries are too small for {} and become 0; --dtype f64 keeps them",
            T::NAME
        ));
    }
    Ok(())
}
