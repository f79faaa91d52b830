//! `partwise cite`: what to cite, as BibTeX entries.

use anyhow::Result;
use partwise::methods::BIBTEX_OF_PARTWISE;

use crate::request::CiteRequest;
use partwise_report::console;
use partwise_report::program::Outcome;

/// Prints the entries: Partwise, then the publications of the method.
pub(crate) fn run(request: &CiteRequest) -> Result<Outcome> {
    match request.method {
        Some((method, _)) => console::print_raw(&method.bibtex()),
        None => console::print_raw(BIBTEX_OF_PARTWISE),
    }
    Ok(Outcome::Done)
}
