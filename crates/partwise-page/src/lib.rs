//! Pages that stand alone: the report of a fit ([`FitPage`]), that of a consensus ([`ConsensusPage`]), and
//! what they are made of. The command line and
//! the Python package hand over what they know and write what comes back: both show the same page.
//!
//! No files are read or written here.

pub mod charts;
mod consensus;
mod fit;
pub mod html;
mod layout;
pub mod picture;

pub use consensus::ConsensusPage;
pub use fit::{Again, Classes, FitPage, Judged, JudgedItem, JudgedLikeness, JudgedTopic, Progress};
pub use layout::layout;
