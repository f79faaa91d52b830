//! Requests of commands that fit several times: `sweep` and `rank`.

use anyhow::{Result, bail};
use partwise::guidance::Strength;
use partwise::methods::{self, Input};
use partwise::recipes::RankSettings;
use partwise::{Loss, ScalingKind};

use super::asked::Asked;
use super::choices::{Codes, Pictures, Precision};
use super::data::DataSource;
use super::fit::FitRequest;
use super::flags::{KnownFiles, RankFlags, SweepFlags};
use super::groups::{Run, Write};

/// `partwise sweep`.
pub(crate) struct SweepRequest {
    pub(crate) fit: FitRequest,
    /// The factors of the strengths, ascending.
    pub(crate) scales: Vec<f64>,
}

impl SweepRequest {
    pub(crate) fn new(mut flags: SweepFlags) -> Result<Self> {
        let guided = methods::for_inputs(&[Input::Guidance]);
        match flags.fit.model.method {
            Some((other, _)) if !other.takes(Input::Guidance) => {
                bail!(
                    "sweep supports only the method {}, not {}; leave --method out",
                    guided.name,
                    other.name
                )
            }
            method => flags.fit.model.method = method.or(Some((guided, None))),
        }
        if flags.fit.model.strength == Some(Strength::Auto) {
            bail!("sweep varies the strengths itself; remove --strength auto");
        }
        if flags.fit.content.codes != Codes::Plain {
            bail!("sweep writes no codes; remove --codes");
        }
        if flags.fit.page.snippets.is_some() || flags.fit.page.pictures != Pictures::default() {
            bail!("the page of sweep shows no samples; remove --snippets and --pictures");
        }
        let long = &flags.fit.long;
        if long.memory.is_some() || long.checkpoint.is_some() || long.dask.is_some() {
            bail!(
                "sweep has no --memory, no checkpoints and no --dask; remove --memory, --checkpoint, --resume and --dask"
            );
        }
        let mut scales = flags.scales;
        scales.sort_by(f64::total_cmp);
        scales.dedup();
        Ok(SweepRequest { fit: FitRequest::named(flags.fit, "sweep")?, scales })
    }
}

/// `partwise rank`.
pub(crate) struct RankRequest {
    pub(crate) data: DataSource,
    pub(crate) scaling: ScalingKind,
    /// The loss, where it is not that for the data.
    pub(crate) loss: Option<Loss>,
    pub(crate) rank: RankSettings,
    pub(crate) known: KnownFiles,
    pub(crate) time_limit: Option<f64>,
    pub(crate) run: Run,
    pub(crate) dtype: Precision,
    pub(crate) write: Write,
}

impl RankRequest {
    pub(crate) fn new(flags: RankFlags) -> Result<Self> {
        let RankFlags { given, read, from, to, splits, restarts, holdout, loss, scale, known, .. } = flags;
        given.check_standard_input()?;
        let known = known.files();
        let data = read.source(known.labels.column_of_data())?;
        Ok(RankRequest {
            write: flags.write.for_data(&data, "rank"),
            data,
            scaling: scale,
            known,
            loss,
            rank: RankSettings { from, to, splits, restarts, holdout },
            time_limit: flags.time_limit,
            run: flags.run,
            dtype: flags.dtype,
        })
    }
}

impl RankRequest {
    /// What is asked of the files of guidance; `None` without any.
    pub(crate) fn asked(&self) -> Option<Asked<'_>> {
        let KnownFiles { guidance, topics, links, labels, .. } = &self.known;
        let given = guidance.is_some() || topics.is_some() || links.is_some() || labels.are_given();
        given.then(|| Asked {
            known: &self.known,
            method: methods::for_inputs(&[Input::Guidance]),
            strength: None,
            graph: None,
            graph_strength: None,
            components_per_class: None,
            seed: self.run.seed,
        })
    }
}
