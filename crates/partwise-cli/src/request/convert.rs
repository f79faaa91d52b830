//! `partwise convert`: a table as row blocks.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use partwise_io::BLOCK_VALUES;
use partwise_report::console::Verbosity;

use super::choices;
use super::data::{DataSource, ReadFlags};

/// Writes a table as a .pwx file: row blocks with names and checksums, which `partwise fit` also reads block
/// by block, so that the data may be larger than memory.
///
/// Every command reads .pwx as it reads any other format. The values are stored exactly, in the narrowest of
/// 8-bit and 16-bit counts, 32-bit and 64-bit numbers. AnnData files of compressed rows or dense arrays are
/// converted block by block; other formats need the table in memory once.
#[derive(Args, Clone, Debug)]
pub(crate) struct ConvertFlags {
    #[command(flatten)]
    read: ReadFlags,
    /// The file to write; its name ends with .pwx.
    #[arg(value_name = "OUT.pwx")]
    target: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long, help_heading = "Output")]
    force: bool,
    /// Print errors only.
    #[arg(long, short, help_heading = "Output")]
    quiet: bool,
    /// About how many stored values a block has, 1 or more. A fit keeps at least two blocks in memory.
    #[arg(long, help_heading = "Output", value_name = "N", default_value_t = BLOCK_VALUES, value_parser = choices::positive, allow_negative_numbers = true)]
    block_values: usize,
}

/// `partwise convert`, checked.
pub(crate) struct ConvertRequest {
    pub(crate) data: DataSource,
    pub(crate) target: PathBuf,
    pub(crate) force: bool,
    pub(crate) block_values: usize,
    pub(crate) verbosity: Verbosity,
}

impl ConvertRequest {
    pub(crate) fn new(flags: ConvertFlags) -> Result<Self> {
        let ConvertFlags { read, target, force, quiet, block_values } = flags;
        let data = read.source(None)?;
        if data.text.is_some() {
            bail!("convert takes tables of numbers; `partwise fit --text` counts the words of texts itself");
        }
        let Some(target) = target else {
            bail!("the file to write is missing: partwise convert {} NAME.pwx", data.path.display());
        };
        if !target.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pwx")) {
            bail!("{}: the name of the file to write must end with .pwx", target.display());
        }
        Ok(ConvertRequest { data, target, force, block_values, verbosity: Verbosity::of(quiet, false) })
    }
}
