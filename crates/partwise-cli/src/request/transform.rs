//! The request of `transform`.

use std::path::PathBuf;

use anyhow::Result;

use super::data::DataSource;
use super::flags::TransformFlags;
use super::groups::{Content, NewRowsSolver, Run, Write};

/// `partwise transform`.
pub(crate) struct TransformRequest {
    pub(crate) model: PathBuf,
    pub(crate) data: DataSource,
    pub(crate) solver: NewRowsSolver,
    pub(crate) run: Run,
    pub(crate) content: Content,
    pub(crate) write: Write,
}

impl TransformRequest {
    pub(crate) fn new(flags: TransformFlags) -> Result<Self> {
        let TransformFlags { given, model, read, solver, run, content, write } = flags;
        given.check_standard_input()?;
        let data = read.source(None)?;
        data.check_no_words()?;
        let write = write.for_data(&data, "codes");
        Ok(TransformRequest { model, data, solver, run, content, write })
    }
}
