//! `partwise man`: manual pages in the format of `man`, for packages.

use anyhow::{Context, Result};
use clap::CommandFactory;

use crate::request::{Cli, ManRequest};
use partwise_report::console::Verbosity;
use partwise_report::program::Outcome;

/// Writes `partwise.1` and a page for each command.
pub(crate) fn run(request: &ManRequest) -> Result<Outcome> {
    let folder = &request.out;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    clap_mangen::generate_to(Cli::command(), folder)
        .with_context(|| format!("cannot write the pages into {}", folder.display()))?;
    Verbosity::Full.say(&format!("manual pages: {}", folder.display()));
    Ok(Outcome::Done)
}
