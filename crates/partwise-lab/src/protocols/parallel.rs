//! Units side by side: which thread runs a unit changes nothing but the time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Instant;

use anyhow::Result;

use super::{Extent, Library, Outcome, Protocol, Unit, UnitId};

/// A unit that has ended.
#[derive(Debug)]
pub struct Finished {
    /// Which.
    pub id: UnitId,
    /// What it gave.
    pub outcome: Result<Outcome>,
    /// Wall time.
    pub seconds: f64,
}

/// Runs units on `threads` threads (1 or more, at most [`partwise::internals::most_threads`]), in their
/// order, and gives each as it ends. When the receiver is dropped no further unit is begun; those under way
/// end with the program.
pub fn run_units(
    protocol: &'static Protocol,
    extent: Extent,
    units: Vec<UnitId>,
    library: Arc<dyn Library>,
    threads: usize,
) -> Receiver<Finished> {
    let (sender, receiver) = channel();
    let (units, next) = (Arc::new(units), Arc::new(AtomicUsize::new(0)));
    for _ in 0..threads.clamp(1, partwise::internals::most_threads()).min(units.len()) {
        let (sender, library) = (sender.clone(), Arc::clone(&library));
        let (units, next) = (Arc::clone(&units), Arc::clone(&next));
        thread::spawn(move || {
            while let Some(id) = units.get(next.fetch_add(1, Ordering::SeqCst)) {
                let began = Instant::now();
                let UnitId { case, group, draw } = id;
                let unit = Unit { library: library.as_ref(), extent, case, group, draw: *draw };
                let outcome = (protocol.run)(&unit);
                let seconds = began.elapsed().as_secs_f64();
                if sender.send(Finished { id: id.clone(), outcome, seconds }).is_err() {
                    break;
                }
            }
        });
    }
    receiver
}
