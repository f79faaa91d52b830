//! What a search for the number of components needs, from sizes alone.
//!
//! ```text
//! splits    the parts of each split that is worked on, or of all splits where they are kept:
//!             counts: what is fitted and what is predicted; entries: the data, the marks of what is hidden
//!             (f64), and the hidden entries; blocks: all parts of the data twice, where dense data keep
//!             the columns that a part leaves out
//! halves    half of the samples each (later, so that only the larger of the two counts)
//! fits      one for each split that is worked on, at the greatest k
//! ```

use super::counts::without_zeros;
use super::search::keeps_parts;
use super::splits::Splits;
use super::{Holdout, RankSettings, may_thin, range};
use crate::data::{DataMatrix, DataSize, INDEX, WORD};
use crate::engine::losses::Loss;
use crate::engine::{Init, Settings};
use crate::fit::memory;
use crate::foundation::{Estimate, Real, Result, pool};
use crate::guidance::Guidance;

/// What [`select_rank`](super::select_rank) needs beside the caller's data, with the same arguments.
///
/// # Errors
/// Those of [`select_rank`](super::select_rank) for its settings.
pub fn memory_of_rank<T: Real>(
    data: &dyn DataMatrix<T>,
    guidance: Option<&Guidance>,
    loss: Loss,
    settings: &Settings,
    rank: &RankSettings,
) -> Result<Estimate> {
    let guidance = guidance.filter(|guidance| !guidance.is_empty());
    let (_, to) = range(data, rank, guidance.map_or(0, Guidance::n_components))?;
    let sparse = if may_thin(loss, rank) { without_zeros(data)? } else { None };
    let data = sparse.as_ref().map_or(data, |sparse| sparse as &dyn DataMatrix<T>);
    of_splits(&Splits::new(data, loss, settings, rank, guidance)?, to, sparse.is_some())
}

/// The same for splits that are laid out; `copied`: of a sparse copy of the data.
pub(super) fn of_splits<T: Real>(splits: &Splits<'_, T>, to: usize, copied: bool) -> Result<Estimate> {
    let size = DataSize::of(splits.data);
    let threads = pool::threads_for(splits.settings.threads);
    let at_once = threads.min(splits.count) as f64;
    let kept = if keeps_parts(splits) { splits.count as f64 } else { at_once };
    let entries = size.rows() * size.columns();
    let (of_split, marks) = match splits.holdout {
        // What is fitted keeps its columns, too.
        Holdout::Thinning => {
            let drawn = size.stored as f64 * size.number as f64;
            (2.0 * (size.bytes() + size.sums()) + size.transpose(), drawn)
        }
        Holdout::Entries => {
            let hidden = splits.hidden_share() * entries * (2.0 * INDEX + WORD);
            (size.bytes() + WORD * entries + hidden, (WORD + size.number as f64) * entries)
        }
        _ => {
            let (all, growing) = if size.sparse { (2.0, 2.0) } else { (4.0, 1.5) };
            (all * size.bytes() + size.transpose(), growing * size.bytes())
        }
    };
    let threads = threads / at_once as usize;
    let settings = Settings { rank: to, threads, init: Init::Nndsvda, ..splits.settings.clone() };
    let fit = memory::of_fit(size, &splits.model()?, &settings);
    let mut parts = vec![("the parts of the splits", kept * of_split + at_once * marks)];
    if copied {
        parts.push(("the counts without their zeros", size.bytes()));
    }
    parts.extend(fit.parts.into_iter().map(|(name, bytes)| (name, at_once * bytes)));
    let mut advice = vec![format!("a smaller greatest k than {to}"), "fewer splits".into()];
    if at_once > 1.0 {
        advice.push("fewer threads".into());
    }
    advice.push("fewer rows or columns".into());
    Ok(Estimate { parts, advice })
}
