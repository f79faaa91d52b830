//! [`Processes`]: several processes that share the row blocks of one matrix and run one fit together.
//!
//! Each process holds a run of the blocks, runs the same code, and gets the same numbers wherever rows are
//! summed: sums go up a binary tree over the numbers of the processes and come down again. Where each process
//! has 2^m blocks (the last may have fewer), this continues the tree over the blocks, so that one process
//! gives the same bits.

use std::fmt;
use std::ops::{AddAssign, Range};
use std::sync::Arc;

use crate::foundation::{Result, fault};

/// Moves bytes between the processes of one fit: MPI, sockets, or channels between threads. Messages between
/// two processes arrive in the order in which they were sent. A fit sends and receives from one thread.
pub trait Transport: fmt::Debug + Send + Sync {
    /// The number of this process, from 0.
    fn rank(&self) -> usize;

    /// How many processes there are.
    fn size(&self) -> usize;

    /// Sends bytes to another process. It may wait until they are received.
    ///
    /// # Errors
    /// [`Error::Unreadable`](crate::Error::Unreadable) when the other process is gone.
    fn send(&self, to: usize, bytes: &[u8]) -> Result<()>;

    /// Waits for the next bytes from another process, which must be as many as there is room for.
    ///
    /// # Errors
    /// [`Error::Unreadable`](crate::Error::Unreadable) when the other process is gone, or has failed.
    fn receive(&self, from: usize, bytes: &mut [u8]) -> Result<()>;

    /// Lets all other processes know that this one has failed, and why: what they wait for from it, now or
    /// later, is an error with this message. No fit can use the transport after this. It must not wait.
    fn fail(&self, message: &str);
}

/// Values for each process from which on they are added up in parts: below, messages cost more than bytes.
const LEAST_TO_HALVE: usize = 64;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Processes {
    transport: Arc<dyn Transport>,
    /// The first block of each process, and the number of blocks at the end.
    shares: Vec<usize>,
}

/// Lets the other processes know when this one ends its work without success, also by unwinding.
pub(crate) struct Watch<'p>(Option<&'p Processes>);

impl Watch<'_> {
    /// The work is over; the others are told of an error.
    pub(crate) fn end<R>(mut self, result: &Result<R>) {
        if let (Some(processes), Err(error)) = (self.0.take(), result) {
            processes.transport.fail(&error.to_string());
        }
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if let Some(processes) = self.0 {
            processes.transport.fail(&format!("process {} was stopped", processes.rank()));
        }
    }
}

impl Processes {
    /// Blocks shared as evenly as their number allows: process r has the blocks from ⌊r·B/P⌋ on.
    pub(super) fn new(transport: Arc<dyn Transport>, blocks: usize) -> Self {
        let size = transport.size();
        let shares = (0..=size).map(|rank| rank * blocks / size).collect();
        Processes { transport, shares }
    }

    /// The same processes with other blocks: the first of each process, and their number at the end.
    pub(super) fn with_shares(&self, shares: Vec<usize>) -> Self {
        Processes { transport: Arc::clone(&self.transport), shares }
    }

    /// Watches over work that all processes do together.
    pub(crate) fn watch(processes: Option<&Self>) -> Watch<'_> {
        Watch(processes)
    }

    /// How many processes there are.
    pub(crate) fn size(&self) -> usize {
        self.transport.size()
    }

    /// The number of this process, from 0.
    pub(crate) fn rank(&self) -> usize {
        self.transport.rank()
    }

    /// The blocks of a process.
    pub(super) fn blocks_of(&self, rank: usize) -> Range<usize> {
        self.shares[rank]..self.shares[rank + 1]
    }

    /// Adds the values of all processes; each gets the sums. All processes together send each value 2(P − 1)
    /// times.
    pub(crate) fn sum<N: bytemuck::Pod + AddAssign>(&self, values: &mut [N]) {
        if self.size().is_power_of_two() && values.len() >= LEAST_TO_HALVE * self.size() {
            return self.sum_by_halves(values);
        }
        let mut other = vec![N::zeroed(); values.len()];
        for (from, to) in pairs(self.size()) {
            if to == self.rank() {
                self.receive(from, &mut other);
                values.iter_mut().zip(&other).for_each(|(sum, x)| *sum += *x);
            } else if from == self.rank() {
                self.send(to, values);
            }
        }
        self.broadcast(values);
    }

    /// As [`Processes::sum`], with the same bits, where no process has more to send than others: two that
    /// meet at a fork of the tree add up a half of their values each. In the end each has the sums of its own
    /// part, which go back the same way.
    fn sum_by_halves<N: bytemuck::Pod + AddAssign>(&self, values: &mut [N]) {
        let steps: Vec<usize> = (0..self.size().ilog2()).map(|level| 1 << level).collect();
        let (mut own, mut before) = (0..values.len(), Vec::new());
        let mut other = vec![N::zeroed(); values.len().div_ceil(2)];
        for step in &steps {
            let middle = own.start + own.len() / 2;
            let halves = [own.start..middle, middle..own.end];
            let [kept, given] =
                if self.rank() & step == 0 { halves } else { [halves[1].clone(), halves[0].clone()] };
            let other = &mut other[..kept.len()];
            self.exchange(self.rank() ^ step, &values[given], other);
            values[kept.clone()].iter_mut().zip(other).for_each(|(sum, x)| *sum += *x);
            before.push(std::mem::replace(&mut own, kept));
        }
        for (step, whole) in steps.iter().zip(before).rev() {
            let rest = if whole.start == own.start { own.end..whole.end } else { whole.start..own.start };
            let other = &mut other[..rest.len()];
            self.exchange(self.rank() ^ step, &values[own], other);
            values[rest].copy_from_slice(other);
            own = whole;
        }
    }

    /// Sends values to another process and receives some from it.
    fn exchange<N: bytemuck::Pod>(&self, with: usize, sent: &[N], received: &mut [N]) {
        // A process may have to wait until what it sends is received.
        if self.rank() < with {
            self.send(with, sent);
            self.receive(with, received);
        } else {
            self.receive(with, received);
            self.send(with, sent);
        }
    }

    /// Gives all processes the values of process 0.
    pub(crate) fn broadcast<N: bytemuck::Pod>(&self, values: &mut [N]) {
        for (to, from) in pairs(self.transport.size()).into_iter().rev() {
            if to == self.rank() {
                self.receive(from, values);
            } else if from == self.rank() {
                self.send(to, values);
            }
        }
    }

    /// Gives all processes what each has in its own range of `values`; the ranges are those of the processes
    /// by their numbers, one after the other.
    pub(crate) fn gather<N: bytemuck::Pod>(&self, values: &mut [N], ranges: &[Range<usize>]) {
        for (from, to) in pairs(self.size()) {
            // What a process has by now: its own and that of all below it in the tree.
            let end = (2 * from - to).min(ranges.len());
            let held = ranges[from].start..ranges[end - 1].end;
            if to == self.rank() {
                self.receive(from, &mut values[held]);
            } else if from == self.rank() {
                self.send(to, &values[held]);
            }
        }
        self.broadcast(values);
    }

    /// What each process has, by their numbers.
    pub(crate) fn of_each<N: bytemuck::Pod>(&self, own: N) -> Vec<N> {
        let mut values = vec![N::zeroed(); self.size()];
        values[self.rank()] = own;
        let ranges: Vec<Range<usize>> = (0..self.size()).map(|rank| rank..rank + 1).collect();
        self.gather(&mut values, &ranges);
        values
    }

    fn send<N: bytemuck::Pod>(&self, to: usize, values: &[N]) {
        fault::or_raise(self.transport.send(to, bytemuck::cast_slice(values)));
    }

    fn receive<N: bytemuck::Pod>(&self, from: usize, values: &mut [N]) {
        fault::or_raise(self.transport.receive(from, bytemuck::cast_slice_mut(values)));
    }
}

/// The pairs (from, to) along which a sum over processes goes up its tree to process 0, in order.
fn pairs(size: usize) -> Vec<(usize, usize)> {
    let steps = (0..usize::BITS).map(|level| 1_usize << level).take_while(|step| *step < size);
    let at = |step: usize| (0..size - step).step_by(2 * step).map(move |to| (to + step, to));
    steps.flat_map(at).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::super::TreeSum;
    use super::*;

    /// Threads that stand for processes.
    #[derive(Debug)]
    struct Threads {
        rank: usize,
        to: Vec<Sender<Vec<u8>>>,
        from: Vec<Mutex<Receiver<Vec<u8>>>>,
    }

    impl Transport for Threads {
        fn rank(&self) -> usize {
            self.rank
        }

        fn size(&self) -> usize {
            self.to.len()
        }

        fn send(&self, to: usize, bytes: &[u8]) -> Result<()> {
            self.to[to].send(bytes.to_vec()).expect("the other thread listens");
            Ok(())
        }

        fn fail(&self, message: &str) {
            unreachable!("{message}");
        }

        fn receive(&self, from: usize, bytes: &mut [u8]) -> Result<()> {
            let receiver = self.from[from].lock().expect("one thread at a time");
            bytes.copy_from_slice(&receiver.recv().expect("the other thread sends"));
            Ok(())
        }
    }

    fn together<R: Send>(size: usize, work: impl Fn(&Processes) -> R + Sync) -> Vec<R> {
        let (mut to, mut from): (Vec<Vec<_>>, Vec<Vec<_>>) = Default::default();
        (0..size).for_each(|_| {
            to.push(Vec::new());
            from.push(Vec::new());
        });
        for sender in &mut to {
            for receivers in &mut from {
                let (send, receive) = channel();
                sender.push(send);
                receivers.push(Mutex::new(receive));
            }
        }
        std::thread::scope(|scope| {
            let handles: Vec<_> = to
                .into_iter()
                .zip(from)
                .enumerate()
                .map(|(rank, (to, from))| {
                    let work = &work;
                    scope.spawn(move || work(&Processes::new(Arc::new(Threads { rank, to, from }), 4 * size)))
                })
                .collect();
            handles.into_iter().map(|handle| handle.join().expect("no process fails")).collect()
        })
    }

    #[test]
    fn every_process_gets_the_sum_along_the_tree_and_the_rows_of_all() {
        for size in 1..=9 {
            let value = |rank: usize| 1.0 / (1.0 + rank as f32 * 0.7);
            let found = together(size, |processes| {
                let rank = processes.rank();
                let (mut sum, mut first) = ([value(rank)], [rank]);
                processes.sum(&mut sum);
                let long: Vec<f32> = (0..1001).map(|at| value(rank) * (1.0 + at as f32)).collect();
                let mut halved = long.clone();
                processes.sum(&mut halved);
                let mut one_by_one: Vec<[f32; 1]> = long.iter().map(|x| [*x]).collect();
                one_by_one.iter_mut().for_each(|value| processes.sum(value));
                assert_eq!(halved, one_by_one.concat(), "{size} processes, by halves");
                processes.broadcast(&mut first);
                let mut ranges: Vec<_> = (0..size).map(|rank| rank * rank..(rank + 1) * (rank + 1)).collect();
                ranges[0] = 0..1;
                let mut rows = vec![0_u32; size * size];
                rows[ranges[rank].clone()].fill(rank as u32 + 1);
                processes.gather(&mut rows, &ranges);
                (sum[0].to_bits(), first[0], rows)
            });
            let mut sum = TreeSum::default();
            (0..size).for_each(|rank| sum.add(vec![value(rank)]));
            let rows: Vec<u32> = (0..size).flat_map(|rank| vec![rank as u32 + 1; 2 * rank + 1]).collect();
            let expected = (sum.finish().map_or(0, |sum: Vec<f32>| sum[0].to_bits()), 0, rows);
            assert!(found.iter().all(|found| *found == expected), "{size} processes: {found:?}");
        }
    }
}
