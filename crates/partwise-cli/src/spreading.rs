//! `--spread`: labels guide the samples without one, too.

use anyhow::Result;
use partwise::{Model, Real};
use partwise_classify::{Spreading, spread};

use crate::job::Job;
use partwise_report::interrupt;

/// Adds to the guidance of the job what the classifier derives from its labels.
pub(crate) fn spread_labels<T: Real>(job: &mut Job<'_, T>, when: Option<&str>) -> Result<()> {
    if job.composed.is_none() {
        return Ok(());
    }
    let when = when.map(Spreading::from_name).transpose()?.unwrap_or_default();
    let (data, loss) = (job.data.matrix(), job.model.loss());
    let guidance = job.model.guidance();
    let found = interrupt::work(|| spread(data, guidance, loss, &job.settings, when))??;
    job.model = Model::guided(found.guidance).with_loss(loss)?;
    job.chosen.extend(found.notice.map(|notice| notice.message));
    Ok(())
}
