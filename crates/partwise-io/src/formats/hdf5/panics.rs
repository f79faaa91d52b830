//! Panics of the crate that reads HDF5 become errors: a damaged file must not end the program.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Whether this thread reads a file, so that a panic is not for the user's eyes.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs `act`; a panic in it becomes its message, and is not printed.
pub(super) fn caught<R>(act: impl FnOnce() -> R) -> Result<R, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                before(info);
            }
        }));
    });
    let outer = QUIET.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(act));
    QUIET.set(outer);
    result.map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        format!("an internal error of the HDF5 reader: {text}")
    })
}
