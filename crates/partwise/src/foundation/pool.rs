//! Our own thread pool, sized by the settings, for the backend and for support vector machines that are
//! trained in parallel. Work is split by the caller into fixed chunks; results come back in chunk order, so
//! nothing depends on the number of threads.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use crate::foundation::interrupt::{self, Interrupt};

/// The most threads that are started, whatever the settings ask for: four for each core, and never fewer
/// than 64. More would only wait for each other, and the results don't depend on them.
pub fn most_threads() -> usize {
    available().saturating_mul(4).max(64)
}

/// The code of the notice that goes with [`capped`].
pub const CAPPED: &str = "threads";

/// The notice if `wanted` threads are more than [`most_threads`].
pub fn capped(wanted: usize) -> Option<String> {
    let (most, cores) = (most_threads(), available());
    let cores = if cores == 1 { "1 core".into() } else { format!("{cores} cores") };
    (wanted > most).then(|| {
        format!(
            "{wanted} threads were asked for, but at most {most} are started, since this machine has {cores}; the result does not \
             depend on the number of threads"
        )
    })
}

fn available() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Threads, or none for one; and what their work listens to.
pub struct Pool {
    threads: Option<rayon::ThreadPool>,
    interrupt: Option<Interrupt>,
}

impl Pool {
    /// `threads` threads, but no more than [`most_threads`]; 0 = all cores. Where threads can't be started,
    /// the work is done on the calling one. The work listens to what the calling thread listens to
    /// ([`Interrupt`]).
    pub fn new(threads: usize) -> Self {
        let wanted = threads_for(threads);
        let build = || rayon::ThreadPoolBuilder::new().num_threads(wanted).build().ok();
        Pool { threads: if wanted == 1 { None } else { build() }, interrupt: interrupt::current() }
    }

    /// Threads at work.
    pub(crate) fn threads(&self) -> usize {
        self.threads.as_ref().map_or(1, rayon::ThreadPool::current_num_threads)
    }

    /// `f` for each item, results in order.
    pub fn map<I: Send, R: Send>(&self, items: Vec<I>, f: impl Fn(I) -> R + Sync) -> Vec<R> {
        let items: Vec<_> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
        let results: Vec<_> = items.iter().map(|_| Mutex::new(None)).collect();
        self.each(items.len(), &|at| {
            if let Some(item) = locked(&items[at]).take() {
                let result = f(item);
                *locked(&results[at]) = Some(result);
            }
        });
        let result = |slot: Mutex<Option<R>>| slot.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.into_iter().filter_map(result).collect()
    }

    /// `f` for each number below `count`. Without type parameters: the code of the threads is compiled once,
    /// not for each `f`.
    fn each(&self, count: usize, f: &(dyn Fn(usize) + Sync)) {
        let f = |at| interrupt::within(self.interrupt.as_ref(), || f(at));
        match &self.threads {
            None => (0..count).for_each(f),
            Some(pool) => pool.install(|| (0..count).into_par_iter().with_max_len(1).for_each(f)),
        }
    }

    /// `f` for each chunk of rows of `out` (`width` values per row), results in chunk order.
    pub(crate) fn map_rows<T: Send, R: Send>(
        &self,
        chunks: &[Range<usize>],
        out: &mut [T],
        width: usize,
        f: impl Fn(Range<usize>, &mut [T]) -> R + Sync,
    ) -> Vec<R> {
        let mut items = Vec::with_capacity(chunks.len());
        let mut rest = out;
        for chunk in chunks {
            let (part, tail) = rest.split_at_mut(chunk.len() * width);
            rest = tail;
            items.push((chunk.clone(), part));
        }
        self.map(items, |(chunk, part)| f(chunk, part))
    }
}

impl Pool {
    /// As [`Pool::map_rows`] over two slices with their widths, cut at the same rows.
    pub(crate) fn map_rows_with<T: Send, R: Send>(
        &self,
        chunks: &[Range<usize>],
        first: (&mut [T], usize),
        second: (&mut [T], usize),
        f: impl Fn(Range<usize>, &mut [T], &mut [T]) -> R + Sync,
    ) -> Vec<R> {
        let ((mut first, width_first), (mut second, width_second)) = (first, second);
        let mut items = Vec::with_capacity(chunks.len());
        for chunk in chunks {
            let (a, rest_a) = first.split_at_mut(chunk.len() * width_first);
            let (b, rest_b) = second.split_at_mut(chunk.len() * width_second);
            (first, second) = (rest_a, rest_b);
            items.push((chunk.clone(), a, b));
        }
        self.map(items, |(chunk, a, b)| f(chunk, a, b))
    }
}

/// Calls `each` on this thread with what `read` gives for each item, in order. Meanwhile a thread of its own
/// reads one item ahead, so two are at hand at a time at most.
pub(crate) fn read_ahead<I: Copy + Send + Sync, R: Send>(
    items: &[I],
    read: impl Fn(I) -> R + Sync,
    mut each: impl FnMut(I, R),
) {
    std::thread::scope(|scope| {
        // Nothing is stored between the threads: what is read waits for its turn with the one that read it.
        let (sender, receiver) = std::sync::mpsc::sync_channel(0);
        let read = &read;
        let started = std::thread::Builder::new().spawn_scoped(scope, move || {
            for item in items {
                // The receiver is gone when the work on an item was ended.
                if sender.send(read(*item)).is_err() {
                    return;
                }
            }
        });
        match started {
            Ok(_) => items.iter().zip(receiver).for_each(|(item, found)| each(*item, found)),
            // Where no thread can be started, nothing is read ahead.
            Err(_) => items.iter().for_each(|item| each(*item, read(*item))),
        }
    });
}

/// The content of a slot, which one thread at a time asks for.
fn locked<T>(slot: &Mutex<T>) -> MutexGuard<'_, T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many threads a setting asks for: 0 means all cores; never more than [`most_threads`].
pub(crate) fn threads_for(threads: usize) -> usize {
    if threads == 0 { available() } else { threads.min(most_threads()) }
}

/// `0..len` in chunks of `size`.
pub(crate) fn fixed_chunks(len: usize, size: usize) -> Vec<Range<usize>> {
    (0..len).step_by(size).map(|start| start..(start + size).min(len)).collect()
}

/// A range in chunks of `size`.
pub(crate) fn chunks_of(range: &Range<usize>, size: usize) -> Vec<Range<usize>> {
    range.clone().step_by(size).map(|start| start..(start + size).min(range.end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_many_threads_are_asked_for_no_more_than_the_machine_can_use_are_started() {
        let most = most_threads();
        assert!(most >= 64 && most >= 4 * available());
        assert_eq!(Pool::new(most + 1).threads(), most);
        for wanted in [most + 1, 100_000, 4_294_967_296, usize::MAX] {
            let message = capped(wanted).unwrap();
            assert!(
                message.contains(&wanted.to_string()) && message.contains(&most.to_string()),
                "{message}"
            );
        }
        assert!([0, 1, 2, most].into_iter().all(|wanted| capped(wanted).is_none()));
    }
}
