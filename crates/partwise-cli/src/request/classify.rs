//! The request of `classify`, and of its former spelling.

use anyhow::{Result, bail};
use partwise::ScalingKind;
use partwise_classify::ClassSizes;

use super::choices::Precision;
use super::data::DataSource;
use super::flags::{ClassifyFlags, FitFlags, METHOD_FLAGS};
use super::groups::{LabelSource, Run, Write};

/// `partwise classify`.
pub(crate) struct ClassifyRequest {
    pub(crate) data: DataSource,
    pub(crate) labels: LabelSource,
    pub(crate) class_sizes: ClassSizes,
    pub(crate) scaling: ScalingKind,
    pub(crate) run: Run,
    pub(crate) dtype: Precision,
    pub(crate) write: Write,
    /// Whether it was asked for as `fit --recipe auto`.
    pub(crate) as_recipe: bool,
}

impl ClassifyRequest {
    pub(crate) fn new(flags: ClassifyFlags) -> Result<Self> {
        let ClassifyFlags { given, read, labels, class_sizes, scale, run, dtype, write } = flags;
        let class_sizes = class_sizes.unwrap_or_default();
        given.check_standard_input()?;
        let data = read.source(labels.column_of_data())?;
        let write = write.for_data(&data, "classes");
        let scaling = data.scaling(scale);
        Ok(ClassifyRequest { data, labels, class_sizes, scaling, run, dtype, write, as_recipe: false })
    }

    /// The former spelling, `partwise fit --recipe auto`.
    pub(crate) fn of_recipe(flags: FitFlags) -> Result<Self> {
        if let Some(flag) = flags.given.of_methods(METHOD_FLAGS) {
            bail!("--recipe auto does not take {flag}");
        }
        let FitFlags { given, read, known, model, solve, write, .. } = flags;
        let (labels, scale, run, dtype) = (known.labels, model.scale, solve.run, solve.dtype);
        let class_sizes = None;
        let request =
            Self::new(ClassifyFlags { given, read, labels, class_sizes, scale, run, dtype, write })?;
        Ok(ClassifyRequest { as_recipe: true, ..request })
    }
}
