//! [`Interrupt`]: stops work from outside, also in the middle of an iteration, a start, or a recipe of many
//! fits.
//!
//! An [`Observer`](crate::Observer) ends a fit after an iteration and keeps what it has. An interrupt
//! discards the work: code with much work asks between chunks of it ([`check`]), and a request unwinds the
//! stack to [`Interrupt::run`], through recipes that know nothing of it. The request travels with the thread
//! ([`Interrupt::run`] sets it, `pool.rs` hands it on to its threads), so that no signature carries it; it
//! changes no result, it only prevents one.
//!
//! Unwinding needs the panic strategy `unwind`, Rust's default. In a program that is built with
//! `panic = "abort"` nothing can unwind, so a request ends the whole process ([`std::process::abort`]) as
//! soon as the work asks. Such a program should not hand an interrupt to its fits; it can stop them after an
//! iteration with an [`Observer`](crate::Observer).

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// What the work of this thread is to listen to.
    static CURRENT: RefCell<Option<Interrupt>> = const { RefCell::new(None) };
}

/// A request to stop, shared by who makes it and the work that it is about.
///
/// ```
/// use partwise::{DenseMatrix, Interrupt, Model, Settings, fit};
/// let x = DenseMatrix::new(2, 2, vec![1.0, 0.0, 0.0, 1.0])?;
/// let interrupt = Interrupt::default();
/// assert!(interrupt.run(|| fit(&x, &Model::nmf(), &Settings::new(1))).is_ok());
/// interrupt.request(); // from another thread, or a handler of signals
/// assert!(interrupt.run(|| fit(&x, &Model::nmf(), &Settings::new(1))).is_err());
/// # Ok::<(), partwise::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

/// The work was interrupted; nothing is left of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

impl Interrupt {
    /// Asks the work to stop. For good: a new one is needed for further work.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to stop.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Does the work, unless it is interrupted: then what it holds is dropped.
    ///
    /// # Errors
    /// [`Interrupted`] after a request that came before the work was done. (With `panic = "abort"` the
    /// process ends instead.)
    pub fn run<R>(&self, work: impl FnOnce() -> R) -> std::result::Result<R, Interrupted> {
        // What the work has half changed is dropped with it, or was lent by the caller for reading.
        let done = catch_unwind(AssertUnwindSafe(|| within(Some(self), work)));
        done.or_else(|payload: Box<dyn Any + Send>| match payload.downcast_ref::<Interrupted>() {
            Some(interrupted) => Err(*interrupted),
            None => resume_unwind(payload),
        })
    }
}

/// What the work of this thread listens to.
pub(crate) fn current() -> Option<Interrupt> {
    CURRENT.with_borrow(Clone::clone)
}

/// Does the work with this interrupt on this thread, and restores what was there.
pub(crate) fn within<R>(interrupt: Option<&Interrupt>, work: impl FnOnce() -> R) -> R {
    struct Restore(Option<Interrupt>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.set(self.0.take());
        }
    }
    let _restore = Restore(CURRENT.replace(interrupt.cloned()));
    check();
    work()
}

/// Ends the work of this thread when that was asked for. No panic: the hook that prints panics is not called.
pub fn check() {
    if CURRENT.with_borrow(|current| current.as_ref().is_some_and(Interrupt::is_requested)) {
        resume_unwind(Box::new(Interrupted));
    }
}
