//! What data in row blocks do not support, refused before anything is computed.

use crate::data::DataMatrix;
use crate::foundation::{Error, Real, Result};
use crate::guidance::Advice;
use crate::methods::{self, Model};

/// Refuses what would need all of the data in memory, where they come in blocks.
pub(crate) fn check_blocks<T: Real>(data: &dyn DataMatrix<T>, model: &Model) -> Result<()> {
    if data.blocks().is_none() {
        return Ok(());
    }
    if !model.spec.in_blocks {
        let methods = methods::ALL.iter().filter(|spec| spec.in_blocks);
        return Err(Error::incompatible(
            format!("{} with data that are read in blocks", model.spec.title),
            "it needs all of the data in memory",
            methods.map(|spec| format!("method {}", spec.name)),
        ));
    }
    let items = model.guidance.advice();
    match items.iter().find(|item| !runs_in_blocks(item)) {
        None => Ok(()),
        Some(item) => Err(Error::incompatible(
            format!("{} with data that are read in blocks", item.kind()),
            "they need all of the data in memory",
            Advice::KINDS
                .iter()
                .filter(|kind| !kind.is_derived() && !NOT_IN_BLOCKS.contains(&kind.name))
                .map(|kind| kind.name),
        )),
    }
}

/// The kinds of guidance that say something of each entry or column of X.
const NOT_IN_BLOCKS: [&str; 4] = ["known entries", "known features", "weights of entries", "feature weights"];

fn runs_in_blocks(item: &Advice) -> bool {
    !NOT_IN_BLOCKS.contains(&item.kind())
}

/// Refuses data whose unit would have to change.
pub(crate) fn check_units<T: Real>(data: &dyn DataMatrix<T>) -> Result<()> {
    if data.blocks().is_none() {
        return Ok(());
    }
    Err(Error::out_of_range(
        "the largest entry of the data",
        format!("{:e}", data.summary().max),
        format!("nearer to 1 in {} for data that are read in blocks; scale the data, or use f64", T::NAME),
    ))
}
