//! [`raise`]: ends work whose data can no longer be read, from the middle of it.
//!
//! Data that lie in a file are read while a fit runs, deep below signatures that know no errors. A fault
//! there unwinds the stack to [`caught`], as an [`Interrupt`](super::interrupt::Interrupt) does; it is no
//! panic, and the hook that prints panics is not called.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::{Error, Result};

/// What travels up the stack.
struct Fault(Error);

/// Ends the work of this thread with an error.
pub(crate) fn raise(error: Error) -> ! {
    resume_unwind(Box::new(Fault(error)))
}

/// Does the work; a fault that was raised in it becomes its error.
///
/// # Errors
/// Those of the work; [`Error::Unreadable`] when data could no longer be read. (With `panic = "abort"` the
/// process ends instead.)
pub fn caught<R, E: From<Error>>(
    work: impl FnOnce() -> std::result::Result<R, E>,
) -> std::result::Result<R, E> {
    // What the work has half changed is dropped with it, or was lent by the caller for reading.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| match payload.downcast::<Fault>() {
        Ok(fault) => Err(fault.0.into()),
        Err(payload) => resume_unwind(payload),
    })
}

/// The value; an error is raised.
pub(crate) fn or_raise<R>(result: Result<R>) -> R {
    result.unwrap_or_else(|error| raise(error))
}
