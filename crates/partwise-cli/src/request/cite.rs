//! What `partwise cite` is asked for.

use clap::Args;

use super::choices::{self, MethodChoice};

#[derive(Args, Debug)]
pub(crate) struct CiteRequest {
    /// The method whose publications are cited too. Default: Partwise alone.
    #[arg(value_name = "METHOD", value_parser = choices::methods())]
    pub(crate) method: Option<MethodChoice>,
}
