//! `partwise convert`.

use anyhow::{Result, bail};
use partwise::memory::in_words;
use partwise_io::{PwxFile, convert_to_pwx};

use crate::request::ConvertRequest;
use crate::words::counted;
use partwise_report::program::Outcome;

/// Reads, writes, says what was written.
pub(crate) fn run(request: &ConvertRequest) -> Result<Outcome> {
    let (source, target) = (&request.data.path, &request.target);
    if target.exists() {
        let is_source = target.canonicalize().ok().is_some_and(|t| source.canonicalize().ok() == Some(t));
        if is_source {
            bail!("{}: this is the data; choose another name for the file to write", target.display());
        }
        if !request.force {
            bail!("{}: the file exists; --force replaces it", target.display());
        }
    }
    let notes = convert_to_pwx(source, &request.data.options, request.block_values, target)?;
    notes.iter().for_each(|note| request.verbosity.note(note));
    let file = PwxFile::open(target)?;
    let (rows, columns) = file.shape();
    let kind = if file.is_sparse() {
        format!("sparse, {}", counted(file.n_stored(), "stored value", "stored values"))
    } else {
        "dense".to_string()
    };
    let bytes = std::fs::metadata(target).map_or(0, |metadata| metadata.len());
    request.verbosity.say(&format!(
        "wrote: {} ({} × {}, {kind}, {}, {})",
        target.display(),
        counted(rows, "row", "rows"),
        counted(columns, "column", "columns"),
        counted(file.n_blocks(), "block", "blocks"),
        in_words(bytes)
    ));
    Ok(Outcome::Done)
}
