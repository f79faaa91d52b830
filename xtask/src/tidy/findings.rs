//! [`Finding`]: what a rule finds, and [`Tally`], which prints and counts findings.

use std::io::Write;
use std::path::Path;

/// What a rule finds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Finding {
    /// Counted from 1.
    pub(super) line: usize,
    pub(super) message: String,
    /// Whether it is only worth a look.
    pub(super) warning: bool,
}

impl Finding {
    pub(super) fn fault(line: usize, message: impl Into<String>) -> Self {
        Finding { line, message: message.into(), warning: false }
    }

    pub(super) fn warning(line: usize, message: impl Into<String>) -> Self {
        Finding { line, message: message.into(), warning: true }
    }

    /// An error once its rule is enforced, a warning before.
    pub(super) fn when(enforced: bool, line: usize, message: impl Into<String>) -> Self {
        Finding { line, message: message.into(), warning: !enforced }
    }
}

/// The errors and warnings shown so far.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) faults: usize,
    pub(super) warnings: usize,
}

impl Tally {
    pub(super) fn show(&mut self, file: &Path, mut findings: Vec<Finding>) {
        findings.sort_by_key(|finding| finding.line);
        for finding in findings {
            let kind = if finding.warning { "warning" } else { "error" };
            println!("{}:{}: {kind}: {}", file.display(), finding.line, finding.message);
            if finding.warning { self.warnings += 1 } else { self.faults += 1 }
        }
    }
}

/// Prints a long text. A reader that stops early (`| head`) is no fault.
pub(super) fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}
