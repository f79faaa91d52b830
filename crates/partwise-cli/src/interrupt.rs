//! Ctrl-C: the first asks the fit to stop after its iteration, the second ends the program at once.

use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Starts to listen. Where the system offers no such signal, Ctrl-C ends the program as it would anyway.
pub(crate) fn listen() {
    let _ = ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    });
}

/// Whether Ctrl-C was pressed.
pub(crate) fn requested() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}
