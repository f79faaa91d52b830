//! [`partwise::clustering`]'s k-means as a comparison method: the best of 20 starts.

use partwise::Result;
use partwise::clustering::{KMeansSettings, k_means};

use super::{Outcome, Task};

/// As tables show it, with the limit of [`KMeansSettings`].
pub(crate) const SOLVER: &str = "Lloyd, at most 300 iterations, the best of 20 starts";

pub(super) fn run(task: &Task<'_>) -> Result<Outcome> {
    let settings = KMeansSettings { seed: task.seed, threads: task.threads, ..KMeansSettings::default() };
    let found = k_means(task.data, task.clusters, &settings)?;
    Ok(Outcome::clusters(&found.labels))
}
