//! Ctrl-C, SIGTERM and SIGHUP. The first asks the work to stop: a fit ends after its iteration and what it
//! reached is kept; work of which nothing can be kept is unwound by the library's [`Interrupt`], and where it
//! doesn't listen (a read that waits for its input) the program ends without it. The second ends the program
//! at once. SIGHUP stays ignored where it was when the program began (`nohup`).

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use partwise::Interrupt;

use crate::console;

/// The exit code after a signal: 128 and the number of Ctrl-C's.
pub const EXIT_CODE: u8 = 130;

/// How long work of which nothing is kept may take to unwind.
const GRACE: Duration = Duration::from_millis(600);

static REQUESTED: AtomicBool = AtomicBool::new(false);
static KEPT: AtomicU8 = AtomicU8::new(Kept::Nothing as u8);

/// What the work under way is to listen to.
static WORK: LazyLock<Mutex<Interrupt>> = LazyLock::new(Mutex::default);

/// What remains when a signal comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kept {
    /// Nothing.
    Nothing,
    /// All but the piece of work under way.
    Earlier,
    /// What the work under way has reached: it asks [`requested`] and ends by itself.
    Reached,
}

/// The work was stopped and nothing of it is left.
#[derive(Debug)]
pub struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("interrupted before there was a result; nothing was written")
    }
}

impl std::error::Error for Stopped {}

/// Starts to listen. Where the system refuses, signals end the program as they would anyway.
#[cfg(unix)]
pub fn listen() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = vec![SIGINT, SIGTERM];
    if hears_hangup() {
        signals.push(SIGHUP);
    }
    if let Ok(mut signals) = signal_hook::iterator::Signals::new(signals) {
        std::thread::spawn(move || signals.forever().for_each(|_| signalled()));
    }
}

/// Whether SIGHUP is not ignored as far as the system reports; if it does not report, the signal is left to
/// its default.
#[cfg(unix)]
fn hears_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & 1 == 0)
}

/// Starts to listen to Ctrl-C.
#[cfg(not(unix))]
pub fn listen() {
    let _ = ctrlc::set_handler(signalled);
}

/// On a thread of its own, for each signal.
fn signalled() {
    if REQUESTED.swap(true, Ordering::SeqCst) {
        end();
    }
    if kept() == Kept::Reached as u8 {
        return;
    }
    work_listens_to().request();
    if kept() == Kept::Nothing as u8 {
        std::thread::sleep(GRACE);
        if kept() == Kept::Nothing as u8 {
            end();
        }
    }
}

/// Ends the program without a result.
fn end() -> ! {
    console::interrupted(partwise_io::discard_unfinished());
    std::process::exit(i32::from(EXIT_CODE));
}

fn kept() -> u8 {
    KEPT.load(Ordering::SeqCst)
}

fn work_listens_to() -> MutexGuard<'static, Interrupt> {
    WORK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a signal came.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}

/// Says what remains from now on when a signal comes.
pub fn keep(what: Kept) {
    KEPT.store(what as u8, Ordering::SeqCst);
}

/// Does a piece of work that a signal unwinds, unless it is one that ends by itself.
pub fn work<R>(piece: impl FnOnce() -> R) -> Result<R, Stopped> {
    let own = Interrupt::default();
    let outer = std::mem::replace(&mut *work_listens_to(), own.clone());
    // A signal may have come between the two.
    let done = if requested() { Err(Stopped) } else { own.run(piece).map_err(|_| Stopped) };
    *work_listens_to() = outer;
    done
}
